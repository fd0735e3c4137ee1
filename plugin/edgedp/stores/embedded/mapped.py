"""The rows of a version in a file of their own, laid out as they are in memory, to be mapped and not read.

::

    64 bytes        signature (another one where there are directions, titles or weights), version, n, entries, kind
                    and width of the ids; with titles: whether there are directions, and the bytes of the titles; with
                    weights: 1 for directions plus 2 for titles, and the bytes of these
    ids             n integers of 64 bits, or n texts of one width (UTF-32, as numpy holds them)
    indptr          n + 1 integers of 64 bits
    indices         2m integers of 32 bits
    ways            2m integers of 8 bits, of a directed graph only: the direction of each entry
    weights         2m integers of 64 bits, of a graph with weights only: the whole steps of each entry
    ends            n + 1 integers of 64 bits, where nodes have titles: the bytes at which each begins
    text            the titles, UTF-8

All is little-endian, each part begins at a multiple of 64. The file is mapped by the descriptor whose SHA-256 and
length were the registry's. Before a kernel takes the rows they are checked as those of any other graph.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.native.library import Rows, Scratch, missing
from edgedp.graph.graph import Graph
from edgedp.graph.ids import BACK, THERE
from edgedp.graph.titles import Titles
from edgedp.graph.weights import Weighting
from edgedp.words.errors import StoreError

_HEAD = struct.Struct("<8sQQQ1sxxxI")
_SIGNATURE, _WITH_WAYS, _WITH_TITLES = b"EDGEDPR1", b"EDGEDPR2", b"EDGEDPR3"
_WITH_WEIGHTS = b"EDGEDPR4"
_MORE = struct.Struct("<B7xQ")
"""Beside the head where there are titles, or weights."""
_DIRECTED, _TITLED = 1, 2
_ALIGNED = 64
_PIECE = 1 << 24

Parts = tuple[tuple[str, int], ...]


def _parts(
    kind: bytes,
    width: int,
    n: int,
    entries: int,
    *,
    directed: bool,
    weighted: bool = False,
    titles: int | None = None,
) -> Parts:
    """Return type and number of the items of ids, indptr, indices; of ways, weights, and ends and bytes of titles."""
    ids = "<i8" if kind == b"i" else f"<U{width}"
    ways = [("|u1", entries)] if directed else []
    named = [] if titles is None else [("<i8", n + 1), ("|u1", titles)]
    weights = [("<i8", entries)] if weighted else []
    return ((ids, n), ("<i8", n + 1), ("<i4", entries), *ways, *weights, *named)


def _places(parts: Parts) -> tuple[list[int], int]:
    """Return where each part begins, and where the last one ends."""
    places, end = [], _ALIGNED
    for dtype, count in parts:
        places.append(-(-end // _ALIGNED) * _ALIGNED)
        end = places[-1] + count * np.dtype(dtype).itemsize
    return places, end


class _Layout(NamedTuple):
    """What a graph's file holds."""

    kind: bytes
    width: int
    parts: Parts
    arrays: tuple[NDArray[Any], ...]

    @classmethod
    def of(cls, graph: Graph, titles: Titles | None) -> _Layout:
        ids, indices, ways = graph.node_ids, graph.indices, graph.ways
        kind, width = (b"U", ids.dtype.itemsize // 4) if ids.dtype.kind == "U" else (b"i", 8)
        size = None if titles is None else len(titles.text)
        weights = graph.weights
        parts = _parts(
            kind,
            width,
            len(ids),
            indices.size,
            directed=ways is not None,
            weighted=weights is not None,
            titles=size,
        )
        arrays: tuple[NDArray[Any], ...] = (ids, graph.indptr, indices)
        arrays += () if ways is None else (ways,)
        arrays += () if weights is None else (weights,)
        arrays += () if titles is None else (titles.ends, titles.text)
        return cls(kind, width, parts, arrays)


def file_size(graph: Graph, titles: Titles | None = None) -> int:
    """Return the length of a graph's file in bytes."""
    return _places(_Layout.of(graph, titles).parts)[1]


# -- writing ----------------------------------------------------------------------------------------------


def write_rows(path: Path, version: int, graph: Graph, titles: Titles | None = None) -> tuple[str, int]:
    """Write a new file, and return the SHA-256 of what was to be written, and its length.

    Raises
    ------
    StoreError
        There is no room, or the file may not be written.
    GraphFormatError
        The rows are not those of a simple graph.
    """
    if "rows" not in graph.kept and not missing():
        graph.kept["rows"] = Rows.checked(graph.indptr, graph.indices, Scratch())
    return write_pieces(path, _pieces(version, graph, titles))


def write_pieces(path: Path, pieces: Iterable[bytes | memoryview]) -> tuple[str, int]:
    """Write a new private file, all of it or nothing, and return its SHA-256 and its length in bytes.

    Raises
    ------
    StoreError
        There is no room, or the file may not be written.
    """
    digest, length = hashlib.sha256(), 0
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(handle, "wb", buffering=0) as stream:
            for whole in pieces:
                piece = memoryview(whole)
                digest.update(piece)
                length += len(piece)
                while piece:
                    piece = piece[stream.write(piece) :]
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise StoreError(
            "the graph could not be written; check its folder's room and permissions "
            f"(the system says: {error.strerror})"
        ) from None
    return digest.hexdigest(), length


def _pieces(version: int, graph: Graph, titles: Titles | None) -> Iterator[memoryview]:
    kind, width, parts, arrays = _Layout.of(graph, titles)
    directed = graph.directed
    signature = _WITH_TITLES if titles is not None else _WITH_WAYS if directed else _SIGNATURE
    head = _HEAD.pack(signature, version, len(arrays[0]), arrays[2].size, kind, width)
    if graph.weights is not None:
        signature = _WITH_WEIGHTS
        head = _HEAD.pack(signature, version, len(arrays[0]), arrays[2].size, kind, width)
        held = _DIRECTED * directed + _TITLED * (titles is not None)
        head += _MORE.pack(held, 0 if titles is None else len(titles.text))
    elif titles is not None:
        head += _MORE.pack(directed, len(titles.text))
    reached = len(head)
    yield memoryview(head)
    for array, (dtype, count), place in zip(arrays, parts, _places(parts)[0], strict=True):
        yield memoryview(bytes(place - reached))
        width = np.dtype(dtype).itemsize
        step = max(_PIECE // width, 1)
        for start in range(0, count, step):
            piece = np.ascontiguousarray(array[start : start + step], dtype=dtype)
            yield memoryview(piece).cast("B")  # type: ignore[arg-type]
        reached = place + count * width


# -- mapping ----------------------------------------------------------------------------------------------


def mapped_graph(
    handle: int, version: int, *, nodes_supplied: bool, weighting: Weighting | None = None
) -> Graph:
    """Return the graph of a checked file that is held; it stays when the file is let go.

    What is declared of its weights is not in the file; weights beyond it are refused.
    """
    found = _mapped(handle, version)
    ids, indptr, indices = found["ids"], found["indptr"], found["indices"]
    ways = found.get("ways")
    if ways is not None and (ways.min(initial=THERE) < THERE or ways.max(initial=THERE) > THERE + BACK):
        raise _foreign()
    weights = found.get("weights")
    if (weights is None) != (weighting is None):
        raise _foreign()
    if weights is not None and weighting is not None and not weighting.holds(weights):
        raise _foreign()
    graph = Graph(
        ids,
        indptr,
        indices,
        nodes_supplied=nodes_supplied,
        ways=ways,
        weights=weights,
        weighting=weighting,
    )
    graph.kept["mapped"] = True
    return graph


def mapped_ids(handle: int, version: int) -> NDArray[Any]:
    """Return the ids of the nodes of a checked file that is held, ascending; no edge is read."""
    return _mapped(handle, version)["ids"]


def mapped_titles(handle: int, version: int) -> Titles:
    """Return the titles of the nodes of a checked file that is held; no edge is read.

    Raises
    ------
    StoreError
        The file has none.
    """
    found = _mapped(handle, version)
    if "ends" not in found:
        raise _foreign()
    return Titles(found["ends"], found["text"])


def _mapped(handle: int, version: int) -> dict[str, NDArray[Any]]:
    try:
        whole = mmap.mmap(handle, 0, prot=mmap.PROT_READ)
        signature, of, n, entries, kind, width = _HEAD.unpack_from(whole)
        directed, titles = (signature == _WITH_WAYS), None
        if signature == _WITH_TITLES:
            directed, titles = _MORE.unpack_from(whole, _HEAD.size)
        weighted = signature == _WITH_WEIGHTS
        if weighted:
            held, size = _MORE.unpack_from(whole, _HEAD.size)
            directed, titles = held & _DIRECTED, size if held & _TITLED else None
        parts = _parts(kind, width, n, entries, directed=bool(directed), weighted=weighted, titles=titles)
        places, end = _places(parts)
    except (OSError, ValueError, struct.error):
        raise _foreign() from None
    if (
        signature not in (_SIGNATURE, _WITH_WAYS, _WITH_TITLES, _WITH_WEIGHTS)
        or of != version
        or kind not in (b"i", b"U")
        or end != len(whole)
    ):
        raise _foreign()
    names = [
        "ids",
        "indptr",
        "indices",
        *(["ways"] if directed else []),
        *(["weights"] if weighted else []),
        *(["ends", "text"] if titles is not None else []),
    ]
    return {
        name: np.frombuffer(whole, dtype, count, place)
        for name, (dtype, count), place in zip(names, parts, places, strict=True)
    }


def _foreign() -> StoreError:
    return StoreError("the graph's file of rows is not of this version; load it again or restore a backup")
