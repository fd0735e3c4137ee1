"""Conditions of a filter: a property of a relationship, or a column of a row, compared with a public constant.

They are read and compared, never executed. A constant is a text, true or false, a number, or a moment: a date or a
time. What a relationship lacks, or has of another type, does not hold (`edgedp.graph.columns`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from edgedp.graph.columns import BY_VALUE, of_types
from edgedp.mechanisms.checks import check_text, nearest
from edgedp.words.dates.moments import Moment, moment_of
from edgedp.words.errors import ParameterError

COMPARISONS = ("eq", "in", "gte", "gt", "lte", "lt")
"""How a condition compares a property with its value."""

_DATE = "date"
"""The key of a moment where only JSON is understood: ``{"date": "2024-01-01"}``."""

_SIGNS = {">=": "gte", "<=": "lte", ">": "gt", "<": "lt", "=": "eq"}
_MOST = 100

_LISTED = re.compile(r'((?:"[^"]*"|[^,])*+),')
"""A value of a list and the comma after it; a comma between double quotes is of the value."""


@dataclass(frozen=True)
class Condition:
    """A comparison of a relationship's own property with a public constant.

    What the relationship lacks, or has of another type, does not hold.
    """

    property: str
    comparison: str
    value: Any

    def __eq__(self, other: object) -> bool:
        """Whether the same rows hold it: to Python True is 1, and no row that holds one holds the other."""
        return isinstance(other, Condition) and self._said() == other._said()

    def _said(self) -> tuple[str, str, list[Any]]:
        values = self.value if self.comparison == "in" else [self.value]
        return self.property, self.comparison, [(of_types(each), each) for each in values]

    def shown(self) -> Any:
        """Return the constant as JSON writes it."""
        return [_shown(each) for each in self.value] if self.comparison == "in" else _shown(self.value)


def where_of(found: Iterable[Condition]) -> dict[str, dict[str, Any]]:
    """Return conditions as `conditions` takes them, and JSON writes them.

    Examples
    --------
    >>> where_of(conditions({"at": {"gte": date(2024, 1, 1)}, "kind": "call"}))
    {'at': {'gte': {'date': '2024-01-01'}}, 'kind': {'eq': 'call'}}
    """
    where: dict[str, dict[str, Any]] = {}
    for each in found:
        where.setdefault(each.property, {})[each.comparison] = each.shown()
    return where


def check_answerable(found: Iterable[Condition], types: Mapping[str, str]) -> None:
    """Refuse what no row can hold, from names and types of columns, which are public.

    Raises
    ------
    ParameterError
        There is no such column, or its type is another one than that of the constant.
    """
    for each in found:
        kind = types.get(each.property)
        if kind is None:
            raise ParameterError(
                f"where compares {each.property!r}, must be a column that is kept of the rows "
                f"({', '.join(types) or 'none is'}); {nearest(each.property, list(types))}"
            )
        values = each.value if each.comparison == "in" else [each.value]
        if kind != BY_VALUE and not any(kind in of_types(value) for value in values):
            raise ParameterError(
                f"where compares {each.property!r} with {_told(values[0])}, and that column holds values of the type "
                f"{kind}, so no row would hold it; give a constant of its type{_HINTS.get(kind, '')}"
            )


_HINTS = {"TEXT": ", a text in double quotes on the command line", "MOMENT": ", such as 2024-01-01"}


def _told(value: Any) -> str:
    return f"the date {value.written}" if isinstance(value, Moment) else repr(value)


def _shown(value: Any) -> Any:
    return {_DATE: value.written} if isinstance(value, Moment) else value


def conditions(where: Any) -> tuple[Condition, ...]:
    """Return the conditions of a filter, in an order of their own.

    A moment is a `datetime.date`, a `datetime.datetime`, or ``{"date": "2024-01-01"}``.

    Examples
    --------
    >>> conditions({"amount": {"gte": 1000, "lt": 5000}})[1]
    Condition(property='amount', comparison='lt', value=5000)
    """
    if where is None:
        return ()
    if not isinstance(where, Mapping):
        raise ParameterError("where is not a map; write one of properties, such as {seconds: {gte: 60}}")
    found = []
    for named, asked in where.items():
        of = check_text(named, "a property of where")
        compared = asked if isinstance(asked, Mapping) and set(asked) != {_DATE} else {"eq": asked}
        if not compared:
            raise ParameterError(f"where.{of} holds no comparison; write one, such as {{gte: 60}}")
        found += [_condition(of, word, value) for word, value in compared.items()]
    if len(found) > _MOST:
        raise ParameterError(f"where holds {len(found)} comparisons, must hold at most {_MOST}; write fewer")
    return tuple(sorted(found, key=lambda each: (each.property, COMPARISONS.index(each.comparison))))


def conditions_given(where: Any) -> tuple[Condition, ...]:
    """Return the conditions of a filter that is a map, or texts as the command line writes them.

    Examples
    --------
    >>> conditions_given(["amount>=1000"]) == conditions_given({"amount": {"gte": 1000}})
    True
    """
    if not isinstance(where, list | tuple):
        return conditions(where)
    if not all(isinstance(each, str) for each in where):
        raise ParameterError(
            "where is a list of other than texts; write conditions such as 'amount>=1000', or a map"
        )
    return conditions(written_conditions(where))


def written_conditions(texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Read conditions as the command line writes them: a property, a sign, a value each; nothing is executed.

    What could be meant as more than one value is refused, for it would be a text that no row has: a quote that is not
    closed, a further sign.

    Parameters
    ----------
    texts : sequence of str
        ``seconds>=60``, ``kind=call``, ``kind in call,text``, ``at>=2024-01-01``. A value in double quotes is a text.

    Raises
    ------
    ParameterError
        One is no condition, or two compare one property in one way.

    Examples
    --------
    >>> written_conditions(["seconds>=60", "kind in call,text", 'code="7"'])
    {'seconds': {'gte': 60}, 'kind': {'in': ['call', 'text']}, 'code': {'eq': '7'}}
    """
    found: dict[str, dict[str, Any]] = {}
    for text in texts:
        for named, compared in _written_condition(text).items():
            kept = found.setdefault(named, {})
            if kept.keys() & compared.keys():
                raise ParameterError(f"where compares {named!r} twice in one way, at {text!r}; leave one out")
            kept |= compared
    return found


def texts_of(where: Mapping[str, Any]) -> list[str]:
    """Return conditions as the command line writes them: what `written_conditions` reads as the same.

    Raises
    ------
    ParameterError
        The command line has no way to write one, such as a text that holds a quote and a comma.

    Examples
    --------
    >>> texts_of({"kind": {"in": ["call", "7"]}, "at": {"gte": {"date": "2024-01-01"}}})
    ['at>=2024-01-01', 'kind in "call","7"']
    """
    signs = {word: sign for sign, word in _SIGNS.items()} | {"in": " in "}
    texts = []
    for each in conditions(where):
        values = each.value if each.comparison == "in" else [each.value]
        text = f"{each.property}{signs[each.comparison]}{','.join(map(_text_of, values))}"
        if not _reads_as(text, each):
            raise ParameterError(
                f"where compares {each.property!r} as no text of a condition says; give a map"
            )
        texts.append(text)
    return texts


def _reads_as(text: str, condition: Condition) -> bool:
    try:
        return conditions(written_conditions([text])) == (condition,)
    except ParameterError:
        return False


def _text_of(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case Moment():
            return value.written
        case str():
            return f'"{value}"'
        case _:
            return repr(value)


def _written_condition(text: str) -> dict[str, dict[str, Any]]:
    named, word, listed = text.partition(" in ")
    if word and not any(sign in named for sign in _SIGNS):
        return {named.strip(): {"in": [_written_value(each) for each in _LISTED.findall(f"{listed},")]}}
    first = min((text.find(sign) for sign in ("<", ">", "=") if sign in text), default=-1)
    if first < 1:
        raise ParameterError(
            f"where is {text!r}, must be a property, a sign and a value, such as 'seconds>=60' or 'kind in call,text'"
        )
    sign = next(each for each in _SIGNS if text.startswith(each, first))
    return {text[:first].strip(): {_SIGNS[sign]: _written_value(text[first + len(sign) :])}}


def _condition(named: str, word: Any, value: Any) -> Condition:
    if word not in COMPARISONS:
        raise ParameterError(
            f"where.{named} compares by {word!r}, must be one of {', '.join(COMPARISONS)}; "
            f"{nearest(str(word), COMPARISONS)}"
        )
    if word == "in":
        if not isinstance(value, list | tuple) or not 0 < len(value) <= _MOST:
            raise ParameterError(f"where.{named}.in must be a list of 1 to {_MOST} values; give one")
        found = [_value(each, named) for each in value]
        if len({isinstance(each, Moment) for each in found}) > 1:
            raise ParameterError(
                f"where.{named}.in holds dates and other values, must hold one kind; give one"
            )
        return Condition(named, word, found)
    compared = _value(value, named)
    if isinstance(compared, bool) and word != "eq":
        raise ParameterError(f"where.{named}.{word} is {compared!r}, which has no order; compare by eq")
    return Condition(named, word, compared)


def _value(value: Any, named: str) -> Any:
    if getattr(getattr(value, "dtype", None), "kind", "") in "biufU" and getattr(value, "shape", None) == ():
        value = value.item()  # a number, truth value or text of numpy
    match value:
        case bool():
            return value
        case str():
            return check_text(value, f"where.{named}")
        case Moment():
            return value
        case date() if (found := moment_of(value)) is not None:
            return found
        case Mapping() if set(value) == {_DATE} and (found := moment_of(value[_DATE])) is not None:
            return found
        case int() if -(2**63) <= value < 2**63:
            return value
        case float() if math.isfinite(value):
            return value
        case _:
            raise ParameterError(
                f"where.{named} holds {value!r}, must be a text, true, false, a finite number, an integer of 64 bits "
                "or a date; give one"
            )


def _written_value(text: str) -> Any:
    bare = text.strip()
    if bare[:1] in ("", *_SIGNS):
        raise ParameterError(
            f"where compares with {text!r}, must be a value; write one, such as 'seconds>=60'"
        )
    if bare in ("true", "false"):
        return bare == "true"
    if bare[:1] == bare[-1:] == '"' and len(bare) > 1:
        return bare[1:-1]
    if '"' in (bare[0], bare[-1]) or any(sign in bare for sign in _SIGNS):
        raise ParameterError(
            f"where compares with {text!r}, must be one value; write a text that holds a sign or a quote in double "
            "quotes, and each condition by itself"
        )
    if (moment := moment_of(bare)) is not None:
        return moment
    for kind in (int, float):
        try:
            return kind(bare) if bare.isascii() and "_" not in bare else bare
        except ValueError:
            continue
    return bare
