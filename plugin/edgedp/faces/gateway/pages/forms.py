"""Forms made of the options of a kind of release, and their values read back."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request

from edgedp.faces.gateway.door.problems import Problem
from edgedp.faces.gateway.kinds import ReleaseKind
from edgedp.release.options import Option
from edgedp.release.plan.named import TypedId
from edgedp.words.amounts.written import decimal_of, whole_of
from edgedp.words.errors import ParameterError

_LABELS = {
    "k": "How many nodes (k)", "of": "What to count", "q": "Quantile (q)", "epsilon": "Epsilon",
    "target_recall": "How good must it be?",
}  # fmt: skip
_MORE = {"pair": " A semicolon stands between ids that hold spaces or commas."}
_FIRST = ("metric", "metrics", "of", "property", "q", "k", "target_recall", "epsilon")
"""Shown at once, in this order; the rest is under "More options"."""


@dataclass(frozen=True)
class Field:
    """A field of a form.

    Attributes
    ----------
    shape : {"choice", "choices", "switch", "whole", "decimal", "text"}
    values : tuple of str
        What stands in it.
    """

    name: str
    label: str
    help: str
    shape: str
    required: bool
    advanced: bool
    choices: tuple[str, ...]
    values: tuple[str, ...]
    empty: str


def fields(
    kind: ReleaseKind,
    given: Mapping[str, Sequence[str]],
    properties: Sequence[str] = (),
    nodes: int | None = None,
) -> list[Field]:
    """Return the fields of a kind's form, those of its example where nothing was given yet.

    Parameters
    ----------
    kind : ReleaseKind
    given : mapping
        Values that stand in the form.
    properties : sequence of str
        The declared properties of the graph's nodes, to choose one of.
    nodes : int, optional
        The public number of nodes; the example asks for no more of them.

    Examples
    --------
    >>> from edgedp.faces.gateway.kinds import kind_at
    >>> [field.name for field in fields(kind_at("top-k"), {}) if not field.advanced]
    ['metric', 'k', 'target_recall', 'epsilon']
    """
    example = {} if given else dict(kind.example())
    if nodes and isinstance(example.get("k"), int):
        example["k"] = min(example["k"], nodes)
    described = sorted(
        kind.described, key=lambda option: _FIRST.index(option.name) if option.name in _FIRST else 99
    )
    made = [_field(option, given.get(option.name), example.get(option.name)) for option in described]
    return [_of_declared(field, properties) if field.name == "property" else field for field in made]


def options_in(kind: ReleaseKind, given: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the options that a form holds; an empty field is the default.

    Raises
    ------
    ParameterError
        What must be a number is none.
    """
    found: dict[str, Any] = {}
    for option in kind.described:
        texts = [text.strip() for text in given.get(option.name, ()) if text.strip()]
        several = option.many or len(option.metavars) > 1
        if option.name == "where":  # a condition may hold commas and spaces
            texts = [part.strip() for text in texts for part in text.split(";") if part.strip()]
        elif several and option.choices is None:
            texts = [part for text in texts for part in _parts(option, text) if part]
        if not texts:
            continue
        values = [_value(option, text) for text in texts]
        found[option.name] = values if several else values[0]
    return found


def _parts(option: Option, text: str) -> list[str]:
    """Return the values of a field of several; an id of a pair may hold spaces and commas beside a semicolon."""
    if option.name == "pair" and ";" in text:
        return [part.strip() for part in text.split(";")]
    return re.split(r"[,;\s]+", text)


async def form_of(request: Request) -> dict[str, list[str]]:
    """Return the fields of a posted form.

    Raises
    ------
    Problem
        415 or 400.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Problem(415, "the body must be a form; use the page", "ParameterError")
    try:
        return parse_qs(
            (await request.body()).decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=200,
        )
    except ValueError:
        raise Problem(400, "the form cannot be read; use the page", "ParameterError") from None


def _of_declared(field: Field, properties: Sequence[str]) -> Field:
    """Let a property be chosen among the declared ones."""
    values = tuple(value for value in field.values if value in properties)
    return dataclasses.replace(field, shape="choice", choices=tuple(properties), values=values)


def _field(option: Option, given: Sequence[str] | None, example: Any) -> Field:
    if option.choices is not None:
        shape = "choices" if option.many else "choice"
    elif option.number is bool:
        shape = "switch"
    elif option.number is int:
        shape = "whole"
    elif option.number is float or option.name in ("epsilon", "target_recall"):
        shape = "decimal"
    else:
        shape = "text"
    shown = example if isinstance(example, (list, tuple)) else [] if example is None else [example]
    text, _, default = option.help.partition("  [default: ")
    return Field(
        name=option.name,
        label=_LABELS.get(option.name, option.name.replace("_", " ").capitalize()),
        help=text.strip() + _MORE.get(option.name, ""),
        shape=shape,
        required=option.required,
        advanced=option.name not in _FIRST and not option.required,
        choices=option.choices or (),
        values=tuple(filter(None, given)) if given is not None else tuple(map(str, shown)),
        empty=f"default: {default.rstrip(']')}" if default else str(option.default or "default"),
    )


def _value(option: Option, text: str) -> Any:
    if option.number is bool:
        return True
    if option.number in (int, float):
        number = whole_of(text) if option.number is int else decimal_of(text)
        if number is None:
            raise ParameterError(f"{option.name} is {text[:40]!r}, must be a number; write one")
        return option.number(number)
    return TypedId(text) if option.name in ("node", "pair") else text
