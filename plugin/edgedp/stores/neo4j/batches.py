"""The batches that a load writes: what is sent, and how far it is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from edgedp.words.progress import Progress


class Written:
    """How much of a graph is written, for who loads it and for who looks at the server.

    Parameters
    ----------
    name : str
        Of the graph.
    total : int
        Rows: nodes and edges.
    progress : callable or None
    """

    def __init__(self, name: str, total: int, progress: Progress | None) -> None:
        self._name, self._total, self._progress = name, total, progress
        self._done, self._began = 0, time.monotonic()

    def upto(self, done: int) -> None:
        """Say that so many rows are written."""
        self._done = done
        if self._progress is not None:
            self._progress("writing", done, self._total)

    def metadata(self) -> dict[str, str]:
        """Return what a transaction says of itself in ``SHOW TRANSACTIONS``."""
        rate = int(self._done / max(time.monotonic() - self._began, 1e-3))
        return {"edgedp": f"loading {self._name}: {self._done} of {self._total} rows, {rate} a second"}


def adjacent(edges: NDArray[Any]) -> tuple[NDArray[np.int64], list[list[Any]]]:
    """Return the nodes of edges sorted by their first end, and ``[i, [j, ...]]`` in positions among these nodes."""
    nodes, positions = np.unique(edges, return_inverse=True)
    sources, targets = positions.reshape(-1, 2).T
    firsts, starts = np.unique(sources, return_index=True)
    after = np.split(targets, starts[1:])
    return nodes, [[i, each.tolist()] for i, each in zip(firsts.tolist(), after, strict=True)]
