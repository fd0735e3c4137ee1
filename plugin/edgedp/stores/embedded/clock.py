"""The clocks of leases: one that nobody sets, and the wall's for other machines and boots."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

_LONGEST = 30
"""Seconds: `edgedp.ledger.ledger.LEASE_SECONDS`."""

_BOOT = Path("/proc/sys/kernel/random/boot_id")


@cache
def boot() -> str:
    """Return what tells this boot of this machine from all others; empty where nothing does."""
    try:
        return _BOOT.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def ticks() -> int:
    """Return whole seconds since the boot, those asleep included."""
    return int(time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)))


def wall() -> int:
    """Return whole seconds of the clock on the wall, which may be set at any time."""
    return int(time.time())


def leased(named: str, until_ticks: int, until: int) -> bool:
    """Return whether a lease is alive; one that ends later than any lease made now would is not.

    Parameters
    ----------
    named : str
        The `boot` that the lease names.
    until_ticks, until : int
        When it ends, by `ticks` of that boot and by `wall`.
    """
    left = until_ticks - ticks() if named and named == boot() else until - wall()
    return 0 < left <= _LONGEST
