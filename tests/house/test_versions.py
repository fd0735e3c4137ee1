"""The lowest, the newest and mixed versions of the libraries that the package allows, installed and run."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from test_wheel import built_wheel

ROOT = Path(__file__).parents[2]
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
BOUND = re.compile(r"([\w-]+)>=([0-9.]+)")
LOWEST: dict[str, str] = dict(BOUND.findall(each)[0] for each in DECLARED)
SETS = {
    "lowest": list(LOWEST),
    "newest": [],
    "old arrays, new columns": ["numpy", "igraph"],
    "old columns, new arrays": ["polars", "pyarrow"],
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_wheel(tmp_path_factory.mktemp("wheel"), "--no-isolation")[0]


def test_every_dependency_has_a_lowest_version() -> None:
    assert len(LOWEST) == len(DECLARED)
    assert {name for names in SETS.values() for name in names} == set(LOWEST)


@pytest.mark.wide
@pytest.mark.timeout(7200)  # four installations, on a machine that others use
@pytest.mark.parametrize(
    "held",
    [pytest.param(held, id=name, marks=[pytest.mark.slow] * ("," in name)) for name, held in SETS.items()],
)
def test_versions_that_are_allowed_work_together(held: list[str], wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    low = [f"{name}=={LOWEST[name]}.*" for name in held]
    (tmp_path / "held.txt").write_text("\n".join(low) + "\n")
    words = [python, "-m", "pip", "install", "--quiet", "--constraint", tmp_path / "held.txt", wheel]
    subprocess.run(words, check=True)
    subprocess.run([python, "-m", "pip", "check"], check=True)
    (tmp_path / "work").mkdir()
    words = [python, "-W", "error", ROOT / "tests" / "support" / "versions_program.py", tmp_path / "work"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ("numpy", "polars", "pyarrow", "igraph"):
        if name in held:
            assert f"{name} {LOWEST[name]}" in done.stdout
