"""What executors do to the rows of a partition: scores, noise, and the rows that can matter.

A row is a node: its id, its degree and, once noise was drawn, one 64-bit word. Every function here runs in a Python
process of an executor, batch by batch, and knows nothing of the other partitions. Scores and noise are made by the
same functions as everywhere (`edgedp.mechanisms`, `edgedp.sampling`); of a batch they are what they are of the graph.

Noise is drawn in the first attempt of a task and in no other: a task that is tried again, or runs twice, fails
instead, and with it the release. What an executor raises holds no value: its text is in logs of the cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from edgedp.graph import Graph
from edgedp.mechanisms.adaptive.purchases import Bought, Purchase, seen_degrees
from edgedp.mechanisms.adaptive.vectors import NoisyVector, Vector, degree_vector
from edgedp.mechanisms.grid import GridScores, grid_bits
from edgedp.mechanisms.joint import joint_values, noisy
from edgedp.mechanisms.sums import top_k_scores
from edgedp.metrics import metric
from edgedp.sampling.ranking import below_reference
from edgedp.sampling.words import Words

if TYPE_CHECKING:
    import pyarrow as pa

    from edgedp.plan import JointPlan, TopKPlan
    from edgedp.projection import Projection

__all__ = [
    "DrawBest",
    "DrawJoint",
    "DrawNoisyDegrees",
    "DrawOrderedDegrees",
    "DrawWords",
    "Source",
    "bounds_of",
    "ego_value",
    "kth_largest",
    "rows_schema",
    "scores_of",
]

Batches = Iterator["pa.RecordBatch"]

FAILED = "a partition could not be computed"
AGAIN = "a task that draws noise runs a second time; noise that is drawn twice is two releases"


class Source(Protocol):
    """Where the words of a partition come from; sent to the executors, so it holds no state that they share."""

    private: bool

    def words(self, turn: int, partition: int) -> Words:
        """Return the source of a partition's words in one turn of drawing."""


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


def _projection(degrees: NDArray[np.int64], values: NDArray[np.float64] | None = None) -> Projection:
    return cast("Projection", _Rows(degrees, values))


def scores_of(
    plan: TopKPlan, degrees: NDArray[np.int64], values: NDArray[np.float64] | None = None
) -> GridScores:
    """Return the grid scores of some rows: bounds of them where values are asked for and not given.

    A degree above the bound is lowered to it; a release of such a graph is refused before anything of it is shown.
    """
    kept = np.minimum(degrees, plan.degree_bound)
    return top_k_scores(plan, _projection(kept, values))


def bounds_of(
    plan: TopKPlan, scores: NDArray[np.int64], unit: Any, enclosed: tuple[NDArray[np.float64], ...]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return float bounds of noisy scores less a public reference, so that those of all partitions compare."""
    most = grid_bits(plan.degree_bound + 2)
    reference = np.int64((plan.degree_bound + 3) << most)
    least, largest = below_reference(scores, reference, unit)
    return enclosed[0] - largest, enclosed[1] - least


def kth_largest(values: NDArray[Any], k: int) -> Any:
    """Return the k-th largest of some values."""
    return np.partition(values, len(values) - k)[len(values) - k]


@dataclass
class _Kept:
    """The nodes of a partition that are not excluded yet, and what is told of all of them."""

    columns: dict[str, NDArray[Any]] = field(default_factory=dict)
    rows: int = 0
    largest: int = 0
    digest: int = 0
    nameless: int = 0
    left: float = -inf

    def count(self, degrees: NDArray[np.int64], named: NDArray[np.bool_], words: NDArray[np.uint64]) -> None:
        self.rows += len(degrees)
        self.largest = max(self.largest, int(degrees.max(initial=0)))
        self.nameless += int(np.count_nonzero(~named | (degrees < 0)))
        self.digest ^= int(np.bitwise_xor.reduce(words)) if len(words) else 0

    def add(self, **columns: NDArray[Any]) -> None:
        self.columns = {
            name: np.concatenate([self.columns[name], column]) if name in self.columns else column
            for name, column in columns.items()
        }

    def keep(self, chosen: NDArray[Any]) -> None:
        self.columns = {name: column[chosen] for name, column in self.columns.items()}

    def batch(self, kind: Any) -> pa.RecordBatch:
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
                pa.array(np.full(count + 1, _partition(), np.int64)),
            ],
            names=["id", "degree", "word", "noisy", "rows", "left", "part"],
        )


@dataclass(frozen=True)
class DrawJoint:
    """Draw a joint release by degree: noise on every degree, and the k largest of the partition.

    Equal noisy degrees are in the order of their words, so uniformly at random.
    """

    plan: JointPlan
    source: Source

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition: at most k rows, whatever its size, and one that sums it up."""
        return _guarded(self._best, batches, draws=True)

    def _best(self, batches: Batches) -> Batches:
        def seen(degrees: NDArray[np.int64], _: object, words: Words) -> NDArray[np.int64]:
            values, moves = joint_values(self.plan, _projection(degrees), "degree", self.plan.k)
            return noisy(values, moves, self.plan.epsilon, words).astype(np.int64)

        return _largest(batches, self.plan.k, self.source.words(0, _partition()), seen)


@dataclass(frozen=True)
class DrawNoisyDegrees:
    """Draw the noisy degrees that a joint release buys first, to be kept: the same rows, and ``noisy``."""

    node_count: int
    epsilon: Fraction
    source: Source

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition with its rows."""
        return _guarded(self._draw, batches, draws=True)

    def _draw(self, batches: Batches) -> Batches:
        import pyarrow as pa

        words = self.source.words(0, _partition())
        for batch in batches:
            degrees = _columns(batch)[1]
            seen = degree_vector(_projection(degrees), self.node_count).with_noise(self.epsilon, words)
            column = pa.array(seen.integers.astype(np.int64))
            yield pa.RecordBatch.from_arrays([*batch.columns[:2], column], ["id", "degree", "noisy"])


@dataclass(frozen=True)
class DrawOrderedDegrees:
    """Draw the ordered degrees that a joint release buys next, and the k largest by what it has bought.

    Rows are ``id``, ``behind`` and the ``noisy`` degree that was bought first.
    """

    k: int
    node_count: int
    first: Purchase
    second: Purchase
    source: Source

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition: at most k rows, whatever its size, and one that sums it up."""
        return _guarded(self._best, batches, draws=True)

    def _best(self, batches: Batches) -> Batches:
        def seen(
            behind: NDArray[np.int64], first: NDArray[np.uint64] | None, words: Words
        ) -> NDArray[np.int64]:
            if first is None:
                raise ValueError("the rows have no noisy degree")
            exact = Vector(behind, 1 if self.node_count >= 2 else 0)
            bought = (
                Bought(self.first, NoisyVector(first.view(np.int64), Fraction(1))),
                Bought(self.second, exact.with_noise(self.second.epsilon, words)),
            )
            return seen_degrees(bought).sums.astype(np.int64)

        return _largest(batches, self.k, self.source.words(1, _partition()), seen)


def _largest(
    batches: Batches,
    k: int,
    words: Words,
    noisy_of: Callable[[NDArray[np.int64], NDArray[np.uint64] | None, Words], NDArray[np.int64]],
) -> Batches:
    """Answer a partition with the k largest of noisy values and a row that sums it up.

    Parameters
    ----------
    noisy_of : callable
        From the second and third column of the rows, and words, to the noisy values.
    """
    kept, kind = _Kept(), None
    for ids, values, carried in map(_columns, batches):
        kind = ids.type
        seen = noisy_of(values, carried, words)
        ties = words.take(len(seen))
        kept.count(values, _named(ids), ties)
        able = seen >= kth_largest(seen, k) if len(seen) > k else np.ones(len(seen), np.bool_)
        kept.add(id=_array(ids, able), degree=values[able], noisy=seen[able], word=ties[able])
        order = np.lexsort((kept.columns["word"], kept.columns["noisy"]))[::-1]
        kept.keep(order[: _with_equals(kept, order, k)])
    if kind is not None:
        yield kept.batch(kind)


def _with_equals(kept: _Kept, order: NDArray[np.int64], k: int) -> int:
    """Return how many of the first rows there are with those that equal the k-th in value and word."""
    if len(order) <= k:
        return len(order)
    same = np.ones(len(order), np.bool_)
    for name in ("noisy", "word"):
        column = kept.columns[name][order]
        same &= column == column[k - 1]
    return max(k, int(np.flatnonzero(same).max()) + 1)


@dataclass(frozen=True)
class DrawWords:
    """Draw one word for every row, and keep it beside the row."""

    source: Source
    turn: int

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition with its rows."""
        return _guarded(self._draw, batches, draws=True)

    def _draw(self, batches: Batches) -> Batches:
        import pyarrow as pa

        words = self.source.words(self.turn, _partition())
        for batch in batches:
            drawn = pa.array(words.take(batch.num_rows).view(np.int64))
            yield pa.RecordBatch.from_arrays(
                [batch.column(0), batch.column(1), drawn], ["id", "degree", "word"]
            )


@dataclass(frozen=True)
class DrawBest:
    """The rows of a partition that can be among the first k by noisy score.

    Parameters
    ----------
    plan : TopKPlan
    k : int
        How many are picked.
    dropped : frozenset
        Nodes that were picked before.
    source : Source or None
        Draws the words; None where they are columns of the rows already.
    turn : int
    most : int or None
        Where scores are bounds: how many rows are sent, those of the highest bounds first.
    threshold : float
        Rows certainly below it stay behind.
    """

    plan: TopKPlan
    k: int
    dropped: frozenset[Any] = frozenset()
    source: Source | None = None
    turn: int = 0
    most: int | None = None
    threshold: float = -inf

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition with the rows that can matter and one that sums it up."""
        return _guarded(self._best, batches, draws=self.source is not None)

    def _best(self, batches: Batches) -> Batches:
        kept, kind = _Kept(), None
        words = None if self.source is None else self.source.words(self.turn, _partition())
        low, high = np.zeros(0), np.zeros(0)
        for ids, degrees, given in map(_columns, batches):
            kind = ids.type
            drawn = words.take(len(degrees)) if words is not None else cast("NDArray[np.uint64]", given)
            kept.count(degrees, _named(ids), drawn)
            scores = scores_of(self.plan, np.maximum(degrees, 0))
            noise = scores.sampler.noise.enclose(drawn)
            least, most = bounds_of(self.plan, scores.upper, scores.unit, noise)
            able = most >= self.threshold
            if self.dropped:
                able &= ~np.isin(_array(ids), list(self.dropped))
            kept.add(id=_array(ids, able), degree=degrees[able], word=drawn[able])
            low, high = np.append(low, least[able]), np.append(high, most[able])
            chosen = self._chosen(low, high)
            stay = np.ones(len(high), np.bool_)
            stay[chosen] = False
            if self.most is not None:
                kept.left = max(kept.left, float(high[stay].max(initial=-inf)))
            kept.keep(chosen)
            low, high = low[chosen], high[chosen]
        if kind is not None:
            yield kept.batch(kind)

    def _chosen(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.int64]:
        if self.most is None:
            if len(low) <= self.k:
                return np.arange(len(low))
            return np.flatnonzero(high >= kth_largest(low, self.k))
        return np.argsort(-high, kind="stable")[: self.most]


def ego_value(name: str) -> Callable[[pa.Table], pa.Table]:
    """Return what computes a metric of one node from its ego network: the edges to its neighbours and among them.

    It answers a group of rows ``(ego, source, target)`` with ``(ego, value)``.
    """

    def value(table: pa.Table) -> pa.Table:  # Spark counts the arguments
        try:
            with np.errstate(all="ignore"):
                return _ego_value(name, table)
        except Exception:
            raise RuntimeError(FAILED) from None

    return value


def _ego_value(name: str, table: pa.Table) -> pa.Table:
    import pyarrow as pa

    own = table.column("ego").slice(0, 1)
    pairs = np.column_stack([_array(table.column(end).combine_chunks()) for end in ("source", "target")])
    graph = Graph.from_edges(pairs.astype(str) if pairs.dtype.kind == "O" else pairs)
    ego = np.array(own.to_pylist())
    value = metric(name).native(graph, graph.positions(ego))
    return pa.table({"ego": own, "value": pa.array(value)})


def _columns(batch: pa.RecordBatch) -> tuple[pa.Array, NDArray[np.int64], NDArray[np.uint64] | None]:
    degrees = batch.column(1).to_numpy(zero_copy_only=False).astype(np.int64)
    words = batch.column(2).to_numpy(zero_copy_only=False).view(np.uint64) if batch.num_columns > 2 else None
    return batch.column(0), degrees, words


def _named(ids: pa.Array) -> NDArray[np.bool_]:
    return np.asarray(ids.is_valid().to_numpy(zero_copy_only=False), dtype=np.bool_)


def _array(ids: pa.Array, able: NDArray[np.bool_] | None = None) -> NDArray[Any]:
    """Return ids as an array of int64, or of Python texts; a row without one has 0 or no text."""
    import pyarrow as pa

    if able is not None and not able.all():
        ids = ids.filter(pa.array(able))
    if pa.types.is_integer(ids.type):
        return np.asarray(ids.fill_null(0).to_numpy(zero_copy_only=False), dtype=np.int64)
    texts = ids.fill_null("").to_pylist()
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


def _partition() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return -1 if context is None else context.partitionId()


def _guarded(step: Callable[[Batches], Batches], batches: Batches, *, draws: bool) -> Batches:
    """Run a step and let no word of an error out but ours; one that draws runs in a first attempt alone."""
    from pyspark import TaskContext

    context = TaskContext.get()
    if draws and (context is None or context.attemptNumber() != 0):
        raise RuntimeError(AGAIN)
    try:
        with np.errstate(all="ignore"):
            yield from step(batches)
    except Exception:
        raise RuntimeError(FAILED) from None
