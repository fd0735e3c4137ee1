"""A process that kills itself where the product raises an audit event, to see what is left behind.

The product says by ``sys.audit("edgedp.reached", POINT)`` how far a release, a load or a migration is; a hook of
Python hears it, and only a test installs one that kills.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any, Literal, get_args

Point = Literal[
    # of a release; "reading" is each piece of an address
    "debited", "reading", "read", "stepped", "drawn", "recorded",
    # of a load
    "begun", "written", "placing", "placed", "checked", "current",
    # of the migration of a store of 0.1.0
    "built", "aside", "moved",
]  # fmt: skip


def kill_at(point: str) -> None:
    """Let this process kill itself once it reaches a point; ``NAME*3``: for the third time."""
    name, _, times = point.partition("*")
    assert name in get_args(Point), name
    left = int(times or 1)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event == "edgedp.reached" and arguments == (name,):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def command(point: str, code: str, *arguments: str) -> list[str]:
    """Return the command of a program that kills itself at a point."""
    here = str(Path(__file__).parent)
    first = f"import sys; sys.path.insert(0, {here!r}); import killing; killing.kill_at({point!r})\n"
    return [sys.executable, "-c", first + code, *arguments]
