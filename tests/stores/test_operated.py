"""One of two gateways is killed and started again; a store is mounted twice: real processes, real mounts."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from edgedp import Graph, open_store
from gateway_server import Served, serve
from soak import ANALYSTS, EPSILON, Told, ask, compared

pytestmark = pytest.mark.wide

STAR = [(0, leaf) for leaf in range(1, 50)]
KEYS = [f"key {number}" for number in range(15)]
SPENDER = """
import sys
from edgedp import BudgetError, open_store
with open_store(sys.argv[1]) as store:
    paid = 0
    try:
        while True:
            store.priv_top_k("star", "degree", 1, "0.01")
            paid += 1
    except BudgetError:
        sys.stdout.write(f"{paid}\\n")
"""


@pytest.mark.timeout(900)
def test_a_gateway_that_is_killed_and_started_again_pays_no_key_twice(tmp_path: Path) -> None:
    """Every key is asked at both gateways at once; one of them is killed when a third of its keys are answered."""
    place = tmp_path / "g.edgedp"
    with open_store(place) as store:
        store.load(Graph.from_edges(STAR), "star", epsilon_budget=1000)
        tokens = {who: store.add_analyst(who)["token"] for who in ANALYSTS}
        for who in tokens:
            store.grant("star", who, 250)
        told, failures = Told(), list[BaseException]()
        third = threading.Event()

        def asks(at: Served, who: str, rings: bool) -> None:
            try:
                with at.client(tokens[who]) as client:
                    for number, key in enumerate(KEYS):
                        ask(client, who, key, told)
                        if rings and number == len(KEYS) // 3:
                            third.set()
            except BaseException as error:
                failures.append(error)
            finally:
                third.set()

        with serve(place, tmp_path) as lives:
            port = lives.port
            while port == lives.port:
                dies = serve(place, tmp_path)
                port = dies.port
            callers = [
                threading.Thread(target=asks, args=(at, who, at is dies and who == ANALYSTS[0]))
                for at in (lives, dies)
                for who in tokens
            ]
            for caller in callers:
                caller.start()
            third.wait(300)
            dies.end(signal.SIGKILL)
            dies.__exit__()
            with serve(place, tmp_path, "--port", str(port)) as again:
                for caller in callers:
                    caller.join()
                for who, token in tokens.items():
                    with again.client(token) as client:
                        for key in KEYS:
                            ask(client, who, key, told)
                assert again.end() == 0
            assert lives.end() == 0
        assert not failures, failures
        assert compared(store, [told]) == []
        assert len(told.answers) + len(told.lost) == len(tokens) * len(KEYS)
        assert store.budget("star")["epsilon_spent"] == pytest.approx(len(tokens) * len(KEYS) * EPSILON)


def mounted(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a shell script in a name space where it may mount."""
    command = ["unshare", "--mount", "sh", "-euc", script, "sh", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    """Return an empty folder; skip where nothing may be mounted."""
    folder = tmp_path / "mounts"
    (folder / "from").mkdir(parents=True)
    (folder / "to").mkdir()
    if shutil.which("unshare") is None or os.geteuid() != 0:
        pytest.skip("no unshare, or nobody but root may mount here")
    if mounted('mount --bind "$1/from" "$1/to"', folder).returncode:
        pytest.skip("nothing may be mounted here")
    return folder


def loaded(place: Path) -> None:
    with open_store(place) as store:
        store.load(Graph.from_edges(STAR), "star", epsilon_budget="0.2")


def test_a_store_that_is_mounted_twice_has_one_budget(mounts: Path) -> None:
    """Four processes spend all that there is, two by each of the paths."""
    place = mounts / "from" / "g.edgedp"
    loaded(place)
    (mounts / "to").rmdir()
    (mounts / "to" / "g.edgedp").mkdir(parents=True)
    script = """
    mount --bind "$1/from/g.edgedp" "$1/to/g.edgedp"
    pids=
    for path in from to from to; do "$2" -c "$3" "$1/$path/g.edgedp" & pids="$pids $!"; done
    for pid in $pids; do wait "$pid"; done
    """
    done = mounted(script, mounts, sys.executable, SPENDER)
    assert done.returncode == 0, done.stderr
    assert sum(map(int, done.stdout.split())) == 20
    with open_store(place) as store:
        assert store.budget("star")["epsilon_remaining"] == 0
        assert store.check() == []


def test_a_mount_that_hides_the_head_keeps_the_copy_inside(mounts: Path) -> None:
    """An older ledger is put into a store that is mounted without the folder around it."""
    place = mounts / "from" / "g.edgedp"
    loaded(place)
    old = mounts / "old.sqlite"
    shutil.copy(place / "ledger.sqlite", old)
    with open_store(place) as store:
        store.priv_top_k("star", "degree", 1, "0.2")
        store.backup(mounts / "backup")
    for each in place.glob("ledger.sqlite*"):
        each.unlink()
    shutil.copy(old, place / "ledger.sqlite")
    script = """
    mount --bind "$1/from/g.edgedp" "$1/to"
    mount -t tmpfs none "$1/from"
    exec "$2" -c "$3" "$1/to"
    """
    done = mounted(script, mounts, sys.executable, SPENDER)
    assert done.returncode != 0
    assert done.stdout == ""
    assert "star" in done.stderr.splitlines()[-1]
