"""What was read becomes a `Graph`: files, addresses, datasets of the catalogue, objects of other libraries.

`edgedp.graph.reading` knows no graph: it turns a source into columns of ids, and these into positions. ``sources`` puts
both together, ``properties`` adds the further columns of a file of nodes, ``building`` takes what is in memory, too.
"""

from __future__ import annotations

from edgedp.graph.loading.previewing import Preview, preview
from edgedp.graph.loading.reporting import LoadReport
from edgedp.graph.loading.sources import graph_of, read_graph, read_source

__all__ = ["LoadReport", "Preview", "graph_of", "preview", "read_graph", "read_source"]
