"""A seeded sample of mutants, of which none survives without a reason; the reasons themselves."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from changes import NAMED
from constants import MARK
from edgedp.mechanisms import checks
from edgedp.mechanisms.scores import picks
from mutants import ROOT, reasons
from parts import PARTS
from places import SUPPORT, files_of_tests

SAMPLE = 24
KINDS = ("equivalent", "speed only", "words only", "choice only")


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
    found = tried(tmp_path, "--sample", str(SAMPLE), "--cases", "3", "--expense", "5")
    assert found.returncode == 0, found.stdout
    assert f"{SAMPLE} asked for" in found.stdout
    rows = [line.split()[:2] for line in found.stdout.splitlines()]
    assert [row for row in rows if row and row[0] in PARTS] == [
        [part, str(SAMPLE // len(PARTS))] for part in PARTS
    ], "some part is left out"
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
        for each in (each for each in names if "*" not in each):
            assert each in vars(where), entry
            where = vars(where)[each]


def test_what_is_passed_over_as_a_name_is_one_by_its_signature() -> None:
    """Where a check says how a value is called, and nothing else, any name does: its parameter is called so."""
    for name, places in NAMED.items():
        parameters = list(signature(getattr(checks, name, None) or getattr(picks, name)).parameters)
        assert [parameters[place] for place in places] in (["name"], ["name", "of"]), name


def test_a_constant_is_changed_wherever_it_went() -> None:
    """What is imported by its name, read through its module, or computed from it when a module was loaded."""
    program = (
        "import edgedp.words.amounts.rho as rho, constants, pathlib\n"
        "from edgedp.mechanisms import samplers\n"
        "name = 'edgedp.words.amounts.rho.c_BOUNDED_RANGE__mutmut_0'\n"
        "constants.put(name, pathlib.Path(rho.__file__).read_text())\n"
        "print(rho.BOUNDED_RANGE, samplers.EXPONENTIAL.shares, samplers.sampler('exponential').shares)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=SUPPORT, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["9", "9", "9"]
