"""The private data of a release as vectors that a cluster computes; noise and draw are those of a graph in memory.

The driver asks for whole vectors and has them: degrees, ordered degrees, sums through cuts. Executors compute
integers and draw nothing, so whatever Spark computes again is the same; noise is drawn once, on the driver, by the
functions that every engine uses. The edges are read once and kept, so that all vectors are of one state of them.

*Cuts.* Arcs of nodes within their cap pass as they are; those of the others are put in the public order of their node,
and only these are sorted. *Looks.* Where a few nodes are asked for, the members of their cuts are found first, and only
entries with such a member go on. *Pairs.* Members are dealt into blocks; a task has two blocks and sums the pairs
across (`edgedp.graph.engines.native.blocks`). No list of pairs is ever shuffled: an entry goes to as many tasks as
there are blocks. How many there are follows from the public number of nodes and the size of the cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.cuts import node_words
from edgedp.graph.engines.figures import falling, maximal_pairs
from edgedp.graph.engines.native.blocks import Closed, Open
from edgedp.spark.edges import Edges, arrow_map
from edgedp.spark.pairs import ENTRIES, Arcs, Behind, Blocks, Cut, Keyed, MembersOf, RowsOf, Through, ToTasks
from edgedp.spark.pieces import PIECE, AddedUp, Numbered, Shared, packed, pieces
from edgedp.words.errors import EngineError, StoreError
from edgedp.words.refusals import ENGINE_FAILED, IDS_BROKEN

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from edgedp.words.vocabulary import ArcMetricName, StrengthName

Ints = NDArray[np.int64]

_FIRST_ROWS, _MOST_ROWS = 16, 256
"""How many nodes' neighbours are fetched at first, and at most, by one job."""

MOST_LABELS = 1 << 24
"""Of a block: counters of its members fit the memory of a task."""


def block_count(node_count: int, cores: int) -> int:
    """Return into how many blocks members are dealt: two tasks a core, or more where blocks would be too large.

    Examples
    --------
    >>> block_count(36_692, 2), block_count(50_000_000, 64), block_count(1_000_000_000, 64)
    (3, 16, 60)
    """
    by_cores = (isqrt(16 * cores + 1) - 1) // 2
    by_cores += by_cores * (by_cores + 1) // 2 < 2 * cores
    return max(by_cores, -(-node_count // MOST_LABELS), 1)


class SparkProjection:
    """A projection of edges that are rows of Spark; the graph is undirected.

    Parameters
    ----------
    edges : Edges
        Read once, here.

    Raises
    ------
    StoreError
        A row lacks an end, or has one that is none of the nodes; in a constant sentence.
    """

    engine = "spark"

    def __init__(self, edges: Edges) -> None:
        edges = edges.kept()
        self._session = edges.frame.sparkSession
        self._context = self._session.sparkContext
        self.node_ids, self._degrees = _nodes(edges.degrees().select("id", "degree").toArrow())
        self._arcs = self._numbered(edges).localCheckpoint(eager=True)
        cores = self._context.defaultParallelism
        self._ranges = cores
        self._span = max(-(-len(self.node_ids) // cores), 1)
        self._blocks = self._dealt(block_count(len(self.node_ids), cores))
        self._figures = SparkFigures(self._arcs, self._degrees, self._shared)
        self._words: Shared | None = None
        self._cuts: tuple[Ints, Ints | None, list[tuple[DataFrame, Cut]]] | None = None

    def degrees(self) -> Ints:
        """Return the (n,) degrees."""
        return self._degrees

    def ordered_degrees(self, ranks: Ints) -> Ints:
        """Return the (n,) numbers of neighbours of a larger rank than the node's own."""
        return self._added(arrow_map(self._arcs, Behind(self._in_order(ranks), self._span), PIECE))

    def betweenness2_shares(self, bits: int) -> Ints:
        """Return the (n,) length-2 betweenness in shares of ``2**-bits``: through cuts that leave nobody out."""
        return self.cut_shares(np.full(len(self.node_ids), len(self.node_ids)), None, bits)

    def cut_shares(self, caps: Ints, ranks: Ints | None, bits: int, positions: Ints | None = None) -> Ints:
        """Return the length-2 betweenness through cuts, in units of ``2**-bits``."""
        if positions is None:
            return self._through(Open(bits), None, caps, ranks)
        wanted = np.zeros(len(self.node_ids), dtype=np.bool_)
        wanted[positions] = True
        return self._through(Open(bits), wanted, caps, ranks)[positions]

    def cut_closed_shares(self, caps: Ints, ranks: Ints | None, weights: Ints, level: int, bits: int) -> Ints:
        """Return the (n,) sums of ``floor(2**bits W level / (level + S))`` over the adjacent pairs in the cuts."""
        return self._through(Closed(weights, level, bits), None, caps, ranks)

    def values(self, name: str, positions: Ints | None = None) -> NDArray[np.float64]:
        """Refuse: vectors need no metric's values."""
        raise EngineError(ENGINE_FAILED)

    def max_common_neighbors(self, positions: Ints | None = None) -> Ints:
        """Refuse: no vector needs them."""
        raise EngineError(ENGINE_FAILED)

    def arc_votes(self, name: ArcMetricName, cap: int) -> Ints:
        """Refuse: the graph has no directions here."""
        raise EngineError(ENGINE_FAILED)

    def strengths(self, name: StrengthName) -> Ints:
        """Refuse: the graph has no weights here."""
        raise EngineError(ENGINE_FAILED)

    def records(self, name: str) -> NDArray[np.float64]:
        """Refuse: nodes have no properties here."""
        raise EngineError(ENGINE_FAILED)

    def figures(self) -> SparkFigures:
        """Return the figures over pairs of nodes, of which those are refused that no number on Spark needs."""
        return self._figures

    def fingerprint(self) -> str | None:
        """Return None: the rows are at an address."""
        return None

    # -- what the cluster does ----------------------------------------------------------------------

    def _numbered(self, edges: Edges) -> DataFrame:
        """Return the edges as pieces of positions."""
        pairs = edges.pairs()
        if edges.kind == "long":
            return arrow_map(pairs, Numbered(self._shared(self.node_ids)), PIECE)
        import pyarrow as pa
        from pyspark.sql import functions as sf

        at = pa.array(np.arange(len(self.node_ids), dtype=np.int32))
        numbers = self._session.createDataFrame(pa.table({"id": pa.array(self.node_ids), "at": at}))
        ends = [
            numbers.select(sf.col("id").alias(end), sf.col("at").alias(f"{end}_at"))
            for end in ("low", "high")
        ]
        joined = pairs.where("low != high").join(ends[0], "low").join(ends[1], "high")
        return arrow_map(joined.select("low_at", "high_at"), packed, PIECE)

    def _shared(self, array: NDArray[Any]) -> Shared:
        return Shared.of(array, self._context)

    def _in_order(self, ranks: Ints | None) -> Arcs:
        return Arcs(None if ranks is None else self._shared(ranks.astype(np.int32)))

    def _dealt(self, count: int) -> Blocks:
        """Return blocks with a key for each task that Spark brings into a partition of its own."""
        tasks = count * (count + 1) // 2
        places = self._session.range(32 * tasks).selectExpr(f"pmod(hash(cast(id as int)), {tasks}) as place")
        found, keys = np.unique(places.toArrow().column("place").to_numpy(), return_index=True)
        if len(found) != tasks:
            raise EngineError(ENGINE_FAILED)
        return Blocks(count, tuple(keys.tolist()))

    def _cut(self, caps: Ints, ranks: Ints | None) -> list[tuple[DataFrame, Cut]]:
        """Return where the entries of all cuts are: among the edges, and, cut, in a frame of their own; kept."""
        if self._cuts is not None and self._cuts[0] is caps and self._cuts[1] is ranks:
            return self._cuts[2]
        arcs, large = self._in_order(ranks), self._degrees > caps
        found = [(self._arcs, Cut(arcs))]
        if large.any():
            marks = self._shared(large)
            found = [(self._arcs, Cut(arcs, marks)), (self._first(arcs, caps, marks), Cut(None))]
        self._cuts = caps, ranks, found
        return found

    def _first(self, arcs: Arcs, caps: Ints, large: Shared) -> DataFrame:
        """Return the entries of those who may have more than their cap: the first in the order of each."""
        from pyspark.sql import Window
        from pyspark.sql import functions as sf

        if self._words is None:
            self._words = self._shared(node_words(self.node_ids))
        limits = self._shared(np.minimum(caps, len(caps)).astype(np.int32))
        keyed = arrow_map(self._arcs, Keyed(arcs, self._words, limits, large), ENTRIES)
        # Positions rise with the ids, so equal keys fall back on the id.
        order = Window.partitionBy("x").orderBy("key", "y")
        first = keyed.withColumn("place", sf.row_number().over(order)).where("place <= cap")
        return arrow_map(first.select("x", "y"), packed, PIECE).localCheckpoint(eager=True)

    def _through(
        self, counted: Open | Closed, wanted: NDArray[np.bool_] | None, caps: Ints, ranks: Ints | None
    ) -> Ints:
        """Return the (n,) sums over pairs in cuts; of those that are not wanted, anything."""
        cuts = self._cut(caps, ranks)
        met: Shared | None = None
        shared: Shared | None = None
        if wanted is not None:
            marks = shared = self._shared(wanted)
            met = self._shared(self._members(cuts, marks))
        elif isinstance(counted, Closed):
            shared = self._shared(counted.weights)
            counted = Closed(np.zeros(0, dtype=np.int64), counted.level, counted.bits)
        blocks, n = self._blocks, len(self.node_ids)
        parts = [arrow_map(frame, ToTasks(cut, met, blocks), PIECE) for frame, cut in cuts]
        sent = parts[0] if len(parts) == 1 else parts[0].unionAll(parts[1])
        step = Through(counted, shared, n, blocks.width(n), self._span)
        return self._added(arrow_map(sent.repartition(len(blocks.keys), "key"), step, PIECE))

    def _members(self, cuts: list[tuple[DataFrame, Cut]], wanted: Shared) -> NDArray[np.bool_]:
        """Return which nodes stand in a cut of those that are wanted: these have pairs of no others."""
        met = np.zeros(len(self.node_ids), dtype=np.bool_)
        for frame, cut in cuts:
            for _, _, found, _ in pieces(
                iter(arrow_map(frame, MembersOf(cut, wanted), PIECE).toArrow().to_batches())
            ):
                met[found] = True
        return met

    def _added(self, parts: DataFrame) -> Ints:
        """Return the (n,) sums of pieces of ranges, each range added up by one task."""
        added = arrow_map(parts.repartition(self._ranges, "key"), AddedUp(self._span), PIECE).toArrow()
        sums = np.zeros(len(self.node_ids), dtype=np.int64)
        for _, _, positions, values in pieces(iter(added.to_batches()), np.int64):
            sums[positions] = values
        return sums


class SparkFigures:
    """The figures of edges that are pieces of positions.

    Parameters
    ----------
    edges : DataFrame
        Pieces, kept: every job finds the same.
    degrees : (n,) int64
    shared : callable
        Broadcasts an array.
    """

    def __init__(self, edges: DataFrame, degrees: Ints, shared: Callable[[NDArray[Any]], Shared]) -> None:
        self._edges, self._degrees, self._shared = edges, degrees, shared

    def maximal_pairs(self) -> Ints:
        """Return the (p, 2) degrees ``x >= y`` of pairs that no other pair exceeds, their own edge left out."""
        return self._maximal_pairs

    def triangles(self) -> int:
        """Refuse: no number that Spark draws needs them."""
        raise EngineError(ENGINE_FAILED)

    def most_common_neighbors(self) -> int:
        """Refuse: no number that Spark draws needs them."""
        raise EngineError(ENGINE_FAILED)

    def two_triangles(self) -> int:
        """Refuse: no number that Spark draws needs them."""
        raise EngineError(ENGINE_FAILED)

    def two_triangles_move(self) -> int:
        """Refuse: no number that Spark draws needs it."""
        raise EngineError(ENGINE_FAILED)

    def common_neighbors(self, pair: tuple[int, int]) -> int:
        """Refuse: no number that Spark draws needs them."""
        raise EngineError(ENGINE_FAILED)

    @cached_property
    def _maximal_pairs(self) -> Ints:
        return maximal_pairs(self._degrees, self._rows())

    def _rows(self) -> Iterator[Ints]:
        """Yield the neighbours of each node in falling order of the degree: a job for each few."""
        order, start, size = falling(self._degrees), 0, _FIRST_ROWS
        while start < len(order):
            asked = order[start : start + size]
            wanted = np.zeros(len(order), dtype=np.bool_)
            wanted[asked] = True
            table = arrow_map(self._edges, RowsOf(self._shared(wanted)), PIECE).toArrow()
            found = [np.stack([x, y]) for _, _, x, y in pieces(iter(table.to_batches()))]
            arcs: Ints = np.concatenate([np.zeros((2, 0), np.int64), *found], axis=1)
            x, y = arcs[:, np.argsort(arcs[0], kind="stable")]
            for first, last in np.stack([np.searchsorted(x, asked), np.searchsorted(x, asked + 1)], axis=1):
                yield y[first:last]
            start, size = start + size, min(2 * size, _MOST_ROWS)


def _nodes(table: pa.Table) -> tuple[NDArray[Any], Ints]:
    """Return ids, ascending, and degrees; a table that holds rows without an end, or an id twice, is refused."""
    degrees = table.column("degree").to_numpy().astype(np.int64)
    if table.column("id").null_count or int(degrees.min(initial=0)) < 0:
        raise StoreError(IDS_BROKEN)
    ids = table.column("id").to_numpy() if degrees.size else np.zeros(0, dtype=np.int64)
    if ids.dtype.kind == "O":
        ids = ids.astype(np.str_)
    order = np.argsort(ids, kind="stable")
    ids = ids[order]
    if (ids[1:] == ids[:-1]).any():  # every edge of such a node would count twice
        raise StoreError(IDS_BROKEN)
    return ids, degrees[order]
