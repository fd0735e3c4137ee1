"""Projection: the private data of a release, behind one narrow face.

A draw needs degrees, metric values of some nodes and, for a few options, more. `GraphProjection`
answers from a whole graph in memory by one of the engines; a store's Cypher engine answers from
inside the database.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from edgedp.checks import check_choice
from edgedp.errors import ParameterError
from edgedp.metrics import metric

if TYPE_CHECKING:
    from edgedp.graph import Graph
    from edgedp.plan import Plan

__all__ = [
    "BOUND_BROKEN",
    "GRAPH_ENGINES",
    "GraphProjection",
    "Projection",
    "check_bound",
    "exact_quantities",
    "quantities",
]

GRAPH_ENGINES = ("native", "igraph")

BOUND_BROKEN = (
    "the graph breaks its declared degree bound, must keep it; what was asked for stays spent, "
    "ask the curator to declare a larger bound"
)
"""The one refusal after the debit: a constant sentence, for it is computed from private edges."""


class Projection(Protocol):
    """What a draw may ask of the private graph."""

    @property
    def node_ids(self) -> NDArray[Any]:
        """(n,) ids of the positions; public."""

    def degrees(self) -> NDArray[np.int64]:
        """Return the (n,) degrees."""

    def values(self, name: str, positions: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Return a metric's exact values, of all nodes or of `positions` in their order."""

    def max_common_neighbors(self, positions: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return, for each node, the most neighbours that it shares with another node."""

    def betweenness2_shares(self, bits: int) -> NDArray[np.int64]:
        """Return the (n,) length-2 betweenness in integer shares of ``2**-bits``."""

    def fingerprint(self) -> str | None:
        """Return a hash that differs when one edge differs, or None where the graph is not at hand."""


class GraphProjection:
    """A projection of a graph in memory, by the engine ``native`` or ``igraph``."""

    def __init__(self, graph: Graph, engine: str = "native") -> None:
        self._graph = graph
        self._engine = check_choice(engine, "engine", GRAPH_ENGINES)

    @property
    def node_ids(self) -> NDArray[Any]:
        """(n,) ids of the positions; public."""
        return self._graph.node_ids

    def degrees(self) -> NDArray[np.int64]:
        """Return the (n,) degrees."""
        return self._graph.degrees

    def values(self, name: str, positions: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Return a metric's exact values, of all nodes or of `positions` in their order."""
        found = metric(name)
        return (found.native if self._engine == "native" else found.igraph)(self._graph, positions)

    def max_common_neighbors(self, positions: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return, for each node, the most neighbours that it shares with another node."""
        counts: NDArray[np.int64] = self._module().max_common_neighbors(self._graph, positions)
        return counts

    def betweenness2_shares(self, bits: int) -> NDArray[np.int64]:
        """Return the (n,) length-2 betweenness in integer shares of ``2**-bits``."""
        shares: NDArray[np.int64] = self._module().betweenness2_shares(self._graph, bits)
        return shares

    def fingerprint(self) -> str | None:
        """Return the graph's fingerprint."""
        return self._graph.fingerprint

    def _module(self) -> ModuleType:
        return import_module("edgedp.kernels" if self._engine == "native" else "edgedp.igraph_engine")


def check_bound(plan: Plan, projection: Projection) -> None:
    """Refuse a graph that breaks the bound its release rests on, in a sentence that never varies."""
    if int(projection.degrees().max(initial=0)) > plan.degree_bound:
        raise ParameterError(BOUND_BROKEN)


def quantities(plan: Plan) -> set[str]:
    """Return the names of what a plan's draw asks of its projection, beside the degrees."""
    if plan.mechanism == "joint":
        name = plan.proxy or plan.metrics[0]
        return set() if name == "degree" else {"betweenness2_shares"}
    asked = set(plan.metrics) - {"degree"}
    if plan.sensitivity_form in ("common_neighbors", "interval+edge"):
        asked.add("max_common_neighbors")
    return asked


def exact_quantities(metric: str, t: int | None, form: str | None) -> set[str]:
    """Return what an exact value, or a sensitivity, asks of its projection beside the degrees."""
    if t is None:
        return {metric} - {"degree"}
    return {"sensitivity", "max_common_neighbors"} if form == "common_neighbors" else {"sensitivity"}
