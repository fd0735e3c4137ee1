"""Edges in: files, addresses and datasets of the catalogue become a `Graph`.

``content`` brings the bytes, ``layout`` tells the format from them, ``table`` turns them into
columns of ids, ``numbering`` the ids into positions, ``loading`` puts it all together.
"""

from __future__ import annotations

from edgedp.reading.loading import read_graph, read_source
from edgedp.reading.progress import Progress
from edgedp.reading.report import LoadReport

__all__ = ["LoadReport", "Progress", "read_graph", "read_source"]
