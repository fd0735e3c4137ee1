"""Windows: a debit of an account with a calendar, a month beside a graph of that month alone, debits of another tree.

``python bench/windows.py [--rows 5000000] [--months 24] [--rounds 9] [--beside PLUGIN]``. ``PLUGIN`` is the ``plugin/``
of another checkout with kernels of its own: debits of lifelong accounts are measured in processes of both, in turn.
Processor time (user and system) throughout; of the rounds the median and the least.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from edgedp import Graph, open_store

PATH = [(1, 2), (2, 3), (3, 4)]
ASKED: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": "0.000001"}
LIFELONG = """
import sys, time
from edgedp import Graph, open_store
with open_store(sys.argv[1]) as store:
    store.load(Graph.from_edges([(1, 2), (2, 3), (3, 4)]), "path", epsilon_budget=10)
    for number in range(int(sys.argv[2]) + 20):
        if number == 20:
            began = time.process_time()
        store.priv_top_k("path", "degree", 1, "0.000001")
print((time.process_time() - began) / int(sys.argv[2]))
"""


def in_turn(works: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of processor time of each, asked in turn; a first round is not counted."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for number in range(rounds + 1):
        for name, work in works.items():
            began = time.process_time()
            work()
            if number:
                found[name].append(time.process_time() - began)
    return found


def debits(folder: Path, rounds: int) -> dict[str, list[float]]:
    """Release of four nodes, so that a release is plan, debit and record: with a calendar and without."""
    store = open_store(folder / "debits.edgedp")
    months = {"from": "2000-01-01", "period": "P1M"}
    dated = Graph.from_edges(PATH, dates=np.array(["2000-01-05"] * 3, dtype="datetime64[s]"))
    store.load(Graph.from_edges([(1, 3), (3, 2), (2, 4)]), "lifelong", epsilon_budget=10)
    store.load(dated, "dated", epsilon_budget=10, dates=months, within="P1Y")
    window = iter(range(10**6))

    def month() -> str:
        at = next(window) % 240
        return f"{2000 + at // 12}-{at % 12 + 1:02d}"

    return in_turn(
        {
            "lifelong": lambda: store.priv_top_k("lifelong", **ASKED),
            "calendar, everything": lambda: store.priv_top_k("dated", **ASKED),
            "calendar, a month": lambda: store.priv_top_k("dated", **ASKED, window=month()),
        },
        rounds,
    )


def month_alone(folder: Path, rows: int, months: int, rounds: int) -> dict[str, list[float]]:
    """Ask for a top 10 of one month of many, and of a graph that holds that month alone, of the same nodes."""
    draw = np.random.default_rng(32)
    nodes = np.arange(rows // 10)
    pairs = (len(nodes) * draw.random((rows, 2)) ** 2).astype(np.int64)  # some nodes have many edges
    first = np.datetime64("2020-01-01", "s").astype(np.int64)
    last = (np.datetime64("2020-01", "M") + months).astype("datetime64[s]").astype(np.int64)
    dates = draw.integers(first, last, rows).astype("datetime64[s]")
    asked = np.datetime64("2020-01", "M") + months // 2
    of_month = dates.astype("datetime64[M]") == asked
    path = folder / "months.edgedp"
    with open_store(path) as store:
        store.load(
            Graph.from_edges(pairs, nodes=nodes, dates=dates), "all", epsilon_budget=10**6,
            dates={"from": "2020-01-01", "period": "P1M"}, within="P1Y",
        )  # fmt: skip
        store.load(Graph.from_edges(pairs[of_month], nodes=nodes), "month", epsilon_budget=10**6)
    print(f"{rows:,} rows, {len(nodes):,} nodes, {months} months; {asked} has {of_month.sum():,} rows")

    def top(name: str, metric: str, **more: Any) -> Callable[[], object]:
        def work() -> object:
            with open_store(path) as store:  # anew: nothing is in memory of a release before
                return store.priv_top_k(name, metric=metric, k=10, epsilon=1, **more)

        return work

    works: dict[str, Callable[[], object]] = {}
    for metric in ("degree", "ebc"):
        works[f"{metric}, the month alone"] = top("month", metric)
        works[f"{metric}, a month of {months}"] = top("all", metric, window=str(asked))
    return in_turn(works, rounds)


def beside(other: Path, folder: Path, rounds: int) -> dict[str, list[float]]:
    """Debits of lifelong accounts by two trees, each in a process of its own, in turn."""
    ours = Path(__file__).parents[1] / "plugin"
    found: dict[str, list[float]] = {"another tree": [], "this tree": []}
    for number in range(rounds):
        for name, tree in zip(found, (other, ours), strict=True):
            words = [sys.executable, "-c", LIFELONG, str(folder / f"{name} {number}"), "200"]
            environment = os.environ | {"PYTHONPATH": str(tree)}
            done = subprocess.run(words, env=environment, check=True, capture_output=True, text=True)
            found[name].append(float(done.stdout))
    return found


def table(found: Mapping[str, list[float]], against: Mapping[str, str]) -> str:
    """Return milliseconds of each, and the ratio of medians, and of the least, to what it is held against."""
    lines = ["| | median, ms | least, ms | ratio of medians | of the least |", "|---|---|---|---|---|"]
    for name, seconds in found.items():
        told = ["", ""]
        if name in against:
            other = found[against[name]]
            told = [f"{of(seconds) / of(other):.2f}" for of in (statistics.median, min)]
        line = f"| {name} | {1000 * statistics.median(seconds):.2f} | {1000 * min(seconds):.2f} | "
        lines.append(line + " | ".join(told) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--months", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--beside", type=Path, help="the plugin/ of another checkout")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="edgedp-windows-") as place:
        folder = Path(place)
        if asked.beside is not None:
            found = beside(asked.beside, folder, asked.rounds)
            print(table(found, {"this tree": "another tree"}))
            return
        found = debits(folder, 20 * asked.rounds)
        print(table(found, {name: "lifelong" for name in found if name != "lifelong"}), flush=True)
        found = month_alone(folder, asked.rows, asked.months, asked.rounds)
        print(table(found, {b: a for a, b in zip(list(found)[::2], list(found)[1::2], strict=True)}))


if __name__ == "__main__":
    main()
