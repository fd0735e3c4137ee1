"""The immutable simple undirected graph that every engine and selector works on."""

from __future__ import annotations

import hashlib
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.errors import EngineError, GraphFormatError, ParameterError, UnknownNameError
from edgedp.shown import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from edgedp.engines.native.library import Rows

__all__ = ["Graph"]


class Graph:
    """A simple undirected graph in compressed sparse rows.

    Nodes are addressed by *position* ``0..n-1`` in the arrays and by *id* (an integer or a text) at
    the edges of the program. Rows are sorted, every edge stands in both of its rows, there is no
    self-loop and no parallel edge. All arrays are read-only.

    Parameters
    ----------
    node_ids : (n,) int64 or str array
        Ids in strictly ascending order.
    indptr : (n + 1,) int64 array
        ``indices[indptr[v]:indptr[v + 1]]`` are the neighbours of position ``v``.
    indices : (2m,) int32 array
        Positions of neighbours, ascending within a row.
    nodes_supplied : bool
        True when the caller named all nodes, False when they were read from the edges.
        It decides what a release says about the public node set.
    properties : mapping of str to (n,) array, optional
        Values of the nodes in the order of `node_ids`.

    Notes
    -----
    The constructor trusts its arrays; `from_edges` is the way in for edges of any shape.

    Privacy: a `Graph` holds the private edges. Its node ids are public; everything else of it is not.

    Examples
    --------
    >>> graph = Graph.from_edges([(1, 2), (2, 3), (3, 2), (5, 5)])
    >>> graph.node_ids.tolist(), graph.edge_count, graph.max_degree
    ([1, 2, 3, 5], 2, 2)
    """

    __slots__ = ("__dict__", "_indices", "_indptr", "_node_ids", "_nodes_supplied", "_properties")

    def __init__(
        self,
        node_ids: NDArray[Any],
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        *,
        nodes_supplied: bool = False,
        properties: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        self._node_ids = _frozen(node_ids)
        self._indptr = _frozen(indptr.astype(np.int64, copy=False))
        self._indices = _frozen(indices.astype(np.int32, copy=False))
        self._nodes_supplied = nodes_supplied
        self._properties = {name: _frozen(values) for name, values in (properties or {}).items()}

    # -- ways in ---------------------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike | Iterable[tuple[Any, Any]],
        nodes: ArrayLike | None = None,
        properties: Mapping[str, Any] | None = None,
    ) -> Graph:
        """Build a graph from ``(m, 2)`` node ids; directions and parallels merge, self-loops drop.

        Parameters
        ----------
        edges : (m, 2) array-like of int or str
            Pairs of node ids. A node that stands only in a self-loop is a node without edges.
        nodes : (n,) array-like of int or str, optional
            All node ids, isolated ones included. An edge outside them is refused.
        properties : mapping of str to (n,) array-like, optional
            Values of the nodes in the order of `nodes`, which must be given, each id once. Values of any type.

        Raises
        ------
        GraphFormatError
            The edges are not pairs of integers or of texts, or name a node that `nodes` lacks, or a
            property has not one value a node.

        Examples
        --------
        >>> Graph.from_edges([("b", "a")], nodes=["a", "b", "c"]).degrees.tolist()
        [1, 1, 0]
        >>> graph = Graph.from_edges([(1, 2)], nodes=[2, 1], properties={"age": [60, 30]})
        >>> graph.properties["age"].tolist()
        [30, 60]
        """
        pairs = _as_pairs(edges)
        if nodes is None:
            node_ids, positions = _numbered(pairs)
        else:
            node_ids = np.unique(_as_ids(nodes, "nodes"))
            if pairs.size and node_ids.dtype.kind != pairs.dtype.kind:
                raise GraphFormatError(
                    "nodes is of another type than the ids of the edges, must be the same; "
                    "give both as integers or both as texts"
                )
            positions = positions_of(node_ids, pairs.reshape(-1), what="an end of an edge").reshape(
                pairs.shape
            )
        graph = cls.from_positions(node_ids, positions, nodes_supplied=nodes is not None)
        return graph if properties is None else graph._with_properties(nodes, properties)

    @classmethod
    def from_positions(
        cls, node_ids: NDArray[Any], positions: NDArray[np.integer[Any]], *, nodes_supplied: bool
    ) -> Graph:
        """Build a graph from ``(m, 2)`` positions into ascending `node_ids` (the fast way of the readers)."""
        n = len(node_ids)
        if n > np.iinfo(np.int32).max:
            raise GraphFormatError(f"the number of nodes is {n}, must be below 2^31; split the graph")
        if (made := _rows_by_kernel(n, positions)) is not None:
            graph = cls(node_ids, made.indptr, made.indices, nodes_supplied=nodes_supplied)
            graph.kept["rows"] = made
            return graph
        low = np.minimum(positions[:, 0], positions[:, 1]).astype(np.int64)
        high = np.maximum(positions[:, 0], positions[:, 1]).astype(np.int64)
        proper = low != high
        keys = distinct(low[proper] * n + high[proper])
        low = keys // max(n, 1)
        high = keys - low * n
        both = np.concatenate([keys, high * n + low])
        both.sort()
        rows = both // max(n, 1)
        indptr = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(np.bincount(rows, minlength=n), out=indptr[1:])
        columns = both - rows * n
        return cls(node_ids, indptr, columns.astype(np.int32), nodes_supplied=nodes_supplied)

    @classmethod
    def from_networkx(cls, graph: Any) -> Graph:
        """Build a graph from a networkx graph of any kind; its nodes are taken as supplied.

        networkx itself is not imported: what has made the graph is there.

        Raises
        ------
        EdgeDPError
            It is no such graph, or its nodes are not all integers or all texts.
        """
        if not (callable(getattr(graph, "edges", None)) and callable(getattr(graph, "nodes", None))):
            raise ParameterError(
                f"graph is {kind_of(graph)}, must be a networkx graph; give Graph.from_edges pairs of ids"
            )
        return cls.from_edges(list(graph.edges()), nodes=list(graph.nodes()))

    @classmethod
    def from_igraph(cls, graph: Any) -> Graph:
        """Build a graph from an igraph graph; ids are the vertex attribute ``name`` where there is one."""
        if not (hasattr(graph, "vs") and hasattr(graph, "get_edgelist")):
            raise ParameterError(
                f"graph is {kind_of(graph)}, must be an igraph graph; give Graph.from_edges pairs of ids"
            )
        names = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
        ids = _as_ids(list(names), "the vertex names")
        if len(distinct(ids)) < len(ids):
            raise GraphFormatError("the vertex names hold one name twice, must differ; rename the vertices")
        pairs = np.asarray(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
        return cls.from_edges(ids[pairs], nodes=ids)

    @classmethod
    def from_frame(
        cls, frame: Any, source: str | int | None = None, target: str | int | None = None, nodes: Any = None
    ) -> Graph:
        """Build a graph from a data frame of one edge a row: pandas, polars, pyarrow or another one.

        The frame is taken by the Arrow C stream or the interchange protocol; no library is imported for it.

        Parameters
        ----------
        frame : data frame, or dict of columns
        source, target : str or int, optional
            The columns of the two ends, by name or by number from 1. Without them a frame of two columns is taken
            as it is, and one of more where the names of its columns tell.
        nodes : (n,) array-like of int or str, optional
            All node ids, isolated ones included.

        Raises
        ------
        EdgeDPError
            The columns cannot be told, hold missing values, or are not all integers or all texts. No message
            shows the frame.

        Notes
        -----
        Privacy: the rows are private edges; their holder's act.

        Examples
        --------
        >>> Graph.from_frame({"payer": ["ada", "bob"], "payee": ["bob", "cyd"], "amount": [1.5, 2.0]})
        <Graph: 3 nodes, read from the edges>
        """
        from edgedp.reading.numbering import number_nodes
        from edgedp.reading.tabular import read_frame

        columns = read_frame(frame, source, target).columns
        if nodes is not None:
            pairs = np.column_stack([np.asarray(column.to_list()) for column in columns])
            return cls.from_edges(pairs, nodes=nodes)
        node_ids, positions = number_nodes(columns, None)
        return cls.from_positions(node_ids, positions, nodes_supplied=False)

    @classmethod
    def from_arrow(
        cls, table: Any, source: str | int | None = None, target: str | int | None = None, nodes: Any = None
    ) -> Graph:
        """Build a graph from an Arrow table, record batch reader or whatever has ``__arrow_c_stream__``.

        Parameters and errors are those of `from_frame`.

        Examples
        --------
        >>> import pyarrow
        >>> Graph.from_arrow(pyarrow.table({"u": [1, 2], "v": [2, 3]}), source="u", target="v")
        <Graph: 3 nodes, read from the edges>
        """
        if not hasattr(table, "__arrow_c_stream__"):
            raise ParameterError(
                f"table is {kind_of(table)}, must be an Arrow table; give others to Graph.from_frame"
            )
        return cls.from_frame(table, source, target, nodes)

    @classmethod
    def from_scipy(cls, matrix: Any, nodes: Any = None) -> Graph:
        """Build a graph from a square sparse matrix: an entry that is not 0 is an edge.

        Parameters
        ----------
        matrix : (n, n) scipy sparse matrix or array
            Directions merge, the diagonal drops, an entry stored as 0 is no edge.
        nodes : (n,) array-like of int or str, optional
            The ids of the rows, all different; default 0 to n - 1. They are taken as supplied.

        Raises
        ------
        EdgeDPError
            It is not sparse, not square, holds NaN, or has another number of ids.

        Examples
        --------
        >>> from scipy.sparse import coo_array
        >>> Graph.from_scipy(coo_array(([1, 1], ([0, 1], [1, 2])), shape=(3, 3))).degrees.tolist()
        [1, 2, 1]
        """
        if not hasattr(matrix, "tocoo"):
            raise ParameterError(
                f"matrix is {kind_of(matrix)}, must be a scipy sparse matrix; give scipy.sparse.coo_array(matrix)"
            )
        entries = matrix.tocoo()
        if len(entries.shape) != 2 or entries.shape[0] != entries.shape[1]:
            raise GraphFormatError(
                "matrix is not square, must have a row and a column for each node; give an adjacency matrix"
            )
        n = int(entries.shape[0])
        if not (entries.data == entries.data).all():
            raise GraphFormatError("matrix holds NaN, must hold numbers; give 0 where there is no edge")
        ids = np.arange(n, dtype=np.int64) if nodes is None else _as_ids(nodes, "nodes")
        if len(ids) != n or len(distinct(ids)) != n:
            raise GraphFormatError(f"nodes is not {n} different ids, must be one for each row; correct it")
        order = np.argsort(ids, kind="stable")
        place = np.empty(n, dtype=np.int64)
        place[order] = np.arange(n)
        there = entries.data != 0
        positions = np.column_stack([place[entries.row[there]], place[entries.col[there]]])
        return cls.from_positions(ids[order], positions, nodes_supplied=True)

    # -- ways out --------------------------------------------------------------------------------

    def to_networkx(self) -> Any:
        """Return a ``networkx.Graph`` whose nodes are the node ids; it needs networkx (``edgedp[networkx]``)."""
        try:
            import networkx as nx
        except ImportError:
            raise EngineError(
                "networkx is not installed, must be for this conversion; install edgedp[networkx]"
            ) from None

        graph = nx.Graph()
        ids = self.node_ids.tolist()
        graph.add_nodes_from(ids)
        graph.add_edges_from((ids[a], ids[b]) for a, b in self.edges().tolist())
        return graph

    def to_igraph(self) -> Any:
        """Return an undirected ``igraph.Graph``; vertices in order of position, ids as ``name``."""
        import igraph

        graph = igraph.Graph(n=self.node_count, edges=self.edges())
        graph.vs["name"] = self.node_ids.tolist()
        return graph

    # -- what it holds ---------------------------------------------------------------------------

    @property
    def node_ids(self) -> NDArray[Any]:
        """(n,) ids in ascending order, int64 or str."""
        return self._node_ids

    @property
    def indptr(self) -> NDArray[np.int64]:
        """(n + 1,) row offsets."""
        return self._indptr

    @property
    def indices(self) -> NDArray[np.int32]:
        """(2m,) positions of neighbours, sorted within each row."""
        return self._indices

    @property
    def nodes_supplied(self) -> bool:
        """Whether the node set was supplied, or read from the edges."""
        return self._nodes_supplied

    @property
    def properties(self) -> Mapping[str, NDArray[Any]]:
        """Values of the nodes by the property's name, read-only arrays in the order of `node_ids`.

        Privacy: the values are the nodes' private records; `edgedp.percentile` releases from them. They are
        no part of what ``==`` compares and of `fingerprint`.
        """
        return MappingProxyType(self._properties)

    @property
    def node_count(self) -> int:
        """Number of nodes ``n``."""
        return len(self._node_ids)

    @property
    def edge_count(self) -> int:
        """Number of undirected edges ``m``."""
        return len(self._indices) // 2

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What an engine keeps of this graph between its calls; private like the edges, and never copied."""
        return {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._node_ids, self._indptr, self._indices, self._nodes_supplied)

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """(n,) degree of every node."""
        return _frozen(np.diff(self._indptr))

    @cached_property
    def max_degree(self) -> int:
        """Largest degree; 0 for a graph without edges."""
        return int(self.degrees.max(initial=0))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of the node count and the adjacency: differs when one edge differs.

        Privacy: it identifies the private edges and stays with their owner.
        """
        digest = hashlib.sha256(self._indptr.tobytes())
        digest.update(self._indices.tobytes())
        return digest.hexdigest()

    def edges(self) -> NDArray[np.int32]:
        """Return every edge once, as ``(m, 2)`` positions, the lower one first."""
        rows = np.repeat(np.arange(self.node_count, dtype=np.int32), self.degrees)
        once = rows < self._indices
        return np.column_stack([rows[once], self._indices[once]])

    def positions(self, nodes: ArrayLike | None) -> NDArray[np.int64] | None:
        """Translate node ids to positions, in their order; None (all nodes) stays None.

        Raises
        ------
        UnknownNameError
            An id is not a node of the graph.
        """
        if nodes is None:
            return None
        return positions_of(self._node_ids, _as_ids(nodes, "nodes"), what="nodes")

    def _with_properties(self, nodes: ArrayLike | None, properties: Mapping[str, Any]) -> Graph:
        """Return the graph with properties, given in the order of `nodes`."""
        ids = _as_ids(nodes, "nodes") if nodes is not None else None
        if ids is None or len(ids) != self.node_count:
            raise GraphFormatError(
                "properties has values without a node of their own, must be given with nodes that name each id once; "
                "give the id of every row"
            )
        order = np.argsort(ids, kind="stable")
        columns = {name: _as_column(values, name, self.node_count) for name, values in properties.items()}
        return self.with_properties({name: column[order] for name, column in columns.items()})

    def with_properties(self, properties: Mapping[str, NDArray[Any]]) -> Graph:
        """Return the graph with other properties, arrays of one value a node in the order of `node_ids`."""
        columns = {name: _as_column(values, name, self.node_count) for name, values in properties.items()}
        supplied = self._nodes_supplied
        return Graph(self._node_ids, self._indptr, self._indices, nodes_supplied=supplied, properties=columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return (
            np.array_equal(self._node_ids, other._node_ids)
            and np.array_equal(self._indptr, other._indptr)
            and np.array_equal(self._indices, other._indices)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Graph: {self.node_count:,} nodes, {self._nodes_told}>"

    def _repr_html_(self) -> str:
        return (
            "<table><caption>edgedp.Graph</caption>"
            f"<tr><th>nodes</th><td>{self.node_count:,}, {self._nodes_told}</td></tr>"
            "<tr><th>edges</th><td>private</td></tr></table>"
        )

    @property
    def _nodes_told(self) -> str:
        """What is public about the node set; the rest of a graph is private and not shown."""
        return "supplied" if self._nodes_supplied else "read from the edges"


def _restored(
    node_ids: NDArray[Any], indptr: NDArray[np.int64], indices: NDArray[np.int32], nodes_supplied: bool
) -> Graph:
    return Graph(node_ids, indptr, indices, nodes_supplied=nodes_supplied)


def _rows_by_kernel(n: int, positions: NDArray[np.integer[Any]]) -> Rows | None:
    """Return the rows of (m, 2) positions by the compiled kernels, or None where they are missing."""
    from edgedp.engines.native.engine import rows_of_pairs
    from edgedp.engines.native.library import missing

    if missing():
        return None
    if positions.size and not (int(positions.min()) >= 0 and int(positions.max()) < n):
        raise GraphFormatError(f"a position is out of range, must be from 0 to {n - 1}; check the pairs")
    return rows_of_pairs(n, np.ascontiguousarray(positions, dtype=np.int32))


def _numbered(pairs: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.integer[Any]]]:
    """Return the distinct ids, ascending, and the pairs as positions; by a table where integers lie close together."""
    low, high = (int(pairs.min()), int(pairs.max())) if pairs.dtype.kind == "i" and pairs.size else (0, 0)
    if low == high or high - low >= 8 * pairs.size + (1 << 16):
        node_ids, flat = np.unique(pairs, return_inverse=True)
        return node_ids, flat.reshape(pairs.shape)
    shifted = pairs if low == 0 else pairs - low
    seen = np.zeros(high - low + 1, dtype=np.bool_)
    seen[shifted] = True
    node_ids = np.flatnonzero(seen) + low
    if len(node_ids) == len(seen):
        return node_ids, shifted
    table = np.cumsum(seen, dtype=np.int64)
    table -= 1
    return node_ids, table[shifted]


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct values, ascending; for integers many times faster than ``numpy.unique``."""
    ordered = np.sort(values)
    first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def positions_of(node_ids: NDArray[Any], wanted: NDArray[Any], *, what: str) -> NDArray[np.int64]:
    """Return the positions of `wanted` ids in ascending `node_ids`; refuse an unknown id by name."""
    if wanted.size == 0:
        return np.zeros(0, dtype=np.int64)
    comparable = len(node_ids) > 0 and node_ids.dtype.kind == wanted.dtype.kind
    found = np.searchsorted(node_ids, wanted) if comparable else np.zeros(len(wanted), dtype=np.int64)
    known = (
        node_ids[np.minimum(found, len(node_ids) - 1)] == wanted
        if comparable
        else np.zeros(len(wanted), dtype=bool)
    )
    if not known.all():
        first = wanted[~known][0].item()
        raise UnknownNameError(f"{what} is {first!r}, must be a node of the graph; check the id and its type")
    return found.astype(np.int64)


def _refuse_frames(values: Any, name: str) -> None:
    """Refuse what has ways in of its own; taken as an array it would lose the names of its columns."""
    if hasattr(values, "tocoo"):
        raise ParameterError(
            f"{name} is {kind_of(values)}, must be pairs of node ids; give Graph.from_scipy a matrix"
        )
    if hasattr(values, "__dataframe__") or hasattr(type(values), "columns"):
        raise ParameterError(
            f"{name} is {kind_of(values)}, must be pairs of node ids; give Graph.from_frame a frame"
        )
    if hasattr(values, "adjacency") or hasattr(values, "get_edgelist"):
        raise ParameterError(
            f"{name} is {kind_of(values)}, must be pairs of node ids; see Graph.from_networkx and Graph.from_igraph"
        )


def _as_ids(values: ArrayLike, name: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.zeros((0, 0))
    if array.ndim != 1:
        raise GraphFormatError(f"{name} is of {array.ndim} dimensions, must be a list of node ids")
    return _typed_ids(array, name, values)


def _as_column(values: Any, name: Any, count: int) -> NDArray[Any]:
    """Return one value a node; a list is kept as it is where it holds anything but numbers of one kind."""
    if not isinstance(name, str) or not name:
        raise GraphFormatError(f"the property's name is {name!r}, must be a text; name it")
    if isinstance(values, np.ndarray) or hasattr(values, "__array__"):
        column = np.asarray(values)
    else:
        listed = list(values)
        column = np.fromiter(listed, dtype=object, count=len(listed))
        kinds = {type(value) for value in listed}
        if kinds == {float} or (kinds == {int} and all(abs(value) < 2**63 for value in listed)):
            column = column.astype(np.float64 if kinds == {float} else np.int64)
    if column.ndim != 1 or len(column) != count:
        raise GraphFormatError(
            f"the property {name!r} is of length {len(column)}, must be {count}; give one value for each node"
        )
    return column


def _as_pairs(edges: Any) -> NDArray[Any]:
    _refuse_frames(edges, "edges")
    try:
        listed = edges if isinstance(edges, np.ndarray) or hasattr(edges, "__array__") else list(edges)
    except TypeError:
        raise GraphFormatError(
            f"edges is {kind_of(edges)}, must be pairs of node ids; give a list of them or an array of shape (m, 2)"
        ) from None
    try:
        array = np.asarray(listed)
    except ValueError:
        array = np.zeros(1)
    if array.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise GraphFormatError(
            "edges is not a list of pairs, must be of shape (m, 2); give two node ids an edge"
        )
    flat = listed if isinstance(listed, np.ndarray) else chain.from_iterable(listed)
    return _typed_ids(array, "edges", flat)


def _typed_ids(array: NDArray[Any], name: str, values: Any) -> NDArray[Any]:
    """Return the ids as int64 or as str; anything else is refused.

    numpy makes texts of a list of integers and texts, and one node of ``1`` and ``"1"``: `values` tells.
    """
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind == "O":
        kinds = {type(value) for value in array.reshape(-1).tolist()}
        if kinds == {str}:
            return _sound_texts(array.astype(np.str_), name, array.reshape(-1).tolist())
        if kinds == {int}:
            raise ParameterError(f"{name} holds an id beyond 64 bits, must fit int64; give such ids as texts")
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise ParameterError(f"{name} holds an id beyond 64 bits, must fit int64; give such ids as texts")
    if array.dtype.kind in "iu":
        return array.astype(np.int64, copy=False)
    if array.dtype.kind == "U":
        values = values if isinstance(values, np.ndarray) else list(values)
        if isinstance(values, np.ndarray) or all(isinstance(value, str) for value in values):
            return _sound_texts(array, name, values)
    kind = "mixed types" if array.dtype.kind == "U" else f"type {array.dtype}"
    raise GraphFormatError(f"{name} is of {kind}, must be all integers or all texts; convert the ids first")


def _sound_texts(array: NDArray[Any], name: str, values: Any) -> NDArray[Any]:
    """Return texts that stay what they are: numpy drops a NUL at an end, and a lone surrogate is no UTF-8."""
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    codes = np.ascontiguousarray(array).view(np.uint32).reshape(-1, max(array.dtype.itemsize // 4, 1))
    inner = (codes[:, :-1] == 0) & (codes[:, 1:] != 0)
    listed = not isinstance(values, np.ndarray)
    if inner.any() or (listed and any("\0" in value for value in values)):
        raise GraphFormatError(f"{name} holds an id with a NUL, must hold none; replace the character")
    if ((codes >= 0xD800) & (codes <= 0xDFFF)).any():
        raise GraphFormatError(
            f"{name} holds an id with a lone surrogate, must be text; decode the ids as UTF-8"
        )
    return array


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view that no caller can write through."""
    if array.flags.writeable:
        array = array.copy() if array.base is not None else array
        array.flags.writeable = False
    return array
