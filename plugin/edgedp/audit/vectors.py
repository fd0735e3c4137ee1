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

from edgedp.audit.neighbors import graph_of_mask
from edgedp.mechanisms.adaptive.choice import Degrees, Lists, Ordered, ranking, split_epsilon
from edgedp.mechanisms.adaptive.planned import asked_of, several_of
from edgedp.mechanisms.adaptive.several import (
    Closed,
    Further,
    Several,
    further_choices,
    further_vector,
    worth_splitting,
)
from edgedp.mechanisms.adaptive.top_k import Asked, lists_vector, second_choice, second_vector
from edgedp.mechanisms.adaptive.vectors import Vector, degree_vector
from edgedp.plan import JointMotkinPlan, JointPlan
from edgedp.projection import GraphProjection

__all__ = ["first_outcomes", "worst_of_bought"]

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
        As `edgedp.audit.neighbors.graph_of_mask` takes them.
    """
    n = plan.facts.node_count
    less, more = _labelled_pairs(n)
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
    """Yield, for every first outcome, the vectors of all graphs with the part of epsilon that buys them."""
    n = plan.facts.node_count
    e1, e2 = split_epsilon(plan.epsilon)
    match plan:
        case JointPlan(ranked_by="lists"):
            asked = asked_of(plan)
            yield [(_lists(asked), plan.epsilon)]
        case JointPlan():
            asked = asked_of(plan)
            for seen in first_outcomes(n):
                choice = second_choice(asked, seen)
                yield [(_degrees(n), e1), (_second(asked, choice, seen), e2)]
        case JointMotkinPlan():
            several = several_of(plan)
            if not worth_splitting(several):
                yield [(_degrees(n), plan.epsilon)]
                return
            for seen in first_outcomes(n):
                further = further_choices(several, seen)
                parts = [(_further(several, choice, seen), e2 / len(further)) for choice in further]
                yield [(_degrees(n), e1), *parts]
        case _:
            assert_never(plan)


@cache
def _labelled_pairs(node_count: int) -> tuple[Ints, Ints]:
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


@cache
def _degrees(node_count: int) -> tuple[Vector, ...]:
    return tuple(degree_vector(graph, node_count) for graph in _projections(node_count))


def _lists(asked: Asked) -> tuple[Vector, ...]:
    return tuple(lists_vector(asked, graph).whole for graph in _projections(asked.node_count))


def _second(asked: Asked, choice: Degrees | Lists | Ordered, seen: Ints) -> tuple[Vector, ...]:
    return _table(asked, choice, _what_matters(choice, seen))


def _further(asked: Several, choice: Further, seen: Ints) -> tuple[Vector, ...]:
    return _table(
        Several(asked.node_count, asked.most, 1, Fraction(1), ()), choice, _what_matters(choice, seen)
    )


def _what_matters(choice: Further, seen: Ints) -> tuple[int, ...]:
    """Return noisy degrees that give the same vectors: the table of one serves all."""
    match choice:
        case Degrees() | Lists():
            return (0,) * len(seen)
        case Ordered():
            return tuple((-ranking(seen)).tolist())
        case Closed():
            return tuple(seen.tolist())
        case _:
            assert_never(choice)


_TABLES: dict[tuple[int, int, Further, tuple[int, ...]], tuple[Vector, ...]] = {}


def _table(asked: Asked | Several, choice: Further, seen: tuple[int, ...]) -> tuple[Vector, ...]:
    """Return the vectors of all labelled graphs, by the code that releases use; computed once."""
    key = asked.node_count, asked.most, choice, seen
    if key not in _TABLES:
        noisy_degrees = np.array(seen, dtype=np.int64)
        graphs = _projections(asked.node_count)
        if isinstance(asked, Asked) and not isinstance(choice, Closed):
            found = tuple(second_vector(asked, choice, noisy_degrees, graph).whole for graph in graphs)
        elif isinstance(asked, Several):
            found = tuple(further_vector(asked, choice, noisy_degrees, graph).whole for graph in graphs)
        else:
            raise AssertionError("closed pairs are bought for several metrics alone")
        _TABLES[key] = found
    return _TABLES[key]
