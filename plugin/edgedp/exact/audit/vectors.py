"""The losses of joint releases that buy several vectors, over all labelled graphs of a few nodes.

What is bought second depends on what was released first, and cuts depend on the ids; so for a list of first
outcomes, likely or not, every labelled pair of neighbours is visited, whatever its degrees. Two-sided geometric
noise of scale ``b`` on integer vectors has the loss ``||s(G) - s(H)||_1 / b`` exactly; given a first outcome the
losses of all vectors add up.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.exact.audit.neighbors import graph_of_mask
from edgedp.mechanisms.adaptive.choice import (
    Choice,
    Closed,
    Degrees,
    Lists,
    Ordered,
    OrderedDegrees,
    ranking,
)
from edgedp.mechanisms.adaptive.planned import asked_of, several_of
from edgedp.mechanisms.adaptive.purchases import Bought, Purchase, Question, exact_vector
from edgedp.mechanisms.adaptive.top_k import Asked, lists_vector
from edgedp.mechanisms.adaptive.vectors import NoisyVector, Vector
from edgedp.mechanisms.projection import GraphProjection
from edgedp.release.plan import JointMotkinPlan, JointPlan

Ints = NDArray[np.int64]


def worst_of_bought(plan: JointPlan | JointMotkinPlan) -> tuple[float, tuple[int, int]]:
    """Return the largest loss that a pair of neighbours has for one first outcome, and the pair.

    Parameters
    ----------
    plan : JointPlan or JointMotkinPlan
        Of at most 5 nodes or so: all labelled graphs are visited.

    Returns
    -------
    loss : float
    masks : (int, int)
        As `edgedp.exact.audit.neighbors.graph_of_mask` takes them.
    """
    n = plan.facts.node_count
    less, more = labelled_pairs(n)
    worst, where = -1.0, (0, 0)
    for bought in _purchases(plan):
        losses = np.zeros(len(less))
        for vectors, epsilon in bought:
            values = np.array([vector.values for vector in vectors])
            moves = {vector.moves for vector in vectors}
            if len(moves) != 1:
                raise AssertionError("the noise differs between graphs")
            (scale,) = moves
            distances = np.abs(values[less] - values[more]).sum(axis=1)
            losses += distances * float(epsilon / scale) if scale else np.where(distances, np.inf, 0.0)
        if losses.max() > worst:
            at = int(losses.argmax())
            worst, where = float(losses[at]), (int(less[at]), int(more[at]))
    return worst, where


def first_outcomes(node_count: int) -> Iterator[Ints]:
    """Yield noisy degrees that a first release may have shown: usual ones, alike ones, and far too large ones."""
    rng = np.random.default_rng(node_count)
    yield np.arange(node_count, dtype=np.int64)[::-1]
    yield np.full(node_count, 2, dtype=np.int64)
    for largest in (2 * node_count, 5_000, 10**6):
        yield rng.integers(-2, largest, node_count)


def _purchases(plan: JointPlan | JointMotkinPlan) -> Iterator[list[tuple[tuple[Vector, ...], Fraction]]]:
    """Yield, for every outcome of what is released before, the vectors of all graphs with what buys them."""
    match plan:
        case JointPlan(ranked_by="lists"):
            yield [(_lists(asked_of(plan)), plan.epsilon)]
        case JointPlan():
            yield from _histories(asked_of(plan))
        case JointMotkinPlan():
            yield from _histories(several_of(plan))
        case _:
            assert_never(plan)


def _histories(
    question: Question, bought: tuple[Bought, ...] = ()
) -> Iterator[list[tuple[tuple[Vector, ...], Fraction]]]:
    """Yield every history of purchases: as they follow, for outcomes of each, from what was released before."""
    purchase = question.next_purchase(bought)
    if purchase is None:
        yield []
        return
    here = all_vectors(question, purchase), purchase.epsilon
    steers = isinstance(purchase.choice, Degrees | OrderedDegrees)  # what follows cuts follows from degrees
    for outcome in first_outcomes(question.node_count) if steers else [np.zeros(0, dtype=np.int64)]:
        after = (*bought, Bought(purchase, NoisyVector(outcome, Fraction(1))))
        yield from ([here, *rest] for rest in _histories(question, after))
        if question.next_purchase(after) is None:
            return


@cache
def labelled_pairs(node_count: int) -> tuple[Ints, Ints]:
    """Return the masks of every pair, without and with the edge."""
    bits = node_count * (node_count - 1) // 2
    masks = np.arange(1 << bits, dtype=np.int64)
    pairs = [masks[(masks >> bit) & 1 == 0] for bit in range(bits)]
    more = [less | (1 << bit) for bit, less in enumerate(pairs)]
    return np.concatenate(pairs), np.concatenate(more)


@cache
def _projections(node_count: int) -> tuple[GraphProjection, ...]:
    bits = node_count * (node_count - 1) // 2
    return tuple(GraphProjection(graph_of_mask(mask, node_count)) for mask in range(1 << bits))


def _lists(asked: Asked) -> tuple[Vector, ...]:
    return tuple(lists_vector(asked, graph).whole for graph in _projections(asked.node_count))


def _what_matters(choice: Choice, seen: Ints) -> tuple[int, ...]:
    """Return what a vector follows from of released degrees: one table serves all that share it."""
    match choice:
        case Degrees() | Lists():
            return ()
        case Ordered() | OrderedDegrees():
            return tuple(ranking(seen).tolist())
        case Closed():
            return tuple(seen.tolist())
        case _:
            assert_never(choice)


_TABLES: dict[tuple[int, int, Choice, tuple[int, ...]], tuple[Vector, ...]] = {}


def all_vectors(question: Question, purchase: Purchase) -> tuple[Vector, ...]:
    """Return the vectors of all labelled graphs, by the code that releases use; computed once."""
    key = question.node_count, question.most, purchase.choice, _what_matters(purchase.choice, purchase.seen)
    if key not in _TABLES:
        graphs = _projections(question.node_count)
        _TABLES[key] = tuple(exact_vector(question, purchase, graph).whole for graph in graphs)
    return _TABLES[key]
