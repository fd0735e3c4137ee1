"""The options of a count that one value or another needs, each checked by itself."""

from __future__ import annotations

import inspect
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from edgedp.mechanisms import checks
from edgedp.mechanisms.counts import Bounds, Count, count_class, count_names
from edgedp.mechanisms.counts.stars import check_star_size
from edgedp.mechanisms.numbers import NumberMechanism
from edgedp.release.plan.facts import PublicFacts
from edgedp.words.amounts.epsilon import format_nano
from edgedp.words.amounts.written import decimal_of
from edgedp.words.errors import ParameterError

_DEFAULT_STAR_SIZE = 3


SMALLEST_STAR = 2


_LEAST_WITH_BAR = 10**5
"""Nano-epsilon: below it the rungs of an interval are too many to be added up within seconds."""


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
    ids = list(value) if isinstance(value, (list, tuple, np.ndarray)) else []
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
