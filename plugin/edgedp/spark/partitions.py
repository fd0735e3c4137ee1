"""What a task of Spark holds of its partition: rows as a projection, what it keeps, and how its answer is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, assert_never, cast

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.arcs import arc_scores
from edgedp.mechanisms.grid import GridScores, grid_bits
from edgedp.mechanisms.metrics import metric
from edgedp.mechanisms.sampling.ranking import below_reference
from edgedp.mechanisms.scores.sums import top_k_scores
from edgedp.release.plan import ArcsPlan, Plan, TopKPlan
from edgedp.words.errors import ParameterError, StoreError
from edgedp.words.refusals import BOUND_BROKEN, IDS_BROKEN, NODES_CHANGED

if TYPE_CHECKING:
    import pyarrow as pa

    from edgedp.mechanisms.projection import Projection


def rows_schema(kind: str) -> str:
    """Return the columns that a partition answers with, for ids of a Spark type.

    A row of a node has ``rows`` 0. The last row of a partition has no id and sums it up: ``rows`` counts its nodes,
    ``degree`` is the largest degree, ``word`` the exclusive or of all words, ``noisy`` the number of rows without
    an id, and ``left`` the largest bound of a noisy score that stayed behind.
    """
    return f"id {kind}, degree long, word long, noisy long, rows long, left double, part long"


class _Rows:
    """A batch as a projection: degrees, and exact values where they are known."""

    def __init__(self, degrees: NDArray[np.int64], values: NDArray[np.float64] | None) -> None:
        self._degrees, self._values = degrees, values

    def degrees(self) -> NDArray[np.int64]:
        return self._degrees

    def values(self, name: str, positions: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        if metric(name).is_degree:
            return self._degrees.astype(np.float64)
        if self._values is None:
            raise ValueError("a batch has no values")
        return self._values


class _Counts(_Rows):
    """A batch of a directed graph as a projection: arcs that are counted at its nodes, through cuts or all."""

    def values(self, name: str, positions: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        return self._degrees.astype(np.float64)

    def arc_votes(self, name: str, cap: int) -> NDArray[np.int64]:
        return self._degrees


def counts_projection(counts: NDArray[np.int64]) -> Projection:
    """Return rows of `edgedp.spark.edges.Edges.arc_counts` as what scores and vectors of arcs are computed from."""
    return cast("Projection", _Counts(counts, None))


def rows_projection(degrees: NDArray[np.int64], values: NDArray[np.float64] | None = None) -> Projection:
    """Return rows of a partition as what scores are computed from."""
    return cast("Projection", _Rows(degrees, values))


def scores_of(
    plan: TopKPlan | ArcsPlan, degrees: NDArray[np.int64], values: NDArray[np.float64] | None = None
) -> GridScores:
    """Return the grid scores of some rows: bounds of them where values are asked for and not given.

    A degree above the bound is lowered to it, and a count of arcs to the number of nodes; a release of such a graph is
    refused before anything of it is shown.
    """
    match plan:
        case TopKPlan():
            return top_k_scores(plan, rows_projection(np.minimum(degrees, plan.degree_bound), values))
        case ArcsPlan():
            if plan.mechanism is None:
                raise ValueError("a vector has no scores of picks")
            counts = np.minimum(degrees, plan.facts.node_count)
            return arc_scores(plan, plan.mechanism, counts_projection(counts))
        case _:
            assert_never(plan)


def bounds_of(
    plan: TopKPlan | ArcsPlan, scores: NDArray[np.int64], unit: Any, enclosed: tuple[NDArray[np.float64], ...]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return float bounds of noisy scores less a public reference, so that those of all partitions compare."""
    match plan:
        case TopKPlan():
            reference = np.int64((plan.degree_bound + 3) << grid_bits(plan.degree_bound + 2))
        case ArcsPlan():
            reference = np.int64(plan.facts.node_count)
        case _:
            assert_never(plan)
    least, largest = below_reference(scores, reference, unit)
    return enclosed[0] - largest, enclosed[1] - least


def kth_largest(values: NDArray[Any], k: int) -> Any:
    """Return the k-th largest of some values."""
    return np.partition(values, len(values) - k)[len(values) - k]


@dataclass
class Kept:
    """The nodes of a partition that are not excluded yet, and what is told of all of them."""

    columns: dict[str, NDArray[Any]] = field(default_factory=dict)
    rows: int = 0
    largest: int = 0
    digest: int = 0
    nameless: int = 0
    left: float = -inf

    def count(self, degrees: NDArray[np.int64], named: NDArray[np.bool_], words: NDArray[np.uint64]) -> None:
        """Take up how many rows there were, the largest degree and a digest of the words."""
        self.rows += len(degrees)
        self.largest = max(self.largest, int(degrees.max(initial=0)))
        self.nameless += int(np.count_nonzero(~named | (degrees < 0)))
        self.digest ^= int(np.bitwise_xor.reduce(words)) if len(words) else 0

    def add(self, **columns: NDArray[Any]) -> None:
        """Append rows."""
        self.columns = {
            name: np.concatenate([self.columns[name], column]) if name in self.columns else column
            for name, column in columns.items()
        }

    def keep(self, chosen: NDArray[Any]) -> None:
        """Let go of all rows but some."""
        self.columns = {name: column[chosen] for name, column in self.columns.items()}

    def batch(self, kind: Any) -> pa.RecordBatch:
        """Return the rows that are kept, and a last one with the counts."""
        import pyarrow as pa

        count = len(self.columns.get("id", ()))
        ids = self.columns["id"].tolist() if count else []

        def column(name: str, total: int) -> pa.Array:
            values = (
                self.columns[name].astype(np.int64) if name in self.columns else np.zeros(count, np.int64)
            )
            return pa.array(np.append(values, np.int64(total)))

        digest = int(np.uint64(self.digest).astype(np.int64))
        words = self.columns["word"].view(np.int64) if "word" in self.columns else np.zeros(count, np.int64)
        return pa.RecordBatch.from_arrays(
            [
                pa.array([*ids, None], type=kind),
                column("degree", self.largest),
                pa.array(np.append(words, np.int64(digest))),
                column("noisy", self.nameless),
                pa.array(np.append(np.zeros(count, np.int64), np.int64(self.rows))),
                pa.array(np.append(np.zeros(count), self.left)),
                pa.array(np.full(count + 1, partition_number(), np.int64)),
            ],
            names=["id", "degree", "word", "noisy", "rows", "left", "part"],
        )


@dataclass
class Answered:
    """What the partitions have answered: nodes in the order of their ids, and a sum of each partition."""

    ids: NDArray[Any]
    degrees: NDArray[np.int64]
    words: NDArray[np.uint64]
    noisy: NDArray[np.int64]
    left: float
    digests: dict[int, int]

    @classmethod
    def of(cls, table: pa.Table, plan: Plan) -> Answered:
        """Read the rows of `rows_schema`; a table that is not what was planned is refused."""
        columns = {name: table.column(name).to_numpy() for name in table.column_names if name != "id"}
        sums = np.asarray(table.column("id").is_null().to_numpy())
        _check(plan, columns, sums)
        raw = [each for each in table.column("id").to_pylist() if each is not None]
        ids = np.array(raw) if raw else np.zeros(0, dtype=np.int64)
        rows, order = np.flatnonzero(~sums), np.argsort(ids, kind="stable")
        digests = zip(columns["part"][sums].tolist(), columns["word"][sums].tolist(), strict=True)
        return cls(
            ids[order],
            columns["degree"][rows][order],
            columns["word"][rows][order].view(np.uint64),
            columns["noisy"][rows][order],
            float(columns["left"][sums].max(initial=-inf)),
            dict(digests),
        )


def _check(plan: Plan, columns: dict[str, NDArray[Any]], sums: NDArray[np.bool_]) -> None:
    if columns["noisy"][sums].sum():
        raise StoreError(IDS_BROKEN)
    if columns["rows"][sums].sum() != plan.facts.node_count:
        raise StoreError(NODES_CHANGED)
    if plan.rests_on_bound and columns["degree"][sums].max(initial=0) > plan.degree_bound:
        raise ParameterError(BOUND_BROKEN)


def partition_number() -> int:
    """Return the number of the partition that this task computes; -1 outside of Spark."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return -1 if context is None else context.partitionId()
