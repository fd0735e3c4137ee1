"""Files, addresses and datasets of the catalogue become columns of ids; `edgedp.graph.loading` makes the graph.

The data's way, in six steps, of which each knows only those before it:

1. a place: ``sources/locating`` finds what a name, a path or an address means;
2. bytes: ``sources/content`` opens and unpacks it, ``sources/recognition`` tells its format;
3. columns: ``text/layout`` and ``formats/choosing`` say which are read, by the closed list of ``text/deciding``, or ask
   (``text/question``);
4. rows: ``text/table`` reads those of a text, ``formats/`` the others;
5. ids: ``series`` makes them all integers or all texts, ``text/judging`` refuses or asks about what is hardly an id;
6. arrays: ``numbering`` makes positions of ids, of which `edgedp.graph.loading.building` makes the graph.
"""

from __future__ import annotations

from edgedp.graph.reading.options import ReadingOptions, checked_options
from edgedp.graph.reading.sources.catalogue import Dataset, datasets
from edgedp.words.progress import Progress

__all__ = [
    "Dataset",
    "Progress",
    "ReadingOptions",
    "checked_options",
    "datasets",
]
