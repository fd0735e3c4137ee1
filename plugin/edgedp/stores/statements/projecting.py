"""The graph that relationships make, of a database or the rows of a file, by the rules of a projection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.columns import KeptRows
from edgedp.graph.graph import Graph
from edgedp.graph.weights import Weighting
from edgedp.ledger.pairs import PairProjection
from edgedp.mechanisms.projection import CandidateProjection
from edgedp.words.errors import ParameterError, StoreError
from edgedp.words.refusals import STORE_FAILED

if TYPE_CHECKING:
    from edgedp.ledger.backend import Session
    from edgedp.ledger.rows import GraphRow
    from edgedp.words.dates.calendar import Span


def graph_of_kept(
    whole: Graph,
    kept: KeptRows | None,
    made: PairProjection,
    span: Span | None = None,
    weights: NDArray[np.float64] | None = None,
) -> Graph:
    """Return the graph that the rows of a file make, among the nodes of all of them.

    Parameters
    ----------
    whole : Graph
        Of all rows: its nodes, and where no rows are kept its edges or arcs, which then stand for the rows.
    kept : KeptRows or None
    made : PairProjection
    span : Span, optional
        The windows whose rows are read.
    weights : (m,) float64, optional
        What the rows weigh, where no column says so.

    Raises
    ------
    StoreError
        A column is missing, or the rows; what was read before the debit said otherwise.
    """
    if kept is None:
        if made.where or made.at_least > 1 or made.weight is not None or span is not None:
            raise StoreError(STORE_FAILED)
        ends = whole.arcs() if whole.directed else whole.edges()
    else:
        held = np.ones(len(kept.rows.ends), dtype=np.bool_)
        for condition in made.where:
            if condition.property not in kept.rows.columns:
                raise StoreError(STORE_FAILED)
            held &= kept.rows.columns[condition.property].holds(condition.comparison, condition.value)
        if span is not None:
            if kept.windows is None:  # it would be everything at the price of a window
                raise StoreError(STORE_FAILED)
            held &= (kept.windows >= span.first) & (kept.windows <= span.last)
        ends = kept.rows.ends[held]
    if kept is None or made.weight is None:
        weights = None
    else:
        weights = (_numbers(kept, made.weight) if weights is None else weights)[held]
    pairs = arcs_of(ends[:, 0], ends[:, 1], whole.node_count, made)
    graph = Graph.from_positions(
        whole.node_ids, pairs, nodes_supplied=whole.nodes_supplied, directed=made.directed
    )
    return weighed(graph, ends[:, 0], ends[:, 1], weights, made)


def _numbers(kept: KeptRows, weight: Weighting) -> NDArray[np.float64]:
    """Return what each row weighs, NaN for nothing; where rows are counted each weighs 1."""
    count = len(kept.rows.ends)
    if weight.of_property is None:
        return np.ones(count)
    column = kept.rows.columns.get(str(weight.of_property))
    if column is None:
        raise StoreError(STORE_FAILED)
    return column.numbers(count)


def weighed(
    graph: Graph,
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    made: PairProjection | None,
) -> Graph:
    """Return a graph with the weights of the relationships that made it, where the projection declares weights."""
    if made is None or made.weight is None:
        return graph
    if weights is None and len(sources):
        raise AssertionError("a reader hands over a weight for each relationship")
    turned = made.orientation == "REVERSE"
    ends = np.column_stack([targets, sources] if turned else [sources, targets])
    return graph.with_weights(ends, np.zeros(0) if weights is None else weights, made.weight)


def figures_of(session: Session, row: GraphRow, graph: Graph) -> dict[str, int]:
    """Return edge_count and max_degree of a graph, exact, for the curator; of candidates those of their neighbours.

    Raises
    ------
    ParameterError
        The declared degree bound is smaller.
    """
    made = row.projection
    if made is not None and made.candidates is not None:
        there = candidate_positions(graph.node_ids, session.candidates(row))
        degrees = CandidateProjection(graph, there).degrees()
        return {"edge_count": int(degrees.sum()), "max_degree": int(degrees.max(initial=0))}
    if row.degree_bound is not None and graph.max_degree > row.degree_bound:
        raise ParameterError(
            f"degree_bound is {row.degree_bound}, must be at least the graph's largest degree, {graph.max_degree}; "
            "declare a larger bound"
        )
    return {"edge_count": graph.edge_count, "max_degree": graph.max_degree}


def candidate_positions(node_ids: NDArray[Any], ids: Sequence[Any]) -> NDArray[np.int64]:
    """Return the positions of candidates among the nodes that were read, ascending.

    One that came since is no node that was read, and is left out: the release then misses a node, and is refused.

    Examples
    --------
    >>> candidate_positions(np.array([5, 7, 9]), [9, 5, 4]).tolist()
    [0, 2]
    """
    kind = int if node_ids.dtype.kind in "iu" else str
    asked = np.asarray(
        [each for each in ids if type(each) is kind], dtype=node_ids.dtype if kind is int else None
    )
    return np.flatnonzero(np.isin(node_ids, asked)).astype(np.int64)


def side_ids(node_ids: NDArray[Any], side: str) -> list[Any]:
    """Return the ids of the nodes of one side of a file whose ends are of different kinds: public, as all ids are.

    Examples
    --------
    >>> side_ids(np.array(["film:1", "user:1"]), "film")
    ['film:1']
    """
    if node_ids.dtype.kind != "U":
        return []
    found: list[Any] = node_ids[np.char.startswith(node_ids, f"{side}:")].tolist()
    return found


def arcs_of(
    sources: NDArray[np.int32], targets: NDArray[np.int32], nodes: int, projection: PairProjection | None
) -> NDArray[np.int32]:
    """Return the edges, or the arcs, that relationships make: (e, 2) int32, loops dropped where they are counted.

    Parameters
    ----------
    sources, targets : (m,) int32
        Positions of the ends of each relationship that holds every condition.
    nodes : int
    projection : PairProjection or None
        None, or one where `every` relationship is an edge, leaves all as they are: the graph merges parallels.

    Examples
    --------
    >>> ends = np.array([0, 0, 1, 2], "i4"), np.array([1, 1, 0, 1], "i4")
    >>> arcs_of(*ends, 3, PairProjection(("A",), ("R",), "MUTUAL")).tolist()
    [[0, 1]]
    >>> arcs_of(*ends, 3, PairProjection(("A",), ("R",), at_least=3)).tolist()
    [[0, 1]]
    >>> arcs_of(*ends, 3, PairProjection(("A",), ("R",), "NATURAL", at_least=2)).tolist()
    [[0, 1]]
    """
    if projection is None or projection.every:
        return np.column_stack([sources, targets])
    apart = sources != targets
    first, second = sources[apart].astype(np.int64), targets[apart].astype(np.int64)
    match projection.orientation:
        case "NATURAL":
            return _frequent(first, second, nodes, projection.at_least)
        case "REVERSE":
            return _frequent(second, first, nodes, projection.at_least)
        case "UNDIRECTED":
            return _frequent(*_pairs(first, second), nodes, projection.at_least)
        case "MUTUAL":
            there = _frequent(first, second, nodes, 1)
            both = _frequent(*_pairs(there[:, 0], there[:, 1]), nodes, 2)
            often = _frequent(*_pairs(first, second), nodes, projection.at_least)
            kept = np.intersect1d(_keys(both, nodes), _keys(often, nodes), assume_unique=True)
            return np.column_stack([kept // nodes, kept % nodes]).astype(np.int32)


def _pairs(first: NDArray[Any], second: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the smaller and the larger end of each relationship."""
    return np.minimum(first, second).astype(np.int64), np.maximum(first, second).astype(np.int64)


def _keys(ends: NDArray[np.int32], nodes: int) -> NDArray[np.int64]:
    return ends[:, 0].astype(np.int64) * nodes + ends[:, 1]


def _frequent(
    first: NDArray[np.int64], second: NDArray[np.int64], nodes: int, at_least: int
) -> NDArray[np.int32]:
    """Return the pairs of ends that stand there often enough, (e, 2)."""
    keys, counts = np.unique(first * nodes + second, return_counts=True)
    kept = keys[counts >= at_least]
    return np.column_stack([kept // max(nodes, 1), kept % max(nodes, 1)]).astype(np.int32)
