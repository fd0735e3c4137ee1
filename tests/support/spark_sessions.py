"""The session of Spark that tests share: little is computed, so what it costs to start and to plan is what counts."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

MANY = 60
"""Tests of Spark, at least, of whose classes an archive is made: that of one test would lack most."""

ARCHIVE_SECONDS = 600

_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m -Xmn256m"
"""By default the first compiler alone has a small store of code, and a thread that sweeps it all the time."""

_SQL = {
    "shuffle.partitions": "2",
    "adaptive.enabled": "false",
    "codegen.wholeStage": "false",
    "codegen.factoryMode": "NO_CODEGEN",
}


@contextmanager
def shared_session(tests: int) -> Iterator[Any]:
    """Run a session; one of many tests leaves an archive of its classes for the next run where there is none.

    Parameters
    ----------
    tests : int
        How many tests there are for it.
    """
    from edgedp.spark.session import open_session

    archive = _archive()
    partial = archive.with_suffix(f".{os.getpid()}")
    making = tests >= MANY and not archive.exists()
    with pytest.MonkeyPatch.context() as patch:  # for this one Java, and none that other tests start
        patch.setenv("EDGEDP_SPARK_MASTER", "local[2]")
        patch.setenv("EDGEDP_SPARK_MEMORY", "1g")
        patch.setenv("JAVA_TOOL_OPTIONS", _JVM)
        if making:
            archive.parent.mkdir(parents=True, exist_ok=True)
            patch.setenv("SPARK_SUBMIT_OPTS", f"-XX:ArchiveClassesAtExit={partial}")
        elif archive.exists():
            patch.setenv("SPARK_SUBMIT_OPTS", f"-XX:SharedArchiveFile={archive} -Xshare:auto")
        session = open_session()
    session.sparkContext.setLogLevel("OFF")  # nobody reads it: it was formatted, and then thrown away
    for name, value in _SQL.items():
        session.conf.set(f"spark.sql.{name}", value)
    with pytest.MonkeyPatch.context() as patch:
        _remember_names(patch)
        yield session
    if making:
        gateway: Any = session.sparkContext._gateway
        session.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        with suppress(subprocess.TimeoutExpired):  # the next run tries again
            gateway.proc.wait(ARCHIVE_SECONDS)
        # A Java without class data sharing starts slowly, and starts.
        if gateway.proc.poll() is not None and partial.exists():
            partial.rename(archive)


def _archive() -> Path:
    """Return where the archive is for this Java and these jars, whose paths it is bound to."""
    import pyspark

    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java") if home else Path(shutil.which("java") or "java")
    told = java.resolve().parent.parent / "release"
    release = told.read_text() if told.exists() else ""
    of = hashlib.sha256(f"{pyspark.__file__}{pyspark.__version__}{java.resolve()}{release}".encode())
    kept = Path(os.environ.get("EDGEDP_NEO4J_CACHE") or Path.home() / ".cache" / "edgedp" / "neo4j-server")
    return kept.parent / "spark" / f"classes-{of.hexdigest()[:12]}.jsa"


def _remember_names(patch: pytest.MonkeyPatch) -> None:
    """Ask Java once what a name means: pyspark asks for every column, and Java looks through every jar each time."""
    from py4j.java_gateway import JVMView

    ask, found = JVMView.__getattr__, dict[tuple[str, str], Any]()

    def remembered(view: Any, name: str) -> Any:
        key = (view._id, name)
        if key not in found:
            found[key] = ask(view, name)
        return found[key]

    patch.setattr(JVMView, "__getattr__", remembered)
