"""Files from the network into a cache of the user, whole and with the right checksum or not at all."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin
from zipfile import BadZipFile, ZipFile

from edgedp.graph.reading.sources.databases import INSIDE
from edgedp.words.errors import GraphFormatError, ParameterError
from edgedp.words.places import expanded
from edgedp.words.shown import address_shown, shortened

if TYPE_CHECKING:
    from requests import Response

    from edgedp.words.progress import Progress

_log = logging.getLogger("edgedp.graph.reading")

TIMEOUT_SECONDS = 30
CHUNK = 1 << 16


@dataclass(frozen=True, kw_only=True, slots=True)
class Download:
    """A file in the cache.

    Parameters
    ----------
    path : Path
        Where it is.
    sha256 : str
        Its checksum, verified just now.
    fresh : bool
        True when it was fetched now, False when it was there.
    declared : bool
        True when the checksum was known beforehand; False when it is the one of the first download.
    """

    path: Path
    sha256: str
    fresh: bool
    declared: bool

    @property
    def fetched_at(self) -> str:
        """The day and time when it was fetched, UTC."""
        at = datetime.fromtimestamp(self.path.stat().st_mtime, tz=UTC)
        return at.strftime("%Y-%m-%d %H:%M UTC")

    def discard(self) -> None:
        """Take it out of the cache, for a file that turned out not to be what was wanted."""
        self.path.unlink(missing_ok=True)
        _record_of(self.path).unlink(missing_ok=True)


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return ``EDGEDP_CACHE``, or the folder that the operating system keeps for caches."""
    named = environment.get("EDGEDP_CACHE")
    if named:
        return expanded(named, "EDGEDP_CACHE")
    import pooch

    return Path(pooch.os_cache("edgedp"))


def fetch(
    address: str, *, sha256: str | None, cache: Path, progress: Progress, refresh: bool = False
) -> Download:
    """Return the file at an address, from the cache if it is there.

    A file without a declared checksum is trusted on first use: its checksum is recorded beside it,
    and every later use must match. With `refresh` it is fetched anew, and what comes takes the place of what
    was there, in the cache and in the record; where nothing comes, both stay.

    Raises
    ------
    GraphFormatError
        The server cannot be reached, refuses, breaks off, or serves a file of another checksum;
        the cache cannot be written.
    """
    path = cache / _cache_name(address)
    record = _record_of(path)
    told = address_shown(address)
    with _in_one_line(told, cache):
        if refresh:
            newer = path.with_name(f"{path.name}.{os.getpid()}.new")
            try:
                if not _download(address, newer, sha256, progress):
                    raise GraphFormatError(f"the sha256 of {told} is not {sha256}; check the address")
                record.unlink(missing_ok=True)  # a kill from here on leaves a file that is not trusted
                newer.replace(path)
            finally:
                newer.unlink(missing_ok=True)
            return _recorded_download(
                path, record, file_sha256(path), fresh=True, declared=sha256 is not None
            )
        known = sha256 or _recorded(record)
        if known is None:
            path.unlink(missing_ok=True)  # a file whose record was never written is not trusted
        there = path.is_file() and file_sha256(path) == known
        if not there and not _download(address, path, known, progress):
            remedy = "check the address" if sha256 else "give --refresh to accept the new file"
            raise GraphFormatError(f"the sha256 of {told} is not {known}; {remedy}")
        digest = known or file_sha256(path)
        return _recorded_download(path, record, digest, fresh=not there, declared=sha256 is not None)


def fetch_member(
    address: str, member: str, *, sha256: str | None, member_sha256: Sequence[str], cache: Path, progress: Progress,
    refresh: bool = False,
) -> Download:  # fmt: skip
    """Return one file of the zip archive at an address; from the cache if it is there with the right checksum.

    Raises
    ------
    GraphFormatError
        As of `fetch`; or the archive is not a zip archive, lacks the file, or holds another one under its name.
    """
    archive_path = cache / _cache_name(address)
    path = archive_path.with_name(f"{archive_path.name}.unzip") / Path(member).name
    if not refresh and path.is_file() and (digest := file_sha256(path)) in member_sha256:
        return Download(path=path, sha256=digest, fresh=False, declared=True)
    archive = fetch(address, sha256=sha256, cache=cache, progress=progress, refresh=refresh)
    told = address_shown(address)
    found: str | None = None
    with _in_one_line(told, cache):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            with (
                ZipFile(archive.path) as zipped,
                zipped.open(member) as content,
                partial.open("wb") as unpacked,
            ):
                shutil.copyfileobj(content, unpacked)
            found = file_sha256(partial)
            if found in member_sha256:
                partial.replace(path)
        except (BadZipFile, KeyError, NotImplementedError, RuntimeError, EOFError, zlib.error):
            pass  # nothing is found
        finally:
            partial.unlink(missing_ok=True)
    if found is None or found not in member_sha256:
        archive.discard()
        if found is None:
            raise GraphFormatError(
                f"{told} is not a zip archive with a readable {shortened(member)!r}; check the address"
            )
        raise GraphFormatError(
            f"{told} has {shortened(member)!r} with the sha256 {found}, must be {' or '.join(member_sha256)}; "
            "check the address"
        )
    return Download(path=path, sha256=found, fresh=archive.fresh, declared=True)


def _recorded_download(path: Path, record: Path, sha256: str, *, fresh: bool, declared: bool) -> Download:
    """Record a checksum beside its file."""
    if _recorded(record) != sha256:
        partial = record.with_name(f"{record.name}.{os.getpid()}")
        partial.write_text(f"{sha256}  {path.name}\n", encoding="utf-8")
        partial.replace(record)
    return Download(path=path, sha256=sha256, fresh=fresh, declared=declared)


def _download(address: str, path: Path, known: str | None, progress: Progress) -> bool:
    """Fetch a file into its place, whole or not at all; False if its checksum is not the known one."""
    import pooch

    _log.info("fetching %s", address_shown(address))
    led: list[str] = []
    downloader = pooch.HTTPDownloader(
        progressbar=_Bar(progress),
        chunk_size=CHUNK,
        timeout=TIMEOUT_SECONDS,
        headers={"Accept-Encoding": "identity"},  # the checksum is that of the file as it is stored
        hooks={"response": lambda response, **_: led.extend(_leads_to(response))},
    )
    with _quiet_pooch():
        try:
            pooch.retrieve(
                address,
                known_hash=None if known is None else f"sha256:{known}",
                fname=path.name,
                path=path.parent,
                downloader=downloader,
            )
        except OSError:  # among them those of requests that are ValueErrors too
            raise
        except ValueError:
            return False
    if led and INSIDE.get():
        path.unlink()
        raise GraphFormatError(
            f"{address_shown(address)} leads to {address_shown(led[0])}, whose rows have another ledger; give that "
            "address, or load it"
        )
    return True


def _leads_to(response: Response) -> list[str]:
    """Return to which other place an answer leads; the same one is often asked for by https once more."""
    from edgedp.graph.reading.sources.places import canonical, same_place

    if not response.is_redirect:
        return []
    there = urljoin(response.url, response.headers["location"])
    with suppress(ParameterError):
        if same_place(*(canonical(each, "edges") for each in (response.url, there))):
            return []
    return [there]


@contextmanager
def _in_one_line(told: str, cache: Path) -> Iterator[None]:
    """Turn what the network and the disk raise into refusals of ours."""
    import requests

    try:
        yield
    except requests.RequestException as error:
        raise GraphFormatError(f"{told} {_reason(error)}; check the address and the network") from None
    except OSError as error:
        raise GraphFormatError(
            f"the cache {str(cache)!r} cannot be used ({error.strerror or error}); "
            "name another folder with EDGEDP_CACHE"
        ) from None


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class _Bar:
    """pooch's idea of a progress bar over ours."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.total = 0
        self.done = 0

    def update(self, count: int) -> None:
        self.done += count
        total = self.total or None
        self.progress("downloading", self.done if total is None else min(self.done, total), total)

    def reset(self) -> None:
        self.done = 0

    def close(self) -> None:
        pass


def _cache_name(address: str) -> str:
    """Name the cached file after its address: readable, and never that of another address."""
    last = unquote(re.split(r"[?#]", address, maxsplit=1)[0]).rpartition("/")[2]
    readable = re.sub(r"[^\w.-]+", "_", last)[-60:] or "file"
    return f"{hashlib.sha256(address.encode()).hexdigest()[:16]}-{readable}"


def _record_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _recorded(record: Path) -> str | None:
    """Return the checksum recorded at the first download; a record that holds none counts as absent."""
    try:
        written = record.read_text(encoding="ascii", errors="replace").split()
    except FileNotFoundError:
        return None
    return written[0] if written and re.fullmatch("[0-9a-f]{64}", written[0]) else None


def _reason(error: Exception) -> str:
    """Say in a few words what went wrong between us and a server."""
    import requests

    response = getattr(error, "response", None)
    if response is not None:
        return f"answered {response.status_code} {shortened(response.reason, 40)}"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "broke off before the file was whole"
    if isinstance(error, requests.Timeout):
        return f"did not answer within {TIMEOUT_SECONDS} seconds"
    if isinstance(error, requests.ConnectionError):
        return "cannot be reached"
    return f"is not an address that can be fetched ({type(error).__name__})"


@contextmanager
def _quiet_pooch() -> Iterator[None]:
    """Keep pooch's own messages off the user's terminal: ours say the same."""
    import pooch

    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)
