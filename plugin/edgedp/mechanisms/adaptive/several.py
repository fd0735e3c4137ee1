"""The adaptive release of nodes that are good in several metrics: Pareto front or weighted sum, from noisy vectors.

Bought are all noisy degrees and, where these say that it is worth it, the closed pairs in cuts (the numerator of
density) and length-2 betweenness through cuts (for EBC and betweenness2), or the degrees once more. The ranking is
post-processing: by the probability of standing on the Pareto front, in draws from what the noisy values leave
open, or by the mean of the weighted sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.choice import (
    AGAIN,
    CUTS_FROM,
    FIRST,
    SHARP_FROM,
    Closed,
    Degrees,
    Lists,
    Ordered,
    OrderedDegrees,
    cut_cap,
    cut_form,
)
from edgedp.mechanisms.adaptive.closed import ClosedPairs
from edgedp.mechanisms.adaptive.fit import Posterior, Ratios, pairs_of
from edgedp.mechanisms.adaptive.purchases import Bought, Purchase, SeenDegrees, buy, seen_degrees
from edgedp.mechanisms.pareto.score import pareto_score
from edgedp.mechanisms.sampling.select import top_k_with_random_ties

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import Projection
    from edgedp.mechanisms.sampling.words import Words

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

    @property
    def again(self) -> Degrees | OrderedDegrees:
        """What sharpens the degrees: where the degree itself counts, hubs must not lose their edges to each other."""
        return Degrees() if "degree" in self.metrics else OrderedDegrees()

    def next_purchase(self, bought: Sequence[Bought]) -> Purchase | None:
        """Return what is bought next: a quarter buys the degrees, and these say what the rest buys, in equal parts."""
        if not bought:
            return Purchase(Degrees(), FIRST * self.epsilon if worth_splitting(self) else self.epsilon)
        of_degrees = [each for each in bought if isinstance(each.purchase.choice, Degrees | OrderedDegrees)]
        rest = self.epsilon - sum(each.purchase.epsilon for each in of_degrees)
        if rest == 0:
            return None
        first = seen_degrees(bought[:1])
        coarse = float(self.epsilon) * first.kth(self.k) < SHARP_FROM
        if coarse and len(bought) == 1 and further_choices(self, first, rest, coarse=True):
            return Purchase(self.again, AGAIN * self.epsilon, first.integers)
        degrees = seen_degrees(of_degrees)
        choices = further_choices(self, degrees, rest, coarse=coarse)
        if not choices:
            return Purchase(self.again, rest, degrees.integers)
        further = choices[len(bought) - len(of_degrees) :]
        return Purchase(further[0], rest / len(choices), degrees.integers) if further else None


def further_choices(
    asked: Several, degrees: SeenDegrees, rest: Fraction, *, coarse: bool = False
) -> tuple[Closed | Lists | Ordered, ...]:
    """Return which cuts the rest of epsilon buys, in equal parts: a function of released values and public facts.

    Parameters
    ----------
    asked : Several
    degrees : SeenDegrees
    rest : Fraction
    coarse : bool
        Whether the first degrees were too coarse for lists.

    Examples
    --------
    >>> hubs = SeenDegrees(np.array([1000, 900, 800, *[3] * 50]), 1, 8.0)
    >>> wanted = Several(53, 10**6, 2, Fraction(1), ("degree", "density"))
    >>> further_choices(wanted, hubs, Fraction(3, 4))
    (Closed(cap=100, ordered=True),)
    >>> further_choices(wanted, hubs, Fraction(3, 40))
    ()
    """
    half = Fraction(1, 2)
    closed, connected = _closed(asked, degrees, rest * half), _connected(asked, degrees, rest, half, coarse)
    if closed and connected:
        return closed, connected
    one = _connected(asked, degrees, rest, Fraction(1), coarse) or _closed(asked, degrees, rest)
    return (one,) if one else ()


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
    best = SeenDegrees(np.zeros(0, dtype=np.int64), 1, 2 / float(FIRST * asked.epsilon))
    return "density" in asked.metrics and _closed_pays(
        asked, float(asked.most), best, (1 - FIRST) * asked.epsilon
    )


def _closed(asked: Several, degrees: SeenDegrees, part: Fraction) -> Closed | None:
    """Return how the closed pairs are to be bought for a part, or None where they tell too little."""
    seen, cap = degrees.kth(asked.k), min(CLOSED_CAP, asked.most)
    if "density" not in asked.metrics or cap < 2 or not _closed_pays(asked, seen, degrees, part):
        return None
    return Closed(cap, ordered=seen * float(part) < _CLOSED_LISTS_FROM)


def _closed_pays(asked: Several, seen: float, degrees: SeenDegrees, part: Fraction) -> bool:
    """Return whether closed pairs for a part tell more than degrees about a k-th node of the degree `seen`."""
    epsilon = float(part)
    if seen < 2:
        return False
    if asked.weights is None:
        return seen * epsilon >= _CLOSED_FROM
    noise = 2 * ((2 + 100 / CLOSED_CAP) / (seen * epsilon)) ** 2
    known = _DENSITY_SPREAD**4 / (_DENSITY_SPREAD**2 + noise)
    slope = asked.weight("degree") + asked.weight("ebc", "betweenness2") * 0.45 * seen
    again = 2 * degrees.scale**2 - 2 / (degrees.scale**-2 + (epsilon / 2) ** 2)
    return asked.weight("density") ** 2 * known > slope**2 * again


def _connected(
    asked: Several, degrees: SeenDegrees, rest: Fraction, share: Fraction, coarse: bool
) -> Lists | Ordered | None:
    """Return how length-2 betweenness is to be bought for a share of the rest, or None where noise would drown it."""
    if not {"ebc", "betweenness2"} & set(asked.metrics) or asked.weight("ebc", "betweenness2") == 0:
        return None
    seen = degrees.kth(asked.k)
    cap = cut_cap(degrees.integers, seen, rest * share, asked.most)
    if seen < 2 or cap < 2 or seen * float(asked.epsilon * share) < CUTS_FROM:
        return None
    return cut_form(cap, seen, rest * share, coarse=coarse)


def scores(asked: Several, bought: Sequence[Bought], seed: int) -> NDArray[np.float64]:
    """Return the (n,) scores that the release ranks by: post-processing of what was bought.

    Parameters
    ----------
    asked : Several
    bought : sequence of Bought
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
    def of(cls, asked: Several, bought: Sequence[Bought]) -> _Known:
        degrees = seen_degrees(bought)
        ratios: dict[str, Ratios] = {}
        names = ["degree"]
        for each in bought:
            choice, seen = each.purchase.choice, each.purchase.seen.astype(np.float64)
            match choice:
                case Degrees() | OrderedDegrees():
                    continue
                case Lists(cap) | Ordered(cap):
                    connected = pairs_of(np.minimum(seen, cap))
                    ratios["ebc"] = ratios["betweenness2"] = Ratios.fitted(
                        connected, each.vector.whole, asked.k
                    )
                    names += ["ebc", "betweenness2"]
                case Closed(cap, _):
                    counted = ClosedPairs.of(each.purchase.seen, cap, asked.most)
                    weight = counted.weights / (1 << counted.weight_bits)
                    connected = pairs_of(np.minimum(seen, counted.caps.astype(np.float64))) * weight
                    ratios["density"] = Ratios.fitted(connected, each.vector.whole, asked.k)
                    names.append("density")
                case _:
                    assert_never(choice)
        return cls(degrees.values, degrees.scale, ratios, tuple(names))

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
) -> tuple[NDArray[np.int64], tuple[Bought, ...]]:
    """Draw an adaptive release of nodes that are good in several metrics.

    Returns
    -------
    (k,) int64
        Distinct positions in order of the scores, ties uniformly at random.
    tuple of Bought
        The noisy vectors, for estimates from the same.

    Notes
    -----
    Privacy: ``asked.epsilon``-edge-DP, positions and vectors together; it rests on no degree bound.
    """
    bought = buy(asked, projection, words)
    seed = int(words.take(1)[0])
    ranked = np.unique(scores(asked, bought, seed), return_inverse=True)[1]
    return top_k_with_random_ties(ranked, asked.k, words), bought
