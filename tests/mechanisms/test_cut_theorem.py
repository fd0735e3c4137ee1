"""The theorem of the cuts: one edge moves the vectors by at most L, for any two graphs, whatever their degrees.

The definitions are those of `cut_definitions`, which `test_cuts` compares with every engine; the bounds are the
package's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings, target
from hypothesis import strategies as st
from numpy.typing import NDArray

import cut_definitions as define
from edgedp.mechanisms.adaptive import vectors
from edgedp.mechanisms.adaptive.closed import ClosedPairs
from edgedp.mechanisms.adaptive.vectors import cut_bits
from looped import as_one
from test_betweenness2 import in_parts, with_and_without_first_edge

SIZES = [3, 4, 5, pytest.param(6, marks=pytest.mark.slow), pytest.param(7, marks=pytest.mark.slow)]
SIXTIETHS = 60
"""Every share of up to five connectors is a whole number of these: no rounding."""
SEVENTHS = 420
FORMS = ["lists", "ordered"]


def systems(n: int, form: str, count: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64] | None]]:
    """Return public orders and rankings: the package's for two sets of ids, and others at random."""
    rng = np.random.default_rng(n)
    orders = [define.public_order(range(n)), define.public_order([f"node {x}" for x in range(n)])]
    orders += [np.array([rng.permutation(n) for _ in range(n)]) for _ in range(count - 2)]
    return [(order, rng.permutation(n) if form == "ordered" else None) for order in orders[:count]]


def moved(
    vector: Callable[[NDArray[np.bool_], NDArray[np.bool_]], NDArray[np.int64]],
    without: NDArray[np.bool_],
    joined: NDArray[np.bool_],
    caps: int | NDArray[np.int64],
    order: NDArray[np.int64],
    ranks: NDArray[np.int64] | None,
) -> NDArray[np.int64]:
    """Return how far the edge moves each graph's vector."""
    before, after = (vector(side, define.cuts(side, caps, order, ranks)) for side in (without, joined))
    return np.abs(after - before).sum(axis=-1)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n", SIZES)
def test_one_edge_moves_the_vector_by_at_most_L_on_all_graphs(n, form):
    one = SIXTIETHS if n < 7 else SEVENTHS
    for order, ranks in systems(n, form, 8 if n < 6 else 3 if n == 6 else 2):
        for cap in range(1, n):
            bound = (1 if ranks is not None else 2) * (cap - 1) + 1
            for without, joined in in_parts(n):
                far = moved(lambda e, c: define.betweenness(e, c, one), without, joined, cap, order, ranks)
                assert far.max() <= bound * one


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n", SIZES)
def test_one_edge_moves_the_integers_by_at_most_L_on_all_graphs(n, form):
    for order, ranks in systems(n, form, 6 if n < 6 else 2):
        for cap in range(1, n):
            for bits in (0, 1, 2, 3, 5) if n < 6 else (2,) if n == 7 else (2, 3):
                bound = vectors.cut_moves(cap, n, bits, ordered=ranks is not None)
                for without, joined in in_parts(n):
                    vector = partial(define.betweenness, one=1 << bits)
                    shares = moved(vector, without, joined, cap, order, ranks)
                    assert shares.max() <= bound


def reaching(
    cap: int, form: str
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64] | None]:
    """Return a pair of graphs that reaches the bound: ``a`` prefers ``b`` to ``x``, who alone connects the two,
    and back.

    Nodes: a, b, x and, for each end that an edge serves, ``cap - 1`` leaves. In the ranking x comes first, then a.
    """
    ends = 2 if form == "lists" else 1
    n = 3 + ends * (cap - 1)
    without = np.zeros((n, n), dtype=bool)
    without[2, :] = without[:, 2] = True
    without[2, 2] = False
    for end in range(ends):
        leaves = range(3 + end * (cap - 1), 3 + (end + 1) * (cap - 1))
        without[end, leaves] = without[leaves, end] = True
    joined = without.copy()
    joined[0, 1] = joined[1, 0] = True
    order = np.tile(np.arange(n), (n, 1))
    order[:2] = [[0, 1, n + 1, *range(3, n)]] * 2  # a and b push out x
    ranks = None if form == "lists" else np.array([1, 2, 0, *range(3, n)])
    return without, joined, order, ranks


@as_one
@pytest.mark.parametrize("cap", [2, 3, 4, 7, 20])
def test_the_bound_is_reached_for_lists(cap):
    without, joined, order, ranks = reaching(cap, "lists")
    far = moved(lambda e, c: define.betweenness(e, c, 2), without, joined, cap, order, ranks)
    assert far == (2 * (cap - 1) + 1) * 2


@as_one
@pytest.mark.parametrize("cap", [2, 3, 4, 7, 20])
def test_the_bound_is_reached_for_ordered(cap):
    without, joined, order, ranks = reaching(cap, "ordered")
    far = moved(lambda e, c: define.betweenness(e, c, 2), without, joined, cap, order, ranks)
    assert far == cap * 2


@pytest.mark.parametrize(
    ("n", "form", "cap", "bits"), [(5, "lists", 2, 0), (6, "lists", 2, 1), (6, "ordered", 3, 0)]
)
def test_what_rounding_costs_is_needed(n, form, cap, bits):
    """Without R some pair of small graphs is further apart than the bound; with it none is."""
    without, joined = with_and_without_first_edge(n)
    rng = np.random.default_rng(1)
    widest = 0
    for _ in range(6):
        order = np.array([rng.permutation(n) for _ in range(n)])
        ranks = rng.permutation(n) if form == "ordered" else None
        far = moved(lambda e, c: define.betweenness(e, c, 1 << bits), without, joined, cap, order, ranks)
        widest = max(widest, int(far.max()))
    assert vectors.cut_moves(cap, 3, bits, ordered=form == "ordered") < widest
    assert widest <= vectors.cut_moves(cap, n, bits, ordered=form == "ordered")


# -- larger graphs, climbing towards the bound -----------------------------------------------------------


@st.composite
def neighbouring(draw: st.DrawFn, largest: int = 60) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Draw a graph without and with the edge {0, 1}; dense round a few hubs, so that connectors are shared."""
    n = draw(st.integers(8, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weight = rng.random(n) ** draw(st.sampled_from([0.0, 0.5, 2.0]))
    upper = np.triu(rng.random((n, n)) < draw(st.floats(0.05, 0.95)) * np.sqrt(np.outer(weight, weight)), 1)
    without = upper | upper.T
    joined = without.copy()
    without[0, 1] = without[1, 0] = False
    joined[0, 1] = joined[1, 0] = True
    return without, joined


@given(
    neighbouring(), st.sampled_from(FORMS), st.integers(1, 59), st.integers(0, 20), st.integers(0, 2**32 - 1)
)
@settings(max_examples=150)
def test_hypothesis_does_not_climb_above_the_bound(pair, form, cap, bits, seed):
    without, joined = pair
    n = len(without)
    rng = np.random.default_rng(seed)
    order = np.array([rng.permutation(n) for _ in range(n)])
    ranks = rng.permutation(n) if form == "ordered" else None
    far = moved(lambda e, c: define.betweenness(e, c, 1 << bits), without, joined, cap, order, ranks)
    bound = vectors.cut_moves(cap, n, bits, ordered=form == "ordered")
    target(float(far) / bound)
    assert far <= bound


def climb(
    n: int,
    distance: Callable[..., NDArray[np.int64]],
    rng: np.random.Generator,
    *,
    ordered: bool,
    steps: int = 120,
    width: int = 32,
) -> int:
    """Return the largest distance that a hill climb over graphs, orders and rankings finds."""
    order = np.array([rng.permutation(n) for _ in range(n)])
    ranks = rng.permutation(n) if ordered else None
    upper = np.triu(rng.random((n, n)) < rng.uniform(0.2, 0.8), 1)
    edges, best = upper | upper.T, -1
    for step in range(steps):
        trial_order, trial_ranks = order, ranks
        if step % 3 == 1:
            trial_order, (x, i, j) = order.copy(), rng.integers(n, size=3)
            trial_order[x, [i, j]] = trial_order[x, [j, i]]
        if step % 3 == 2 and ranks is not None:
            trial_ranks, (i, j) = ranks.copy(), rng.integers(n, size=2)
            trial_ranks[[i, j]] = trial_ranks[[j, i]]
        trials = np.repeat(edges[None], width, axis=0)
        for turn in range(3):
            which = np.flatnonzero(rng.integers(0, 4, width) > turn)
            a = rng.integers(0, n, len(which))
            b = (a + rng.integers(1, n, len(which))) % n
            trials[which, a, b] ^= True
            trials[which, b, a] = trials[which, a, b]
        without, joined = trials.copy(), trials.copy()
        without[:, 0, 1] = without[:, 1, 0] = False
        joined[:, 0, 1] = joined[:, 1, 0] = True
        found = distance(without, joined, trial_order, trial_ranks)
        if found.max() >= best:
            best, edges = int(found.max()), trials[int(found.argmax())]
            order, ranks = trial_order, trial_ranks
    return best


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("n", "cap", "bits"), [(8, 2, 2), (9, 3, 2), (12, 4, 3), (10, 3, 0)])
def test_a_hill_climb_does_not_pass_the_bound(n, cap, bits, form):
    ordered = form == "ordered"

    def distance(without, joined, order, ranks):
        return moved(lambda e, c: define.betweenness(e, c, 1 << bits), without, joined, cap, order, ranks)

    found = climb(n, distance, np.random.default_rng([n, cap, bits]), ordered=ordered)
    bound = vectors.cut_moves(cap, n, bits, ordered=ordered)
    assert bound / 3 < found <= bound


# -- closed pairs ------------------------------------------------------------------------------------------


def weighted(n: int, rng: np.random.Generator, bits: int, weight_bits: int) -> ClosedPairs:
    cap = int(rng.integers(1, n))
    return ClosedPairs.of(rng.integers(-3, 2 * n, n), cap, n - 1, bits, weight_bits)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n", SIZES[:4])
def test_one_edge_moves_the_closed_pairs_by_at_most_L_on_all_graphs(n, form):
    rng = np.random.default_rng(n)
    for order, ranks in systems(n, form, 14 if n < 6 else 4):
        counted = weighted(n, rng, int(rng.choice([0, 1, 3, 8])), int(rng.choice([0, 1, 2])))
        bound = counted.moves(n, ordered=ranks is not None)
        for level in (counted.level, 1 << counted.weight_bits):
            reduced = bound - (counted.level - level << counted.bits)
            for without, joined in in_parts(n):
                vector = partial(define.closed, weights=counted.weights, level=level, one=1 << counted.bits)
                far = moved(vector, without, joined, counted.caps, order, ranks)
                assert far.max() <= reduced


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("n", "bits", "weight_bits"), [(8, 2, 1), (10, 1, 0)])
def test_a_hill_climb_does_not_pass_the_bound_of_the_closed_pairs(n, bits, weight_bits, form):
    rng = np.random.default_rng([n, bits])
    ordered = form == "ordered"
    counted = ClosedPairs.of(rng.integers(0, n, n), 3, n - 1, bits, weight_bits)

    def distance(without, joined, order, ranks):
        return moved(
            lambda e, c: define.closed(e, c, counted.weights, counted.level, 1 << counted.bits),
            without, joined, counted.caps, order, ranks,
        )  # fmt: skip

    found = climb(n, distance, rng, ordered=ordered, steps=60)
    assert 0 < found <= counted.moves(n, ordered=ordered)


def many_connectors() -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """Return a pair of graphs, an order and a ranking in which rounding moves three pairs by six units, twice.

    ``a`` (0) has three neighbours y and z (2), and prefers b (1) to z. All pairs {b, y} and {z, y} are closed,
    each with six
    connectors of its own, whose shares fall from one unit to none when ``a`` connects the pair too.
    """
    groups, connectors = 3, 6
    n = 3 + groups * (1 + 2 * connectors)
    without = np.zeros((n, n), dtype=bool)
    for group in range(groups):
        y = 3 + group * (1 + 2 * connectors)
        without[:3, y] = without[y, :3] = True
        for end in (1, 2):
            first = y + 1 + (end - 1) * connectors
            without[first : first + connectors, [end, y]] = True
            without[[end, y], first : first + connectors] = True
    without[0, 2] = without[2, 0] = True
    joined = without.copy()
    joined[0, 1] = joined[1, 0] = True
    order = np.tile(np.arange(n), (n, 1))
    order[0, 1], order[0, 2] = 0, n  # of a: b first, z last
    late = [1, 2, *range(3, n, 1 + 2 * connectors)]
    ranks = np.arange(n)
    ranks[late] += n  # a and the connectors may connect whomever they know
    return without, joined, order, ranks


def test_what_rounding_costs_the_closed_pairs_is_not_limited_by_the_share():
    """The bound takes ``R = n - 3``; ``R = min(n - 3, 2**q)``, right for open pairs, is too small here."""
    without, joined, order, ranks = many_connectors()
    n, bits, weight_bits, level = len(without), 1, 1, 4
    caps = np.full(n, 2)
    caps[0] = 4
    weights = (2 << weight_bits) // caps
    counted = ClosedPairs(caps, weights, level, bits, weight_bits, 2)
    far = moved(
        lambda e, c: define.closed(e, c, weights, level, 1 << bits), without, joined, caps, order, ranks
    )
    assert far <= counted.moves(n, ordered=True)
    with_smaller_remainder = ((caps - 1) * ((weights << bits) + 2 * (1 << bits))).max() + (level << bits)
    assert far > with_smaller_remainder


@given(st.integers(2, 2**31 - 1), st.integers(1, 2**31 - 1), st.integers(0, 2**32 - 1))
@settings(max_examples=200)
def test_integers_fit_62_bits(nodes, cap, seed):
    cap = min(cap, nodes - 1)
    assert cut_bits(cap) >= 0
    assert cap * (cap - 1) << cut_bits(cap) < 2**62
    rng = np.random.default_rng(seed)
    counted = ClosedPairs.of(rng.integers(0, nodes, 5), cap, nodes - 1)
    assert counted.bits >= 0
    assert counted.weights.min() >= 1
    assert (int(counted.weights.max()) << counted.bits) * (counted.level + int(counted.weights.max())) < 2**62
    largest = int(counted.caps.max())
    weight = int(counted.weights[counted.caps.argmax()])
    assert largest * (largest - 1) // 2 * (weight << counted.bits) < 2**62


@pytest.mark.parametrize("ordered", [False, True])
def test_the_claim_of_the_closed_pairs_follows_the_weights_that_are_handed_out(ordered: bool) -> None:
    """Weights one unit too large, in vector and claim alike, are one unit too large in the noise."""
    degrees = np.array([-3, 0, 5, 17, 40, 40, 200])
    counted = ClosedPairs.of(degrees, 7, 99)
    assert counted.weights.tolist() == [(7 << counted.weight_bits) // cap for cap in counted.caps.tolist()]
    heavier = replace(counted, weights=counted.weights + 1)
    served = sorted(
        (cap - 1) * ((weight << counted.bits) + 2 * 4)
        for cap, weight in zip(heavier.caps.tolist(), heavier.weights.tolist(), strict=True)
    )
    claimed = sum(served[-1:] if ordered else served[-2:]) + (counted.level << counted.bits)
    assert (
        heavier.moves(len(degrees), ordered=ordered) == claimed > counted.moves(len(degrees), ordered=ordered)
    )
