"""What an owner publishes about a graph: several numbers for one debit.

Bought: edges for a tenth of epsilon, triangles for three, wedges for two, the distribution of the degrees for
three, a bound above the largest degree for one. Everything else on the page is computed from these, and costs nothing.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.counts.clustering import clustering_of
from edgedp.mechanisms.joint import noisy
from edgedp.mechanisms.numbers.nls import shift_for
from edgedp.release.numbers.answers import Summary
from edgedp.release.numbers.counting import law_of
from edgedp.release.numbers.distributing import noisy_ccdf

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection
    from edgedp.mechanisms.sampling.words import Words
    from edgedp.release.plan import SummaryPlan

QUANTILES = (25, 50, 75, 90, 99)
"""In hundredths: integers, so that a share of the nodes that is met exactly is met."""

DEGREE_BOUND_FAILS = Fraction(1, 100)
"""How often the noisy bound is below the largest degree."""


def draw_summary(plan: SummaryPlan, projection: NumberProjection, words: Words) -> Summary:
    """Draw every part from its share of epsilon.

    Notes
    -----
    Privacy: ``epsilon``-edge-DP: five releases whose shares add up to 1; whoever calls has checked the bound.
    """
    shares = plan.SHARES

    def count(of: str) -> int:
        law, profile = law_of(plan.part(of), projection, shares[of])
        return min(max(law.draw(words), 0), profile.maximum)

    page = page_of(
        count("edges"),
        count("triangles"),
        count("wedges"),
        noisy_ccdf(plan.facts, plan.epsilon * shares["degree_distribution"], projection, words),
        _degree_at_most(plan, projection, words),
        plan.facts.node_count,
    )
    return Summary(page, {name: float(share) for name, share in shares.items()})


def _degree_at_most(plan: SummaryPlan, projection: NumberProjection, words: Words) -> int:
    """Draw a bound above the largest degree, which an edge moves by at most 1; it fails in 1 % of all draws."""
    epsilon = plan.SHARES["degree_at_most"] * plan.epsilon
    largest = projection.degrees().max(initial=0, keepdims=True)
    bound = int(noisy(largest, 1, epsilon, words)[0]) + shift_for(1 / epsilon, DEGREE_BOUND_FAILS)
    return min(max(bound, 0), plan.degree_bound)


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
            f"{share / 100:g}": int(np.argmax(100 * above <= (100 - share) * node_count))
            for share in QUANTILES
        },
        "degree_ccdf": degree_ccdf[: int(np.count_nonzero(degree_ccdf))].tolist(),
    }
