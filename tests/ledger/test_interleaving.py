"""The machine that interleaves, over the embedded store by several paths."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

from hypothesis import Phase, settings

from edgedp import Store, open_store
from edgedp.ledger import chain
from edgedp.stores.embedded.sqlite import migrations
from embedded_children import child, may_mount
from forks import Process
from interleaving import Interleaving, Place
from killing import Point

REFUSED = (
    "UPDATE accounts SET spent = 0 WHERE name = $name AND spent > 0",
    "UPDATE accounts SET spent = spent + 1 WHERE name = $name",
    "UPDATE accounts SET entries = entries - 1 WHERE name = $name",
    "UPDATE accounts SET budget = 10 * budget, declared = 10 * declared WHERE name = $name AND budget IS NOT NULL",
    "UPDATE accounts SET maxPerRelease = 1 WHERE name = $name",
    "UPDATE accounts SET delta = 1 WHERE name = $name",
    "UPDATE accounts SET terms = '' WHERE name = $name",
    "DELETE FROM accounts WHERE name = $name",
    "UPDATE graphs SET degreeBound = 1 WHERE name = $name",
    "DELETE FROM graphs WHERE name = $name",
    "UPDATE log SET total = total + 1 WHERE name = $name AND seq = (SELECT max(seq) FROM log WHERE name = $name)",
    "UPDATE log SET hash = '' WHERE name = $name AND seq = (SELECT max(seq) FROM log WHERE name = $name)",
    "DELETE FROM log WHERE name = $name AND seq = (SELECT max(seq) FROM log WHERE name = $name)",
    "UPDATE tallies SET releases = 0 WHERE name = $name AND releases > 0",
)
"""What a debit must notice: of the account, the registry, the last row, the count."""

OVERLOOKED = (
    "UPDATE log SET charge = 1 WHERE name = $name AND seq = 2",
    "DELETE FROM log WHERE name = $name AND seq = 2",
)
"""What is for `check` to find: of a row in the middle."""

FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "sealed": (-1, chain.digest),
    "genuine": (-1, lambda kind, seal, *values: int(chain.digest(kind, *values) == seal)),
    "link": (1, chain.genesis),
}


class EmbeddedPlace(Place):
    """A folder, a link to it, and a path relative to where one stands; a child has the folder mounted twice."""

    paths = 3
    load_points = ("begun", "written", "placing", "placed", "checked")

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="edgedp-interleaving-"))
        place = self._folder / "graphs.edgedp"
        link = self._folder / "link.edgedp"
        link.symlink_to(place.name)
        relative = Path(os.path.relpath(place))
        self._paths = [place, link, relative]

    def store(self, path: int) -> Store:
        return open_store(self._paths[path], graph_memory=1 << 20 if path else 0)

    def child(self, path: int, *arguments: object, kill_at: Point | None) -> Process:
        program, *rest = arguments
        if path == 1 and may_mount():
            again = self._folder / "mounted" / "graphs.edgedp"
            again.mkdir(parents=True, exist_ok=True)
            mounted = self._paths[0], again
            return child(program, again, *rest, kill_at=kill_at, mounted=mounted)
        return child(program, self._paths[path], *rest, kill_at=kill_at)

    def impatient(self) -> Store:
        return open_store(self._paths[0], lock_timeout=0.05)

    @contextmanager
    def held(self, name: str) -> Iterator[None]:
        with closing(sqlite3.connect(self._ledger, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("ROLLBACK")

    @contextmanager
    def spoiled(self, name: str, which: int) -> Iterator[bool | None]:
        """Edit the tables as somebody who knows the seals; what refuses is put back as a whole file."""
        before = self._ledger.read_bytes()
        kinds = [*((True, each) for each in REFUSED), *((False, each) for each in OVERLOOKED)]
        refuses, statement = kinds[which % len(kinds)]
        with closing(sqlite3.connect(self._ledger, isolation_level=None)) as connection:
            for function, (arguments, does) in FUNCTIONS.items():
                connection.create_function(function, arguments, does, deterministic=True)
            made = connection.execute(
                "SELECT sql FROM sqlite_schema WHERE name IN ('log_change', 'log_delete')"
            )
            triggers = [text for (text,) in made.fetchall()]
            columns = [row[1] for row in connection.execute("PRAGMA table_info(log)")]
            for trigger in ("log_change", "log_delete"):
                connection.execute(f"DROP TRIGGER {trigger}")
            row = connection.execute(
                "SELECT * FROM log WHERE name = ? AND seq = 2 AND seq < (SELECT max(seq) FROM log WHERE name = ?)",
                (name, name),
            ).fetchone()
            changed = connection.execute(statement, {"name": name}).rowcount
            for text in triggers:
                connection.execute(text)
        nothing = changed <= 0 or (not refuses and row is None)
        yield None if nothing else refuses
        if refuses or nothing:
            self._ledger.write_bytes(before)
            return
        with closing(sqlite3.connect(self._ledger, isolation_level=None)) as connection:
            for function, (arguments, does) in FUNCTIONS.items():
                connection.create_function(function, arguments, does, deterministic=True)
            for trigger in ("log_change", "log_delete", "log_made", "log_counted"):
                connection.execute(f"DROP TRIGGER {trigger}")
            marks = ", ".join("?" * len(columns))
            connection.execute(f"INSERT OR REPLACE INTO log VALUES ({marks})", row)  # noqa: S608
            for text in [*triggers, *self._inserting]:
                connection.execute(text)

    def older(self) -> Callable[[], AbstractContextManager[None]]:
        copy = self._ledger.read_bytes()

        @contextmanager
        def put() -> Iterator[None]:
            now = self._ledger.read_bytes()
            self._ledger.write_bytes(copy)
            yield
            self._ledger.write_bytes(now)

        return put

    @property
    def _ledger(self) -> Path:
        return self._paths[0] / "ledger.sqlite"

    @property
    def _inserting(self) -> list[str]:
        """What the tables do after a row is written, as the migrations say."""
        text = "\n".join(path.read_text(encoding="utf-8") for path in migrations())
        return [
            re.findall(rf"^CREATE TRIGGER {name} .*?^END;", text, re.MULTILINE | re.DOTALL)[-1]
            for name in ("log_made", "log_counted")
        ]

    def close(self) -> None:
        shutil.rmtree(self._folder)


class EmbeddedInterleaving(Interleaving):
    @classmethod
    def new_place(cls) -> Place:
        return EmbeddedPlace()


TestEmbeddedInterleaving = EmbeddedInterleaving.TestCase
TestEmbeddedInterleaving.settings = settings(
    max_examples=4, stateful_step_count=12, phases=(Phase.explicit, Phase.reuse, Phase.generate)
)
