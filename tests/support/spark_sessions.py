"""The session of Spark that tests share: little is computed, so what it costs to start and to plan is what counts."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_JVM = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m -Xmn256m "
    "-Dspark.python.daemon.module=spark_daemon "
    "-Duser.timezone=America/New_York"  # no window may follow it
)
"""By default the first compiler alone has a small store of code, and a thread that sweeps it all the time."""

_SQL = {
    "shuffle.partitions": "2",
    "adaptive.enabled": "false",
    "codegen.wholeStage": "false",
    "codegen.factoryMode": "NO_CODEGEN",
}


@contextmanager
def shared_session() -> Iterator[Any]:
    """Run a session for all tests that ask for one."""
    from edgedp.spark.session import open_session

    with pytest.MonkeyPatch.context() as patch:  # for this one Java, and none that other tests start
        patch.setenv("EDGEDP_SPARK_MASTER", "local[2]")
        patch.setenv("EDGEDP_SPARK_MEMORY", "1g")
        patch.setenv("JAVA_TOOL_OPTIONS", _JVM)
        given = os.environ.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell")
        patch.setenv("PYSPARK_SUBMIT_ARGS", f"--driver-class-path {shlex.quote(_first_jars())} {given}")
        patch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)  # where spark_daemon.py is
        session = open_session()
    session.sparkContext.setLogLevel("OFF")  # nobody reads it: it was formatted, and then thrown away
    for name, value in _SQL.items():
        session.conf.set(f"spark.sql.{name}", value)
    _forget_defaults(session.sparkContext)
    with pytest.MonkeyPatch.context() as patch:
        _remember_names(patch)
        yield session


def _first_jars() -> str:
    """Return which jars to look in first, of 280: Spark reads classes of these anew for every closure."""
    import pyspark

    jars = Path(pyspark.__file__).parent / "jars"
    names = ("scala-library-", "spark-core_", "spark-sql", "spark-catalyst_", "hadoop-client-api-")
    return os.pathsep.join(str(jar) for name in names for jar in jars.glob(f"{name}*.jar"))


def _forget_defaults(context: Any) -> None:
    """Leave Hadoop to the defaults in its code: those of its files are written and read with every frame and task."""
    settings = context._jsc.hadoopConfiguration()
    settings.clear()
    for name, value in context.getConf().getAll():
        if name.startswith("spark.hadoop."):
            settings.set(name.removeprefix("spark.hadoop."), value)


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
