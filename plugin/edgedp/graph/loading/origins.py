"""Where a graph came from and when, as a store remembers it: enough to read it again, and no secret."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from edgedp.graph.graph import Graph
from edgedp.graph.reading.sources.folders import marks_of
from edgedp.words.errors import StoreError
from edgedp.words.shown import address_shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from edgedp.graph.reading.options import ReadingOptions
    from edgedp.graph.reading.sources.locating import Location

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Origin:
    """What a graph was read from.

    Parameters
    ----------
    source, nodes : str or None
        A dataset's name, an absolute path or an address without secrets; of the edges, and of the list of nodes.
    options : dict
        Those of `edgedp.read_graph` that were given.
    properties : list of str
        Columns of the file of nodes.
    title : str or None
        The one of them that is public.
    read_at : str
        When, as ISO 8601, UTC.
    row_count : int
        Rows that were read.
    mark : str
        What changes when the source does: the sha256 of a download, else sizes and times of files; empty of tables.
    unrepeatable : str
        Why it cannot be read again; empty where it can.
    """

    source: str
    nodes: str | None
    options: dict[str, Any]
    properties: list[str]
    title: str | None
    read_at: str
    row_count: int
    mark: str = ""
    unrepeatable: str = ""

    def written(self) -> str:
        """Return it as a file of the store holds it, sealed: nothing else is read again, or in another way."""
        found = asdict(self)
        return json.dumps(found | {"sha256": _seal(found)}, indent=1) + "\n"

    @classmethod
    def of(cls, written: str) -> Origin:
        """Return what a file of the store says.

        Raises
        ------
        StoreError
            It says nothing of the kind.
        """
        try:
            read = json.loads(written)
            found = {each.name: read[each.name] for each in fields(cls)}
            if read.get("sha256", _seal(found)) != _seal(found):  # earlier versions wrote none
                raise ValueError
            made = cls(**found)
            if made.nodes is None and (_ADDRESS.match(made.source) or os.path.isabs(made.source)):
                made.options.pop("nodes_header", None)  # kept before with no nodes; a dataset may have a list
            return made
        except (AttributeError, ValueError, TypeError, KeyError):
            raise StoreError(
                "what is remembered of the source is damaged; load it again with --replace"
            ) from None


def _seal(found: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


def origin_kept(graph: Graph) -> Origin | None:
    """Return where a graph was read from; None where it was made in memory."""
    found = graph.kept.get("origin")
    return found if isinstance(found, Origin) else None


def origin_of(
    where: Location, file: object, nodes: object, options: ReadingOptions, properties: Sequence[str], title: str | None,
    row_count: int,
) -> Origin:  # fmt: skip
    """Return what is remembered of a source that was read just now."""
    source, why = _repeatable(where, file)
    listed = None
    if isinstance(nodes, (str, os.PathLike)):
        listed, again = _repeatable(None, nodes)
        why = why or again
    elif nodes is not None:
        why = why or "its nodes were values in memory"
    return Origin(
        source=source,
        nodes=listed,
        options=options.as_given(),
        properties=[name for name in properties if name != title],
        title=title,
        read_at=datetime.now(tz=UTC).isoformat(timespec="seconds"),
        row_count=row_count,
        mark=_mark(where),
        unrepeatable=why,
    )


def _repeatable(where: Location | None, file: object) -> tuple[str, str]:
    """Return a source as it is remembered, and why it cannot be read again."""
    given = os.fspath(file)  # type: ignore[call-overload]
    if given == "-":
        return "standard input", "it came by standard input"
    if where is not None and where.entry is not None:
        return given, ""
    if _ADDRESS.match(given):
        if where is not None and where.database is not None:
            return where.database.whole_address(), ""  # without a secret, which is refused, as in a bucket's
        if where is not None and where.bucket is not None:
            return given, ""
        shown = address_shown(given)
        return shown, "" if shown == given else "its address held what may be secret, which is not remembered"
    return os.path.abspath(given), ""


def _mark(where: Location) -> str:
    """Return sizes and times of what was read; a folder that changed meanwhile was refused."""
    if where.download is not None:
        return f"sha256 {where.download.sha256}"
    if where.many:
        marks = marks_of(where.parts()[0])
        newest = datetime.fromtimestamp(max(mark[3] for mark in marks) / 1e9, tz=UTC)
        return f"{len(marks)} files, {sum(mark[2] for mark in marks)} bytes, newest {newest.isoformat()}"
    if where.path is None or not where.path.is_file():
        return ""
    found = where.path.stat()
    return f"{found.st_size} bytes, {datetime.fromtimestamp(found.st_mtime_ns / 1e9, tz=UTC).isoformat()}"
