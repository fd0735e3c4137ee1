"""Sensitivity profiles kept between releases: they do not depend on epsilon.

One file a profile, in a folder of the user's cache that nobody else can read. Its name is a hash of
the private adjacency and of the parameters, so a graph that differs by one edge finds nothing. The
cache is a convenience: what is missing, damaged or not ours is computed again, and a folder that
cannot be written is left alone.

Privacy: the files hold exact values of the private edges, as the store itself does. They belong to
the curator's account, must not be shared, and are not part of any release.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.pareto.profile import ParetoProfile
from edgedp.reading.downloads import cache_folder

__all__ = ["cached_profile", "profile_folder", "profile_key"]

FORMAT = 1
"""Goes into every key; to be raised when the profile of the same parameters changes."""

MOST_BYTES = 512 << 20

_DIGEST_BYTES = 32


def profile_folder() -> Path:
    """Return where profiles are kept: ``profiles`` in ``EDGEDP_CACHE`` or in the system's cache folder."""
    return cache_folder() / "profiles"


def profile_key(fingerprint: str, **parameters: object) -> str:
    """Return the name of a profile: SHA-256 (hex) of the graph and of all that its profile depends on.

    Parameters
    ----------
    fingerprint : str
        `edgedp.Graph.fingerprint`, which differs when one edge differs.
    **parameters
        Metrics, degree bound, form, and so on: JSON values, or arrays, which count by their content. The
        utilities belong in, for two engines may differ in the last bit and a profile holds for the floats
        that it was computed from.

    Examples
    --------
    >>> one = profile_key("ab", metrics=["degree", "density"], degree_bound=9, form="interval")
    >>> one == profile_key("ab", metrics=["degree", "density"], degree_bound=8, form="interval")
    False
    """
    described = json.dumps(
        {"format": FORMAT, "graph": fingerprint} | parameters, sort_keys=True, default=_content_hash
    )
    return hashlib.sha256(described.encode()).hexdigest()


def cached_profile(
    folder: Path, key: str, compute: Callable[[], ParetoProfile], *, most_bytes: int = MOST_BYTES
) -> ParetoProfile:
    """Return the profile kept under `key`, or compute and keep it.

    Parameters
    ----------
    folder : Path
        Where to look; created with mode 0700. Files get mode 0600.
    key : str
        From `profile_key`.
    compute : callable
        Computes the profile where none is kept.
    most_bytes : int
        Size of the folder beyond which the profiles unused for longest are removed.

    Notes
    -----
    Files are written beside their place and renamed into it, so a reader sees a whole one or none. A file
    is read if it is a regular one of this user that nobody else can open, in such a folder, and believed if
    the hash of its key and content, with which it begins, is right.
    """
    kept = _read(folder, key)
    if kept is not None:
        return kept
    computed = compute()
    with suppress(OSError):
        _write(folder, key, computed)
        _make_room(folder, most_bytes, keep=_path(folder, key))
    return computed


def _content_hash(array: NDArray[Any]) -> str:
    """Return what stands for an array in a key."""
    digest = hashlib.sha256(f"{array.dtype.str} {array.shape}".encode())
    digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _path(folder: Path, key: str) -> Path:
    return folder / f"{key}.profile"


def _read(folder: Path, key: str) -> ParetoProfile | None:
    """Return a kept profile if it is whole and ours, and note that it was used."""
    path = _path(folder, key)
    try:
        if not _is_private(os.stat(folder)):
            return None
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not (stat.S_ISREG(status.st_mode) and _is_private(status)):
                return None
            digest, content = file.read(_DIGEST_BYTES), file.read()
        os.utime(path)
    except OSError:
        return None
    return _decode(content) if digest == _digest(key, content) else None


def _write(folder: Path, key: str, profile: ParetoProfile) -> None:
    """Put a profile in its place in one step; a folder that others can open is refused."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_private(os.stat(folder)):
        raise PermissionError(folder)
    content = _encode(profile)
    descriptor, temporary = tempfile.mkstemp(dir=folder, suffix=".part")  # mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(_digest(key, content))
            file.write(content)
        os.replace(temporary, _path(folder, key))
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _encode(profile: ParetoProfile) -> bytes:
    """Return the arrays of a profile as bytes; its ceiling follows from them."""
    content = io.BytesIO()
    np.save(content, profile.offsets)
    np.save(content, profile.deltas)
    return content.getvalue()


def _decode(content: bytes) -> ParetoProfile:
    """Return the profile that `_encode` wrote."""
    file = io.BytesIO(content)
    offsets, deltas = np.load(file, allow_pickle=False), np.load(file, allow_pickle=False)
    return ParetoProfile(max(len(offsets) - 2, 0), offsets, deltas)


def _digest(key: str, content: bytes) -> bytes:
    """Return the hash that a file of this key and content begins with."""
    digest = hashlib.sha256(key.encode())
    digest.update(content)
    return digest.digest()


def _make_room(folder: Path, most_bytes: int, keep: Path) -> None:
    """Remove the profiles unused for longest, and what a crash left behind, until the folder fits."""
    files = [(path, path.stat()) for path in folder.iterdir() if path.suffix in (".profile", ".part")]
    excess = sum(status.st_size for _, status in files) - most_bytes
    for path, status in sorted(files, key=lambda item: item[1].st_mtime_ns):
        if excess <= 0:
            return
        if path != keep:
            path.unlink(missing_ok=True)
            excess -= status.st_size


def _is_private(status: os.stat_result) -> bool:
    """Return whether a file is this user's and closed to all others, where the system knows of users."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and status.st_mode & 0o077 == 0
