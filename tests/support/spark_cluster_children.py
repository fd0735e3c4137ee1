"""Drivers of a standalone cluster, of which something dies, joins or changes: run by `test_spark_cluster.py`.

Arguments: which of them, a folder, and the process ids of the workers. Prints a line of JSON for every release, and one
for what the test has to do meanwhile, which answers with a line when it is done.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import edgedp
from edgedp.mechanisms.sampling.words import SecureWords, Words
from edgedp.spark import drawing, executors, projection
from edgedp.spark.pairs import Through
from edgedp.words.errors import EdgeDPError
from spark_cluster import below

FOLDER, WORKERS = "", list[int]()
if __name__ == "__main__":
    FOLDER, WORKERS = sys.argv[2], [int(each) for each in sys.argv[3:]]


class NotedSource:
    """The secure source, which leaves a file for each partition that it is asked for, and takes its time."""

    private = True

    def words(self, turn: int, partition: int) -> Words:
        import os
        import time
        from pathlib import Path

        name = f"{self.mark}-{turn}-{partition}-{os.getpid()}.{os.urandom(4).hex()}"
        (Path(self.folder) / name).touch()
        time.sleep(self.pause)
        return SecureWords()

    def own(self) -> Words:
        return SecureWords()

    def __init__(self, mark: str = "words", folder: str = FOLDER, pause: float = 20) -> None:
        self.mark, self.folder, self.pause = mark, folder, pause


@dataclass(frozen=True)
class NotedThrough(Through):
    """Sums of blocks, which leave a file when they begin, and take their time."""

    mark: str = "blocks"
    pause: float = 20

    def __call__(self, batches: Any) -> Iterator[Any]:
        import os
        import time
        from pathlib import Path

        (Path(FOLDER) / f"{self.mark}-{os.getpid()}.{os.urandom(4).hex()}").touch()
        time.sleep(self.pause)
        yield from super().__call__(batches)


def meanwhile(mark: str, act: Callable[[int], object]) -> threading.Thread:
    """Do something as soon as a file of that name is there, with the id of the process that left it."""

    def watch() -> None:
        while not (left := list(Path(FOLDER).glob(f"{mark}-*"))):
            time.sleep(0.05)
        act(int(left[0].name.rpartition("-")[2].partition(".")[0]))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def kill_executors(_: int = 0) -> None:
    """Kill all executors that are there."""
    for worker in WORKERS:
        for executor in below(worker, b"ExecutorBackend"):
            os.kill(executor, 9)


def let(do: str) -> None:
    """Let the test do something to the cluster, and wait until it is done."""
    print(json.dumps({"do": do}), flush=True)
    sys.stdin.readline()


def ask(store: Any, name: str, graph: str = "lake", **asked: Any) -> None:
    """Release, and print what came of it and what was spent."""
    said: dict[str, Any] = {"name": name}
    try:
        release = store.priv_top_k(graph, k=5, engine="spark", **asked)
        said |= {"nodes": release.nodes, "recall": release.expected_recall}
    except EdgeDPError as error:
        said |= {"refused": str(error), "cause": repr(error.__cause__)}
    kept = store.releases(graph)
    said |= {"spent": store.budget(graph)["epsilon_spent"], "kept": kept[-1]["nodes"], "rows": len(kept)}
    print(json.dumps(said), flush=True)


def executors_die() -> None:
    """Draw, and lose executors while words are drawn and while blocks are summed."""
    store = edgedp.open_store(f"{FOLDER}/s.edgedp")
    store.register_edges(
        "lake", f"{FOLDER}/edges.parquet", epsilon_budget=999, degree_bound=500, engine="spark"
    )
    ask(store, "degree", metric="degree", epsilon=90)
    ask(store, "sld", metric="ebc", mechanism="sld", epsilon=90)
    ask(store, "both", metric="ebc", epsilon=90)
    secure = executors.SecureSource
    vars(drawing)["SecureSource"] = NotedSource
    killer = meanwhile("words", kill_executors)
    ask(store, "killed while words are drawn", metric="ebc", mechanism="sld", epsilon=9)
    killer.join()
    vars(drawing)["SecureSource"] = secure
    ask(store, "after", metric="degree", epsilon=90)
    vars(projection)["Through"] = NotedThrough
    killer = meanwhile("blocks", kill_executors)
    ask(store, "killed while blocks are summed", metric="ebc", epsilon=90)
    killer.join()
    vars(projection)["Through"] = Through
    ask(store, "both again", metric="ebc", epsilon=90)


def rewrite(place: Path, rows: Path) -> None:
    """Put other rows where a file is, or where the files of a folder are, and one more file beside these."""
    files = sorted(place.glob("*.parquet")) if place.is_dir() else [place]
    for file in [*files, *([place / "more.parquet"] if place.is_dir() else [])]:
        shutil.copy(rows, file.with_suffix(".new"))
        file.with_suffix(".new").replace(file)


def workers_die() -> None:
    """Draw while workers join and die, and while rows change."""
    store, folder = edgedp.open_store(f"{FOLDER}/s.edgedp"), Path(FOLDER)
    for name, place in (("lake", "edges.parquet"), ("many", "edges"), ("one", "one.parquet")):
        store.register_edges(
            name,
            f"{FOLDER}/{place}",
            f"{FOLDER}/nodes.parquet",
            epsilon_budget=999,
            degree_bound=500,
            engine="spark",
        )
    rounds: dict[str, Any] = {"metric": "ebc", "mechanism": "sld", "epsilon": 90}
    vectors: dict[str, Any] = {"metric": "ebc", "epsilon": 90}
    ask(store, "rounds", **rounds)
    ask(store, "vectors", **vectors)
    others = folder / "others.parquet"
    events: list[tuple[str, str, Callable[[int], object], float]] = [
        ("lake", "a worker joins", lambda _: let("join"), 10),
        ("lake", "a worker dies", lambda pid: let(f"kill {pid}"), 20),
        ("many", "rows change", lambda _: rewrite(folder / "edges", others), 3),
        ("one", "rows change", lambda _: rewrite(folder / "one.parquet", others), 3),
    ]
    secure = executors.SecureSource
    for number, (graph, what, act, pause) in enumerate(events):
        mark = f"{number}words"
        vars(drawing)["SecureSource"] = partial(NotedSource, mark, pause=pause)
        thread = meanwhile(mark, act)
        ask(store, f"{graph}: {what} while words are drawn", graph, **rounds)
        thread.join()
        vars(drawing)["SecureSource"] = secure
        if what == "rows change":
            rewrite(folder / ("edges" if graph == "many" else "one.parquet"), folder / "edges.parquet")
        mark = f"{number}blocks"
        vars(projection)["Through"] = partial(NotedThrough, mark=mark, pause=pause)
        thread = meanwhile(mark, act)
        ask(store, f"{graph}: {what} while blocks are summed", graph, **vectors)
        thread.join()
        vars(projection)["Through"] = Through
    ask(store, "afterwards", **vectors)


if __name__ == "__main__":
    {"executors": executors_die, "workers": workers_die}[sys.argv[1]]()
