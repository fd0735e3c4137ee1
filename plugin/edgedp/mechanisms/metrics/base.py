"""What every metric provides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from edgedp.words.vocabulary import MetricForm, Proxy

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph


class Metric(ABC):
    """A per-node quantity of the private edges with its sensitivities under edge-DP.

    Notes
    -----
    Neighbouring graphs differ by one edge; the degree bound ``D`` is public and holds for both.
    Methods that take ``degrees`` and ``common`` take arrays of equal length and are vectorised;
    ``common`` is read by the form ``common_neighbors`` only. What is claimed by a flag is claimed by name:
    left out it stands for no claim, and `tests/mechanisms/test_claims.py` checks it over all small graphs.
    """

    name: ClassVar[str]
    """The name in every interface; also the name of the module, of the Cypher and of the columns."""
    summary: ClassVar[str]
    """What it says of a node, in a few words, for help and tables."""
    forms: ClassVar[tuple[MetricForm, ...]] = ("degree",)
    """The admissible sensitivities on offer, the default first."""
    proxies: ClassVar[tuple[Proxy, ...]] = ()
    """What a joint release may rank this metric by, the default first: its own integer vector, or proxies."""
    dominance: ClassVar[int]
    """Which metric of a sum decides how the sum goes with the degree: the one with the highest dominance."""
    utility_trend: ClassVar[int]
    """+1 if the metric rises with the degree, -1 if it falls (a convention, public; shift rule of the spec)."""
    sensitivity_trend: ClassVar[int]
    """+1 if ``delta(t)`` rises with the degree, -1 if it falls, 0 if it is constant."""
    uniform: ClassVar[bool] = False
    """True if ``delta(t)`` is one number, for every node of every graph at every distance, under one bound."""
    monotone: ClassVar[bool] = False
    """True if adding an edge never lowers any node's value."""
    moves_near_the_edge: ClassVar[bool] = False
    """True if an edge moves only its two ends and their common neighbours (docs/privacy.md, "edge form")."""
    counts_pairs_apart: ClassVar[bool] = False
    """True if the value is at most the number of non-adjacent pairs of neighbours."""
    is_degree: ClassVar[bool] = False
    """True if the value follows from the degree alone."""

    @abstractmethod
    def native(self, graph: Graph, positions: NDArray[np.int64] | None) -> NDArray[np.float64]:
        """Return the exact values by our own kernels, for all nodes or for `positions` in their order."""

    @abstractmethod
    def igraph(self, graph: Graph, positions: NDArray[np.int64] | None) -> NDArray[np.float64]:
        """Return the exact values by igraph and numpy, for all nodes or for `positions` in their order."""

    @abstractmethod
    def global_sensitivity(self, degree_bound: int) -> Fraction:
        """Return by how much one edge can move one node's value, given the degree bound."""

    @abstractmethod
    def upper_bound(self, degrees: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the largest value that a node of each degree can have."""

    @abstractmethod
    def uncapped_sensitivity(
        self, form: str, t: int, degrees: NDArray[np.int64], common: NDArray[np.int64] | None
    ) -> NDArray[np.float64]:
        """Return the admissible ``delta(G, t, v)`` of a form before it is capped."""

    @abstractmethod
    def shifted_sum(self, form: str, degree_bound: int, degree: int, common: int) -> float:
        """Return ``sum over t >= 0 of (1 - min(delta(t), GS) / GS)`` of one node, correctly rounded or nearly so.

        Python integers in, one float out: relative error at most ``2**-51``. ``GS`` is not 0.
        """

    def sensitivity(
        self,
        form: str,
        t: int,
        degrees: NDArray[np.int64],
        common: NDArray[np.int64] | None,
        degree_bound: int,
    ) -> NDArray[np.float64]:
        """Return the admissible ``min(delta(G, t, v), GS)``, one value a node."""
        ceiling = float(self.global_sensitivity(degree_bound))
        return np.minimum(self.uncapped_sensitivity(form, t, degrees, common), ceiling)


def shifted_sums(
    metric: Metric,
    form: str,
    degree_bound: int,
    degrees: NDArray[np.int64],
    common: NDArray[np.int64] | None,
) -> NDArray[np.float64]:
    """Return `Metric.shifted_sum` of every node, computed once a distinct ``(degree, common)``."""
    if common is None:  # few degrees are distinct: no sorting of all nodes
        largest = int(degrees.max(initial=0))
        by_degree = np.zeros(largest + 1)
        for degree in np.flatnonzero(np.bincount(degrees, minlength=largest + 1)).tolist():
            by_degree[degree] = metric.shifted_sum(form, degree_bound, degree, 0)
        return by_degree[degrees]
    second = common
    base = np.int64(degrees.max(initial=0)) + 1
    keys, inverse = np.unique(second * base + degrees, return_inverse=True)
    sums = [metric.shifted_sum(form, degree_bound, int(key % base), int(key // base)) for key in keys]
    return np.asarray(sums, dtype=np.float64)[inverse]
