"""Node ids, pairs of them, values of nodes and rows as arrays of one type: what a `Graph` is made of."""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.words.containers import is_list, labels_of, values_of
from edgedp.words.errors import GraphFormatError, ParameterError, UnknownNameError
from edgedp.words.shown import kind_of


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view that no caller can write through."""
    if array.flags.writeable:
        array = array.copy() if array.base is not None else array
        array.flags.writeable = False
    return array.view() if array.base is None else array  # the flag of a view cannot be set again


def numbered(pairs: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.integer[Any]]]:
    """Return the distinct ids, ascending, and the pairs as positions; by a table where integers lie close together."""
    low, high = (int(pairs.min()), int(pairs.max())) if pairs.dtype.kind == "i" and pairs.size else (0, 0)
    if low == high or high - low >= 8 * pairs.size + (1 << 16):
        node_ids, flat = np.unique(pairs, return_inverse=True)
        return node_ids, flat.reshape(pairs.shape)
    shifted = pairs if low == 0 else pairs - low
    seen = np.zeros(high - low + 1, dtype=np.bool_)
    seen[shifted] = True
    node_ids = np.flatnonzero(seen) + low
    if len(node_ids) == len(seen):
        return node_ids, shifted
    table = np.cumsum(seen, dtype=np.int64)
    table -= 1
    return node_ids, table[shifted]


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct values, ascending; for integers many times faster than ``numpy.unique``."""
    ordered = np.sort(values)
    first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def positions_of(node_ids: NDArray[Any], wanted: NDArray[Any], *, what: str) -> NDArray[np.int64]:
    """Return the positions of `wanted` ids in ascending `node_ids`; refuse an unknown id by name."""
    if wanted.size == 0:
        return np.zeros(0, dtype=np.int64)
    comparable = len(node_ids) > 0 and node_ids.dtype.kind == wanted.dtype.kind
    found = np.searchsorted(node_ids, wanted) if comparable else np.zeros(len(wanted), dtype=np.int64)
    known = (
        node_ids[np.minimum(found, len(node_ids) - 1)] == wanted
        if comparable
        else np.zeros(len(wanted), dtype=bool)
    )
    if not known.all():
        first = wanted[~known][0].item()
        raise UnknownNameError(f"{what} is {first!r}, must be a node of the graph; check the id and its type")
    return found.astype(np.int64)


def as_ids(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return a list of node ids as (n,) int64 or str."""
    values = labels_of(values, name)
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.zeros((0, 0))
    if array.ndim != 1:
        raise GraphFormatError(f"{name} has {array.ndim} dimensions, must be a list of node ids")
    return _typed_ids(array, name, values)


def new_ids(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return the ids of nodes that are made, as `as_ids`; an empty text is none."""
    return _named(as_ids(values, name), name)


def _named(ids: NDArray[Any], name: str) -> NDArray[Any]:
    """Refuse an empty text: in files, tables and frames it stands for what is missing. Stored graphs may have it."""
    if ids.dtype.kind == "U" and ids.size and (ids == "").any():
        raise GraphFormatError(
            f"{name} holds an empty text, which cannot be an id; leave those out, or name the node"
        )
    return ids


def as_column(values: Any, name: Any, count: int) -> NDArray[Any]:
    """Return one value a node; a list is kept as it is where it holds anything but numbers of one kind."""
    if not isinstance(name, str) or not name:
        raise GraphFormatError(f"the property's name is {name!r}, must be a text; name it")
    if not is_list(values):
        raise GraphFormatError(
            f"the property {name!r} is {kind_of(values)}, must be a list of {count}; give one value for each node"
        )
    given = values_of(values, f"the property {name!r}")
    if isinstance(given, np.ndarray):
        column: NDArray[Any] = given
    else:
        listed = list(given)
        column = np.fromiter(listed, dtype=object, count=len(listed))
        kinds = {type(value) for value in listed}
        if kinds == {float} or (kinds == {int} and all(abs(value) < 2**63 for value in listed)):
            column = column.astype(np.float64 if kinds == {float} else np.int64)
    if column.ndim != 1:
        raise GraphFormatError(
            f"the property {name!r} has {column.ndim} dimensions, must be a list of {count}; "
            "give one value for each node"
        )
    if len(column) != count:
        raise GraphFormatError(
            f"the property {name!r} has length {len(column)}, must be {count}; give one value for each node"
        )
    return column


def as_pairs(edges: Any) -> NDArray[Any]:
    """Return pairs of node ids as (m, 2) int64 or str."""
    _refuse_frames(edges, "edges")
    edges = labels_of(edges, "edges")
    try:
        listed = np.asarray(edges) if hasattr(edges, "__array__") else list(edges)
    except (TypeError, ValueError):
        raise GraphFormatError(
            f"edges is {kind_of(edges)}, must be pairs of node ids; give a list of them or an array of shape (m, 2)"
        ) from None
    try:
        array = np.asarray(listed)
    except ValueError:
        array = np.zeros(1)
    if array.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise GraphFormatError(
            "edges is not a list of pairs; give an array of shape (m, 2), two node ids for each edge"
        )
    flat = listed if isinstance(listed, np.ndarray) else chain.from_iterable(listed)
    return _named(_typed_ids(array, "edges", flat), "edges")


def _typed_ids(array: NDArray[Any], name: str, values: Any) -> NDArray[Any]:
    """Return the ids as int64 or as str; anything else is refused.

    numpy makes texts of a list of integers and texts, and one node of ``1`` and ``"1"``: `values` tells.
    """
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind == "O":
        objects = array.reshape(-1).tolist()
        if all(isinstance(value, str) for value in objects):
            return _texts(objects, array.shape, name)
        if not _holds_integers(objects):
            raise _of_mixed_types(name)
        try:
            return array.astype(np.int64)
        except OverflowError:
            raise ParameterError(
                f"{name} holds an id beyond 64 bits, must fit int64; give such ids as texts"
            ) from None
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise ParameterError(f"{name} holds an id beyond 64 bits, must fit int64; give such ids as texts")
    if array.dtype.kind in "iu":
        if not isinstance(values, np.ndarray) and not _holds_integers(values):
            raise _of_mixed_types(name)
        return array.astype(np.int64, copy=False)
    if array.dtype.kind == "U":
        if isinstance(values, np.ndarray):
            return _sound_texts(array, name, values)
        listed = list(values)
        if all(isinstance(value, str) for value in listed):
            return _texts(listed, array.shape, name)
        raise _of_mixed_types(name)
    raise GraphFormatError(
        f"{name} is of type {array.dtype}, must be all integers or all texts; convert the ids first"
    )


def _holds_integers(values: Any) -> bool:
    """Whether all values are integers: numpy makes 1 of True, and a number of a value that is masked."""
    kinds = set(map(type, values))
    for kind in kinds:
        if (
            issubclass(kind, int) and kind.__int__ is not int.__int__
        ):  # numpy asks it, and gets another number
            raise GraphFormatError(
                f"an id is of the class {kind.__name__}, which says of itself that it is another integer; "
                "give int.__int__(id)"
            )
    return all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in kinds)


def _texts(values: list[str], shape: tuple[int, ...], name: str) -> NDArray[Any]:
    """Return texts by their characters; a class of texts, such as one of ``(str, Enum)``, may print others."""
    if not set(map(type, values)) <= {str, np.str_}:
        values = [str.__str__(value) for value in values]
    return _sound_texts(np.array(values, dtype=np.str_).reshape(shape), name, values)


def _of_mixed_types(name: str) -> GraphFormatError:
    return GraphFormatError(
        f"{name} is of mixed types, must be all integers or all texts; convert the ids first"
    )


def _sound_texts(array: NDArray[Any], name: str, values: Any) -> NDArray[Any]:
    """Return texts that stay what they are: numpy drops a NUL at an end, and a lone surrogate is no UTF-8."""
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    codes = np.ascontiguousarray(array).view(np.uint32).reshape(-1, max(array.dtype.itemsize // 4, 1))
    inner = (codes[:, :-1] == 0) & (codes[:, 1:] != 0)
    listed = not isinstance(values, np.ndarray)
    if inner.any() or (listed and any("\0" in value for value in values)):
        raise GraphFormatError(f"{name} holds an id with a NUL; replace the character")
    if ((codes >= 0xD800) & (codes <= 0xDFFF)).any():
        raise GraphFormatError(
            f"{name} holds an id with a lone surrogate, must be text; decode the ids as UTF-8"
        )
    return array


def _refuse_frames(values: Any, name: str) -> None:
    """Refuse what has ways in of its own; taken as an array it would lose the names of its columns."""
    if hasattr(values, "tocoo"):
        raise ParameterError(
            f"{name} is {kind_of(values)}, must be pairs of node ids; give Graph.from_scipy a matrix"
        )
    if hasattr(values, "__dataframe__") or hasattr(type(values), "columns"):
        raise ParameterError(
            f"{name} is {kind_of(values)}, must be pairs of node ids; give Graph.from_frame a frame"
        )
    if hasattr(values, "adjacency") or hasattr(values, "get_edgelist"):
        raise ParameterError(
            f"{name} is {kind_of(values)}, must be pairs of node ids; see Graph.from_networkx and Graph.from_igraph"
        )


def rows_of(n: int, positions: NDArray[np.integer[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return (m, 2) positions as compressed sparse rows, without loops and parallels; where no kernel is compiled."""
    low = np.minimum(positions[:, 0], positions[:, 1]).astype(np.int64)
    high = np.maximum(positions[:, 0], positions[:, 1]).astype(np.int64)
    proper = low != high
    keys = distinct(low[proper] * n + high[proper])
    low = keys // max(n, 1)
    high = keys - low * n
    both = np.concatenate([keys, high * n + low])
    both.sort()
    rows = both // max(n, 1)
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=n), out=indptr[1:])
    return indptr, (both - rows * n).astype(np.int32)


THERE, BACK = 1, 2
"""Directions of an entry of a row: an arc to the neighbour, one from it."""

_ARCS_AT_ONCE = 1 << 18


def ways_of(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], positions: NDArray[np.integer[Any]]
) -> NDArray[np.uint8]:
    """Return the directions of arcs beside the rows of their undirected graph; parallels merge, loops drop.

    Parameters
    ----------
    indptr, indices : (n + 1,) int64 and (2m,) int32
        As `rows_of` made them of the same pairs.
    positions : (a, 2) int
        From and to.

    Returns
    -------
    (2m,) uint8
        `THERE`, `BACK`, or both.

    Examples
    --------
    >>> pairs = np.array([[0, 1], [2, 1], [1, 2], [0, 1], [1, 1]])
    >>> ways_of(*rows_of(3, pairs), pairs).tolist()
    [1, 2, 3, 3]
    """
    n = len(indptr) - 1
    entries = np.repeat(np.arange(n, dtype=np.int64) * n, np.diff(indptr))
    entries += indices
    ways = np.zeros(len(indices), dtype=np.uint8)
    for start in range(0, len(positions), _ARCS_AT_ONCE):  # so that no copy of all arcs is held
        ends = positions[start : start + _ARCS_AT_ONCE].astype(np.int64)
        source, target = (ends[ends[:, 0] != ends[:, 1]]).T
        for way, keys in ((THERE, source * n + target), (BACK, target * n + source)):
            keys.sort()  # near ones are looked up one after the other
            ways[np.searchsorted(entries, keys)] |= way
    return ways


def numbers_of(values: Any, name: str = "values") -> NDArray[np.float64]:
    """Return every value as a float; NaN for what is no number: missing, text, lists, truth values, dates.

    Each value is read by itself: an array of numbers is taken as it is, an array of objects or a list value by value,
    and an array of another type is refused (`edgedp.words.containers`). Numbers beyond the floats become infinite, and
    are clipped like others.

    Raises
    ------
    ParameterError
        It is neither a list nor an array of one dimension, or an array of texts, truth values, dates or the like.

    Examples
    --------
    >>> numbers_of([1, "7", None, 2.5, [3], True]).tolist()
    [1.0, nan, nan, 2.5, nan, nan]
    """
    values = values_of(values, name)
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise ParameterError(
                f"{name} has {values.ndim} dimensions, must be a list with one value for each record"
            )
        if values.dtype.kind != "O":
            return values.astype(np.float64)
        values = values.tolist()
    return np.fromiter((number_of(value) for value in values), dtype=np.float64, count=len(values))


def number_of(value: Any) -> float:
    """Return one value as a float, as `numbers_of` reads it."""
    if type(value) is float:
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, Decimal)):
        return math.nan
    number: Any = value
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
    except ValueError:
        return math.nan
