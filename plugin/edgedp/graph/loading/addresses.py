"""Edges at an address that this process reads itself: how they were registered, and how they are read again.

What a curator registered is fixed: the columns, the heading, whether both ends are of one kind, and the nodes, by a
digest of their ids. So rows that changed are read as before, or refused.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.graph import Graph
from edgedp.graph.loading.sources import loaded
from edgedp.graph.reading.options import ReadingOptions, checked_options
from edgedp.graph.reading.sources.buckets import Bucket, bucket_of
from edgedp.graph.reading.sources.databases import database_of, inside
from edgedp.graph.reading.sources.dialects import whole_name
from edgedp.graph.reading.sources.folders import Part, is_pattern, marks_of, parts_of
from edgedp.graph.reading.sources.places import (
    canonical,
    canonical_pattern,
    canonical_table,
    is_catalogued,
    same_place,
)
from edgedp.words.errors import ParameterError, StoreError, UnknownNameError
from edgedp.words.progress import Progress

if TYPE_CHECKING:
    from edgedp.graph.reading.text.result import Read

_READ = frozenset({"file", "s3", "s3a", "s3n", "gs", "gcs", "az", "http", "https"})
_SETTLED_NANOSECONDS = 2_000_000_000
"""A file that changed less long ago may change again under the same time and size."""

Marks = list[list[Any]]


def reads(address: str) -> bool:
    """Return whether this process reads a canonical address itself, and not Spark alone.

    Examples
    --------
    >>> reads("s3a://lake/edges"), reads("hdfs://nn/edges"), reads("abfss://box@account/e")
    (True, False, False)
    """
    return address.partition("://")[0] in _READ and "@" not in address.partition("://")[2].partition("/")[0]


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where the edges of a graph are, and how this process reads them.

    Parameters
    ----------
    place : str
        The address as the registry keeps it: one place has one spelling.
    edges, nodes : str
        What is read: a whole path, an address, or that of a database.
    options : mapping
        As `checked_options` takes them.
    memory : int or None
        Bytes that a release may take; None: three quarters of the machine's.
    cache : bool
        Whether rows that were read are kept.
    integers : bool
        Whether the ids are integers.
    separator : str or None
        Of a text: what was found between its columns.
    """

    place: str
    edges: str
    nodes: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    memory: int | None = None
    cache: bool = True
    integers: bool = True
    separator: str | None = None

    @classmethod
    def asked(
        cls, edges: Any, nodes: Any, options: ReadingOptions, *, memory: int | None, cache: bool
    ) -> Address:
        """Return what a curator asks for, with addresses that mean the same from any folder.

        Raises
        ------
        ParameterError
            An address holds a secret, or is read by Spark alone.
        """
        for name, asked in (("edges", edges), ("nodes", nodes)):
            if is_catalogued(asked):
                raise ParameterError(
                    f"{name} are a table of a catalogue, which only Spark finds; give engine 'spark', or the address "
                    "of its files"
                )
        listed = None if nodes is None else canonical(nodes, "nodes")
        if listed is not None and not reads(listed):
            raise ParameterError(f"nodes are at an address that only Spark reads; {_OTHER}")
        database = database_of(edges) if isinstance(edges, str) else None
        pattern = None if database is not None else canonical_pattern(edges, "edges")
        if database is not None:
            place, read = canonical_table(database, options.table), database.whole_address()
        else:
            place = canonical(edges, "edges") if pattern is None else pattern[0]
            if not reads(place):
                raise ParameterError(f"edges are at an address that only Spark reads; {_OTHER}")
            if place.endswith(".metadata.json"):
                raise ParameterError(
                    "edges are one version of an Iceberg table, must be at an address that stays; load it, or export it"
                )
            read = _readable(place) if pattern is None else _matching(place, pattern[1])
        return cls(
            place=place, edges=read, nodes=None if listed is None else _readable(listed),
            options=options.as_given(), memory=memory, cache=cache,
        )  # fmt: skip

    def to_json(self) -> str:
        """Return it as the registry keeps it, without the place, which has a column of its own."""
        told = {name: value for name, value in asdict(self).items() if name != "place"}
        return json.dumps({"engine": "native"} | told)

    @classmethod
    def kept(cls, place: str, rest: str) -> Address:
        """Return the address of a row of the registry.

        Examples
        --------
        >>> address = Address(place="s3a://lake/e", edges="s3://lake/e", options={"directed": True})
        >>> Address.kept(address.place, address.to_json()) == address
        True
        """
        try:
            found = json.loads(rest)
            if found.pop("engine") != "native":
                raise ValueError
            if found["nodes"] is None:  # an earlier registry kept what was said of nodes where none are read
                found["options"].pop("nodes_header", None)
            made = cls(place=place, **found)
            checked_options(**made.options)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise StoreError(
                "the registry's row of the graph was edited; nothing was spent; register the edges again"
            ) from None
        return made

    # -- reading ----------------------------------------------------------------------------------

    def check_there(self) -> None:
        """Refuse an address at which there is nothing now, or a link or a view of another one; no row is read.

        Raises
        ------
        EdgeDPError
        """
        self._check_own()
        for address in (self.edges, self.nodes):
            if address is None or (database := database_of(address)) is None:
                _check_there(address)
            else:
                with database.session():
                    pass

    def _check_own(self) -> None:
        """Refuse an address that is a link or a view by now: the rows of another place have another ledger."""
        if not same_place(there := self._place_now(), self.place):
            raise ParameterError(
                f"{self.place!r} leads by a link or a variable to {there!r} now, whose rows have a ledger of their "
                "own; take that away, or register that place by itself"
            )
        table, database = self.options.get("table"), database_of(self.edges)
        if database is not None and table is not None and not database.has_own_rows(table):
            raise ParameterError(
                f"table is {whole_name(database.kind, table)!r}, which the database does not list as a table with rows "
                "of its own (it may be missing, a view, a partition or foreign); name such a table, with its schema, "
                "or give a query"
            )

    def _place_now(self) -> str:
        database = database_of(self.edges)
        if database is not None:
            return canonical_table(database, self.options.get("table"))
        if not self.place.startswith("file://"):
            return self.place
        return f"file://{os.path.realpath(self.place[7:])}"

    def check_inside(self) -> None:
        """Refuse files that a link leads to out of the address, whose rows have another ledger; no row is read.

        Raises
        ------
        ParameterError
        """
        self._check_own()
        root = self.place.removeprefix("file://")
        for part in (_parts(self.edges) or ()) if self.place.startswith("file://") else ():
            if not Path(os.path.realpath(part.path)).is_relative_to(root):
                raise ParameterError(
                    f"{str(part.path)!r} leads by a link out of {root!r}, to rows that have a ledger of their own; "
                    "take the link away, or register that place by itself"
                )

    def _options(self) -> ReadingOptions:
        """Return how it is read, with the schema that its place says: a server may look for a bare name in another."""
        options, database = checked_options(**self.options), database_of(self.edges)
        if database is None or options.table is None:
            return options
        return replace(options, table=whole_name(database.kind, options.table))

    def read(self, progress: Progress | None = None) -> tuple[Graph, Address, int]:
        """Read the graph; return it, how it was taken, so that it is taken so again, and how many rows there are.

        Raises
        ------
        EdgeDPError
            As of `edgedp.read_graph`, or a file changed meanwhile, or a link leads out of the address.
        """
        before = self.marks()
        again = self.edges.startswith("http")
        options = replace(self._options(), refresh=again)
        with inside():
            graph, report, read = loaded(self.edges, self.nodes, options, progress=progress)
        self.check_inside()  # of what was read: whatever came before is there
        if before is not None and before != self.marks():
            raise StoreError(
                "the rows at the address changed while they were read; read them when nothing writes"
            )
        taken = dict(self.options)
        if read.picked:
            taken |= {"one_kind": True} if not options.bipartite else {}
            taken |= _ends(read)
            if report.first_line:
                taken["header"] = report.first_line == "names of columns"
        taken_so = replace(
            self,
            options=taken,
            integers=graph.node_ids.dtype.kind == "i",
            separator=_SEPARATORS.get(read.format[0 if not read.format[0].endswith("files") else 1]),
        )
        return graph, taken_so, report.row_count

    def marks(self) -> Marks | None:
        """Return names, sizes and version marks of all files; None of a table and of a download, which have none."""
        found: Marks = []
        for address in (self.edges, self.nodes):
            if address is None:
                continue
            parts = _parts(address)
            if parts is None:
                return None
            found += [[part.name, *mark] for part, mark in zip(parts, marks_of(parts), strict=True)]
        return found

    def key(self, marks: Marks, made_of: str | None = None) -> str:
        """Return the name under which what was read is kept: another file, mark, option or rule is another name.

        Parameters
        ----------
        marks : list
            Of `marks`.
        made_of : str, optional
            Which rows make an edge, as the registry keeps it.
        """
        asked = [self.edges, self.nodes, self.options, marks, *([] if made_of is None else [made_of])]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()

    def rows_expected(self) -> int:
        """Return how many rows there are, without reading them: from footers, from a first part of texts, or counted.

        Of a packed text it is an estimate.
        """
        from edgedp.graph.loading.expecting import rows_of_parts, rows_of_table

        database = database_of(self.edges)
        if database is not None:
            with inside():
                return rows_of_table(database, self._options())
        return rows_of_parts(_parts(self.edges) or ())


def settled(marks: Marks, now: int) -> bool:
    """Return whether nothing changed so lately that it may change again without a new mark.

    Parameters
    ----------
    marks : list
        Of `Address.marks`.
    now : int
        Nanoseconds, before the marks were taken.
    """
    return all(max(mark[4:]) < now - _SETTLED_NANOSECONDS for mark in marks)


def ids_digest(ids: NDArray[Any]) -> str:
    """Return a digest of the ids of all nodes in ascending order, and of their type: public, as the ids are.

    Examples
    --------
    >>> ids_digest(np.array([1, 2])) == ids_digest(np.array(["1", "2"]))
    False
    """
    kind = "<i8" if ids.dtype.kind == "i" else f"<U{max(ids.dtype.itemsize // 4, 1)}"
    digest = hashlib.sha256(f"{kind} {len(ids)} ".encode())
    for start in range(0, len(ids), 1 << 20):
        digest.update(np.ascontiguousarray(ids[start : start + (1 << 20)], dtype=kind).tobytes())
    return digest.hexdigest()


_OTHER = "give engine 'spark', or another address"
_SEPARATORS = {"tabs": "\t", "commas": ",", "semicolons": ";", "spaces": " ", "bars": "|"}


def _ends(read: Read) -> dict[str, Any]:
    """Return the columns of the ends by their names, or, where two have one name or none, by their numbers."""
    names = [read.header[i] for i in read.picked] if read.header else []
    if names and all(
        read.header.count(name) == 1 and not name.strip().lstrip("+-").isdecimal() for name in names
    ):
        return {"source": names[0], "target": names[1]}
    return {"source": read.picked[0] + 1, "target": read.picked[1] + 1}


def _readable(address: str) -> str:
    """Return an address as the reader takes it."""
    scheme, _, rest = address.partition("://")
    if scheme == "file":
        return rest
    return f"s3://{rest}" if scheme in ("s3a", "s3n") else address


def _matching(place: str, steps: str) -> str:
    """Return the pattern of some files of a place as the reader takes it."""
    folder = _readable(place)
    return f"{glob.escape(folder) if place.startswith('file://') else folder}/{steps}"


def _check_there(address: str | None) -> None:
    if address is None or address.startswith("http"):
        return
    bucket = bucket_of(address)
    if bucket is not None:
        bucket.is_one()
    elif not os.path.lexists(address) and not (is_pattern(address) and glob.glob(address, recursive=True)):
        raise UnknownNameError(f"{address!r} does not exist; give the address of the files")


def _parts(address: str) -> tuple[Part, ...] | None:
    """Return the files or objects of an address; None where they have no marks."""
    if address.startswith("http") or database_of(address) is not None:
        return None
    bucket = bucket_of(address)
    if bucket is not None:
        return bucket.parts()[0] if not bucket.is_one() else (_one(bucket),)
    path = Path(address)
    several = path.is_dir() or (is_pattern(address) and not os.path.lexists(path))
    return parts_of(path, address)[0] if several else (Part(path),)


def _one(bucket: Bucket) -> Part:
    return Part(PurePosixPath(bucket.key), (), bucket, bucket.mark())
