"""The text of a file: read, unpacked and with plain line ends, whatever its suffix says."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from edgedp.errors import GraphFormatError, UnknownNameError

if TYPE_CHECKING:
    from edgedp.reading.progress import Progress

__all__ = ["Content", "read_content"]

CHUNK = 1 << 16  # small, for what lies behind a member's end is copied (bgzip has one each 64 KiB)
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
GZIP = b"\x1f\x8b"
ZSTANDARD = b"\x28\xb5\x2f\xfd"
OTHER_CONTAINERS = {
    b"PK\x03\x04": "a zip archive",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"PAR1": "a Parquet file",
    b"%%MatrixMarket": "a Matrix Market file",
}


@dataclass(frozen=True, slots=True)
class Content:
    r"""Text with ``\n`` line ends and a final newline, and what was taken off to get it.

    Parameters
    ----------
    data : bytes
        The text. Its encoding is checked where texts are read from it, line by line.
    compression : str
        ``gzip``, ``zstandard`` or the empty string.
    line_ends : str
        ``LF`` or ``CRLF``.
    """

    data: bytes
    compression: str
    line_ends: str


class _Unpacker(Protocol):
    """What zlib's and zstandard's decompression objects have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def read_content(path: Path, source: str, progress: Progress) -> Content:
    """Read a text file, plain, ``.gz`` or ``.zst``, told apart by their first bytes.

    Raises
    ------
    UnknownNameError
        There is no such file.
    GraphFormatError
        A folder, an unreadable file, a truncated or broken archive, a binary file.
    """
    raw = _read(path, source)
    if raw.startswith(GZIP):
        compression, data = "gzip", _unpack(raw, "gzip", source, progress)
    elif raw.startswith(ZSTANDARD):
        compression, data = "zstandard", _unpack(raw, "zstandard", source, progress)
    else:
        compression, data = "", raw
    del raw
    _refuse_binary(data, source)
    data = data.removeprefix(BYTE_ORDER_MARK)
    line_ends = "LF"
    if b"\r" in data:
        line_ends = "CRLF"
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if data and not data.endswith(b"\n"):
        data += b"\n"
    return Content(data, compression, line_ends)


def _read(path: Path, source: str) -> bytes:
    """Read the bytes, with one line for each way in which a path is not a readable file."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UnknownNameError(f"{source!r} is no file, must be one that exists; check the path") from None
    except IsADirectoryError:
        raise GraphFormatError(f"{source!r} is a folder, must be a file; name the file in it") from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise GraphFormatError(
            f"{source!r} cannot be read ({reason}), must be readable; check the file"
        ) from None


def _unpack(raw: bytes, kind: str, source: str, progress: Progress) -> bytes:
    """Unpack every member of an archive; an end before its time is an error, never a shorter graph."""
    parts: list[bytes] = []
    view = memoryview(raw)
    done = 0
    try:
        while done < len(raw):
            unpacker = _unpacker(kind)
            while not unpacker.eof:
                if done == len(raw):
                    raise GraphFormatError(
                        f"{source!r} is a truncated {kind} file, must be whole; copy or fetch it again"
                    )
                chunk = view[done : done + CHUNK]
                parts.append(unpacker.decompress(bytes(chunk)))
                done += len(chunk)
                progress("unpacking", done, len(raw))
            done -= len(unpacker.unused_data)
            if not any(view[done : done + CHUNK]):  # gzip allows padding by zero bytes
                break
    except _unpacking_errors(kind) as error:
        raise GraphFormatError(
            f"{source!r} is a broken {kind} file ({error}), must be whole; copy or fetch it again"
        ) from None
    return b"".join(parts)


def _unpacker(kind: str) -> _Unpacker:
    if kind == "gzip":
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


def _unpacking_errors(kind: str) -> type[Exception]:
    """Name the error of a broken archive without importing zstandard for a gzip file."""
    if kind == "gzip":
        return zlib.error
    import zstandard

    return zstandard.ZstdError


def _refuse_binary(data: bytes, source: str) -> None:
    for magic, what in OTHER_CONTAINERS.items():
        if data.startswith(magic):
            raise GraphFormatError(
                f"{source!r} is {what}, must be text, plain or as .gz or .zst; convert it to an edge list"
            )
    if b"\0" in data:
        raise GraphFormatError(
            f"{source!r} is a binary file, must be text in UTF-8, plain or as .gz or .zst; give an edge list"
        )
