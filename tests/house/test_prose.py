"""How documents are written: lines that fit, and English that a native reader does not stop at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "loaders").glob("*.md"),
        *(ROOT / "docker").glob("*.md"),
    ]
)
WIDTH = 120


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a page that are neither in a fenced block nor a row of a table."""
    fenced = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("|"):
            yield number, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_fit(page: Path) -> None:
    """Rows of tables cannot be broken, and blocks show what a program prints."""
    long = [(number, len(line)) for number, line in prose(page) if len(line) > WIDTH]
    assert not long, long
