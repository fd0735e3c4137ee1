"""A store of 0.1.0, one file of the database library, becomes a folder.

Under the lock file that 0.1.0 takes, the old file is opened (which replays its log into it), read, and a folder
is built beside it; then the old file is renamed to ``NAME.0.1.0-migrating``, the folder to ``NAME``, and the old file
to ``NAME.0.1.0-migrated``. Between the first two there is no ``NAME``, and the next session builds the folder from the
renamed file again. What is called ``-migrated`` is never read again: the folder that it became has spent since.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from edgedp.graph.graph import Graph
from edgedp.ledger.calendars.runs import Reach
from edgedp.ledger.rows import GraphRow
from edgedp.stores.embedded import database, files
from edgedp.stores.embedded.earlier import PENDING, is_old_store, not_migrated, opened_old
from edgedp.stores.embedded.folder import MIGRATED, MIGRATING, Folder, is_file, sync
from edgedp.words.amounts import rho
from edgedp.words.amounts.epsilon import format_nano
from edgedp.words.errors import EdgeDPError, StoreError, StoreUnavailableError

EARLIER = "unknown (edgedp 0.1.0)"
"""Who caused what 0.1.0 wrote: it did not note that."""


def finish(folder: Folder, timeout: float) -> None:
    """Migrate a store of 0.1.0, or finish a migration that was interrupted; of anything else do nothing."""
    place = folder.path
    aside = place.with_name(place.name + MIGRATING)
    if place.name.endswith((MIGRATED, MIGRATING)):
        return
    if is_file(place):
        if is_old_store(place):
            _check_alone(folder)
            _migrate(folder, aside, timeout)
    elif is_file(aside):
        _migrate(folder, aside, timeout)


def _check_alone(folder: Folder) -> None:
    """Refuse a file that other paths lead to, or whose log may lie under another name: spent budget would be lost."""
    place = folder.path
    if os.lstat(place).st_nlink != 1:
        raise StoreError(
            f"store is {folder.given}, a store of 0.1.0 with more than one hard link; remove the others, ask again"
        )
    for before, how in (
        (
            MIGRATED,
            "which was migrated before; move this file away, and give the folder that was made of the other",
        ),
        (MIGRATING, "whose migration was interrupted; move this file away, and ask again to finish it"),
    ):
        if os.path.lexists(place.with_name(place.name + before)):
            raise StoreError(f"store is {folder.given}, a store of 0.1.0 beside {place.name}{before}, {how}")
    given = Path(os.path.abspath(folder.given))
    for near in {place.parent, given.parent}:
        for log in sorted(each for end in PENDING for each in near.glob(f"*{end}")):
            (base,) = (log.with_name(log.name.removesuffix(end)) for end in PENDING if log.name.endswith(end))
            if base != place and not is_file(base):
                raise StoreError(
                    f"store is {folder.given}, a store of 0.1.0 beside the log {log.name}, whose store is not there "
                    "under that name; give the store the name that it had, or move the log away if it is another's"
                )


def _migrate(folder: Folder, aside: Path, timeout: float) -> None:
    place = folder.path
    done = place.with_name(place.name + MIGRATED)
    with ExitStack() as locks:
        for path in _ways(folder):
            locks.enter_context(_locked(path, timeout))
        if place.is_dir():  # somebody else did it meanwhile, or was killed at the end of it
            with suppress(FileNotFoundError):
                os.rename(aside, done)
            _remove_locks(folder)
            return
        source = place if is_file(place) else aside
        building = place.with_name(place.name + ".migrating")
        shutil.rmtree(building, ignore_errors=True)
        try:
            _build(source, building, folder.given)
            sys.audit("edgedp.reached", "built")
            if source == place:
                os.rename(place, aside)
                sync(place.parent)
            sys.audit("edgedp.reached", "aside")
            os.rename(building, place)
            sync(place.parent)
            sys.audit("edgedp.reached", "moved")
            with suppress(OSError):  # of another owner
                aside.chmod(0o400)  # 0.1.0 refuses what it may not write
            os.rename(aside, done)
            sync(place.parent)
        except StoreUnavailableError:  # an OSError, too
            raise
        except OSError as error:
            raise not_migrated(folder.given, error.strerror) from None
        finally:
            shutil.rmtree(building, ignore_errors=True)
        _remove_locks(folder)


def _ways(folder: Folder) -> list[Path]:
    """Return the real path and, of a link, the path as given: 0.1.0 locked the path that it was given."""
    given = Path(os.path.abspath(folder.given))
    return sorted({folder.path, Path(os.path.realpath(given.parent)) / given.name})


def _remove_locks(folder: Folder) -> None:
    for path in _ways(folder):
        path.with_name(path.name + ".lock").unlink(missing_ok=True)


@contextmanager
def _locked(place: Path, timeout: float) -> Iterator[None]:
    import filelock

    lock = filelock.FileLock(f"{place}.lock", timeout=timeout, poll_interval=0.01, mode=0o600)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise StoreUnavailableError(
            f"store is {place}, which another process has kept open for {timeout:g} s; wait for it and ask again"
        ) from None
    except OSError as error:
        raise not_migrated(place, error.strerror) from None
    try:
        yield
    finally:
        lock.release()


def _build(source: Path, building: Path, shown: Path) -> None:
    """Build the folder from an old file, and check that both say the same."""
    from edgedp.stores.embedded.making import fill
    from edgedp.stores.embedded.sqlite import opened

    building.mkdir(mode=0o700)
    building.chmod(0o700)
    fill(building, shown)
    folder = Folder(building)
    with opened_old(source, shown) as old, opened(folder.ledger, shown, 10.0) as ledger:
        accounts = {row["name"]: row for row in old.rows("EdgeDPLedger")}
        graphs = {row["name"]: row for row in old.rows("EdgeDPGraph")}
        changes, releases = old.rows("EdgeDPBudgetChange"), old.rows("EdgeDPRelease")
        if lost := {*graphs, *(row["graph"] for row in (*changes, *releases))} - {*accounts}:
            raise _inconsistent(shown, min(lost))
        digests = {
            name: _copy(folder, old.graph(row), row["version"]) for name, row in sorted(graphs.items())
        }
        with ledger.transaction():
            for name, row in sorted(accounts.items()):
                _Account(ledger, name, row, shown).write(
                    [change for change in changes if change["graph"] == name],
                    [release for release in releases if release["graph"] == name],
                    _graph_row(graphs[name], digests[name]) if name in graphs else None,
                )
        for name in accounts:
            if not ledger.run("account_adds_up", name=name):
                raise _inconsistent(shown, name)
    sync(folder.ledger)
    sync(building)


def _copy(folder: Folder, graph: Graph, version: int) -> str:
    with files.write(folder, version, graph) as digest:
        return digest


def _graph_row(row: Mapping[str, Any], digest: str) -> GraphRow:
    return GraphRow(
        row["name"],
        row["version"],
        database.PLACE["node_label"],
        database.PLACE["relationship_type"],
        database.PLACE["id_property"],
        row["nodeCount"],
        row["degreeBound"],
        bool(row["nodesSupplied"]),
        bool(row["loaded"]),
        digest,
    )


class _Account:
    """One account, written event by event as it came about."""

    def __init__(self, ledger: Any, name: str, row: Mapping[str, Any], shown: Path) -> None:
        self._ledger = ledger
        self._name = name
        self._row = row
        self._shown = shown

    def write(
        self, changes: list[dict[str, Any]], releases: list[dict[str, Any]], graph: GraphRow | None
    ) -> None:
        """Write budget changes and releases in the order of their times, then the state of now."""
        from edgedp.ledger.ledger import now
        from edgedp.ledger.placing import place_steps

        row, name = self._row, self._name
        delta = row["delta"]
        spent = row["spent"] if delta is None else row["spentRho"]
        budget = row["budget"] if delta is None else row["budgetRho"]
        declared = row["budget"] if delta is None else row["declared"]
        self._run("account_open")
        self._run("migrate_terms")  # what the account was before each release is not known
        if delta is not None:
            self._run("account_set_budget", delta=delta, declared=declared, budget=10**18)
        events = [(change["at"], 0, change) for change in changes] + [
            (each["at"], 1, each) for each in releases
        ]
        for at, is_release, event in sorted(events, key=lambda item: item[:2]):
            if is_release:
                self._release(event, delta)
            else:
                body = {"epsilon_budget": format_nano(event["budget"])}
                if event["delta"] is not None:
                    body["delta"] = event["delta"] / rho.ATTO
                self._note("budget", at, EARLIER, body)
        if budget is not None:
            self._run("account_set_budget", delta=delta, declared=declared, budget=budget)
        if row["maxPerRelease"] is not None:
            self._limit(row["maxPerRelease"])
        if graph is not None:
            for step in place_steps(graph):
                self._ledger.run(step.statement, **step.parameters)
            body = graph.facts.to_dict() | {"version": graph.version, "migrated_from": "0.1.0"}
            self._note("load", now(), f"uid {os.getuid()}", body)
        (kept,) = self._ledger.run("account_find", name=name)
        if (kept["spent"], kept["budget"], kept["delta"]) != (spent or 0, budget, delta):
            raise _inconsistent(self._shown, name)

    def _release(self, release: dict[str, Any], delta: int | None) -> None:
        """Write a debit as it was, without asking whether it fits: it was paid."""
        parameters, public = json.loads(release["parameters"]), json.loads(release["public"])
        cost, price = release["cost"], _price(release["selector"], parameters, public)
        body = {"kind": release["selector"], "parameters": parameters, "public": public}
        amounts = {"cost": cost, "price": price}
        self._run("migrate_spent", **amounts)
        self._run(
            "log_debit",
            **amounts,
            **Reach().parameters,
            releaseId=release["releaseId"],
            analyst="",
            requestId=release["requestId"],
            at=release["at"],
            by=EARLIER,
            body=json.dumps(body),
        )
        if release["nodes"] is not None:
            answer = json.dumps({"nodes": json.loads(release["nodes"])})
            self._run("account_next")
            self._run("log_answer", releaseId=release["releaseId"], at=release["at"], by=EARLIER, body=answer)

    def _limit(self, limit: int) -> None:
        from edgedp.ledger.ledger import now

        self._run("migrate_limit", maxPerRelease=limit)
        self._note("limit", now(), EARLIER, {"max_epsilon_per_release": format_nano(limit)})

    def _note(self, kind: str, at: str, by: str, body: Mapping[str, Any]) -> None:
        self._run("account_next")
        self._run("log_append", kind=kind, at=at, by=by, body=json.dumps(body))

    def _run(self, statement: str, **parameters: Any) -> None:
        self._ledger.run(statement, name=self._name, **parameters)


def _price(kind: str, parameters: dict[str, Any], public: dict[str, Any]) -> int:
    """Return the pico-rho of a release of 0.1.0, by its parameters."""
    from edgedp.release.plan.kept import plan_of

    try:
        return rho.cost(plan_of(kind, parameters, public))
    except EdgeDPError:
        return 1  # of a pure account nobody asks


def _inconsistent(shown: Path, name: str) -> StoreError:
    return StoreError(
        f"store is {shown}, a store of 0.1.0 in which what was spent under {name!r} is not what its releases cost; "
        "restore a backup of the old file"
    )
