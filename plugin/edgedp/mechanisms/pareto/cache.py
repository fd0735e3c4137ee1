"""What Pareto releases measure of a graph, kept between them: utilities, scores and profile do not depend on epsilon.

One file a graph and list of metrics, in a folder of the user's cache that nobody else can read. Its name is a keyed
hash of the private adjacency and of the parameters, so a graph that differs by one edge finds nothing. The
cache is a convenience: what is missing, damaged or not ours is computed again, and a folder that
cannot be written is left alone.

A profile holds for the very floats it was computed from. They are in the same file, under the same HMAC, and a
release compares those: so the key needs no utility, and a release that finds the file computes none.

Privacy: the files hold exact values of the private edges, as the store itself does. They belong to
the curator's account, must not be shared, and are not part of any release. Their names, which a listing or a
backup shows, are HMACs under a secret that the folder keeps (mode 0600), of a fingerprint that for a stored graph
is an HMAC under the store's secret already: nobody tries an edge with them.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import math
import os
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.reading.sources.downloads import cache_folder
from edgedp.mechanisms.pareto.profile import ParetoProfile

FORMAT = 3
"""Goes into every key; to be raised when a metric's values or the profile of the same parameters change."""

MOST_BYTES = 512 << 20

_DIGEST_BYTES = 32

_KEY_FILE = "secret"
_KEY_BYTES = 32


@dataclass(frozen=True, eq=False)
class Measured:
    """What the rounds of a local release start from.

    Attributes
    ----------
    utilities : (n, p) float64
    scores : (n,) int64
        Their Pareto scores among all candidates.
    profile : ParetoProfile
        Of these utilities, the very floats.

    Notes
    -----
    Privacy: exact values of the private edges.
    """

    utilities: NDArray[np.float64]
    scores: NDArray[np.int64]
    profile: ParetoProfile


def profile_folder() -> Path:
    """Return where profiles are kept: ``profiles`` in ``EDGEDP_CACHE`` or in the system's cache folder."""
    return cache_folder() / "profiles"


def profile_key(fingerprint: str, **parameters: object) -> str:
    """Return what a file goes by: SHA-256 (hex) of the graph and of all that its content depends on.

    It is private like the edges; the name of the file is made of it under the folder's secret.

    Parameters
    ----------
    fingerprint : str
        `edgedp.mechanisms.projection.Projection.fingerprint`, which differs when one edge differs.
    **parameters
        Metrics, degree bound, form, and so on: JSON values. The engine belongs in, for two engines may differ in
        the last bit, and a release is the same whether its file was there or not.

    Examples
    --------
    >>> one = profile_key("ab", metrics=["degree", "density"], degree_bound=9, form="interval")
    >>> one == profile_key("ab", metrics=["degree", "density"], degree_bound=8, form="interval")
    False
    """
    described = json.dumps({"format": FORMAT, "graph": fingerprint} | parameters, sort_keys=True)
    return hashlib.sha256(described.encode()).hexdigest()


def kept_or_measured(
    folder: Path, key: str, measure: Callable[[], Measured], *, most_bytes: int = MOST_BYTES
) -> Measured:
    """Return what is kept under `key`, or measure and keep it.

    Parameters
    ----------
    folder : Path
        Where to look; created with mode 0700. Files get mode 0600.
    key : str
        From `profile_key`.
    measure : callable
        Measures where nothing is kept.
    most_bytes : int
        Size of the folder beyond which the files unused for longest are removed.

    Notes
    -----
    Files are written beside their place and renamed into it, so a reader sees a whole one or none. A file
    is read if it is a regular one of this user that nobody else can open, in such a folder, and believed if
    the HMAC of its key and content, with which it begins, is right.
    """
    secret = None
    with suppress(OSError):
        secret = _secret(folder)
    if secret is None:
        return measure()
    path = folder / f"{_hmac(secret, key.encode()).hex()}.profile"
    kept = _read(path, secret, key)
    if kept is not None:
        return kept
    measured = measure()
    with suppress(OSError):
        _write(path, secret, key, measured)
        _make_room(folder, most_bytes, keep=path)
    return measured


def _hmac(secret: bytes, *parts: bytes | memoryview) -> bytes:
    digest = hmac.new(secret, digestmod=hashlib.sha256)
    for part in parts:
        digest.update(part)
    return digest.digest()


def _secret(folder: Path) -> bytes | None:
    """Return the folder's secret, made if there is none; None where others can open the folder.

    A new secret makes every file of the folder useless, those of versions without one too: they are removed.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_private(os.stat(folder)):
        return None
    place = folder / _KEY_FILE
    kept = _content(place)
    if kept is not None and len(kept) == _KEY_BYTES:
        return kept
    place.unlink(missing_ok=True)
    with _beside(folder) as temporary:
        temporary.write_bytes(secrets.token_bytes(_KEY_BYTES))
        with suppress(FileExistsError):
            os.link(temporary, place)  # the first of several processes wins
    for path in folder.glob("*.profile"):
        path.unlink(missing_ok=True)
    return _content(place)


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """Give a file of mode 0600 beside those that are kept, and remove it if it is still there."""
    descriptor, name = tempfile.mkstemp(dir=folder, suffix=".part")
    os.close(descriptor)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _content(path: Path) -> bytes | None:
    """Return the content of a regular file of this user that nobody else can open, or None."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            return file.read() if stat.S_ISREG(status.st_mode) and _is_private(status) else None
    except OSError:
        return None


def _read(path: Path, secret: bytes, key: str) -> Measured | None:
    """Return what is kept if it is whole and ours, and note that it was used."""
    kept = _content(path)
    if kept is None:
        return None
    digest, content = kept[:_DIGEST_BYTES], memoryview(kept)[_DIGEST_BYTES:]
    if not hmac.compare_digest(digest, _digest(secret, key, content)):
        return None
    with suppress(OSError):
        os.utime(path)
    return _decode(content)


def _write(path: Path, secret: bytes, key: str, measured: Measured) -> None:
    """Put a file in its place in one step."""
    content = _encode(measured)
    with _beside(path.parent) as temporary:
        with temporary.open("wb") as file:
            file.write(_digest(secret, key, content))
            file.write(content)
        os.replace(temporary, path)


def _encode(measured: Measured) -> memoryview:
    """Return all arrays as bytes; the ceiling of the profile follows from them."""
    content, profile = io.BytesIO(), measured.profile
    for array in (profile.offsets, profile.deltas, measured.utilities, measured.scores):
        np.save(content, np.ascontiguousarray(array))
    return content.getbuffer()


def _decode(content: memoryview) -> Measured:
    """Return what `_encode` wrote, in arrays that cannot be written."""
    file = io.BytesIO(content)
    offsets, deltas, utilities, scores = (_next_array(file) for _ in range(4))
    return Measured(utilities, scores, ParetoProfile(max(len(offsets) - 2, 0), offsets, deltas))


def _next_array(file: io.BytesIO) -> NDArray[Any]:
    """Return the next array that `np.save` wrote, without a copy."""
    np.lib.format.read_magic(file)
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    array = np.frombuffer(file.getbuffer(), dtype, count=math.prod(shape), offset=file.tell())
    file.seek(array.nbytes, os.SEEK_CUR)
    array.flags.writeable = False
    return array.reshape(shape)


def _digest(secret: bytes, key: str, content: memoryview) -> bytes:
    """Return the HMAC that a file of this key and content begins with."""
    return _hmac(secret, key.encode(), content)


def _make_room(folder: Path, most_bytes: int, keep: Path) -> None:
    """Remove the files unused for longest, and what a crash left behind, until the folder fits."""
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
