"""Try mutants in the folder that ``mutants.py`` lays out, from which it is called with the name of what is asked.

The tests are collected once. A first process runs each of them once, on the code as it is, and notes which functions it
reaches and what it costs; then every mutant has a process of its own, which is forked from the one that has collected
and runs the tests that reach its function until one fails. What is kept in memory by one test would hide a mutant from
the next, so the process that is forked from has run no test.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import signal
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

import constants
from loaded import import_everything, kept_results

if sys.platform != "win32":  # mutmut ends the process there
    import resource

    from mutmut.mutation.trampoline import set_mutant_under_test
    from mutmut.state import state

SURVIVED, CAUGHT, UNREACHED, ENDLESS = "survived", "caught", "unreached", "endless"
NOTHING = 0.03
"""Seconds of processor time that are next to nothing."""
MEMORY = 3 << 30
"""Bytes that a process may have. It is looked at and no limit of the system, for a store reserves terabytes of room."""


def order_of(
    reaching: Sequence[str], cost: dict[str, float], noticed: dict[str, int], expense: float
) -> list[str]:
    """Return the tests to run: what noticed other mutants of the function, then one case of every test, then the rest.

    The cheap come first, and what exceeds an expense in seconds of processor time is left out, but for the first. A
    case that costs next to nothing is not put off: a test of a function with many branches has one for each.

    >>> order_of(["a[0]", "a[1]", "b"], {"a[0]": 1, "a[1]": 2, "b": 3}, {}, 9)
    ['a[0]', 'b', 'a[1]']
    >>> order_of(["a[0]", "a[1]", "b"], {"a[0]": 1, "a[1]": 12, "b": 9}, {"b": 1}, 20)
    ['b', 'a[0]']
    """
    cases: dict[str, int] = defaultdict(int)
    rank = {}
    for test in sorted(reaching, key=lambda test: (cost[test], test)):
        function = test.partition("[")[0]
        later = cases[function] if cost[test] > NOTHING else 0
        rank[test] = (-noticed.get(test, 0), later, cost[test], test)
        cases[function] += 1
    chosen: list[str] = []
    spent = 0.0
    for test in sorted(reaching, key=rank.__getitem__):
        if chosen and spent + cost[test] > expense:
            continue
        chosen.append(test)
        spent += cost[test]
    return chosen


def some_of(items: Sequence[pytest.Item], cases: int) -> list[pytest.Item]:
    """Return so many cases of each test, spread over all that it has, of each test others; all where that is 0."""
    by_test: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        by_test[item.nodeid.partition("[")[0]].append(item)
    chosen: set[str] = set()
    for name, these in by_test.items():
        step = max(1, -(-len(these) // cases)) if cases else 1
        chosen |= {item.nodeid for item in these[zlib.crc32(name.encode()) % step :: step]}
    return [item for item in items if item.nodeid in chosen]


def digest_of(items: Sequence[pytest.Item]) -> str:
    """Return a checksum of which cases these are."""
    return hashlib.sha256("\n".join(item.nodeid for item in items).encode()).hexdigest()[:16]


class Reached:
    """Which functions a test reaches: in its own call, or while what it shares with others was set up."""

    def __init__(self) -> None:
        self.by_fixture: dict[Any, set[str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        before = set(state()._stats)
        state()._stats.clear()
        try:
            return (yield)
        finally:
            self.by_fixture[fixturedef] = set(state()._stats)
            state()._stats.update(before)

    def of(self, item: pytest.Item) -> set[str]:
        """Return what a test that has just run reaches."""
        shared = getattr(item, "_fixtureinfo", None)
        definitions = [d for every in shared.name2fixturedefs.values() for d in every] if shared else []
        found = set(state()._stats).union(*(self.by_fixture.get(each, ()) for each in definitions))
        state()._stats.clear()
        return found


def failed(item: pytest.Item, following: pytest.Item | None) -> bool:
    """Run one test and say whether it failed."""
    return any(report.failed for report in runtestprotocol(item, log=False, nextitem=following))


class Trial:
    """A run that takes over from pytest once the tests are collected."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self.asked = asked
        self.reached = Reached()
        self.factory: Any = None
        self.reaching: dict[str, list[str]] = defaultdict(list)
        self.cost: dict[str, float] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        import_everything()  # once, and not in every process that is forked
        for kept in kept_results():
            kept.cache_clear()
        session.config.pluginmanager.register(self.reached)
        self.factory = session.config._tmp_path_factory  # type: ignore[attr-defined]
        self.look_at(session.items)
        self.attempt(session.items)
        return True

    def fork(self, number: int, work: Callable[[], str]) -> int:
        """Run `work` in a process of its own, with a folder of its own, and return its id."""
        folder = Path(self.asked["folder"]) / "temporary" / str(number)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        sys.stdout.flush()
        if child := os.fork():
            return child
        self.factory._basetemp = folder
        try:
            said = work()
        except BaseException as broken:
            said = f"{CAUGHT}\t{type(broken).__name__}"
        (folder / "said").write_text(said, encoding="utf-8")
        os._exit(0)

    def said(self, number: int) -> str:
        """Return what a process has said that has ended: nothing where it was ended."""
        folder = Path(self.asked["folder"]) / "temporary" / str(number)
        said = folder / "said"
        words = said.read_text(encoding="utf-8") if said.exists() else ""
        shutil.rmtree(folder, ignore_errors=True)
        return words

    # -- what each test reaches ---------------------------------------------------------------------------

    def look_at(self, items: list[pytest.Item]) -> None:
        """Run every test once, but for files of tests that are as they were, on a package as it was."""
        kept = Path(self.asked["folder"]) / "reached.json"
        files: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in items:
            files[item.nodeid.partition("::")[0]].append(item)
        marks = {
            name: f"{self.asked['mark']} {these[0].path.stat().st_mtime_ns} {digest_of(these)} {self.asked['cases']}"
            for name, these in files.items()
        }
        known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        waiting = [name for name in files if known.get(name, {}).get("mark") != marks[name]][::-1]
        begun, running = time.perf_counter(), dict[int, tuple[str, int]]()
        while waiting or running:
            while waiting and len(running) < self.asked["processes"]:
                name = waiting.pop()
                number = -1 - len(waiting)
                child = self.fork(number, functools.partial(self.look_at_part, files[name]))
                running[child] = name, number
            name, number = running.pop(os.wait()[0])
            known[name] = {"mark": marks[name], **json.loads(self.said(number))}
            kept.write_text(json.dumps(known), encoding="utf-8")
        for name in files:
            self.cost |= known[name]["cost"]
            for function, tests in known[name]["reaching"].items():
                self.reaching[function] += tests
            if known[name]["broken"]:
                say(f"These fail on the code as it is, and are left out: {', '.join(known[name]['broken'])}")
        spent = sum(self.cost.values())
        say(f"{len(self.cost)} tests, {spent:.0f} s of processor time, {time.perf_counter() - begun:.0f} s")

    def look_at_part(self, items: list[pytest.Item]) -> str:
        """Run some cases of each test of a file, and all where those that were run cost next to nothing."""
        set_mutant_under_test("stats")
        os.environ["MUTMUT_DEPENDENCY_DEPTH"] = "-1"
        reaching: dict[str, list[str]] = defaultdict(list)
        cost: dict[str, float] = {}
        broken: list[str] = []
        forget = kept_results()

        def look(these: list[pytest.Item]) -> None:
            for item, following in zip(these, [*these, items[0]][1:], strict=True):
                for kept in forget:
                    kept.cache_clear()
                state()._stats.clear()
                begun = time.process_time()
                if failed(item, following):
                    broken.append(item.nodeid)
                    continue
                cost[item.nodeid] = time.process_time() - begun
                for function in self.reached.of(item):
                    reaching[function].append(item.nodeid)

        some = some_of(items, self.asked["cases"])
        look(some)
        dear = {item.nodeid.partition("[")[0] for item in some if cost.get(item.nodeid, 1) > NOTHING}
        seen = {item.nodeid for item in some}
        rest = [item for item in items if item.nodeid not in seen]
        look([item for item in rest if item.nodeid.partition("[")[0] not in dear])
        return json.dumps({"reaching": reaching, "cost": cost, "broken": broken})

    # -- the mutants --------------------------------------------------------------------------------------

    def attempt(self, items: list[pytest.Item]) -> None:
        """Try every mutant that is asked for, and write how each ended as soon as it has."""
        by_name = {item.nodeid: item for item in items}
        noticed: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        running: dict[int, tuple[int, str, str]] = {}
        waiting = list(enumerate(self.asked["mutants"]))[::-1]
        with Path(self.asked["results"]).open("a", encoding="utf-8") as results:

            def write(mutant: str, outcome: str, test: str, spent: float) -> None:
                results.write(json.dumps([mutant, outcome, test, round(spent, 3)]) + "\n")
                results.flush()

            while waiting or running:
                while waiting and len(running) < self.asked["processes"]:
                    number, mutant = waiting.pop()
                    function = mutant.partition("__mutmut_")[0]
                    used_by = self.asked["users"].get(function, [function])
                    named = self.asked["named"].get(function, ())
                    reaching = sorted(
                        {test for each in used_by for test in self.reaching.get(each, [])}
                        | {test for test in self.cost if test.partition("::")[0] in named}
                    )
                    if not reaching:
                        write(mutant, UNREACHED, "", 0.0)
                        continue
                    chosen = order_of(reaching, self.cost, noticed[function], self.asked["expense"])
                    work = functools.partial(self.try_one, mutant, [by_name[test] for test in chosen])
                    running[self.fork(number, work)] = number, mutant, function
                if not running:
                    break
                ended, status, used = self.next_end(running)
                number, mutant, function = running.pop(ended)
                outcome, _, test = self.said(number).partition("\t")
                if status or not outcome:  # by a limit, or by a crash: it is noticed
                    outcome, test = ENDLESS, f"signal {os.waitstatus_to_exitcode(status)}"
                if outcome == CAUGHT and test in by_name:
                    noticed[function][test] += 1
                write(mutant, outcome, test, used.ru_utime + used.ru_stime)

    @staticmethod
    def next_end(running: Collection[int]) -> tuple[int, int, Any]:
        """Wait for a process to end, and end those that take too much memory."""
        while True:
            child, status, used = os.wait4(-1, os.WNOHANG)
            if child:
                return child, status, used
            for each in running:
                pages = int(Path(f"/proc/{each}/statm").read_text().split()[1])
                if pages * resource.getpagesize() > MEMORY:
                    os.kill(each, signal.SIGKILL)
            time.sleep(0.005)

    def try_one(self, mutant: str, items: list[pytest.Item]) -> str:
        """Run tests until one fails; one that takes five times its processor time and half a second is ended.

        So is what waits for what never comes: after five minutes, and half a minute for each second of the tests.
        """
        signal.setitimer(signal.ITIMER_REAL, 300 + 30 * sum(self.cost[item.nodeid] for item in items))
        name = mutant.partition(" ")[0]
        set_mutant_under_test(name)
        if name.partition("__mutmut_")[0] in self.asked["users"]:
            constants.put(name, self.asked["sources"][name.partition(constants.MARK)[0]])
        for item, following in zip(items, [*items[1:], None], strict=True):
            signal.setitimer(signal.ITIMER_PROF, 0.5 + 5 * self.cost[item.nodeid])
            if failed(item, following):
                return f"{CAUGHT}\t{item.nodeid}"
        return SURVIVED


def say(words: str) -> None:
    """Write a line to where the command was called from."""
    print(words, file=sys.__stderr__, flush=True)


def main() -> int:
    asked = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    os.chdir("mutants")
    sys.path.insert(0, str(Path.cwd()))
    set_mutant_under_test("")
    words = [
        "-q", "--rootdir=.", "--no-header", "--tb=no", "--assert=plain", "--hypothesis-seed=0",
        "-otmp_path_retention_policy=none", *(f"-pno:{plugin}" for plugin in asked["without"]),
        "-m", "not slow and not wide and not neo4j and not spark", *asked["tests"],
    ]  # fmt: skip
    return int(pytest.main(words, plugins=[Trial(asked)]))


if __name__ == "__main__":
    sys.exit(main())
