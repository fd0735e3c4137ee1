"""Node ids to positions in their ascending order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from edgedp.errors import UnknownNameError
from edgedp.ids import distinct
from edgedp.shown import shortened

if TYPE_CHECKING:
    import polars as pl

__all__ = ["number_nodes"]


def number_nodes(columns: list[pl.Series], nodes: pl.Series | None) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the distinct ids in ascending order and the columns as positions in them.

    Parameters
    ----------
    columns : list of c polars.Series of length m
        Ids, all Int64 or all String.
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
    arrays = [column.to_numpy() for column in columns]
    node_ids = _distinct(arrays if nodes is None else [nodes.to_numpy()])
    positions = np.empty((len(arrays[0]), len(arrays)), dtype=np.int32)
    for column, array in enumerate(arrays):
        positions[:, column] = _positions(node_ids, array)
    return node_ids, positions


def _distinct(arrays: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the distinct integers, by a table of marks where they lie close together."""
    arrays = [array for array in arrays if array.size]
    if not arrays:
        return np.zeros(0, dtype=np.int64)
    low, high = min(int(a.min()) for a in arrays), max(int(a.max()) for a in arrays)
    if not _dense(high - low, sum(map(len, arrays))):
        return distinct(np.concatenate(arrays))
    seen = np.zeros(high - low + 1, dtype=np.bool_)
    for array in arrays:
        seen[array - low] = True
    return np.flatnonzero(seen) + low


def _positions(node_ids: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int32]:
    """Look integers up in ascending `node_ids`, by a table where they lie close together."""
    if wanted.size == 0:
        return np.zeros(0, dtype=np.int32)
    if node_ids.size == 0:
        _refuse_stranger(wanted[0].item())
    low, high = int(node_ids[0]), int(node_ids[-1])
    stranger = (wanted < low) | (wanted > high)
    if stranger.any():
        _refuse_stranger(wanted[stranger][0].item())
    if _dense(high - low, len(wanted)):
        table = np.full(high - low + 1, -1, dtype=np.int32)
        table[node_ids - low] = np.arange(len(node_ids), dtype=np.int32)
        positions = table[wanted - low]
        stranger = positions < 0
    else:
        positions = np.searchsorted(node_ids, wanted).astype(np.int32)
        stranger = node_ids[positions] != wanted
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
