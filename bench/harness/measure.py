"""Runs that take turns: processor time with that of child processes, time by the clock, memory."""

from __future__ import annotations

import ctypes
import json
import math
import os
import re
import resource
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.harness.row import Work

ROOT = Path(__file__).resolve().parents[2]
SHORT = 0.02
"""Seconds: a shorter work is run several times between two looks at the clock."""
WARM_UP = 1.0
"""Seconds: the first run of a shorter work does not count."""
LONG = 20.0
"""Seconds of processor time that one column may take; it gets fewer rounds, at least one."""


@dataclass(frozen=True)
class Sample:
    """One run; seconds, and bytes beyond what the process held before (None: not known)."""

    processor: float
    wall: float
    memory: int | None = None


def processor() -> float:
    """Return the processor time of this process and of its children that ended, user's and system's."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def timed(work: Work, clock: Callable[[], float] = processor, times: int = 1) -> Sample:
    """Run a work; one that measured itself elsewhere returns its own sample."""
    began, spent = time.perf_counter(), clock()
    result = None
    for _ in range(times):
        result = work()
    spent, took = clock() - spent, time.perf_counter() - began
    return result if isinstance(result, Sample) else Sample(spent / times, took / times)


def first_run(work: Work, clock: Callable[[], float] = processor) -> Sample:
    """Run a work and note the largest memory meanwhile beyond that before, where Linux tells it."""
    before = _forget_peak()
    sample = timed(work, clock)
    if before is None or sample.memory is not None:
        return sample
    return Sample(sample.processor, sample.wall, max(_status("VmHWM") - before, 0))


def interleaved(
    works: Mapping[str, Work], rounds: int, clock: Callable[[], float] = processor
) -> tuple[dict[str, list[Sample]], dict[str, str]]:
    """Return the samples of each work, in the order they were taken, and the last words of those that failed.

    The first run of each tells how long it takes and what memory; where it is short it is a warm-up, and does not
    count. Then the works take turns, every other round in the opposite order.
    """
    columns = {name: _Column(work, rounds, clock) for name, work in works.items()}
    for turn in range(-1, rounds):
        for column in list(columns.values())[:: 1 if turn % 2 else -1]:
            column.take_turn()
    samples = {name: column.samples for name, column in columns.items() if not column.failed}
    return samples, {name: column.failed for name, column in columns.items() if column.failed}


class _Column:
    """The runs of one work."""

    def __init__(self, work: Work, rounds: int, clock: Callable[[], float]):
        self.work, self.rounds, self.clock = work, rounds, clock
        self.samples: list[Sample] = []
        self.failed = ""
        self.left = 1
        self.times = 0

    def take_turn(self) -> None:
        """Run once more, if a run is left."""
        if self.left == 0 or self.failed:
            return
        try:
            if self.times:
                self._repeat()
            else:
                self._begin()
        except Exception as error:
            traceback.print_exc()
            self.failed = last_words(error)

    def _begin(self) -> None:
        first = first_run(self.work, self.clock)
        self.memory = first.memory
        self.times = max(1, min(200, math.ceil(SHORT / max(first.processor, 1e-5))))
        affordable = max(1, int(LONG / max(first.processor, 1e-9)))
        self.left = min(self.rounds, affordable)
        if first.processor >= WARM_UP:
            self.samples.append(first)
            self.left -= 1

    def _repeat(self) -> None:
        self.left -= 1
        sample = timed(self.work, self.clock, self.times)
        memory = self.memory if sample.memory is None and not self.samples else sample.memory
        self.samples.append(Sample(sample.processor, sample.wall, memory))


def last_words(error: Exception) -> str:
    """Return the last line that an exception says, without this machine's folders."""
    said = (str(error).strip().splitlines() or [type(error).__name__])[-1]
    return re.sub(r"(/[^/\s:'\"]+)+/", "", said)[:160]


def in_a_fresh_process(module: str, function: str, *arguments: str) -> Sample:
    """Call ``module.function(*arguments)`` in a new interpreter and return what the call took there, and its memory.

    Imports and the start of the interpreter are not part of it: the function returns the work.
    """
    code = (
        f"import sys; sys.path[:0] = {[str(ROOT)]!r}\n"
        f"from {module} import {function} as make\n"
        "from bench.harness.measure import first_run\n"
        "import json\n"
        f"sample = first_run(make(*{list(arguments)!r}))\n"
        "print(json.dumps([sample.processor, sample.wall, sample.memory]))\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if said.returncode:
        raise RuntimeError((said.stderr.strip().splitlines() or ["it ended without a word"])[-1])
    return Sample(*json.loads(said.stdout.splitlines()[-1]))


def tree_processor(root: int) -> Callable[[], float]:
    """Return a clock of the processor time of a process and of what it started, in steps of a tick (Linux)."""
    tick = os.sysconf("SC_CLK_TCK")

    def clock() -> float:
        parents, spent = {}, {}
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents[int(folder.name)] = int(fields[1])
            spent[int(folder.name)] = sum(map(int, fields[11:15])) / tick
        members, found = set(), {root}
        while found:
            members |= found
            found = {pid for pid, parent in parents.items() if parent in members} - members
        return sum(spent.get(pid, 0.0) for pid in members)

    return clock


def _forget_peak() -> int | None:
    """Set the noted peak of memory back to what is held now, and return that; None where it cannot be done."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except (OSError, AttributeError):
        return None


def _status(field: str) -> int:
    """Return a line of /proc/self/status, in bytes."""
    return int(Path("/proc/self/status").read_text().partition(f"{field}:")[2].split()[0]) * 1024
