"""Graphs of other libraries as ids and pairs, and back; no library is imported for a way in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.ids import distinct, new_ids
from edgedp.graph.weights import weighting_of
from edgedp.words.errors import EngineError, GraphFormatError, ParameterError
from edgedp.words.shown import kind_of


def keeps_directions(directed: Any, graph: Any = None) -> bool:
    """Return whether directions are kept; a graph that says that it is undirected has none.

    Examples
    --------
    >>> keeps_directions(False), keeps_directions(True)
    (False, True)
    """
    if not isinstance(directed, bool):
        raise ParameterError(f"directed is {kind_of(directed)}, must be True or False; give one of them")
    says = getattr(graph, "is_directed", None)
    if directed and callable(says) and not says():
        raise GraphFormatError(
            "graph is undirected, must be directed to be read with its directions; leave directed out"
        )
    return directed


def networkx_pairs(graph: Any, weight: Any = None) -> tuple[list[Any], list[Any], list[Any] | None]:
    """Return the nodes and the edges of a networkx graph, and the edges' weights where some are declared."""
    if not (callable(getattr(graph, "edges", None)) and callable(getattr(graph, "nodes", None))):
        raise ParameterError(
            f"graph is {kind_of(graph)}, must be a networkx graph; give Graph.from_edges pairs of ids"
        )
    nodes = list(graph.nodes())
    for node in nodes:
        if isinstance(node, bool) or not isinstance(node, (int, str, np.integer)):
            raise GraphFormatError(
                f"graph has {kind_of(node)} as a node, must have integers or texts; relabel its nodes "
                "(networkx.convert_node_labels_to_integers does)"
            )
    if not _weighs(weight):
        return nodes, list(graph.edges()), None
    weighed = list(graph.edges(data=weighting_of(weight).of_property or "weight", default=None))
    return nodes, [each[:2] for each in weighed], [each[2] for each in weighed]


def _weighs(weight: Any) -> bool:
    """Return whether weights are read: what only counts relationships needs none, unless it names them."""
    if weight is None:
        return False
    made = weighting_of(weight)
    return made.aggregation != "COUNT" or made.of_property is not None


def igraph_pairs(graph: Any, weight: Any = None) -> tuple[NDArray[Any], NDArray[Any], list[Any] | None]:
    """Return the ids of the vertices, all different, the edges as pairs of them, and weights where declared."""
    if not (hasattr(graph, "vs") and hasattr(graph, "get_edgelist")):
        raise ParameterError(
            f"graph is {kind_of(graph)}, must be an igraph graph; give Graph.from_edges pairs of ids"
        )
    names = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
    ids = new_ids(list(names), "the vertex names")
    if len(distinct(ids)) < len(ids):
        raise GraphFormatError("two vertices have the same name; rename one")
    pairs = np.asarray(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    if not _weighs(weight):
        return ids, ids[pairs], None
    named = str(weighting_of(weight).of_property or "weight")
    if named not in graph.es.attributes():
        raise GraphFormatError(
            f"graph has no edge attribute {named!r}, which weight names (property); name one that it has"
        )
    return ids, ids[pairs], list(graph.es[named])


def scipy_positions(matrix: Any, nodes: Any) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[Any]]:
    """Return the ids of a square sparse matrix, ascending, the positions of the entries that are not 0, and these."""
    if not hasattr(matrix, "tocoo"):
        raise ParameterError(
            f"matrix is {kind_of(matrix)}, must be a scipy sparse matrix; give scipy.sparse.coo_array(matrix)"
        )
    entries = matrix.tocoo(copy=True)
    if len(entries.shape) != 2 or entries.shape[0] != entries.shape[1]:
        raise GraphFormatError(
            "the matrix is not square; give an adjacency matrix, with a row and a column for each node"
        )
    n = int(entries.shape[0])
    if entries.data.dtype.kind in "iu" and entries.data.dtype.itemsize < 8:
        entries.data = entries.data.astype(np.int64)  # 128 and 128 are 0 in 8 bits
    entries.sum_duplicates()  # an entry is the sum of what is stored for it: +1 and -1 are no edge
    if not (entries.data == entries.data).all():
        raise GraphFormatError("matrix holds NaN; give 0 where no edge is")
    ids = np.arange(n, dtype=np.int64) if nodes is None else new_ids(nodes, "nodes")
    if len(ids) != n or len(distinct(ids)) != n:
        raise GraphFormatError(f"nodes does not hold {n} different ids; give one for each row")
    order = np.argsort(ids, kind="stable")
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    there = entries.data != 0
    positions = np.column_stack([place[entries.row[there]], place[entries.col[there]]])
    return ids[order], positions, entries.data[there]


def networkx_graph(
    node_ids: NDArray[Any],
    edges: NDArray[np.int32],
    *,
    directed: bool = False,
    weights: NDArray[np.int64] | None = None,
) -> Any:
    """Return a ``networkx.Graph``, or a ``DiGraph``, of ids, (m, 2) positions and perhaps weights."""
    try:
        import networkx as nx
    except ImportError:
        raise EngineError(
            "this conversion needs networkx, which is not installed; install edgedp[networkx]"
        ) from None

    graph = nx.DiGraph() if directed else nx.Graph()
    ids = node_ids.tolist()
    graph.add_nodes_from(ids)
    graph.add_edges_from((ids[a], ids[b]) for a, b in edges.tolist())
    if weights is not None:
        for (a, b), weight in zip(edges.tolist(), weights.tolist(), strict=True):
            graph.edges[ids[a], ids[b]]["weight"] = weight
    return graph


def igraph_graph(
    node_ids: NDArray[Any],
    edges: NDArray[np.int32],
    *,
    directed: bool = False,
    weights: NDArray[np.int64] | None = None,
) -> Any:
    """Return an ``igraph.Graph`` of ids and (m, 2) positions."""
    import igraph

    graph = igraph.Graph(n=len(node_ids), edges=edges, directed=directed)
    graph.vs["name"] = node_ids.tolist()
    if weights is not None:
        graph.es["weight"] = weights.tolist()
    return graph
