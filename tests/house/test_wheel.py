"""The wheel as a user gets it: built, installed into an empty environment, and used far from the sources.

Installing takes the dependencies from wherever pip is configured to take them from, or from its cache.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import edgedp
from edgedp.graph.engines.native import build
from edgedp.graph.engines.native.library import level_name

ROOT = Path(__file__).resolve().parents[2]


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
            if not name.startswith(("PYTHON", "EDGEDP_", "NEO4J_", "VIRTUAL_ENV", "COV_"))
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


AT_HAND = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
"""The build backend is at hand, or is fetched for the purpose."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the checkout."""
    return built_wheel(tmp_path_factory.mktemp("wheel"), *AT_HAND)[0]


def built_wheel(folder: Path, *words: str, **environment: str) -> tuple[Path, str]:
    """Build a wheel, and return it and what was said."""
    done = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", *words, "--outdir", folder, ROOT],
        check=True,
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | environment,
    )
    (path,) = folder.glob("*.whl")
    return path, done.stdout + done.stderr


def run_unpacked(wheel: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command of an unpacked wheel, over the packages that are here."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "unpacked")
    inside = f"import edgedp; assert edgedp.__file__.startswith({str(folder)!r}); "
    code = inside + "from edgedp.faces.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "unpacked")},
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )


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
def test_the_wheel_holds_the_package_and_its_data_and_nothing_else(tmp_path: Path) -> None:
    """Of kernels that nobody runs: what a compiler takes longest for is how fast they are."""
    hasty = tmp_path / "cc"
    hasty.write_text(f'#!/bin/sh\nexec {os.environ.get("CC", "cc")} "$@" -O0\n')
    hasty.chmod(0o755)
    chosen = {"CC": str(hasty)} if build.chosen_compiler() == "cc" else {}
    wheel, _ = built_wheel(tmp_path, *AT_HAND, **chosen)
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    kind = build.platform_tag(build.chosen_compiler())
    assert wheel.name == f"edgedp-{edgedp.__version__}-py3-none-{kind}.whl"
    assert f"edgedp/graph/engines/native/{build.LIBRARY}" in names
    assert not [name for name in names if name.endswith((".c", ".h"))]
    assert {name.partition("/")[0] for name in names} == {"edgedp", f"edgedp-{edgedp.__version__}.dist-info"}
    for folder, pattern in (("queries", "*.cypher"), ("loaders", "*")):
        for path in (ROOT / folder).rglob(pattern):
            if path.is_file() and path.suffix != ".pyc":
                assert f"edgedp/assets/{path.relative_to(ROOT).as_posix()}" in names
    for path in (ROOT / "plugin" / "edgedp").rglob("*.py"):
        assert path.relative_to(ROOT / "plugin").as_posix() in names
    for path in (ROOT / "plugin" / "edgedp" / "faces" / "gateway" / "pages").rglob("*.*"):
        if {"templates", "static"} & set(path.parts):
            assert path.relative_to(ROOT / "plugin").as_posix() in names
    assert "edgedp/py.typed" in names
    assert not [name for name in names if name.endswith(".pyc")]


@pytest.mark.wide
@pytest.mark.timeout(600)
def test_the_steps_of_the_demo_run_from_the_wheel(installed: Installed) -> None:
    assert "compiled kernels: " in installed.run("edgedp", "--version")
    where = installed.run("python", "-c", "import edgedp; print(edgedp.__file__)").strip()
    assert Path(where).is_relative_to(installed.environment)
    assert not Path(where).is_relative_to(ROOT)

    ranks = [line.split() for line in installed.run("edgedp", "demo").splitlines() if line[:1].isspace()]
    assert [rank for rank, *node in ranks if rank.isdigit() and len(node) == 4] == [
        str(i) for i in range(1, 11)
    ]

    listed = {row["name"]: row for row in json.loads(installed.run("edgedp", "datasets", "--format", "json"))}
    assert {name for name, row in listed.items() if row["bundled"]} == {"email-Enron"}

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
    budget = json.loads(installed.run("edgedp", "budget", "email-Enron", "--format", "json"))
    assert re.fullmatch(r"\d+:[0-9a-f]{64}", budget.pop("head"))
    assert budget == {
        "epsilon_budget": 10.0, "epsilon_spent": 2.0, "epsilon_remaining": 8.0, "releases": 2
    }  # fmt: skip
    assert {path.name for path in installed.folder.iterdir()} >= {"graphs.edgedp"}


@pytest.mark.skipif(importlib.util.find_spec("ziglang") is not None, reason="ziglang is installed here")
@pytest.mark.wide
@pytest.mark.timeout(600)
def test_without_any_compiler_a_wheel_is_built_that_igraph_serves(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    wheel, said = built_wheel(
        tmp_path / "wheel",
        "--no-isolation",
        "--skip-dependency-check",
        PATH=str(nothing),
        EDGEDP_KERNELS="",
        CC="",
    )
    assert wheel.name == f"edgedp-{edgedp.__version__}-py3-none-any.whl"
    assert "no C compiler and no ziglang: edgedp is built without its kernels" in said
    version = run_unpacked(wheel, tmp_path, "--version").stdout
    assert (
        version
        == f"edgedp, version {edgedp.__version__} (no compiled kernels: they are not installed; igraph serves)\n"
    )
    demo = run_unpacked(wheel, tmp_path, "demo")
    assert "epsilon budget 3" in demo.stdout
    assert demo.stderr.startswith("note: igraph computes in place of the compiled kernels")
    assert len(demo.stderr.splitlines()) == 1


@pytest.mark.slow  # fetches the compiler
@pytest.mark.timeout(900)
def test_a_wheel_is_built_by_ziglang_alone(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    wheel, _ = built_wheel(tmp_path / "wheel", PATH=str(nothing), EDGEDP_KERNELS="", CC="")
    assert wheel.name == f"edgedp-{edgedp.__version__}-py3-none-{build.platform_tag('zig')}.whl"
    version = run_unpacked(wheel, tmp_path, "--version").stdout
    assert version == f"edgedp, version {edgedp.__version__} (compiled kernels: {level_name()})\n"
    values = run_unpacked(wheel, tmp_path, "demo")
    assert not values.stderr
    digests = subprocess.run(
        [
            sys.executable,
            "-c",
            "import kernel_digests as k; k.check(['email-Enron', 'all labelled graphs of 4 nodes'])",
        ],
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join([str(tmp_path / "unpacked"), str(ROOT / "tests" / "support")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert digests.returncode == 0, digests.stderr


MACHINES: dict[str, tuple[bytes, int, bytes]] = {
    "linux-x86_64": (b"\x7fELF", 18, b"\x3e\x00"),
    "linux-aarch64": (b"\x7fELF", 18, b"\xb7\x00"),
    "macos-x86_64": (b"\xcf\xfa\xed\xfe", 4, b"\x07\x00\x00\x01"),
    "macos-aarch64": (b"\xcf\xfa\xed\xfe", 4, b"\x0c\x00\x00\x01"),
    "windows-x86_64": (b"MZ", 0, b"MZ"),
}
"""How a library begins, and where its header names the processor: ELF, Mach-O; of Windows see below."""


@pytest.mark.slow  # fetches the compiler
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", build.TARGETS)
def test_a_wheel_for_another_system_holds_a_library_for_it(name: str, tmp_path: Path) -> None:
    """Opened by its header, and not run: another system's library runs nowhere here."""
    wheel, _ = built_wheel(tmp_path / "wheel", EDGEDP_TARGET=name, EDGEDP_KERNELS="")
    target = build.TARGETS[name]
    assert wheel.name == f"edgedp-{edgedp.__version__}-py3-none-{build.platform_tag('zig', target)}.whl"
    with zipfile.ZipFile(wheel) as archive:
        found = archive.read(f"edgedp/graph/engines/native/{target.library}")
        assert sum("engines/native/lib/" in each for each in archive.namelist()) == 1
    magic, at, machine = MACHINES[name]
    assert found.startswith(magic)
    if target.system == "windows":
        at, machine = int.from_bytes(found[60:64], "little"), b"PE\0\0\x64\x86"
    assert found[at : at + len(machine)] == machine
    assert b"edgedp_ebc_0" in found  # the name under which a kernel is looked up
    assert build.sources_digest().encode() in found


def test_targets_have_headers_and_an_unknown_one_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MACHINES.keys() == build.TARGETS.keys()
    monkeypatch.setenv("EDGEDP_TARGET", "amiga-68000")
    with pytest.raises(
        build.CompilerError, match="EDGEDP_TARGET is 'amiga-68000', must be one of linux-x86_64"
    ):
        build.chosen_target()
    monkeypatch.setenv("EDGEDP_TARGET", "macos-aarch64")
    monkeypatch.setenv("EDGEDP_KERNELS", "cc")
    with pytest.raises(build.CompilerError, match="must be zig for EDGEDP_TARGET"):
        build.chosen_compiler()
    monkeypatch.delenv("EDGEDP_TARGET")
    assert build.chosen_target() == build.Target.here()
    assert build.Target.here().library == build.LIBRARY


def test_an_unknown_choice_of_a_compiler_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGEDP_KERNELS", "fortran")
    with pytest.raises(build.CompilerError, match="EDGEDP_KERNELS is 'fortran', must be cc, zig or none"):
        build.chosen_compiler()


def test_a_compiler_that_fails_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "false")
    with pytest.raises(
        build.CompilerError, match=r"the kernels could not be built: .*; set CC to another compiler"
    ):
        build.compile_library(tmp_path / build.LIBRARY, "cc")
    assert not (tmp_path / build.LIBRARY).exists()
