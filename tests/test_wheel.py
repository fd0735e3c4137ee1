"""The wheel as a user gets it: built, installed into an empty environment, and used far from the sources.

Installing takes the dependencies from wherever pip is configured to take them from, or from its cache.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import edgedp

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Installed:
    """An environment that holds the wheel and what it depends on, nothing else."""

    wheel: Path
    environment: Path
    folder: Path

    def run(self, program: str, *words: str) -> str:
        """Run a program of the environment in an empty folder, knowing nothing of the checkout."""
        variables = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "EDGEDP_", "NEO4J_", "NUMBA_", "VIRTUAL_ENV", "COV_"))
        }
        done = subprocess.run(
            [self.environment / ("Scripts" if os.name == "nt" else "bin") / program, *words],
            cwd=self.folder,
            env=variables | {"EDGEDP_CACHE": str(self.folder / "cache")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the checkout, with the build backend at hand or fetched for the purpose."""
    built = tmp_path_factory.mktemp("wheel")
    at_hand = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", *at_hand, "--outdir", built, ROOT],
        check=True,
        capture_output=True,
        text=True,
        timeout=240,
    )
    (path,) = built.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    environment = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", environment], check=True, timeout=120)
    found = Installed(wheel, environment, tmp_path_factory.mktemp("elsewhere"))
    found.run(
        "python", "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", str(wheel)
    )
    return found


@pytest.mark.timeout(600)
def test_the_wheel_holds_the_package_and_its_data_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert wheel.name == f"edgedp-{edgedp.__version__}-py3-none-any.whl"
    assert {name.partition("/")[0] for name in names} == {"edgedp", f"edgedp-{edgedp.__version__}.dist-info"}
    for folder, pattern in (("queries", "*.cypher"), ("loaders", "*")):
        for path in (ROOT / folder).rglob(pattern):
            if path.is_file() and path.suffix != ".pyc":
                assert f"edgedp/assets/{path.relative_to(ROOT).as_posix()}" in names
    for path in (ROOT / "plugin" / "edgedp").rglob("*.py"):
        assert path.relative_to(ROOT / "plugin").as_posix() in names
    assert "edgedp/py.typed" in names
    assert not [name for name in names if name.endswith((".pyc", ".nbi", ".nbc"))]


@pytest.mark.timeout(600)
def test_the_steps_of_the_demo_run_from_the_wheel(installed: Installed) -> None:
    where = installed.run("python", "-c", "import edgedp; print(edgedp.__file__)").strip()
    assert Path(where).is_relative_to(installed.environment)
    assert not Path(where).is_relative_to(ROOT)

    ranks = [line.split() for line in installed.run("edgedp", "demo").splitlines() if line[:1].isspace()]
    assert [rank for rank, *node in ranks if rank.isdigit() and len(node) == 1] == [
        str(i) for i in range(1, 11)
    ]

    listed = {row["name"]: row for row in json.loads(installed.run("edgedp", "datasets", "--format", "json"))}
    assert {name for name, row in listed.items() if row["bundled"]} == {"email-Enron", "musae-github"}

    loaded = installed.run(
        "edgedp", "load", "email-Enron", "--epsilon-budget", "10", "--degree-bound", "2000"
    )
    assert "36,692 nodes, 183,831 edges, largest degree 1,383" in loaded
    words = ("topk", "email-Enron", "--metric", "ebc", "-k", "10", "--epsilon", "1", "--format", "json")
    for spent in (1, 2):
        release = json.loads(installed.run("edgedp", *words))
        assert len(set(release["nodes"])) == 10
        assert release["epsilon_spent"] == spent
        assert release["private"] is True
    assert json.loads(installed.run("edgedp", "budget", "email-Enron", "--format", "json")) == {
        "epsilon_budget": 10.0, "epsilon_spent": 2.0, "epsilon_remaining": 8.0, "releases": 2
    }  # fmt: skip
    assert {path.name for path in installed.folder.iterdir()} >= {"graphs.edgedp", "cache"}
