"""The kinds of release as the gateway shows them: made of `edgedp.release.options`, whatever kinds there are.

A kind is a word of `edgedp.words.vocabulary.KINDS`, its options are a class of `edgedp.release.options`, and a store
has a method of its name. A new kind has an endpoint, a schema, a form and a client's method by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from edgedp.mechanisms.checks import check_choice
from edgedp.release.options import Option, Options
from edgedp.release.plan import options_of
from edgedp.words.amounts.written import UNSIGNED
from edgedp.words.vocabulary import GRAPH_ENGINES, KINDS, AccountName, Kind


@dataclass(frozen=True)
class ReleaseKind:
    """A kind of release as faces need it.

    Attributes
    ----------
    kind : str
        In the word that ledgers keep, which is also the method of a store.
    options : type of Options
        What may be asked of it.
    """

    kind: Kind
    options: type[Options]

    @property
    def path(self) -> str:
        """The last part of its endpoint."""
        return self.options.path()

    @property
    def title(self) -> str:
        """What pages call it."""
        return self.options.TITLE

    @property
    def account(self) -> AccountName:
        """Which of a graph's accounts it debits first."""
        return "attributes" if self.kind == "percentile" else "edges"

    @property
    def described(self) -> tuple[Option, ...]:
        """What may be asked."""
        return self.options.described()

    def asked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a request's body asks for, as arguments of the store's method; null is the default.

        The engine alone is never null.

        Raises
        ------
        EdgeDPError
            An option is not known, one without a default is missing, or the engine is none that a gateway has.

        Examples
        --------
        >>> kind_at("summary").asked({"epsilon": 1, "engine": "spark"})
        Traceback (most recent call last):
        edgedp.UnknownNameError: engine is 'spark', must be one of native, igraph; choose one of these
        """
        options, computed = dict(given), {}
        if self.options.COMPUTES and "engine" in options:
            computed = {"engine": check_choice(options.pop("engine"), "engine", GRAPH_ENGINES)}
        self.options.given(options)
        return {name: value for name, value in options.items() if value is not None} | computed

    def example(self) -> dict[str, Any]:
        """Return a request that stands in the documentation."""
        return dict(self.options.EXAMPLE)

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of a request's body.

        Examples
        --------
        >>> kind_at("top-k").schema()["required"]
        ['metric', 'k', 'epsilon']
        """
        properties = {option.name: _property(option) for option in self.described}
        if self.options.COMPUTES:
            properties["engine"] = {
                "enum": [*GRAPH_ENGINES],
                "default": GRAPH_ENGINES[0],
                "description": "What computes; never what is drawn.",
            }
        return {
            "type": "object",
            "additionalProperties": False,
            "required": [option.name for option in self.described if option.required],
            "properties": properties,
            "examples": [self.example()],
        }


@cache
def release_kinds() -> tuple[ReleaseKind, ...]:
    """Return every kind of release that the package has.

    Examples
    --------
    >>> [each.path for each in release_kinds()][:2]
    ['top-k', 'motkin']
    """
    return tuple(ReleaseKind(kind, options_of(kind)) for kind in KINDS)


def kind_at(path: str) -> ReleaseKind:
    """Return the kind of an endpoint.

    Raises
    ------
    KeyError
        There is none.
    """
    return {each.path: each for each in release_kinds()}[path]


def _property(option: Option) -> dict[str, Any]:
    item: dict[str, Any]
    if option.choices is not None:
        item = {"enum": [*option.choices]}
    elif option.number is bool:
        item = {"type": "boolean"}
    elif option.number is int:
        item = {"type": "integer", "minimum": 1}
    elif option.number is float:
        item = {"type": "number"}
    elif option.name == "epsilon":
        item = {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0},
                {"type": "string", "pattern": rf"^\+?{UNSIGNED}$"},
            ]
        }
    elif option.name == "where":
        texts = {"type": "array", "items": {"type": "string"}}
        return {"anyOf": [{"type": "object"}, texts, {"type": "null"}], "description": option.help}
    else:
        item = {}
    shape = {"type": "array", "items": item, "minItems": 1} if option.many else item
    if not option.required:
        shape = {"anyOf": [shape, {"type": "null"}]} if shape else {}
        if option.default is not None:
            shape["default"] = option.default
    return shape | {"description": option.help.replace("  ", " ")}
