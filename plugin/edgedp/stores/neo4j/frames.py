"""Frames between the Neo4j plugin and its worker: one JSON header and raw little-endian arrays.

Version 2. A conversation runs over a pipe in each direction; every message is one frame::

    offset  size  content
    0       6     the ASCII letters ``edgedp``
    6       2     protocol version, uint16
    8       4     H, the length of the header in bytes, uint32
    12      8     B, the length of the body in bytes, uint64
    20      H     header: one JSON object, UTF-8 (the words NaN, Infinity, -Infinity stand for floats)
    20+H    B     body: the arrays that the header lists, each padded with zeros to a multiple of 8

All numbers are little-endian. The header's key ``arrays`` lists the arrays in the order of the body::

    {"name": "sources", "type": "int32", "length": 3, "bytes": 12}

``type`` is ``int32``, ``int64``, ``float64`` or ``text``. A ``text`` array of ``length`` n is n int64
ends (in code points of the joined text), then the joined text in UTF-8. A frame whose H + B exceeds
the reader's limit is refused before any memory is taken for it.

The worker speaks first: ``{"verb": "hello", "version": ..., "python": ..., "pid": ...}``. After that
every request ``{"verb": ..., ...}`` is answered, in order, by exactly one of

- ``{"answer": {...}}``, with arrays where the verb returns some;
- ``{"refusal": "..."}``: a sentence for the asker, safe to show;
- ``{"failure": {"type": ..., "place": ...}}``: an unexpected error, its type and place, no value.

Any number of frames ``{"verb": "pairs"}`` may come before a request, each with the int32 arrays ``sources`` and
``targets``. They are not answered: together they are the request's arrays of these names, which are sent while a
graph is still being read.

`edgedp.faces.worker.jobs` documents the verbs. `tests/conformance/frames.json` holds frames that both ends
must read and write alike.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from edgedp.words.errors import EdgeDPError

PROTOCOL_VERSION = 2
_MAGIC = b"edgedp"
_PREFIX = struct.Struct("<6sHIQ")
_NUMERIC: dict[str, np.dtype[Any]] = {
    "int32": np.dtype("<i4"),
    "int64": np.dtype("<i8"),
    "float64": np.dtype("<f8"),
}
_TEXT_END = np.dtype("<i8")


class FrameError(EdgeDPError, ValueError):
    """Bytes that are not a frame of this protocol, or a frame beyond the limit."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message: a JSON-able header and the arrays that travel with it, by name."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)


def write_frame(stream: BinaryIO, frame: Frame) -> None:
    """Write one frame and flush it.

    Parameters
    ----------
    stream : binary stream
        Where the frame goes.
    frame : Frame
        Arrays of int32, int64, float64 or str; one-dimensional.

    Examples
    --------
    >>> import io
    >>> pipe = io.BytesIO()
    >>> write_frame(pipe, Frame({"verb": "draw"}, {"ids": np.array(["a", "bc"])}))
    >>> _ = pipe.seek(0)
    >>> read_frame(pipe, limit=1000).arrays["ids"].tolist()
    ['a', 'bc']
    """
    listed, parts = [], []
    for name, array in frame.arrays.items():
        kind, payload = _encode(name, array)
        listed.append({"name": name, "type": kind, "length": len(array), "bytes": len(payload)})
        parts += [payload, bytes(-len(payload) % 8)]
    header = {**frame.header, "arrays": listed} if listed else frame.header
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    stream.write(_PREFIX.pack(_MAGIC, PROTOCOL_VERSION, len(text), sum(map(len, parts))))
    stream.write(text)
    for part in parts:
        stream.write(part)
    stream.flush()


def read_frame(stream: BinaryIO, *, limit: int) -> Frame | None:
    """Read one frame; None where the stream ends between two frames.

    Parameters
    ----------
    stream : binary stream
        Where the frame comes from.
    limit : int
        Largest length of header and body together, in bytes.

    Returns
    -------
    Frame or None
        Its arrays are views of one buffer.

    Raises
    ------
    FrameError
        The bytes are not a frame of this version, the frame is beyond the limit, or the stream ends in it.
    """
    prefix = _read_exactly(stream, _PREFIX.size, may_end=True)
    if prefix is None:
        return None
    magic, version, header_length, body_length = _PREFIX.unpack(prefix)
    if magic != _MAGIC:
        raise FrameError(
            "the stream does not start with a frame of edgedp's protocol; see what else writes to it"
        )
    if version != PROTOCOL_VERSION:
        raise FrameError(
            f"the protocol version is {version}, must be {PROTOCOL_VERSION}; "
            "install the plugin and the Python package of one version"
        )
    if header_length + body_length > limit:
        raise FrameError(
            f"the frame has {header_length + body_length} bytes, must have at most {limit}; "
            "raise worker.frame.limit in conf/edgedp.conf"
        )
    header_bytes = _read_exactly(stream, header_length)
    body = _read_exactly(stream, body_length)
    try:
        header = json.loads(header_bytes.tobytes())
        return Frame(header, _decode_all(header.pop("arrays", []), body))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FrameError("the frame's header does not match its body; report this") from error


def decode_texts(payload: NDArray[np.uint8], length: int) -> NDArray[np.str_]:
    """Return the `length` texts of a ``text`` array's bytes (the adjacency procedure packs ids so too).

    Examples
    --------
    >>> payload = np.frombuffer(np.array([1, 3], "<i8").tobytes() + b"abc", dtype=np.uint8)
    >>> decode_texts(payload, 2).tolist()
    ['a', 'bc']
    """
    head = length * _TEXT_END.itemsize
    ends = payload[:head].view(_TEXT_END).tolist()
    joined = payload[head:].tobytes().decode("utf-8")
    if length and ends[-1] != len(joined):
        raise ValueError
    return np.array([joined[a:b] for a, b in zip([0, *ends][:-1], ends, strict=True)], dtype=np.str_)


def joined(pieces: list[dict[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """Return arrays that came in pieces as a whole; the list is emptied, so that few bytes are there twice.

    Examples
    --------
    >>> joined([{"sources": np.array([1])}, {"sources": np.array([2])}])["sources"].tolist()
    [1, 2]
    """
    whole = {
        name: np.empty(sum(len(piece[name]) for piece in pieces), array.dtype)
        for name, array in (pieces[0] if pieces else {}).items()
    }
    end = dict.fromkeys(whole, 0)
    while pieces:
        for name, array in pieces.pop(0).items():
            whole[name][end[name] : end[name] + len(array)] = array
            end[name] += len(array)
    return whole


def _encode(name: str, array: NDArray[Any]) -> tuple[str, bytes]:
    for kind, dtype in _NUMERIC.items():
        if array.dtype == dtype:
            return kind, np.ascontiguousarray(array, dtype=dtype).tobytes()
    if array.dtype.kind == "U":
        texts = array.tolist()
        ends = np.cumsum([len(text) for text in texts], dtype=_TEXT_END)
        return "text", ends.tobytes() + "".join(texts).encode()
    raise FrameError(
        f"the array {name} is of type {array.dtype}, must be int32, int64, float64 or text; convert it"
    )


def _decode_all(listed: list[dict[str, Any]], body: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {}
    offset = 0
    for entry in listed:
        kind, length, size = entry["type"], entry["length"], entry["bytes"]
        payload = body[offset : offset + size]
        if len(payload) != size or (kind in _NUMERIC and length * _NUMERIC[kind].itemsize != size):
            raise ValueError
        arrays[entry["name"]] = (
            decode_texts(payload, length) if kind == "text" else payload.view(_NUMERIC[kind])
        )
        offset += size + -size % 8
    if offset != len(body):
        raise ValueError
    return arrays


def _read_exactly(stream: BinaryIO, size: int, *, may_end: bool = False) -> Any:
    """Read `size` bytes into a fresh array; pipes hand over less than asked for."""
    buffer = np.empty(size, dtype=np.uint8)
    view, filled = buffer.data, 0
    while filled < size:
        count = stream.readinto(view[filled:])  # type: ignore[attr-defined]
        if not count:
            if may_end and filled == 0:
                return None
            raise FrameError("the stream ends inside a frame; the other side has stopped")
        filled += count
    return buffer
