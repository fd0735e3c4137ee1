"""A projection whose answers were computed once and are looked up from then on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.metrics import metric_names
from edgedp.mechanisms.metrics.betweenness2 import SHARE_BITS
from edgedp.mechanisms.projection import Projection
from edgedp.words.vocabulary import StrengthName


class TableProjection:
    """Everything that a draw may ask of a small graph, as arrays; the draw cannot tell the difference."""

    def __init__(
        self,
        degrees: NDArray[np.int64],
        values: dict[str, NDArray[np.float64]],
        common: NDArray[np.int64],
        shares: NDArray[np.int64],
    ) -> None:
        self._degrees = degrees
        self._values = values
        self._common = common
        self._shares = shares

    @classmethod
    def of(cls, projection: Projection) -> TableProjection:
        """Ask another projection for everything."""
        return cls(
            projection.degrees(),
            {name: projection.values(name) for name in metric_names()},
            projection.max_common_neighbors(),
            projection.betweenness2_shares(SHARE_BITS),
        )

    def relabelled(self, names: NDArray[np.int64]) -> TableProjection:
        """Return the table of the graph whose node ``v`` is node ``names[v]`` of this one."""
        values = {name: column[names] for name, column in self._values.items()}
        return TableProjection(self._degrees[names], values, self._common[names], self._shares[names])

    @property
    def node_ids(self) -> NDArray[Any]:
        """(n,) the positions themselves."""
        return np.arange(len(self._degrees), dtype=np.int64)

    @property
    def engine(self) -> str:
        """No engine: a table is looked up, and nothing is kept of it."""
        return "table"

    def degrees(self) -> NDArray[np.int64]:
        """Return the (n,) degrees."""
        return self._degrees

    def values(self, name: str, positions: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Return a metric's exact values."""
        return _of(self._values[name], positions)

    def max_common_neighbors(self, positions: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return the most neighbours that each node shares with another one."""
        return _of(self._common, positions)

    def betweenness2_shares(self, bits: int) -> NDArray[np.int64]:
        """Return the length-2 betweenness in the shares that `edgedp.mechanisms.joint` uses."""
        if bits != SHARE_BITS:
            raise ValueError(f"bits is {bits}, must be {SHARE_BITS}; use a projection of the graph itself")
        return self._shares

    def ordered_degrees(self, *_: object) -> NDArray[np.int64]:
        """Refuse: whose neighbours stand behind is not in a table."""
        raise ValueError("a table has no neighbours; use a projection of the graph itself")

    def cut_shares(self, *_: object) -> NDArray[np.int64]:
        """Refuse: cuts depend on the ids, and a table stands for a graph under any."""
        raise ValueError("a table has no cuts; use a projection of the graph itself")

    cut_closed_shares = cut_shares
    arc_votes = cut_shares

    def strengths(self, name: StrengthName) -> NDArray[np.int64]:
        """Refuse: a table has no weights."""
        raise ValueError("a table has no weights; use a projection of the graph itself")

    def records(self, name: str) -> NDArray[np.float64]:
        """Refuse: a table stands for edges alone."""
        raise ValueError(f"a table has no property {name!r}; audit percentiles by their own law")

    def fingerprint(self) -> str | None:
        """Return None: nothing is to be kept for so small a graph."""
        return None


def _of(column: NDArray[Any], positions: NDArray[np.int64] | None) -> NDArray[Any]:
    return column if positions is None else column[positions]
