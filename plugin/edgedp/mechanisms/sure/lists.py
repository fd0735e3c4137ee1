"""How sure a list is: the chance of each node to belong to it, what of it is right on average, and who is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.choice import Closed, Degrees, Lists, Ordered, OrderedDegrees
from edgedp.mechanisms.adaptive.fit import pairs_of
from edgedp.mechanisms.adaptive.purchases import Bought, seen_degrees
from edgedp.mechanisms.adaptive.vectors import NoisyVector
from edgedp.mechanisms.sure import FEWEST
from edgedp.mechanisms.sure.degrees import DegreePosterior, degree_posterior, value_posterior
from edgedp.mechanisms.sure.values import Cuts, Drawn, draw_betweenness, draw_degrees, draw_values
from edgedp.words.vocabulary import STRENGTHS

__all__ = ["Sureness", "how_sure"]

SEED = 20_260_101
"""Fixed and public: the same noisy vectors say the same, and it protects nothing."""
_DRAWS, _LEAST_DRAWS, _NUMBERS = 400, 50, 6_000_000
"""Draws, fewer where there are many candidates, so that no more numbers are held."""
_CANDIDATES = 1_500
_UNBOUNDED = 1 << 60
"""More neighbours than a node has."""
_NEAR = 0.1
"""The least chance of a node that is shown as left out."""
_OUTSIDE = 0.1
"""Of the interval of a degree."""
_BEYOND_CUTS, _BEYOND_DEGREES = 0.15, 0.35
"""Spread of ``ln EBC`` around what cuts say of it, and what degrees say of betweenness."""
_STRENGTH_SCALE = 2.0
"""Strengths are looked at in units of which the noise has this scale: the law of degrees is fitted on such a grid."""
_UNLIKELY, _FAR = 1e-4, 4.0
"""A candidate is left out where its degree, but for so much of the probability, and so many spreads cannot lift it."""


@dataclass(frozen=True)
class Sureness:
    """What a list says of itself; positions of nodes.

    Attributes
    ----------
    membership : tuple of float
        For each listed node the chance that it belongs to the true top k. Nodes of equal value share the places that
        are left for them, so that the chances of all nodes of the graph add up to k.
    near : tuple of (int, float)
        Nodes that may have been left out, the likeliest first.
    degree_intervals : tuple of (int, int), optional
        None where no degrees were bought.
    with_ties : float, optional
        The expected recall if every node that ties for the last place is counted as found, as
        `edgedp.quality.recall` counts; by default there are no ties. What it is above `expected_recall` is left open
        by equal values, and no epsilon closes it.
    """

    membership: tuple[float, ...]
    near: tuple[tuple[int, float], ...]
    degree_intervals: tuple[tuple[int, int], ...] | None
    with_ties: float = 0.0

    @property
    def expected_recall(self) -> float:
        """The mean of `membership`."""
        return float(np.mean(self.membership))


def how_sure(
    metric: str, listed: NDArray[np.int64], bought: Sequence[Bought], node_count: int, most: int | None
) -> Sureness | None:
    """Return how sure a list is; None where no vector was released, or so few nodes say nothing of one another.

    Parameters
    ----------
    metric : str
        "ebc", "betweenness2", or one that the first vector holds itself.
    listed : (k,) int64
        Positions.
    bought : sequence of Bought
        As released, each with noise for the whole of its vector; empty where it is for the largest entry only.
    node_count : int
    most : int or None
        How many neighbours a node has at most, where that is public; of a strength the largest one.

    Notes
    -----
    Privacy: post-processing of noisy vectors; no exact value is read but through noise that was drawn before.
    """
    if not bought or node_count < FEWEST:
        return None
    k = len(listed)
    unit = max(int(bought[0].vector.whole.scale / _STRENGTH_SCALE), 1) if metric in STRENGTHS else 1
    bought = [_in_units(each, unit) for each in bought]
    nodes = _candidates(listed, bought)
    draws = max(_LEAST_DRAWS, min(_DRAWS, _NUMBERS // len(nodes)))
    top = _UNBOUNDED if most is None else most
    above = -(-top // unit)
    nodes, drawn = _drawn(metric, nodes, bought, k, above, draws, np.random.default_rng(SEED))
    chance, found = _chances(drawn.values, k)
    order = np.argsort(-chance[k:], kind="stable")[:k] + k
    near = [(int(nodes[each]), round(float(chance[each]), 2)) for each in order if chance[each] >= _NEAR]
    intervals = (
        None
        if drawn.degrees is None
        else tuple(
            (min(low * unit, top), min(high * unit, top))
            for low, high in drawn.degrees.intervals(_OUTSIDE, k)
        )
    )
    shown = tuple(round(float(each), 2) for each in chance[:k])
    return Sureness(shown, tuple(near), intervals, float(found[:k].mean()))


def _in_units(bought: Bought, unit: int) -> Bought:
    """Return what was bought with values of which so many are one: strengths are then as coarse as degrees are."""
    if unit == 1 or not isinstance(bought.vector, NoisyVector):
        return bought
    return replace(bought, vector=replace(bought.vector, unit=unit * bought.vector.unit))


def _candidates(listed: NDArray[np.int64], bought: Sequence[Bought]) -> NDArray[np.int64]:
    """Return the listed nodes, and then others that come first by what the last purchase followed from."""
    last = bought[-1].purchase
    basis: NDArray[np.float64]
    match last.choice:
        case Degrees() | OrderedDegrees():
            basis = seen_degrees(bought).values
        case Lists() | Ordered() | Closed():
            basis = last.seen.astype(np.float64) if len(last.seen) else bought[-1].vector.whole.values
        case _:
            assert_never(last.choice)
    count = min(max(_CANDIDATES, 10 * len(listed)), len(basis))
    best = np.argsort(-basis, kind="stable")[:count]
    return np.concatenate([listed, best[~np.isin(best, listed)]])


def _drawn(
    metric: str,
    nodes: NDArray[np.int64],
    bought: Sequence[Bought],
    k: int,
    most: int,
    draws: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], Drawn]:
    """Return candidates, the listed nodes first, and draws of their values from what the vectors leave open of them."""
    last = bought[-1]
    between = metric in ("ebc", "betweenness2")
    degrees = degree_posterior(bought, nodes, most)
    match last.purchase.choice:
        case Degrees() | OrderedDegrees():
            if degrees is None:
                raise AssertionError("ordered degrees are bought after degrees only")
            drawing = draw_values if metric in STRENGTHS else draw_degrees
            of_degrees = drawing(degrees, draws, rng)
            spread = _BEYOND_DEGREES if between else 0.0
            drawn = Drawn(pairs_of(of_degrees) if between else of_degrees, degrees)
        case Lists(cap) | Ordered(cap) if degrees is not None:
            spread = _BEYOND_CUTS if metric == "ebc" else 0.0
            return _through_cuts(nodes, degrees, last, cap, k, spread, draws, rng)
        case Lists() | Ordered():
            drawn = Drawn(draw_values(value_posterior(last.vector.whole, nodes), draws, rng), None)
            spread = _BEYOND_DEGREES if metric == "ebc" else 0.0
        case Closed():
            raise AssertionError("closed pairs are bought for several metrics only")
        case _:
            assert_never(last.purchase.choice)
    return nodes, Drawn(_beyond(drawn.values, spread, rng), drawn.degrees)


def _through_cuts(
    nodes: NDArray[np.int64],
    degrees: DegreePosterior,
    last: Bought,
    cap: int,
    k: int,
    spread: float,
    draws: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], Drawn]:
    """Draw values from noisy degrees and noisy cuts: of all candidates that can be among the k largest.

    The listed nodes and those of the largest noisy degrees come first: the ranking has looked at them already. Of the
    others only those are looked at whose degree can lift them to the k-th of these. The rest is left out, since an ego
    network is costly to count and no draw would be among the k largest.
    """
    seen = last.purchase.seen[nodes].astype(np.float64)
    largest = np.argsort(-seen, kind="stable")[: min(max(200, 5 * k), 2_000)]
    first = np.isin(np.arange(len(nodes)), largest)
    first[:k] = True
    looked = np.flatnonzero(first)
    noisy, scale = last.vector[nodes[looked]], last.vector.scale
    cuts = Cuts.fitted(noisy, scale, cap, seen[looked], np.searchsorted(looked, largest))
    drawn = draw_betweenness(degrees[looked], cuts, draws, rng)
    drawn = Drawn(_beyond(drawn.values, spread, rng), drawn.degrees)
    floor = _reached(drawn.values, k).min()
    able = pairs_of(degrees.above(_UNLIKELY)) * np.exp(_FAR * spread) >= floor
    others = np.flatnonzero(able & ~first)
    if len(others) == 0:
        return nodes[looked], drawn
    cuts = replace(cuts, noisy=last.vector[nodes[others]])
    more = draw_betweenness(degrees[others], cuts, draws, rng)
    return nodes[np.concatenate([looked, others])], drawn.followed_by(
        Drawn(_beyond(more.values, spread, rng), more.degrees)
    )


def _beyond(values: NDArray[np.float64], spread: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return values times a log-normal factor: what the vectors do not say of what is ranked."""
    factors: NDArray[np.float64] = np.exp(spread * rng.standard_normal(values.shape))
    return values * factors


def _reached(values: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return the k-th largest of each column."""
    reached: NDArray[np.float64] = np.partition(values, len(values) - k, axis=0)[len(values) - k]
    return reached


def _chances(values: NDArray[np.float64], k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each row how often it is among the k largest of a column.

    Rows of equal value share the places that are left for them: ten that tie for two places have two tenths each. And
    how often it is among them if all of these ten are.
    """
    reached = _reached(values, k)
    above, found = values > reached, values >= reached
    share = (k - above.sum(axis=0)) / (found.sum(axis=0) - above.sum(axis=0))
    chance: NDArray[np.float64] = np.where(above, 1.0, np.where(found, share, 0.0)).mean(axis=1)
    return chance, found.mean(axis=1)
