"""Strengths by igraph: the engine ``igraph`` adds up weights by its own code."""

from __future__ import annotations

from typing import Literal, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.graph import weights
from edgedp.graph.graph import Graph
from edgedp.words.vocabulary import StrengthName

__all__ = ["strengths"]

_EXACT = 2**53
"""Below it igraph, which adds up floats, is exact."""


def strengths(graph: Graph, name: StrengthName) -> NDArray[np.int64]:
    """Return the (n,) sums of the weights of each node; what floats may not hold is added up in integers."""
    made = graph.weighting
    if made is None or made.most * graph.node_count >= _EXACT or not graph.edge_count:
        return weights.strengths(graph, name)
    mode: Literal["all", "in", "out"]
    match name:
        case "strength":
            mode = "all"
        case "in_strength":
            mode = "in"
        case "out_strength":
            mode = "out"
        case _:
            assert_never(name)
    added: list[float] = graph.to_igraph().strength(mode=mode, weights="weight")
    sums: NDArray[np.int64] = np.rint(np.array(added)).astype(np.int64)
    return sums
