"""Stand-ins for Spark: given words, partitions in this process, and the words that executors drew."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from edgedp import Graph
from edgedp.mechanisms.sampling.words import Words
from edgedp.spark.edges import Edges, arrow_map
from edgedp.spark.executors import DrawWords

__all__ = ["Replayed", "in_process", "power_law", "tried", "words_by_id"]


def power_law(nodes: int, edges: int, seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    ends = (nodes * rng.random((edges, 2)) ** 3).astype(np.int64)
    return Graph.from_edges(10 * ends[ends[:, 0] != ends[:, 1]], nodes=10 * np.arange(nodes))


class Replayed:
    """Given words, then those of a generator."""

    private = False

    def __init__(self, given: list[np.ndarray], own: Words) -> None:
        self._given, self._own = given, own

    def take(self, count: int) -> np.ndarray:
        if not self._given:
            return self._own.take(count)
        first = self._given.pop(0)
        assert len(first) == count
        return first


def words_by_id(edges: Edges, degrees: Any, source: Any, turn: int) -> tuple[np.ndarray, np.ndarray]:
    columns = f"id {edges.kind}, degree long, word long"
    table = arrow_map(degrees, DrawWords(source, turn), columns).toArrow().sort_by("id")
    return table.column("id").to_numpy(), table.column("word").to_numpy().view(np.uint64)


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Stand in for the context of a task."""
    context = SimpleNamespace(attempt=0, part=0)
    pyspark = pytest.importorskip("pyspark")
    task = SimpleNamespace(attemptNumber=lambda: context.attempt, partitionId=lambda: context.part)
    monkeypatch.setattr(pyspark.TaskContext, "get", classmethod(lambda cls: task))
    return context


def in_process(context: SimpleNamespace, graph: Graph, parts: int) -> Any:
    """Return what runs a step over a graph's rows in so many partitions, in this process."""
    ids, degrees = graph.node_ids.tolist(), graph.degrees.tolist()
    batches = [
        pa.RecordBatch.from_pydict({"id": ids[part::parts], "degree": degrees[part::parts]})
        for part in range(parts)
    ]

    def ask(rows: Any, edges: Any, step: Any) -> pa.Table:
        found = []
        for context.part, batch in enumerate(batches):
            found += list(step(iter([batch.slice(0, 1), batch.slice(1)])))
        return pa.Table.from_batches(found)

    return ask
