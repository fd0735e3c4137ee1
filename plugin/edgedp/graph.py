"""The immutable simple undirected graph that every engine and selector works on."""

from __future__ import annotations

import hashlib
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.errors import GraphFormatError, ParameterError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable

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

    __slots__ = ("__dict__", "_indices", "_indptr", "_node_ids", "_nodes_supplied")

    def __init__(
        self,
        node_ids: NDArray[Any],
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        *,
        nodes_supplied: bool = False,
    ) -> None:
        self._node_ids = _frozen(node_ids)
        self._indptr = _frozen(indptr.astype(np.int64, copy=False))
        self._indices = _frozen(indices.astype(np.int32, copy=False))
        self._nodes_supplied = nodes_supplied

    # -- ways in ---------------------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls, edges: ArrayLike | Iterable[tuple[Any, Any]], nodes: ArrayLike | None = None
    ) -> Graph:
        """Build a graph from ``(m, 2)`` node ids; directions and parallels merge, self-loops drop.

        Parameters
        ----------
        edges : (m, 2) array-like of int or str
            Pairs of node ids. A node that stands only in a self-loop is a node without edges.
        nodes : (n,) array-like of int or str, optional
            All node ids, isolated ones included. An edge outside them is refused.

        Raises
        ------
        GraphFormatError
            The edges are not pairs of integers or of texts, or name a node that `nodes` lacks.

        Examples
        --------
        >>> Graph.from_edges([("b", "a")], nodes=["a", "b", "c"]).degrees.tolist()
        [1, 1, 0]
        """
        pairs = _as_pairs(edges)
        if nodes is None:
            node_ids, flat = np.unique(pairs, return_inverse=True)
            positions = flat.reshape(pairs.shape)
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
        return cls.from_positions(node_ids, positions, nodes_supplied=nodes is not None)

    @classmethod
    def from_positions(
        cls, node_ids: NDArray[Any], positions: NDArray[np.integer[Any]], *, nodes_supplied: bool
    ) -> Graph:
        """Build a graph from ``(m, 2)`` positions into ascending `node_ids` (the fast way of the readers)."""
        n = len(node_ids)
        if n > np.iinfo(np.int32).max:
            raise GraphFormatError(f"the number of nodes is {n}, must be below 2^31; split the graph")
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
        """Build a graph from a networkx graph of any kind; its nodes are taken as supplied."""
        return cls.from_edges(list(graph.edges()), nodes=list(graph.nodes()))

    @classmethod
    def from_igraph(cls, graph: Any) -> Graph:
        """Build a graph from an igraph graph; ids are the vertex attribute ``name`` where there is one."""
        names = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
        ids = _as_ids(list(names), "the vertex names")
        if len(distinct(ids)) < len(ids):
            raise GraphFormatError("the vertex names hold one name twice, must differ; rename the vertices")
        pairs = np.asarray(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
        return cls.from_edges(ids[pairs], nodes=ids)

    # -- ways out --------------------------------------------------------------------------------

    def to_networkx(self) -> Any:
        """Return a ``networkx.Graph`` whose nodes are the node ids."""
        import networkx as nx

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
    def node_count(self) -> int:
        """Number of nodes ``n``."""
        return len(self._node_ids)

    @property
    def edge_count(self) -> int:
        """Number of undirected edges ``m``."""
        return len(self._indices) // 2

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
        return f"<Graph: {self.node_count:,} nodes, {self.edge_count:,} edges>"


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


def _as_ids(values: ArrayLike, name: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise GraphFormatError(f"{name} is of {array.ndim} dimensions, must be a list of node ids")
    return _typed_ids(array, name, values)


def _as_pairs(edges: Any) -> NDArray[Any]:
    listed = edges if isinstance(edges, np.ndarray) or hasattr(edges, "__array__") else list(edges)
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
            return array.astype(np.str_)
        if kinds == {int}:
            raise ParameterError(f"{name} holds an id beyond 64 bits, must fit int64; give such ids as texts")
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise ParameterError(f"{name} holds an id beyond 64 bits, must fit int64; give such ids as texts")
    if array.dtype.kind in "iu":
        return array.astype(np.int64, copy=False)
    if array.dtype.kind == "U" and (
        isinstance(values, np.ndarray) or all(isinstance(v, str) for v in values)
    ):
        return array
    kind = "mixed types" if array.dtype.kind == "U" else f"type {array.dtype}"
    raise GraphFormatError(f"{name} is of {kind}, must be all integers or all texts; convert the ids first")


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view that no caller can write through."""
    if array.flags.writeable:
        array = array.copy() if array.base is not None else array
        array.flags.writeable = False
    return array
