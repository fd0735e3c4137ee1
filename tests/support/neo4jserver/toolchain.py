"""Where this machine keeps its Java and its Maven."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path


class MissingToolError(RuntimeError):
    """Java or Maven is not on this machine; the message says what to install."""


@dataclass(frozen=True)
class Java:
    """A Java runtime: its home folder, its version as it names itself, and the feature release."""

    home: Path
    version: str
    feature: int

    @property
    def executable(self) -> Path:
        return self.home / "bin" / "java"


def minimum_java(neo4j_version: str) -> int:
    """Neo4j 5 is Java 17 bytecode; the calendar versions are Java 21 bytecode."""
    return 17 if neo4j_version.startswith("5.") else 21


@cache
def java_for(neo4j_version: str) -> Java:
    """Return the first Java that runs this Neo4j: of JAVA_HOME, then of PATH, then of the usual folders.

    Raises
    ------
    MissingToolError
        None does.
    """
    feature = minimum_java(neo4j_version)
    found = []
    for home in _java_homes():
        java = _describe(home)
        if java is not None and java.feature >= feature:
            return java
        if java is not None:
            found.append(java.version)
    have = ", ".join(found) or "not installed"
    raise MissingToolError(
        f"Java is {have}, must be {feature} or newer for Neo4j {neo4j_version}; "
        f"install a JDK {feature} (Debian: apt install openjdk-{feature}-jdk, "
        f"macOS: brew install openjdk@{feature}) or set JAVA_HOME to one"
    )


def maven() -> str:
    """Return the path of ``mvn``."""
    path = shutil.which("mvn")
    if path is None:
        raise MissingToolError(
            "Maven is not installed, must be on PATH as mvn to assemble Neo4j; "
            "install it (Debian: apt install maven, macOS: brew install maven)"
        )
    return path


def _java_homes() -> Iterator[Path]:
    if "JAVA_HOME" in os.environ:
        yield Path(os.environ["JAVA_HOME"])
    on_path = shutil.which("java")
    if on_path is not None:
        yield Path(on_path).resolve().parents[1]
    yield from sorted(Path("/usr/lib/jvm").glob("*"))
    yield from sorted(Path.home().glob(".sdkman/candidates/java/*"))
    yield from sorted(Path("/Library/Java/JavaVirtualMachines").glob("*/Contents/Home"))
    yield from sorted(Path("/opt/homebrew/opt").glob("openjdk*/libexec/openjdk.jdk/Contents/Home"))


def _describe(home: Path) -> Java | None:
    """Ask the runtime itself: Debian's folders and links promise more than they hold."""
    if not (home / "bin" / "java").is_file():
        return None
    said = subprocess.run(
        [home / "bin" / "java", "-version"], capture_output=True, text=True, check=False, timeout=60
    ).stderr
    match = re.search(r'version "((\d+)[^"]*)"', said)
    return Java(home, match.group(1), int(match.group(2))) if match else None
