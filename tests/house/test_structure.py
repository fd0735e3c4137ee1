"""The layout: nine rooms on nine floors, no arrow up, no circle, and folders that a reader can look over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from ways import LIMITS, ways

PACKAGE = Path(__file__).resolve().parents[2] / "plugin" / "edgedp"
ROOMS = ("words", "graph", "mechanisms", "release", "exact", "spark", "ledger", "stores", "faces")
"""The folders at the root of the package, lowest first: none imports one that comes after it."""
MOST_ENTRIES, MOST_FILES, MOST_FLOORS = 12, 15, 10
"""At the root, in a folder, and of rooms that stand on each other, the face and ``__main__`` among them."""

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


def asks_for_plans(branch: ast.Match) -> bool:
    """Whether a match is on a plan or on a kind of release: by its subject, or by what its cases name."""
    subject = branch.subject
    while isinstance(subject, ast.Call) and subject.args:
        subject = subject.args[0]
    name = subject.attr if isinstance(subject, ast.Attribute) else getattr(subject, "id", "")
    patterns = [node for case in branch.cases for node in ast.walk(case.pattern)]
    classes = [node.cls for node in patterns if isinstance(node, ast.MatchClass)]
    words = [node.value for node in patterns if isinstance(node, ast.MatchValue)]
    return (
        name in ("plan", "planned")
        or any(isinstance(each, ast.Name) and each.id.endswith("Plan") for each in classes)
        or {each.value for each in words if isinstance(each, ast.Constant)} >= {"priv_top_k", "motkin"}
    )


def refuses_the_rest(branch: ast.Match, following: ast.stmt | None) -> bool:
    """Whether what no case names is refused: by the last case, or right after a match that has none for it."""
    pattern, last = branch.cases[-1].pattern, following
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None and branch.cases[-1].guard is None:
        [last] = branch.cases[-1].body[-1:]
    called = last.value.func if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) else None
    return isinstance(last, ast.Raise) or (isinstance(called, ast.Name) and called.id == "assert_never")


def matches_in(source: str) -> Iterator[tuple[ast.Match, ast.stmt | None]]:
    """Yield every match on a plan or kind, with the statement after it."""
    for node in ast.walk(ast.parse(source)) if re.search(r"\bmatch\b", source) else ():
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            statements = body if isinstance(body, list) else []
            for at, statement in enumerate(statements):
                if isinstance(statement, ast.Match) and asks_for_plans(statement):
                    yield statement, next(iter(statements[at + 1 :]), None)


def test_what_is_asked_of_a_plan_is_asked_of_every_kind() -> None:
    """A further kind of release is refused by a match that does not know it, and by the type checker before."""
    found: set[str] = set()
    for name, path in MODULES.items():
        for branch, following in matches_in(path.read_text(encoding="utf-8")):
            found.add(name.removeprefix("edgedp.").partition(".")[0])
            assert refuses_the_rest(branch, following), f"{path}:{branch.lineno}: end it in assert_never"
    assert found >= {"exact", "release", "spark"}


@pytest.mark.parametrize(
    ("ending", "refused"),
    [
        ("        case _:\n            assert_never(plan)", True),
        ("        case other:\n            raise EngineError(other)", True),
        ("    assert_never(plan)", True),
        ("        case _:\n            return None", False),
        ("        case _:\n            pass\n    assert_never(plan)", False),
        ("        case _ if assert_never:\n            assert_never(plan)", False),
        ("    return None", False),
        ("", False),
    ],
)
def test_a_match_that_lets_a_further_kind_through_would_be_seen(ending: str, refused: bool) -> None:
    head = "def draw(plan):\n    match plan.of:\n        case 1:\n            pass\n"
    head += "    match self.plan:\n        case TopKPlan():\n            return 1\n"
    [(branch, following)] = matches_in(head + ending)
    assert refuses_the_rest(branch, following) == refused


@pytest.fixture(scope="module")
def modules() -> Arrows:
    return {name: imported(name) for name in MODULES}


def test_no_module_imports_itself_by_a_way_round(modules: Arrows) -> None:
    assert len(modules) > 200
    assert circle_in(modules) == []


def arrows_up(rooms: Arrows) -> list[tuple[str, str]]:
    """Return the arrows from a room to one above it."""
    floor = {room: at for at, room in enumerate((*ROOMS, "__main__"))}
    return [(room, to) for room, targets in rooms.items() for to in targets if floor[to] >= floor[room]]


def test_no_room_imports_one_above_it(modules: Arrows) -> None:
    assert arrows_up(rooms_of(modules)) == []


@pytest.mark.parametrize(
    ("lower", "upper"), [("ledger", "stores"), ("mechanisms", "release"), ("stores", "faces")]
)
def test_an_arrow_back_up_would_be_seen(modules: Arrows, lower: str, upper: str) -> None:
    rooms = rooms_of(modules)
    assert arrows_up({**rooms, lower: rooms[lower] | {upper}}) == [(lower, upper)]


def test_the_root_and_every_folder_can_be_looked_over() -> None:
    def entries(folder: Path) -> list[Path]:
        return [each for each in folder.iterdir() if each.name != "__pycache__"]

    assert {each.name for each in entries(PACKAGE) if each.is_dir()} - {"assets"} == set(ROOMS)
    # A file that a type checker alone reads is no module.
    of_types = {"py.typed", "quality.pyi"}
    assert len([each for each in entries(PACKAGE) if each.name not in of_types]) < MOST_ENTRIES
    for folder in PACKAGE.rglob("*"):
        if folder.is_dir() and folder.name != "__pycache__":
            files = [each.name for each in entries(folder) if each.is_file()]
            assert len(files) <= MOST_FILES, f"{folder.relative_to(PACKAGE)} holds {len(files)} files"


def test_rooms_stand_on_few_floors(modules: Arrows) -> None:
    rooms, floors = rooms_of(modules), dict[str, int]()
    for room in TopologicalSorter(rooms).static_order():
        floors[room] = 1 + max((floors[each] for each in rooms.get(room, ())), default=0)
    assert max(floors.values()) + 1 <= MOST_FLOORS  # the face stands on all of them


def test_every_folder_says_what_it_is_for() -> None:
    for face in PACKAGE.rglob("__init__.py"):
        said = ast.get_docstring(ast.parse(face.read_text(encoding="utf-8")))
        assert said, f"{face.relative_to(PACKAGE)} says nothing"
        assert said.splitlines()[0].endswith("."), (
            f"{face.relative_to(PACKAGE)} begins with no whole sentence"
        )


@pytest.mark.filterwarnings("ignore:the same list of edges was loaded before")
def test_a_release_a_load_and_a_budget_run_through_few_files(tmp_path: Path) -> None:
    for name, way in ways(tmp_path).items():
        files, changes = LIMITS[name]
        assert len(way.files) <= files, f"{name} passes {len(way.files)} files"
        assert way.changes <= changes, f"{name} changes file {way.changes} times"
