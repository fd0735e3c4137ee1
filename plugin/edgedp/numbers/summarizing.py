"""What an owner publishes about a graph: several numbers for one debit.

Bought: edges for a tenth of epsilon, triangles for three, wedges for two, the distribution of the degrees for
three, a bound
above the largest degree for one. Everything else on the page is computed from these, and costs nothing.
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
from edgedp.counts.clustering import clustering_of
from edgedp.mechanisms.numbers.nls import shift_for
from edgedp.numbers.answers import Summary
from edgedp.numbers.counting import CountOptions
from edgedp.numbers.distributing import noisy_ccdf
from edgedp.sampling.geometric import two_sided_geometric

if TYPE_CHECKING:
    from edgedp.plan import PublicFacts
    from edgedp.projection import NumberProjection
    from edgedp.sampling.words import Words

__all__ = ["SHARES", "SUMMARY_OPTIONS", "SummaryOptions", "page_of", "summary_options"]

SUMMARY_OPTIONS = ("epsilon",)

SHARES = {
    "edges": Fraction(1, 10),
    "triangles": Fraction(3, 10),
    "wedges": Fraction(2, 10),
    "degree_distribution": Fraction(3, 10),
    "degree_at_most": Fraction(1, 10),
}
"""Of epsilon; they add up to all of it."""

QUANTILES = (0.25, 0.5, 0.75, 0.9, 0.99)

DEGREE_BOUND_FAILS = Fraction(1, 100)
"""How often the noisy bound is below the largest degree."""


@dataclass(frozen=True)
class SummaryOptions:
    """A validated release of a summary.

    Attributes
    ----------
    cost : int
        Nano-epsilon of all of it.
    facts : PublicFacts
    """

    cost: int
    facts: PublicFacts

    kind: ClassVar[str] = "summary"
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
        return frozenset({"figures"})

    @property
    def rho_shares(self) -> int:
        """``epsilon^2 / rho``: 2, as of any pure release."""
        return 2

    @property
    def parameters(self) -> dict[str, Any]:
        """Canonical parameters, JSON-able, with the shares of epsilon."""
        return {
            "epsilon": format_nano(self.cost),
            "shares": {name: float(share) for name, share in SHARES.items()},
        }

    def draw(self, projection: NumberProjection, words: Words) -> Summary:
        """Draw every part from its share of epsilon.

        Notes
        -----
        Privacy: ``epsilon``-edge-DP: five releases whose shares add up to 1; whoever calls has checked the bound.
        """

        def count(of: str, mechanism: str) -> int:
            options = CountOptions(of, self.cost, mechanism, self.facts)
            law, profile = options.law(projection, SHARES[of])
            return min(max(law.draw(words), 0), profile.maximum)

        return Summary(
            page_of(
                count("edges", "geometric"),
                count("triangles", "calibrated"),
                count("wedges", "calibrated"),
                noisy_ccdf(self.facts, self.epsilon * SHARES["degree_distribution"], projection, words),
                self._degree_at_most(projection, words),
                self.facts.node_count,
            )
        )

    def _degree_at_most(self, projection: NumberProjection, words: Words) -> int:
        """Draw a bound above the largest degree, which an edge moves by at most 1; it fails in 1 % of all draws."""
        scale = 1 / (SHARES["degree_at_most"] * self.epsilon)
        noise = int(two_sided_geometric(1, scale, words)[0])
        largest = int(projection.degrees().max(initial=0))
        bound = largest + noise + shift_for(scale, DEGREE_BOUND_FAILS)
        return min(max(bound, 0), self.facts.effective_degree_bound)


def summary_options(facts: PublicFacts, options: Mapping[str, Any]) -> SummaryOptions:
    """Return the canonical options of a summary; no edge is read."""
    checks.check_option_names(options, SUMMARY_OPTIONS)
    return SummaryOptions(epsilon_nano(options.get("epsilon")), facts)


def page_of(
    edges: int,
    triangles: int,
    wedges: int,
    degree_ccdf: NDArray[np.int64],
    degree_at_most: int,
    node_count: int,
) -> dict[str, Any]:
    """Return the page of the five noisy numbers and what follows from them; its ``degree_ccdf`` ends at the first 0."""
    pairs = node_count * (node_count - 1) // 2
    above = np.concatenate([degree_ccdf, [0]])
    return {
        "nodes": node_count,
        "edges": edges,
        "mean_degree": 2 * edges / node_count if node_count else 0.0,
        "density": edges / pairs if pairs else 0.0,
        "triangles": triangles,
        "wedges": wedges,
        "clustering": float(clustering_of(triangles, wedges)),
        "degree_at_most": degree_at_most,
        "nodes_without_edges": node_count - int(above[0]),
        # The least degree that at least this share of the nodes does not exceed.
        "degree_quantiles": {
            f"{share:g}": int(np.argmax(above <= (1 - share) * node_count)) for share in QUANTILES
        },
        "degree_ccdf": degree_ccdf[: int(np.count_nonzero(degree_ccdf))].tolist(),
    }
