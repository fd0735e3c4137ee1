"""Synthetic graphs for experiments, advice and benchmarks: seeded, sized, with the parameters stated.

Each function returns a `Graph` whose nodes are ``0 .. n - 1``. The three kinds differ in what makes a
node central, so that nothing in the package is tuned to the two graphs it carries.

==============================  ================================  ============================
kind                            what a node of high degree is     does the degree predict EBC?
==============================  ================================  ============================
`overlapping_clusters`          a member of a large dense group   hardly: EBC wants several groups
`power_law`                     a hub of a random graph           almost perfectly
`affiliation`                   an author of many papers          well, with clique-shaped noise
==============================  ================================  ============================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.graph import Graph


def overlapping_clusters(
    nodes: int = 4_000,
    clusters: int = 100,
    largest: int = 400,
    inside: float = 0.7,
    bridging: float = 0.02,
    seed: int = 1,
) -> Graph:
    """Return dense clusters of very unequal size that overlap in a few nodes.

    Cluster ``c`` is the home of a share of the nodes in proportion to ``(1 + c) ** -0.7``, but never of more
    than `largest`. A share `bridging` of the nodes, of whatever home, joins one to five more clusters, each
    chosen uniformly. Two members of a cluster are adjacent with probability `inside`.

    The largest degrees belong to plain members of the largest clusters, whose neighbours know each
    other; the largest EBC to those who bridge, most of whom live in smaller ones.
    """
    rng = np.random.default_rng(seed)
    shares = (1.0 + np.arange(clusters)) ** -0.7
    shares = np.minimum(shares / shares.sum(), largest / nodes)
    home = rng.choice(clusters, nodes, p=shares / shares.sum())
    bridges = np.flatnonzero(rng.random(nodes) < bridging)
    further = rng.integers(1, 6, len(bridges))
    members = np.concatenate([np.arange(nodes), np.repeat(bridges, further)])
    joined = np.concatenate([home, rng.integers(0, clusters, further.sum())])
    edges = [_among(np.unique(members[joined == cluster]), inside, rng) for cluster in range(clusters)]
    return _graph(np.concatenate(edges), nodes)


def power_law(nodes: int = 30_000, exponent: float = 2.2, least: float = 3.0, seed: int = 1) -> Graph:
    """Return a Chung-Lu graph: ends of edges are drawn in proportion to Pareto weights.

    The expected degrees have a density that falls as ``degree ** -exponent`` from `least` on, cut at ``n / 8``.
    """
    rng = np.random.default_rng(seed)
    weights = np.minimum(least * (1 - rng.random(nodes)) ** (-1 / (exponent - 1)), nodes / 8)
    ends = rng.choice(nodes, (round(weights.sum() / 2), 2), p=weights / weights.sum())
    return _graph(ends, nodes)


def affiliation(
    authors: int = 40_000, papers: int = 40_000, exponent: float = 2.3, field: float = 400.0, seed: int = 1
) -> Graph:
    """Return a co-authorship graph: each paper joins all of its authors.

    A paper has 2 to 12 authors (``2 + Poisson(1.2)``, cut). Its first author is drawn in proportion to a
    Pareto productivity (density exponent `exponent`); the others too, but from the `field` neighbours of the
    first on a circle with probability 0.9, so that collaborations repeat.
    """
    rng = np.random.default_rng(seed)
    productivity = np.minimum((1 - rng.random(authors)) ** (-1 / (exponent - 1)), authors / 200)
    cumulative = np.cumsum(productivity)

    def drawn(low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int64]:
        below = np.where(low > 0, cumulative[low - 1], 0.0)
        found: NDArray[np.int64] = np.searchsorted(
            cumulative, below + rng.random(len(low)) * (cumulative[high - 1] - below), "right"
        )
        return found

    size = np.minimum(2 + rng.poisson(1.2, papers), 12)
    paper = np.repeat(np.arange(papers), size)
    everyone = np.zeros(papers, dtype=np.int64), np.full(papers, authors)
    centre = drawn(*everyone)[paper]
    near = rng.random(len(paper)) < 0.9
    low = np.where(near, np.maximum(centre - round(field / 2), 0), 0)
    high = np.where(near, np.minimum(centre + round(field / 2), authors), authors)
    writers = drawn(low, high)
    first = np.concatenate([[0], np.cumsum(size)[:-1]])
    writers[first] = centre[first]
    pairs = [
        np.column_stack([writers[first[size > b] + a], writers[first[size > b] + b]])
        for b in range(1, 12)
        for a in range(b)
    ]
    return _graph(np.concatenate(pairs), authors)


def _among(members: NDArray[np.int64], probability: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a random share of the pairs of some nodes."""
    low, high = np.triu_indices(len(members), 1)
    kept = rng.random(len(low)) < probability
    return np.column_stack([members[low[kept]], members[high[kept]]])


def _graph(ends: NDArray[np.int64], nodes: int) -> Graph:
    """Return the simple graph of some pairs; loops and repetitions drop."""
    return Graph.from_positions(np.arange(nodes, dtype=np.int64), ends, nodes_supplied=True)
