"""Plans of numbers of a directed graph: how many arcs there are, and how in- or out-degrees are spread.

Neither rests on a degree bound. Through cuts (`edgedp.graph.engines.cuts`) both also protect all arcs of one node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, assert_never

from edgedp.mechanisms import checks
from edgedp.mechanisms.units import PAIR_THROUGH_CUTS, moves_through_cuts
from edgedp.release.options import CountOptions, DistributionOptions
from edgedp.release.plan.arcs import UNIT_SENTENCES, cap_of, unit_of_counts
from edgedp.release.plan.base import PlanBase
from edgedp.release.plan.facts import DIRECTED, PublicFacts
from edgedp.words.amounts.epsilon import epsilon_nano, format_nano
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import ARC_METRICS, DISTRIBUTION_FORMS, ArcMetricName, DistributionForm, Unit

ARCS = "arcs"
"""What is counted: distinct pairs of a node and another to which it has an arc."""

_PAIR = 2
"""What all between two nodes moves the number of arcs by, or all numbers of a cumulative distribution together."""


@dataclass(frozen=True, kw_only=True)
class _ArcNumbersPlan(PlanBase, ABC):
    """What both have.

    Attributes
    ----------
    cap : int or None
        The most arcs of each node that count, the first in a public order; None where all do.
    unit : {"pair", "source", "target"}
        Whom the noise of a number through cuts has to cover: what the account protects.
    """

    cap: int | None = None
    unit: Unit = "pair"

    @property
    def rho_shares(self) -> int:
        """``epsilon^2 / rho``: 2, as of any pure release."""
        return 2

    @cached_property
    def rests_on_bound(self) -> bool:
        """One unit moves a number by the same, whatever the degrees are."""
        return False

    @property
    @abstractmethod
    def of_one(self) -> Unit:
        """The unit of many arcs that cuts let it protect."""

    @property
    @abstractmethod
    def through_cuts(self) -> int:
        """What a pair moves through cuts."""

    @property
    def moves(self) -> int:
        """What one unit moves in L1, taken away; from the plan alone."""
        if self.facts.node_count < 2:
            return 0
        return _PAIR if self.cap is None else moves_through_cuts(self.cap, self.unit, self.through_cuts)

    @property
    def units(self) -> frozenset[Unit]:
        """A pair, and all arcs of one node through cuts; a pair only where the noise covers it."""
        if self.cap is None:
            return super().units
        pair = super().units if self.moves >= self.through_cuts else frozenset[Unit]()
        return pair | {self.of_one}

    @property
    def public(self) -> dict[str, Any]:
        """The public facts; directions were read, and whom this answer protects at its epsilon."""
        return super().public | {"protects": self._protects + self.facts.within, "orientation": DIRECTED}

    @property
    def _protects(self) -> str:
        if self.cap is None:
            return f"{UNIT_SENTENCES['pair']}, taken away or replaced"
        pair = ", and all between two nodes" if "pair" in self.units else ""
        return f"{UNIT_SENTENCES[self.of_one]}{pair}, taken away; replaced costs twice"

    @property
    def quantities(self) -> frozenset[str]:
        """What the draw asks of its projection, beside the degrees."""
        return frozenset(ARC_METRICS)


@dataclass(frozen=True, kw_only=True)
class ArcCountPlan(_ArcNumbersPlan):
    """The number of arcs; through cuts, of those that count."""

    KIND = "count"

    @property
    def of_one(self) -> Unit:
        """All arcs that come to one node where the account protects that, else all that leave one."""
        return "target" if self.unit == "target" else "source"

    @property
    def through_cuts(self) -> int:
        """Two arcs: one that is pushed out leaves the number as it is."""
        return _PAIR

    @property
    def counted(self) -> ArcMetricName:
        """Which counts are added up: those whose other ends are cut."""
        match self.of_one:
            case "target":
                return "out_degree"
            case "source" | "pair":
                return "in_degree"
            case _:
                assert_never(self.of_one)

    @property
    def maximum(self) -> int:
        """The most arcs that there can be."""
        others = max(self.facts.node_count - 1, 0)
        return self.facts.node_count * (others if self.cap is None else min(self.cap, others))

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Canonical parameters."""
        asked = {"of": ARCS, "epsilon": format_nano(self.cost), "mechanism": "geometric"}
        return asked if self.cap is None else asked | {"cap": self.cap}


@dataclass(frozen=True, kw_only=True)
class ArcDistributionPlan(_ArcNumbersPlan):
    """How the in- or out-degrees are spread, up to the degree bound; what is above it counts as the bound."""

    KIND = "distribution"

    of: ArcMetricName
    form: DistributionForm

    @property
    def of_one(self) -> Unit:
        """The unit whose arcs each move a count by one at most."""
        unit = unit_of_counts(self.of)
        if unit is None:
            raise AssertionError("only counts of arcs are spread here")
        return unit

    @property
    def through_cuts(self) -> int:
        """Two arcs, of which each may push another out: four counts move by one."""
        return PAIR_THROUGH_CUTS

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Canonical parameters."""
        asked: dict[str, Any] = {"of": self.of, "epsilon": format_nano(self.cost), "form": self.form}
        return asked if self.cap is None else asked | {"cap": self.cap}


def plan_arc_count(asked: CountOptions, facts: PublicFacts) -> ArcCountPlan:
    """Plan a release of the number of arcs; no edge is read."""
    _check_directed(ARCS, facts)
    if asked.mechanism not in (None, "geometric"):
        raise ParameterError(
            f"mechanism is {asked.mechanism!r}, must be 'geometric' for {ARCS!r}; ask without it"
        )
    return ArcCountPlan(
        cost=epsilon_nano(asked.epsilon), facts=facts, cap=cap_of("in_degree", asked.cap), unit=facts.protect
    )


def plan_arc_distribution(
    of: ArcMetricName, asked: DistributionOptions, facts: PublicFacts
) -> ArcDistributionPlan:
    """Plan a release of how in- or out-degrees are spread; no edge is read."""
    _check_directed(of, facts)
    return ArcDistributionPlan(
        cost=epsilon_nano(asked.epsilon),
        facts=facts,
        of=of,
        form=checks.check_choice(asked.form, "form", DISTRIBUTION_FORMS),
        cap=cap_of(of, asked.cap),
        unit=facts.protect,
    )


def _check_directed(of: str, facts: PublicFacts) -> None:
    if not facts.directed:
        raise ParameterError(
            f"of is {of!r}, which needs a graph whose directions were kept; load it with directed (--directed), or ask "
            "for another"
        )
