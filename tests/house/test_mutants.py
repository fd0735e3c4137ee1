"""A seeded sample of mutants, of which none survives without a reason; the reasons themselves."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from constants import MARK
from mutants import ROOT, reasons
from parts import PARTS
from places import SUPPORT, files_of_tests

SAMPLE = 60
KINDS = ("equivalent", "speed only", "words only")


def tried(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SUPPORT / "mutants.py"), "--folder", str(folder), *words],
        check=False, stdout=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip


@pytest.mark.wide
@pytest.mark.timeout(0)
@pytest.mark.skipif(sys.platform == "win32", reason="mutmut does not run on Windows")
def test_no_mutant_of_a_sample_survives_without_a_reason(tmp_path: Path) -> None:
    """Nothing here waits for a clock: a mutant has a limit of processor time. The second run must fail."""
    parts = [name for name, part in PARTS.items() if part.sampled]
    found = tried(tmp_path, "--sample", str(SAMPLE), "--cases", "3", "--expense", "5", "--parts", *parts)
    assert found.returncode == 0, found.stdout
    assert f"{SAMPLE * len(parts)} asked for" in found.stdout
    missed = tried(tmp_path, "--only", "edgedp.ledger.script.*", "--tests", "sampling_words")
    assert missed.returncode == 1, missed.stdout
    assert "unreached" in missed.stdout


def test_every_pattern_is_of_a_file_and_every_name_is_of_a_file_of_tests() -> None:
    for part in PARTS.values():
        assert [pattern for pattern in part.files if not list((ROOT / "plugin").glob(pattern))] == []
        assert [stem for stem in part.tests.split() if f"test_{stem}.py" not in files_of_tests()] == []


def test_every_reason_is_of_a_kind_and_of_a_function_that_is_there() -> None:
    for entry in reasons():
        assert entry["reason"].startswith(KINDS), entry
        module, _, constant = entry["function"].partition(MARK)
        names = constant.split(".")
        if not constant:
            module, _, name = entry["function"].rpartition(".")
            names = name.removeprefix("x_").removeprefix("xǁ").split("ǁ")
        where: Any = import_module(module)
        for each in names:
            assert each in vars(where), entry
            where = vars(where)[each]
