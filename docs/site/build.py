"""Build the site: ``make docs``, or ``python docs/site/build.py [FOLDER]``; default ``build/site``.

The pages are the repository's own Markdown, as GitHub shows it. Here they are gathered beside what is generated: the
commands, from click; the Python reference, from docstrings; the table of contents. A link to a file that is no page of
the site becomes one to the repository. Warnings are errors. The site needs no server and asks no host for anything.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from generated import api_pages, command_page

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

CONTENTS: dict[str, list[str]] = {
    "First steps": ["docs/tutorial", "docs/notebooks/first-release", "docs/epsilon", "docs/glossary"],
    "For you": [
        "docs/curator",
        "docs/sources",
        "docs/analyst",
        "docs/researcher",
        "docs/operator",
        "docs/developer",
    ],
    "Questions": [
        "docs/choosing",
        "docs/persons",
        "docs/projections",
        "docs/windows",
        "docs/gateway",
        "docs/numbers",
        "docs/multi-objective",
        "docs/selection",
        "docs/spark",
    ],
    "Reference": ["docs/reference", "docs/errors", "commands", "api/index", "docs/procedures"],
    "Privacy": ["docs/privacy", "docs/privacy-numbers", "docs/privacy-selection"],
    "Papers": ["docs/papers", "docs/reproduction", "docs/notebooks/repeating-the-paper"],
    "Project": ["docs/decisions/index", "CONTRIBUTING", "CHANGELOG", "SECURITY"],
}
"""Every page of the site, by what a reader wants; the decisions and the Python reference have lists of their own."""

WELCOME = """# edgedp

Who matters in a graph, without saying who is connected to whom: edge-differentially private answers from stored graphs.

New here: the [tutorial](docs/tutorial.md), ten minutes. What is promised, and what is not: [privacy](docs/privacy.md).
Everything that can be typed: [commands](commands.md), [Python](api/index.rst), [procedures](docs/procedures.md).
"""

LINK = re.compile(r"(?<=\]\()([^)\s#]+)((?:#[^)\s]*)?)(?=\))")


def main() -> int:
    """Gather, then build."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "build" / "site")
    folder = parser.parse_args().folder
    source = folder.with_name(f"{folder.name}-source")
    shutil.rmtree(source, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    gather(source)
    status = build(source, folder)
    if status == 0:
        (folder / "_static" / "texts.js").write_text(texts(folder), encoding="utf-8")
        print(f"open {os.path.relpath(folder / 'index.html')}")
    return status


def build(source: Path, folder: Path) -> int:
    """Run Sphinx; a warning is an error, and all are told."""
    from sphinx.cmd.build import main as sphinx

    asked = ["-q", "-W", "--keep-going", "-b", "html", "-c", str(HERE), "-d", str(source / ".doctrees")]
    return sphinx([*asked, str(source), str(folder)])


def texts(folder: Path) -> str:
    """Return the script that holds the text of every page, for the snippets of the search."""
    found = {}
    for page in sorted(folder.rglob("*.html")):
        article = re.search(r"<article[^>]*>(.*?)</article>", page.read_text(encoding="utf-8"), re.DOTALL)
        if article:
            plain = html.unescape(
                re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", article[1], flags=re.DOTALL)
            )
            found[page.relative_to(folder).with_suffix("").as_posix()] = " ".join(plain.split())
    return f"var EDGEDP_TEXTS = {json.dumps(found, ensure_ascii=False)};\n"


def gather(source: Path) -> None:
    """Write all that Sphinx reads into a folder."""
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.ipynb")]
    pages += [ROOT / f"{name}.md" for name in ("CONTRIBUTING", "CHANGELOG", "SECURITY")]
    there = {page.relative_to(ROOT) for page in pages}
    for name in sorted(there):
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if name.suffix == ".md":
            text = (ROOT / name).read_text(encoding="utf-8")
            target.write_text(linked(text, name, there), encoding="utf-8")
        else:
            shutil.copyfile(ROOT / name, target)
    for picture in [*(ROOT / "docs").glob("*.png"), *(ROOT / "docs").glob("*.svg")]:
        shutil.copyfile(picture, source / "docs" / picture.name)
    generated = {"commands.md": command_page(), **api_pages()}
    for name, text in generated.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")
    (source / "docs/decisions/index.md").write_text(decisions(), encoding="utf-8")
    (source / "index.md").write_text("\n".join([WELCOME, *contents()]), encoding="utf-8")


def contents() -> Iterator[str]:
    """Yield the lists of pages."""
    for title, pages in CONTENTS.items():
        yield f"```{{toctree}}\n:maxdepth: 1\n:caption: {title}\n"
        yield from pages
        yield "```\n"


def decisions() -> str:
    """Return the page that lists the decisions."""
    return (
        "# Decisions\n\nWhy it is as it is, one page each.\n\n```{toctree}\n:maxdepth: 1\n:glob:\n\n0*\n```\n"
    )


def linked(text: str, page: Path, there: set[Path]) -> str:
    """Return Markdown whose links outside the site lead to the repository; code is left alone."""

    def led(match: re.Match[str]) -> str:
        target, anchor = match[1], match[2]
        if target.startswith(("https://", "http://", "mailto:")):
            return match[0]
        path = Path(os.path.normpath(page.parent / target))
        if path in there or path.suffix in (".png", ".svg"):
            return match[0]
        return f"{repository()}/blob/main/{path}{anchor}"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(led, part) for part in parts)


def repository() -> str:
    """Return the address of the repository."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Repository"])


if __name__ == "__main__":
    sys.exit(main())
