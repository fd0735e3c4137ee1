"""What kept lists of a graph with a calendar say one after the other: who came, who went, and at which rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from edgedp.faces.timeline.made import sequences
from edgedp.faces.timeline.showing import picture, to_html
from edgedp.words.errors import EngineError, ParameterError, StoreError

__all__ = ["write_timeline"]


def write_timeline(graph: str, releases: Iterable[Mapping[str, Any]], out: str | Path) -> Path:
    """Write a graph's lists over time as a page (.html), or the longest sequence as a picture (.svg, .png).

    Parameters
    ----------
    releases : iterable of mapping
        Rows of `edgedp.Store.releases`.

    Raises
    ------
    EdgeDPError
        There is no list of a window, the ending is another one, or the file cannot be written.

    Notes
    -----
    Privacy: post-processing of kept releases; no edge is read and nothing is spent.
    """
    file = Path(out)
    found = sequences(releases)
    match file.suffix.lower():
        case ".html":
            made = to_html(graph, found).encode()
        case ".svg":
            made = picture(found).encode()
        case ".png":
            if find_spec("vl_convert") is None:
                raise EngineError(
                    "the library of the pictures is missing; install edgedp[report], or write .svg"
                )
            import vl_convert

            made = vl_convert.svg_to_png(picture(found), scale=2)
        case _:
            raise ParameterError(
                f"the report is {file.name!r}, must end in .html, .png or .svg; give another name"
            )
    try:
        file.write_bytes(made)
    except OSError as error:
        raise StoreError(
            f"the report is {file}, which cannot be written ({error.strerror}); choose another"
        ) from None
    return file
