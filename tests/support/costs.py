"""What each file of tests costs in processor seconds, with every process that it starts: one run, and a table.

``python tests/support/costs.py -n 2 --dist loadfile -m "not slow and not wide"``; all arguments are
pytest's. Servers go on from test to test, so their time is read at the end of each test and counted for that test.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = "EDGEDP_TEST_COSTS"
_TICK = os.sysconf("SC_CLK_TCK")


class Meter:
    """Processor seconds of this process and of all below it, those included that have ended."""

    def __init__(self) -> None:
        self._alive: dict[tuple[int, int], float] = {}

    def read(self) -> float:
        """Return the seconds so far: they never fall, also where a process outlives the one that started it."""
        alive: dict[tuple[int, int], float] = {}
        _add_below(os.getpid(), alive)
        own = sum(os.times()[:4])
        for key in (
            self._alive.keys() - alive.keys()
        ):  # what ended was reaped below, or was orphaned and goes on
            if (seconds := _seconds_of(key)) is not None:
                alive[key] = seconds
        self._alive = alive
        return own + sum(alive.values())


def _stat(process: int) -> list[str] | None:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def _seconds_of(key: tuple[int, int]) -> float | None:
    fields = _stat(key[0])
    return sum(map(int, fields[11:15])) / _TICK if fields is not None and int(fields[19]) == key[1] else None


def _add_below(process: int, alive: dict[tuple[int, int], float]) -> None:
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            below = children.read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        for child in map(int, below):
            fields = _stat(child)
            if fields is not None:
                alive[child, int(fields[19])] = sum(map(int, fields[11:15])) / _TICK
                _add_below(child, alive)


def _own() -> float:
    return sum(os.times()[:2])


class Costs:
    """The plugin of one process that runs tests: a line for each test, ``seconds<TAB>test``."""

    def __init__(self, folder: Path, hands_out: bool) -> None:
        self._read = _own if hands_out else Meter().read
        self._so_far = 0.0
        self._lines = (folder / f"{os.getpid()}.tsv").open("w", encoding="utf-8", buffering=1)

    def _count(self, name: str) -> None:
        now = self._read()
        self._lines.write(f"{now - self._so_far:.3f}\t{name}\n")
        self._so_far = now

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self) -> None:
        self._count("(collecting)")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        try:
            return (yield)
        finally:
            self._count(item.nodeid)

    def pytest_unconfigure(self) -> None:
        self._count("(ending)")


def pytest_configure(config: pytest.Config) -> None:
    """Count in every process that runs tests; one that only hands them out is counted for its collecting."""
    if FOLDER in os.environ:
        hands_out = bool(config.getoption("numprocesses", None)) and not hasattr(config, "workerinput")
        config.pluginmanager.register(Costs(Path(os.environ[FOLDER]), hands_out))


def table(folder: Path, top: int = 30) -> str:
    """Return the dearest files and the sum, as Markdown."""
    of_file: defaultdict[str, float] = defaultdict(float)
    tests: Counter[str] = Counter()
    for part in folder.glob("*.tsv"):
        for line in part.read_text(encoding="utf-8").splitlines():
            seconds, _, name = line.partition("\t")
            file = Path(name.partition("::")[0]).name
            of_file[file] += float(seconds)
            tests[file] += 1
    dearest = sorted(of_file.items(), key=lambda row: -row[1])[:top]
    rows = [f"| `{file}` | {tests[file]} | {seconds:.1f} |" for file, seconds in dearest]
    whole = f"| all {len(of_file)} files | {sum(tests.values())} | {sum(of_file.values()):.0f} |"
    return "\n".join(["| file | tests | processor seconds |", "|---|---|---|", *rows, whole])


def main() -> int:
    """Run pytest, print the table and say where the figures of each test are."""
    folder = Path(tempfile.mkdtemp(prefix="edgedp-costs-"))
    os.environ[FOLDER] = str(folder)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # as in the Makefile
    sys.dont_write_bytecode = False
    ended = pytest.main(["-p", "costs", *sys.argv[1:]])
    print(f"\n{table(folder)}\n\nEach test: {folder}")
    return ended


if __name__ == "__main__":
    raise SystemExit(main())
