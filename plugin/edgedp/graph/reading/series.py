"""Columns of ids: integers where every one of them is written as one, or texts as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edgedp.graph.reading.text.words import is_integer
from edgedp.words.errors import GraphFormatError
from edgedp.words.shown import shortened
from edgedp.words.spoken import option

if TYPE_CHECKING:
    import polars as pl

_CANONICAL = r"^(0|-?[1-9][0-9]{0,18})$"
_NUMBER = r"^[+-]?[0-9]+$"


def narrowed(column: pl.Series) -> pl.Series:
    """Return integers in 32 bits where all of them fit: a text of a hundred million lines is held in half the room."""
    import polars as pl

    if column.dtype != pl.Int64:
        return column
    low, high = column.min(), column.max()
    fits = low is not None and low >= -(2**31) and high < 2**31  # type: ignore[operator]
    return column.cast(pl.Int32) if fits else column


def joined(pieces: list[pl.Series]) -> pl.Series:
    """Join columns of one type, or of integers of 32 and 64 bits, piece by piece and without a copy of all."""
    import polars as pl

    if len({piece.dtype for piece in pieces}) > 1:
        pieces = [piece.cast(pl.Int64) for piece in pieces]
    return pl.concat(pieces, rechunk=False)


def integers_of(columns: list[pl.Series], *, anyhow: bool = False) -> list[pl.Series] | None:
    """Return texts as 64-bit integers; None unless each is the usual writing of one, or any writing with `anyhow`."""
    import polars as pl

    pattern = _NUMBER if anyhow else _CANONICAL
    converted = []
    for column in columns:
        if not column.str.contains(pattern).all():
            return None
        integers = column.str.strip_prefix("+").cast(pl.Int64, strict=False)
        if integers.null_count():
            return None
        converted.append(integers)
    return converted


def one_type(columns: list[pl.Series], asked: str | None, source: str) -> list[pl.Series]:
    """Hold both columns to one type; nothing is turned into the other but what was asked for."""
    import polars as pl

    if asked == "text":
        return [column.cast(pl.String) for column in columns]
    texts = [column for column in columns if column.dtype == pl.String]
    if asked == "integer" and texts:
        integers = integers_of([column.cast(pl.String) for column in columns], anyhow=True)
        if integers is None:
            raise GraphFormatError(
                f"{source!r} holds an id that is not an integer of 64 bits; "
                f"read the ids as texts ({option('ids', 'text')})"
            )
        return integers
    if texts and len(texts) < len(columns):
        raise GraphFormatError(
            f"{source!r} has a column of integers and one of texts, must have ends of one type; "
            f"say which ({option('ids', 'text')}), or convert a column"
        )
    return columns


def ids_told(columns: list[pl.Series], asked: str | None) -> str:
    """Say how ids were taken, and of texts why they are no integers, by an example.

    Examples
    --------
    >>> import polars as pl
    >>> print(ids_told([pl.Series(["7", "007"])], None))
    texts, as they are written: '007' would change as a number; ids='integer' reads numbers
    """
    import polars as pl

    if columns[0].dtype != pl.String:
        return "integers, as asked" if asked == "integer" else "integers"
    if asked == "text":
        return "texts, as asked"
    for column in columns:
        odd = column.filter(~column.str.contains(r"^[+-]?[0-9]+$"))
        if len(odd):
            return f"texts; {shortened(odd[0], 30)!r} is not an integer"
    for column in columns:
        odd = column.filter(~column.str.contains(_CANONICAL))
        if len(odd) and is_integer(odd[0]) and -(2**63) <= int(odd[0]) < 2**63:
            told = shortened(odd[0], 30)
            return (
                f"texts, as they are written: {told!r} would change as a number; "
                f"{option('ids', 'integer')} reads numbers"
            )
    return "texts; not all are integers of 64 bits"


def of_one_type(
    ends: list[list[str]], nodes: list[str] | None, asked: str | None, source: str
) -> tuple[list[pl.Series], pl.Series | None]:
    """Turn texts into series: integers where all of them are, the nodes included, else texts."""
    import polars as pl

    columns = [
        pl.Series(values=each, dtype=pl.String) for each in (*ends, *([] if nodes is None else [nodes]))
    ]
    columns = one_type(columns, asked, source) if asked else integers_of(columns) or columns
    return columns[: len(ends)], None if nodes is None else columns[-1]
