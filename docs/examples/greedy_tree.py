"""A private decision tree: at every node the attribute with the best score is picked privately.

The tree has a fixed depth. Its score is the *max operator*, the number of records that the most frequent class of
their part would get right: one record more moves it by at most 1 and never lowers it, so permute-and-flip
needs no factor 2. Beside it the information gain of ID3 with the exponential mechanism, and with local
dampening by an admissible sensitivity.

Privacy. A level of the tree splits the records into parts; a record is in one part of every level. If what is
done with a part is e'-private for one record more or less, then replacing a record touches two parts of a level
and costs 2 e' there. So a budget B under replacement runs ``depth`` levels of splits and one of leaves at
``e' = B / (2 (depth + 1))``. Edges are not covered.

    python greedy_tree.py table.csv CLASS 0,1 [EPSILON [DEPTH]]     (all columns have the values 0 and 1)
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import edgedp
from records import Records, table_of

LONGEST = 2000  # columns of a sensitivity before it is the global one, which it may be from anywhere on


@dataclass(frozen=True)
class Node:
    """A leaf with a class, or a split by an attribute with one child for each of its values."""

    label: int | None = None
    attribute: int = -1
    children: tuple[Node, ...] = field(default=())

    def predict(self, attributes: np.ndarray) -> np.ndarray:
        """Return the class of every row."""
        if self.label is not None:
            return np.full(len(attributes), self.label)
        found = np.zeros(len(attributes), dtype=np.int64)
        for value, child in enumerate(self.children):
            rows = attributes[:, self.attribute] == value
            found[rows] = child.predict(attributes[rows])
        return found


def max_operator(counts: np.ndarray) -> float:
    """Return how many records the most frequent class of each value gets right."""
    return float(counts.max(axis=1).sum())


def information(counts: np.ndarray) -> float:
    """Return ``sum tau_jc log2(tau_jc / tau_j)``: the information gain up to a constant of the node."""
    totals = np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape)[counts > 0]
    cells = counts[counts > 0]
    return float((cells * np.log2(cells / totals)).sum())


def growth(x: np.ndarray) -> np.ndarray:
    """Return ``F(x) = (x + 1) log2(x + 1) - x log2 x``, 0 at 0."""
    x = np.asarray(x, dtype=np.float64)
    return (x + 1) * np.log2(x + 1) - x * np.log2(np.maximum(x, 1))


def information_sensitivity(counts: np.ndarray, most: int, steps: int = LONGEST) -> np.ndarray:
    """Return an admissible ``delta(t)`` of `information` for one record more or less, t = 0, 1, ...

    A record added to a cell of b among a records moves it by ``F(a) - F(b)``, one removed by ``F(a-1) - F(b-1)``.
    After t changes the cell may hold ``(a + t - 2d, b - d)``; no part holds more than `most` records.
    It is largest for the smallest or the largest d.
    """
    t = np.arange(min(steps, most), dtype=np.int64)[:, None]
    b = counts.ravel()
    a = np.repeat(counts.sum(axis=1), counts.shape[1])
    largest = np.zeros(len(t))
    for gone in (np.zeros_like(t + b), np.minimum(t, b), np.maximum(np.minimum(t, b - 1), 0)):
        whole, part = np.minimum(a + t - 2 * gone, most), b - gone
        added = growth(np.minimum(whole, most - 1)) - growth(part)
        removed = np.where(part > 0, growth(np.maximum(whole - 1, 0)) - growth(np.maximum(part - 1, 0)), 0)
        largest = np.maximum(largest, np.maximum(added, removed).max(axis=1))
    return np.append(np.maximum.accumulate(largest), growth(most - 1))


def pick_split(
    part: Records, allowed: list[int], score: str, mechanism: str, epsilon: float, rng: Any
) -> int:
    """Pick one of the attributes privately, for one record more or less."""
    tables = [part.counts(attribute) for attribute in allowed]
    options: dict[str, Any]
    if score == "max":
        utilities, options = (
            [max_operator(table) for table in tables],
            {"global_sensitivity": 1, "monotone": True},
        )
    else:
        utilities = [information(table) for table in tables]
        options = {"global_sensitivity": float(growth(part.public_count - 1))}
        if mechanism in ("ld", "sld"):
            rows = [information_sensitivity(table, part.public_count) for table in tables]
            options["sensitivity"] = np.asarray(rows)
    picked = edgedp.select(
        utilities, mechanism=mechanism, epsilon=epsilon, candidates=allowed, rng=rng, **options
    )
    return int(picked.value)


def grow(
    records: Records,
    epsilon: float,
    depth: int,
    score: str = "max",
    mechanism: str = "pf",
    rng: np.random.Generator | None = None,
) -> Node:
    """Grow a tree that is epsilon-private under replacement of one record.

    `score` is ``max`` (with pf or em) or ``information`` (with em, ld or sld).
    """
    each = epsilon / (2 * (depth + 1))

    def node(part: Records, allowed: list[int], left: int) -> Node:
        if left == 0 or not allowed:
            counts = np.bincount(part.labels, minlength=part.classes)
            label = edgedp.select(counts, epsilon=each, global_sensitivity=1, monotone=True, rng=rng).value
            return Node(label=label)
        attribute = pick_split(part, allowed, score, mechanism, each, rng)
        rest = [other for other in allowed if other != attribute]
        values = part.attributes[:, attribute]
        children = (node(part.where(values == v), rest, left - 1) for v in range(part.sizes[attribute]))
        return Node(attribute=attribute, children=tuple(children))

    return node(records, list(range(len(records.sizes))), depth)


def accuracy(tree: Node, records: Records) -> float:
    """Return the share of records whose class is predicted: exact, not to be published."""
    return float((tree.predict(records.attributes) == records.labels).mean())


if __name__ == "__main__":
    table, more = table_of(sys.argv[1:])
    epsilon, depth = float(more[0]) if more else 1.0, int(more[1]) if len(more) > 1 else 2
    print(grow(table, epsilon, depth))
