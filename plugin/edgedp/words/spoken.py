"""The words of a face: one place says how an option is written on the command line and in Python."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Literal

FACE: ContextVar[Literal["python", "command"]] = ContextVar("face", default="python")
"""The face that is used; the command line sets it once, when it starts."""


def option(name: str, value: bool | int | str) -> str:
    """Return an option as the face that is used writes it.

    Examples
    --------
    >>> option("source", "payer"), option("nodes_header", False)
    ("source='payer'", 'nodes_header=False')
    """
    if FACE.get() == "python":
        return f"{name}={value!r}"
    dashed = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{dashed}" if value else f"--no-{dashed}"
    return f"--{dashed} {shlex.quote(str(value))}"


def options(given: Mapping[str, bool | int | str]) -> str:
    """Return several options, as they are written side by side."""
    between = ", " if FACE.get() == "python" else " "
    return between.join(option(name, value) for name, value in given.items())
