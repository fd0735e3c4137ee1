"""Benchmarks import what exists: nobody runs them for months, and then they have to run."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

SCRIPTS = sorted(Path(__file__).parents[1].joinpath("bench").glob("*.py"))


def imported(script: Path) -> list[tuple[str, str]]:
    """Return what a script takes from the package: module and name."""
    return [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "edgedp"
        for alias in node.names
    ]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_what_a_benchmark_takes_from_the_package_is_there(script: Path) -> None:
    for module, name in imported(script):
        if not hasattr(importlib.import_module(module), name):
            importlib.import_module(f"{module}.{name}")


def test_benchmarks_are_read() -> None:
    assert ("edgedp.draw", "draw_positions") in imported(SCRIPTS[0].with_name("joint.py"))
