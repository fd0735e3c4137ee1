"""The list of the second tier names tests that there are, and each of them with what the first tier has instead."""

from __future__ import annotations

import re
import tomllib

import pytest

from places import files_of_tests
from sabotage import SABOTAGES
from test_number_sabotage import SABOTAGES as NUMBERS
from tiers import COLLECTED, LIST, is_wide, listed, unmatched

ENTRIES = tomllib.loads(LIST.read_text(encoding="utf-8"))["wide"]


def is_there(file: str, name: str) -> bool:
    text = files_of_tests()[file].read_text(encoding="utf-8")
    return re.search(rf"^ *(?:async )?def {name}\(|^{name} = ", text, re.MULTILINE) is not None


def test_every_name_is_a_test() -> None:
    missing = [(file, name) for file, names in listed().items() for name in names if not is_there(file, name)]
    assert not missing


def test_every_case_is_that_of_a_test(pytestconfig: pytest.Config) -> None:
    """Of the files that this run collected whole; what a misspelt pattern means would be run by both tiers."""
    if any("::" in given for given in pytestconfig.args):
        return
    assert unmatched(pytestconfig.stash[COLLECTED]) == []


def test_a_pattern_that_matches_no_case_is_seen() -> None:
    (name, *_), file = listed()["test_select.py"], "test_select.py"
    missing = unmatched([(file, f"{name}[pf]"), ("test_of_nothing.py", "test")])
    assert f"{file}::{name}[pf monotone]" in missing


def test_what_holds_a_promise_instead_is_a_test_of_the_first_tier() -> None:
    for entry in ENTRIES:
        file, _, rest = entry["held_by"].partition("::")
        name = re.match(r"\w+", rest)
        assert name is not None, entry
        assert is_there(file, name[0]), entry
        assert not is_wide(file, name[0]), entry


def test_what_catches_a_sabotage_is_a_test(pytestconfig: pytest.Config) -> None:
    """Of the files that this run collected whole: one that was renamed would be found a version later."""
    collected = pytestconfig.stash[COLLECTED]
    files, tests = {file for file, _ in collected}, set(collected)
    tests |= {(file, name.partition("[")[0]) for file, name in collected}
    if any("::" in given for given in pytestconfig.args):
        return
    named = [
        (each.caught_by.partition("::")[0], each.caught_by.rpartition("::")[2])
        for each in (*SABOTAGES, *NUMBERS)
    ]
    assert [each for each in named if each[0] in files and each not in tests] == []


def test_no_sabotage_is_caught_by_the_second_tier_only() -> None:
    late = [each.name for each in SABOTAGES if is_wide(*each.caught_by.split("::", 1))]
    assert not late
