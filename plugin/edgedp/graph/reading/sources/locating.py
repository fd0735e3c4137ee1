"""From what a caller names, a dataset, a path, an address or standard input, to a file."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from urllib.request import url2pathname

from edgedp.graph.reading.sources.buckets import Bucket, bucket_of
from edgedp.graph.reading.sources.catalogue import Dataset, Resource, dataset, dataset_names, suggestion
from edgedp.graph.reading.sources.content import STANDARD_INPUT
from edgedp.graph.reading.sources.databases import Database, database_of
from edgedp.graph.reading.sources.downloads import Download, cache_folder, fetch, fetch_member, file_sha256
from edgedp.graph.reading.sources.folders import is_pattern, parts_of
from edgedp.words.errors import GraphFormatError, ParameterError, UnknownNameError
from edgedp.words.places import expanded
from edgedp.words.shown import address_shown, kind_of, path_of, shown

if TYPE_CHECKING:
    from edgedp.graph.reading.sources.folders import Part
    from edgedp.words.progress import Progress

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_ENDINGS = (
    ".gz", ".zst", ".bz2", ".xz", ".zip", ".txt", ".csv", ".tsv", ".edges", ".edgelist", ".parquet", ".arrow",
    ".feather", ".ipc", ".graphml", ".xml", ".gml", ".gexf", ".net", ".paj", ".metis", ".graph", ".mtx",
    ".jsonl", ".ndjson",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Location:
    """A file to read, the name it goes by in messages, and how it came here.

    Parameters
    ----------
    path : Path or None
        The file; None is standard input.
    name : str
        What messages and reports call it: never with a password or a query in it.
    suffixes : str
        The name that its content may be told from, where the content alone does not tell.
    many : bool
        Whether the path is a folder or a pattern, whose files are one list.
    database : Database or None
        The database whose table or query is read, instead of a file.
    bucket : Bucket or None
        The object that is read instead, or the prefix or pattern of many.
    """

    path: Path | None
    name: str
    suffixes: str = ""
    entry: Dataset | None = None
    download: Download | None = None
    many: bool = False
    database: Database | None = None
    bucket: Bucket | None = None
    notes: tuple[str, ...] = field(default=())

    def parts(self) -> tuple[tuple[Part, ...], int]:
        """Return the files of a folder, or the objects of a bucket, and how many hidden ones were left out."""
        return parts_of(self.path or Path(), self.name) if self.bucket is None else self.bucket.parts()


def locate(source: Any, progress: Progress, what: str = "source", *, refresh: bool = False) -> Location:
    """Find the file behind a dataset's name, an address, a path or ``-``."""
    if isinstance(source, os.PathLike):
        return _local(Path(source), str(Path(source)))
    if not isinstance(source, str):
        raise ParameterError(
            f"{what} is {kind_of(source)}, must be a dataset, a path or an address; "
            "for edges in memory see Graph.from_edges, from_frame, from_networkx, from_igraph and from_scipy"
        )
    if not source.strip() or "\0" in source:
        raise ParameterError(f"{what} is {source!r}, must be a dataset, a path or an address; name one")
    if source == "-":
        return Location(path=None, name=STANDARD_INPUT)
    names = dataset_names() if what == "source" else []
    if source in names:
        entry = dataset(source)
        return replace(obtain(entry.edge_list, source, progress, refresh=refresh), entry=entry)
    scheme = _SCHEME.match(source)
    if scheme is None:
        path = Path(source)
        if not os.path.exists(path) and path.name == source and not is_pattern(source):
            raise UnknownNameError(
                f"{what} is {source!r}, must be a file that exists"
                + (f", an address or a dataset; {suggestion(source, names)}" if names else "; check the path")
            )
        return _local(path, source)
    told = address_shown(source)
    if scheme[1].lower() == "file":
        host, slash, rest = source[scheme.end() :].partition("/")
        if host not in ("", "localhost") or not slash:
            raise ParameterError(f"{what} is {told!r}, must be file:///PATH of this machine; correct it")
        return _local(Path(url2pathname(slash + rest)), source)
    if (database := database_of(source)) is not None:
        if what != "source":
            raise ParameterError(f"{what} is a database, must be a file; export the ids to one")
        return Location(path=None, name=database.name, database=database)
    if (bucket := bucket_of(source)) is not None:
        return Location(
            path=None,
            name=bucket.name,
            suffixes=bucket.key.rpartition("/")[2],
            bucket=bucket,
            many=not bucket.is_one(),
        )
    if scheme[1].lower() not in ("http", "https"):
        raise ParameterError(
            f"{what} is {told!r}, must be the address of a file, a bucket or a database; fetch it first"
        )
    return _fetched(source, None, told, progress, refresh=refresh)


def _local(path: Path, name: str) -> Location:
    many = (
        os.path.isdir(path)
        or path.name.endswith(".metadata.json")
        or (is_pattern(str(path)) and not os.path.lexists(path))
    )
    return Location(path=path, name=name, suffixes=path.name, many=many)


def obtain(resource: Resource, name: str, progress: Progress, *, refresh: bool = False) -> Location:
    """Return a dataset's file: the bundled one, a copy in the folder `EDGEDP_DATA`, or what its address has."""
    if resource.bundled is not None:
        if resource.sha256 is not None and file_sha256(resource.bundled) != resource.sha256:
            raise GraphFormatError(
                f"the sha256 of {str(resource.bundled)!r} is not {resource.sha256}; install the package again"
            )
        return Location(path=resource.bundled, name=name)
    copy = None if refresh else local_copy(resource)
    if copy is not None:
        notes = (
            f"read from {shown(copy)} (the sha256 is as declared)",
            *filter(None, [resource.copies_note]),
        )
        return Location(path=copy, name=name, suffixes=copy.name, notes=notes)
    assert resource.address is not None  # noqa: S101 -- the manifest was checked
    return _fetched(resource.address, resource, name, progress, refresh=refresh)


def local_copy(resource: Resource, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the copy of a dataset's file in the folder ``EDGEDP_DATA``, or None where there is none.

    Raises
    ------
    GraphFormatError
        A file of that name has another checksum, or ``EDGEDP_DATA`` is no folder.
    """
    named = environment.get("EDGEDP_DATA")
    if not named:
        return None
    folder = expanded(named, "EDGEDP_DATA")
    if not folder.is_dir():
        raise GraphFormatError(f"EDGEDP_DATA is {shown(named)!r}, must be a folder; correct it or unset it")
    for name, sha256 in resource.copies.items():
        path = folder / name
        if path.is_file():
            if file_sha256(path) != sha256:
                raise GraphFormatError(
                    f"the sha256 of {shown(path)!r} is not {sha256}; take it out of EDGEDP_DATA"
                )
            return path
    return None


def _fetched(
    address: str, resource: Resource | None, name: str, progress: Progress, *, refresh: bool
) -> Location:
    cache = cache_folder()
    sha256 = None if resource is None else resource.sha256
    if resource is not None and resource.member is not None:
        download = fetch_member(
            address, resource.member, sha256=sha256, member_sha256=resource.member_sha256, cache=cache,
            progress=progress, refresh=refresh,
        )  # fmt: skip
    else:
        download = fetch(address, sha256=sha256, cache=cache, progress=progress, refresh=refresh)
    trust = "as declared" if download.declared else "recorded at the first download"
    when = "fetched now" if download.fresh else f"fetched {download.fetched_at}"
    notes = (
        f"kept at {shown(download.path)} (sha256 {download.sha256}, {trust}; {when}); --refresh fetches it anew",
    )
    suffixes = path_of(address) if resource is None else (resource.member or path_of(address))
    return Location(path=download.path, name=name, suffixes=suffixes, download=download, notes=notes)


def name_of(source: str) -> str:
    """Return the name of a file or address without folders and endings; a catalogue name stays as it is.

    Examples
    --------
    >>> name_of("https://ada:secret@example.org/a/b%20c.csv.gz?token=1#x"), name_of("data/payments.csv")
    ('b c', 'payments')
    """
    path = unquote(path_of(source)) if _SCHEME.match(source) else source
    last = path.rstrip("/").rpartition("/")[2]
    for ending in _ENDINGS:
        last = last.removesuffix(ending)
    if source == "-" or not last or "*" in last:
        raise ParameterError(
            "the source has no name of its own (standard input and patterns have none); give --name"
        )
    return last
