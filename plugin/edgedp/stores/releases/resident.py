"""What a release needs is in memory before it is debited: the package may be replaced under a running process.

Statements are read and modules imported where they are first needed. After a debit that is too late: files of another
version, or none, would cost budget without an answer.
"""

from __future__ import annotations

import pkgutil
from contextlib import suppress
from functools import cache
from importlib import import_module

from edgedp.stores.statements.queries import completeness, statement_text
from edgedp.words.places import asset

_READ_WITH = ("graph.loading", "graph.reading")
_DRAWN_WITH = (
    "words", "graph.engines", *_READ_WITH, "mechanisms", "release", "ledger", "stores", "faces.gateway",
)  # fmt: skip
_BESIDE = (
    "edgedp.graph.ids",
    "pyarrow.compute",
    "numpy.ma",
    "igraph",
)
"""What a store of Neo4j needs beside them is there as soon as it was opened; no other needs it."""


@cache
def load_statements() -> None:
    """Read every statement of every store, once a process."""
    for dialect, ending in (
        ("sqlite", "sql"),
        ("neo4j", "cypher"),
        ("embedded", "cypher"),
        ("common", "cypher"),
    ):
        for path in asset("queries", dialect).glob(f"*.{ending}"):
            statement_text(dialect, path.stem)
            if dialect == "sqlite":
                completeness(path.stem)


@cache
def load_reading() -> None:
    """Import what reads an address, once a process; the drivers of databases are tried by their sessions."""
    for name in ("polars", "pyarrow.parquet"):
        import_module(name)
    _load_packages(_READ_WITH)


def load_everything() -> None:
    """Read every statement and import every module that any release may need; for a process that stays."""
    load_statements()
    for name in _BESIDE:
        with suppress(ImportError):  # an engine or a store that is not installed
            import_module(name)
    _load_packages(_DRAWN_WITH)


def _load_packages(names: tuple[str, ...]) -> None:
    for name in names:
        package = import_module(f"edgedp.{name}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            with suppress(ImportError):
                import_module(found.name)
