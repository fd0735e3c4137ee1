"""The one table of values: what each reader must answer for a value and a condition."""

from __future__ import annotations

import datetime
import tomllib
from pathlib import Path
from typing import Any

__all__ = ["BOUNDS", "QUESTIONS", "VALUES", "kind_of", "written"]

_TABLE = tomllib.loads(Path(__file__).with_name("value_table.toml").read_text(encoding="utf-8"))
_HOLD = {"eq": "=", "gte": "=>", "gt": ">", "lte": "<=", "lt": "<"}

BOUNDS: list[Any] = _TABLE["bounds"]
VALUES: list[Any] = [row["is"] for row in _TABLE["value"]]

QUESTIONS: list[tuple[str, Any, list[bool]]] = [
    (word, bound, [row["signs"][at] in signs for row in _TABLE["value"]])
    for at, bound in enumerate(BOUNDS)
    for word, signs in _HOLD.items()
    if word == "eq" or not isinstance(bound, bool)
]
"""A comparison, a bound, and for each value whether it holds."""


def kind_of(value: Any) -> str:
    """Return the type of a value as columns have it."""
    match value:
        case bool():
            return "BOOLEAN"
        case int():
            return "INTEGER"
        case float():
            return "FLOAT"
        case str():
            return "TEXT"
        case datetime.date():  # or a datetime, which is one
            return "MOMENT"
        case _:
            raise AssertionError(type(value))


def written(value: Any) -> str:
    """Return a value as a text file holds it."""
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, datetime.date) else str(value)
