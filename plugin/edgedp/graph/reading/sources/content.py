"""The bytes of a source: opened, unpacked as they are read, and never held as a whole."""

from __future__ import annotations

import bz2
import io
import lzma
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from edgedp.graph.reading.sources.recognition import told_by
from edgedp.words.errors import GraphFormatError, UnknownNameError

if TYPE_CHECKING:
    from edgedp.graph.reading.sources.buckets import Bucket
    from edgedp.words.progress import Progress

CHUNK = 1 << 16  # small, for what lies behind a member's end is copied (bgzip has one each 64 KiB)
STANDARD_INPUT = "standard input"
PACKED = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstandard",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x5d\x00\x00": "lzma",
}
ZIP = b"PK\x03\x04"
_HEAD = 10
"""Bytes that tell an archive: those of bzip2."""


@dataclass(frozen=True, slots=True)
class Content:
    """The unpacked bytes of a source, to be read once.

    Parameters
    ----------
    chunks : iterator of bytes
        From the first byte to the last.
    head : bytes
        The first bytes, which the chunks hold too: what tells the format.
    compression : str
        ``gzip``, ``zstandard``, ``bzip2``, ``xz``, ``lzma``, ``zip`` or the empty string.
    plain : Path or None
        The file itself, where it is one that is not packed.
    anywhere : pyarrow.NativeFile or None
        The object itself, to be read from any place, where it is one of a bucket that is not packed.
    """

    chunks: Iterator[bytes]
    head: bytes
    compression: str
    plain: Path | None
    anywhere: Any = None

    @property
    def packed(self) -> tuple[str, ...]:
        """How it is packed, as a report says it; nothing where it is not."""
        return (self.compression,) if self.compression else ()

    def whole(self) -> bytes:
        """Return everything, for formats that cannot be read in blocks."""
        return b"".join(self.chunks)


class _Unpacker(Protocol):
    """What the decompression objects of zlib, bz2, lzma and zstandard have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


@contextmanager
def opened_content(
    path: Path | None, source: str, progress: Progress, bucket: Bucket | None = None
) -> Iterator[Content]:
    """Open a file, or standard input (None), and unpack it by its first bytes, whatever its name says.

    Raises
    ------
    UnknownNameError
        There is no such file.
    GraphFormatError
        A folder, an unreadable file, a truncated or broken archive.
    """
    if bucket is not None:
        from edgedp.graph.reading.sources.buckets import object_errors

        with bucket.opened() as stream, object_errors(source, bucket.scheme), bucket.opened() as anywhere:
            content = _content(stream, None, stream.size(), source, progress)
            yield content if content.compression else replace(content, anywhere=anywhere)
        return
    if path is None:
        yield _content(sys.stdin.buffer, None, None, source, progress)
        return
    with _one_line(source):
        stream = path.open("rb")
    with stream:
        file = path.is_file()  # a pipe can be read once, and from its beginning only
        size = path.stat().st_size if file else None
        yield _content(stream, path if file else None, size, source, progress)


@contextmanager
def _one_line(source: str) -> Iterator[None]:
    """Give one line for each way in which a path is not a readable file."""
    try:
        yield
    except FileNotFoundError:
        raise UnknownNameError(f"{source!r} does not exist; check the path") from None
    except IsADirectoryError:
        raise GraphFormatError(f"{source!r} is a folder, must be a file; name the file in it") from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise GraphFormatError(
            f"{source!r} cannot be read ({reason}); check the file and who may read it"
        ) from None


def _content(
    stream: BinaryIO, path: Path | None, size: int | None, source: str, progress: Progress
) -> Content:
    raw = _raw(stream, size, source, progress)
    first = b""
    for chunk in raw:
        first += chunk
        if len(first) >= _HEAD:
            break
    kind = told_by(first, PACKED) or ""
    chunks: Iterator[bytes] = chain([first], raw)
    if first.startswith(ZIP):
        kind = "zip"
        chunks = _unzipped(stream if path is not None else io.BytesIO(b"".join(chunks)), source)
    elif kind:
        chunks = _unpacked(chunks, kind, source)
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= CHUNK:
            break
    return Content(chain([head], chunks), head, kind, None if kind else path)


def _raw(stream: BinaryIO, size: int | None, source: str, progress: Progress) -> Iterator[bytes]:
    """Yield what is in the file, and tell how far that is."""
    done = 0
    while True:
        with _one_line(source):
            chunk = stream.read(CHUNK)
        if not chunk:
            return
        done += len(chunk)
        progress("reading", done, size)
        yield chunk


def _unpacked(chunks: Iterator[bytes], kind: str, source: str) -> Iterator[bytes]:
    """Unpack every member of an archive; an end before its time is an error, never a shorter graph."""
    rest = next(chunks, b"")
    errors = _unpacking_errors(kind)
    while rest:
        unpacker = _unpacker(kind)
        while not unpacker.eof:
            if not rest:
                raise GraphFormatError(f"{source!r} is a truncated {kind} file; copy or fetch it again")
            try:
                yield unpacker.decompress(rest)
            except errors as error:
                raise GraphFormatError(
                    f"{source!r} is a broken {kind} file ({error}); copy or fetch it again"
                ) from None
            rest = b"" if unpacker.eof else next(chunks, b"")
        rest = unpacker.unused_data or next(chunks, b"")
        while rest and not any(rest):  # gzip and xz allow padding by zero bytes
            rest = next(chunks, b"")


def _unpacker(kind: str) -> _Unpacker:
    if kind == "gzip":
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    if kind == "bzip2":
        return bz2.BZ2Decompressor()
    if kind in ("xz", "lzma"):
        return lzma.LZMADecompressor(format=lzma.FORMAT_XZ if kind == "xz" else lzma.FORMAT_ALONE)
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


def _unpacking_errors(kind: str) -> tuple[type[Exception], ...]:
    """Name the errors of a broken archive without importing zstandard for another one."""
    if kind == "zstandard":
        import zstandard

        return (zstandard.ZstdError,)
    return (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError)


def _unzipped(stream: BinaryIO | io.BytesIO, source: str) -> Iterator[bytes]:
    """Unpack the one file of a zip archive; which one of several is meant, nobody can say."""
    try:
        with zipfile.ZipFile(stream) as archive:
            _refuse_documents(archive.namelist(), source)
            files = [
                info
                for info in archive.infolist()
                if not info.is_dir()
                and not info.filename.startswith("__MACOSX/")
                and not info.filename.rpartition("/")[2].startswith(".")
            ]
            if len(files) != 1:
                raise GraphFormatError(
                    f"{source!r} is a zip archive of {len(files)} files, must hold one; unpack it and name the edge "
                    "list"
                )
            if files[0].flag_bits & 1:
                raise GraphFormatError(f"{source!r} is a zip archive with a password; unpack it first")
            with archive.open(files[0]) as member:
                while chunk := member.read(CHUNK):
                    yield chunk
    except GraphFormatError:
        raise
    except NotImplementedError:
        raise GraphFormatError(
            f"{source!r} is a zip archive packed in a way that is not known here; unpack it first"
        ) from None
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, ValueError):
        raise GraphFormatError(
            f"{source!r} is a truncated or broken zip archive; copy or fetch it again"
        ) from None


def _refuse_documents(names: list[str], source: str) -> None:
    """Name what is a zip archive inside and something else outside."""
    for mark, what in (
        ("[Content_Types].xml", "an Office document"),
        ("content.xml", "an OpenDocument file"),
        (".npy", "a numpy archive (.npz)"),
        ("META-INF/MANIFEST.MF", "a Java archive"),
        ("data.pkl", "a PyTorch file"),
    ):
        if any(name == mark or (mark.startswith(".") and name.endswith(mark)) for name in names):
            raise GraphFormatError(
                f"{source!r} is {what}, which is not read; export the edges as CSV or Parquet"
            )
