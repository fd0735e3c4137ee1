"""Draw: a plan, the projected private data and random words in; positions in the order picked out.

The only function through which anything computed from private edges leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.projection import Projection, check_bound
from edgedp.scoring import top_k_scores

if TYPE_CHECKING:
    from edgedp.plan import Plan
    from edgedp.sampling.words import Words

__all__ = ["draw"]


def draw(plan: Plan, projection: Projection, words: Words) -> NDArray[np.int64]:
    """Draw a planned release.

    Parameters
    ----------
    plan : Plan
        Validated, and debited where the graph is stored.
    projection : Projection
        The private data.
    words : Words
        Random words; the operating system's for a private release.

    Returns
    -------
    (k,) int64
        Positions of the nodes, in the order picked.

    Raises
    ------
    ParameterError
        The graph breaks the degree bound; a constant sentence.

    Notes
    -----
    Privacy: ``plan.epsilon``-edge-DP for graphs that keep the degree bound (docs/privacy.md).
    """
    check_bound(plan, projection)
    if plan.mechanism == "joint":
        from edgedp.joint import draw_joint

        return draw_joint(plan, projection, words)
    if plan.approach == "pareto":
        from edgedp.pareto.rounds import draw_pareto

        return draw_pareto(plan, projection, words)
    return top_k_scores(plan, projection).draw(plan.k, words)
