"""Plans of several numbers for one debit: the distribution of the degrees, a summary."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from edgedp.mechanisms import checks
from edgedp.release.options import DistributionOptions, SummaryOptions
from edgedp.release.plan.facts import PublicFacts
from edgedp.release.plan.numbers import CountPlan, PurePlan
from edgedp.words.amounts.epsilon import epsilon_nano, format_nano
from edgedp.words.vocabulary import DISTRIBUTION_FORMS, DistributionForm, NumberMechanismName


@dataclass(frozen=True, kw_only=True)
class DistributionPlan(PurePlan):
    """A validated release of a distribution.

    Attributes
    ----------
    of : {"degree"}
    form : {"ccdf", "histogram"}
        ``N_{>=k}`` for ``k = 1 .. D``, or ``N_k`` for ``k = 0 .. D``.
    """

    KIND = "distribution"

    of: str
    form: DistributionForm

    @property
    def quantities(self) -> frozenset[str]:
        """Nothing beside the degrees."""
        return frozenset()

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Canonical parameters, JSON-able."""
        return {"of": self.of, "epsilon": format_nano(self.cost), "form": self.form}


@dataclass(frozen=True, kw_only=True)
class SummaryPlan(PurePlan):
    """A validated release of a summary: several numbers, whose shares of epsilon add up to all of it."""

    KIND = "summary"

    SHARES: ClassVar[dict[str, Fraction]] = {
        "edges": Fraction(1, 10),
        "triangles": Fraction(3, 10),
        "wedges": Fraction(2, 10),
        "degree_distribution": Fraction(3, 10),
        "degree_at_most": Fraction(1, 10),
    }
    MECHANISMS: ClassVar[dict[str, NumberMechanismName]] = {
        "edges": "geometric",
        "triangles": "calibrated",
        "wedges": "calibrated",
    }

    @property
    def quantities(self) -> frozenset[str]:
        """What the draw asks of its projection, beside the degrees."""
        return frozenset({"figures"})

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Canonical parameters, JSON-able."""
        return {"epsilon": format_nano(self.cost)}

    def part(self, of: str) -> CountPlan:
        """Return the release of one of the numbers, still with all of epsilon."""
        return CountPlan(cost=self.cost, facts=self.facts, of=of, mechanism=self.MECHANISMS[of])


NumbersPlan = CountPlan | DistributionPlan | SummaryPlan


def plan_distribution(asked: DistributionOptions, facts: PublicFacts) -> DistributionPlan:
    """Plan a release of a distribution; no edge is read."""
    return DistributionPlan(
        of=checks.check_choice(asked.of, "of", ("degree",)),
        form=checks.check_choice(asked.form, "form", DISTRIBUTION_FORMS),
        cost=epsilon_nano(asked.epsilon),
        facts=facts,
    )


def plan_summary(asked: SummaryOptions, facts: PublicFacts) -> SummaryPlan:
    """Plan a release of a summary; no edge is read."""
    return SummaryPlan(cost=epsilon_nano(asked.epsilon), facts=facts)
