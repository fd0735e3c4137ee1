"""Columns of ids that are hardly ids: asked about or refused, unless the caller says how ids are taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from edgedp.graph.reading.text.question import Seen
from edgedp.words.errors import GraphFormatError
from edgedp.words.shown import shortened
from edgedp.words.spoken import option

if TYPE_CHECKING:
    import polars as pl

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


def judge_ids(columns: list[pl.Series], seen: Seen) -> None:
    """Refuse or ask about ids that are hardly any; what is asked is answered by saying how ids are taken.

    Raises
    ------
    UndecidedError
        A rule of `_ASKED` holds: integers beside texts, ids that stand for nobody, spans of time, a second line of
        names, or an end that lists several ids.
    GraphFormatError
        One of `_REFUSED` does: missing values, numbers that a spreadsheet has cut, comments behind a row.
    """
    import polars as pl

    if seen.given.ids is not None:
        return
    texts = columns[0].dtype == pl.String
    for column in columns if texts else ():
        for pattern, holds, condition in _REFUSED:
            odd = column.filter(column.is_in(_MISSING) if pattern is None else column.str.contains(pattern))
            if len(odd) and not (pattern == _COMMENT_BEHIND and seen.given.comments == ()):
                what = holds.format(
                    id=repr(odd[0][:40]), rows=f"{len(odd):,} row{'s' if len(odd) > 1 else ''}"
                )
                raise GraphFormatError(
                    f"{seen.source!r} holds {what}, {condition}, or say that it is an id ({option('ids', 'text')})"
                )
    for of_texts, width, asks in _ASKED:
        if of_texts == texts and width <= len(columns) and (asked := asks(columns, seen)):
            seen.ask_of_ids(asked, "text" if texts else "integer")


def _nobody(columns: list[pl.Series], seen: Seen) -> str | None:
    """Return what to ask about ids such as -1 beside others, where no other is negative: they mostly mean nobody."""
    for at, column in zip(seen.picked or (), columns, strict=True):
        low, high = column.min(), column.max()
        if not (isinstance(low, int) and isinstance(high, int) and low < 0 <= high):
            continue
        if column.filter(column < 0).unique().is_in(_NOBODY).all():
            return f"holds {low} as an id in column {at + 1}, which may stand for nobody"
    return None


def _spans(columns: list[pl.Series], seen: Seen) -> str | None:
    """Return what to ask about ``from`` and ``to`` behind other columns, which may be the ends of a span of time."""
    names = [seen.names[i].lower() for i in seen.picked or ()] if seen.names else []
    if names == ["from", "to"] and seen.picked != (0, 1) and (columns[0] <= columns[1]).all():
        return "has numbers under 'from' that are never above those under 'to', perhaps spans of time"
    return None


def _mixture(columns: list[pl.Series], _: Seen) -> str | None:
    """Return what to ask about integers beside texts: a second line of names, a line of totals, ids of two kinds."""
    texts = [~column.str.contains(_INTEGER) for column in columns]
    shares = [float(text.mean() or 0.0) for text in texts]  # type: ignore[arg-type]
    if not any(0 < share < 1 for share in shares) and sorted(shares) != [0.0, 1.0]:
        return None
    mixed = [i for i, share in enumerate(shares) if 0 < share < 1]
    side = mixed[0] if mixed else shares.index(1.0)
    others = "texts" if mixed and shares[side] > 0.5 else "integers"
    at = int((~texts[side] if others == "texts" else texts[side]).arg_max() or 0)
    word = shortened(str(columns[side][at]), 30)
    return (
        f"holds {word!r} as an id beside {others} (row {at + 1}), perhaps a second line of names or a total"
    )


def _second_names(columns: list[pl.Series], seen: Seen) -> str | None:
    """Return what to ask about a first row of one word twice that stands nowhere else: types, units, a line."""
    word, twin = str(columns[0][0]), str(columns[1][0])
    once = word == twin and sum(int((column == word).sum()) for column in columns) == 2
    if seen.header and once and len(columns[0]) > 1:
        return f"holds {shortened(word, 30)!r} at both ends of only its first row, perhaps a second line of names"
    return None


def _lists(columns: list[pl.Series], seen: Seen) -> str | None:
    """Return what to ask about an end that holds several ids, as of a message to two: ids that stand elsewhere."""
    import polars as pl

    for at, column in zip(seen.picked or (), columns, strict=True):
        for sign in _BETWEEN:
            several = column.filter(column.str.contains(sign, literal=True)).unique()
            if not len(several):
                continue
            known = pl.concat([each.unique() for each in columns]).unique()
            pieces = pl.DataFrame({"id": several, "piece": several.str.split(sign)}).explode("piece")
            pieces = pieces.with_columns(known=pl.col("piece").str.strip_chars(" ").is_in(known.implode()))
            lists = pieces.group_by("id", maintain_order=True).agg(pl.col("known").all()).filter("known")
            if len(lists):
                return (
                    f"holds {shortened(lists['id'].min(), 40)!r} in column {at + 1}, which lists several ids"
                )
        listed = column.filter(column.str.contains(_LISTED))
        if len(listed):
            return f"holds {shortened(listed[0], 40)!r} in column {at + 1}, which looks like a list"
    return None


_REFUSED = (
    (None, "{id} as an id in {rows}", "must hold no missing values; drop those rows"),
    (
        _CUT,
        "the id {id}, a number that has lost digits",
        "must hold whole ids; export them as texts",
    ),
    (_COMMENT_BEHIND, "the id {id}", "must have comments on lines of their own; move the comment"),
)
"""What texts are no ids, by a pattern (None: `_MISSING`), and the sentence that refuses them."""
_ASKED: tuple[tuple[bool, int, Callable[[list[pl.Series], Seen], str | None]], ...] = (
    (False, 1, _nobody),
    (False, 2, _spans),
    (True, 2, _mixture),
    (True, 2, _second_names),
    (True, 2, _lists),
)
"""Rules of texts or of integers, for so many columns at least; each returns what it asks, as the end of a sentence."""
