"""Which relationships of a database make an edge: several labels and types, a direction, a filter, parallels.

Each rule is *pair-local*: whether two nodes are joined is a function of the relationships between these two and of
public facts alone. So everything that lies between two nodes moves one edge, and what is released of the graph
protects all of it together. A rule that joins relationships of different pairs cannot be said here.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from edgedp.graph.weights import Weighting, weighting_of
from edgedp.mechanisms.checks import check_text, nearest
from edgedp.words.errors import ParameterError

__all__ = [
    "ALTERNATIVES",
    "ARCS",
    "COMPARISONS",
    "ORIENTATIONS",
    "Condition",
    "Orientation",
    "PairProjection",
    "conditions",
    "projection_of",
    "written_conditions",
]

Orientation = Literal["UNDIRECTED", "MUTUAL", "NATURAL", "REVERSE"]
"""What of a relationship's direction makes an edge, in the words of Neo4j's graph data science."""

ORIENTATIONS: tuple[Orientation, ...] = get_args(Orientation)

ARCS: tuple[Orientation, ...] = ("NATURAL", "REVERSE")
"""Those that give a graph with directions."""

COMPARISONS = ("eq", "in", "gte", "gt", "lte", "lt")
"""How a condition compares a property with its value."""

ALTERNATIVES = "\0"
"""Between names that are alternatives of each other; no name holds it (`statements.queries.quote_identifier`)."""

_SIGNS = {">=": "gte", "<=": "lte", ">": "gt", "<": "lt", "=": "eq"}
_MOST = 100
_MOST_RELATIONSHIPS = 2**31
"""More parallels than a database holds between two nodes; the counts stay far within 64 bits."""


@dataclass(frozen=True)
class Condition:
    """A comparison of a relationship's own property with a public constant.

    What the relationship lacks, or has of another type, does not hold.
    """

    property: str
    comparison: str
    value: Any

    def to_dict(self) -> dict[str, Any]:
        """Return what the statement compares."""
        return {"property": self.property, "comparison": self.comparison, "value": self.value}


@dataclass(frozen=True)
class PairProjection:
    """What makes an edge of the relationships between two nodes.

    Attributes
    ----------
    labels, types : tuple of str
        A node has one of the labels, a relationship one of the types; ascending.
    orientation : {"UNDIRECTED", "MUTUAL", "NATURAL", "REVERSE"}
        Either way; both ways; or an arc, as it is stored or turned round.
    where : tuple of Condition
        All must hold.
    at_least : int
        How many relationships make an edge; of an arc those of its direction, otherwise those of the pair.
    candidates : str or None
        The label whose nodes are ranked; relationships between two of them are left out.
    weight : Weighting or None
        What is declared of the relationships' weights, with the property that holds them.
    """

    labels: tuple[str, ...]
    types: tuple[str, ...]
    orientation: Orientation = "UNDIRECTED"
    where: tuple[Condition, ...] = ()
    at_least: int = 1
    candidates: str | None = None
    weight: Weighting | None = None

    @property
    def directed(self) -> bool:
        """Whether the graph has directions."""
        return self.orientation in ARCS

    @property
    def every(self) -> bool:
        """Whether each relationship of the types is an edge, whatever its direction."""
        return self.orientation == "UNDIRECTED" and self.each_joins

    @property
    def each_joins(self) -> bool:
        """Whether one relationship of the types, either way, joins two nodes; so a directed graph is read undirected.

        Examples
        --------
        >>> [PairProjection(("A",), ("R",), word).each_joins for word in ORIENTATIONS]
        [True, False, True, True]
        >>> PairProjection(("A",), ("R",), at_least=2).each_joins
        False
        >>> PairProjection(("A",), ("R",), where=conditions({"x": 1})).each_joins
        False
        """
        return self.orientation != "MUTUAL" and not self.where and self.at_least == 1

    @property
    def plain(self) -> bool:
        """Whether it is the graph of one label and one type, as graphs were before there were projections."""
        return self.every and len(self.labels) == len(self.types) == 1 and self.weight is None

    def to_dict(self) -> dict[str, Any]:
        """Return it as answers and the registry show it; what is as it is without saying is left out."""
        where: dict[str, dict[str, Any]] = {}
        for condition in self.where:
            where.setdefault(condition.property, {})[condition.comparison] = condition.value
        return {
            "node_labels": list(self.labels),
            "relationship_types": list(self.types),
            **({} if self.orientation == "UNDIRECTED" else {"orientation": self.orientation}),
            **({"where": where} if where else {}),
            **({} if self.at_least == 1 else {"at_least": self.at_least}),
            **({} if self.candidates is None else {"candidates": self.candidates}),
            **({} if self.weight is None else {"weight": self.weight.to_dict()}),
        }

    def to_json(self) -> str | None:
        """Return it as the registry keeps it; None of a plain one.

        Examples
        --------
        >>> PairProjection(("A",), ("R",)).to_json() is None
        True
        """
        return None if self.plain else json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def of_json(cls, text: str) -> PairProjection:
        """Read what `to_json` has written.

        Raises
        ------
        ParameterError
            Somebody has edited it.

        Examples
        --------
        >>> PairProjection.of_json('{"node_labels": ["A"], "relationship_types": ["R", "S"], "at_least": 2}').types
        ('R', 'S')
        """
        try:
            kept = json.loads(text)
            made = projection_of(
                kept.pop("node_labels"), kept.pop("relationship_types"), kept.pop("orientation", "UNDIRECTED"),
                kept.pop("where", None), kept.pop("at_least", 1), kept.pop("candidates", None),
                kept.pop("weight", None),
            )  # fmt: skip
        except (ValueError, TypeError, AttributeError, KeyError):
            raise ParameterError("the projection cannot be read; register the graph again") from None
        if kept:
            raise ParameterError("the projection has a key that is not known; register the graph again")
        return made


def projection_of(
    labels: Any,
    types: Any,
    orientation: Any = "UNDIRECTED",
    where: Any = None,
    at_least: Any = 1,
    candidates: Any = None,
    weight: Any = None,
    *,
    names: Sequence[str] = ("node_label", "relationship_type", "at_least"),
) -> PairProjection:
    """Return what makes an edge, from what a curator writes.

    Parameters
    ----------
    labels, types : str or list of str
    orientation : str
        In either case.
    where : mapping, optional
        Of a property to a value, or to a mapping of comparisons to values.
    at_least : int
    candidates : str, optional
        One of several labels.
    weight : mapping, optional
        Of what is declared (`edgedp.graph.weights.weighting_of`), with the property that holds the weights.
    names : three of str
        How labels, types and the last are called in what is refused.

    Raises
    ------
    ParameterError

    Examples
    --------
    >>> made = projection_of(["B", "A", "B"], "R", "mutual", {"seconds": {"gte": 60}, "kind": "call"}, 2)
    >>> made.labels, made.orientation, [each.comparison for each in made.where]
    (('A', 'B'), 'MUTUAL', ['eq', 'gte'])
    """
    found = _alternatives(labels, names[0])
    return PairProjection(
        found,
        _alternatives(types, names[1]),
        _orientation(orientation),
        conditions(where),
        _at_least(at_least, names[2]),
        None if candidates is None else _candidates(candidates, found),
        None if weight is None else _weight(weight),
    )


def conditions(where: Any) -> tuple[Condition, ...]:
    """Return the conditions of a filter, in an order of their own.

    Examples
    --------
    >>> conditions({"amount": {"gte": 1000, "lt": 5000}})[1].to_dict()
    {'property': 'amount', 'comparison': 'lt', 'value': 5000}
    """
    if where is None:
        return ()
    if not isinstance(where, Mapping):
        raise ParameterError("where is not a map; write one of properties, such as {seconds: {gte: 60}}")
    found = []
    for named, asked in where.items():
        of = check_text(named, "a property of where")
        compared = asked if isinstance(asked, Mapping) else {"eq": asked}
        if not compared:
            raise ParameterError(f"where.{of} holds no comparison; write one, such as {{gte: 60}}")
        found += [_condition(of, word, value) for word, value in compared.items()]
    if len(found) > _MOST:
        raise ParameterError(f"where holds {len(found)} comparisons, must hold at most {_MOST}; write fewer")
    return tuple(sorted(found, key=lambda each: (each.property, COMPARISONS.index(each.comparison))))


def written_conditions(texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Read conditions as the command line writes them: a property, a sign, a value each; nothing is executed.

    Parameters
    ----------
    texts : sequence of str
        ``seconds>=60``, ``kind=call``, ``kind in call,text``. A value in double quotes is a text.

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


def _written_condition(text: str) -> dict[str, dict[str, Any]]:
    named, word, listed = text.partition(" in ")
    if word and not any(sign in named for sign in _SIGNS):
        return {named.strip(): {"in": [_written_value(each) for each in listed.split(",")]}}
    first = min((text.find(sign) for sign in ("<", ">", "=") if sign in text), default=-1)
    if first < 1:
        raise ParameterError(
            f"where is {text!r}, must be a property, a sign and a value, such as 'seconds>=60' or 'kind in call,text'"
        )
    sign = next(each for each in _SIGNS if text.startswith(each, first))
    return {text[:first].strip(): {_SIGNS[sign]: _written_value(text[first + len(sign) :])}}


def _alternatives(value: Any, name: str) -> tuple[str, ...]:
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list | tuple) or not given:
        raise ParameterError(f"{name} is {value!r}, must be a text, or a list of texts; give one or more")
    if len(given) > _MOST:
        raise ParameterError(f"{name} holds {len(given)} names, must hold at most {_MOST}; give fewer")
    return tuple(sorted({_name(each, name) for each in given}))


def _name(value: Any, name: str) -> str:
    text = check_text(value, name)
    if text == "*":
        raise ParameterError(
            f"{name} is '*', must name what is meant, for what the database gets later would join it; "
            "give a list of names"
        )
    if "|" in text:
        listed = ", ".join(repr(part) for part in text.split("|"))
        raise ParameterError(f"{name} is {text!r}, must not hold '|'; give a list, [{listed}]")
    return text


def _orientation(value: Any) -> Orientation:
    asked = value.upper() if isinstance(value, str) else value
    for each in ORIENTATIONS:
        if asked == each:
            return each
    words = [each.lower() for each in ORIENTATIONS]
    raise ParameterError(
        f"orientation is {value!r}, must be one of {', '.join(words)}; {nearest(str(value).lower(), words)}"
    )


def _at_least(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < _MOST_RELATIONSHIPS:
        raise ParameterError(f"{name} is {value!r}, must be an integer of 1 or more; choose another")
    return value


def _weight(value: Any) -> Weighting:
    made = weighting_of(value)
    if isinstance(made.of_property, str):
        return dataclasses.replace(made, of_property=check_text(made.of_property, "weight.property"))
    if made.of_property is None and made.aggregation == "COUNT":
        return made
    raise ParameterError(
        "weight names no property, and needs one, which holds what a relationship weighs; name it, such as "
        "{property: 'amount', cap: 1000}"
    )


def _candidates(value: Any, labels: tuple[str, ...]) -> str:
    if value not in labels or len(labels) < 2:
        raise ParameterError(
            f"candidates is {value!r}, must be one of two or more labels of the nodes, whose nodes are ranked; "
            "choose another, or ask without it to rank all"
        )
    return str(value)


def _condition(named: str, word: Any, value: Any) -> Condition:
    if word not in COMPARISONS:
        raise ParameterError(
            f"where.{named} compares by {word!r}, must be one of {', '.join(COMPARISONS)}; "
            f"{nearest(str(word), COMPARISONS)}"
        )
    if word == "in":
        if not isinstance(value, list | tuple) or not 0 < len(value) <= _MOST:
            raise ParameterError(f"where.{named}.in must be a list of 1 to {_MOST} values; give one")
        return Condition(named, word, [_value(each, named) for each in value])
    if isinstance(value, bool) and word != "eq":
        raise ParameterError(f"where.{named}.{word} is {value!r}, which has no order; compare by eq")
    return Condition(named, word, _value(value, named))


def _value(value: Any, named: str) -> Any:
    match value:
        case bool():
            return value
        case str():
            return check_text(value, f"where.{named}")
        case int() if -(2**63) <= value < 2**63:
            return value
        case float() if math.isfinite(value):
            return value
        case _:
            raise ParameterError(
                f"where.{named} holds {value!r}, must be a text, true, false, a finite number or an integer of 64 "
                "bits; give one"
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
    for kind in (int, float):
        try:
            return kind(bare) if bare.isascii() and "_" not in bare else bare
        except ValueError:
            continue
    return bare
