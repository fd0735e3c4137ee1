"""Time the papers' whole grid on Enron: ``python bench/experiments.py [RUNS] [FILE]``.

Five mechanisms, both samplers where they apply, k in 5, 10, 20, fifteen epsilons, 100 runs each, two processes. Printed
are seconds by the clock, seconds of processor time of both, and the largest memory of a process. FILE keeps the rows;
``build/reproduction/topk-enron.parquet`` is where ``make reproduction`` looks for them.
"""

from __future__ import annotations

import resource
import sys
import time

import edgedp


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    begin = time.perf_counter()
    rows = edgedp.experiment(
        "email-Enron",
        runs=runs,
        sampler=["exponential", "permute_and_flip"],
        processes=2,
        file=sys.argv[2] if len(sys.argv) > 2 else None,
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{rows.height:,} runs: {time.perf_counter() - begin:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of "
        f"processor time, {used.ru_maxrss / 1024:.0f} MB at most"
    )


if __name__ == "__main__":
    main()
