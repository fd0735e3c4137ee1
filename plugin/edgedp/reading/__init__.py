"""Edges in: files, addresses and datasets of the catalogue become columns of ids; `edgedp.loading` makes the graph.

``locating`` finds the file, ``content`` unpacks it, ``recognition`` tells its format. Of a text, ``layout``
tells the separator, ``deciding`` what is sure about columns and first line, and ``table`` reads the ids; ``tabular``,
``markup``, ``networks`` and ``matrices`` read the other formats. ``numbering`` turns ids into positions.
"""

from __future__ import annotations

from edgedp.progress import Progress
from edgedp.reading.catalogue import Dataset, datasets
from edgedp.reading.options import ReadingOptions, checked_options
from edgedp.reading.report import LoadReport

__all__ = [
    "Dataset",
    "LoadReport",
    "Progress",
    "ReadingOptions",
    "checked_options",
    "datasets",
]
