"""The campaign against the embedded store: a short form in every run, the whole of it marked slow."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import campaign


def run(program: str, folder: Path, count: int) -> dict[str, Any]:
    """Run one of the campaign's programs in a process of its own; it reaps what it started."""
    command = [
        sys.executable,
        campaign.__file__,
        program,
        str(folder / "graphs.edgedp"),
        str(count),
        str(count),
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EDGEDP_")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert result["failures"] == [], done.stderr[-2000:]
    return result


short = pytest.param(False, id="short")
whole = pytest.param(True, id="whole", marks=[pytest.mark.slow, pytest.mark.timeout(0)])
each_form = pytest.mark.parametrize("everything", [short, whole])


@each_form
def test_kills_lose_no_shown_release_and_show_none_without_a_debit(tmp_path: Path, everything: bool) -> None:
    result = run("releases_killed", tmp_path, 1000 if everything else 12)
    assert result["had_shown"] >= result["kills"] / 2
    assert result["shown"] >= result["had_shown"]


@each_form
def test_kills_of_replacements_leave_no_half_graph(tmp_path: Path, everything: bool) -> None:
    result = run("loads_killed", tmp_path, 100 if everything else 2)
    assert result["kills"] == (200 if everything else 4)
    assert result["rounds_with_a_replacement"]


@each_form
def test_a_full_disk_at_every_step_loses_at_most_budget(tmp_path: Path, everything: bool) -> None:
    result = run("disk_full", tmp_path, 120 if everything else 5)
    assert result["refused"]
    assert result["granted"], "the limits reach to where there is room"


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")
@each_form
def test_a_small_disk_that_is_full_loses_at_most_budget(small_disk: Path, everything: bool) -> None:
    result = run("disk_small", small_disk, 96 if everything else 3)
    assert result["refused"]
    assert result["granted"]


@each_form
def test_flipped_bits_are_refused_in_words_or_change_nothing(tmp_path: Path, everything: bool) -> None:
    flips = run("bits", tmp_path, 2000 if everything else 8)["flips"]
    assert sum(flips.values()) == (2000 if everything else 8)


@each_form
def test_cut_files_are_refused_in_words_or_change_nothing(tmp_path: Path, everything: bool) -> None:
    assert run("cuts", tmp_path, 50 if everything else 3)["cuts"]
