"""Leases count by a clock that nobody sets: Debian's ``libfaketime`` sets the other one for a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from edgedp import Graph, open_store
from edgedp.stores.embedded import clock

FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)

LOOK = """
import json, sys, time
from edgedp import open_store
from edgedp.ledger import ledger
with open_store(sys.argv[1])._backend.session() as session:
    if sys.argv[2] != "look":
        session.run("lease_renew", name="kite", releaseId=sys.argv[2], seconds=ledger.LEASE_SECONDS)
    row = session.run("request_find", name="kite", analyst="", requestId="q")[0]
    print(json.dumps([bool(row["leaseAlive"]), time.time()]))
"""


def at(shift: str, store: Path, what: str) -> bool:
    """Look at, or renew, the lease in a process whose clock on the wall was set; return whether it is alive there."""
    if FAKETIME is None:
        pytest.skip("needs a clock that can be set: apt-get install libfaketime")
    environment = os.environ | {
        "LD_PRELOAD": str(FAKETIME),
        "FAKETIME": shift,
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", LOOK, str(store), what],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    alive, then = json.loads(done.stdout)
    assert abs(then - clock.wall()) > 3600
    return bool(alive)


@pytest.fixture
def drawing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """A store with a release that was debited and never answered; the release's number."""
    path = tmp_path / "store"
    with open_store(path) as store:
        store.load(Graph.from_edges([(1, 2), (2, 3)]), "kite", epsilon_budget=9)
        monkeypatch.setattr(type(store), "_draw", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.priv_top_k("kite", "degree", 1, "0.01", request_id="q")
        with store._backend.session() as session:
            (row,) = session.run("request_find", name="kite", analyst="", requestId="q")
    return path, row["releaseId"]


@pytest.mark.parametrize("shift", ["+3h", "-3h"])
def test_a_clock_that_is_set_during_a_draw_loses_no_release(drawing: tuple[Path, str], shift: str) -> None:
    path, release = drawing
    for _ in range(3):  # should thirty seconds of a busy machine lie between the two
        with open_store(path)._backend.session() as session:
            session.run("lease_renew", name="kite", releaseId=release, seconds=30)
            before = clock.ticks()
        alive = at(shift, path, "look")
        if clock.ticks() - before < 25:
            break
    assert alive


def test_a_lease_of_a_clock_ahead_ends_in_time(
    drawing: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, release = drawing
    assert at("+4y", path, release)
    now = clock.ticks()
    monkeypatch.setattr(clock, "ticks", lambda: now + 31)
    with open_store(path)._backend.session() as session:
        assert not session.run("request_find", name="kite", analyst="", requestId="q")[0]["leaseAlive"]


def test_a_lease_of_another_boot_counts_by_the_wall_and_never_beyond_its_length(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clock, "wall", lambda: 1000)
    monkeypatch.setattr(clock, "ticks", lambda: 50)
    assert [clock.leased("another", 10**9, until) for until in (1000, 1001, 1030, 1031)] == [
        False,
        True,
        True,
        False,
    ]
    assert [clock.leased(clock.boot(), until, 10**9) for until in (50, 51, 80, 81)] in (
        [False, True, True, False],
        [False] * 4,  # where no boot is named, the wall counts
    )
    assert not clock.leased("", 60, 10**9)
