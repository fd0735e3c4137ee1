"""Weights that were given beside edges, and where they lie beside the rows of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.graph.ids import THERE
from edgedp.words.containers import unmasked
from edgedp.words.errors import GraphFormatError
from edgedp.words.shown import kind_of

if TYPE_CHECKING:
    from edgedp.graph.weights import Weighting


def numbers_given(weights: ArrayLike, count: int) -> NDArray[np.float64]:
    """Return weights that were given as values, NaN for what is missing.

    Raises
    ------
    GraphFormatError
        They are no numbers, or not one for each row.

    Examples
    --------
    >>> numbers_given([1, 2.5, None], 3).tolist()
    [1.0, 2.5, nan]
    """
    masked = (
        isinstance(weights, np.ma.MaskedArray) and weights.dtype.kind in "iufO"
    )  # of times numpy makes integers
    try:
        values: NDArray[Any] = unmasked(weights) if masked else np.asarray(weights)  # type: ignore[arg-type]
    except ValueError:  # lists of several lengths
        values = np.zeros((0, 0))
    if isinstance(weights, (list, tuple)) and {bool, np.bool_} & set(map(type, weights)):
        values = np.zeros(count, dtype=np.bool_)  # numpy makes 1 of a truth value among numbers
    if values.shape != (count,):
        raise GraphFormatError(
            f"weights has the shape {values.shape}, must hold one number for each of {count} edges; correct it"
        )
    if values.dtype.kind == "O" and all(
        each is None or (isinstance(each, (int, float, np.number)) and not isinstance(each, bool))
        for each in values.tolist()
    ):
        values = np.array([np.nan if each is None else _float(each) for each in values.tolist()])
    if values.dtype.kind not in "iuf":
        raise GraphFormatError(
            f"weights is {kind_of(weights)} of {values.dtype}, must hold numbers; convert it, and write NaN or None "
            "for what is missing"
        )
    return values.astype(np.float64)


def numbers_of_rows(weights: ArrayLike | None, count: int) -> NDArray[np.float64]:
    """Return what each row weighs, as `numbers_given`; 1 where rows are counted."""
    return np.ones(count) if weights is None else numbers_given(weights, count)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def weights_beside(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    ends: NDArray[np.integer[Any]],
    values: NDArray[np.float64],
    weighting: Weighting,
    ways: NDArray[np.uint8] | None,
) -> NDArray[np.int64]:
    """Return the (2m,) weights beside the rows of a graph, from the weights of its relationships.

    Parameters
    ----------
    indptr, indices
        As of `edgedp.Graph`.
    ends : (r, 2) positions
        Of each relationship, loops and parallels among them; what is of no edge, or arc, of the graph is left out.
    values : (r,) float64
    weighting : Weighting
    ways : (2m,) uint8 or None
        As of `edgedp.Graph`. Of a directed graph an entry has the weight of the arc that leaves the row's node, and
        nothing where only the opposite arc is there; of an undirected one that of the pair.
    """
    n = len(indptr) - 1
    first, second = ends[:, 0].astype(np.int64), ends[:, 1].astype(np.int64)
    rows = np.repeat(np.arange(n, dtype=np.int64), np.diff(indptr))
    columns = indices.astype(np.int64)
    if ways is None:
        first, second = np.minimum(first, second), np.maximum(first, second)
        rows, columns = np.minimum(rows, columns), np.maximum(rows, columns)
    apart = first != second
    keys, weights = weighting.slots(first[apart] * n + second[apart], values[apart])
    wanted = rows * n + columns
    places = np.searchsorted(keys, wanted)
    found = np.zeros(len(wanted), dtype=np.int64)
    if len(keys):
        there = keys[np.minimum(places, len(keys) - 1)] == wanted
        if ways is not None:
            there &= (ways & THERE) != 0
        found[there] = weights[places[there]]
    return found
