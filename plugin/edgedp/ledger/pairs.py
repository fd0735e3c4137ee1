"""Which relationships of a database make an edge: several labels and types, a direction, a filter, parallels.

Each rule is *pair-local*: whether two nodes are joined is a function of the relationships between these two and of
public facts alone. So everything that lies between two nodes moves one edge, and what is released of the graph
protects all of it together. A rule that joins relationships of different pairs cannot be said here.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from edgedp.graph.weights import Weighting, weighting_of
from edgedp.mechanisms.checks import check_text, nearest
from edgedp.release.conditions import Condition, conditions, where_of
from edgedp.words.errors import ParameterError
from edgedp.words.shown import shortened
from edgedp.words.vocabulary import is_word

Orientation = Literal["UNDIRECTED", "MUTUAL", "NATURAL", "REVERSE"]
"""What of a relationship's direction makes an edge, in the words of Neo4j's graph data science."""

ORIENTATIONS: tuple[Orientation, ...] = get_args(Orientation)

ARCS: tuple[Orientation, ...] = ("NATURAL", "REVERSE")
"""Those that give a graph with directions."""

ALTERNATIVES = "\0"
"""Between names that are alternatives of each other; no name holds it (`statements.queries.quote_identifier`)."""

_MOST = 100
_MOST_RELATIONSHIPS = 2**31
"""More parallels than a database holds between two nodes; the counts stay far within 64 bits."""


@dataclass(frozen=True)
class PairProjection:
    """What makes an edge of the relationships between two nodes.

    Attributes
    ----------
    labels, types : tuple of str
        A node has one of the labels, a relationship one of the types; ascending. None of rows of a file.
    orientation : {"UNDIRECTED", "MUTUAL", "NATURAL", "REVERSE"}
        Either way; both ways; or an arc, as it is stored or turned round.
    where : tuple of Condition
        All must hold.
    at_least : int
        How many relationships make an edge; of an arc those of its direction, otherwise those of the pair.
    candidates : str or None
        The label whose nodes are ranked, or the side of a file; relationships between two of them are left out.
    of : str or None
        The loaded graph whose rows are read; None of a database, and of rows at an address.
    weight : Weighting or None
        What is declared of the relationships' weights, with the property, or the column, that holds them.
    """

    labels: tuple[str, ...]
    types: tuple[str, ...]
    orientation: Orientation = "UNDIRECTED"
    where: tuple[Condition, ...] = ()
    at_least: int = 1
    candidates: str | None = None
    of: str | None = None
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
        named = self.every and len(self.labels) == len(self.types) == 1
        return named and self.candidates is None and self.weight is None

    @property
    def properties(self) -> tuple[str, ...]:
        """The properties, or columns, that it reads: those that conditions compare, and the one of the weight.

        Examples
        --------
        >>> rows_projection(None, where={"at": 1}, weight={"property": "amount", "cap": 9}).properties
        ('at', 'amount')
        """
        named = [each.property for each in self.where]
        held = None if self.weight is None else self.weight.of_property
        return tuple(dict.fromkeys([*named, *([] if held is None else [str(held)])]))

    def to_dict(self) -> dict[str, Any]:
        """Return it as answers and the registry show it; what is as it is without saying is left out."""
        where = where_of(self.where)
        return {
            **({"node_labels": list(self.labels)} if self.labels else {}),
            **({"relationship_types": list(self.types)} if self.types else {}),
            **({} if self.of is None else {"of": self.of}),
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
            named = (kept.pop("node_labels", None), kept.pop("relationship_types", None))
            rules = (
                kept.pop("orientation", "UNDIRECTED"), kept.pop("where", None), kept.pop("at_least", 1),
                kept.pop("candidates", None), kept.pop("weight", None),
            )  # fmt: skip
            of = kept.pop("of", None)
            of_rows = of is not None or named == (None, None)
            made = rows_projection(of, *rules) if of_rows else projection_of(*named, *rules)
        except (ValueError, TypeError, AttributeError, KeyError):
            raise ParameterError("the projection cannot be read; register the graph again") from None
        if kept:
            raise ParameterError("the projection has a key that is not known; register the graph again")
        return made


def rows_projection(
    of: str | None,
    orientation: Any = "UNDIRECTED",
    where: Any = None,
    at_least: Any = 1,
    candidates: Any = None,
    weight: Any = None,
) -> PairProjection:
    """Return which rows of a file make an edge, from what a curator writes.

    Parameters
    ----------
    of : str or None
        The loaded graph whose rows they are; None of rows at an address.
    orientation, where, at_least
        As of `projection_of`.
    candidates : str, optional
        The side whose nodes are ranked, of a file whose ends are of different kinds (``film`` of ``film:7``).
    weight : mapping, optional
        Of what is declared, with the column that holds the weights.

    Raises
    ------
    ParameterError

    Examples
    --------
    >>> rows_projection("payments", where={"amount": {"gte": 1000}}).to_dict()
    {'of': 'payments', 'where': {'amount': {'gte': 1000}}}
    """
    side = None if candidates is None else check_text(candidates, "candidates")
    found = _orientation(orientation)
    return PairProjection(
        (), (), found, conditions(where), _at_least(at_least, "at_least"), side, of, _weight(weight)
    )


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
        weight=_weight(weight),
    )


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
            f"{name} is '*', must name what is meant, because '*' would also mean whatever is added later; "
            "list the names"
        )
    if "|" in text:
        listed = ", ".join(repr(part) for part in text.split("|"))
        raise ParameterError(f"{name} is {text!r}, must not hold '|'; give a list, [{listed}]")
    return text


def _orientation(value: Any) -> Orientation:
    asked = value.upper() if isinstance(value, str) else None
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


def _weight(value: Any) -> Weighting | None:
    if value is None:
        return None
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
    if not is_word(value, *labels) or len(labels) < 2:
        raise ParameterError(
            f"candidates is {shortened(repr(value))}, must be one of two or more labels of the nodes, whose nodes are "
            "ranked; choose another, or ask without it to rank all"
        )
    return str(value)
