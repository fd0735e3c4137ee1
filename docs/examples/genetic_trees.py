"""Decision trees of two classes to be drawn, crossed, mutated and pruned without a look at any record."""

from __future__ import annotations

from typing import Any

import numpy as np

Tree = Any  # a class, or (attribute, value, tree where it is that value, tree elsewhere)


def predict(tree: Tree, attributes: np.ndarray) -> np.ndarray:
    """Return the class, 0 or 1, of every row."""
    if not isinstance(tree, tuple):
        return np.full(len(attributes), tree)
    attribute, value, there, elsewhere = tree
    return np.where(
        attributes[:, attribute] == value, predict(there, attributes), predict(elsewhere, attributes)
    )


def random_tree(sizes: tuple[int, ...], depth: int, rng: np.random.Generator) -> Tree:
    """Draw a tree from the domains alone."""
    if depth == 0 or rng.random() < 0.1:
        return int(rng.integers(2))
    attribute = int(rng.integers(len(sizes)))
    value = int(rng.integers(max(sizes[attribute] - 2, 1)))
    return attribute, value, random_tree(sizes, depth - 1, rng), random_tree(sizes, depth - 1, rng)


def crossed(tree: Tree, other: Tree, rng: np.random.Generator) -> Tree:
    """Return the tree with one of its parts replaced by a part of the other."""
    if not isinstance(tree, tuple) or rng.random() < 0.3:
        while isinstance(other, tuple) and rng.random() < 0.6:
            other = other[int(rng.integers(2, 4))]
        return other
    side = int(rng.integers(2, 4))
    return (*tree[:side], crossed(tree[side], other, rng), *tree[side + 1 :])


def pruned(tree: Tree, depth: int, rng: np.random.Generator) -> Tree:
    """Return the tree cut to a depth, random classes where it was cut."""
    if not isinstance(tree, tuple):
        return tree
    if depth == 0:
        return int(rng.integers(2))
    return (*tree[:2], pruned(tree[2], depth - 1, rng), pruned(tree[3], depth - 1, rng))
