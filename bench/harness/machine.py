"""On what was measured: machine, versions, and the state of the code."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    "edgedp",
    "numpy",
    "polars",
    "igraph",
    "networkx",
    "networkit",
    "opendp",
    "diffprivlib",
    "scipy",
    "ladybug",
)
MEASURED = ("plugin", "bench/rows")


def versions() -> dict[str, str]:
    """Return the version of each package that is installed."""
    found = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def keep_to_one_processor() -> None:
    """Let this process, and what it starts, run on one processor, where the system can be told so.

    Two threads that share caches take more processor time for the same work, and what was wanted is one thread's.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def machine() -> dict[str, str]:
    """Return what the machine is, without its name."""
    return {
        "processor": _line("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "processors": str(os.cpu_count()),
        "memory": f"{int((_line('/proc/meminfo', 'MemTotal') or '0 kB').split()[0]) / 2**20:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}",
        "kernels": _kernels(),
    }


def state() -> str:
    """Return a name for the code that is measured: a record of another one is not taken again."""
    parts = [_git("rev-parse", f"HEAD:{folder}") for folder in MEASURED]
    parts.append(_git("diff", "HEAD", "--", *MEASURED))
    parts.extend(_git("ls-files", "--others", "--exclude-standard", "--", *MEASURED).splitlines())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _kernels() -> str:
    from edgedp.graph.engines import kernels

    return kernels()


def _git(*arguments: str) -> str:
    asked = ["git", "-C", str(ROOT), *arguments]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:
        return ""


def _line(path: str, field: str) -> str:
    """Return what a file of /proc says of a field."""
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(field)), "")
