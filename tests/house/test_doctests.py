"""What the package shows of itself is so: each example of each module prints what stands below it."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import edgedp
import looped

PACKAGE = Path(edgedp.__file__).parent


def shown() -> list[str]:
    """Return the names of all modules that hold an example."""
    files = sorted(file for file in PACKAGE.rglob("*.py") if ">>> " in file.read_text(encoding="utf-8"))
    return [".".join(("edgedp", *file.relative_to(PACKAGE).with_suffix("").parts)) for file in files]


@looped.as_one
@pytest.mark.parametrize("name", shown())
def test_an_example_prints_what_it_shows(name: str) -> None:
    """One test of all: as items of pytest, in three processes that collect, they cost as much again."""
    module = importlib.import_module(name.removesuffix(".__init__"))
    # An error says of itself that it is of the root, where no example is looked for.
    holder = module.EdgeDPError if name == "edgedp.words.errors" else module
    found = doctest.DocTestFinder().find(holder, globs=vars(module).copy())
    assert any(part.examples for part in found), "no example is found"
    said: list[str] = []
    for part in found:
        doctest.DocTestRunner(verbose=False).run(part, out=said.append)
    assert not said, "".join(said)
