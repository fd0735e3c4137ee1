"""The site of the documents: built strictly once, read whole, and opened from a file in a real browser.

The build executes the two notebooks; a cell that fails fails it, and so does any warning.
"""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver

import edgedp
from browser import opened

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "docs" / "site" / "build.py"
pytestmark = pytest.mark.wide

_FETCHES = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "object": "data"}
_NO_FETCH = {"canonical", "index", "search", "next", "prev", "author", "help"}


class Read(HTMLParser):
    """What a page links to, fetches, and can be linked at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in _FETCHES and _FETCHES[tag] in given and given.get("rel") not in _NO_FETCH:
            self.fetched.append(given[_FETCHES[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "site"
    done = subprocess.run([sys.executable, BUILD, folder], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-4000:]
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Read]:
    return {page: Read(page.read_text(encoding="utf-8")) for page in sorted(site.rglob("*.html"))}


def test_every_link_of_the_site_leads_somewhere(site: Path, pages: dict[Path, Read]) -> None:
    for page, read in pages.items():
        for link in read.links:
            if re.match(r"https?:|mailto:", link):
                continue
            path, _, anchor = unquote(link).partition("#")
            led = (page.parent / path).resolve() if path else page
            assert led.is_relative_to(site.resolve()), (page, link)
            assert led.is_file(), (page, link)
            if anchor and led in pages:
                assert anchor in pages[led].anchors, (page, link)


def test_no_page_fetches_anything_from_elsewhere(site: Path, pages: dict[Path, Read]) -> None:
    for page, read in pages.items():
        for address in read.fetched:
            if not address.startswith("data:"):
                assert ":" not in address, (page, address)
                assert not address.startswith("//"), (page, address)
                assert (page.parent / address.partition("?")[0]).is_file(), (page, address)
    for style in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*['\"]?(https?:)?//", style.read_text(encoding="utf-8")), (
            style
        )


def test_a_link_to_what_is_no_page_names_a_file_that_is_there(pages: dict[Path, Read]) -> None:
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    repository = f"{urls['Repository']}/blob/main/"
    found = {link for read in pages.values() for link in read.links if link.startswith(repository)}
    assert found
    for link in found:
        assert (ROOT / unquote(link.removeprefix(repository)).partition("#")[0]).exists(), link


def test_every_document_every_command_and_every_public_name_has_its_place(pages: dict[Path, Read]) -> None:
    generated = runpy.run_path(str(BUILD.with_name("generated.py")))
    at = {page.name: read for page, read in pages.items()}
    for document in (ROOT / "docs").rglob("*.md"):
        assert f"{document.stem}.html" in at, document
    names = [name for name, _ in generated["commands"]()]
    assert len(names) > 40
    assert {name.replace(" ", "-") for name in names} <= at["commands.html"].anchors
    anchors = {anchor for read in pages.values() for anchor in read.anchors}
    public = {f"edgedp.{name}" for name in edgedp.__all__ if name != "__version__"}
    for module in ("exact", "mechanisms", "quality", "spark"):
        public -= {f"edgedp.{module}"}
        public |= {f"edgedp.{module}.{name}" for name in getattr(edgedp, module).__all__}
    assert public <= anchors
    assert {"edgedp.Store.priv_top_k", "edgedp.Graph.from_edges"} <= anchors


def notebooks() -> Iterator[Path]:
    yield from (ROOT / "docs" / "notebooks").glob("*.ipynb")


def test_notebooks_are_kept_without_output_and_shown_with_it(site: Path) -> None:
    assert len(list(notebooks())) == 2
    for notebook in notebooks():
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        assert all(not cell["outputs"] for cell in cells if cell["cell_type"] == "code"), notebook
        shown = (site / "docs" / "notebooks" / f"{notebook.stem}.html").read_text(encoding="utf-8")
        assert shown.count("cell_output") >= 5, notebook
    first = (site / "docs/notebooks/first-release.html").read_text(encoding="utf-8")
    assert "must be at most what is left of the budget" in first
    assert "<svg" in (site / "docs/notebooks/repeating-the-paper.html").read_text(encoding="utf-8")


def test_from_a_file_without_a_network_a_reader_finds_a_word(site: Path, chromium: WebDriver) -> None:
    page = opened(chromium, (site / "index.html").as_uri())
    box = page.driver.find_element(By.CSS_SELECTOR, "input[name=q]")
    box.send_keys("dampening", Keys.ENTER)
    page.wait("return document.querySelectorAll('#search-results li a').length > 2")
    found = page.run("return document.querySelector('#search-results li a').getAttribute('href')")
    assert re.match(r"docs/(?!decisions|developer)", found), "a page for users comes first"
    page.wait("return document.querySelectorAll('#search-results li p.context').length > 2")
    assert (
        "dampen" in page.run("return document.querySelector('#search-results p.context').textContent").lower()
    )
    page.driver.get((site / found.partition("?")[0]).as_uri())
    assert "dampen" in page.run("return document.body.textContent").lower()
    page.settled()
    assert page.errors == []
    assert page.requests
    assert all(request.startswith("file://") for request in page.requests), page.requests
