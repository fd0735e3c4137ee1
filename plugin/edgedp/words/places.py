"""Where files are: the package's own, inside the wheel or at the root of a checkout, and those that a user names."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

from edgedp.words.errors import ParameterError


def asset(*parts: str) -> Path:
    """Return the path of a data file or folder, such as ``asset("queries", "neo4j")``."""
    package = Path(str(files("edgedp")))
    installed = package / "assets"
    root = installed if installed.is_dir() else package.parents[1]
    return root.joinpath(*parts)


def expanded(path: str | os.PathLike[str], name: str) -> Path:
    """Return a path with ``~`` and ``~ada`` as home folders; one that no file can have is refused by its name.

    Examples
    --------
    >>> expanded("/data/edges.csv", "source")
    PosixPath('/data/edges.csv')
    """
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise ParameterError(f"{name} is {path!r}, must be a path; choose another")
    try:
        os.fsencode(text)
        return Path(text).expanduser()
    except UnicodeEncodeError:
        raise ParameterError(
            f"{name} is {text!r}, which no file can be called; choose another path"
        ) from None
    except RuntimeError:  # pathlib's word for an unknown user, and for one without a home
        raise ParameterError(
            f"{name} is {text!r}, whose home folder is unknown; write the path without ~"
        ) from None


def is_utf8(path: str) -> bool:
    r"""Return whether UTF-8 writes a path: Python keeps its other bytes as lone surrogates.

    Examples
    --------
    >>> is_utf8("caf\xe9"), is_utf8("caf\udce9")
    (True, False)
    """
    return not any("\ud800" <= sign < "\ue000" for sign in path)
