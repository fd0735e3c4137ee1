"""A release from edges at an address beside one from a loaded graph, and the memory that an edge takes.

    python bench/addresses.py 10000000 > bench/results/addresses.md

Every release is drawn by a process of its own, three times in turn, and its processor time is counted from the opening
of the store; the least of three counts. Memory is how much the largest of the process grew over what its imports take.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ASKED = {
    "top k by degree": "store.priv_top_k('{name}', 'degree', 10, 1)",
    "top k by ebc (the default, both)": "store.priv_top_k('{name}', 'ebc', 10, 1)",
    "summary": "store.summary('{name}', 1)",
}
MEASURED = """
import resource
import numpy, polars, pyarrow.parquet
import edgedp
store = edgedp.open_store({store!r})
store.load(edgedp.Graph.from_edges([(1, 2), (2, 3)]), 'small', epsilon_budget=99, replace=True)
store.priv_top_k('small', 'ebc', 1, 0.001)
store.summary('small', 0.001)
def largest():  # ru_maxrss begins with what the process that started this one held
    return int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0])
least = largest()
before = resource.getrusage(resource.RUSAGE_SELF)
{body}
after = resource.getrusage(resource.RUSAGE_SELF)
print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, largest() - least)
"""


def measured(store: Path, body: str) -> tuple[float, float]:
    """Return seconds of processor time, and how much the largest memory grew, in bytes."""
    code = MEASURED.format(store=str(store), body=body)
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    seconds, kibibytes = map(float, found.stdout.split())
    return seconds, kibibytes * 1024


def main(count: int) -> None:
    import polars as pl

    import edgedp

    with tempfile.TemporaryDirectory() as folder:
        os.environ["EDGEDP_CACHE"] = f"{folder}/cache"
        noise = np.random.default_rng(1)
        frame = pl.DataFrame({name: noise.integers(0, count // 10, count) for name in ("payer", "payee")})
        frame.write_parquet(f"{folder}/edges.parquet")
        texts = frame.select(pl.format("client-{}", pl.all()))
        texts.write_parquet(f"{folder}/texts.parquet")
        del frame, texts
        time.sleep(3)
        store = Path(folder, "graphs.edgedp")
        with edgedp.open_store(store) as made:
            made.load(edgedp.read_graph(f"{folder}/edges.parquet", source="payer", target="payee"), "loaded",
                      epsilon_budget=999)  # fmt: skip
            for name, source, cache in (("kept", "edges", True), ("texts", "texts", False)):
                made.register_edges(name, f"{folder}/{source}.parquet", source="payer", target="payee",
                                    epsilon_budget=999, cache=cache)  # fmt: skip
        bodies = {(asked, name): body.format(name=name) for asked, body in ASKED.items() for name in
                  ("loaded", "kept")}  # fmt: skip
        found: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for _ in range(3):
            for key, body in bodies.items():
                found.setdefault(key, []).append(measured(store, body))
        (Path(folder, "cache", "addresses")).rename(f"{folder}/aside")
        os.environ["EDGEDP_CACHE"] = f"{folder}/none"
        for asked, body in ASKED.items():
            Path(folder, "none").mkdir(exist_ok=True)
            for each in Path(folder, "none").glob("addresses/*"):
                each.unlink()
            found[asked, "read"] = [measured(store, body.format(name="kept"))]
        found["summary", "texts"] = [measured(store, ASKED["summary"].format(name="texts"))]
    print("# Releases from an address\n")
    print(
        f"`python bench/addresses.py {count}`: {count:,} rows of two columns, {count // 10:,} nodes.\n"
        "Processor time of a release in a process of its own, the least of three in turn; memory is the growth of the "
        "largest of\nthe process, for each row.\n"
    )
    print("| release | loaded graph | kept rows | kept beside loaded | read anew | memory a row, read anew |")
    print("|---|---|---|---|---|---|")
    for asked in ASKED:
        loaded, kept, read = (min(found[asked, name])[0] for name in ("loaded", "kept", "read"))
        memory = found[asked, "read"][0][1] / count
        print(
            f"| {asked} | {loaded:.2f} s | {kept:.2f} s | {kept / loaded:.2f} x | {read:.2f} s | {memory:.0f} bytes |"
        )
    print(f"\nWith texts as ids (`client-123456`) a summary that is read anew takes "
          f"{found['summary', 'texts'][0][1] / count:.0f} bytes a row.")  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]))
