"""What a caller may say about a file instead of having it detected."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from edgedp.graph.weights import Weighting, weighting_of
from edgedp.words.amounts.written import whole_of
from edgedp.words.errors import ParameterError
from edgedp.words.shown import kind_of

__all__ = ["Column", "Ids", "ReadingOptions", "checked_options"]

Column = str | int
"""A column, by its name in the header or by its number from 1."""
Ids = Literal["integer", "text"]

_MOST_COLUMNS = 50
_SEPARATOR_WORDS = {
    "tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "spaces": " ", "bar": "|",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadingOptions:
    """What is not to be detected; None is detected.

    Parameters
    ----------
    source, target : str or int or None
        The columns of the two ends: names, or numbers from 1.
    header, nodes_header : bool or None
        Whether the first line names the columns, of the edges and of the list of nodes.
    separator : str or None
        One character; a space stands for any run of blanks.
    ids : {"integer", "text"} or None
        How ids are taken.
    comments : tuple of bytes or None
        What a line of comment starts with; none of them where it is empty.
    bipartite, one_kind : bool or None
        Whether the two sides are of different kinds, whose ids are kept apart, or of one; None asks in doubt.
    labels : bool or None
        Whether nodes of GML, GEXF, GraphML and Pajek go by their labels, or by their ids; None asks where both differ.
    table, query : str or None
        What is read of a database.
    date : str or int or None
        The column that holds the date of each row: its name, or its number from 1.
    date_unit : {"s", "ms"} or None
        What its numbers count since 1970 began in UTC; None for dates as ISO 8601 writes them.
    columns : tuple of str or int, or None
        The columns that are kept beside the edges, by name or by number from 1: what filters compare. An empty tuple
        keeps the rows alone.
    weight : Weighting or None
        What is declared of the rows' weights, with the column that holds them.
    directed : bool
        Whether directions are kept: from the source to the target.
    refresh : bool
        Fetch an address anew, whatever the cache holds.
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

    def of_nodes(self) -> ReadingOptions:
        """Return the options that hold for the list of nodes as well."""
        return ReadingOptions(
            header=self.nodes_header, ids=self.ids, comments=self.comments, refresh=self.refresh
        )


def checked_options(
    *,
    source: Any = None,
    target: Any = None,
    header: Any = None,
    nodes_header: Any = None,
    separator: Any = None,
    ids: Any = None,
    comments: Any = None,
    bipartite: Any = None,
    one_kind: Any = None,
    labels: Any = None,
    table: Any = None,
    query: Any = None,
    date: Any = None,
    date_unit: Any = None,
    columns: Any = None,
    weight: Any = None,
    directed: Any = False,
    refresh: Any = False,
) -> ReadingOptions:
    """Return the options of a caller, or refuse one of them in one line.

    Examples
    --------
    >>> checked_options(separator="tab", source=" 2", target="payee").source
    2
    """
    source, target = _column(source, "source"), _column(target, "target")
    if (source is None) != (target is None):
        missing, there = ("target", "source") if target is None else ("source", "target")
        raise ParameterError(f"{there} is given without {missing}; name both columns")
    date = _column(date, "date")
    if date_unit not in (None, "s", "ms"):
        raise ParameterError(f"date_unit is {_told(date_unit)}, must be 's' or 'ms'; choose one of them")
    if date_unit is not None and date is None:
        raise ParameterError("date_unit is given without date; name the column of the dates")
    if date is not None and date in (source, target):
        raise ParameterError(f"date is {date!r}, must be another column than the ends; name it")
    kept = _kept(columns, (source, target))
    weighting = None if weight is None else _weighting(weight, (source, target))
    if source is not None and source == target:
        raise ParameterError(f"target is {target!r}, must be another column than source; name both ends")
    for name, value in (("header", header), ("nodes_header", nodes_header), ("labels", labels)):
        if value is not None and not isinstance(value, bool):
            raise ParameterError(
                f"{name} is {kind_of(value)}, must be True, False or None; read it without this option"
            )
    if header is False and (isinstance(source, str) or isinstance(target, str)):
        raise ParameterError(
            "source and target are names, must be numbers where no line names the columns; count from 1"
        )
    if ids is not None and ids not in ("integer", "text"):
        raise ParameterError(f"ids is {_told(ids)}, must be 'integer' or 'text'; choose one of them")
    for name, value in (("bipartite", bipartite), ("one_kind", one_kind)):
        if value is not None and not isinstance(value, bool):
            raise ParameterError(f"{name} is {kind_of(value)}, must be True or False; give one of them")
    for name, value in (("table", table), ("query", query)):
        if value is not None and not (isinstance(value, str) and value.strip()):
            raise ParameterError(
                f"{name} is {kind_of(value)}, must be a text that is not empty; read it without this option"
            )
    if bipartite and one_kind:
        raise ParameterError("bipartite and one_kind contradict each other; give one of them")
    if not isinstance(directed, bool):
        raise ParameterError(f"directed is {kind_of(directed)}, must be True or False; give one of them")
    if not isinstance(refresh, bool):
        raise ParameterError(f"refresh is {kind_of(refresh)}, must be True or False; give one of them")
    return ReadingOptions(
        source=source,
        target=target,
        header=header,
        nodes_header=nodes_header,
        separator=_separator(separator),
        ids=ids,
        comments=_comments(comments),
        bipartite=bipartite or None,
        one_kind=one_kind or None,
        labels=labels,
        table=table,
        query=query,
        date=date,
        date_unit=date_unit,
        columns=kept,
        weight=weighting,
        directed=directed,
        refresh=refresh,
    )


def _weighting(weight: Any, ends: tuple[Column | None, ...]) -> Weighting:
    """Return what is declared of weights, with their column by its name or its number from 1."""
    made = weighting_of(weight)
    column = _column(made.of_property, "weight")
    if column is None and made.aggregation != "COUNT":
        raise ParameterError(
            "weight names no column, and needs the one that holds what a row weighs; name it (property, or --weight)"
        )
    if column is not None and column in ends:
        raise ParameterError(f"weight is {column!r}, must be another column than the ends; name it")
    return replace(made, of_property=column)


def _kept(columns: Any, ends: tuple[Column | None, ...]) -> tuple[Column, ...] | None:
    """Return the columns that are kept, once each."""
    if columns is None:
        return None
    listed = columns.split(",") if isinstance(columns, str) else columns
    if not isinstance(listed, list | tuple) or len(listed) > _MOST_COLUMNS:
        raise ParameterError(
            f"columns is {_told(columns)}, must name {_MOST_COLUMNS} columns at most; name fewer"
        )
    kept = tuple(
        _column(each.strip() if isinstance(each, str) else each, "a name of columns") for each in listed
    )
    found = tuple(each for each in kept if each is not None)
    if len(found) < len(kept) or len(set(found)) < len(found):
        raise ParameterError(f"columns is {_told(columns)}, must name every column once; name others")
    for each in found:
        if each in ends:
            raise ParameterError(f"columns is {each!r}, must be another column than the ends; name it")
    return found


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


def _separator(value: Any) -> str | None:
    if value is None:
        return None
    value = _SEPARATOR_WORDS.get(value, value) if isinstance(value, str) else value
    accepted = isinstance(value, str) and len(value) == 1 and value.isascii()
    if not accepted or value.isalnum() or value in '"\n\r\0+-_.':
        raise ParameterError(
            f"separator is {_told(value)}, must be one character such as , ; | or one of tab, comma, semicolon, "
            "space; convert a file with a longer one"
        )
    return str(value)


def _comments(value: Any) -> tuple[bytes, ...] | None:
    if value is None:
        return None
    if value == "none" or value == "":
        return ()
    if isinstance(value, str) and len(value) <= 8 and value.isascii() and not value.strip().isalnum():
        signs = tuple(sign.encode() for sign in value if not sign.isspace())
        if signs and not any(sign.isalnum() or sign in b'"+-' for sign in signs):
            return signs
    raise ParameterError(
        f"comments is {_told(value)}, must be the signs that begin a comment, such as # or #%, or none; give them"
    )
