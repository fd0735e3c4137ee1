"""The windows of a version in a file of their own: of each a simple graph, laid out to be mapped and not read.

::

    64 bytes        signature, version, n, windows, whether there are directions, rows in no window, rows in one
    directory       of each window with a row, ascending: its number, where its part begins, nodes with an edge, entries
    of a window     nodes with an edge, ascending (32 bits); where the row of each begins, and the end of the last one
                    (64 bits); the neighbours, as positions among all n (32 bits); of a directed graph the ways (8 bits)

All is little-endian, each part of a window begins at a multiple of 8. A window is a graph of all n nodes: which of them
have an edge in it is as private as the edges. What a window holds follows from the calendar and the date of each row.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.dated import UNDATED, DatedRows
from edgedp.graph.graph import Graph
from edgedp.graph.ids import THERE
from edgedp.stores.embedded import mapped
from edgedp.words.errors import StoreError

if TYPE_CHECKING:
    from edgedp.words.dates.calendar import Calendar, Span

_HEAD = struct.Struct("<8sQQQQQQ8x")
_SIGNATURE = b"EDGEDPW1"
_ENTRY = 4
_PIECE = 1 << 24


class Counted(NamedTuple):
    """How many rows are in no window, and in one: private, for the curator."""

    undated: int
    dated: int


# -- writing ----------------------------------------------------------------------------------------------


def windows_of(seconds: NDArray[np.int64], calendar: Calendar) -> NDArray[np.int64]:
    """Return the number of the window of each moment; -1 where it is in none.

    Parameters
    ----------
    seconds : (m,) int64
        Since 1970 began in UTC, or `UNDATED`.

    Returns
    -------
    (m,) int64

    Examples
    --------
    >>> from edgedp.words.dates.calendar import calendar_of
    >>> months = calendar_of("2024-01-01", "P1M", dates="final")
    >>> windows_of(np.array([0, 1_704_067_200, 1_711_929_599, UNDATED]), months).tolist()
    [-1, 0, 2, -1]
    """
    first = int(calendar.begins(0).timestamp())
    inside = (seconds != UNDATED) & (seconds >= first) & (seconds < _LAST)
    moments = np.where(inside, seconds, first).astype("datetime64[s]")
    match calendar.period:
        case "P1D":
            found = (moments.astype(np.int64) - first) // 86_400
        case "P1W":
            found = (moments.astype(np.int64) - first) // 604_800
        case "P1M" | "P3M" | "P1Y":
            # A month that begins on the 15th is a month of the calendar, two weeks later.
            shifted = moments - np.timedelta64((calendar.start.day - 1) * 86_400, "s")
            months = shifted.astype("datetime64[M]").astype(np.int64)
            start = (calendar.start.year - 1970) * 12 + calendar.start.month - 1
            found = (months - start) // {"P1M": 1, "P3M": 3, "P1Y": 12}[calendar.period]
    return np.where(inside, found, -1).astype(np.int64)


_LAST = 253_339_228_800
"""The first second of the year 9998, from which on there are no windows."""


def write_windows(
    path: Path, version: int, graph: Graph, rows: DatedRows, calendar: Calendar
) -> tuple[str, int]:
    """Write a new file, and return the SHA-256 of what was to be written, and its length.

    Raises
    ------
    StoreError
        There is no room, or the file may not be written.
    """
    return mapped.write_pieces(path, _pieces(version, graph, rows, calendar))


def _pieces(version: int, graph: Graph, rows: DatedRows, calendar: Calendar) -> Iterator[bytes]:
    window = windows_of(rows.seconds, calendar)
    order = np.argsort(window, kind="stable")
    numbers, starts = np.unique(window[order], return_index=True)
    stops = np.append(starts[1:], len(order))
    parts, undated = [], 0
    for number, start, stop in zip(numbers.tolist(), starts.tolist(), stops.tolist(), strict=True):
        if number < 0:
            undated = stop - start
            continue
        made = _made(rows.ends[order[start:stop]], directed=graph.directed)
        if made is not None:
            parts.append((number, *made))
    head = _HEAD.pack(
        _SIGNATURE, version, graph.node_count, len(parts), graph.directed, undated, len(order) - undated
    )
    yield head
    place = len(head) + 8 * _ENTRY * len(parts)
    directory = np.empty((len(parts), _ENTRY), dtype="<i8")
    for i, (number, active, _, indices, _) in enumerate(parts):
        directory[i] = number, place, len(active), len(indices)
        place = _layout(place, len(active), len(indices), graph.directed)[-1]
    yield directory.tobytes()
    for _, active, indptr, indices, ways in parts:
        for array, dtype in ((active, "<i4"), (indptr, "<i8"), (indices, "<i4"), (ways, "|u1")):
            if array is not None:
                content = np.ascontiguousarray(array, dtype=dtype).tobytes()
                yield content + bytes(-len(content) % 8)


def _layout(place: int, active: int, entries: int, directed: bool) -> list[int]:
    """Return where the parts of a window begin, and where the last one ends."""
    places = [place]
    for size in (4 * active, 8 * (active + 1), 4 * entries, entries if directed else 0):
        places.append(places[-1] + size + -size % 8)
    return places


def _made(
    ends: NDArray[np.int32], *, directed: bool
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any] | None] | None:
    """Return the simple graph of some rows among the nodes that they name; None where no edge is left."""
    ends = ends[ends[:, 0] != ends[:, 1]]
    if not len(ends):
        return None
    active, compact = np.unique(ends, return_inverse=True)
    made = Graph.from_positions(
        active.astype(np.int64),
        compact.reshape(ends.shape).astype(np.int32),
        nodes_supplied=True,
        directed=directed,
    )
    return active, made.indptr, active[made.indices], made.ways


# -- mapping ----------------------------------------------------------------------------------------------


def counted(handle: int, version: int) -> Counted:
    """Return how many rows of a checked file that is held are in no window, and in one."""
    return _mapped(handle, version)[2]


def mapped_window(handle: int, version: int, nodes: NDArray[Any], span: Span, *, supplied: bool) -> Graph:
    """Return the graph of some windows of a checked file that is held; it stays when the file is let go.

    Parameters
    ----------
    nodes : (n,) array
        The ids of all nodes, ascending.
    """
    whole, directory, _, directed = _mapped(handle, version, len(nodes))
    chosen = directory[(directory[:, 0] >= span.first) & (directory[:, 0] <= span.last)]
    found = [_window(whole, entry, directed) for entry in chosen.tolist()]
    if len(found) == 1:
        active, starts, indices, ways = found[0]
        indptr = np.zeros(len(nodes) + 1, dtype=np.int64)
        indptr[active.astype(np.int64) + 1] = np.diff(starts)
        graph = Graph(nodes, indptr.cumsum(), indices, nodes_supplied=supplied, ways=ways)
        graph.kept["mapped"] = True
        return graph
    pairs = [_pairs(*parts) for parts in found]
    every = np.concatenate([np.zeros((0, 2), dtype=np.int32), *pairs])
    return Graph.from_positions(nodes, every, nodes_supplied=supplied, directed=directed)


def moved(
    handle: int, version: int, nodes: NDArray[Any], graph: Graph, rows: DatedRows, calendar: Calendar
) -> int:
    """Return how many pairs left a window that they were in and came into another, with the rows of a further version.

    A pair that only came into further windows has late rows. One that only left some was taken away there.

    Parameters
    ----------
    nodes : (n,) array
        The ids of the version that is there, ascending.
    graph : Graph
        Of the rows that are to take its place.
    """
    whole, directory, _, directed = _mapped(handle, version, len(nodes))
    there = graph.node_ids
    if nodes.dtype.kind != there.dtype.kind:  # the node 7 is the same when its id is read as a text
        nodes, there = nodes.astype(np.str_), there.astype(np.str_)
    order = np.argsort(there, kind="stable")
    places = order[np.minimum(np.searchsorted(there, nodes, sorter=order), len(order) - 1)]
    kept = there[places] == nodes
    before = [np.zeros((0, 3), dtype=np.int64)]
    for entry in directory.tolist():
        ends = _pairs(*_window(whole, entry, directed))
        ends = ends[kept[ends].all(axis=1)]
        before.append(_keyed(places[ends], np.full(len(ends), entry[0])))
    window = windows_of(rows.seconds, calendar)
    inside = (window >= 0) & (rows.ends[:, 0] != rows.ends[:, 1])
    old = np.unique(np.concatenate(before), axis=0)
    new = np.unique(_keyed(rows.ends[inside], window[inside]), axis=0)
    _, place, count = np.unique(np.concatenate([old, new]), axis=0, return_inverse=True, return_counts=True)
    single = count[place.reshape(-1)] == 1
    left, came = (
        each[single[part]][:, :2] for each, part in ((old, slice(len(old))), (new, slice(len(old), None)))
    )
    pairs = np.concatenate([np.unique(left, axis=0), np.unique(came, axis=0)])
    return int((np.unique(pairs, axis=0, return_counts=True)[1] == 2).sum())


def _keyed(ends: NDArray[Any], window: NDArray[Any]) -> NDArray[np.int64]:
    """Return the two ends of rows in ascending order, and the window of each."""
    low, high = np.minimum(ends[:, 0], ends[:, 1]), np.maximum(ends[:, 0], ends[:, 1])
    return np.column_stack([low, high, window]).astype(np.int64)


def _pairs(
    active: NDArray[Any], starts: NDArray[Any], indices: NDArray[Any], ways: NDArray[Any] | None
) -> NDArray[np.int32]:
    """Return every edge of a window once, or every arc."""
    rows = np.repeat(active, np.diff(starts))
    once = rows < indices if ways is None else (ways & THERE) != 0
    return np.column_stack([rows[once], indices[once]]).astype(np.int32, copy=False)


def _window(
    whole: mmap.mmap, entry: list[int], directed: bool
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    _, place, active, entries = entry
    at = _layout(place, active, entries, directed)
    try:
        return (
            np.frombuffer(whole, "<i4", active, at[0]),
            np.frombuffer(whole, "<i8", active + 1, at[1]),
            np.frombuffer(whole, "<i4", entries, at[2]),
            np.frombuffer(whole, "|u1", entries, at[3]) if directed else None,
        )
    except ValueError:
        raise _foreign() from None


def _mapped(
    handle: int, version: int, n: int | None = None
) -> tuple[mmap.mmap, NDArray[np.int64], Counted, bool]:
    try:
        whole = mmap.mmap(handle, 0, prot=mmap.PROT_READ)
        signature, of, nodes, windows, directed, undated, dated = _HEAD.unpack_from(whole)
        if signature != _SIGNATURE or of != version or n not in (None, nodes):
            raise _foreign()
        directory = np.frombuffer(whole, "<i8", windows * _ENTRY, _HEAD.size).reshape(-1, _ENTRY)
    except (OSError, ValueError, struct.error):
        raise _foreign() from None
    return whole, directory, Counted(undated, dated), bool(directed)


def _foreign() -> StoreError:
    return StoreError("the graph's file of windows is not of this version; load it again or restore a backup")
