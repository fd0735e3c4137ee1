"""``python bench``: measure rows, keep what was measured, and write RESULTS.md with its plots."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from bench.harness import machine
from bench.harness.chart import chart
from bench.harness.page import page, pages_of, slug
from bench.harness.records import Record, measured, not_measured, read_records
from bench.harness.row import OURS, Row
from bench.rows import ROWS, SECTIONS

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "build" / "bench"
LIMIT = 1800
"""Seconds by the clock that a row may take."""


def main() -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the row that runs ends as well
    asked = arguments()
    if asked.list:
        print("\n".join(f"{row.name:24} {row.section}: {row.title}" for row in ROWS))
        return 0
    records = asked.records or KEPT / ("quick" if asked.quick else "records")
    if asked.child:
        mine = [row for row in ROWS if row.name in asked.child.split(",")]
        if all(row.clock == "processor" and row.meter is None for row in mine):
            machine.keep_to_one_processor()
        measured(mine, asked.rounds, records)
        return 0
    rows = chosen(asked.only, quick=asked.quick)
    if not rows:
        print("Error: no row is called so; --list names them", file=sys.stderr)
        return 1
    if not asked.render:
        measure(rows, 1 if asked.quick else asked.rounds, records, again=bool(asked.only) or asked.again)
    return render(records, asked.to)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="of a row, * for any; may be repeated"
    )
    parser.add_argument("--quick", action="store_true", help="one round, and no row of gigabytes or minutes")
    parser.add_argument("--rounds", type=int, help="runs of each column (default: what the row says)")
    parser.add_argument(
        "--again", action="store_true", help="measure also what an unfinished run has measured"
    )
    parser.add_argument("--render", action="store_true", help="measure nothing, write the page")
    parser.add_argument("--list", action="store_true", help="name the rows")
    parser.add_argument(
        "--records", type=Path, help="folder of what was measured (default: build/bench/records)"
    )
    parser.add_argument(
        "--to", type=Path, help="folder of the page (default: bench/, once every row is measured)"
    )
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


def chosen(names: Iterable[str] | None, *, quick: bool) -> list[Row]:
    """Return the rows that are asked for."""
    if names:
        return [row for row in ROWS if any(fnmatch(row.name, name) for name in names)]
    return [row for row in ROWS if not (quick and row.large)]


def measure(rows: Sequence[Row], rounds: int | None, records: Path, *, again: bool) -> None:
    """Measure group by group, each in a process of its own; what is recorded of this state of the code stays."""
    began, state = time.perf_counter(), machine.state()
    there = {} if again else read_records(records)
    waiting = [
        row
        for row in rows
        if (row.name not in there)
        or not there[row.name].samples.get(OURS)
        or there[row.name].state != state
        or there[row.name].rounds < (rounds or row.rounds)
    ]
    if len(waiting) < len(rows):
        print(f"{len(rows) - len(waiting)} rows are taken from {records}; --again measures them as well")
    groups: dict[str, list[Row]] = {}
    for row in waiting:
        groups.setdefault(row.group or row.name, []).append(row)
    done = 0
    for group in groups.values():
        done += len(group)
        names = ", ".join(row.name for row in group)
        print(f"[{done}/{len(waiting)}, {time.perf_counter() - began:.0f} s] {names} ...", flush=True)
        told = in_a_child(group, rounds, records)
        print(f"    {told}", flush=True)


def in_a_child(group: Sequence[Row], rounds: int | None, records: Path) -> str:
    """Measure rows in a process of their own and return how it went, in a line."""
    began = time.perf_counter()
    records.mkdir(parents=True, exist_ok=True)
    log = records / f"{group[0].name}.log"
    words = [sys.executable, str(Path(__file__).parent), "--records", str(records)]
    words += ["--child", ",".join(row.name for row in group)]
    words += ["--rounds", str(rounds)] if rounds else []
    for row in group:
        (records / f"{row.name}.json").unlink(missing_ok=True)
    with log.open("w") as output:
        try:
            status = subprocess.run(
                words, stdout=output, stderr=output, cwd=ROOT, timeout=LIMIT, check=False
            ).returncode
        except subprocess.TimeoutExpired:
            not_measured(group, rounds, records, f"it did not end within {LIMIT} s")
            return f"ended after {LIMIT} s; {log}"
    took = time.perf_counter() - began
    if status:
        not_measured(group, rounds, records, f"its process ended with status {status}")
        last = (log.read_text().strip().splitlines() or ["no word"])[-1]
        return f"failed after {took:.0f} s: {last[:200]} ({log})"
    if not log.stat().st_size:
        log.unlink()
    found = read_records(records)
    return f"{took:.0f} s; " + "; ".join(in_short(row, found[row.name]) for row in group)


def in_short(row: Row, record: Record) -> str:
    """Return the least time of each column, for who waits."""
    least = {name: min(record.values(name, row.clock)) for name in record.samples}
    lacking = [f"no {name} ({why})" for name, why in record.missing.items()]
    return ", ".join([row.name, *(f"{name} {value:.4f}" for name, value in least.items()), *lacking])


def render(records: Path, folder: Path | None) -> int:
    """Write the page and its plots; over the recorded ones only if nothing lacks."""
    found = {
        name: record for name, record in read_records(records).items() if name in {row.name for row in ROWS}
    }
    lacking = [row.name for row in ROWS if row.name not in found]
    folder = folder or (KEPT if lacking else ROOT / "bench")
    (folder / "plots").mkdir(parents=True, exist_ok=True)
    for title in SECTIONS:
        drawn = chart(title, [row for row in ROWS if row.section == title], found)
        (folder / "plots" / f"{slug(title)}.svg").write_text(drawn, encoding="utf-8")
    text = page(ROWS, found, SECTIONS, pages_of(ROOT / "bench"))
    (folder / "RESULTS.md").write_text(text, encoding="utf-8")
    print(f"{folder / 'RESULTS.md'}: {len(found)} of {len(ROWS)} rows" + (", not all" if lacking else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
