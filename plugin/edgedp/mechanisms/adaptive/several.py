"""The adaptive release of nodes that are good in several metrics: Pareto front or weighted sum, from noisy vectors.

Bought are all noisy degrees and, where these say that it is worth it, the closed pairs in cuts (the numerator of
density) and length-2 betweenness through cuts (for EBC and betweenness2), or the degrees once more. The ranking is
post-processing: by the probability of standing on the Pareto front, in draws from what the noisy values leave
open, or by the mean of the weighted sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.choice import (
    Degrees,
    Lists,
    Ordered,
    choose_second,
    kth_degree,
    ranking,
    split_epsilon,
)
from edgedp.mechanisms.adaptive.fit import Posterior, Ratios, combine_degrees, pairs_of
from edgedp.mechanisms.adaptive.vectors import (
    ClosedPairs,
    CutVector,
    NoisyVector,
    Vector,
    closed_pairs,
    cut_vector,
    degree_vector,
)
from edgedp.mechanisms.pareto.score import pareto_score
from edgedp.sampling.select import top_k_with_random_ties

if TYPE_CHECKING:
    from edgedp.projection import Projection
    from edgedp.sampling.words import Words

__all__ = [
    "BoughtSeveral",
    "Closed",
    "Several",
    "buy_several",
    "draw_several",
    "further_choices",
    "further_vector",
    "scores",
    "worth_splitting",
]

CLOSED_CAP = 100
"""``Dh`` of the closed pairs: the noise on a hub's density hardly depends on it."""
_CLOSED_FROM, _CLOSED_LISTS_FROM = 600, 5_000
"""Of ``dk e``: from the first on closed pairs tell something of the hubs' density, from the second lists do better."""
_DENSITY_SPREAD = 0.1
"""How much the densities of hubs differ, as assumed for sums."""
_CANDIDATES, _DRAWS = 2_000, 200


@dataclass(frozen=True)
class Several:
    """What is asked for; all of it public.

    Attributes
    ----------
    node_count, most, k, epsilon
        As in `edgedp.mechanisms.adaptive.top_k.Asked`.
    metrics : tuple of str
    weights : tuple of float or None
        Of a sum; None for the Pareto front.
    """

    node_count: int
    most: int
    k: int
    epsilon: Fraction
    metrics: tuple[str, ...]
    weights: tuple[float, ...] | None = None

    def weight(self, *names: str) -> float:
        """Return the weight of some metrics together; 1 each for the front."""
        weights = self.weights or (1.0,) * len(self.metrics)
        return sum(weight for name, weight in zip(self.metrics, weights, strict=True) if name in names)


@dataclass(frozen=True)
class Closed:
    """The closed pairs in cuts; by the ranking by noisy degree, or of all neighbours."""

    cap: int
    ordered: bool


Further = Degrees | Lists | Ordered | Closed


@dataclass(frozen=True)
class BoughtSeveral:
    """The released vectors: all that an answer is computed from.

    Attributes
    ----------
    degrees : NoisyVector
        For the first part of epsilon, or for all of it.
    further : tuple of (choice, NoisyVector)
        For equal parts of the rest; none where the degrees alone were bought for all of epsilon.
    """

    degrees: NoisyVector
    further: tuple[tuple[Further, NoisyVector], ...]

    @property
    def all_degrees(self) -> list[NoisyVector]:
        """Every noisy vector of the degrees."""
        return [self.degrees, *(vector for choice, vector in self.further if isinstance(choice, Degrees))]


def further_choices(asked: Several, noisy_degrees: NDArray[np.int64]) -> tuple[Further, ...]:
    """Return what the rest of epsilon buys, in equal parts: a function of released values and public facts.

    Examples
    --------
    >>> hubs = np.array([1000, 900, 800, *[3] * 50])
    >>> wanted = Several(53, 10**6, 2, Fraction(1), ("degree", "density"))
    >>> further_choices(wanted, hubs)
    (Closed(cap=100, ordered=True),)
    >>> further_choices(Several(53, 10**6, 2, Fraction(1, 10), ("degree", "density")), hubs)
    (Degrees(),)
    """
    e1, e2 = split_epsilon(asked.epsilon)
    both = [choice for pays in (_closed, _connected) if (choice := pays(asked, noisy_degrees, e1, e2 / 2))]
    if len(both) == 2:
        return tuple(both)
    one = [choice for pays in (_connected, _closed) if (choice := pays(asked, noisy_degrees, e1, e2))]
    return (one[0],) if one else (Degrees(),)


def worth_splitting(asked: Several) -> bool:
    """Return whether noisy degrees could say that anything but degrees is worth buying: from public facts alone.

    Examples
    --------
    >>> worth_splitting(Several(10_000, 9_999, 10, Fraction(1), ("degree", "density"), (1.0, 1.0)))
    False
    >>> worth_splitting(Several(10_000, 9_999, 10, Fraction(1), ("degree", "density")))
    True
    """
    if asked.weight("ebc", "betweenness2") != 0:
        return True
    return "density" in asked.metrics and _closed_pays(
        asked, float(asked.most), *split_epsilon(asked.epsilon)
    )


def _closed(asked: Several, noisy_degrees: NDArray[np.int64], e1: Fraction, e2: Fraction) -> Closed | None:
    """Return how the closed pairs are to be bought for `e2`, or None where they tell too little."""
    seen, epsilon = kth_degree(noisy_degrees, 2 / float(e1), asked.k), float(e2)
    cap = min(CLOSED_CAP, asked.most)
    if "density" not in asked.metrics or cap < 2 or not _closed_pays(asked, seen, e1, e2):
        return None
    return Closed(cap, ordered=seen * epsilon < _CLOSED_LISTS_FROM)


def _closed_pays(asked: Several, seen: float, e1: Fraction, e2: Fraction) -> bool:
    """Return whether closed pairs for `e2` tell more than degrees about a k-th node of the degree `seen`."""
    epsilon = float(e2)
    if seen < 2:
        return False
    if asked.weights is None:
        return seen * epsilon >= _CLOSED_FROM
    noise = 2 * ((2 + 100 / CLOSED_CAP) / (seen * epsilon)) ** 2
    known = _DENSITY_SPREAD**4 / (_DENSITY_SPREAD**2 + noise)
    slope = asked.weight("degree") + asked.weight("ebc", "betweenness2") * 0.45 * seen
    again = 8 / float(e1) ** 2 - 8 / (float(e1) ** 2 + epsilon**2)
    return asked.weight("density") ** 2 * known > slope**2 * again


def _connected(
    asked: Several, noisy_degrees: NDArray[np.int64], e1: Fraction, e2: Fraction
) -> Lists | Ordered | None:
    """Return how length-2 betweenness is to be bought for `e2`, or None where its noise would drown it."""
    if not {"ebc", "betweenness2"} & set(asked.metrics) or asked.weight("ebc", "betweenness2") == 0:
        return None
    choice = choose_second(noisy_degrees, e1, e2, asked.most, asked.k)
    return None if isinstance(choice, Degrees) else choice


def further_vector(
    asked: Several, choice: Further, noisy_degrees: NDArray[np.int64], projection: Projection
) -> Vector | CutVector:
    """Return one exact further vector with what one edge moves it by, for one outcome of the first."""
    n = asked.node_count
    match choice:
        case Degrees():
            return degree_vector(projection, n)
        case Lists(cap):
            return cut_vector(projection, n, cap, None)
        case Ordered(cap):
            return cut_vector(projection, n, cap, ranking(noisy_degrees))
        case Closed(cap, ordered):
            ranks = ranking(noisy_degrees) if ordered else None
            return closed_pairs(projection, n, ClosedPairs.of(noisy_degrees, cap, asked.most), ranks)
        case _:
            assert_never(choice)


def buy_several(asked: Several, projection: Projection, words: Words) -> BoughtSeveral:
    """Buy all noisy degrees, and for the rest of epsilon what they say is worth it.

    Notes
    -----
    Privacy: ``e1 + e2``-edge-DP, for any two graphs that differ by one edge: every further vector costs its part of
    ``e2`` given the noisy degrees, and none depends on another.
    """
    degrees = degree_vector(projection, asked.node_count)
    if not worth_splitting(asked):
        return BoughtSeveral(degrees.with_noise(asked.epsilon, words), ())
    e1, e2 = split_epsilon(asked.epsilon)
    first = degrees.with_noise(e1, words)
    choices = further_choices(asked, first.integers)
    return BoughtSeveral(
        first,
        tuple(
            (
                choice,
                further_vector(asked, choice, first.integers, projection)
                .with_noise(e2 / len(choices), words)
                .whole,
            )
            for choice in choices
        ),
    )


def scores(asked: Several, bought: BoughtSeveral, seed: int) -> NDArray[np.float64]:
    """Return the (n,) scores that the release ranks by: post-processing of what was bought.

    Parameters
    ----------
    asked : Several
    bought : BoughtSeveral
    seed : int
        Of the draws that the probabilities are counted in; it protects nothing.

    Returns
    -------
    (n,) float64
        The mean of the weighted sum, or the share of draws in which the node is on the front; ``-inf`` for nodes that
        were not looked at.
    """
    known = _Known.of(asked, bought)
    if asked.weights is not None:
        columns = known.means()
        total = np.zeros(asked.node_count)
        for name, weight in zip(asked.metrics, asked.weights, strict=True):
            total += weight * columns[name]
        return total
    names = [name for name in asked.metrics if name in known.names]
    if names == ["degree"] or not names:
        return known.degrees
    rng = np.random.default_rng(seed)
    candidates = np.argsort(-known.degrees, kind="stable")[: max(_CANDIDATES, 2 * asked.k)]
    on_front = np.zeros(len(candidates))
    laws = known.laws(candidates)
    for _ in range(_DRAWS):
        drawn = known.draw(candidates, laws, rng)
        on_front += pareto_score(np.column_stack([drawn[name] for name in names])) == 0
    # Where draws cannot tell two nodes apart, the noisy degree does: by less than half a draw.
    degrees = known.degrees[candidates]
    result = np.full(asked.node_count, -np.inf)
    result[candidates] = on_front + 0.25 * degrees / max(float(np.abs(degrees).max()), 1.0)
    return result


@dataclass(frozen=True)
class _Known:
    """What the noisy vectors tell about each metric."""

    degrees: NDArray[np.float64]
    degree_scale: float
    ratios: dict[str, Ratios]
    """Of density: to 1. Of betweenness: to the pairs of neighbours."""
    names: tuple[str, ...]

    @classmethod
    def of(cls, asked: Several, bought: BoughtSeveral) -> _Known:
        first = bought.degrees
        degrees, scale = first.values, first.scale
        ratios: dict[str, Ratios] = {}
        names = ["degree"]
        for choice, vector in bought.further:
            match choice:
                case Degrees():
                    degrees = combine_degrees(first.integers, vector.integers, *split_epsilon(asked.epsilon))
                    scale = float(1 / np.hypot(1 / first.scale, 1 / vector.scale)) if scale else 0.0
                case Lists(cap) | Ordered(cap):
                    connected = pairs_of(np.minimum(first.values, cap))
                    ratios["ebc"] = ratios["betweenness2"] = Ratios.fitted(connected, vector, asked.k)
                    names += ["ebc", "betweenness2"]
                case Closed(cap, _):
                    counted = ClosedPairs.of(first.integers, cap, asked.most)
                    weight = counted.weights / (1 << counted.weight_bits)
                    connected = pairs_of(np.minimum(first.values, counted.caps.astype(np.float64))) * weight
                    ratios["density"] = Ratios.fitted(connected, vector, asked.k)
                    names.append("density")
                case _:
                    assert_never(choice)
        return cls(degrees, scale, ratios, tuple(names))

    def means(self) -> dict[str, NDArray[np.float64]]:
        """Return each metric's mean for every node; where nothing tells, density 0, betweenness half of the pairs."""
        pairs = pairs_of(self.degrees)
        columns = {
            "degree": self.degrees,
            "density": np.zeros_like(pairs),
            "ebc": pairs / 2,
            "betweenness2": pairs / 2,
        }
        for name, ratio in self.ratios.items():
            columns[name] = ratio.means() * (1.0 if name == "density" else pairs)
        return columns

    def laws(self, nodes: NDArray[np.int64]) -> dict[str, Posterior]:
        """Return what is left open of each ratio; EBC and length-2 betweenness are one."""
        return {name: ratio.posterior(nodes) for name, ratio in self.ratios.items() if name != "betweenness2"}

    def draw(
        self, nodes: NDArray[np.int64], laws: dict[str, Posterior], rng: np.random.Generator
    ) -> dict[str, NDArray[np.float64]]:
        """Draw each metric of some nodes from what is left open."""
        columns = {"degree": self.degrees[nodes] + rng.laplace(0, self.degree_scale, len(nodes))}
        if "density" in laws:
            columns["density"] = laws["density"].draw(rng)
        if "ebc" in laws:
            columns["ebc"] = columns["betweenness2"] = laws["ebc"].draw(rng) * pairs_of(columns["degree"])
        return columns


def draw_several(
    asked: Several, projection: Projection, words: Words
) -> tuple[NDArray[np.int64], BoughtSeveral]:
    """Draw an adaptive release of nodes that are good in several metrics.

    Returns
    -------
    (k,) int64
        Distinct positions in order of the scores, ties uniformly at random.
    BoughtSeveral
        The noisy vectors, for estimates from the same.

    Notes
    -----
    Privacy: ``asked.epsilon``-edge-DP, positions and vectors together; it rests on no degree bound.
    """
    bought = buy_several(asked, projection, words)
    seed = int(words.take(1)[0])
    ranked = np.unique(scores(asked, bought, seed), return_inverse=True)[1]
    return top_k_with_random_ties(ranked, asked.k, words), bought
