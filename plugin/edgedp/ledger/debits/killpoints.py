"""Named points at which a test's child process kills itself, to see what is left behind.

``EDGEDP_KILL_AT`` is read only where ``EDGEDP_TESTING`` is 1. Of a release: ``debited``, ``reading`` (each piece of an
address), ``read``, ``stepped``, ``drawn``, ``recorded``. Of a load: ``begun``, ``written``, ``placing``, ``placed``,
``checked``, ``current``. Of the migration of a store of 0.1.0: ``built``, ``aside``, ``moved``. ``NAME*3`` is the third
time that the point is reached.
"""

from __future__ import annotations

import os
import signal
from typing import Literal

Point = Literal[
    "debited", "reading", "read", "stepped", "drawn", "recorded",
    "begun", "written", "placing", "placed", "checked", "current",
    "built", "aside", "moved",
]  # fmt: skip

_reached: dict[str, int] = {}


def reach(point: Point) -> None:
    """End this process at once if a test asked for it here."""
    if os.environ.get("EDGEDP_TESTING") != "1":
        return
    wanted, _, times = os.environ.get("EDGEDP_KILL_AT", "").partition("*")
    if wanted == point:
        _reached[point] = _reached.get(point, 0) + 1
        if _reached[point] >= int(times or 1):
            os.kill(os.getpid(), signal.SIGKILL)
