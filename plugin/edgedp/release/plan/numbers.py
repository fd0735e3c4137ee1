"""The plan of one number, and its options, each checked by itself."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, Self

import numpy as np

from edgedp.mechanisms import checks
from edgedp.mechanisms.counts import Bounds, Count, count_class, count_names
from edgedp.mechanisms.counts.stars import check_star_size
from edgedp.mechanisms.numbers import NumberMechanism, number_mechanism
from edgedp.mechanisms.numbers.heights import says_nothing
from edgedp.release.options import CountOptions
from edgedp.release.plan.base import PlanBase
from edgedp.release.plan.facts import PublicFacts
from edgedp.release.plan.named import resolved
from edgedp.words.amounts.epsilon import epsilon_nano, format_nano, to_fraction
from edgedp.words.amounts.written import decimal_of
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import NUMBER_MECHANISMS, NumberMechanismName

_DEFAULT_STAR_SIZE = 3
_SMALLEST_STAR = 2
_LEAST_WITH_BAR = 10**5
"""Nano-epsilon: below it the rungs of an interval are too many to be added up within seconds."""

_FROM_FIGURES = ("triangles", "two_triangles", "wedges", "stars", "clustering", "common_neighbors")


@dataclass(frozen=True, kw_only=True)
class PurePlan(PlanBase):
    """A plan priced as any pure release is: what draws it is no exponential mechanism of bounded range."""

    @property
    def rho_shares(self) -> int:
        """``epsilon^2 / rho``: 2, as of any pure release."""
        return 2


@dataclass(frozen=True, kw_only=True)
class CountPlan(PurePlan):
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
            "delta": None if self.delta is None else _written(self.delta),
            "error_bar": True if self.error_bar else None,
        }
        return {name: value for name, value in asked.items() if value is not None}

    @cached_property
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
            star_size=None if self.star_size is None else _SMALLEST_STAR,
            pair=None if self.pair is None else (1, 2),
            node=None if self.node is None else 1,
        )

    @cached_property
    def bounds(self) -> Bounds:
        """The public facts that sensitivities rest on."""
        return bounds_of(self.facts)

    @cached_property
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
    chosen = checks.check_choice(name, "mechanism", NUMBER_MECHANISMS)
    mechanism = number_mechanism(chosen)
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
        mechanism=chosen,
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


def bounds_of(facts: PublicFacts) -> Bounds:
    """Return the public bounds that a count rests on."""
    return Bounds(facts.node_count, facts.effective_degree_bound)


@cache  # reading signatures is slow, and a plan is made at every request
def taking(option: str) -> tuple[str, ...]:
    """Return the numbers that take an option: the fields of their classes."""
    return tuple(name for name in count_names() if option in inspect.signature(count_class(name)).parameters)


def star_size_of(value: Any, of: str, facts: PublicFacts) -> int | None:
    """Return how many neighbours a star has; None of anything else than stars."""
    if of != "stars":
        return None
    size = _DEFAULT_STAR_SIZE if value is None else checks.check_whole(value, "star_size")
    return check_star_size(size, bounds_of(facts))


def pair_of(value: Any, of: str) -> tuple[Any, Any] | None:
    """Return two different node ids, where the count is of a pair."""
    if of not in taking("pair"):
        return None
    if value is None:
        raise ParameterError("pair is missing; name the two nodes whose common neighbours are counted")
    listed = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)
    ids = list(value) if listed else []
    if len(ids) != 2:
        told = f"has {len(ids)} ids, must be two node ids" if ids else f"is {value!r}, must be two node ids"
        raise ParameterError(f"pair {told}; name both nodes")
    first, second = (_node_id(each, "pair") for each in ids)
    check_two(first, second)
    return first, second


def check_two(first: Any, second: Any) -> None:
    """Refuse a pair of one node."""
    if first == second:
        raise ParameterError(f"pair is {first!r} twice, must be two different nodes; name another one")


def node_of(value: Any, of: str) -> Any:
    """Return the node id, where the count is of one node."""
    if of not in taking("node"):
        return None
    if value is None:
        raise ParameterError(f"node is missing; name the node whose {of} is asked for")
    return _node_id(value, "node")


def _node_id(value: Any, name: str) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise ParameterError(f"{name} is {value!r}, must be a node id, an integer or a text; name a node")
    return value


def delta_of(value: Any, mechanism: NumberMechanism, *, stored: bool) -> Fraction | None:
    """Return the delta of a mechanism that takes one; a stored graph has none to give."""
    name = mechanism.name
    if stored and (mechanism.needs_delta or value is not None):
        raise ParameterError(
            f"mechanism is {name!r} with delta, must be a pure one for a stored graph; "
            "its ledger has no place for a delta: ask without it, or choose another mechanism"
        )
    if value is None:
        if mechanism.needs_delta:
            raise ParameterError(f"mechanism {name!r} needs a delta; give a decimal such as 1e-6")
        return None
    if not mechanism.takes_delta:
        raise ParameterError(f"delta is not an option of mechanism {name!r}, which is pure; ask without it")
    amount = decimal_of(value)
    if amount is None or not amount.is_finite():
        raise ParameterError(f"delta is {value!r}, must be a number such as 1e-6; write a decimal")
    if not Decimal("1e-30") <= amount < 1 or 3 * Fraction(amount) > 1:
        raise ParameterError(f"delta is {value}, must be from 1e-30 to 1/3; write a decimal such as 1e-6")
    return Fraction(amount)


def _written(delta: Fraction) -> str:
    """Return a delta as the decimal that was asked for, whatever the caller's own decimals are rounded to.

    Examples
    --------
    >>> _written(Fraction(1, 10**6)), _written(Fraction(1, 10**30))
    ('0.000001', '1E-30')
    """
    exact = Context(prec=delta.denominator.bit_length(), traps=[])
    return str(exact.divide(Decimal(delta.numerator), Decimal(delta.denominator)))


def wants_error_bar(value: Any, count: type[Count], mechanism: NumberMechanism, cost: int) -> bool:
    """Return whether an interval is bought, where the count and the epsilon allow one."""
    if not value:
        return False
    if mechanism.public_scale:
        raise ParameterError(
            f"error_bar is not an option of mechanism {mechanism.name!r}: "
            "its interval is public and shown anyway; ask without it"
        )
    if mechanism.name not in ("calibrated",) or not count.follows_one_figure():
        raise ParameterError(
            "error_bar is only for mechanism 'calibrated', and for numbers whose noise follows one figure; "
            "ask without it"
        )
    if cost < _LEAST_WITH_BAR:
        raise ParameterError(
            f"epsilon is {format_nano(cost)}, must be at least {format_nano(_LEAST_WITH_BAR)} with error_bar, whose "
            "interval would otherwise be the whole range; ask for more or leave error_bar out"
        )
    return True
