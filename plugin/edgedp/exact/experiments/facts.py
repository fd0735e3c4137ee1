"""What all runs on a graph share: exact values, profiles and cut vectors, each computed once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from edgedp.exact.experiments.samples import SAMPLE_NODES, breadth_first_sample
from edgedp.graph.graph import Graph
from edgedp.mechanisms.checks import check_degree_bound
from edgedp.mechanisms.pareto.profile import ParetoProfile
from edgedp.mechanisms.projection import GraphProjection
from edgedp.release.plan import PublicFacts
from edgedp.words.errors import ParameterError

_Value = TypeVar("_Value")
_MOST_CUTS = 64
"""So many cut vectors are kept, one int64 a node each: memory stays flat."""


class Remembered(GraphProjection):
    """A projection that computes every exact value once, and keeps a few cut vectors.

    Cuts by the noisy ranking differ from run to run and are not kept. Those of all neighbours follow the cap alone;
    a cap above the largest degree cuts nothing, so all such are one.
    """

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._values: dict[Hashable, Any] = {}
        self._cuts: OrderedDict[Hashable, NDArray[np.int64]] = OrderedDict()
        self._largest = graph.max_degree

    def _once(self, key: Hashable, compute: Callable[[], _Value]) -> _Value:
        if key not in self._values:
            self._values[key] = compute()
        return cast(_Value, self._values[key])

    def values(self, name: str, positions: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Return a metric's exact values; those of all nodes are computed at the first call."""
        everything = self._once(name, lambda: super(Remembered, self).values(name))
        return everything if positions is None else everything[positions]

    def max_common_neighbors(self, positions: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return, for each node, the most neighbours that it shares with another node."""
        everything = self._once("common", lambda: super(Remembered, self).max_common_neighbors())
        return everything if positions is None else everything[positions]

    def common_neighbors_between(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the counts themselves as their bounds."""
        everything = self.max_common_neighbors()
        return everything, everything

    def betweenness2_shares(self, bits: int) -> NDArray[np.int64]:
        """Return the length-2 betweenness in integer shares."""
        return self._once(("shares", bits), lambda: super(Remembered, self).betweenness2_shares(bits))

    def cut_shares(
        self,
        caps: NDArray[np.int64],
        ranks: NDArray[np.int64] | None,
        bits: int,
        positions: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Return the length-2 betweenness through cuts; those of all nodes are computed at the first call."""
        largest = int(caps.max(initial=0))
        if ranks is not None or (caps != largest).any():
            return super().cut_shares(caps, ranks, bits, positions)
        key = (min(largest, self._largest), bits)
        if key not in self._cuts:
            self._cuts[key] = super().cut_shares(caps, ranks, bits)
            if len(self._cuts) > _MOST_CUTS:
                self._cuts.popitem(last=False)
        everything = self._cuts[key]
        return everything if positions is None else everything[positions]


@dataclass(frozen=True, eq=False)
class RememberedProfile(ParetoProfile):
    """A sensitivity profile whose sums are computed once for each number of candidates left."""

    _sums: dict[int, NDArray[np.int64]] = field(default_factory=dict)

    def shifted_sum(self, cap: int) -> NDArray[np.int64]:
        """Return the sums of `ParetoProfile.shifted_sum`."""
        if cap not in self._sums:
            self._sums[cap] = super().shifted_sum(cap)
        return self._sums[cap]


@dataclass(frozen=True, eq=False)
class Facts:
    """A graph with what all cells need of it.

    Attributes
    ----------
    name : str
        As rows show it.
    graph : Graph
    degree_bound : int or None
        As declared; None: the graph's largest degree, which the papers take.
    version : int or None
        Of a stored graph.
    stored : bool
        Whether the graph is of a store: rows then name graph and version, and nothing else of it.
    sample_nodes : int
        Of each breadth-first sample.
    """

    name: str
    graph: Graph
    degree_bound: int | None = None
    version: int | None = None
    stored: bool = False
    sample_nodes: int = SAMPLE_NODES

    def __post_init__(self) -> None:
        """Refuse what every release would refuse."""
        bound = check_degree_bound(self.degree_bound)
        if bound is not None and bound < self.graph.max_degree:
            raise ParameterError(
                f"degree_bound is {bound}, must be at least the graph's largest degree; declare a larger bound"
            )

    @cached_property
    def public(self) -> PublicFacts:
        """The facts that plans rest on."""
        bound = max(self.graph.max_degree, 1) if self.degree_bound is None else self.degree_bound
        directed = self.graph.directed
        return PublicFacts(
            self.graph.node_count,
            bound,
            self.graph.nodes_supplied,
            directed=directed,
            weighting=self.graph.weighting,
        )

    def sample(self, seed: int, number: int) -> Facts:
        """Return the facts of a breadth-first sample; no degree bound is declared for it."""
        return replace(
            self, graph=breadth_first_sample(self.graph, self.sample_nodes, (seed, number)), degree_bound=None
        )

    @cached_property
    def projection(self) -> Remembered:
        """The private data, remembered."""
        return Remembered(self.graph)
