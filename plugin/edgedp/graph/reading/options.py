"""What a caller may say about a file instead of having it detected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from edgedp.graph.weights import Weighting, weighting_of
from edgedp.words.amounts.written import whole_of
from edgedp.words.errors import ParameterError
from edgedp.words.shown import kind_of
from edgedp.words.vocabulary import is_word

Column = str | int
"""A column, by its name in the header or by its number from 1."""
Ids = Literal["integer", "text"]

_MOST_COLUMNS = 50
_SEPARATOR_WORDS = {
    "tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "spaces": " ", "bar": "|",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadingOptions:
    """What is not to be detected, as of `edgedp.read_graph`; None is detected.

    Here a separator is one character, of which a space stands for any run of blanks; the signs of `comments` are bytes,
    and there are no comments where it is empty; a column is a name or a number from 1. An empty tuple of `columns`
    keeps only the rows.
    """

    source: Column | None = None
    target: Column | None = None
    header: bool | None = None
    nodes_header: bool | None = None
    separator: str | None = None
    ids: Ids | None = None
    comments: tuple[bytes, ...] | None = None
    bipartite: bool | None = None
    one_kind: bool | None = None
    labels: bool | None = None
    table: str | None = None
    query: str | None = None
    date: Column | None = None
    date_unit: Literal["s", "ms"] | None = None
    columns: tuple[Column, ...] | None = None
    weight: Weighting | None = None
    directed: bool = False
    refresh: bool = False

    @property
    def beside(self) -> tuple[Column, ...] | None:
        """The columns that are read for themselves: those that are kept, and last that of the weights; None for none.

        Examples
        --------
        >>> checked_options(columns="at", weight={"property": "amount", "cap": 9}).beside
        ('at', 'amount')
        """
        weighed = None if self.weight is None else self.weight.of_property
        if weighed is None or weighed in (self.columns or ()):
            return self.columns
        return (*(self.columns or ()), weighed)

    def given(self, *names: str) -> str | None:
        """Return the first of these options that the caller has set."""
        return next((name for name in names if getattr(self, name) is not None), None)

    def as_given(self) -> dict[str, Any]:
        """Return what was set, as `checked_options` takes it; what holds for one load only is left out.

        Examples
        --------
        >>> checked_options(separator=";", comments="none", directed=True, refresh=True).as_given()
        {'separator': ';', 'comments': 'none', 'directed': True}
        """
        told = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "refresh"}
        if self.comments is not None:
            told["comments"] = b"".join(self.comments).decode() or "none"
        told["directed"] = self.directed or None
        told["columns"] = None if self.columns is None else list(self.columns)
        told["weight"] = None if self.weight is None else self.weight.to_dict()
        return {name: value for name, value in told.items() if value is not None}

    def check_no_nodes(self) -> None:
        """Refuse what is said of a file of nodes where none is read."""
        if self.nodes_header is not None:
            raise ParameterError(
                "nodes_header is given without a file of nodes; give the file (nodes), or read without this option"
            )

    def of_nodes(self) -> ReadingOptions:
        """Return the options that hold for the list of nodes as well."""
        return ReadingOptions(
            header=self.nodes_header, ids=self.ids, comments=self.comments, refresh=self.refresh
        )


def checked_options(**given: Any) -> ReadingOptions:
    """Return the options of a caller, those of `ReadingOptions`, or refuse one of them in one line.

    Examples
    --------
    >>> checked_options(separator="tab", source=" 2", target="payee").source
    2
    """
    if unknown := next((name for name in given if name not in _READ), None):
        raise TypeError(f"there is no option {unknown!r}; give one of {', '.join(_READ)}")
    read: dict[str, Any] = {
        name: value if value is None and name not in _ALWAYS else _READ[name](value, name)
        for name, value in given.items()
    }
    made = ReadingOptions(**read)
    for holds, sentence in _AGAINST:
        if holds(made):
            raise ParameterError(sentence.format(o=made))
    weighed = None if made.weight is None else made.weight.of_property
    for name, column in (
        ("date", made.date),
        *(("columns", each) for each in made.columns or ()),
        ("weight", weighed),
    ):
        if column is not None and column in (made.source, made.target):
            raise ParameterError(f"{name} is {column!r}, must be another column than the ends; name it")
    return made


_AGAINST: tuple[tuple[Callable[[ReadingOptions], object], str], ...] = (
    (
        lambda o: o.source is not None and o.target is None,
        "source is given without target; name both columns",
    ),
    (
        lambda o: o.source is None and o.target is not None,
        "target is given without source; name both columns",
    ),
    (
        lambda o: o.source is not None and o.source == o.target,
        "target is {o.target!r}, must be another column than source; name both ends",
    ),
    (
        lambda o: o.header is False and (isinstance(o.source, str) or isinstance(o.target, str)),
        "source and target are names, must be numbers where no line names the columns; count from 1",
    ),
    (
        lambda o: o.date_unit is not None and o.date is None,
        "date_unit is given without date; name the column of the dates",
    ),
    (
        lambda o: o.bipartite and o.one_kind,
        "bipartite and one_kind contradict each other; give one of them",
    ),
)
"""What contradicts itself, and the sentence that refuses it."""


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        rest = ", False or None; read it without this option"
        if name in ("bipartite", "one_kind", *_ALWAYS):
            rest = " or False; give one of them"
        raise ParameterError(f"{name} is {kind_of(value)}, must be True{rest}")
    return value


def _kind(value: Any, name: str) -> bool | None:
    return _flag(value, name) or None


def _text(value: Any, name: str) -> str:
    if not (isinstance(value, str) and value.strip()):
        raise ParameterError(
            f"{name} is {kind_of(value)}, must be a text that is not empty; read it without this option"
        )
    return value


def _one_of(*words: str) -> Callable[[Any, str], Any]:
    def read(value: Any, name: str) -> Any:
        if not is_word(value, *words):
            listed = " or ".join(map(repr, words))
            raise ParameterError(f"{name} is {_told(value)}, must be {listed}; choose one of them")
        return value

    return read


def _weighting(weight: Any, name: str) -> Weighting:
    """Return what is declared of weights, with their column by its name or its number from 1."""
    made = weighting_of(weight)
    column = _column(made.of_property, name)
    if column is None and made.aggregation != "COUNT":
        raise ParameterError(
            "weight names no column, and needs the one that holds what a row weighs; name it (property, or --weight)"
        )
    return replace(made, of_property=column)


def _columns(value: Any, name: str) -> tuple[Column, ...]:
    """Return the columns that are kept, once each."""
    listed = value.split(",") if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or len(listed) > _MOST_COLUMNS:
        raise ParameterError(
            f"{name} is {_told(value)}, must name {_MOST_COLUMNS} columns at most; name fewer"
        )
    found = [_column(each.strip() if isinstance(each, str) else each, "a name of columns") for each in listed]
    if None in found or len(set(found)) < len(found):
        raise ParameterError(f"{name} is {_told(value)}, must name every column once; name others")
    return tuple(each for each in found if each is not None)


def _told(value: object) -> str:
    return repr(value) if isinstance(value, str) and len(value) < 40 else kind_of(value)


def _column(value: Any, name: str) -> Column | None:
    if isinstance(value, str) and (number := whole_of(value.strip(" "))) is not None:
        value = number
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 1:
            raise ParameterError(f"{name} is {value}, must be at least 1; columns are counted from 1")
        return value
    if value is None or (isinstance(value, str) and value.strip()):
        return value
    raise ParameterError(f"{name} is {_told(value)}, must be the name of a column or its number; name it")


def _separator(value: Any, name: str) -> str:
    value = _SEPARATOR_WORDS.get(value, value) if isinstance(value, str) else value
    accepted = isinstance(value, str) and len(value) == 1 and value.isascii()
    if not accepted or value.isalnum() or value in '"\n\r\0+-_.':
        raise ParameterError(
            f"{name} is {_told(value)}, must be one character such as , ; | or one of tab, comma, semicolon, "
            "space; convert a file with a longer one"
        )
    return str(value)


def _comments(value: Any, name: str) -> tuple[bytes, ...]:
    if is_word(value, "none", ""):
        return ()
    if isinstance(value, str) and len(value) <= 8 and value.isascii() and not value.strip().isalnum():
        signs = tuple(sign.encode() for sign in value if not sign.isspace())
        if signs and not any(sign.isalnum() or sign in b'"+-' for sign in signs):
            return signs
    raise ParameterError(
        f"{name} is {_told(value)}, must be the signs that begin a comment, such as # or #%, or none; give them"
    )


_ALWAYS = ("directed", "refresh")
"""Options that are never left open."""
_READ: Mapping[str, Callable[[Any, str], Any]] = {
    **dict.fromkeys(("source", "target", "date"), _column),
    **dict.fromkeys(("header", "nodes_header", "labels", *_ALWAYS), _flag),
    **dict.fromkeys(("bipartite", "one_kind"), _kind),
    **dict.fromkeys(("table", "query"), _text),
    "separator": _separator,
    "comments": _comments,
    "ids": _one_of("integer", "text"),
    "date_unit": _one_of("s", "ms"),
    "columns": _columns,
    "weight": _weighting,
}
"""What reads each option that is given."""
OPTIONS = tuple(_READ)
"""Their names."""
