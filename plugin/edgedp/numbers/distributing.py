"""The distribution of the degrees: canonical options and draw.

``N_{>=k}``, the number of nodes of degree ``k`` or more, ``k = 1 .. D``: an edge moves two degrees by one
each, so it moves two
of these by one each, whatever ``D``. Two-sided geometric noise of scale ``2 / epsilon`` on all of them, then
the nearest vector
that never rises (isotonic regression), cut to ``0 .. n``. The histogram is its differences: noise on the
histogram itself would be twice as large, and its sums would drift.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from edgedp import checks
from edgedp.amounts.epsilon import epsilon_nano, format_nano, to_fraction
from edgedp.numbers.answers import Distribution
from edgedp.sampling.geometric import two_sided_geometric

if TYPE_CHECKING:
    from edgedp.plan import PublicFacts
    from edgedp.projection import NumberProjection
    from edgedp.sampling.words import Words

__all__ = [
    "DISTRIBUTION_OPTIONS",
    "DistributionOptions",
    "at_least_counts",
    "consistent",
    "distribution_options",
    "histogram_of",
]

DISTRIBUTION_OPTIONS = ("of", "epsilon", "form")
FORMS = ("ccdf", "histogram")
MOVES = 2
"""L1 sensitivity of all ``N_{>=k}`` together."""


@dataclass(frozen=True)
class DistributionOptions:
    """A validated release of a distribution.

    Attributes
    ----------
    of : {"degree"}
    form : {"ccdf", "histogram"}
        ``N_{>=k}`` for ``k = 1 .. D``, or ``N_k`` for ``k = 0 .. D``.
    cost : int
        Nano-epsilon.
    facts : PublicFacts
    """

    of: str
    form: str
    cost: int
    facts: PublicFacts

    kind: ClassVar[str] = "distribution"
    rests_on_bound: ClassVar[bool] = True

    @property
    def epsilon(self) -> Fraction:
        """The whole privacy loss, exactly what is debited."""
        return to_fraction(self.cost)

    @property
    def degree_bound(self) -> int:
        """The effective degree bound ``D``."""
        return self.facts.effective_degree_bound

    @property
    def quantities(self) -> frozenset[str]:
        """What the draw asks of its projection, beside the degrees."""
        return frozenset()

    @property
    def rho_shares(self) -> int:
        """``epsilon^2 / rho``: 2, as of any pure release."""
        return 2

    @property
    def parameters(self) -> dict[str, Any]:
        """Canonical parameters, JSON-able."""
        return {"of": self.of, "epsilon": format_nano(self.cost), "form": self.form}

    def draw(self, projection: NumberProjection, words: Words) -> Distribution:
        """Draw the distribution: D values for ccdf, D + 1 for histogram.

        Notes
        -----
        Privacy: ``epsilon``-edge-DP; whoever calls has checked the bound.
        """
        ccdf = noisy_ccdf(self.facts, self.epsilon, projection, words)
        if self.form == "ccdf":
            return Distribution(tuple(ccdf.tolist()), 1)
        return Distribution(tuple(histogram_of(ccdf, self.facts.node_count).tolist()), 0)


def distribution_options(facts: PublicFacts, options: Mapping[str, Any]) -> DistributionOptions:
    """Return the canonical options of a release of a distribution; no edge is read."""
    checks.check_option_names(options, DISTRIBUTION_OPTIONS)
    return DistributionOptions(
        checks.check_choice(options.get("of", "degree"), "of", ("degree",)),
        checks.check_choice(options.get("form") or "ccdf", "form", FORMS),
        epsilon_nano(options.get("epsilon")),
        facts,
    )


def noisy_ccdf(
    facts: PublicFacts, epsilon: Fraction, projection: NumberProjection, words: Words
) -> NDArray[np.int64]:
    """Draw the (D,) consistent ``N_{>=k}``, ``k = 1 .. D``."""
    exact = at_least_counts(projection.degrees(), facts.effective_degree_bound)
    if len(exact) == 0:
        return exact
    return consistent(exact + two_sided_geometric(len(exact), MOVES / epsilon, words), facts.node_count)


def at_least_counts(degrees: NDArray[np.int64], degree_bound: int) -> NDArray[np.int64]:
    """Return the (D,) numbers of nodes of degree ``k`` or more, ``k = 1 .. D``.

    Examples
    --------
    >>> at_least_counts(np.array([2, 1, 1, 0]), 3).tolist()
    [3, 1, 0]
    """
    counts = np.bincount(degrees, minlength=degree_bound + 1)[: degree_bound + 1]
    at_least: NDArray[np.int64] = np.cumsum(counts[::-1])[::-1][1:].astype(np.int64)
    return at_least


def consistent(noisy: NDArray[Any], most: int) -> NDArray[np.int64]:
    """Return the nearest vector that never rises, rounded and cut to ``0 .. most``.

    Isotonic regression by pooling: sums of integers, so nothing depends on the order.

    Examples
    --------
    >>> consistent(np.array([5, 2, 4, -1]), 4).tolist()
    [4, 3, 3, 0]

    References
    ----------
    Hay, Rastogi, Miklau and Suciu (2010), Boosting the accuracy of differentially private histograms through
    consistency.
    """
    sums: list[int] = []
    sizes: list[int] = []
    for value in noisy.tolist():
        total, size = value, 1
        # Pool while the block before has the smaller mean.
        while sums and sums[-1] * size < total * sizes[-1]:
            total += sums.pop()
            size += sizes.pop()
        sums.append(total)
        sizes.append(size)
    means = [(2 * total + size) // (2 * size) for total, size in zip(sums, sizes, strict=True)]
    levels = np.array([min(max(mean, 0), most) for mean in means], dtype=np.int64)
    return np.repeat(levels, sizes)


def histogram_of(ccdf: NDArray[np.int64], node_count: int) -> NDArray[np.int64]:
    """Return the (D + 1,) numbers of nodes of degree exactly ``k``, ``k = 0 .. D``; they sum to the number of nodes.

    Examples
    --------
    >>> histogram_of(np.array([3, 1, 0]), 4).tolist()
    [1, 2, 1, 0]
    """
    edges = np.concatenate([[node_count], ccdf, [0]])
    return -np.diff(edges)
