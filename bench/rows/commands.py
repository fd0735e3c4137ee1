"""Commands as they are typed, and what is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from bench.harness.measure import Sample
from bench.harness.row import Builder, Row, Target, Work

S = "Commands"
ASKED = ("topk", "email-Enron", "--metric", "ebc", "-k", "10", "--epsilon", "0.001")


@contextmanager
def stored() -> Iterator[Path]:
    """Load Enron into a store in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="edgedp-bench-") as folder:
        place = Path(folder)
        command(place, "load", "email-Enron", "--epsilon-budget", "100000")
        yield place


def command(place: Path, *arguments: str, **variables: str) -> None:
    run(
        [sys.executable, "-m", "edgedp", "--store", str(place / "graphs.edgedp"), *arguments],
        {"EDGEDP_CACHE": str(place / "cache"), **variables},
    )


def run(words: list[str], variables: Mapping[str, str]) -> None:
    done = subprocess.run(words, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)


def warm(place: Path) -> Work:
    return lambda: command(place, *ASKED)


def first(place: Path) -> Work:
    """Return the command with a cache of the package's that is empty."""

    def run() -> None:
        with tempfile.TemporaryDirectory(dir=place) as empty:
            command(place, *ASKED, EDGEDP_CACHE=empty)

    return run


def never_compiled(place: Path) -> Work:
    """Return the same without any bytecode, of the package or of its dependencies."""

    def run() -> None:
        with tempfile.TemporaryDirectory(dir=place) as empty:
            command(place, *ASKED, EDGEDP_CACHE=empty, PYTHONPYCACHEPREFIX=empty)

    return run


def interpreter(code: str) -> Builder:
    return lambda _: lambda: run([sys.executable, "-c", code], {})


def installed(_: object) -> Work:
    """Return the bytes of the package and of what it needs, without bytecode, as if they were memory."""
    return lambda: Sample(0.0, 0.0, sum(sizes().values()))


def sizes() -> dict[str, int]:
    """Return the bytes of each distribution that the package needs, found by going through requirements."""
    from packaging.requirements import Requirement

    found: dict[str, int] = {}
    waiting = ["edgedp"]
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in found:
            continue
        try:
            it = distribution(name)
        except PackageNotFoundError:
            continue
        files = (Path(str(file.locate())) for file in it.files or () if file.suffix != ".pyc")
        found[name] = sum(path.stat().st_size for path in files if path.is_file())
        needs = [Requirement(text) for text in it.requires or ()]
        waiting += [need.name for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})]
    package = Path(__file__).resolve().parents[2] / "plugin" / "edgedp"
    found["edgedp"] = sum(
        path.stat().st_size
        for path in package.rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".c", ".h")
    )
    return found


ROWS = (
    Row(
        name="command-warm",
        section=S,
        title="`edgedp topk` of EBC, stored email-Enron",
        prepare=stored,
        ours=warm,
        also={
            "python, nothing": interpreter("pass"),
            "python, import numpy": interpreter("import numpy"),
            "python, import edgedp": interpreter("import edgedp"),
        },
        wanted=(Target(0.8),),
        rounds=7,
    ),
    Row(
        name="command-first",
        section=S,
        title="the same, nothing in the package's cache",
        prepare=stored,
        ours=first,
        also={"no bytecode either, of no package": never_compiled},
        wanted=(Target(1.2),),
        note="pip compiles bytecode when it installs; a package manager that doesn't leaves that to the first command.",
        rounds=5,
    ),
    Row(
        name="installed-size",
        section=S,
        title="size installed, with what it needs, without bytecode",
        ours=installed,
        wanted=(Target(560e6, "memory"),),
        rounds=1,
    ),
)
