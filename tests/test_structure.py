"""The layout: no module imports itself by a way round, and one room alone reaches for one above it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "plugin" / "edgedp"
UP = ("graph", "engines")
"""The one arrow that runs back up: a graph's rows are made by the compiled kernels, which work on graphs."""

Arrows = Mapping[str, set[str]]


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in PACKAGE.rglob("*.py")}


def imported(name: str) -> set[str]:
    """Return the modules that one imports, wherever: at its top, in a function, or for type checkers alone."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively"
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {each if each in MODULES else str(node.module) for each in whole}
    return found & MODULES.keys() - {name}


def circle_in(arrows: Arrows) -> list[str]:
    """Return nodes of which each one points to the one before it, the first one again at the end; none: no circle."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def rooms_of(modules: Arrows) -> dict[str, set[str]]:
    """Return the arrows between the folders and the files at the root; the face, which names all, is no room."""

    def room(name: str) -> str:
        return name.split(".")[1] if "." in name else ""

    rooms: dict[str, set[str]] = {}
    for name, targets in modules.items():
        rooms.setdefault(room(name), set()).update(map(room, targets))
    return {name: targets - {name, ""} for name, targets in rooms.items() if name}


@pytest.fixture(scope="module")
def modules() -> Arrows:
    return {name: imported(name) for name in MODULES}


def test_no_module_imports_itself_by_a_way_round(modules: Arrows) -> None:
    assert len(modules) > 200
    assert circle_in(modules) == []


def test_one_arrow_between_rooms_runs_back_up(modules: Arrows) -> None:
    rooms = rooms_of(modules)
    up, to = UP
    assert to in rooms[up]
    assert (
        circle_in({name: targets - ({to} if name == up else set()) for name, targets in rooms.items()}) == []
    )


@pytest.mark.parametrize(
    ("lower", "upper"), [("plan", "draw"), ("mechanisms", "plan"), ("reading", "loading")]
)
def test_an_arrow_back_up_would_be_seen(modules: Arrows, lower: str, upper: str) -> None:
    rooms = rooms_of(modules)
    rooms[UP[0]] = rooms[UP[0]] - {UP[1]}
    assert circle_in({**rooms, lower: rooms[lower] | {upper}})
