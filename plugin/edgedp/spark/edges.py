"""Edges as a Spark table: one simple graph, its degrees or arcs by a group-by, ego networks by two joins.

All of it is exact and private; nothing here is random, so a partition that is lost and computed again is the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.graph import Graph
from edgedp.mechanisms.metrics import metric as metric_by_name
from edgedp.spark.executors import arc_keys, ego_value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from edgedp.words.vocabulary import ArcMetricName


@dataclass(frozen=True)
class Edges:
    """Edges, and perhaps nodes, as data frames.

    Parameters
    ----------
    frame : DataFrame
        Columns ``source`` and ``target``, both of type `kind`.
    nodes : DataFrame or None
        A column ``id`` of that type: all nodes. None: the nodes are those of the edges.
    kind : {"long", "string"}
    read : DataFrame or None
        The pairs of `pairs` where they were read and kept.
    """

    frame: DataFrame
    nodes: DataFrame | None
    kind: str
    read: DataFrame | None = None

    def kept(self) -> Edges:
        """Return the same edges, read once: whatever is asked of their pairs is of one state of the rows.

        A partition that is lost is not read again: what needs it fails.
        """
        return self if self.read is not None else replace(self, read=self.pairs().localCheckpoint(eager=True))

    def degrees(self) -> DataFrame:
        """Return a row for every node: ``id`` and ``degree``, kept where it was computed.

        Directions, parallels and self-loops count as in `edgedp.Graph`. A row that lacks an end makes a row without
        an id; an end that is none of the nodes has degree -1. Both are told by `figures_of` and refused.
        """
        from pyspark.sql import functions as sf

        one = sf.coalesce((sf.col("low") != sf.col("high")).cast("long"), sf.lit(0)).alias("one")
        return self._summed(self.pairs().select(sf.explode(sf.array("low", "high")).alias("id"), one))

    def arc_counts(self, name: ArcMetricName, cap: int | None = None) -> DataFrame:
        """Return a row for every node: ``id``, and under ``degree`` how many arcs are counted at it; kept likewise.

        Parameters
        ----------
        name : {"in_degree", "out_degree"}
        cap : int or None
            The most arcs of each node at the other end that count, the first in its own public order
            (`edgedp.graph.engines.cuts`); None: all.
        """
        from pyspark.sql import functions as sf

        match name:
            case "in_degree":
                voter, counted = "source", "target"
            case "out_degree":
                voter, counted = "target", "source"
            case _:
                assert_never(name)
        whole = sf.col(voter).isNotNull() & sf.col(counted).isNotNull()
        arcs = self.frame.select(
            sf.when(whole, sf.col(voter)).alias("voter"), sf.when(whole, sf.col(counted)).alias("counted")
        ).distinct()
        one = sf.coalesce((sf.col("voter") != sf.col("counted")).cast("long"), sf.lit(0))
        if cap is not None:
            arcs, one = self._through_cuts(arcs, one, cap)
        ends = sf.array(
            sf.struct(sf.col("counted").alias("id"), one.alias("one")),
            sf.struct(sf.col("voter").alias("id"), sf.lit(0).cast("long").alias("one")),
        )
        return self._summed(arcs.select(sf.inline(ends)))

    def _through_cuts(self, arcs: DataFrame, one: Any, cap: int) -> tuple[DataFrame, Any]:
        """Return arcs with their places in their voter's order, and what each counts: a loop has no place in a cut."""
        from pyspark.sql import Window
        from pyspark.sql import functions as sf

        keyed = arrow_map(arcs, arc_keys, f"voter {self.kind}, counted {self.kind}, key long")
        # Ids that have one key stand in their own order: integers as numbers, texts by code points.
        order = Window.partitionBy("voter").orderBy(sf.desc("one"), "key", "counted")
        placed = keyed.withColumn("one", one).withColumn("place", sf.row_number().over(order))
        return placed, sf.when(sf.col("place") <= cap, sf.col("one")).otherwise(0)

    def _summed(self, ones: DataFrame) -> DataFrame:
        """Return the sum of ``one`` for each ``id``, as ``degree``, with all nodes, and kept."""
        from pyspark.sql import functions as sf

        counted = ones.groupBy("id").agg(sf.sum("one").alias("degree"))
        if self.nodes is not None:
            known = self.nodes.select("id").distinct().withColumn("known", sf.lit(True))
            counted = counted.join(known, "id", "full_outer").select(
                "id",
                sf.when(sf.col("known").isNull(), sf.lit(-1))
                .otherwise(sf.coalesce("degree", sf.lit(0)))
                .cast("long")
                .alias("degree"),
            )
        return counted.localCheckpoint(eager=True)

    def pairs(self) -> DataFrame:
        """Return ``low`` and ``high``, once for every pair of ends, loops among them; both null for half a row."""
        if self.read is not None:
            return self.read
        from pyspark.sql import functions as sf

        source, target = sf.col("source"), sf.col("target")
        whole = source.isNotNull() & target.isNotNull()  # least and greatest would skip what is missing
        return self.frame.select(
            sf.when(whole, sf.least(source, target)).alias("low"),
            sf.when(whole, sf.greatest(source, target)).alias("high"),
        ).distinct()

    def values(self, name: str, ids: Sequence[Any]) -> dict[Any, float]:
        """Return a metric's exact values of some nodes, by two joins: edges with nodes, edges with neighbours.

        Parameters
        ----------
        name : str
            A metric that an ego network tells.
        ids : sequence of int or str
        """
        import pyarrow as pa
        from pyspark.sql import functions as sf

        spark = self.frame.sparkSession
        kind = pa.int64() if self.kind == "long" else pa.string()
        wanted = spark.createDataFrame(pa.table({"ego": pa.array(list(ids), type=kind)}))
        pairs = self.pairs().where("low != high")
        arcs = pairs.select(sf.col("low").alias("ego"), sf.col("high").alias("node")).unionAll(
            pairs.select(sf.col("high").alias("ego"), sf.col("low").alias("node"))
        )
        members = arcs.join(sf.broadcast(wanted), "ego").persist()
        try:
            ends = [members.select("ego", sf.col("node").alias(end)) for end in ("source", "target")]
            among = (
                pairs.select(sf.col("low").alias("source"), sf.col("high").alias("target"))
                .join(ends[0], "source")
                .join(ends[1], ["ego", "target"])
                .select("ego", "source", "target")
            )
            rows = members.select("ego", sf.col("ego").alias("source"), sf.col("node").alias("target"))
            table = _quietly(
                lambda: (
                    rows.unionAll(among)
                    .groupBy("ego")
                    .applyInArrow(ego_value(name), f"ego {self.kind}, value double")
                    .toArrow()
                )
            )
        finally:
            members.unpersist()
        found = dict(zip(table.column("ego").to_pylist(), table.column("value").to_pylist(), strict=True))
        return {each: found.get(each, _alone(name)) for each in ids}


@dataclass(frozen=True)
class Figures:
    """What is exact of a table of degrees.

    Attributes
    ----------
    node_count, edge_count, max_degree : int
    nameless : int
        Rows of edges without an end, and ends that are none of the nodes.
    """

    node_count: int
    edge_count: int
    max_degree: int
    nameless: int


def figures_of(degrees: DataFrame) -> Figures:
    """Count what `Edges.degrees` returned; exact, so for whoever holds the edges."""
    from pyspark.sql import functions as sf

    odd = sf.col("id").isNull() | (sf.col("degree") < 0)
    row = degrees.agg(
        sf.count(sf.lit(1)),
        sf.coalesce(sf.sum(sf.when(odd, 0).otherwise(sf.col("degree"))), sf.lit(0)),
        sf.coalesce(sf.max("degree"), sf.lit(0)),
        sf.coalesce(sf.sum(odd.cast("long")), sf.lit(0)),
    ).first()
    counts = [0] * 4 if row is None else [int(each) for each in row]
    return Figures(counts[0], counts[1] // 2, counts[2], counts[3])


def arrow_map(frame: DataFrame, step: Callable[[Any], Any], columns: str | StructType) -> DataFrame:
    """Return ``frame.mapInArrow``, without its warning of a pandas that nothing here goes through."""
    mapped: DataFrame = _quietly(lambda: frame.mapInArrow(step, columns))
    return mapped


def _quietly(make: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return make()


def _alone(name: str) -> float:
    nobody: NDArray[np.int64] = np.zeros((0, 2), dtype=np.int64)
    graph = Graph.from_edges(nobody, nodes=np.array([0]))
    return float(metric_by_name(name).native(graph, np.array([0]))[0])
