"""The top k on Spark, on this machine's two cores, beside the native engine on the same edges.

    python bench/spark.py enron            # Enron: joint by degree, and EBC by SLD and by both proxies
    python bench/spark.py EDGES [EDGES...] # joint by degree of a power law with so many rows of edges, from Parquet
    python bench/spark.py --steps enron github 5000000  # EBC by both proxies, once, step by step
    python bench/spark.py --cluster enron github 5000000  # the same on a standalone cluster of two workers of one core

Each release is asked for five times (once from 50 million edges on); the table gives the least wall clock and the least
processor time, of Spark that of the JVM, its Python workers and the driver. A step is a vector: its row says what it
took and how many bytes were shuffled for each row of edges. GitHub is read from $EDGEDP_DATA. What Spark was started
with stands in `edgedp.spark.session`; `bench/results/spark.md` holds one run. Files go to a folder that is removed.
"""

from __future__ import annotations

import math
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

import edgedp
from edgedp.spark import priv_top_k
from edgedp.spark.projection import SparkProjection
from edgedp.spark.session import open_session

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from spark_cluster import standalone

MANY = 50_000_000
MEMORY = 40_000_000
"""From so many rows on the native engine, which holds the graph in memory, is left out."""


def main() -> None:
    words = sys.argv[1:] or ["enron"]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ends:
        pids: list[int] = []
        if words[0] == "--cluster":
            cluster = ends.enter_context(standalone(Path(folder) / "cluster", workers=2, memory="4g"))
            os.environ |= cluster.variables | {
                "EDGEDP_SPARK_MASTER": cluster.address,
                "EDGEDP_SPARK_MEMORY": "2g",
            }
            pids = [each.pid for each in cluster.processes]
        os.environ.setdefault("EDGEDP_SPARK_MASTER", "local[2]")
        began = time.perf_counter()
        session = open_session()
        ends.callback(session.stop)
        started = time.perf_counter() - began
        print(f"pyspark {session.version}, {session.sparkContext.master}; session {started:.1f} s\n")
        if words[0] in ("--steps", "--cluster"):
            for word in words[1:]:
                steps(session, word, Path(folder) / f"{word}.parquet", pids)
            return
        print("| edges | release | Spark wall s | Spark processor s | native wall s | native processor s |")
        print("|---|---|---|---|---|---|")
        for word in words:
            place = Path(folder) / word
            if word == "enron":
                bundled(word, f"{place}.parquet")
                for asked in ({"metric": "degree"}, {"metric": "ebc", "mechanism": "sld"}, {"metric": "ebc"}):
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


def bundled(word: str, place: str) -> int:
    """Write the edges of Enron or of GitHub, and return how many they are."""
    source = (
        "email-Enron" if word == "enron" else str(Path(os.environ["EDGEDP_DATA"]) / "musae_git_edges.csv.gz")
    )
    graph = edgedp.read_graph(source)
    ends = graph.node_ids[graph.edges()]
    pyarrow.parquet.write_table(pa.table({"u": ends[:, 0], "v": ends[:, 1]}), place)
    return graph.edge_count


class Steps:
    """What each vector of a release took, written down as the driver asks for it."""

    def __init__(self, session: Any, pids: list[int]) -> None:
        self.session = session
        self.pids = [session.sparkContext._gateway.proc.pid, *pids]
        self.rows: list[tuple[str, float, float, float]] = []
        self.now = self._read()

    def _read(self) -> tuple[float, float, int]:
        context = self.session.sparkContext
        spent = sum(map(processor_seconds, self.pids)) + time.process_time()
        empty = context._gateway.new_array(context._jvm.double, 0)
        stages = context._jsc.sc().statusStore().stageList(None, False, False, empty, None)
        shuffled = sum(stages.apply(at).shuffleWriteBytes() for at in range(stages.size()))
        return time.perf_counter(), spent, shuffled

    def took(self, name: str) -> None:
        """Write down what was used since the last step."""
        found = self._read()
        wall, spent, shuffled = (after - before for before, after in zip(self.now, found, strict=True))
        self.rows.append((name, wall, spent, shuffled))
        self.now = found

    def watching(self, name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        """Return a step that writes down what was before it, on the driver, and what it took."""

        def watched(*given: Any) -> Any:
            self.took("driver")
            found = step(*given)
            looked = given[4] if name == "cut_shares" and len(given) > 4 else None
            self.took(name if looked is None else f"{name} of {len(looked):,} nodes")
            return found

        return watched


def steps(session: Any, word: str, place: Path, pids: list[int]) -> None:
    """Release EBC by both proxies once, and print what each vector took, and the native engine's release.

    ``pids`` are processes of a cluster, whose processor time counts with all below them.
    """
    if word in ("enron", "github"):
        rows = bundled(word, str(place))
    else:
        rows = int(word)
        written(session, rows, str(place))
    seen = Steps(session, pids)
    for name in ("__init__", "ordered_degrees", "cut_shares"):
        setattr(SparkProjection, name, seen.watching(name, getattr(SparkProjection, name)))
    wall, processor = in_memory(place, {"metric": "ebc"}) if rows < MEMORY else (math.nan, math.nan)
    seen.now = seen._read()
    priv_top_k(session.read.parquet(str(place)), "ebc", k=10, epsilon=1)
    seen.took("driver")
    print(
        f"\n{rows:,} rows; the native engine took {wall:.1f} s, {processor:.1f} processor s; largest memory of the"
    )
    print(f"driver's Python, with that: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10:,} MB\n")
    print(
        "| step | wall s | processor s | processor us a row | bytes shuffled a row |\n|---|---|---|---|---|"
    )
    everything = [sum(column) for column in zip(*(each[1:] for each in seen.rows), strict=True)]
    ends = ("all", everything[0], everything[1], everything[2])
    for name, took, spent, shuffled in [*seen.rows, ends]:
        print(f"| {name} | {took:.1f} | {spent:.1f} | {1e6 * spent / rows:.2f} | {shuffled / rows:.1f} |")


def in_memory(place: Path, asked: dict[str, Any]) -> tuple[float, float]:
    """Read the same rows and release by the native engine; return wall and processor seconds."""

    def work() -> None:
        paths = sorted(place.glob("*.parquet")) if place.is_dir() else [place]
        table = pa.concat_tables([pyarrow.parquet.read_table(path) for path in paths])
        edgedp.priv_top_k(edgedp.Graph.from_arrow(table), k=10, epsilon=1, **asked)

    return timed(work, time.process_time)


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

    jvm = session.sparkContext._gateway.proc.pid
    ours, theirs = [], []
    for _ in range(times):
        ours.append(timed(on_spark, lambda: processor_seconds(jvm) + time.process_time()))
        if native:
            theirs.append(in_memory(Path(place), asked))
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
