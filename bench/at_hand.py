"""Which datasets of the catalogue can be measured here: bundled ones, and copies in the folder EDGEDP_DATA."""

from __future__ import annotations

import sys
from functools import cache

from edgedp.graph.reading.sources.catalogue import dataset
from edgedp.graph.reading.sources.locating import local_copy


@cache
def here(name: str) -> bool:
    """Say whether the graph is here; where it is not, say that its rows are left out."""
    entry = dataset(name)
    if entry.bundled or local_copy(entry.edge_list) is not None:
        return True
    copies = " or ".join(entry.edge_list.copies)
    print(f"{name} is left out: set EDGEDP_DATA to a folder that holds {copies}", file=sys.stderr)
    return False


def among(*names: str) -> tuple[str, ...]:
    """Return those of the datasets that are here."""
    return tuple(filter(here, names))
