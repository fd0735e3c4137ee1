"""The native engine: exact quantities of all nodes or of some, by compiled kernels (C).

Every function takes a `Graph` and either the positions that it shall compute, in their order, or None for
all nodes. All nodes are relabelled first (`edgedp.graph.engines.native.layout`), which pays for itself; a few are
computed on the graph as it is. Sums are integers, or floats of integers in a fixed order: a result does not
depend on the number of threads, on the order of the work, or on the labels.

The shared library is opened when a function is first called (`library`, the one module that calls C). Where it is
missing, `EngineError` says so; `edgedp.graph.engines.igraph` has the same functions without it, and
`edgedp.graph.engines.serving` chooses.

Privacy: everything here is computed from private edges and is not a release.
"""

from __future__ import annotations

from edgedp.graph.engines.native.cuts import cut_closed_shares, cut_shares, ordered_degrees
from edgedp.graph.engines.native.engine import betweenness2, betweenness2_shares, ebc, triangles
from edgedp.graph.engines.native.shared import common_neighbors_between, max_common_neighbors

__all__ = [
    "betweenness2",
    "betweenness2_shares",
    "common_neighbors_between",
    "cut_closed_shares",
    "cut_shares",
    "ebc",
    "max_common_neighbors",
    "ordered_degrees",
    "triangles",
]
