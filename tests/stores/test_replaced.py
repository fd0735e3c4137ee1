"""The files of the package are removed or replaced under a gateway: it answers as before, and nothing paid is lost."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

import edgedp
from edgedp import Graph, open_store
from edgedp.words.places import asset
from gateway_server import serve
from test_wheel import built_wheel

SLOW = """
import os, sys, time
def wait(event, arguments):
    if event == "edgedp.reached" and arguments == ("debited",):
        open(os.environ["STARTED"], "w").close()
        while not os.path.exists(os.environ["REPLACED"]):
            time.sleep(0.01)
sys.addaudithook(wait)
"""
"""A release waits, right after its debit, until the files are replaced."""


def removed(copy: Path) -> None:
    shutil.rmtree(copy)


def of_another_version(copy: Path) -> None:
    """Leave other files under the old names, as an installer does: what is open stays what it was."""
    for path in [*copy.rglob("*")]:
        if path.is_file():
            path.unlink()
            path.write_text("this is of another version (")


@pytest.mark.parametrize("replace", [removed, of_another_version])
def test_a_gateway_whose_package_is_replaced_in_a_draw_answers_and_goes_on(
    tmp_path: Path, replace: Callable[[Path], None]
) -> None:
    copy = tmp_path / "site" / "edgedp"
    shutil.copytree(Path(edgedp.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for kind in ("queries", "loaders"):
        shutil.copytree(asset(kind), copy / "assets" / kind)
    check_it_goes_on(tmp_path, copy, replace)


@pytest.mark.wide
@pytest.mark.timeout(1200)
def test_a_gateway_under_which_pip_installs_another_version_answers_and_goes_on(tmp_path: Path) -> None:
    at_hand = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    wheel, _ = built_wheel(tmp_path / "wheel", *at_hand)
    other = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as of_now, zipfile.ZipFile(other, "w") as made:
        for name in of_now.namelist():
            kept = name.endswith(("/METADATA", "/WHEEL", "/RECORD", "/entry_points.txt"))
            made.writestr(name, of_now.read(name) if kept else "this is of another version (")
    pip_install(copy := tmp_path / "site", wheel)
    check_it_goes_on(tmp_path, copy / "edgedp", lambda _: pip_install(copy, other))
    assert "another version" in (copy / "edgedp" / "__init__.py").read_text()


def pip_install(site: Path, wheel: Path) -> None:
    """Install a wheel into a folder, in place of what is there."""
    options = ["--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check", "--quiet"]
    command = [sys.executable, "-m", "pip", "install", *options, "--upgrade", "--target", site, wheel]
    subprocess.run(command, check=True, timeout=600)


def check_it_goes_on(tmp_path: Path, copy: Path, replace: Callable[[Path], None]) -> None:
    """Start a gateway from a copy of the package, replace the copy in a draw, and ask everything of it."""
    with open_store(tmp_path / "store") as store:
        store.load(Graph.from_edges([(0, leaf) for leaf in range(1, 30)]), "star", epsilon_budget=50)
        token = store.add_analyst("ann")["token"]
        store.grant("star", "ann", epsilon_budget=50)
        started, after = tmp_path / "started", tmp_path / "replaced"
        environment = {
            "PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1",
            "STARTED": str(started), "REPLACED": str(after),
        }  # fmt: skip
        with serve(tmp_path / "store", tmp_path, environment=environment, first=SLOW, fresh=True) as served:
            asked = {"metric": "degree", "k": 1, "epsilon": 1}
            found: list[httpx.Response] = []

            def ask(key: str) -> None:
                with served.client(token) as client:
                    headers = {"Idempotency-Key": key}
                    found.append(client.post("/v1/graphs/star/top-k", json=asked, headers=headers))

            first = threading.Thread(target=ask, args=("first",))
            first.start()
            over = time.monotonic() + 240
            while not started.exists() and time.monotonic() < over:
                time.sleep(0.01)
            assert started.exists()
            assert store.budget("star")["epsilon_spent"] == 1, "debited, and not drawn yet"
            replace(copy)
            after.touch()
            first.join(120)
            ask("first")
            assert [each.status_code for each in found] == [201, 200], [each.text for each in found]
            assert found[0].json()["nodes"] == found[1].json()["nodes"]
            body = {"of": "edges", "epsilon": 1}
            with served.client(token) as client:
                assert client.post("/v1/graphs/star/count", json=body).status_code == 201
                assert client.get("/openapi.json").status_code == 200
            with served.client() as browser:
                page = browser.get("/sign-in")
                assert page.status_code == 200, page.text
                links = set(re.findall(r'(?:href|src)="(/assets/[^"]+)"', page.text))
                assert links
                assert {browser.get(each).status_code for each in links} == {200}
                assert browser.post("/sign-in", data={"token": token}).status_code == 303
                for place in ("/graphs", "/graphs/star", "/releases", "/api"):
                    shown = browser.get(place, follow_redirects=True)
                    assert shown.status_code == 200, (place, served.errors()[-1500:], served.said[-2:])
            assert served.end() == 0, served.errors()
        assert store.budget("star")["epsilon_spent"] == 2
        first_kept, counted = store.releases("star")
        assert first_kept["nodes"] == found[0].json()["nodes"]
        assert counted["value"] is not None
        assert store.check() == []
