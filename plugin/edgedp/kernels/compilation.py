"""How the kernels are compiled: by numba, with the machine code kept in a folder of our own.

Kept code is code that will be executed, so the folder belongs to the user alone. It lies outside the
installed package, which may be read-only. Its name follows the sources of all kernels, because numba
itself watches only the file of a kernel and not the files of the functions that it calls.

A folder that the user chose with ``NUMBA_CACHE_DIR`` is used instead, as it is.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import types
from numba.extending import intrinsic

from edgedp.downloads import cache_folder

__all__ = ["compiled", "kept_code_folder", "popcount"]

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

config: Any = numba.config
if config.DISABLE_JIT:
    raise ImportError("NUMBA_DISABLE_JIT is set")


def compiled(function: Kernel) -> Kernel:
    """Compile a kernel at its first call; it runs without the interpreter's lock, its code is kept if possible."""
    if config.CACHE_DIR:
        return _jit(function, keep=True)
    folder = kept_code_folder()
    if folder is None:
        return _jit(function, keep=False)
    with _numba_keeps_code_in(folder):
        return _jit(function, keep=True)


def _jit(function: Kernel, *, keep: bool) -> Kernel:
    kernel: Kernel = numba.njit(function, nogil=True, cache=keep)
    return kernel


@contextmanager
def _numba_keeps_code_in(folder: Path) -> Iterator[None]:
    """Name the folder to numba while it decorates, and only then: other packages' kernels are not ours."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


@cache
def kept_code_folder() -> Path | None:
    """Return a folder that is ours alone and can be written, or None: then every process compiles for itself."""
    for base in _candidates():
        try:
            base.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_ours_alone(base):
                continue
            folder = base / _sources_digest()
            folder.mkdir(mode=0o700, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except (OSError, RuntimeError):  # RuntimeError: there is no home directory
            continue
        return folder
    return None


def _candidates() -> Iterator[Path]:
    """Yield the user's cache, then a folder of the user's own among the temporary files."""
    yield cache_folder() / "kernels"
    user = os.getuid() if hasattr(os, "getuid") else "user"
    yield Path(tempfile.gettempdir()) / f"edgedp-kernels-{user}"


def _is_ours_alone(folder: Path) -> bool:
    """Say whether nobody else can put code here."""
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode):
        return False
    return not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022)


@cache
def _sources_digest() -> str:
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _popcount(_typing_context: Any, _word: Any) -> Any:
    """Return the number of set bits of a uint64, by the processor's instruction."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


popcount: Any = intrinsic(_popcount)
