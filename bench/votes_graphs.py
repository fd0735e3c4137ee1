"""Graphs to judge votes on: two halves with fixed parameters, and families with random ones."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
from at_hand import here
from numpy.typing import NDArray

import edgedp
from edgedp.exact.experiments import generators

Pairs = NDArray[np.int64]


def graph_of(pairs: Pairs, nodes: int) -> edgedp.Graph:
    """Return the simple graph of some pairs; loops and repetitions drop."""
    return edgedp.Graph.from_positions(np.arange(nodes, dtype=np.int64), pairs, nodes_supplied=True)


def some_pairs(members: NDArray[np.int64], share: float, rng: np.random.Generator) -> Pairs:
    """Return a random share of the pairs of some nodes."""
    low, high = np.triu_indices(len(members), 1)
    kept = rng.random(len(low)) < share
    return np.column_stack([members[low[kept]], members[high[kept]]])


def sparse(nodes: int, degree: float, rng: np.random.Generator) -> Pairs:
    """Return random pairs of all nodes, `degree` for each on average."""
    return rng.integers(0, nodes, (int(nodes * degree / 2), 2))


def blocks_with_hubs(
    groups: int, size: int, hubs: int, reach: tuple[int, int], known: float, seed: int
) -> edgedp.Graph:
    """Return groups that keep to themselves, and hubs that each know a tenth to all of some of the groups."""
    rng = np.random.default_rng(seed)
    nodes = hubs + groups * size
    pairs = [some_pairs(hubs + g * size + np.arange(size), 12 / size, rng) for g in range(groups)]
    for hub in range(hubs):
        for group in rng.choice(groups, rng.integers(*reach), replace=False):
            chosen = np.flatnonzero(rng.random(size) < rng.uniform(0.1, 1))
            pairs.append(np.column_stack([np.full(len(chosen), hub), hubs + group * size + chosen]))
    pairs.append(some_pairs(np.arange(hubs), known, rng))
    return graph_of(np.concatenate(pairs), nodes)


def bipartite(hubs: int, leaves: int, picks: float, slope: float, known: float, seed: int) -> edgedp.Graph:
    """Return leaves that each choose some hubs by popularity, and few edges among hubs and among leaves."""
    rng = np.random.default_rng(seed)
    popular = (5.0 + np.arange(hubs)) ** -slope
    count = 1 + rng.poisson(picks, leaves)
    chosen = rng.choice(hubs, count.sum(), p=popular / popular.sum())
    ends = np.column_stack([chosen, hubs + np.repeat(np.arange(leaves), count)])
    few = hubs + rng.integers(0, leaves, (leaves // 2, 2))
    return graph_of(np.concatenate([ends, few, some_pairs(np.arange(hubs), known, rng)]), hubs + leaves)


def dense_core(core: int, share: float, leaves: int, seed: int) -> edgedp.Graph:
    """Return a dense core whose members have audiences of very unequal size."""
    rng = np.random.default_rng(seed)
    sizes = np.minimum(40 * (1 - rng.random(core)) ** -1.2, leaves / 8).astype(np.int64)
    ends = np.column_stack([
        np.repeat(np.arange(core), sizes), core + rng.integers(0, leaves, sizes.sum())
    ])  # fmt: skip
    parts = [ends, some_pairs(np.arange(core), share, rng), core + sparse(leaves, 3, rng)]
    return graph_of(np.concatenate(parts), core + leaves)


def audiences(
    pairs: int, leaves: tuple[int, int], shared: tuple[float, float], known: float, seed: int
) -> edgedp.Graph:
    """Return pairs of hubs that share much of their audiences; a share `known` of the pairs is adjacent."""
    rng = np.random.default_rng(seed)
    low, high = np.log(leaves).tolist()
    sizes = np.exp(rng.uniform(low, high, pairs)).astype(np.int64)
    first = 2 * pairs + np.concatenate([[0], np.cumsum(sizes)[:-1]])
    nodes = int(2 * pairs + sizes.sum())
    parts = [sparse(nodes, 4, rng)]
    for pair, (start, size) in enumerate(zip(first.tolist(), sizes.tolist(), strict=True)):
        group = start + np.arange(size)
        both = rng.random(size) < rng.uniform(*shared)
        alone = rng.random(size) < rng.uniform(0.3, 0.7)
        for hub, mine in ((2 * pair, both | alone), (2 * pair + 1, both | ~alone)):
            parts.append(np.column_stack([np.full(int(mine.sum()), hub), group[mine]]))
        if rng.random() < known:
            parts.append(np.array([[2 * pair, 2 * pair + 1]]))
    return graph_of(np.concatenate(parts), nodes)


def followers(hubs: int, leaves: int, circles: int, known: float, seed: int) -> edgedp.Graph:
    """Return circles of leaves around several hubs each; the share of hubs who know each other differs by circle."""
    rng = np.random.default_rng(seed)
    circle = rng.integers(0, circles, leaves)
    of_hub = rng.integers(0, circles, hubs)
    share = 0.6 * (1 + np.arange(hubs)) ** -0.4
    parts = [hubs + sparse(leaves, 5, rng)]
    for hub in range(hubs):
        at = np.where(circle == of_hub[hub], min(3 * share[hub], 0.9), share[hub] / circles)
        mine = np.flatnonzero(rng.random(leaves) < at)
        parts.append(np.column_stack([np.full(len(mine), hub), hubs + mine]))
    for one in range(circles):
        parts.append(some_pairs(np.flatnonzero(of_hub == one), known * rng.random(), rng))
    return graph_of(np.concatenate(parts), hubs + leaves)


def preferential(nodes: int, edges: int, seed: int) -> edgedp.Graph:
    return edgedp.Graph.from_networkx(nx.barabasi_albert_graph(nodes, edges, seed=seed))


def clustered(nodes: int, edges: int, closing: float, seed: int) -> edgedp.Graph:
    return edgedp.Graph.from_networkx(nx.powerlaw_cluster_graph(nodes, edges, closing, seed=seed))


Made = dict[str, Callable[[], edgedp.Graph]]
CHOSEN_ON: Made = {
    "Enron": lambda: edgedp.read_graph("email-Enron"),
    "Barabasi-Albert a": lambda: preferential(12_000, 15, 1),
    "power-law cluster a": lambda: clustered(10_000, 10, 0.6, 1),
    "blocks and hubs a": lambda: blocks_with_hubs(60, 200, 60, (3, 25), 0.1, 1),
    "bipartite-like a": lambda: bipartite(150, 12_000, 5, 0.7, 0.1, 1),
    "dense core a": lambda: dense_core(200, 0.5, 15_000, 1),
    "audiences a": lambda: audiences(40, (600, 1_600), (0.2, 0.8), 0.25, 1),
    "circles a": lambda: followers(120, 12_000, 12, 0.8, 1),
    "power law a": lambda: generators.power_law(20_000, 2.2, 3.0, 11),
    "co-authorship a": lambda: generators.affiliation(60_000, 120_000, 2.1, 400.0, 11),
}
REPORTED_ON: Made = {
    **({"GitHub": lambda: edgedp.read_graph("musae-github")} if here("musae-github") else {}),
    "Barabasi-Albert b": lambda: preferential(20_000, 25, 2),
    "power-law cluster b": lambda: clustered(8_000, 20, 0.9, 2),
    "blocks and hubs b": lambda: blocks_with_hubs(25, 400, 40, (2, 12), 0.3, 2),
    "bipartite-like b": lambda: bipartite(400, 20_000, 9, 0.9, 0.03, 2),
    "dense core b": lambda: dense_core(120, 0.8, 10_000, 2),
    "audiences b": lambda: audiences(60, (800, 1_400), (0.3, 0.7), 0.25, 2),
    "audiences c": lambda: audiences(25, (400, 3_000), (0.1, 0.9), 0.25, 3),
    "circles b": lambda: followers(250, 15_000, 6, 0.5, 2),
    "power law b": lambda: generators.power_law(30_000, 2.0, 3.0, 12),
    "co-authorship b": lambda: generators.affiliation(40_000, 60_000, 2.0, 150.0, 12),
    "clusters": lambda: generators.overlapping_clusters(4_000, 60, 600, 0.5, 0.04, 12),
}

Family = Callable[[int, np.random.Generator], edgedp.Graph]


def uniform(rng: np.random.Generator, low: float, high: float) -> int:
    """Return a random whole number."""
    return int(rng.uniform(low, high))


FAMILIES: dict[str, Family] = {
    "audiences": lambda seed, rng: audiences(
        uniform(rng, 15, 70),
        (uniform(rng, 300, 900), uniform(rng, 1_300, 3_000)),
        (rng.uniform(0.1, 0.4), rng.uniform(0.5, 0.9)),
        0.25,
        seed,
    ),
    "circles": lambda seed, rng: followers(
        uniform(rng, 80, 250), uniform(rng, 8_000, 15_000), uniform(rng, 4, 15), rng.uniform(0.2, 0.9), seed
    ),
    "blocks and hubs": lambda seed, rng: blocks_with_hubs(
        uniform(rng, 20, 60),
        uniform(rng, 150, 400),
        uniform(rng, 30, 80),
        (2, uniform(rng, 8, 25)),
        rng.uniform(0.02, 0.4),
        seed,
    ),
    "bipartite-like": lambda seed, rng: bipartite(
        uniform(rng, 100, 400),
        uniform(rng, 8_000, 20_000),
        rng.uniform(2, 9),
        rng.uniform(0.5, 1.1),
        rng.uniform(0.01, 0.3),
        seed,
    ),
    "dense core": lambda seed, rng: dense_core(
        uniform(rng, 100, 250), rng.uniform(0.3, 0.9), uniform(rng, 8_000, 20_000), seed
    ),
    "power law": lambda seed, rng: generators.power_law(
        uniform(rng, 10_000, 25_000), rng.uniform(2.0, 2.5), 3.0, seed
    ),
    "co-authorship": lambda seed, rng: generators.affiliation(
        uniform(rng, 30_000, 60_000),
        uniform(rng, 40_000, 120_000),
        rng.uniform(2.0, 2.3),
        rng.uniform(100, 500),
        seed,
    ),
    "clusters": lambda seed, rng: generators.overlapping_clusters(
        uniform(rng, 2_500, 4_000),
        uniform(rng, 40, 100),
        uniform(rng, 300, 600),
        rng.uniform(0.3, 0.7),
        rng.uniform(0.01, 0.06),
        seed,
    ),
    "Barabasi-Albert": lambda seed, rng: preferential(uniform(rng, 6_000, 12_000), uniform(rng, 8, 18), seed),
    "power-law cluster": lambda seed, rng: clustered(
        uniform(rng, 5_000, 9_000), uniform(rng, 8, 16), rng.uniform(0.3, 0.9), seed
    ),
}
