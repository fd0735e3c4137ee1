"""Every error that a user meets is public, stands in the one tree, and on the page that says whether to ask again."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import edgedp
from edgedp.faces.gateway.door.problems import of_error
from edgedp.stores.neo4j.frames import FrameError
from edgedp.words import errors

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "errors.md").read_text(encoding="utf-8")
INTERNAL = {FrameError}
"""Between a server and its worker; a user meets the plugin's own sentence."""


def ours() -> set[type]:
    """Return every error of the package, wherever it is defined."""
    for found in pkgutil.walk_packages(edgedp.__path__, "edgedp."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)

    def below(kind: type[Exception]) -> Iterator[type[Exception]]:
        for each in kind.__subclasses__():
            yield each
            yield from below(each)

    return {
        each for each in below(edgedp.EdgeDPError) if each.__module__.partition(".")[0] == "edgedp"
    } - INTERNAL


def drawn(text: str) -> dict[str, tuple[str, str]]:
    """Return the name, the parent and the built-in class of every line of a tree."""
    found: dict[str, tuple[str, str]] = {}
    parents: dict[int, str] = {}
    root = re.search(r"^( *)EdgeDPError$", text, re.MULTILINE)
    assert root is not None
    for line in text.splitlines():
        if match := re.fullmatch(r"([│├└─ ]*)(\w+Error)(?: \((\w+)\))?", line.removeprefix(root[1])):
            depth = len(match[1]) // 4
            parents[depth] = match[2]
            found[match[2]] = (parents.get(depth - 1, ""), match[3] or "")
    return found


def test_every_error_is_public() -> None:
    public = {getattr(edgedp, name) for name in edgedp.__all__ if name.endswith(("Error", "Warning"))}
    assert public == {edgedp.EdgeDPError, edgedp.KernelWarning, *ours()}
    assert {getattr(errors, name) for name in errors.__all__} == public


def test_the_tree_is_that_of_the_classes_in_the_docstring_and_on_the_page() -> None:
    tree = drawn(inspect.getdoc(errors) or "")
    assert tree == drawn(PAGE)
    assert set(tree) == {"EdgeDPError"} | {kind.__name__ for kind in ours()}
    for name, (parent, builtin) in tree.items():
        if name != "EdgeDPError":
            kind = getattr(edgedp, name)
            above, *others = kind.__bases__
            assert above.__name__ == parent
            assert [other.__name__ for other in others] == ([builtin] if builtin else [])


def test_the_page_says_of_every_error_whether_to_ask_again() -> None:
    rows = re.findall(r"^\| `(\w+)` \|(.+)\|(.+)\|(.+)\|$", PAGE, re.MULTILINE)
    assert {name for name, *_ in rows} == {kind.__name__ for kind in ours()}
    for name, _, _, advice in rows:
        answer = of_error(getattr(edgedp, name)("a sentence"))
        again = "again" in advice and "never" not in advice
        assert answer.kind == name
        assert f"urn:edgedp:problem:{name}" == answer.body()["type"]
        assert again >= ("Retry-After" in answer.headers), name
