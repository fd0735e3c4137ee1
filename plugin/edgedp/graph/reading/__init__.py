"""Files, addresses and datasets of the catalogue become columns of ids; `edgedp.graph.loading` makes the graph.

``locating`` finds the file, ``content`` unpacks it, ``recognition`` tells its format. Of a text, ``layout``
tells the separator, ``deciding`` what is sure about columns and first line, and ``table`` reads the ids; ``tabular``,
``markup``, ``networks`` and ``matrices`` read the other formats. ``numbering`` turns ids into positions.
"""

from __future__ import annotations

from edgedp.graph.reading.options import ReadingOptions, checked_options
from edgedp.graph.reading.report import LoadReport
from edgedp.graph.reading.sources.catalogue import Dataset, datasets
from edgedp.words.progress import Progress

__all__ = [
    "Dataset",
    "LoadReport",
    "Progress",
    "ReadingOptions",
    "checked_options",
    "datasets",
]
