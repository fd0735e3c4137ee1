"""A seeded sample of mutants, of which none survives without a reason; the reasons themselves."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from mutants import MUTATED, ROOT, TESTS, reasons
from places import SUPPORT, files_of_tests

SAMPLE = 60
ROOM = "edgedp.mechanisms.sampling.*"
"""The sample of this room was read, survivor by survivor. One of all would fail by what nobody has read."""
TESTS_OF_IT = (
    "sampling_geometric sampling_late sampling_noise sampling_refine sampling_select sampling_words samplers select "
    "number_laws until_sure"
)
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
    found = tried(
        tmp_path, "--sample", str(SAMPLE), "--only", ROOM, "--tests", TESTS_OF_IT, "--cases", "3", "--expense", "5"
    )  # fmt: skip
    assert found.returncode == 0, found.stdout
    assert f"{SAMPLE} asked for" in found.stdout
    missed = tried(tmp_path, "--only", "edgedp.ledger.script.*", "--tests", "sampling_words")
    assert missed.returncode == 1, missed.stdout
    assert "unreached" in missed.stdout


def test_every_pattern_is_of_a_file_and_every_name_is_of_a_file_of_tests() -> None:
    assert [pattern for pattern in MUTATED if not list((ROOT / "plugin").glob(pattern))] == []
    assert [stem for stem in TESTS.split() if f"test_{stem}.py" not in files_of_tests()] == []


def test_every_reason_is_of_a_kind_and_of_a_function_that_is_there() -> None:
    for entry in reasons():
        assert entry["reason"].startswith(KINDS), entry
        module, _, name = entry["function"].rpartition(".")
        where: Any = import_module(module)
        for each in name.removeprefix("x_").removeprefix("xǁ").split("ǁ"):
            assert each in vars(where), entry
            where = vars(where)[each]
