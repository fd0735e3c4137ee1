"""What executors do to the rows of a partition: scores, noise, and the rows that can matter.

A row is a node: its id, its degree and, once noise was drawn, one 64-bit word. Every function here runs in a Python
process of an executor, batch by batch, and knows nothing of the other partitions. Scores and noise are made by the
same functions as everywhere (`edgedp.mechanisms`, `edgedp.mechanisms.sampling`); of a batch they are what they
are of the graph.

Noise is drawn in the first attempt of a task and in no other: a task that is tried again, or runs twice, fails
instead, and with it the release. What an executor raises holds no value: its text is in logs of the cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.cuts import node_words, order_keys, row_words
from edgedp.graph.graph import Graph
from edgedp.mechanisms.adaptive.arcs import arc_counts, arc_moves
from edgedp.mechanisms.joint import noisy
from edgedp.mechanisms.metrics import metric
from edgedp.mechanisms.sampling.words import GeneratorWords, SecureWords, Words
from edgedp.spark.partitions import (
    Kept,
    bounds_of,
    counts_projection,
    kth_largest,
    partition_number,
    scores_of,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from edgedp.release.plan import ArcsPlan, TopKPlan

Batches = Iterator["pa.RecordBatch"]

FAILED = "a partition could not be computed"
AGAIN = "a task that draws noise runs a second time; noise that is drawn twice is two releases"


class Source(Protocol):
    """Where the words of a partition come from; sent to the executors, so it holds no state that they share."""

    private: bool

    def words(self, turn: int, partition: int) -> Words:
        """Return the source of a partition's words in one turn of drawing."""


@dataclass(frozen=True)
class SecureSource:
    """Words of the operating system of each executor: every call asks it anew, and nothing is sent there."""

    private = True

    def words(self, turn: int, partition: int) -> Words:
        """Return the executor's own secure source."""
        return SecureWords()

    def own(self) -> Words:
        """Return the source of the driver."""
        return SecureWords()


@dataclass(frozen=True)
class SeededSource:
    """Words that can be repeated, of a seed of their own for each partition and turn: for simulations."""

    seed: int
    private = False

    def words(self, turn: int, partition: int) -> Words:
        """Return the generator of one partition in one turn."""
        return GeneratorWords(np.random.default_rng([self.seed, turn + 1, partition]))

    def own(self) -> Words:
        """Return the generator of the driver."""
        return GeneratorWords(np.random.default_rng([self.seed, 0]))


@dataclass(frozen=True)
class DrawJoint:
    """Draw a joint release by arcs: noise on every number, and the k largest of the partition.

    Equal noisy numbers are in the order of their words, so uniformly at random.
    """

    plan: ArcsPlan
    source: Source

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition: at most k rows, whatever its size, and one that sums it up."""
        return guarded(self._best, batches, draws=True)

    def _best(self, batches: Batches) -> Batches:
        kept, kind = Kept(), None
        words, k = self.source.words(0, partition_number()), self.plan.k
        for ids, values, _ in map(_columns, batches):
            kind = ids.type
            counts = arc_counts(self.plan, counts_projection(values))
            seen = noisy(counts, arc_moves(self.plan), self.plan.epsilon, words).astype(np.int64)
            ties = words.take(len(seen))
            kept.count(values, _named(ids), ties)
            able = seen >= kth_largest(seen, k) if len(seen) > k else np.ones(len(seen), np.bool_)
            kept.add(id=_array(ids, able), degree=values[able], noisy=seen[able], word=ties[able])
            order = np.lexsort((kept.columns["word"], kept.columns["noisy"]))[::-1]
            kept.keep(order[: _with_equals(kept, order, k)])
        if kind is not None:
            yield kept.batch(kind)


def _with_equals(kept: Kept, order: NDArray[np.int64], k: int) -> int:
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
        return guarded(self._draw, batches, draws=True)

    def _draw(self, batches: Batches) -> Batches:
        import pyarrow as pa

        words = self.source.words(self.turn, partition_number())
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
    plan : TopKPlan or ArcsPlan
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

    plan: TopKPlan | ArcsPlan
    k: int
    dropped: frozenset[Any] = frozenset()
    source: Source | None = None
    turn: int = 0
    most: int | None = None
    threshold: float = -inf

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition with the rows that can matter and one that sums it up."""
        return guarded(self._best, batches, draws=self.source is not None)

    def _best(self, batches: Batches) -> Batches:
        kept, kind = Kept(), None
        words = None if self.source is None else self.source.words(self.turn, partition_number())
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


def arc_keys(batches: Batches) -> Batches:
    """Put beside arcs, ``voter`` and ``counted``, the ``key`` of each in the voter's public order; nothing is drawn."""
    return guarded(_keyed, batches, draws=False)


def _keyed(batches: Batches) -> Batches:
    import pyarrow as pa

    for batch in batches:
        voter, counted = (node_words(_fixed(_array(batch.column(at)))) for at in (0, 1))
        # The order of unsigned numbers is that of signed ones with the first bit turned.
        keys = (order_keys(row_words(voter), counted) ^ np.uint64(1 << 63)).view(np.int64)
        yield pa.RecordBatch.from_arrays([*batch.columns[:2], pa.array(keys)], ["voter", "counted", "key"])


def _fixed(ids: NDArray[Any]) -> NDArray[Any]:
    """Return ids as a graph in memory has them."""
    return ids.astype(np.str_) if ids.dtype.kind == "O" else ids


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
    # Of a stored graph an id may be an empty text, so that nodes go by their numbers here.
    ids, numbers = np.unique(pairs.astype(str) if pairs.dtype.kind == "O" else pairs, return_inverse=True)
    graph = Graph.from_edges(numbers.reshape(pairs.shape))
    value = metric(name).native(graph, np.searchsorted(ids, np.array(own.to_pylist())))
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


def guarded(step: Callable[[Batches], Batches], batches: Batches, *, draws: bool = False) -> Batches:
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
