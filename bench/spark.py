"""The top k on Spark, on this machine's two cores, beside the native engine on the same edges.

    python bench/spark.py enron            # Enron: joint by degree, and EBC by SLD
    python bench/spark.py EDGES [EDGES...] # joint by degree of a power law with so many rows of edges, from Parquet

Each release is asked for five times (once from 50 million edges on); the table gives the least wall clock and the least
processor time, of Spark that of the JVM and its Python workers. What Spark was started with stands in
`edgedp.spark.session`; `bench/results/spark.md` holds one run. Files go to a folder that is removed.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

import edgedp
from edgedp.spark import priv_top_k
from edgedp.spark.session import open_session

MANY = 50_000_000
MEMORY = 40_000_000
"""From so many rows on the native engine, which holds the graph in memory, is left out."""


def main() -> None:
    os.environ.setdefault("EDGEDP_SPARK_MASTER", "local[2]")
    began = time.perf_counter()
    session = open_session()
    started = time.perf_counter() - began
    print(f"pyspark {session.version}, {session.sparkContext.master}; session {started:.1f} s\n")
    print("| edges | release | Spark wall s | Spark processor s | native wall s | native processor s |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for word in sys.argv[1:] or ["enron"]:
            place = Path(folder) / word
            if word == "enron":
                graph = edgedp.read_graph("email-Enron")
                ends = graph.node_ids[graph.edges()]
                pyarrow.parquet.write_table(pa.table({"u": ends[:, 0], "v": ends[:, 1]}), f"{place}.parquet")
                for asked in ({"metric": "degree"}, {"metric": "ebc", "mechanism": "sld"}):
                    row(session, f"{place}.parquet", "183,831", asked, 5, native=True)
            else:
                rows = int(word)
                written(session, rows, str(place))
                row(
                    session,
                    str(place),
                    f"{rows:,}",
                    {"metric": "degree"},
                    1 if rows >= MANY else 5,
                    rows < MEMORY,
                )


def written(session: Any, rows: int, place: str) -> None:
    """Write a power law: an end is ``n u^3``, so that the degrees fall as a power; a fifth as many nodes as rows."""
    nodes = rows // 5
    ends = [
        f"cast({nodes} * pow(rand({seed}), 3) as bigint) as {name}" for seed, name in ((1, "u"), (2, "v"))
    ]
    session.range(0, rows, 1, 16).selectExpr(*ends).write.parquet(place)


def row(session: Any, place: str, edges: str, asked: dict[str, Any], times: int, native: bool) -> None:
    def on_spark() -> None:
        priv_top_k(session.read.parquet(place), k=10, epsilon=1, **asked)

    def in_memory() -> None:
        paths = sorted(Path(place).glob("*.parquet")) if Path(place).is_dir() else [Path(place)]
        table = pa.concat_tables([pyarrow.parquet.read_table(path) for path in paths])
        edgedp.priv_top_k(edgedp.Graph.from_arrow(table), k=10, epsilon=1, **asked)

    jvm = session.sparkContext._gateway.proc.pid
    ours, theirs = [], []
    for _ in range(times):
        ours.append(timed(on_spark, lambda: processor_seconds(jvm)))
        if native:
            theirs.append(timed(in_memory, time.process_time))
    shown = [f"{min(each):.1f}" for each in zip(*ours, strict=True)]
    shown += [f"{min(each):.2f}" for each in zip(*theirs, strict=True)] or ["", ""]
    name = ", ".join(asked.values()) if len(asked) > 1 else f"{asked['metric']}, joint"
    print(f"| {edges} | {name} | {' | '.join(shown)} |", flush=True)


def timed(work: Callable[[], None], clock: Callable[[], float]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), clock()
    work()
    return time.perf_counter() - wall, clock() - processor


def processor_seconds(pid: int) -> float:
    """Return what a process and those below it have used, those that ended included."""
    ticks = 0
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks = sum(map(int, fields[11:15]))
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        below = {child for task in tasks for child in (task / "children").read_text().split()}
    except OSError:
        return 0.0
    return ticks / os.sysconf("SC_CLK_TCK") + sum(processor_seconds(int(child)) for child in below)


if __name__ == "__main__":
    main()
