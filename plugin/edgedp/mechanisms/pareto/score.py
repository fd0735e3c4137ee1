"""The Pareto score: minus the number of candidates that dominate a candidate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.native.dominance import count_dominating


def pareto_score(utilities: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return ``PS(r) = -#{r' : u_i(r') > u_i(r) for every i}``, an exact integer a candidate.

    The comparison is strict in every coordinate, so equal candidates do not dominate each other.

    Parameters
    ----------
    utilities : (n, p) float64
        One row a candidate. With ``p = 0`` (no metric can change, so none is left) all scores are 0.

    Returns
    -------
    (n,) int64
        0 for the Pareto front, down to ``-(n - 1)``.

    Notes
    -----
    Values are compared as the floats they are. Where equal quantities shall tie, equal floats must come
    in: an integer or one correctly rounded division of integers below 2^53 (degree, density) does that,
    for it is a function of the rational number alone; a longer computation need not. The
    sensitivities of `edgedp.mechanisms.pareto.profile` hold for the floats either way.

    Time ``O(n log n)`` for two metrics, ``O(p n^2 / 64)`` for three or more (37,700 nodes: 0.1 s).

    Privacy: exact values of the private edges. One edge can move a score by ``n - 1``.

    Examples
    --------
    >>> import numpy as np
    >>> pareto_score(np.array([[3.0, 0.1], [2.0, 0.5], [2.0, 0.4], [1.0, 0.3]])).tolist()
    [0, 0, 0, -2]

    References
    ----------
    Farias et al., Differentially private multi-objective selection: Pareto and aggregation approaches.
    """
    # No metric can move: of no coordinates everybody would dominate everybody.
    if utilities.shape[1] == 0:
        return np.zeros(len(utilities), dtype=np.int64)
    columns = np.ascontiguousarray(utilities.T)
    return -count_dominating(columns, columns)


def release_pick(scores: NDArray[np.int64], utilities: NDArray[np.float64], pick: int) -> NDArray[np.int64]:
    """Return the scores of the next round: what `pick` dominated is dominated by one candidate less.

    Parameters
    ----------
    scores : (n,) int64
        Scores among the candidates left, `pick` being one of them; unchanged.
    utilities : (n, p) float64
    pick : int
        Position of the candidate just picked.

    Returns
    -------
    (n,) int64
        Right for every candidate left; the values of those picked before mean nothing.

    Examples
    --------
    >>> import numpy as np
    >>> utilities = np.array([[3.0, 0.9], [2.0, 0.5], [1.0, 0.3]])
    >>> release_pick(pareto_score(utilities), utilities, 0).tolist()
    [0, 0, -1]
    """
    if utilities.shape[1] == 0:
        return scores.copy()
    first, *others = utilities.T
    # Strictly below, as in the score: a candidate of equal value was never dominated by the one that goes.
    dominated = first < first[pick]
    for column in others:
        dominated &= column < column[pick]
    raised: NDArray[np.int64] = scores + dominated
    return raised
