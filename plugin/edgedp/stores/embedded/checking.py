"""What is wrong with the files of an embedded store; nothing is changed."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from edgedp.ledger.backend import AT_ADDRESS, OF_GRAPH
from edgedp.stores.embedded.folder import Folder
from edgedp.stores.embedded.seals import Seals, sha256
from edgedp.stores.embedded.sqlite import opened
from edgedp.words.errors import EdgeDPError

__all__ = ["problems"]


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
        seals = Seals.of(row["digest"])
        for path, digest in (
            (folder.version(row["version"]), seals.graph),
            *([] if seals.rows is None else [(folder.rows(row["version"]), seals.rows)]),
            *([] if seals.windows is None else [(folder.windows(row["version"]), seals.windows)]),
            *([] if seals.columns is None else [(folder.columns(row["version"]), seals.columns)]),
        ):
            if not path.is_file():
                found.append(f"the file {path.name} of the graph {row['name']!r} is missing")
            elif sha256(path) != digest:
                found.append(f"the file {path.name} of the graph {row['name']!r} is not what was written")
    return found
