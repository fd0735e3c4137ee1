"""Where the tests are: a file of tests by its name, whatever folder it stands in."""

from __future__ import annotations

from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
SUPPORT = TESTS / "support"


@cache
def files_of_tests() -> dict[str, Path]:
    """Return every file of tests by its name; no two have the same, for lists and orders know them by it.

    >>> files_of_tests()["test_store.py"].parent.name
    'stores'
    """
    found = sorted(TESTS.glob("*/test_*.py"))
    assert len(found) == len({path.name for path in found}), "two files of tests have the same name"
    return {path.name: path for path in found}


def node_of(node_id: str) -> str:
    """Return what pytest takes for a test that is named by its file's name.

    >>> node_of("test_store.py::test_it").endswith("tests/stores/test_store.py::test_it")
    True
    """
    file, colons, rest = node_id.partition("::")
    return f"{files_of_tests()[file]}{colons}{rest}"
