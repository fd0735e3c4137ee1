"""Benchmarks import what exists: nobody runs them for months, and then they have to run."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

import looped

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "bench"
SCRIPTS = sorted(BENCH.rglob("*.py"))


def imported(script: Path) -> list[tuple[str, str]]:
    """Return what a script takes from the package: module and name."""
    return [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "edgedp"
        for alias in node.names
    ]


@looped.as_one
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: str(script.relative_to(BENCH)))
def test_what_a_benchmark_takes_from_the_package_is_there(script: Path) -> None:
    for module, name in imported(script):
        if not hasattr(importlib.import_module(module), name):
            importlib.import_module(f"{module}.{name}")


def test_benchmarks_are_read() -> None:
    assert ("edgedp.release.draw", "draw_positions") in imported(BENCH / "joint.py")


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    monkeypatch.syspath_prepend(str(ROOT))
    names = ("chart", "measure", "page", "records", "row")
    return {name: importlib.import_module(f"bench.harness.{name}") for name in names}


def test_rows_have_names_of_their_own_and_sections_that_are_shown(harness: dict[str, ModuleType]) -> None:
    rows = importlib.import_module("bench.rows")
    counted = Counter(row.name for row in rows.ROWS)
    assert counted.most_common(1)[0][1] == 1
    assert {row.section for row in rows.ROWS} == set(rows.SECTIONS)
    for row in rows.ROWS:
        assert all(target.to is None or target.to in row.columns for target in row.wanted)


def test_one_row_is_measured_in_another_process(tmp_path: Path) -> None:
    words = ["bench", "--only", "count-wedges-enron", "--rounds", "1", "--records", "R", "--to", "P"]
    words = [str(tmp_path / word) if word in ("R", "P") else word for word in words]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=True)
    record = json.loads((tmp_path / "R" / "count-wedges-enron.json").read_text())
    assert [list(record["samples"]), record["missing"]] == [["edgedp"], {}], done.stdout
    assert record["samples"]["edgedp"][0]["memory"] > 10**7
    assert (
        "| size installed, with what it needs, without bytecode |"
        in (tmp_path / "P" / "RESULTS.md").read_text()
    )


def test_a_long_ledger_is_filled_by_the_statements_of_releases() -> None:
    words = [str(BENCH / "ledger.py"), "--rows", "40", "--rounds", "1"]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "| release out of a share |" in done.stdout


def test_a_page_says_what_is_reached_what_is_missed_and_what_lacks(harness: dict[str, ModuleType]) -> None:
    row, records, page = harness["row"], harness["records"], harness["page"]

    def a_row(name: str, *wanted: object, **more: object) -> object:
        return row.Row(
            name=name, section="Work", title=f"the {name}", ours=lambda _: int, wanted=wanted, **more
        )

    def a_record(name: str, missing: dict[str, str] | None = None, **columns: list[float]) -> object:
        samples = {
            column: [{"processor": value, "wall": 9.0, "memory": 5_000_000} for value in values]
            for column, values in columns.items()
        }
        kept = {"name": name, "state": "s", "rounds": 3, "samples": samples, "missing": missing or {}}
        return records._record(json.loads(json.dumps(kept)))

    rivals = {"slow": lambda _: int, "fast": lambda _: int, "gone": lambda _: int}
    rows = [
        a_row("quick", row.Target(0.5), row.Target(0.7, "ratio"), rivals=rivals),
        a_row("late", row.Target(0.1), row.Target(1e6, "memory"), reason="it is far"),
        a_row("unmeasured", row.Target(1)),
    ]
    found = {
        "quick": a_record(
            "quick", {"gone": "gone is not installed"}, edgedp=[0.4, 0.2, 0.3], slow=[2.0], fast=[0.5]
        ),
        "late": a_record("late", edgedp=[0.2]),
    }
    text = page.page(rows, found, {"Work": "What is done."}, [("Others", "results/others.md")])
    lines = [line for line in text.splitlines() if line.startswith("| the ")][:3]
    assert lines == [
        "| the quick | 0.2 / 0.3 | fast: 0.5<br>(gone: gone is not installed) | 0.4 "
        "| 0.5 s, 0.7 x the best rival | yes, yes |",
        "| the late | 0.2, 5 MB |  |  | 0.1 s, 1 MB | **missed**, **missed**: it is far |",
        "| the unmeasured | not measured | | | 1 s | |",
    ]
    assert "Of 5 figures that are wanted, 2 are reached, 2 are missed, 1 are not measured." in text
    assert "[Others](results/others.md)" in text
    drawn = ElementTree.fromstring(harness["chart"].chart("Work", rows, found))  # noqa: S314
    assert sum(each.tag.endswith("circle") for each in drawn.iter()) == 3  # two rows and the legend


def test_works_take_turns_and_one_that_fails_is_named(harness: dict[str, ModuleType]) -> None:
    ran: list[str] = []
    works = {"a": lambda: ran.append("a"), "b": lambda: ran.append("b"), "bad": lambda: 1 // 0}
    clock = iter(range(10**6))
    samples, failed = harness["measure"].interleaved(works, 3, lambda: float(next(clock)))
    assert [len(runs) for runs in samples.values()] == [3, 3]
    assert "".join(ran) == "abbaab"
    assert failed == {"bad": "integer division or modulo by zero"}


@looped.as_one
@pytest.mark.parametrize("bench", sorted((ROOT / "bench").rglob("*.py")), ids=lambda path: path.stem)
def test_a_bench_finds_the_helpers_of_the_tests(bench: Path) -> None:
    """They lie in one folder, which a bench names in its path or in how it is called."""
    assert not re.search(r'/ "tests"\)|PYTHONPATH=tests ', bench.read_text())
