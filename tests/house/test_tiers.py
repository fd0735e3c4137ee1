"""The list of the second tier names tests that there are, and each of them with what the first tier has instead."""

from __future__ import annotations

import re
import tomllib

from places import files_of_tests
from sabotage import SABOTAGES
from tiers import LIST, is_wide, listed

ENTRIES = tomllib.loads(LIST.read_text(encoding="utf-8"))["wide"]


def is_there(file: str, name: str) -> bool:
    text = files_of_tests()[file].read_text(encoding="utf-8")
    return re.search(rf"^ *(?:async )?def {name}\(|^{name} = ", text, re.MULTILINE) is not None


def test_every_name_is_a_test() -> None:
    missing = [(file, name) for file, names in listed().items() for name in names if not is_there(file, name)]
    assert not missing


def test_what_holds_a_promise_instead_is_a_test_of_the_first_tier() -> None:
    for entry in ENTRIES:
        file, _, rest = entry["held_by"].partition("::")
        name = re.match(r"\w+", rest)
        assert name is not None, entry
        assert is_there(file, name[0]), entry
        assert not is_wide(file, name[0]), entry


def test_no_sabotage_is_caught_by_the_second_tier_only() -> None:
    late = [each.name for each in SABOTAGES if is_wide(*each.caught_by.split("::", 1))]
    assert not late
