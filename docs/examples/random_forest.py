"""A private random forest: trees that look at no record, leaves whose class is picked privately.

Splits are drawn from the declared domains alone. The records are dealt out to the trees by their place, and the
class of a leaf is picked by permute-and-flip on its counts of classes. (The published forest gives 1 to the most
frequent class and 0 to the others, with noise by the smooth sensitivity of the whole file: that is not private.)

Privacy. One record more or less moves one count by 1: a leaf is e'-private without a factor 2. A replaced record
stays with its tree, so it touches two leaves or two classes of one: ``e' = B / 2`` for a budget B.

    python random_forest.py table.csv CLASS 0,1 [EPSILON [TREES [DEPTH]]]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

import edgedp
from records import Records, table_of


@dataclass(frozen=True)
class RandomTree:
    """A full tree: at inner node i a record goes left if attribute ``splits[i]`` is at most ``cuts[i]``."""

    depth: int
    splits: np.ndarray
    cuts: np.ndarray

    def leaf(self, attributes: np.ndarray) -> np.ndarray:
        """Return the leaf of every row, from 0 to ``2**depth - 1``."""
        place = np.zeros(len(attributes), dtype=np.int64)
        for _ in range(self.depth):
            value = attributes[np.arange(len(attributes)), self.splits[place]]
            place = 2 * place + 1 + (value > self.cuts[place])
        return place - (2**self.depth - 1)


@dataclass(frozen=True)
class Forest:
    """Trees with the class of each of their leaves."""

    trees: tuple[RandomTree, ...]
    labels: np.ndarray  # (trees, leaves)
    classes: int

    def predict(self, attributes: np.ndarray) -> np.ndarray:
        """Return the class that most trees vote for."""
        votes = np.zeros((len(attributes), self.classes), dtype=np.int64)
        for tree, labels in zip(self.trees, self.labels, strict=True):
            votes[np.arange(len(attributes)), labels[tree.leaf(attributes)]] += 1
        return votes.argmax(axis=1)


def random_tree(sizes: tuple[int, ...], depth: int, rng: np.random.Generator) -> RandomTree:
    """Draw the splits of a tree from the domains; the last two values of each stand for other and missing."""
    splits = rng.integers(len(sizes), size=2**depth - 1)
    cuts = rng.integers(np.maximum(np.asarray(sizes)[splits] - 3, 1))
    return RandomTree(depth, splits, cuts)


def plant(
    records: Records,
    epsilon: float,
    trees: int = 32,
    depth: int = 5,
    rng: np.random.Generator | None = None,
    score: str = "counts",
) -> Forest:
    """Plant a forest that is epsilon-private under replacement of one record.

    `score` is ``counts``, or ``majority``: 1 for the most frequent class and 0 for the others, which one record
    moves both ways.
    """
    shape = np.random.default_rng() if rng is None else rng  # splits are no secret
    planted = tuple(random_tree(records.sizes, depth, shape) for _ in range(trees))
    labels = np.zeros((trees, 2**depth), dtype=np.int64)
    for number, tree in enumerate(planted):
        part = records.where(np.arange(len(records.labels)) % trees == number)
        cells = tree.leaf(part.attributes) * part.classes + part.labels
        counts = np.bincount(cells, minlength=2**depth * part.classes).reshape(2**depth, part.classes)
        for leaf, of_leaf in enumerate(counts):
            labels[number, leaf] = pick_class(of_leaf, epsilon / 2, score, rng)
    return Forest(planted, labels, records.classes)


def pick_class(counts: np.ndarray, epsilon: float, score: str, rng: np.random.Generator | None) -> int:
    """Pick the class of a leaf, for one record more or less."""
    if score == "counts":
        return int(edgedp.select(counts, epsilon=epsilon, global_sensitivity=1, monotone=True, rng=rng).value)
    majority = (np.arange(len(counts)) == counts.argmax()).astype(int)
    return int(edgedp.select(majority, epsilon=epsilon, global_sensitivity=1, rng=rng).value)


def accuracy(forest: Forest, records: Records) -> float:
    """Return the share of records whose class is predicted: exact, not to be published."""
    return float((forest.predict(records.attributes) == records.labels).mean())


if __name__ == "__main__":
    table, more = table_of(sys.argv[1:])
    epsilon = float(more[0]) if more else 1.0
    trees, depth = int(more[1]) if len(more) > 1 else 32, int(more[2]) if len(more) > 2 else 5
    print(plant(table, epsilon, trees, depth).labels)
