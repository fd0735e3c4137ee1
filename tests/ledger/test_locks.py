"""Locks end when they are let go of, whichever process was forked off meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edgedp.stores.embedded.locks import queue, try_hold


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("how", ["queue", "hold"])
def test_a_fork_keeps_no_lock(tmp_path: Path, how: str) -> None:
    read, write = os.pipe()

    def forked() -> int:
        child = os.fork()
        if not child:
            os.close(write)
            os.read(read, 1)
            os._exit(0)
        return child

    if how == "queue":
        with queue(tmp_path, 5.0) as free:
            assert free
            child = forked()
    else:
        held = try_hold(tmp_path, shared=False)
        assert held is not None
        with held:
            child = forked()
    try:
        again = try_hold(tmp_path, shared=False)
        assert again is not None, "the child that was forked holds the lock"
        again.release()
    finally:
        os.close(write)
        os.close(read)
        os.waitpid(child, 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_that_lets_go_unlocks_nothing_of_its_parent(tmp_path: Path) -> None:
    held = try_hold(tmp_path, shared=False)
    assert held is not None
    child = os.fork()
    if not child:
        held.release()
        os._exit(0)
    os.waitpid(child, 0)
    assert try_hold(tmp_path, shared=False) is None
    held.release()
