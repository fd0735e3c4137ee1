"""What a mechanism reads of a plan: mechanisms import no plans, and any plan that has this will do."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from edgedp.mechanisms.picking import Picking, Undampened
from edgedp.words.vocabulary import MetricForm, ParetoForm, Proxy, TalliedName, Unit

if TYPE_CHECKING:
    from edgedp.graph.weights import Weighting


class _Facts(Protocol):
    @property
    def node_count(self) -> int:
        """Number of nodes."""

    @property
    def candidates(self) -> str | None:
        """The label whose nodes alone are counted; None where all are."""

    @property
    def weighting(self) -> Weighting | None:
        """What is declared of the weights; None of a graph without."""


class _Asked(Protocol):
    """What every release of k nodes has."""

    @property
    def k(self) -> int:
        """How many nodes."""

    @property
    def epsilon(self) -> Fraction:
        """Of the whole release."""

    @property
    def degree_bound(self) -> int:
        """The effective one."""

    @property
    def facts(self) -> _Facts:
        """What is public of the graph."""


class SumAsked(_Asked, Protocol):
    """k rounds over one metric, or over a weighted sum of several."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """By name."""

    @property
    def weights(self) -> tuple[float, ...]:
        """One a metric."""

    @property
    def mechanism(self) -> Picking[MetricForm]:
        """How a node is picked, and by what score."""


class ArcsAsked(_Asked, Protocol):
    """The top k by in- or out-degree, or by strength."""

    @property
    def metric(self) -> TalliedName:
        """What is added up over which neighbours."""

    @property
    def mechanism(self) -> Undampened | None:
        """How a node is picked; None where noise goes on the whole vector, once or step by step."""

    @property
    def cost(self) -> int:
        """Nano-epsilon of the whole release, or the most that it may spend."""

    @property
    def target_recall(self) -> Fraction | None:
        """From which expected recall on a list is sure enough; None where it is drawn at once."""

    @property
    def cap(self) -> int | None:
        """The most arcs of each other end that count; None where all do."""

    @property
    def unit(self) -> Unit:
        """Whom noise on a vector through cuts has to cover."""


class ParetoAsked(_Asked, Protocol):
    """k rounds over the Pareto score."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """By name."""

    @property
    def mechanism(self) -> Picking[ParetoForm]:
        """How a node is picked, and by what score."""


class JointAsked(_Asked, Protocol):
    """The top k by noisy vectors."""

    @property
    def ranked_by(self) -> Proxy:
        """What the vectors hold."""

    @property
    def cap(self) -> int | None:
        """The most neighbours that a node connects; None where the noisy degrees tell."""

    @property
    def estimates(self) -> bool:
        """Whether the degrees are shown too, as estimates."""

    @property
    def cost(self) -> int:
        """Nano-epsilon that may be spent in all."""

    @property
    def target_recall(self) -> Fraction | None:
        """The expected recall that is enough; None where the release is drawn at once."""


class SeveralAsked(_Asked, Protocol):
    """Nodes that are good in several metrics, by noisy vectors; without weights, their Pareto front."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """By name."""

    @property
    def weights(self) -> tuple[float, ...] | None:
        """One a metric; None for the front."""
