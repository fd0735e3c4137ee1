"""What a stored graph costs as it grows: read, loaded and asked, over 1, 2, 4, ... 128 million edges.

    python bench/scale.py                       # 1, 2, 4 and 8 million: a minute, 1 GB of memory
    python bench/scale.py --millions 64 100 128 # a quarter of an hour on a quiet machine, 16 GB of memory, 6 of disk
    python bench/scale.py --draw                # the table and the plot again, of what was measured

Each step is a process of its own, as a command is: a text is read and loaded into a store, and each question opens the
store, checks the version's files and maps its rows. What was measured before is kept in bench/results/scale.json.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results"
RECORDS, TABLE, CHART = RESULTS / "scale.json", RESULTS / "scale.md", RESULTS / "scale.svg"
QUESTIONS = {
    "degree": {"metric": "degree", "mechanism": "sld"},
    "joint by degree": {"metric": "ebc", "mechanism": "joint", "proxy": "degree"},
    "EBC by sld": {"metric": "ebc", "mechanism": "sld"},
}
STEPS = {
    "reading": "#0072b2", "loading": "#e69f00", "degree": "#009e73", "joint by degree": "#cc79a7",
    "EBC by sld": "#b0003a",
}  # fmt: skip
PIECE = 4_000_000

Record = dict[str, Any]


def write_power_law(path: Path, edges: int, exponent: float = 2.3, seed: int = 1) -> None:
    """Write the edges of a Chung-Lu graph of a tenth as many nodes, in random order, under shuffled ids.

    The weight of the i-th node is ``(i + 100) ** (-1 / (exponent - 1))``: the largest degree is about 1,100 at
    1 million edges, 6,000 at 10 and 34,000 at 100.
    """
    import polars as pl

    rng = np.random.default_rng(seed)
    nodes, slope = edges // 10, 1 - 1 / (exponent - 1)
    names = rng.permutation(nodes).astype(np.int32)
    low, high = 100.0**slope, (nodes + 100.0) ** slope
    with path.open("wb") as stream:
        for start in range(0, edges, PIECE):
            shape = (min(PIECE, edges - start), 2)
            drawn = (low + rng.random(shape) * (high - low)) ** (1 / slope) - 100
            ends = names[np.minimum(drawn.astype(np.int64), nodes - 1)]
            pl.DataFrame(ends, schema=["a", "b"]).write_csv(stream, separator="\t", include_header=False)


def child(what: str, folder: Path) -> None:
    """Do one step and print what it took."""
    import edgedp

    taken: Record = {}

    def timed(name: str, began: tuple[float, float]) -> None:
        taken[name] = round(time.process_time() - began[0], 2)
        taken[f"{name}, wall"] = round(time.perf_counter() - began[1], 2)

    began = time.process_time(), time.perf_counter()
    store = edgedp.open_store(folder / "graphs.edgedp")
    if what == "load":
        graph = edgedp.read_graph(str(folder / "edges.txt"))
        timed("reading", began)
        began = time.process_time(), time.perf_counter()
        store.load(graph, "it", epsilon_budget=100)
        timed("loading", began)
        taken |= {"edges": graph.edge_count, "largest degree": graph.max_degree}
    else:
        store.priv_top_k("it", k=10, epsilon=1.0, **QUESTIONS[what])
        timed(what, began)
    status = Path("/proc/self/status").read_text()
    taken[f"{what}, peak"] = int(status.partition("VmHWM:")[2].split()[0]) // 1024
    print(json.dumps(taken))


def measured(edges: int, place: Path | None) -> Record:
    """Return processor time, wall time and peak memory of every step, and the sizes of the files."""
    found: Record = {"lines": edges}
    with tempfile.TemporaryDirectory(dir=place) as name:
        folder = Path(name)
        write_power_law(folder / "edges.txt", edges)
        for what in ("load", *QUESTIONS):
            command = [sys.executable, __file__, "--child", what, name]
            found |= json.loads(subprocess.check_output(command))
            print(edges, what, json.dumps(found), file=sys.stderr, flush=True)
            if what == "load":
                found["text, MB"] = (folder / "edges.txt").stat().st_size // 10**6
                (folder / "edges.txt").unlink()
        for kind in ("graph", "rows"):
            (file,) = (folder / "graphs.edgedp").glob(f"*.{kind}")
            found[f"{kind}, MB"] = file.stat().st_size // 10**6
    return found


# -- shown --------------------------------------------------------------------------------------------------


def table(records: list[Record]) -> str:
    """Return a row a size: processor seconds with wall seconds in brackets, memory and files."""
    steps = [*STEPS]
    lines = [
        "# A stored graph as it grows",
        "",
        "`python bench/scale.py`: a power law (density exponent 2.3) of a tenth as many nodes as edges, from a text.",
        "Loading and each question are processes of their own. Processor seconds, wall seconds in brackets; questions",
        "are top 10 at epsilon 1, with opening, SHA-256 of both files and mapping in them. Peak memory of a process",
        "counts the pages of the mapped file.",
        "",
        f"| million edges | largest degree | {' | '.join(steps)} | peak, load / questions, MB "
        "| text / database file / rows, MB |",
        "|---" * (len(steps) + 4) + "|",
    ]
    for one in records:
        cells = [f"{one[step]:g} ({one[f'{step}, wall']:g})" if step in one else "" for step in steps]
        asked = max((one[f"{q}, peak"] for q in QUESTIONS if f"{q}, peak" in one), default=0)
        sizes = " / ".join(f"{one.get(f'{kind}, MB', 0):,}" for kind in ("text", "graph", "rows"))
        lines.append(
            f"| {one['lines'] / 1e6:g} | {one.get('largest degree', 0):,} | {' | '.join(cells)} "
            f"| {one.get('load, peak', 0):,} / {asked:,} | {sizes} |"
        )
    notes = [f"{one['lines'] / 1e6:g} million: {one['note']}" for one in records if "note" in one]
    return "\n".join([*lines, "", *notes, "", "![processor seconds over edges](scale.svg)", ""])


def chart(records: list[Record]) -> str:
    """Return processor time over edges, both logarithmic, a line a step."""
    width, height, left, top = 460, 300, 60, 20
    values = [one[step] for one in records for step in STEPS if one.get(step)]
    first, last = math.log10(min(values)), math.log10(max(values))
    few, many = math.log2(records[0]["lines"]), math.log2(records[-1]["lines"])

    def place(edges: float, seconds: float) -> str:
        x = left + width * (math.log2(edges) - few) / max(many - few, 1)
        y = top + height * (last - math.log10(seconds)) / max(last - first, 1)
        return f"{x:.1f},{y:.1f}"

    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 140} {top + height + 50}" '
        'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>'
    ]
    for power in range(math.floor(first), math.ceil(last) + 1):
        y = float(place(2**few, 10.0**power).split(",")[1])
        if top <= y <= top + height:
            drawn.append(f'<path d="M{left} {y:.1f}h{width}" stroke="#ddd"/>')
            drawn.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g} s</text>')
    for one in records:
        x = place(one["lines"], 10**first).split(",")[0]
        drawn.append(
            f'<text x="{x}" y="{top + height + 18}" text-anchor="middle">{one["lines"] / 1e6:g}</text>'
        )
    drawn.append(
        f'<text x="{left + width / 2}" y="{top + height + 38}" text-anchor="middle">million edges</text>'
    )
    for row, (step, colour) in enumerate(STEPS.items()):
        points = " ".join(place(one["lines"], one[step]) for one in records if one.get(step))
        drawn.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        drawn.append(f'<text x="{left + width + 10}" y="{top + 14 + 18 * row}" fill="{colour}">{step}</text>')
    return "\n".join([*drawn, "</svg>", ""])


def draw() -> None:
    """Write table and plot of everything that was measured."""
    kept = sorted(json.loads(RECORDS.read_text()).values(), key=lambda one: one["lines"])
    TABLE.write_text(table(kept), encoding="utf-8")
    CHART.write_text(chart(kept), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--millions", type=float, nargs="*", default=[1, 2, 4, 8])
    parser.add_argument("--folder", type=Path, help="where texts and stores are made meanwhile")
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--child", nargs=2)
    asked = parser.parse_args()
    if asked.child:
        child(asked.child[0], Path(asked.child[1]))
        return
    for millions in [] if asked.draw else asked.millions:
        found = measured(round(millions * 1_000_000), asked.folder)
        kept = json.loads(RECORDS.read_text()) if RECORDS.is_file() else {}
        RECORDS.write_text(json.dumps(kept | {f"{millions:g}": found}, indent=1) + "\n")
    draw()


if __name__ == "__main__":
    main()
