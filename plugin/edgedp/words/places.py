"""Where the package's data files are: inside the wheel, or at the root of a checkout."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

__all__ = ["asset"]


def asset(*parts: str) -> Path:
    """Return the path of a data file or folder, such as ``asset("queries", "neo4j")``."""
    package = Path(str(files("edgedp")))
    installed = package / "assets"
    root = installed if installed.is_dir() else package.parents[1]
    return root.joinpath(*parts)
