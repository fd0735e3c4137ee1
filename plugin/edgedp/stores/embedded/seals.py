"""What the registry keeps of a version's files, and files that are held while they are compared with it.

A file is checked by the descriptor that is handed out, so that nothing can be put in its place between the check and
its use. Its SHA-256 is computed once for each file and process.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from edgedp.stores.embedded.folder import Folder, Kind
from edgedp.stores.embedded.locks import Held
from edgedp.words.errors import StoreError

_TEXT = re.compile(
    r"(?P<graph>[0-9a-f]{64})(?: (?P<rows>[0-9a-f]{64}):(?P<length>[0-9]{1,15})(?P<directed> directed)?"
    r"(?P<titled> titled)?(?: weighted (?P<weighted>[A-Z0-9a-z:/-]+))?"
    r"(?: dated (?P<windows>[0-9a-f]{64}):(?P<windows_length>[0-9]{1,15}))?"
    r"(?: columned (?P<columns>[0-9a-f]{64}):(?P<columns_length>[0-9]{1,15}))?)?"
)
_verified: dict[tuple[Any, ...], str] = {}


class Seals(NamedTuple):
    """What was written: the SHA-256 of the database file, and SHA-256 and length of the files beside it.

    That the rows have directions, titles, weights, dates or columns is a part of it: programs that know of none take
    the text for no seal, and read nothing of such a version.

    Examples
    --------
    >>> Seals.of("ab" * 32).rows is None, Seals.of(f"{'ab' * 32} {'cd' * 32}:120").length
    (True, 120)
    >>> Seals.of(f"{'ab' * 32} {'cd' * 32}:120 directed").directed
    True
    """

    graph: str | None
    rows: str | None = None
    length: int = 0
    directed: bool = False
    titled: bool = False
    windows: str | None = None
    windows_length: int = 0
    columns: str | None = None
    columns_length: int = 0
    weighted: str | None = None
    """What is declared of the weights (`edgedp.graph.weights.Weighting.written`)."""

    @classmethod
    def of(cls, text: str | None) -> Seals:
        """Read the registry's text; one that is none fits no file."""
        match = _TEXT.fullmatch(text or "")
        if match is None:
            return cls(None)
        found: dict[str, Any] = match.groupdict()
        for name in ("length", "windows_length", "columns_length"):
            found[name] = int(found[name] or 0)
        return cls(**found | {name: bool(found[name]) for name in ("directed", "titled")})

    @property
    def files(self) -> dict[Kind, tuple[str | None, int | None]]:
        """The SHA-256 of each file that the version has, and its length where it is kept."""
        beside: dict[Kind, tuple[str | None, int]] = {
            "rows": (self.rows, self.length),
            "windows": (self.windows, self.windows_length),
            "columns": (self.columns, self.columns_length),
        }
        return {"graph": (self.graph, None), **{kind: seal for kind, seal in beside.items() if seal[0]}}

    @property
    def text(self) -> str:
        """What the registry keeps."""
        if self.rows is None:
            return f"{self.graph}"
        said = (" directed" if self.directed else "") + (" titled" if self.titled else "")
        said += "" if self.weighted is None else f" weighted {self.weighted}"
        said += "" if self.windows is None else f" dated {self.windows}:{self.windows_length}"
        said += "" if self.columns is None else f" columned {self.columns}:{self.columns_length}"
        return f"{self.graph} {self.rows}:{self.length}{said}"


class Version(NamedTuple):
    """The files of a version, checked and held."""

    number: int
    path: Path
    """The database file."""
    rows: int | None
    """The descriptor of the file of rows."""
    windows: int | None = None
    """That of the file of windows, where the graph has a calendar."""
    columns: int | None = None
    """That of the file of columns, where any are kept."""


@contextmanager
def hold(folder: Folder, number: int, text: str | None) -> Iterator[Version]:
    """Hand out the files of a version, each what was written, which nobody sweeps meanwhile.

    Parameters
    ----------
    text : str or None
        What the registry keeps of the files.

    Raises
    ------
    StoreError
        A file is gone, damaged or a link.
    """
    of: dict[Kind, Held] = {}
    with ExitStack() as until:
        for kind, (digest, length) in Seals.of(text).files.items():
            held = folder.hold(number, kind)
            until.callback(held.release)
            found = os.fstat(held.handle)
            fits = stat.S_ISREG(found.st_mode) and length in (None, found.st_size)
            if digest is None or not fits or digest_of(held.path, held.handle) != digest:
                raise StoreError(
                    "the graph's file is not what was written, so nothing is released; load it again or restore a "
                    "backup"
                )
            of[kind] = held
        handles = {kind: each.handle for kind, each in of.items()}
        yield Version(
            number, of["graph"].path, handles.get("rows"), handles.get("windows"), handles.get("columns")
        )


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def remember(path: Path, handle: int, digest: str) -> None:
    """Note the SHA-256 of an open file."""
    if len(_verified) > 10_000:
        _verified.clear()
    _verified[_identity(path, handle)] = digest


def digest_of(path: Path, handle: int) -> str:
    """Return the SHA-256 of an open file; none of one that was written to while it was read."""
    key = _identity(path, handle)
    if key not in _verified:
        with open(handle, "rb", closefd=False) as stream:
            stream.seek(0)
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if _identity(path, handle) != key:
            return ""
        remember(path, handle, digest)
    return _verified.get(key, "")


def _identity(path: Path, handle: int) -> tuple[Any, ...]:
    found = os.fstat(handle)
    return str(path), found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
