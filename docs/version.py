"""Set the version everywhere that it stands: ``make version VERSION=0.2.0``.

A version without ``dev`` also dates the changelog's first section and the citation; one with it opens a new section.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
FORM = r"[0-9]+\.[0-9]+\.[0-9]+(?:\.dev[0-9]+)?"
PLACES: Mapping[str, str] = {
    "pyproject.toml": rf'(?m)^(version = "){FORM}(")$',
    "plugin/edgedp/words/version.py": rf'(?m)^(__version__ = "){FORM}(")$',
    "plugin/neo4j/pom.xml": rf"(<version>){FORM}(</version> <!-- the version of pyproject.toml)",
    "CITATION.cff": rf"(?m)^(version: ){FORM}()$",
}
"""Files, and what stands around the version in each, once."""


def written(text: str, pattern: str, version: str) -> str:
    """Return a text with another version in its one place.

    Examples
    --------
    >>> written('version = "0.2.0.dev0"', PLACES["pyproject.toml"], "0.2.0")
    'version = "0.2.0"'
    """
    made, count = re.subn(pattern, rf"\g<1>{version}\g<2>", text)
    if count != 1:
        raise SystemExit(f"the version stands {count} times where it must stand once: {pattern}")
    return made


def changelog(text: str, version: str, day: str) -> str:
    r"""Return the changelog with its first section dated, or with a new one for a version that is not released.

    Examples
    --------
    >>> changelog("# Changelog\n\n## Unreleased (0.2.0.dev0)\n", "0.2.0", "2026-12-01")
    '# Changelog\n\n## 0.2.0 (2026-12-01)\n'
    >>> changelog("# Changelog\n\n## 0.2.0 (2026-12-01)\n", "0.3.0.dev0", "2026-12-02")
    '# Changelog\n\n## Unreleased (0.3.0.dev0)\n\n## 0.2.0 (2026-12-01)\n'
    """
    heading = f"## Unreleased ({version})" if "dev" in version else f"## {version} ({day})"
    before, first, after = text.partition("## ")
    line, _, rest = after.partition("\n")
    opened = line.startswith("Unreleased")
    return f"{before}{heading}\n{rest}" if opened else f"{before}{heading}\n\n{first}{after}"


def citation(text: str, version: str, day: str) -> str:
    """Return the citation with the day of the release, or without one."""
    text = re.sub(r"(?m)^date-released: .*\n", "", text)
    return text if "dev" in version else text.replace("\nlicense:", f"\ndate-released: {day}\nlicense:", 1)


def set_version(root: Path, version: str, day: str) -> None:
    """Write a version into every file that has it; nothing is written where one of them is not as expected."""
    if not re.fullmatch(FORM, version):
        raise SystemExit(f"VERSION is {version!r}, must be such as 0.2.0 or 0.3.0.dev0; give another")
    made = {
        name: written((root / name).read_text(encoding="utf-8"), pattern, version)
        for name, pattern in PLACES.items()
    }
    made["CITATION.cff"] = citation(made["CITATION.cff"], version, day)
    made["CHANGELOG.md"] = changelog((root / "CHANGELOG.md").read_text(encoding="utf-8"), version, day)
    for name, text in made.items():
        (root / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    set_version(ROOT, sys.argv[1] if len(sys.argv) > 1 else "", datetime.now(UTC).date().isoformat())
