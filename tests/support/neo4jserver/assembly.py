"""The jars of a Neo4j version, copied by Maven into a cache outside the checkout."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from neo4jserver.toolchain import java_for, maven

POM = Path(__file__).with_name("pom.xml")


class AssemblyError(RuntimeError):
    """Maven could not deliver the jars."""


def cache_folder(version: str) -> Path:
    """Return where the jars and the class archives of a version are kept."""
    configured = os.environ.get("EDGEDP_NEO4J_CACHE")
    return (Path(configured) if configured else Path.home() / ".cache" / "edgedp" / "neo4j-server") / version


def library(version: str) -> Path:
    """Return the folder of the server's jars; assemble it first if it is not there.

    The folder appears under its name only when it is whole, by one rename, so an assembly that was
    killed leaves nothing that looks usable. Two at a time: the second waits, and finds it done.
    """
    lib = cache_folder(version) / "lib"
    if lib.is_dir():
        return lib
    with exclusively(version):
        if not lib.is_dir():
            for abandoned in lib.parent.glob("partial-*"):
                shutil.rmtree(abandoned)
            partial = Path(tempfile.mkdtemp(prefix="partial-", dir=lib.parent))
            _copy_jars(version, partial)
            partial.rename(lib)
    return lib


@contextmanager
def exclusively(version: str) -> Iterator[None]:
    """Hold the lock of a version's cache folder; the system lets go of it when the process dies."""
    folder = cache_folder(version)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _copy_jars(version: str, target: Path) -> None:
    """Run Maven with the settings that this machine has."""
    command = [maven(), "--batch-mode", "--quiet", "--file", str(POM), f"-Dneo4j.version={version}"]
    command += ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={target}"]
    java = {"JAVA_HOME": str(java_for(version).home)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | java)
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise AssemblyError(
            f"the assembly of Neo4j {version} is ended by Maven with status {done.returncode}, must be 0; "
            f"see that Maven reaches a repository (settings.xml):\n{last}"
        )
