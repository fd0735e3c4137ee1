"""A campaign against an embedded store: kills, full disks, flipped bits and cut files, each by a forked process.

A program of its own (``python campaign.py NAME PATH COUNT SEED``), so that its forks start from a process without
threads. It prints one JSON object: what was done and every ``failure``, which must be none.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import edgedp.mechanisms.sampling.words
import edgedp.mechanisms.scores.sums
import edgedp.release.draw  # noqa: F401
from edgedp import EdgeDPError, Graph, Release, Store, open_store

KITE = Graph.from_edges(
    [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)],
    nodes=[1, 2, 3, 4, 5],
    properties={"age": [31, 64, 7, 90, 25], "degree": [2, 2, 3, 2, 1]},
)
EPSILON = 0.01
NANO = 10_000_000
"""The same in nano-epsilon."""
SIZES = (3, 40, 400)
WORKERS = 4


def forked(work: Callable[[], object]) -> int:
    """Run something in a fork and return its process id; it exits 0, or 70 after a raw exception."""
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(70)
    return process


def ended(process: int) -> int:
    """Wait for a fork and return its exit status, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def told(work: Callable[[], Any]) -> tuple[int, Any]:
    """Run something in a fork and return its exit status and what it returned."""
    reading, writing = os.pipe()

    def telling() -> None:
        os.close(reading)
        with os.fdopen(writing, "w") as stream:
            json.dump(work(), stream)

    process = forked(telling)
    os.close(writing)
    with os.fdopen(reading) as stream:
        text = stream.read()
    return ended(process), json.loads(text) if text else None


def made(path: Path) -> None:
    """Make a store of two graphs, with a few releases."""

    def make() -> None:
        store = open_store(path)
        store.load(KITE, "kite", epsilon_budget=1000, attribute_epsilon_budget=1000)
        store.attribute("kite", "age", 0, 100, points=11)
        store.attribute("kite", "degree", 0, 10, points=11, depends_on="degree")
        store.load(Graph.from_edges([(1, 2), (2, 3)]), "other", epsilon_budget=1, delta="1e-6")
        for number in range(4):
            asked(store, number, request_id=f"r{number}")
        store.priv_top_k("other", "degree", 1, EPSILON)

    assert ended(forked(make)) == 0


def asked(store: Store, number: int, **more: Any) -> Release:
    """Ask for a release of the edges, of the attributes, or of a property that debits both, in turn."""
    match number % 3:
        case 0:
            return store.priv_top_k("kite", "degree", 1, EPSILON, **more)
        case 1:
            return store.percentile("kite", "age", 0.5, EPSILON, **more)
        case _:
            return store.percentile("kite", "degree", 0.5, EPSILON, **more)


def owed(releases: list[dict[str, Any]]) -> dict[str, int]:
    """Return what releases cost of each account, in nano-epsilon, from what was asked."""
    asks = [row["parameters"].get("property") for row in releases]
    of_both, of_records = asks.count("degree"), asks.count("age")
    return {"edges": NANO * (len(asks) - of_records + of_both), "attributes": NANO * (of_records + of_both)}


def spent(balance: dict[str, Any]) -> dict[str, int]:
    """Return what both accounts say, in nano-epsilon."""
    accounts = {"edges": balance, "attributes": balance["attributes"]}
    return {name: round(account["epsilon_spent"] * 10**9) for name, account in accounts.items()}


def answered(row: dict[str, Any]) -> Any:
    """Return what a release said: nodes, or a value."""
    return row.get("nodes", row.get("value"))


# -- kills ------------------------------------------------------------------------------------------------


def releases_killed(path: Path, count: int, chance: random.Random) -> dict[str, Any]:
    """Kill processes that ask for releases, and look for a shown one that is lost, or one without a debit."""
    made(path)
    shown = path.with_name("shown")

    def stream(number: int) -> None:
        out = os.open(shown.with_name(f"shown-{number}"), os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        store = open_store(path, lock_timeout=600)
        for asks in itertools.count(number):
            release = asked(store, asks)
            said = json.dumps([release.receipt["release_id"], answered(release.answer.to_json())])
            os.write(out, f"{said}\n".encode())

    def has_shown(number: int) -> bool:
        file = shown.with_name(f"shown-{number}")
        return file.exists() and file.stat().st_size > 0

    alive = {forked(lambda n=n: stream(n)): n for n in range(WORKERS)}  # type: ignore[misc]
    killed, productive = 0, 0
    while killed < count:
        process = chance.choice(sorted(alive))
        number = alive.pop(process)
        # Most are killed in the midst of their releases, the others wherever they are, also at their start.
        while killed % 4 and not has_shown(number):
            time.sleep(0.005)
            if os.waitpid(process, os.WNOHANG) != (0, 0):
                for other in alive:
                    os.kill(other, signal.SIGKILL)
                return {"failures": ["a process ended by itself"]}
        time.sleep(chance.uniform(0, 0.1))
        os.kill(process, signal.SIGKILL)
        ended(process)
        productive += has_shown(number)
        killed += 1
        alive[forked(lambda n=killed + WORKERS: stream(n))] = killed + WORKERS  # type: ignore[misc]
    for process in alive:
        os.kill(process, signal.SIGKILL)
        ended(process)
    texts = [file.read_text() for file in path.parent.glob("shown-*")]
    lines = [
        json.loads(line) for text in texts for line in text.splitlines(keepends=True) if line[-1] == "\n"
    ]
    _, found = told(lambda: seen(path))
    kept = {row["release_id"]: answered(row) for row in found["releases"]}
    failures = [f"lost: {key}" for key, answer in lines if kept.get(key) != answer]
    if spent(found["budget"]) != owed(found["releases"]):
        failures.append(f"spent {found['budget']} for {len(kept)} releases")
    failures += [row["problem"] for row in found["check"]]
    return {
        "kills": killed, "had_shown": productive, "shown": len(lines), "debited": len(kept), "failures": failures
    }  # fmt: skip


def seen(path: Path) -> dict[str, Any]:
    """Return all that a store says."""
    store = open_store(path, lock_timeout=600)
    return {
        "budget": store.budget("kite"), "releases": store.releases("kite"), "graphs": store.graphs(),
        "check": store.check(), "edges": store.graph("kite").edge_count,
    }  # fmt: skip


def loads_killed(path: Path, count: int, chance: random.Random) -> dict[str, Any]:
    """Kill processes that replace a graph, and look for half a graph after every kill."""
    made(path)

    loaded = path.with_name("loaded")

    def reload() -> None:
        store = open_store(path, lock_timeout=600)
        while True:
            for size in SIZES:
                try:
                    store.load(Graph.from_edges([(i, i + 1) for i in range(size)]), "kite", replace=True)
                except EdgeDPError:  # the other one was quicker
                    continue
                loaded.touch()

    failures: list[str] = []
    replaced = 0
    for number in range(count):
        loaded.unlink(missing_ok=True)
        before = told(lambda: open_store(path).log("kite")[-1]["seq"])[1]
        processes = [forked(reload), forked(reload)]
        while number % 4 and not loaded.exists():  # most are killed between replacements, the others anywhere
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.3))
        for process in processes:
            os.kill(process, signal.SIGKILL)
            ended(process)
        status, found = told(lambda: seen(path))
        if status or found["edges"] not in (*SIZES, KITE.edge_count) or found["check"]:
            failures.append(f"{status} {found}")
        if found and spent(found["budget"]) != owed(found["releases"]):
            failures.append(f"spent {found['budget']}")
        replaced += told(lambda: open_store(path).log("kite")[-1]["seq"])[1] > before + 1
    ended(forked(lambda: open_store(path).load(KITE, "kite", replace=True)))
    left = sorted(file.name for file in path.iterdir())
    if len(left) != 5:
        failures.append(f"left behind: {left}")
    return {"kills": 2 * count, "rounds_with_a_replacement": replaced, "failures": failures}


# -- full disks -------------------------------------------------------------------------------------------


def disk_full(path: Path, count: int, chance: random.Random) -> dict[str, Any]:
    """Let no file grow beyond a length, at every step of a release and of a load."""
    made(path)
    failures: list[str] = []
    refused, granted = 0, 0
    # From what lets nothing be written at all, over every page of the ledger and of its journal, to what suffices.
    least = (path / "ledger.sqlite").stat().st_size - 20_000
    step = max(80_000 // count, 1)
    for number, most in enumerate([0, 4096, *range(least, least + 80_000, step)]):
        status, shown = told(lambda most=most, each=number: limited(path, most, lambda at: ask(at, each)))  # type: ignore[misc]
        refused += "error" in (shown or {})
        granted += "release_id" in (shown or {})
        failures += judged(path, status, shown, f"release at {most}")
    for most in range(0, least + 80_000, 4 * step):
        told(lambda most=most: limited(path, most, replace))  # type: ignore[misc]
        failures += judged(path, 0, {"error": ""}, f"load at {most}")
    return {"refused": refused, "granted": granted, "failures": failures}


def limited(path: Path, most: int, work: Callable[[Path], Any]) -> Any:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    return work(path)


def ask(path: Path, number: int) -> dict[str, Any]:
    try:
        return asked(open_store(path), number).to_dict()
    except EdgeDPError as error:
        return {"error": str(error)}


def replace(path: Path) -> dict[str, Any]:
    try:
        return open_store(path).load(Graph.from_edges([(1, 2)]), "kite", replace=True)
    except EdgeDPError as error:
        return {"error": str(error)}


def judged(path: Path, status: int, shown: Any, where: str) -> list[str]:
    """Return what is wrong with a store after something was tried on it, now that there is room again."""
    if status:
        return [f"{where}: ended as {status}"]
    after, found = told(lambda: seen(path))
    if after:
        return [f"{where}: afterwards the store ended as {after}"]
    wrong = [f"{where}: {row['problem']}" for row in found["check"]]
    kept = {row["release_id"]: answered(row) for row in found["releases"]}
    if "release_id" in shown and kept.get(shown["release_id"]) != answered(shown):
        wrong.append(f"{where}: shown and not kept")
    if spent(found["budget"]) != owed(found["releases"]):
        wrong.append(f"{where}: spent {found['budget']} for {len(kept)}")
    if found["edges"] not in (1, KITE.edge_count):
        wrong.append(f"{where}: {found['edges']} edges")
    return wrong


def disk_small(path: Path, count: int, chance: random.Random) -> dict[str, Any]:
    """Fill a small real disk (a tmpfs at ``path``'s folder) to the last bytes, before releases and loads."""
    made(path)
    failures: list[str] = []
    refused, granted = 0, 0
    ballast = path.with_name("ballast")
    for number in range(count):
        room = 120_000 * number // count
        free = shutil.disk_usage(path).free
        with ballast.open("wb") as stream:
            stream.truncate(0)
            stream.write(bytes(max(free - room, 0)))
        status, shown = told(lambda each=number: ask(path, each))  # type: ignore[misc]
        refused += "error" in (shown or {})
        ballast.unlink()
        granted += "release_id" in (shown or {})
        failures += judged(path, status, shown, f"release with {room} bytes of room")
        if number % 8 == 0:
            with ballast.open("wb") as stream:
                stream.write(bytes(max(free - 16 * room, 0)))
            told(lambda: replace(path))
            ballast.unlink()
            failures += judged(path, 0, {}, f"load with {16 * room} bytes of room")
    return {"refused": refused, "granted": granted, "failures": failures}


# -- damage -------------------------------------------------------------------------------------------------


def prepared(path: Path) -> dict[str, Path]:
    """Make the store, and a copy that a kill left in the middle of a commit, with its journal."""
    made(path)
    crashed = path.with_name("crashed")

    def crash() -> None:
        shutil.copytree(path, crashed)
        with open_store(crashed)._backend.session() as session:
            connection = session.connection  # type: ignore[attr-defined]
            connection.execute("PRAGMA cache_size = 5")
            with session.transaction() as tx:
                for number in range(60):
                    row = {
                        "name": "kite",
                        "kind": "exact",
                        "at": "t",
                        "by": "b",
                        "body": json.dumps({"n": number}),
                    }
                    tx.run("account_next", name="kite")
                    tx.run("log_append", **row)
                os.kill(os.getpid(), signal.SIGKILL)

    assert ended(forked(crash)) == -signal.SIGKILL
    (version,) = [file for file in path.glob("*.graph") if file.stat().st_ino == _of(path, "kite")]
    return {
        "ledger": path / "ledger.sqlite",
        "graph": version,
        "rows": version.with_suffix(".rows"),
        "journal": crashed / "ledger.sqlite-journal",
    }


def _of(path: Path, name: str) -> int:
    connection = sqlite3.connect(path / "ledger.sqlite")
    (version,) = connection.execute("SELECT version FROM graphs WHERE name = ?", (name,)).fetchone()
    connection.close()
    return (path / f"{version:x}.graph").stat().st_ino


def look(path: Path) -> dict[str, Any]:
    """Ask everything that a damaged store may be asked; each is an answer or a refusal in words."""
    store = open_store(path, lock_timeout=5)
    asks: dict[str, Callable[[], Any]] = {
        "budget": lambda: store.budget("kite"), "releases": lambda: store.releases("kite"), "graphs": store.graphs,
        "other": lambda: store.budget("other"),
        "kept": lambda: answered(asked(store, 1, request_id="r1").to_dict()),
        "release": lambda: asked(store, 2).to_dict(),
        "after": lambda: spent(store.budget("kite")),
    }  # fmt: skip
    said: dict[str, Any] = {}
    for name, question in asks.items():
        try:
            said[name] = question()
        except EdgeDPError as error:
            said[name] = {"error": str(error)}
            if "\n" in str(error):
                raise
    return said


def damage(
    path: Path, name: str, where: Path, change: Callable[[bytearray], bytes], truth: dict[str, Any]
) -> list[str]:
    """Change one file of a fresh copy, ask everything, and return what is wrong with the answers."""
    copy = path.with_name("copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(where.parent, copy)
    target = copy / where.name
    target.chmod(0o600)
    target.write_bytes(change(bytearray(target.read_bytes())))
    status, said = told(lambda: look(copy))
    if status:
        return [f"{name}: ended as {status}"]
    wrong = []
    for question in ("budget", "releases", "graphs", "other"):
        if said[question] != truth[question] and "error" not in said[question]:
            wrong.append(f"{name}: {question} is {said[question]}")
    released = "error" not in said["release"]
    least = spent(truth["budget"])
    if released:
        least = {"edges": least["edges"] + 2 * NANO, "attributes": least["attributes"] + NANO}
        # A request that was not found may have been debited once more: budget is lost, privacy is not.
        debited = round(said["release"]["epsilon_spent"] * 10**9) - least["attributes"]
        if debited not in (0, NANO):
            wrong.append(f"{name}: shown with {said['release']['epsilon_spent']} spent")
    if "error" not in said["after"] and any(said["after"][each] < least[each] for each in least):
        wrong.append(f"{name}: {said['after']} spent afterwards")
    return wrong


def truth_of(path: Path) -> dict[str, Any]:
    copy = path.with_name("copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(path, copy)
    status, said = told(lambda: look(copy))
    assert status == 0, said
    assert not any("error" in answer for answer in said.values() if isinstance(answer, dict)), said
    return dict(said)


def bits(path: Path, count: int, chance: random.Random) -> dict[str, Any]:
    """Flip single bits of ledger, journal, database file and file of rows."""
    files = prepared(path)
    truth = truth_of(path)
    failures: list[str] = []
    done: dict[str, int] = dict.fromkeys(files, 0)
    assert truth_of(files["journal"].parent)["budget"] == truth["budget"], "the journal is rolled back"
    for number in range(count):
        kind = ("ledger", "rows", "journal", "graph")[number % 4]
        where = files[kind]
        bit = chance.randrange(8 * where.stat().st_size)

        def flip(content: bytearray, bit: int = bit) -> bytes:
            content[bit // 8] ^= 1 << bit % 8
            return bytes(content)

        failures += damage(path, f"{kind} bit {bit}", where, flip, truth)
        done[kind] += 1
    return {"flips": done, "failures": failures}


def cuts(path: Path, count: int, chance: random.Random) -> dict[str, Any]:
    """Cut every file at lengths."""
    files = prepared(path)
    truth = truth_of(path)
    failures: list[str] = []
    for kind, where in files.items():
        size = where.stat().st_size
        lengths = [0, 1, size - 1, *(chance.randrange(size) for _ in range(count - 3))]
        for length in lengths[:count]:

            def cut(content: bytearray, length: int = length) -> bytes:
                return bytes(content[:length])

            failures += damage(path, f"{kind} cut at {length}", where, cut, truth)
    return {"cuts": count * len(files), "failures": failures}


if __name__ == "__main__":
    program, place, times, seed = sys.argv[1:]
    result = globals()[program](Path(place), int(times), random.Random(int(seed)))
    print(json.dumps(result))
