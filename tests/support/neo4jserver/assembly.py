"""The jars of a Neo4j version, copied by Maven into a cache outside the checkout."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from neo4jserver.toolchain import java_for, maven

POM = Path(__file__).with_name("pom.xml")
SIGNATURES = (".SF", ".RSA", ".DSA", ".EC")


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
    lib = cache_folder(version) / "jars"
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
    """Run Maven with the settings that this machine has, and take the signatures away."""
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
    for jar in target.glob("*.jar"):
        unsigned(jar)


def unsigned(jar: Path) -> None:
    """Write a signed jar without its signatures.

    A server that starts looks for services in such a jar again and again, and each time the JVM proves the whole
    manifest: a quarter of the start. Nor does an archive of classes hold those of a signed jar.
    """
    with zipfile.ZipFile(jar) as whole:
        kept = [each for each in whole.infolist() if not _is_signature(each.filename)]
        if len(kept) == len(whole.infolist()):
            return
        with zipfile.ZipFile(jar.with_suffix(".unsigned"), "w", zipfile.ZIP_DEFLATED) as bare:
            for each in kept:
                bare.writestr(each, whole.read(each))
    jar.with_suffix(".unsigned").rename(jar)


def _is_signature(name: str) -> bool:
    return name.startswith("META-INF/") and name.upper().endswith(SIGNATURES)
