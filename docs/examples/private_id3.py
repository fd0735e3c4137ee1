"""Private ID3 as published: a noisy count at every node, the split by information gain, noisy counts of classes.

The recursion stops where the noisy count of a node is too small for its classes to be told from noise. Splits are
picked by the exponential mechanism (GlobalDiffPID3) or by local dampening (LocalDiffPID3, ShiftedDiffPID3).

Privacy. Every level of the tree buys a count and a split (or the classes of a leaf) of every part at e', so a
level costs 2 e' for one record more or less, and twice that where a record is replaced: ``e' = B / (4 (depth + 1))``
for a budget B under replacement. The published budget is that for one record more or less, ``B / (2 (depth + 1))``.

    python private_id3.py table.csv CLASS 0,1 [EPSILON [DEPTH [MECHANISM]]]
"""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np

from edgedp.mechanisms.sampling.geometric import two_sided_geometric
from edgedp.mechanisms.sampling.words import Words, words_from
from greedy_tree import Node, pick_split
from records import Records, table_of


def noisy(counts: np.ndarray, epsilon: float, words: Words) -> np.ndarray:
    """Return counts of disjoint records with two-sided geometric noise, for one record more or less."""
    return counts + two_sided_geometric(len(counts), 1 / Fraction(epsilon), words)


def grow(
    records: Records,
    epsilon: float,
    depth: int,
    mechanism: str = "em",
    rng: np.random.Generator | None = None,
) -> Node:
    """Grow a tree that is epsilon-private under replacement of one record; `mechanism` is em, ld or sld."""
    each = epsilon / (4 * (depth + 1))
    words = words_from(rng)

    def leaf(part: Records) -> Node:
        classes = noisy(np.bincount(part.labels, minlength=part.classes), each, words)
        return Node(label=int(np.argmax(classes)))

    def node(part: Records, allowed: list[int], left: int) -> Node:
        if left == 0 or not allowed:
            return leaf(part)
        seen = int(noisy(np.array([len(part.labels)]), each, words)[0])
        values = max(part.sizes[attribute] for attribute in allowed)
        if seen / (values * part.classes) < 2**0.5 / each:
            return leaf(part)
        attribute = pick_split(part, allowed, "information", mechanism, each, rng)
        rest = [other for other in allowed if other != attribute]
        column = part.attributes[:, attribute]
        children = (node(part.where(column == v), rest, left - 1) for v in range(part.sizes[attribute]))
        return Node(attribute=attribute, children=tuple(children))

    return node(records, list(range(len(records.sizes))), depth)


if __name__ == "__main__":
    table, more = table_of(sys.argv[1:])
    epsilon, depth = float(more[0]) if more else 1.0, int(more[1]) if len(more) > 1 else 2
    print(grow(table, epsilon, depth, more[2] if len(more) > 2 else "em"))
