"""The arrays of a simple graph, which never change, and what is counted of them."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.graph.columns import ColumnRows
from edgedp.graph.dated import DatedRows
from edgedp.graph.ids import BACK, THERE, as_column, as_ids, frozen, positions_of, rows_of, ways_of
from edgedp.graph.weighed import numbers_of_rows, weights_beside
from edgedp.graph.weights import declared
from edgedp.words.errors import GraphFormatError, ParameterError
from edgedp.words.shown import kind_of

if TYPE_CHECKING:
    from edgedp.graph.columns import Column
    from edgedp.graph.weights import Weighting


class Adjacency:
    """Sorted rows of neighbours beside the ids of the nodes; `edgedp.Graph`, made in many ways, is one.

    Privacy: the rows are the private edges. The node ids, whether directions were kept and what is declared of weights
    are public.
    """

    __slots__ = {
        "__dict__": "What is counted once, at the first time that it is asked for.",
        "directed": "Whether directions were kept; public.",
        "edge_count": "Number of undirected edges ``m``.",
        "indices": "(2m,) positions of neighbours, sorted within each row.",
        "indptr": "(n + 1,) row offsets.",
        "node_count": "Number of nodes ``n``.",
        "node_ids": "(n,) ids in ascending order, int64 or str.",
        "nodes_supplied": "Whether the node set was supplied, or read from the edges.",
        "properties": "Values of the nodes by the property's name, private records: `edgedp.percentile` releases from "
        "them. Read-only arrays in the order of `node_ids`; neither ``==`` nor `fingerprint` takes them into account.",
        "ways": "(2m,) directions beside `indices`: 1 there, 2 back, 3 both; None for an undirected graph.",
        "weighting": "What is declared of the weights, public; None for a graph without.",
        "weights": "(2m,) weights beside `indices`, in whole steps, private; None for a graph without.",
    }

    def __init__(
        self,
        node_ids: NDArray[Any],
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        *,
        nodes_supplied: bool = False,
        properties: Mapping[str, NDArray[Any]] | None = None,
        ways: NDArray[np.uint8] | None = None,
        weights: NDArray[np.int64] | None = None,
        weighting: Weighting | None = None,
    ) -> None:
        self.node_ids: Final[NDArray[Any]] = frozen(node_ids)
        self.indptr: Final[NDArray[np.int64]] = frozen(indptr.astype(np.int64, copy=False))
        self.indices: Final[NDArray[np.int32]] = frozen(indices.astype(np.int32, copy=False))
        self.nodes_supplied: Final = nodes_supplied
        values: dict[str, NDArray[Any]] = {name: frozen(each) for name, each in (properties or {}).items()}
        self.properties: Final[Mapping[str, NDArray[Any]]] = MappingProxyType(values)
        self.ways: Final[NDArray[np.uint8] | None] = None if ways is None else frozen(ways)
        self.directed: Final = ways is not None
        self.node_count: Final = len(node_ids)
        self.edge_count: Final = len(indices) // 2
        self.weights: Final[NDArray[np.int64] | None] = None if weights is None else frozen(weights)
        self.weighting: Final[Weighting | None] = None if weights is None else weighting

    @classmethod
    def from_positions(
        cls,
        node_ids: NDArray[Any],
        positions: NDArray[np.integer[Any]],
        *,
        nodes_supplied: bool,
        directed: bool = False,
    ) -> Self:
        """Build a graph from ``(m, 2)`` positions into (n,) ascending `node_ids`, the readers' fast path."""
        n = len(node_ids)
        if n > np.iinfo(np.int32).max:
            raise GraphFormatError(f"the number of nodes is {n}, must be below 2^31; split the graph")
        from edgedp.graph.engines.native.pairs import rows_by_kernel, ways_by_kernel

        if (made := rows_by_kernel(n, positions)) is not None:
            ways = ways_by_kernel(made, positions) if directed else None
            graph = cls(node_ids, made.indptr, made.indices, nodes_supplied=nodes_supplied, ways=ways)
            graph.kept["rows"] = made
            return graph
        indptr, indices = rows_of(n, positions)
        ways = ways_of(indptr, indices, positions) if directed else None
        return cls(node_ids, indptr, indices, nodes_supplied=nodes_supplied, ways=ways)

    def with_weights(
        self, positions: NDArray[np.integer[Any]], weights: ArrayLike | None, weight: Any
    ) -> Self:
        """Return the graph with weights.

        Parameters
        ----------
        positions : (m, 2) integers
            The ends of the relationships that made the graph, by position.
        weights : (m,) array-like of numbers or None
        weight : mapping or Weighting
            As of `from_edges`.
        """
        made = declared(weights, weight)
        values = numbers_of_rows(weights, len(positions))
        beside = weights_beside(self.indptr, self.indices, positions, values, made, self.ways)
        graph = self._again(weights=beside, weighting=made)
        graph.kept["weighed"] = values  # taken by who keeps the rows, too
        return graph

    def beside(
        self,
        positions: NDArray[np.integer[Any]],
        *,
        weights: ArrayLike | None = None,
        weight: Any = None,
        seconds: NDArray[np.int64] | None = None,
        columns: Mapping[str, Column] | None = None,
    ) -> Self:
        """Return the graph with what the rows that made it hold beside their ends.

        Parameters
        ----------
        positions : (m, 2) integers
            The ends of the rows, by position.
        weights, weight
            As of `with_weights`; neither leaves the graph without weights.
        seconds : (m,) int64, optional
            When each row was, `edgedp.graph.dated.UNDATED` where it does not say.
        columns : mapping of str to Column, optional
            What a store keeps of each row.
        """
        graph = self if weights is None and weight is None else self.with_weights(positions, weights, weight)
        if seconds is not None:
            graph.kept["dated"] = DatedRows(positions.astype(np.int32, copy=False), seconds)
        if columns is not None:
            graph.kept["columns"] = ColumnRows(positions.astype(np.int32, copy=False), columns)
        return graph

    def _again(self, **other: Any) -> Self:
        """Return the graph with some parts of it replaced."""
        parts: dict[str, Any] = {
            "nodes_supplied": self.nodes_supplied, "properties": dict(self.properties), "ways": self.ways,
            "weights": self.weights, "weighting": self.weighting,
        }  # fmt: skip
        made = type(self)(self.node_ids, self.indptr, self.indices, **(parts | other))
        made.kept.update({name: self.kept[name] for name in ("rows",) if name in self.kept})
        return made

    @property
    def arc_count(self) -> int:
        """Number of arcs; of an undirected graph two for each edge."""
        return int(self.in_degrees.sum())

    @cached_property
    def in_degrees(self) -> NDArray[np.int64]:
        """(n,) number of distinct nodes with an arc to each node; of an undirected graph the degree."""
        return self._ends_of(BACK)

    @cached_property
    def out_degrees(self) -> NDArray[np.int64]:
        """(n,) number of distinct nodes to which each node has an arc; of an undirected graph the degree."""
        return self._ends_of(THERE)

    def _ends_of(self, way: int) -> NDArray[np.int64]:
        """Return, for each node, the entries of its row with a direction."""
        if self.ways is None:
            return self.degrees
        # The entry in the other node's row has the opposite direction: columns are counted, and no row is made.
        other = self.indices[(self.ways & (THERE + BACK - way)) != 0]
        return frozen(np.bincount(other, minlength=self.node_count).astype(np.int64, copy=False))

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What an engine keeps of this graph between its calls; private like the edges, and never copied."""
        return {}

    def __reduce__(self) -> tuple[Any, ...]:
        whole = partial(
            type(self), nodes_supplied=self.nodes_supplied, properties=dict(self.properties), ways=self.ways,
            weights=self.weights, weighting=self.weighting,
        )  # fmt: skip
        return whole, (self.node_ids, self.indptr, self.indices)

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """(n,) degree of every node."""
        return frozen(np.diff(self.indptr))

    @cached_property
    def max_degree(self) -> int:
        """Largest degree; 0 for a graph without edges."""
        return int(self.degrees.max(initial=0))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of the node count and the adjacency: differs when one edge differs.

        Directions are not in it, so that the same edges are known again however they were read.

        Privacy: it identifies the private edges and stays with their owner.
        """
        digest = hashlib.sha256(np.ascontiguousarray(self.indptr).data)
        digest.update(np.ascontiguousarray(self.indices).data)
        return digest.hexdigest()

    def keyed_fingerprint(self, secret: str) -> str:
        """Return the HMAC-SHA-256 (hex) of `fingerprint`: without the secret nobody can try an edge with it.

        Parameters
        ----------
        secret : str
            Hex.
        """
        try:
            key = bytes.fromhex(secret)
        except (TypeError, ValueError):
            raise ParameterError(
                "the secret must be a text of hexadecimal digits, two for each byte; give such a text"
            ) from None
        return hmac.new(key, self.fingerprint.encode(), hashlib.sha256).hexdigest()

    def edges(self) -> NDArray[np.int32]:
        """Return every edge once, as ``(m, 2)`` positions, the lower one first."""
        rows = np.repeat(np.arange(self.node_count, dtype=np.int32), self.degrees)
        once = rows < self.indices
        return np.column_stack([rows[once], self.indices[once]])

    def arcs(self) -> NDArray[np.int32]:
        """Return every arc as ``(a, 2)`` positions, from and to; of an undirected graph both of each edge."""
        rows = np.repeat(np.arange(self.node_count, dtype=np.int32), self.degrees)
        leaving = slice(None) if self.ways is None else (self.ways & THERE) != 0
        return np.column_stack([rows[leaving], self.indices[leaving]])

    def _pair_weights(self) -> NDArray[np.int64] | None:
        """Return the weights of `_pairs`, in their order."""
        if self.weights is None:
            return None
        rows = np.repeat(np.arange(self.node_count, dtype=np.int32), self.degrees)
        kept: NDArray[np.bool_] = rows < self.indices if self.ways is None else (self.ways & THERE) != 0
        return self.weights[kept]

    def _pairs(self) -> NDArray[np.int32]:
        return self.arcs() if self.directed else self.edges()

    def positions(self, nodes: ArrayLike | None) -> NDArray[np.int64] | None:
        """Translate (k,) node ids to (k,) positions, in their order; None (all nodes) stays None.

        Raises
        ------
        UnknownNameError
            An id is not a node of the graph.
        """
        if nodes is None:
            return None
        return positions_of(self.node_ids, as_ids(nodes, "nodes"), what="nodes")

    def with_properties(self, properties: Mapping[str, NDArray[Any]]) -> Self:
        """Return the graph with other properties, (n,) arrays of any type in the order of `node_ids`, by name."""
        if not isinstance(properties, Mapping):
            raise GraphFormatError(
                f"properties is {kind_of(properties)}, must hold one value for each node by name; give a mapping"
            )
        columns = {name: as_column(values, name, self.node_count) for name, values in properties.items()}
        return self._again(properties=columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Adjacency):
            return NotImplemented
        return (
            np.array_equal(self.node_ids, other.node_ids)
            and np.array_equal(self.indptr, other.indptr)
            and np.array_equal(self.indices, other.indices)
            and self.directed == other.directed
            and (self.ways is None or np.array_equal(self.ways, other.ways))  # type: ignore[arg-type]
            and self.weighting == other.weighting
            and (self.weights is None or np.array_equal(self.weights, other.weights))  # type: ignore[arg-type]
        )

    if not TYPE_CHECKING:  # a type checker finds what is assigned by itself

        def __setattr__(self, name: str, value: Any) -> None:
            """Refuse a new value: a bound is compared with `max_degree`, which is kept once it was counted."""
            if name not in Adjacency.__slots__ or name == "__dict__" or hasattr(self, name):
                raise AttributeError(f"{name} cannot be set: a Graph never changes. Build another one.")
            object.__setattr__(self, name, value)

        def __delattr__(self, name: str) -> None:
            """Refuse to let go of a value, which could then be another."""
            raise AttributeError(f"{name} cannot be deleted: a Graph never changes. Build another one.")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kind = (", directed" if self.directed else "") + ("" if self.weights is None else ", weighted")
        return f"<Graph: {self.node_count:,} nodes, {self._nodes_told}{kind}>"

    def _repr_html_(self) -> str:
        return (
            "<table><caption>edgedp.Graph</caption>"
            f"<tr><th>nodes</th><td>{self.node_count:,}, {self._nodes_told}</td></tr>"
            f"<tr><th>edges</th><td>private{', directed' if self.directed else ''}</td></tr></table>"
        )

    @property
    def _nodes_told(self) -> str:
        """What is public about the node set; the rest of a graph is private and not shown."""
        return "supplied" if self.nodes_supplied else "read from the edges"
