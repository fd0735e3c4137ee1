"""The files of the package are removed or replaced under a gateway: it answers as before, and nothing paid is lost."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

import edgedp
from edgedp import Graph, open_store
from edgedp.words.places import asset
from gateway_server import serve

SLOW = """
import os, time
from edgedp.stores.releases import releasing
assert releasing.reach
def reach(point):
    if point == "debited":
        open(os.environ["STARTED"], "w").close()
        while not os.path.exists(os.environ["REPLACED"]):
            time.sleep(0.01)
releasing.reach = reach
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
    with open_store(tmp_path / "store") as store:
        store.load(Graph.from_edges([(0, leaf) for leaf in range(1, 30)]), "star", epsilon_budget=50)
        token = store.add_analyst("ann")["token"]
        store.grant("star", "ann", epsilon_budget=50)
        started, after = tmp_path / "started", tmp_path / "replaced"
        environment = {
            "PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1",
            "STARTED": str(started), "REPLACED": str(after),
        }  # fmt: skip
        with serve(tmp_path / "store", tmp_path, environment=environment, first=SLOW) as served:
            asked = {"metric": "degree", "k": 1, "epsilon": 1}
            found: list[httpx.Response] = []

            def ask(key: str) -> None:
                with served.client(token) as client:
                    headers = {"Idempotency-Key": key}
                    found.append(client.post("/v1/graphs/star/top-k", json=asked, headers=headers))

            first = threading.Thread(target=ask, args=("first",))
            first.start()
            over = time.monotonic() + 60
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
