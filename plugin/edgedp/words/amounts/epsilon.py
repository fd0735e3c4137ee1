"""Privacy amounts as integer nano-epsilon, so that sums are exact and 0.01 fits 50 times into 0.5.

An epsilon is the decimal that the user wrote: the text of the command line, or the shortest decimal
that a float stands for (``Decimal(repr(x))``). What is spent is rounded up to a nano, what may be
spent is rounded down, so that rounding never favours the asker. Amounts are compared as decimals and rounded as
fractions, both of which are exact: decimal arithmetic would round to the digits of the caller's context first.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any

from edgedp.words.amounts.written import decimal_of
from edgedp.words.errors import ParameterError

NANO = 10**9
_ONE_NANO = Decimal("1e-9")
MAX_EPSILON = 10**9
"""Largest epsilon and budget that are accepted: 1e18 nano, which fits the databases' 64-bit integers."""


def epsilon_nano(value: Any, name: str = "epsilon") -> int:
    """Return the cost of a release in nano-epsilon, rounded up.

    Parameters
    ----------
    value : str, int, float or Decimal
        Positive, finite, at least one nano (1e-9) and at most `MAX_EPSILON`.

    Raises
    ------
    ParameterError
        It is anything else.

    Examples
    --------
    >>> epsilon_nano(0.1), epsilon_nano("0.0000000011")
    (100000000, 2)
    """
    amount = _positive_decimal(value, name)
    if amount < _ONE_NANO:
        raise ParameterError(f"{name} is {value}, must be at least 1e-9 (one nano); give a larger one")
    return ceil(Fraction(amount) * NANO)


def budget_nano(value: Any, name: str = "epsilon_budget", *, zero: bool = False) -> int:
    """Return a budget or a limit in nano-epsilon, rounded down; `zero` allows a budget of 0.

    Examples
    --------
    >>> budget_nano("0.5"), budget_nano(0.0, zero=True)
    (500000000, 0)
    """
    if zero and not isinstance(value, bool) and _decimal(value, name) == 0:
        return 0
    amount = _positive_decimal(value, name)
    if amount < _ONE_NANO:
        raise ParameterError(f"{name} is {value}, must be at least 1e-9 (one nano); declare a larger one")
    return floor(Fraction(amount) * NANO)


def format_nano(nano: int) -> str:
    """Return nano-epsilon as the shortest exact decimal.

    Examples
    --------
    >>> format_nano(500_000_000), format_nano(3 * NANO), format_nano(1)
    ('0.5', '3', '0.000000001')
    """
    whole, rest = divmod(nano, NANO)
    return f"{whole}.{rest:09d}".rstrip("0") if rest else str(whole)


def to_fraction(nano: int) -> Fraction:
    """Return nano-epsilon as an exact rational epsilon."""
    return Fraction(nano, NANO)


def _positive_decimal(value: Any, name: str) -> Decimal:
    amount = _decimal(value, name)
    if amount <= 0:
        raise ParameterError(f"{name} is {value}, must be greater than 0; give a positive one")
    if amount > MAX_EPSILON:
        raise ParameterError(f"{name} is {value}, must be at most {MAX_EPSILON:.0e}; give a smaller one")
    return amount


def _decimal(value: Any, name: str) -> Decimal:
    amount = decimal_of(value)
    if amount is None:
        raise ParameterError(f"{name} is {value!r}, must be a number such as 0.5; write a decimal")
    if not amount.is_finite():
        raise ParameterError(f"{name} is {value}, must be finite; write a decimal such as 0.5")
    return amount
