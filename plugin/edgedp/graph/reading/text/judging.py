"""Columns of ids that are hardly ids: asked about or refused, unless the caller says how ids are taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from edgedp.graph.reading.options import ReadingOptions
from edgedp.graph.reading.text.question import Question
from edgedp.words.errors import GraphFormatError, UndecidedError
from edgedp.words.shown import shortened
from edgedp.words.spoken import option

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Seen", "judge_ids"]

_MISSING = [
    word
    for plain in ("null", "nan", "none", "nil", "n/a", "na", "undefined", "missing", "unknown")
    for word in (plain, plain.upper(), plain.title())
]
_MISSING += ["NaN", "#N/A", "<NA>", "(null)", "(NULL)", "\\N", "#NULL!", "#REF!", "#VALUE!", "?", "."]
_CUT = r"^[+-]?[0-9][.,]?[0-9]*[eE]\+[0-9]+$"
_COMMENT_BEHIND = r"^[+-]?[0-9]+[ \t]+[#%]"
_INTEGER = r"^[+-]?[0-9]+$"
_NOBODY = [-1, -2, -9, -99, -999, -9999]
_LISTED = r"^[\[{(].*[\])}]$"
_BETWEEN = (";", ",", "|", " ")


@dataclass(frozen=True, slots=True)
class Seen:
    """What a question shows of a source: its name, the columns of the ends, their names, first rows, first line."""

    source: str
    picked: tuple[int, ...]
    names: tuple[str, ...] | None
    rows: tuple[tuple[str, ...], ...]
    header: bool | None = None


def judge_ids(columns: list[pl.Series], seen: Seen, options: ReadingOptions) -> None:
    """Refuse or ask about ids that are hardly any; what is asked is answered by saying how ids are taken.

    Raises
    ------
    UndecidedError
        Integers beside texts; ids that stand for nobody; spans of time; a second line of names; an end that lists
        several ids.
    GraphFormatError
        Missing values, numbers that a spreadsheet has cut, comments behind a row.
    """
    import polars as pl

    if options.ids is not None:
        return
    if columns[0].dtype != pl.String:
        _ask_of_nobody(columns, seen)
        if len(columns) == 2:
            _ask_of_spans(columns, seen)
        return
    _refuse_odd_ids(columns, options, seen.source)
    if len(columns) == 2:
        _ask_of_mixture(columns, seen)
        _ask_of_second_names(columns, seen)
        _ask_of_lists(columns, seen)


def _ask_of_nobody(columns: list[pl.Series], seen: Seen) -> None:
    """Ask about ids such as -1 beside others, where no other id is negative: they mostly stand for nobody."""
    for side, column in enumerate(columns):
        low, high = column.min(), column.max()
        if not (isinstance(low, int) and isinstance(high, int) and low < 0 <= high):
            continue
        negative = column.filter(column < 0).unique()
        if negative.is_in(_NOBODY).all():
            _ask(
                seen,
                f"holds {low} as an id in column {seen.picked[side] + 1}, which may stand for nobody",
                "integer",
            )


def _ask_of_spans(columns: list[pl.Series], seen: Seen) -> None:
    """Ask about numbers under ``from`` and ``to`` behind other columns, which may be the ends of a span of time."""
    names = [seen.names[i].lower() for i in seen.picked] if seen.names else []
    if names == ["from", "to"] and seen.picked != (0, 1) and (columns[0] <= columns[1]).all():
        _ask(
            seen,
            "has numbers under 'from' that are never above those under 'to', perhaps spans of time",
            "integer",
        )


def _ask_of_mixture(columns: list[pl.Series], seen: Seen) -> None:
    """Ask about integers beside texts: a second line of names, a line of totals, or ids of two kinds."""
    texts = [~column.str.contains(_INTEGER) for column in columns]
    shares = [float(text.mean() or 0.0) for text in texts]  # type: ignore[arg-type]
    if not any(0 < share < 1 for share in shares) and sorted(shares) != [0.0, 1.0]:
        return
    mixed = [i for i, share in enumerate(shares) if 0 < share < 1]
    side = mixed[0] if mixed else shares.index(1.0)
    others = "texts" if mixed and shares[side] > 0.5 else "integers"
    at = int((~texts[side] if others == "texts" else texts[side]).arg_max() or 0)
    word = shortened(str(columns[side][at]), 30)
    _ask(
        seen,
        f"holds {word!r} as an id beside {others} (row {at + 1}), perhaps a second line of names or a total",
    )


def _ask_of_second_names(columns: list[pl.Series], seen: Seen) -> None:
    """Ask about a first row of one word twice that stands nowhere else: types, units or a line under the names."""
    word, twin = str(columns[0][0]), str(columns[1][0])
    alone = word == twin and sum(int((column == word).sum()) for column in columns) == 2
    if seen.header and alone and len(columns[0]) > 1:
        _ask(
            seen,
            f"holds {shortened(word, 30)!r} at both ends of only its first row, perhaps a second line of names",
        )


def _ask_of_lists(columns: list[pl.Series], seen: Seen) -> None:
    """Ask about an end that holds several ids, as of a message to two: its pieces are ids that stand elsewhere."""
    import polars as pl

    for side, column in enumerate(columns):
        for sign in _BETWEEN:
            several = column.filter(column.str.contains(sign, literal=True)).unique()
            if not len(several):
                continue
            known = pl.concat([each.unique() for each in columns]).unique()
            pieces = pl.DataFrame({"id": several, "piece": several.str.split(sign)}).explode("piece")
            pieces = pieces.with_columns(known=pl.col("piece").str.strip_chars(" ").is_in(known.implode()))
            lists = pieces.group_by("id", maintain_order=True).agg(pl.col("known").all()).filter("known")
            if len(lists):
                told = shortened(lists["id"].min(), 40)
                _ask(seen, f"holds {told!r} in column {seen.picked[side] + 1}, which lists several ids")
        listed = column.filter(column.str.contains(_LISTED))
        if len(listed):
            _ask(
                seen,
                f"holds {shortened(listed[0], 40)!r} in column {seen.picked[side] + 1}, which looks like a list",
            )


def _refuse_odd_ids(columns: list[pl.Series], options: ReadingOptions, source: str) -> None:
    """Refuse missing values, numbers that a spreadsheet has cut, and comments behind a row."""
    for column in columns:
        missing = column.filter(column.is_in(_MISSING))
        if len(missing):
            rows = f"{len(missing):,} row{'s' if len(missing) > 1 else ''}"
            raise GraphFormatError(
                f"{source!r} holds {missing[0]!r} as an id in {rows}, must hold no missing values; drop "
                f"those rows, or say that it is an id ({option('ids', 'text')})"
            )
        cut = column.filter(column.str.contains(_CUT))
        if len(cut):
            raise GraphFormatError(
                f"{source!r} holds the id {cut[0][:40]!r}, a number that has lost digits, must hold whole ids; export "
                f"them as texts, or say that it is an id ({option('ids', 'text')})"
            )
        behind = column.filter(column.str.contains(_COMMENT_BEHIND))
        if len(behind) and options.comments != ():
            raise GraphFormatError(
                f"{source!r} holds the id {behind[0][:40]!r}, must have comments on lines of their own; "
                f"move the comment, or say that it is an id ({option('ids', 'text')})"
            )


def _ask(seen: Seen, what: str, ids: str = "text") -> NoReturn:
    load: dict[str, bool | int | str] = {"source": seen.picked[0] + 1, "target": seen.picked[-1] + 1}
    if seen.header is not None:
        load["header"] = seen.header
    raise UndecidedError(
        Question(
            source=seen.source, what=what, names=seen.names, rows=seen.rows, candidates=seen.picked,
            load=load | {"ids": ids},
        )
    )  # fmt: skip
