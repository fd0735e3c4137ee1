"""The embedded store: a folder with the ledger in SQLite, and a database file and a file of rows a stored version.

`folder` knows the paths and makes everything private, `sqlite` runs the statements of ``queries/sqlite``
and checks every row that it reads, `files` writes and reads versions, `database` and `mapped` their files, `seals`
compares files with what the registry keeps of them, `migration` takes over a store of 0.1.0, which `earlier`
reads, `backup` serves the curator, and `backend` puts them together.
"""

from __future__ import annotations

from edgedp.stores.embedded.backend import EmbeddedBackend

__all__ = ["EmbeddedBackend"]
