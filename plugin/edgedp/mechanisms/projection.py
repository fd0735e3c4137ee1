"""Projection: the private data of a release, behind one narrow face.

A draw needs degrees, metric values of some nodes and, for a few options, more. `GraphProjection`
answers from a whole graph in memory by one of the engines; a store's Cypher engine answers from
inside the database.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines import serving
from edgedp.graph.engines.adding import strengths, strengths_by_igraph
from edgedp.graph.engines.cuts import cut_votes
from edgedp.graph.graph import Graph
from edgedp.graph.ids import BACK, THERE, numbers_of
from edgedp.mechanisms.checks import check_choice
from edgedp.mechanisms.metrics import metric
from edgedp.words.errors import StoreError
from edgedp.words.refusals import NODES_CHANGED
from edgedp.words.vocabulary import (
    ARC_METRICS,
    GRAPH_ENGINES,
    STRENGTHS,
    TALLIED,
    ArcMetricName,
    StrengthName,
    TalliedName,
)

if TYPE_CHECKING:
    from edgedp.graph.engines.figures import Figures


class Projection(Protocol):
    """What a draw may ask of the private graph."""

    @property
    def node_ids(self) -> NDArray[Any]:
        """(n,) ids of the positions, ascending; public."""

    @property
    def engine(self) -> str:
        """What computes: the values of two engines may differ in the last bit."""

    def degrees(self) -> NDArray[np.int64]:
        """Return the (n,) degrees."""

    def values(self, name: str, positions: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Return a metric's exact values, of all nodes or of `positions` in their order."""

    def max_common_neighbors(self, positions: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return, for each node, the most neighbours that it shares with another node."""

    def betweenness2_shares(self, bits: int) -> NDArray[np.int64]:
        """Return the (n,) length-2 betweenness in integer shares of ``2**-bits``."""

    def ordered_degrees(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the (n,) numbers of neighbours of a larger rank than the node's own."""

    def cut_shares(
        self,
        caps: NDArray[np.int64],
        ranks: NDArray[np.int64] | None,
        bits: int,
        positions: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Return the length-2 betweenness through cuts (`edgedp.graph.engines.cuts`), in units of ``2**-bits``.

        (n,), or that of some nodes in their order: (len(positions),).
        """

    def cut_closed_shares(
        self,
        caps: NDArray[np.int64],
        ranks: NDArray[np.int64] | None,
        weights: NDArray[np.int64],
        level: int,
        bits: int,
    ) -> NDArray[np.int64]:
        """Return the (n,) sums of ``floor(2**bits W level / (level + S))`` over the adjacent pairs in the cuts."""

    def arc_votes(self, name: ArcMetricName, cap: int) -> NDArray[np.int64]:
        """Return the (n,) in- or out-degrees through cuts of `cap` arcs of each other end."""

    def strengths(self, name: StrengthName) -> NDArray[np.int64]:
        """Return the (n,) sums of the weights of each node, in whole steps (`edgedp.graph.weights`)."""

    def records(self, name: str) -> NDArray[np.float64]:
        """Return the (n,) values of a property of the nodes; NaN for what is missing or no number."""

    def fingerprint(self) -> str | None:
        """Return a hash that differs when one edge differs, or None where the graph is not at hand.

        Privacy: it stays with the owner of the edges; of a stored graph it is keyed by the store's secret.
        """


class NumberProjection(Projection, Protocol):
    """What a draw of a number may ask of the private graph beside that."""

    def figures(self) -> Figures:
        """Return the figures over pairs of nodes."""


class GraphProjection:
    """A projection of a graph in memory, by the engine ``native`` or ``igraph``.

    Parameters
    ----------
    graph : Graph
    engine : {"native", "igraph"}
    secret : str, optional
        What the fingerprint is keyed by, hex: the secret of the store that the graph was read from.
    """

    def __init__(self, graph: Graph, engine: str = "native", *, secret: str | None = None) -> None:
        self._graph = graph
        self.node_ids: NDArray[Any] = graph.node_ids
        self._secret = secret
        self._engine = serving(check_choice(engine, "engine", GRAPH_ENGINES))
        self._figures: Figures | None = None

    @property
    def engine(self) -> str:
        return self._engine

    def degrees(self) -> NDArray[np.int64]:
        return self._graph.degrees

    def values(self, name: str, positions: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        if name in ARC_METRICS:
            return arc_values(self._graph, check_choice(name, "metric", ARC_METRICS), positions)
        if name in STRENGTHS:
            added = self.strengths(check_choice(name, "metric", STRENGTHS))
            return (added if positions is None else added[positions]).astype(np.float64)
        match self._engine:
            case "native":
                return metric(name).native(self._graph, positions)
            case "igraph":
                return metric(name).igraph(self._graph, positions)
            case _:
                assert_never(self._engine)

    def kept_triangles(self) -> NDArray[np.int64] | None:
        """Return the (n,) triangles of each node where they were listed before, else None."""
        return self._graph.kept.get("triangles")

    def reach(self, positions: NDArray[np.int64]) -> float:
        """Return the part of all arcs that start at neighbours of some positions, neighbours of two counted twice."""
        graph = self._graph
        rows = [graph.indices[graph.indptr[v] : graph.indptr[v + 1]] for v in positions.tolist()]
        arcs = sum(int(graph.degrees[row].sum()) for row in rows)
        return arcs / max(len(graph.indices), 1)

    def max_common_neighbors(self, positions: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = self._module().max_common_neighbors(self._graph, positions)
        return counts

    def common_neighbors_between(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return cheap bounds of `max_common_neighbors`, the (n,) low and the (n,) high ones."""
        match self._engine:
            case "native":
                from edgedp.graph.engines.native import common_neighbors_between

                return common_neighbors_between(self._graph)
            case "igraph":
                return np.zeros_like(self._graph.degrees), self._graph.degrees
            case _:
                assert_never(self._engine)

    def betweenness2_shares(self, bits: int) -> NDArray[np.int64]:
        shares: NDArray[np.int64] = self._module().betweenness2_shares(self._graph, bits)
        return shares

    def ordered_degrees(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = self._module().ordered_degrees(self._graph, ranks)
        return counts

    def cut_shares(
        self,
        caps: NDArray[np.int64],
        ranks: NDArray[np.int64] | None,
        bits: int,
        positions: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        shares: NDArray[np.int64] = self._module().cut_shares(self._graph, caps, ranks, bits, positions)
        return shares

    def cut_closed_shares(
        self,
        caps: NDArray[np.int64],
        ranks: NDArray[np.int64] | None,
        weights: NDArray[np.int64],
        level: int,
        bits: int,
    ) -> NDArray[np.int64]:
        module = self._module()
        shares: NDArray[np.int64] = module.cut_closed_shares(self._graph, caps, ranks, weights, level, bits)
        return shares

    def arc_votes(self, name: ArcMetricName, cap: int) -> NDArray[np.int64]:
        counted, others = _arcs_to(self._graph, name)
        return cut_votes(self._graph.node_ids, others, counted, cap)

    def strengths(self, name: StrengthName) -> NDArray[np.int64]:
        _weights(self._graph)
        match self._engine:
            case "native":
                return strengths(self._graph, name)
            case "igraph":
                return strengths_by_igraph(self._graph, name)
            case _:
                assert_never(self._engine)

    def figures(self) -> Figures:
        """Return the figures over pairs of nodes, each computed once."""
        from edgedp.graph.engines.figures import GraphFigures

        if self._figures is None:
            self._figures = GraphFigures(self._graph, self._engine)
        return self._figures

    def records(self, name: str) -> NDArray[np.float64]:
        """Return the (n,) values of a property of the nodes; all NaN where the graph lacks it."""
        values = self._graph.properties.get(name)
        return np.full(self._graph.node_count, np.nan) if values is None else numbers_of(values)

    def fingerprint(self) -> str | None:
        """Return the graph's fingerprint, keyed where there is a secret."""
        return (
            self._graph.fingerprint if self._secret is None else self._graph.keyed_fingerprint(self._secret)
        )

    def _module(self) -> ModuleType:
        return import_module(f"edgedp.graph.engines.{self._engine}")


class CandidateProjection(GraphProjection):
    """The neighbours of some nodes only, counted without those that are such nodes themselves.

    Parameters
    ----------
    graph : Graph
        Of all nodes.
    candidates : (c,) int64
        Positions of the candidates, ascending; public.
    """

    def __init__(self, graph: Graph, candidates: NDArray[np.int64], engine: str = "native") -> None:
        super().__init__(graph, engine)
        self._candidates = candidates
        self.node_ids = graph.node_ids[candidates]

    def degrees(self) -> NDArray[np.int64]:
        """Return the (c,) numbers of neighbours that are no candidates."""
        return self._added("degree")

    def values(self, name: str, positions: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Return what is added up over neighbours, of all candidates or of some of them; anything else is refused."""
        counted = self._added(check_choice(name, "metric", TALLIED))
        return (counted if positions is None else counted[positions]).astype(np.float64)

    def arc_votes(self, name: ArcMetricName, cap: int) -> NDArray[np.int64]:
        """Return the (c,) counts through cuts; what lies between two candidates is in no cut."""
        counted, others = _arcs_to(self._graph, name)
        ranked = np.zeros(self._graph.node_count, dtype=bool)
        ranked[self._candidates] = True
        across = ranked[counted] & ~ranked[others]
        return cut_votes(self._graph.node_ids, others[across], counted[across], cap)[self._candidates]

    def strengths(self, name: StrengthName) -> NDArray[np.int64]:
        """Return the (c,) sums of the weights of what lies between a candidate and other nodes, in whole steps."""
        return self._added(name)

    def _added(self, name: TalliedName) -> NDArray[np.int64]:
        graph = self._graph
        outside = np.ones(graph.node_count, dtype=bool)
        outside[self._candidates] = False
        entries = outside[graph.indices].astype(np.int64)
        match name:
            case "degree":
                pass
            case "in_degree":
                entries *= (_ways(graph) & BACK) != 0
            case "out_degree":
                entries *= (_ways(graph) & THERE) != 0
            case "strength" | "out_strength":
                entries *= _weights(graph)
            case "in_strength":  # of the arcs that come to the candidates, from the rows of the others
                sums = np.zeros(graph.node_count, dtype=np.int64)
                leaving = np.repeat(outside, graph.degrees)
                np.add.at(sums, graph.indices[leaving], _weights(graph)[leaving])
                return sums[self._candidates]
            case _:
                assert_never(name)
        before = np.concatenate([[0], np.cumsum(entries, dtype=np.int64)])
        starts = graph.indptr[self._candidates], graph.indptr[self._candidates + 1]
        counted: NDArray[np.int64] = before[starts[1]] - before[starts[0]]
        return counted


def _ways(graph: Graph) -> NDArray[np.uint8]:
    if graph.ways is None:
        raise StoreError(NODES_CHANGED)  # planned was a graph with directions
    return graph.ways


def _weights(graph: Graph) -> NDArray[np.int64]:
    if graph.weights is None:
        raise StoreError(NODES_CHANGED)  # planned was a graph with weights
    return graph.weights


def _arcs_to(graph: Graph, name: ArcMetricName) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each arc, the position of the node that it is counted at, and of its other end."""
    match name:
        case "in_degree":
            way = BACK
        case "out_degree":
            way = THERE
        case _:
            assert_never(name)
    there = (_ways(graph) & way) != 0
    at = np.repeat(np.arange(graph.node_count, dtype=np.int64), graph.degrees)
    return at[there], graph.indices[there].astype(np.int64)


def arc_values(
    graph: Graph, name: ArcMetricName, positions: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Return in- or out-degrees: counts over the directions beside the rows, whatever the engine."""
    match name:
        case "in_degree":
            counted = graph.in_degrees
        case "out_degree":
            counted = graph.out_degrees
        case _:
            assert_never(name)
    return (counted if positions is None else counted[positions]).astype(np.float64)


def records_projection(values: Mapping[str, NDArray[Any]], count: int) -> GraphProjection:
    """Return the projection of nodes' records alone: a graph of `count` nodes and no edge."""
    nodes = np.arange(count, dtype=np.int64)
    rows, none = np.zeros(count + 1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    return GraphProjection(Graph(nodes, rows, none, nodes_supplied=True, properties=values))


def exact_quantities(name: str, t: int | None, form: str | None) -> set[str]:
    """Return what an exact value, or a sensitivity, asks of its projection beside the degrees."""
    if name in ARC_METRICS or name in STRENGTHS:
        return {name}
    if t is None:
        return set() if metric(name).is_degree else {name}
    return {"sensitivity", "max_common_neighbors"} if form == "common_neighbors" else {"sensitivity"}
