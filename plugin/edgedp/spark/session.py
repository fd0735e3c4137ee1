"""A Spark session that is fit for releases: ours, on this machine or a cluster, or the caller's, checked."""

from __future__ import annotations

import atexit
import importlib.util
import os
import subprocess
import sys
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING

from edgedp.words.errors import EngineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER, MEMORY = "EDGEDP_SPARK_MASTER", "EDGEDP_SPARK_MEMORY"

_SETTINGS = {
    "spark.app.name": "edgedp",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.eventLog.enabled": "false",
    "spark.speculation": "false",
    "spark.task.maxFailures": "1",
    "spark.stage.maxConsecutiveAttempts": "1",
    "spark.io.encryption.enabled": "true",
    "spark.driver.maxResultSize": "0",
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    "spark.sql.session.timeZone": "UTC",  # by which the names of folders are moments
}
"""What every session of ours has. The key of the encryption is nowhere on a disk: what was spilled dies with it.

Which line of Python made a column is not told to Java: no message of Spark is shown, and each column would cost four
calls.
"""

_LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "64",
}
"""Of a session on this machine; Spark joins shuffled partitions that turn out small."""


_opening = Lock()


def check_installed() -> None:
    """Refuse where pyspark or pandas is missing.

    Raises
    ------
    EngineError
        It names the extra.
    """
    missing = [name for name in ("pyspark", "pandas") if importlib.util.find_spec(name) is None]
    if missing:
        raise EngineError(
            f"engine 'spark' needs {' and '.join(missing)}, which is not installed; install edgedp[spark]"
        )


def open_session() -> SparkSession:
    """Return the session of this process, whichever thread began it, or start one.

    ``EDGEDP_SPARK_MASTER`` names the cluster (default ``local[*]``: this machine), ``EDGEDP_SPARK_MEMORY`` the
    memory of the driver (default ``4g``). Other settings are read from ``spark-defaults.conf``, as Spark does.

    Returns
    -------
    SparkSession

    Raises
    ------
    EngineError
        pyspark or a JDK is missing, or Spark does not start.
    """
    check_installed()
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    with _opening:
        found = SparkSession.getActiveSession()
        if found is None and SparkContext._active_spark_context is not None:  # of another thread
            found = SparkSession.builder.getOrCreate()
        return _started() if found is None else check_session(found)


def _started() -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    master = os.environ.get(MASTER) or "local[*]"
    settings = _SETTINGS | {"spark.master": master, "spark.driver.memory": os.environ.get(MEMORY) or "4g"}
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        settings |= _LOCAL
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    try:
        # What the JVM writes may hold rows: errors are told by ours alone.
        gateway = launch_gateway(  # type: ignore[no-untyped-call]
            conf, {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        )
        context = SparkContext(gateway=gateway, conf=conf)
    except Exception:
        raise EngineError(
            f"Spark did not start with master {master!r}; it needs a JDK 17 or newer: check 'java -version' and "
            f"JAVA_HOME, and {MASTER}"
        ) from None
    atexit.register(_stop, context)
    try:
        return check_session(SparkSession(context))
    except EngineError:
        _stop(context)
        raise


def check_session(session: SparkSession) -> SparkSession:
    """Refuse a session in which a task may run twice, whose parts cannot be told apart, or that speaks in the clear.

    On a cluster edges, noise and the key of what is spilled cross the network, so that its ends must know each other
    and encrypt.

    Raises
    ------
    EngineError
    """
    if not hasattr(session, "_jsparkSession"):
        raise EngineError(
            "the session is one of Spark Connect, must be a classic one; run where the driver of Spark runs"
        )
    conf = session.sparkContext._conf  # `getConf` asks Java for each of all settings

    def is_on(name: str) -> bool:
        return str(conf.get(name, "false")).strip().lower() == "true"

    if is_on("spark.speculation"):
        raise EngineError(
            "spark.speculation is true, must be false, for noise that is drawn twice is two releases; switch it off"
        )
    master = str(conf.get("spark.master", ""))
    encrypted = is_on("spark.network.crypto.enabled") or is_on("spark.ssl.rpc.enabled")
    if not master.startswith("local") and not (is_on("spark.authenticate") and encrypted):
        raise EngineError(
            "the session sends edges and noise over a network in the clear; set spark.authenticate and "
            "spark.network.crypto.enabled to true, for the whole cluster"
        )
    return session


def _stop(context: object) -> None:
    with suppress(Exception):
        context.stop()  # type: ignore[attr-defined]
