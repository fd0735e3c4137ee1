"""The embedded store as a backend: a ledger, versions, and nothing that is held while a release is drawn."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.ids import numbers_of
from edgedp.ledger.backend import Backend, Row, Session, Transaction
from edgedp.ledger.pairs import rows_projection
from edgedp.ledger.registry import address_taken
from edgedp.ledger.rows import AT_ADDRESS, OF_GRAPH, GraphRow
from edgedp.ledger.script import Step
from edgedp.stores.embedded import database, files, migration, windowed
from edgedp.stores.embedded.backup import copy
from edgedp.stores.embedded.folder import Folder, plain_text
from edgedp.stores.embedded.locks import scarce
from edgedp.stores.embedded.making import make
from edgedp.stores.embedded.parts import columned
from edgedp.stores.embedded.seals import Seals, Version, hold, sha256
from edgedp.stores.embedded.sqlite import Ledger, opened, opened_as
from edgedp.stores.statements.cypher import CypherProjection
from edgedp.stores.statements.projecting import figures_of, graph_of_kept, side_ids
from edgedp.words.errors import EdgeDPError, ParameterError, StoreError
from edgedp.words.refusals import STORE_FAILED
from edgedp.words.vocabulary import ARC_METRICS

if TYPE_CHECKING:
    from edgedp.graph.columns import KeptRows
    from edgedp.graph.graph import Graph
    from edgedp.graph.loading.origins import Origin
    from edgedp.graph.titles import Titles
    from edgedp.mechanisms.projection import NumberProjection
    from edgedp.release.conditions import Condition
    from edgedp.words.dates.calendar import Calendar, Span
    from edgedp.words.progress import Progress
    from edgedp.words.vocabulary import ArcMetricName


class EmbeddedBackend(Backend):
    """A folder; every session opens its ledger anew, for milliseconds."""

    cypher = frozenset[str](ARC_METRICS)
    keeps_directions = True
    keeps_versions = True
    keeps_windows = True
    keeps_weights = True
    keeps_columns = True

    def __init__(self, path: Path, lock_timeout: float) -> None:
        self._folder = Folder(path)
        self.head_files = (self._folder.heads, self._folder.heads_inside)
        self._lock_timeout = lock_timeout

    @property
    def path(self) -> Path:
        """The store's folder, by its real path."""
        return self._folder.path

    @property
    def place_shown(self) -> str:
        return str(self._folder.path)

    @contextmanager
    def session(self, *, create: bool = False) -> Iterator[Session]:
        folder = self._checked(create=create)
        opening = opened_as(EmbeddedSession, folder.ledger, folder.given, self._lock_timeout)
        with opening as session, ExitStack() as held:
            session._folder, session._held, session._versions = folder, held, {}
            yield session

    def place(self, name: str, version: int, label: str | None, kind: str | None) -> GraphRow:
        if label is not None or kind is not None:
            raise ParameterError(
                "node_label and relationship_type are options of a Neo4j store; leave them out here"
            )
        return GraphRow(
            name,
            version,
            database.PLACE["node_label"],
            database.PLACE["relationship_type"],
            database.PLACE["id_property"],
            0,
            None,
            nodes_supplied=False,
            loaded=True,
        )

    def survey(
        self, session: Session, row: GraphRow, *, allow_empty: bool = False
    ) -> tuple[GraphRow, dict[str, int]]:
        if row.of is None:
            raise StoreError(
                "register is for a graph that is already in Neo4j and needs a store neo4j://...; use load for a file, "
                "or register a graph of the rows of a loaded one (--of)"
            )
        graph = session.graph(row)
        if graph.edge_count == 0 and not allow_empty:
            raise ParameterError(
                f"no row of {row.of.name!r} makes an edge; check where, or register it even so (--allow-empty)"
            )
        return replace(row, node_count=session.node_count(row)), figures_of(session, row, graph)

    def heads(self) -> str | None:
        return "\n".join(filter(None, map(self._heads_in, self.head_files)))

    def _heads_in(self, path: Path) -> str | None:
        try:
            return plain_text(path)
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError):
            raise scarce(self._folder.given) or StoreError(
                f"store is {self._folder.given}, whose heads in {path.name} cannot be read; give that file the "
                "store's owner, or restore it"
            ) from None

    def backup(self, destination: Path) -> dict[str, str]:
        return copy(self._folder, destination, self._lock_timeout)

    def problems(self) -> list[str]:
        return problems(self._checked(), self._lock_timeout)

    def _checked(self, *, create: bool = False) -> Folder:
        """Return the folder of a store that is there; every other is refused in one sentence."""
        folder = self._folder
        if folder.may_be_older:
            migration.finish(folder, self._lock_timeout)
        if create and not os.path.lexists(folder.path):
            make(folder)
        folder.check()
        return folder

    def projection(self, row: GraphRow) -> NumberProjection:
        return _FileProjection(self, row)


class EmbeddedSession(Ledger, Session):
    """An open ledger, and the versions that this session holds."""

    _folder: Folder
    _held: ExitStack
    _versions: dict[int, Version]

    @cached_property
    def by(self) -> str:
        """The operating system's user, by its number: names come from the environment."""
        return f"uid {os.getuid()}" if hasattr(os, "getuid") else "uid unknown"

    def prepare(self, row: GraphRow) -> None:
        """Hold the files of a version until the session ends, and check that they are what was written."""
        row = row.of or row
        if row.version not in self._versions:
            self._versions[row.version] = self._held.enter_context(
                hold(self._folder, row.version, row.digest)
            )

    def nodes_named(self, row: GraphRow, ids: list[Any]) -> list[Any]:
        there = self._node_ids(row)
        kind = int if there.dtype.kind == "i" else str
        asked = np.array(
            [each for each in ids if isinstance(each, kind)], dtype=None if kind is str else np.int64
        )
        return asked[np.isin(asked, there)].tolist() if len(asked) else []

    def origin(self, row: GraphRow) -> Origin | None:
        return files.origin(self._folder, row.version)

    def titles(self, row: GraphRow, ids: list[Any]) -> list[str | None]:
        self.prepare(row)
        return files.titles(self._held_files(row), ids)

    def candidates(self, row: GraphRow) -> list[Any]:
        made = row.projection
        return [] if made is None else side_ids(self._node_ids(row), str(made.candidates))

    def _held_files(self, row: GraphRow) -> Version:
        """Return the held files of a graph, or of the one that it is made of."""
        self.prepare(row)
        return self._versions[(row.of or row).version]

    def _node_ids(self, row: GraphRow) -> NDArray[Any]:
        self.prepare(row)
        return files.node_ids(self._held_files(row))

    def graph(self, row: GraphRow, span: Span | None = None) -> Graph:
        self.prepare(row)
        if row.of is not None and row.projection is not None:
            if row.of.columns is None:  # its edges or arcs, those of the windows, stand for the rows
                return graph_of_kept(self.graph(row.of, span), None, row.projection)
            return graph_of_kept(self.graph(row.of), self.kept_rows(row.of), row.projection, span)
        graph = files.read(
            self._versions[row.version], nodes_supplied=row.nodes_supplied, span=span, weighting=row.weighting
        )
        if graph.node_count != row.node_count:
            raise StoreError("the graph's file has other nodes than the registry says; restore a backup")
        if graph.directed != row.directed:
            raise StoreError("the graph's file and the registry do not agree on directions; restore a backup")
        return graph

    def filtered(self, row: GraphRow, where: Sequence[Condition], span: Span | None = None) -> Graph:
        loaded, made = row.of or row, row.projection
        kept, weights = self.kept_rows(loaded), None
        if row.of is None or made is None:
            as_loaded = rows_projection(row.name, "NATURAL" if row.directed else "UNDIRECTED")
            made, weights = replace(as_loaded, weight=row.weighting), kept.weights
            if row.weighting is not None and weights is None:
                raise StoreError(STORE_FAILED)
        made = replace(made, where=(*made.where, *where))
        return graph_of_kept(self.graph(loaded), kept, made, span, weights)

    def kept_rows(self, row: GraphRow) -> KeptRows:
        self.prepare(row)
        version = self._versions[row.version]
        if version.columns is None:
            raise StoreError(
                "the graph's files have no columns; load it again with them, or restore a backup"
            )
        return columned.mapped_columns(version.columns, version.number, row.node_count)

    def moved_dates(self, row: GraphRow, graph: Graph, calendar: Calendar) -> int:
        self.prepare(row)
        version = self._versions[row.version]
        if version.windows is None or version.rows is None:
            return 0
        nodes = files.node_ids(version)
        return windowed.moved(version.windows, version.number, nodes, graph, graph.kept["dated"], calendar)

    def rows_by_date(self, row: GraphRow, calendar: Calendar | None = None) -> dict[str, int]:
        self.prepare(row)
        version = self._versions[row.version]
        if version.windows is None:
            return super().rows_by_date(row)
        return windowed.counted(version.windows, version.number)._asdict()

    def records(self, row: GraphRow, name: str) -> NDArray[np.float64]:
        self.prepare(row)
        found = database.properties(self._held_files(row).path, name)
        return numbers_of(found[name]) if found else np.full(row.node_count, np.nan)

    def properties(self, row: GraphRow, declared: Iterable[str]) -> dict[str, NDArray[Any]]:
        self.prepare(row)
        return database.properties(self._held_files(row).path)

    def node_count(self, row: GraphRow) -> int:
        made = None if row.of is None else row.projection
        if row.of is None or made is None or made.candidates is None:
            return row.node_count if row.of is None else row.of.node_count
        return len(self.candidates(row))

    def guards(self, row: GraphRow) -> list[Step]:
        if not row.at_address:
            return []
        asked = {"name": row.name, "relationshipType": row.relationship_type}
        return [Step("address_conflicts", asked, on_row="place")]

    def guard_refusal(self, outcome: str, row: GraphRow, rows: Mapping[str, list[Row]]) -> EdgeDPError:
        if outcome != "place":
            return super().guard_refusal(outcome, row, rows)
        return address_taken(rows["address_conflicts"][0]["name"])

    @contextmanager
    def ingest(
        self,
        row: GraphRow,
        graph: Graph,
        progress: Progress | None,
        titles: Titles | None = None,
        calendar: Calendar | None = None,
    ) -> Iterator[GraphRow]:
        self.sweep(row.name)
        with files.write(self._folder, row.version, graph, titles, calendar) as digest:
            if progress is not None:
                progress("writing", graph.edge_count, graph.edge_count)
            yield replace(row, digest=digest)
            sys.audit("edgedp.reached", "current")

    def retire(self, tx: Transaction, row: GraphRow) -> None:
        return  # what nobody names is swept

    def sweep(self, name: str) -> None:
        files.sweep(self._folder, self._named)

    def _named(self) -> set[int]:
        return {row["version"] for row in self.run("graph_places")}


class _FileProjection(CypherProjection):
    """The engine ``cypher`` on a version's file."""

    def __init__(self, backend: EmbeddedBackend, row: GraphRow) -> None:
        super().__init__(backend, row)
        self._files = backend

    def _run(self, statement: str, nodes: list[Any] | None, **parameters: Any) -> list[dict[str, Any]]:
        with hold(self._files._folder, self._row.version, self._row.digest) as version:
            return database.run(version.path, statement, nodes=nodes, **parameters)

    def _as_stored(self, name: ArcMetricName) -> ArcMetricName:
        return name


def problems(folder: Folder, timeout: float) -> list[str]:
    """Return each problem in a line: SQLite's own check, and every version's SHA-256."""
    found: list[str] = []
    for path in (folder.path, *sorted(folder.path.iterdir())):
        with suppress(FileNotFoundError):  # a journal comes and goes
            if stat.S_IMODE(os.lstat(path).st_mode) & 0o077:
                found.append(f"{path.name} may be read by others than its owner")
    with opened(folder.ledger, folder.given, timeout) as ledger:
        found += ledger.problems()
        try:
            graphs = ledger.run("graph_list")
            versions = [ledger.run("graph_find", name=row["name"])[0] for row in graphs]
        except EdgeDPError as error:
            return [*found, str(error)]
    for row in versions:
        if row["nodeLabel"] in (AT_ADDRESS, OF_GRAPH):
            continue
        for kind, (digest, _) in Seals.of(row["digest"]).files.items():
            path = folder.file(row["version"], kind)
            if not path.is_file():
                found.append(f"the file {path.name} of the graph {row['name']!r} is missing")
            elif sha256(path) != digest:
                found.append(f"the file {path.name} of the graph {row['name']!r} is not what was written")
    return found
