"""Programs that tests run in processes of their own, to kill them or to let them compete.

``KILL_AT`` names the point at which a child kills itself (`killing`).
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, cast

import killing
from edgedp import BudgetError, EdgeDPError, Graph, Store, open_store
from edgedp.ledger.backend import Row, Transaction
from forks import Forked, Process

PAIR = Graph.from_edges([(10, 20)])


MOUNTING = ["unshare", "--mount", "sh", "-euc", 'mount --bind "$0" "$1"; shift; exec "$@"']
"""Starts a program in a name space where one folder is mounted at another, too."""


@cache
def may_mount() -> bool:
    """Whether this user may mount a folder twice here."""
    if shutil.which("unshare") is None or os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        return (
            subprocess.run([*MOUNTING, one, other, "true"], check=False, capture_output=True).returncode == 0
        )


def child(
    *arguments: object,
    kill_at: str | None = None,
    cwd: Path | None = None,
    mounted: tuple[Path, Path] | None = None,
) -> Process:
    """Start one of these programs, perhaps where a folder is mounted at another; the caller reaps it."""
    words, environment = [*map(str, arguments)], dict(os.environ)
    if kill_at is not None:
        environment["KILL_AT"] = kill_at
    if mounted is None:
        return Forked(
            "import embedded_children; embedded_children.main()", *words, environment=environment, cwd=cwd
        )
    return subprocess.Popen(
        [*MOUNTING, *map(str, mounted), sys.executable, __file__, *words],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=cwd,
    )


def status(process: Process) -> int:
    """Return the exit status of a child that ends by itself."""
    process.communicate(timeout=300)
    return process.returncode


def granted(store: Store, times: int, epsilon: str) -> int:
    """Ask again and again; return how many releases were granted."""
    count = 0
    for _ in range(times):
        try:
            store.priv_top_k("kite", metric="degree", k=1, epsilon=epsilon)
            count += 1
        except BudgetError:
            pass
    return count


def compete(path: str, times: int, epsilon: str) -> None:
    """Print how many releases were granted."""
    print(granted(open_store(path, lock_timeout=300), times, epsilon))


def release(
    path: str,
    name: str,
    epsilon: str,
    request_id: str | None = None,
    analyst: str | None = None,
    of_property: str | None = None,
    windows: str | None = None,
) -> None:
    """Ask for one release, directly or as an analyst, and print what is shown of it, or the refusal."""
    store = open_store(path)
    asking, more = store.asking_as(analyst) if analyst else store, {"request_id": request_id or None}
    more |= {"windows": windows} if windows else {}
    try:
        if of_property:
            found = asking.percentile(name, of_property, 0.5, epsilon, **more)
        else:
            found = asking.priv_top_k(name, "degree", 1, epsilon, **more)
        print(json.dumps(found.to_dict()))
    except EdgeDPError as error:
        print(json.dumps({"error": str(error), "type": type(error).__name__}))


def release_half(*arguments: str) -> None:
    """Ask for one release and be killed in its debit, after the first row of a log: before the second account's."""
    from edgedp.ledger import script

    whole = script.run_in

    def dying(tx: Transaction, running: script.Script) -> script.Outcome:
        return whole(cast(Transaction, Dying(tx)), running)

    script.run_in = dying  # type: ignore[assignment]
    release(*arguments)


class Dying:
    """A transaction that kills its process after the row of a debit."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def run(self, statement: str, **parameters: Any) -> list[Row]:
        rows = self._tx.run(statement, **parameters)
        if statement == "log_debit":
            os.kill(os.getpid(), signal.SIGKILL)
        return rows


def sure(path: str) -> None:
    """Ask for a list by quality, whose target is too high to be reached at once."""
    store = open_store(path)
    print(store.priv_top_k("hubs", "degree", 5, 3, target_recall="0.999", request_id="a").nodes)


def load(path: str, name: str = "kite", budget: str = "3") -> None:
    """Load two nodes in place of what is there."""
    open_store(path).load(PAIR, name, replace=True, epsilon_budget=budget)


def stream(path: str, name: str, epsilon: str) -> None:
    """Ask for releases until killed; a line of each that was shown."""
    store = open_store(path, lock_timeout=300)
    while True:
        shown = store.priv_top_k(name, metric="degree", k=1, epsilon=epsilon)
        sys.stdout.write(f"{shown.receipt['release_id']} {shown.nodes[0]}\n")
        sys.stdout.flush()


def reload(path: str, name: str, sizes: str) -> None:
    """Replace a graph again and again until killed, each time by a path of another length."""
    store = open_store(path, lock_timeout=300)
    print("ready", flush=True)
    while True:
        for size in map(int, sizes.split(",")):
            store.load(Graph.from_edges([(i, i + 1) for i in range(size)]), name, replace=True)


def fill_up(path: str, most: int, what: str = "release") -> None:
    """Do something where no file can grow beyond some bytes, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    store = open_store(path)
    try:
        if what == "release":
            print(store.priv_top_k("kite", metric="degree", k=1, epsilon="0.01").nodes)
        else:
            store.load(PAIR, "kite", replace=True)
            print("loaded")
    except EdgeDPError as error:
        print(f"refused: {error}")


def hold(path: str, seconds: int) -> None:
    """Keep a writing transaction open."""
    with open_store(path)._backend.session() as session, session.transaction():
        print("held", flush=True)
        time.sleep(seconds)


def hold_old(path: str) -> None:
    """Keep the database file of a store of 0.1.0 open, without its lock file."""
    import ladybug

    with ladybug.Database(path, buffer_pool_size=1 << 26):
        print("held", flush=True)
        signal.pause()


def look(path: str) -> None:
    """Print what a store says: budget, releases and graphs, or the refusal of each; for damaged stores."""
    store = open_store(path)
    asks: dict[str, Any] = {
        "budget": lambda: store.budget("kite"),
        "releases": lambda: store.releases("kite"),
        "graphs": store.graphs,
        "release": lambda: store.priv_top_k("kite", metric="degree", k=1, epsilon="0.01").receipt,
    }
    shown = {}
    for name, ask in asks.items():
        try:
            shown[name] = ask()
        except EdgeDPError as error:
            shown[name] = {"error": str(error)}
    print(json.dumps(shown))


def serve(path: str) -> None:
    """Answer a line of what to do, again and again: ``[method, args, kwargs]`` in JSON."""
    stores: dict[str, Any] = {}
    for line in sys.stdin:
        where, method, args, kwargs = json.loads(line)
        store = stores.setdefault(where, open_store(where))
        try:
            if method == "load":
                args[0] = Graph.from_edges(args[0])
            found = getattr(store, method)(*args, **kwargs)
            answer = {"value": found.to_dict() if hasattr(found, "to_dict") else found}
        except EdgeDPError as error:
            answer = {"error": type(error).__name__, "text": str(error)}
        print(json.dumps(answer), flush=True)


def without_frames() -> None:
    """Let this process find no library of data frames: the one under a load imports any that there is, for .3 s."""
    frames = ("pandas", "polars")

    class Others(PathFinder):
        @classmethod
        def find_spec(cls, fullname: str, *further: Any, **named: Any) -> Any:
            return None if fullname in frames else super().find_spec(fullname, *further, **named)

    sys.meta_path[:] = [Others if each is PathFinder else each for each in sys.meta_path]


def main() -> None:
    """Run the program that the command names."""
    without_frames()
    if "KILL_AT" in os.environ:
        killing.kill_at(os.environ["KILL_AT"])
    globals()[sys.argv[1]](*[int(word) if word.isdigit() else word for word in sys.argv[2:]])


if __name__ == "__main__":
    main()
