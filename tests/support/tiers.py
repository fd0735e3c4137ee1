"""Which tests are of the second tier because another test of the first holds what they show: the list is wide.toml."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

COLLECTED = pytest.StashKey[list[tuple[str, str]]]()
"""In pytest's configuration: the file and the name of every test that was collected."""

LIST = Path(__file__).resolve().parents[1] / "wide.toml"


@cache
def listed() -> dict[str, dict[str, list[str]]]:
    """Return the listed tests of each file: the cases of each function by patterns, ``*`` where all are.

    >>> listed()["test_select.py"]["test_the_draw_has_the_law_that_is_computed"][0]
    'pf monotone'
    """
    found: dict[str, dict[str, list[str]]] = {}
    for entry in tomllib.loads(LIST.read_text(encoding="utf-8"))["wide"]:
        of_file = found.setdefault(entry["file"], {})
        for test in entry["tests"]:
            name, bracket, cases = test.partition("[")
            of_file.setdefault(name, []).append(cases.removesuffix("]") if bracket else "*")
    return found


def is_wide(file: str, test: str) -> bool:
    """Whether a test, by its name with its case, is listed.

    >>> is_wide("test_select.py", "test_the_draw_has_the_law_that_is_computed[pf monotone]")
    True
    >>> is_wide("test_select.py", "test_the_draw_has_the_law_that_is_computed[pf]")
    False
    """
    name, bracket, case = test.partition("[")
    patterns = listed().get(file, {}).get(name, [])
    if not bracket:
        return "*" in patterns
    return any(_any_is(pattern, [case.removesuffix("]")]) for pattern in patterns)


def _any_is(pattern: str, cases: list[str]) -> bool:
    return any(fnmatchcase(case, pattern.replace("[", "[[]")) for case in cases)


def unmatched(collected: list[tuple[str, str]]) -> list[str]:
    """Return the listed cases that are those of no collected test, of the files that were collected."""
    missing = []
    for file, names in listed().items():
        there = [name.partition("[") for found, name in collected if found == file]
        for name, patterns in names.items() if there else ():
            cases = [case.removesuffix("]") for test, _, case in there if test == name]
            missing += [f"{file}::{name}[{each}]" for each in patterns if not _any_is(each, cases)]
    return missing
