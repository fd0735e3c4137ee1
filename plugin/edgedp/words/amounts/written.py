"""Numbers as somebody writes them: one rule for the command line, files, pages, requests and Python; and strict JSON.

ASCII digits, one point, one exponent, a sign in front; nothing else. Python's own readers also take ``1_0`` for 10,
digits of other scripts, ``infinity`` and spaces, so that what is spent would not be what stands there.
"""

from __future__ import annotations

import json
import math
import numbers
import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, NoReturn

from edgedp.words.errors import ParameterError

UNSIGNED = r"([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?"
"""A number without a sign, as a regular expression of ECMA-262 too: the OpenAPI description holds it."""

_NUMBER = re.compile(f"[+-]?{UNSIGNED}")
_WHOLE = re.compile(r"[+-]?[0-9]{1,4000}")
_PARTS = re.compile(r"([0-9]{1,4000})/([0-9]{1,4000})")
_LONGEST = 4000
_BYTES = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?) ?([KMGT])(i?)B", re.IGNORECASE)


def decimal_of(value: Any) -> Decimal | None:
    r"""Return a number or a text of one as an exact decimal; None for anything else, also for a truth value.

    A float is the shortest decimal that stands for it. Infinity and NaN are returned where they are numbers already.

    Examples
    --------
    >>> decimal_of("0.5"), decimal_of(0.1), decimal_of("1e-3"), decimal_of("-.5")
    (Decimal('0.5'), Decimal('0.1'), Decimal('0.001'), Decimal('-0.5'))
    >>> [decimal_of(text) for text in ("1_0", "\u0663", " 1", "1 0", "0x1", "infinity", "1e5_0", "", "1\n")]
    [None, None, None, None, None, None, None, None, None]
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        if len(value) > _LONGEST or _NUMBER.fullmatch(value) is None:
            return None
        return Decimal(value)
    if isinstance(value, Decimal):
        return value
    try:
        if isinstance(value, numbers.Integral):
            return Decimal(int(value))
        if isinstance(value, numbers.Real):
            return Decimal(repr(float(value)))
    except (InvalidOperation, ValueError, OverflowError):
        return None
    return None


def fraction_of(value: Any) -> Fraction | None:
    """Return a finite number, a text of one, or a text such as ``1/3`` exactly; None for anything else.

    Examples
    --------
    >>> fraction_of("1/3"), fraction_of(0.1), fraction_of("1_0/30"), fraction_of("1/0")
    (Fraction(1, 3), Fraction(1, 10), None, None)
    """
    if isinstance(value, Fraction):
        return value
    parts = _PARTS.fullmatch(value) if isinstance(value, str) else None
    if parts is not None:
        below = int(parts[2])
        return Fraction(int(parts[1]), below) if below else None
    number = decimal_of(value)
    # The exponent is bounded: the fraction of 1e-999999999 would have a billion digits.
    if number is None or not number.is_finite() or abs(number.adjusted()) > 2 * _LONGEST:
        return None
    return Fraction(number)


def whole_of(text: str) -> int | None:
    r"""Return a text of a whole number, or None.

    Examples
    --------
    >>> [whole_of(text) for text in ("12", "-3", "1_0", "1.0", "\u0663", " 1", "0x1")]
    [12, -3, None, None, None, None, None]
    """
    return int(text) if _WHOLE.fullmatch(text) else None


def bytes_of(value: Any) -> int:
    """Return an amount of memory in bytes: a whole number, or a text such as ``16GB`` or ``512 MiB``.

    Raises
    ------
    ParameterError

    Examples
    --------
    >>> bytes_of("16GB"), bytes_of("1.5 GiB"), bytes_of(4096)
    (16000000000, 1610612736, 4096)
    """
    amount = 0
    if isinstance(value, str):
        found = _BYTES.fullmatch(value.strip())
        if found is None:
            amount = whole_of(value) or 0
        else:
            base = 1024 if found[3] else 1000
            amount = int(Fraction(found[1]) * base ** ("KMGT".index(found[2].upper()) + 1))
    elif isinstance(value, int) and not isinstance(value, bool):
        amount = value
    if amount < 1:
        raise ParameterError(
            f"memory is {value!r}, must be a number of bytes, or such as 16GB or 512MiB; give one"
        )
    return amount


def shortest(value: Fraction) -> float | str:
    """Return a fraction as a float where that says it exactly, else as a text.

    Examples
    --------
    >>> shortest(Fraction(9, 10)), shortest(Fraction(1, 3))
    (0.9, '1/3')
    """
    number = float(value)
    return number if math.isfinite(number) and Fraction(repr(number)) == value else str(value)


def strict_json(text: str) -> Any:
    """Return what JSON says whose keys all differ and whose numbers are finite.

    Raises
    ------
    ValueError, RecursionError
        It is no such JSON.

    Examples
    --------
    >>> strict_json('{"a": 1}')
    {'a': 1}
    """
    return json.loads(text, object_pairs_hook=distinct_keys, parse_constant=_refused)


def distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these pairs of JSON; two of one key are an error."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError
    return made


def _refused(constant: str) -> NoReturn:
    raise ValueError(constant)
