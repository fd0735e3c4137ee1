"""A real standalone cluster of Spark on loopback: a master and workers of one core, from the package pyspark."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Cluster", "below", "standalone"]

PATIENCE = 900
"""Seconds until something that must come has come; nothing is measured by them."""


@dataclass
class Cluster:
    """What runs, and where it writes."""

    folder: Path
    home: Path
    address: str = ""
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def variables(self) -> dict[str, str]:
        """What a driver needs to find it."""
        return {"SPARK_HOME": str(self.home), "SPARK_CONF_DIR": str(self.folder / "conf")}

    def start(self, name: str, kind: str, *words: str) -> Path:
        """Start a daemon in the foreground, and return its log."""
        log = self.folder / f"{name}.log"
        command = [str(self.home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}"]
        daemon = {"SPARK_DAEMON_MEMORY": "512m", "SPARK_NO_DAEMONIZE": "1"}
        with log.open("wb") as written:
            self.processes.append(
                subprocess.Popen(
                    [*command, "--host", "127.0.0.1", "--port", "0", "--webui-port", "0", *words],
                    env=os.environ | self.variables | daemon,
                    stdout=written,
                    stderr=subprocess.STDOUT,
                )
            )
        return log

    def add_worker(self, memory: str = "2g") -> subprocess.Popen[bytes]:
        """Start a worker of one core, and wait until the master knows it."""
        name = f"worker{len(self.processes)}"
        words = ("--cores", "1", "--memory", memory, "--work-dir", str(self.folder / name), self.address)
        said(self.start(name, "worker.Worker", *words), r"Successfully registered with master")
        return self.processes[-1]

    def kill_worker(self, task: int) -> None:
        """Kill the worker below which a process runs; what it started notices by itself."""
        for worker in self.processes[1:]:
            if task in _descendants(worker.pid):
                worker.kill()
                worker.wait()
                return
        raise AssertionError(f"no worker runs process {task}")

    def logs(self) -> dict[str, str]:
        """Return everything that the cluster has written in text: daemons and executors."""
        files = [*self.folder.glob("*.log"), *self.folder.glob("worker*/**/std*")]
        return {str(each.relative_to(self.folder)): each.read_text(errors="replace") for each in files}

    def pages(self) -> list[str]:
        """Return where the daemons show what they do."""
        return [
            f"http://127.0.0.1:{found}"
            for log in self.folder.glob("*.log")
            for found in re.findall(r"Successfully started service '\w+UI' on port (\d+)", log.read_text())
        ]


@contextmanager
def standalone(folder: Path, workers: int, memory: str = "2g") -> Iterator[Cluster]:
    """Run a cluster whose network is authenticated and encrypted, and end what was started."""
    import pyspark

    settings = {
        "spark.authenticate": "true",
        "spark.authenticate.secret": secrets.token_hex(16),
        "spark.network.crypto.enabled": "true",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "1g",
        "spark.executor.cores": "1",
        "spark.sql.shuffle.partitions": "4",
        "spark.python.worker.reuse": "true",
    }
    (folder / "conf").mkdir(parents=True)
    text = "".join(f"{name} {value}\n" for name, value in settings.items())
    (folder / "conf" / "spark-defaults.conf").write_text(text)
    cluster = Cluster(folder, Path(pyspark.__file__).parent)
    try:
        log = cluster.start("master", "master.Master")
        cluster.address = said(log, r"Starting Spark master at (spark://\S+)")
        for _ in range(workers):
            cluster.add_worker(memory)
        yield cluster
    finally:
        for process in reversed(cluster.processes):
            for executor in below(process.pid, b"ExecutorBackend"):
                os.kill(executor, 9)
            process.kill()
            process.wait()


def said(log: Path, pattern: str) -> str:
    """Wait until a log says something, and return the first group of it, or all."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = re.search(pattern, log.read_text(errors="replace"))
        if found:
            return found[found.re.groups and 1]
        time.sleep(0.2)
    raise AssertionError(f"not said: {pattern}\n{log.read_text(errors='replace')[-2000:]}")


def _descendants(pid: int) -> list[int]:
    children = below(pid, b"")
    return children + [each for child in children for each in _descendants(child)]


def below(pid: int, mark: bytes) -> list[int]:
    """Return the children of a process whose command line holds a mark."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            try:
                if mark in Path(f"/proc/{child}/cmdline").read_bytes():
                    found.append(int(child))
            except OSError:
                continue
    return found
