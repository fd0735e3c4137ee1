"""The numbers of edges and of wedges, estimated from the noisy degrees that a joint release bought anyway.

With noise of mean 0 and variance ``v`` on each degree, ``sum nd / 2`` is an unbiased estimate of the edges, and
``sum (nd**2 - v - nd) / 2`` of the wedges, the paths of length two. Ordered degrees count every edge once, so their
sum estimates the edges too; of wedges they say nothing. The estimates of the edges are weighted by inverse variance.

The intervals hold with probability 95 % or more: the error is a weighted sum of independent noise, whose law lies
between the normal and the two-sided geometric one; of both, 2.12 standard deviations leave out at most a twentieth.
Of the wedges the deviation itself is estimated from the noisy degrees, and their interval is therefore approximate
where few nodes have edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.choice import Degrees, OrderedDegrees
from edgedp.mechanisms.adaptive.purchases import Bought
from edgedp.mechanisms.adaptive.vectors import NoisyVector

_DEVIATIONS = 2.12
"""Of Laplace noise ``ln(20) / sqrt(2)`` standard deviations leave out a twentieth, of normal noise 1.96."""


@dataclass(frozen=True)
class Estimate:
    """A number and its interval, whole numbers within what the public node count allows.

    Attributes
    ----------
    value, low, high : int
    """

    value: int
    low: int
    high: int

    def to_dict(self) -> dict[str, int]:
        """Return what is shown and recorded."""
        return {"value": self.value, "low": self.low, "high": self.high}


def estimates(bought: Sequence[Bought]) -> dict[str, Estimate]:
    """Return estimates of the edges and wedges from the noisy degrees, and ordered degrees, that a release bought.

    Parameters
    ----------
    bought : sequence of Bought
        As released, degrees among them: L1 sensitivity 2, also where only the largest degree is asked for.

    Returns
    -------
    dict
        ``"edges"`` and ``"wedges"``.

    Notes
    -----
    Privacy: post-processing of noisy values and the public node count.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from edgedp.mechanisms.adaptive.purchases import Purchase
    >>> star = NoisyVector(np.array([5, 1, 1, 1, 1, 1]), Fraction(1, 100))
    >>> found = estimates([Bought(Purchase(Degrees(), Fraction(200)), star)])
    >>> found["edges"], found["wedges"].value
    (Estimate(value=5, low=5, high=5), 10)
    """
    degrees = [each.vector.whole for each in bought if isinstance(each.purchase.choice, Degrees)]
    behind = [each.vector.whole for each in bought if isinstance(each.purchase.choice, OrderedDegrees)]
    seen, variance, fourth = _combined(degrees)
    n = len(seen)
    wedges = float((seen**2 - variance - seen).sum()) / 2
    # Of one node's term: (2 d - 1) z / 2 + (z**2 - v) / 2, the two uncorrelated.
    slopes = max(float(((2 * seen - 1) ** 2 - 4 * variance).sum()), float(n))
    spread = (slopes * variance + n * max(fourth - variance**2, 0.0)) ** 0.5 / 2
    pairs = n * (n - 1) // 2
    halves = [(float(seen.sum()) / 2, n * variance / 4)]
    return {
        "edges": _within(
            *_mean(halves + [(float(each.values.sum()), n * each.variance) for each in behind]), pairs
        ),
        "wedges": _within(wedges, spread, pairs * max(n - 2, 0)),
    }


def _mean(estimated: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the mean of values by inverse variance, and its standard deviation."""
    best = min(estimated, key=lambda each: each[1])
    if best[1] == 0:
        return best[0], 0.0
    precision = sum(1 / variance for _, variance in estimated)
    return sum(value / variance for value, variance in estimated) / precision, precision**-0.5


def _combined(degrees: Sequence[NoisyVector]) -> tuple[NDArray[np.float64], float, float]:
    """Return the mean weighted by inverse variances, and second and fourth moment of its noise."""
    variances = np.array([vector.variance for vector in degrees])
    if not variances.all():
        exact = degrees[int(np.argmin(variances))]
        return exact.values, 0.0, 0.0
    shares = (1 / variances) / (1 / variances).sum()
    seen = np.sum([share * vector.values for share, vector in zip(shares, degrees, strict=True)], axis=0)
    fourths = np.array([_fourth_moment(vector) for vector in degrees])
    squares = shares**2 * variances
    fourth = float(shares**4 @ fourths + 3 * (squares.sum() ** 2 - (squares**2).sum()))
    return seen, float(squares.sum()), fourth


def _fourth_moment(vector: NoisyVector) -> float:
    """Return the fourth moment of two-sided geometric noise of the variance ``v``: ``v + 6 v**2``."""
    return vector.variance + 6 * vector.variance**2


def _within(value: float, deviation: float, most: int) -> Estimate:
    """Return an estimate and its interval, cut to what is possible."""

    def cut(number: int) -> int:
        return min(max(number, 0), most)

    reach = _DEVIATIONS * deviation
    return Estimate(cut(round(value)), cut(floor(value - reach)), cut(ceil(value + reach)))
