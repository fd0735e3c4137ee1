"""A process with executors of its own, which it kills after a release's noise was drawn: run by `test_spark.py`."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import edgedp
from edgedp.spark import drawing
from edgedp.spark.session import open_session
from edgedp.words.errors import EdgeDPError


def executors() -> list[int]:
    """Return the processes of the executors, which are children of the driver's JVM."""
    jvm = open_session().sparkContext._gateway.proc.pid  # type: ignore[union-attr]
    below = [
        int(child)
        for task in Path(f"/proc/{jvm}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]
    return [pid for pid in below if b"ExecutorBackend" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def main(folder: str) -> None:
    """Release once with all alive, and once with all executors killed between noise and reading."""
    ends = np.random.default_rng(1).integers(0, 60, (200, 2))
    store = edgedp.open_store(f"{folder}/s.edgedp")
    store.load(edgedp.Graph.from_edges(ends), "g", epsilon_budget=9)
    print(len(store.priv_top_k("g", "ebc", 2, 1, "sld", engine="spark")))
    ask = drawing._ask

    def after_a_kill(*given: Any) -> Any:
        for pid in executors():
            os.kill(pid, signal.SIGKILL)
        time.sleep(2)
        return ask(*given)

    vars(drawing)["_ask"] = after_a_kill
    try:
        store.priv_top_k("g", "ebc", 2, 1, "sld", engine="spark")
    except EdgeDPError as error:
        print(error)
    print(store.budget("g")["epsilon_spent"], store.releases("g")[-1]["nodes"])


if __name__ == "__main__":
    main(sys.argv[1])
