"""Plans of numbers: one number, the distribution of the degrees, several numbers for one debit."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, Self

from edgedp.mechanisms import checks
from edgedp.mechanisms.counts import Bounds, Count, count_class, count_names
from edgedp.mechanisms.numbers import NumberMechanism, number_mechanism
from edgedp.mechanisms.numbers.heights import says_nothing
from edgedp.release.options import CountOptions, DistributionOptions, SummaryOptions
from edgedp.release.plan.base import PlanBase
from edgedp.release.plan.facts import PublicFacts
from edgedp.release.plan.named import resolved
from edgedp.release.plan.number_options import (
    SMALLEST_STAR,
    bounds_of,
    check_two,
    delta_of,
    node_of,
    pair_of,
    star_size_of,
    wants_error_bar,
)
from edgedp.words.amounts.epsilon import epsilon_nano, format_nano, to_fraction
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import (
    DISTRIBUTION_FORMS,
    NUMBER_MECHANISMS,
    DistributionForm,
    NumberMechanismName,
)

_FROM_FIGURES = ("triangles", "two_triangles", "wedges", "stars", "clustering", "common_neighbors")


@dataclass(frozen=True, kw_only=True)
class _PurePlan(PlanBase):
    """A plan priced as any pure release is: what draws it is no exponential mechanism of bounded range."""

    @property
    def rho_shares(self) -> int:
        """``epsilon^2 / rho``: 2, as of any pure release."""
        return 2


@dataclass(frozen=True, kw_only=True)
class CountPlan(_PurePlan):
    """A validated release of one number.

    Attributes
    ----------
    of : str
        What is counted, one of `edgedp.mechanisms.counts.count_names`.
    mechanism : str
    star_size : int or None
        Of stars.
    pair : tuple of two node ids, or None
        Of common neighbours.
    node : int, str or None
        Of a metric of one node.
    delta : Fraction or None
        In memory only.
    error_bar : bool
        Whether a tenth of epsilon buys a bound of the noise.
    """

    KIND = "count"

    of: str
    mechanism: NumberMechanismName
    star_size: int | None = None
    pair: tuple[Any, Any] | None = None
    node: Any = None
    delta: Fraction | None = None
    error_bar: bool = False

    @property
    def quantities(self) -> frozenset[str]:
        """What the draw asks of its projection, beside the degrees."""
        if self.of in _FROM_FIGURES:
            return frozenset({"figures"})
        match self.of:
            case "ebc":
                return frozenset({"ebc", "max_common_neighbors"})
            case "betweenness2":
                return frozenset({"betweenness2_shares"})
            case "density":
                return frozenset({"density"})
            case _:
                return frozenset()

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Canonical parameters, JSON-able; asking with them again gives the same plan."""
        asked: dict[str, Any] = {
            "of": self.of,
            "epsilon": format_nano(self.cost),
            "mechanism": self.mechanism,
            "star_size": self.star_size,
            "pair": None if self.pair is None else list(self.pair),
            "node": self.node,
            "delta": None
            if self.delta is None
            else str(Decimal(self.delta.numerator) / self.delta.denominator),
            "error_bar": True if self.error_bar else None,
        }
        return {name: value for name, value in asked.items() if value is not None}

    @property
    def named(self) -> tuple[Any, ...]:
        """The node ids that are named: the pair, or the node."""
        if self.pair is not None:
            return self.pair
        return () if self.node is None else (self.node,)

    def naming(self, found: Collection[Any]) -> Self:
        """Return the plan with its nodes as the graph has them; one that the graph lacks is refused."""
        if self.pair is not None:
            first, second = (resolved(node, found, "pair") for node in self.pair)
            check_two(first, second)
            return replace(self, pair=(first, second))
        return self if self.node is None else replace(self, node=resolved(self.node, found, "node"))

    def on(self, facts: PublicFacts) -> Self:
        """Return the smallest release of this kind and mechanism for another graph: of its nodes 1 and 2."""
        return replace(
            self,
            facts=facts,
            star_size=None if self.star_size is None else SMALLEST_STAR,
            pair=None if self.pair is None else (1, 2),
            node=None if self.node is None else 1,
        )

    @property
    def bounds(self) -> Bounds:
        """The public facts that sensitivities rest on."""
        return bounds_of(self.facts)

    @property
    def rule(self) -> NumberMechanism:
        """The mechanism."""
        return number_mechanism(self.mechanism)

    def count(self, positions: tuple[int, ...]) -> Count:
        """Return what is counted, the nodes that are named as positions."""
        options: dict[str, Any] = {}
        if self.star_size is not None:
            options["star_size"] = self.star_size
        if self.pair is not None:
            options["pair"] = positions
        if self.node is not None:
            (options["node"],) = positions
        return count_class(self.of)(**options)

    @property
    def shape(self) -> Count:
        """What is counted, with stand-ins for its nodes: for what follows from public facts alone."""
        return self.count(tuple(range(len(self.named))))

    def parts(self) -> list[tuple[Self, Fraction]]:
        """Return the releases that a computed number is made of with their shares; none for one that is drawn."""
        return [(replace(self, of=name), share) for name, share in count_class(self.of).parts]


@dataclass(frozen=True, kw_only=True)
class DistributionPlan(_PurePlan):
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
class SummaryPlan(_PurePlan):
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


def plan_count(
    asked: CountOptions, facts: PublicFacts, *, delta: Any = None, stored: bool = True
) -> CountPlan:
    """Plan a release of one number; no edge is read.

    Parameters
    ----------
    asked : CountOptions
    facts : PublicFacts
    delta : number or decimal text, optional
        In memory only.
    stored : bool
        Whether the graph has a ledger: mechanisms with delta are then refused.

    Raises
    ------
    EdgeDPError
        An option is out of its domain, or contradicts another one.
    """
    of = checks.check_choice(asked.of, "of", count_names())
    found = count_class(of)
    cost = epsilon_nano(asked.epsilon)
    name = found.default_mechanism if asked.mechanism is None else asked.mechanism
    mechanism = number_mechanism(checks.check_choice(name, "mechanism", NUMBER_MECHANISMS))
    paid = delta_of(delta, mechanism, stored=stored)
    if paid is not None and mechanism.most_epsilon is not None and to_fraction(cost) > mechanism.most_epsilon:
        raise ParameterError(
            f"epsilon is {format_nano(cost)}, must be at most {mechanism.most_epsilon} for mechanism "
            f"{mechanism.name!r} with delta; ask for less, or for mechanism 'calibrated'"
        )
    if mechanism.name == "nls" and not found.bounds_to_buy:
        raise ParameterError(
            f"mechanism is 'nls', must be another one for {of!r}; nls is for triangles and two_triangles"
        )
    if paid is not None and found.parts:
        raise ParameterError(
            f"delta is not an option of {of!r}; ask without it, and use mechanism 'calibrated'"
        )
    planned = CountPlan(
        cost=cost,
        facts=facts,
        of=of,
        mechanism=checks.check_choice(mechanism.name, "mechanism", NUMBER_MECHANISMS),
        star_size=star_size_of(asked.star_size, of, facts),
        pair=pair_of(asked.pair, of),
        node=node_of(asked.node, of),
        delta=paid,
        error_bar=wants_error_bar(asked.error_bar, found, mechanism, cost),
    )
    if (
        planned.error_bar
        and found.bar_may_say_nothing
        and says_nothing(planned.shape, planned.bounds, planned.epsilon)
    ):
        raise ParameterError(
            f"error_bar of {of!r} would reach over at least half of what is possible at epsilon "
            f"{format_nano(cost)}, on any graph; ask for more epsilon, or leave error_bar out"
        )
    return planned


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
