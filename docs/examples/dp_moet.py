"""DP-MOET: evolve decision trees that are good in two rates at once, looking at the records only to pick.

Trees are drawn, crossed, mutated and pruned without a look at any record. Each generation picks its parents privately
by the true positive and the true negative rate, and a last pick gives the answer:

- *aggregate*: the sum of both rates; *pareto*: minus the number of trees that are better in both;
- *global* sensitivity by the exponential mechanism; *local* by local dampening.

Privacy. Replacing a record moves the rate of a class of P records by at most ``1 / P``, after t replacements by
at most ``1 / (P - t)``, and never by more than 1. Generations and the last pick share the budget evenly; within
each, `edgedp.select_top_k` shares it among its picks. The whole is epsilon-private under replacement of one record.

    python dp_moet.py table.csv CLASS 0,1 [EPSILON [aggregate|pareto [local|global]]]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import edgedp
from genetic_trees import Tree, crossed, predict, pruned, random_tree
from records import Records, table_of


def rates(population: list[Tree], records: Records) -> np.ndarray:
    """Return the true positive and true negative rate of every tree; 0 for a class without records."""
    right = np.asarray([predict(tree, records.attributes) == records.labels for tree in population])
    sides = [right[:, records.labels == label] for label in (1, 0)]
    return np.column_stack([side.sum(axis=1) / max(side.shape[1], 1) for side in sides])


def rate_sensitivity(members: int) -> np.ndarray:
    """Return ``delta(t) = min(1, 1 / (members - t))`` until it is 1."""
    left = np.maximum(members - np.arange(max(members, 1), dtype=np.float64), 1)
    return 1 / left


def pareto_scores(utilities: np.ndarray) -> np.ndarray:
    """Return minus the number of trees that are better in every rate."""
    return -(utilities[:, None, :] > utilities[None, :, :]).all(axis=2).sum(axis=0)


def pareto_sensitivity(utilities: np.ndarray, deltas: list[np.ndarray]) -> np.ndarray:
    """Return for every tree how many others may come or cease to be better than it within t + 1 replacements.

    Within t + 1 steps rate i stays in the box ``u_i -+ (delta_i(0) + ... + delta_i(t))``.
    """
    steps = max(len(delta) for delta in deltas)
    trees = len(utilities)
    can, surely = np.zeros((trees, trees), dtype=np.int64), np.full((trees, trees), steps)
    for rate, delta in enumerate(deltas):
        widths = 2 * np.cumsum(np.append(delta, np.ones(steps - len(delta)))) * (1 + 1e-9)
        ahead = utilities[:, None, rate] - utilities[None, :, rate]  # of r' (row) before r (column)
        can = np.maximum(can, np.searchsorted(widths, -ahead, side="right"))
        surely = np.minimum(surely, np.searchsorted(widths, ahead, side="left"))
    table = np.full((trees, steps + 1), trees - 1.0)
    for r in range(trees):
        others = np.arange(trees) != r
        began = np.bincount(np.minimum(can[others, r], steps), minlength=steps + 1).cumsum()
        ended = np.bincount(surely[others, r], minlength=steps + 1).cumsum()
        table[r, :-1] = (began - (trees - 1 - ended))[:-1]
    return np.maximum.accumulate(table, axis=1)


def pick(
    population: list[Tree],
    records: Records,
    k: int,
    epsilon: float,
    approach: str,
    sensitivity: str,
    rng: Any,
) -> list[Tree]:
    """Pick k trees of a population, epsilon-private under replacement of one record."""
    utilities = rates(population, records)
    members = [int((records.labels == label).sum()) for label in (1, 0)]
    deltas = [rate_sensitivity(count) for count in members]
    options: dict[str, Any] = {"mechanism": "ld" if sensitivity == "local" else "em"}
    if approach == "aggregate":
        scores, ceiling, steps = utilities.sum(axis=1), 2.0, max(map(len, deltas)) + 1
        table = np.sum([np.append(delta, np.ones(steps - len(delta))) for delta in deltas], axis=0)
    else:
        scores, ceiling = pareto_scores(utilities), float(len(population) - 1)
        table = pareto_sensitivity(utilities, deltas)
    if sensitivity == "local":
        options["sensitivity"] = table
    chosen = edgedp.select_top_k(scores, k=k, epsilon=epsilon, global_sensitivity=ceiling, rng=rng, **options)
    return [population[position] for position in chosen.values]


def evolve(
    records: Records,
    epsilon: float,
    k: int = 1,
    approach: str = "aggregate",
    sensitivity: str = "local",
    population: int = 100,
    generations: int = 5,
    parents: int = 10,
    depth: int = 3,
    rng: np.random.Generator | None = None,
) -> list[Tree]:
    """Evolve and return k trees, epsilon-private under replacement of one record."""
    chance = np.random.default_rng() if rng is None else rng  # drawing and crossing looks at no record
    trees = [random_tree(records.sizes, depth, chance) for _ in range(population)]
    each = epsilon / (generations + 1)
    for _ in range(generations):
        best = pick(trees, records, parents, each, approach, sensitivity, rng)
        trees = list(best)
        while len(trees) < population:
            one, other = (best[int(chance.integers(parents))] for _ in range(2))
            child = crossed(one, other, chance)
            if chance.random() < 0.2:
                child = crossed(child, random_tree(records.sizes, depth, chance), chance)
            trees.append(pruned(child, depth, chance))
    return pick(trees, records, k, each, approach, sensitivity, rng)


if __name__ == "__main__":
    table, more = table_of(sys.argv[1:])
    print(evolve(table, float(more[0]) if more else 1.0, 1, *more[1:3]))
