"""Node ids to positions in their ascending order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.ids import distinct
from edgedp.words.errors import UnknownNameError
from edgedp.words.shown import shortened

if TYPE_CHECKING:
    import polars as pl


def number_nodes(columns: list[pl.Series], nodes: pl.Series | None) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the distinct ids in ascending order and the columns as positions in them.

    Parameters
    ----------
    columns : list of c polars.Series of length m
        Ids, all integers or all String.
    nodes : polars.Series, optional
        All node ids, of the same type; None means those of the columns.

    Returns
    -------
    node_ids : (n,) int64 or str array
    positions : (m, c) int32 array

    Raises
    ------
    UnknownNameError
        An id of the columns is not among `nodes`.
    """
    import polars as pl

    numbered = _number_texts if columns[0].dtype == pl.String else _number_integers
    return numbered(columns, nodes)


def _number_integers(
    columns: list[pl.Series], nodes: pl.Series | None
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    if nodes is None:
        pieces = [[piece.to_numpy() for piece in column.get_chunks()] for column in columns]
        node_ids = _distinct([piece for column in pieces for piece in column])
    else:  # as a whole: which stranger is named must not hang on where the pieces end
        pieces = [[column.to_numpy()] for column in columns]
        node_ids = _distinct([nodes.to_numpy()])
    positions = np.empty((len(columns[0]), len(columns)), dtype=np.int32)
    table = _table(node_ids, max(len(columns[0]), len(node_ids)))
    for number, column in enumerate(pieces):
        start = 0
        for piece in column:
            positions[start : start + len(piece), number] = _positions(node_ids, table, piece, nodes is None)
            start += len(piece)
    return node_ids, positions


def _distinct(arrays: list[NDArray[Any]]) -> NDArray[np.int64]:
    """Return the distinct integers, by a table of marks where they lie close together."""
    arrays = [array for array in arrays if array.size]
    if not arrays:
        return np.zeros(0, dtype=np.int64)
    low, high = min(int(a.min()) for a in arrays), max(int(a.max()) for a in arrays)
    if not _dense(high - low, sum(map(len, arrays))):
        return distinct(np.concatenate(arrays).astype(np.int64, copy=False))
    seen = np.zeros(high - low + 1, dtype=np.bool_)
    for array in arrays:
        seen[array if low == 0 else array - np.int64(low)] = True
    return np.flatnonzero(seen) + low


def _table(node_ids: NDArray[np.int64], count: int) -> NDArray[np.int32] | None:
    """Return the position of every integer from the first id to the last, -1 between ids; None where far apart."""
    if not node_ids.size or not _dense(int(node_ids[-1]) - int(node_ids[0]), count):
        return None
    table = np.full(int(node_ids[-1]) - int(node_ids[0]) + 1, -1, dtype=np.int32)
    table[node_ids - node_ids[0]] = np.arange(len(node_ids), dtype=np.int32)
    return table


def _positions(
    node_ids: NDArray[np.int64], table: NDArray[np.int32] | None, wanted: NDArray[Any], known: bool
) -> NDArray[np.int32]:
    """Look integers up in ascending `node_ids`, by a table where there is one; `known`: all of them are there."""
    if wanted.size == 0:
        return np.zeros(0, dtype=np.int32)
    if node_ids.size == 0:
        _refuse_stranger(wanted[0].item())
    low, high = int(node_ids[0]), int(node_ids[-1])
    if not known and (stranger := (wanted < low) | (wanted > high)).any():
        _refuse_stranger(wanted[stranger][0].item())
    if table is None:
        positions = np.searchsorted(node_ids, wanted.astype(np.int64, copy=False)).astype(np.int32)
        stranger = node_ids[positions] != wanted
    else:
        shifted = wanted if low == 0 else wanted - np.int64(low)
        if len(node_ids) == len(table):
            return shifted.astype(np.int32, copy=False)
        positions = table[shifted]
        stranger = positions < 0
    if stranger.any():
        _refuse_stranger(wanted[stranger][0].item())
    return positions


def _dense(span: int, count: int) -> bool:
    """Whether a table over the whole span costs no more than a few words an id."""
    return span < 8 * count + (1 << 16)


def _number_texts(
    columns: list[pl.Series], nodes: pl.Series | None
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    import polars as pl

    ids = (pl.concat(columns) if nodes is None else nodes).unique().sort()
    coded = pl.Enum(ids)
    positions = np.empty((len(columns[0]), len(columns)), dtype=np.int32)
    for number, column in enumerate(columns):
        codes = column.cast(coded, strict=False)
        if codes.null_count():
            _refuse_stranger(column.filter(codes.is_null())[0])
        positions[:, number] = codes.to_physical().to_numpy()
    return np.array(ids.to_list(), dtype=np.str_), positions


def _refuse_stranger(value: int | str) -> NoReturn:
    told = value if isinstance(value, int) else shortened(value)
    raise UnknownNameError(
        f"an end of an edge is {told!r}, must be one of the nodes given; add it to them or drop the edge"
    )
