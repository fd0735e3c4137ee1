"""One pick from plain arrays: its exact law.

What is asked is checked and scored by `edgedp.mechanisms.scores.picks`, which `edgedp.select` draws from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.mechanisms import values
from edgedp.mechanisms.scores.picks import Mechanism, names_best, pick_scores
from edgedp.words.amounts.epsilon import epsilon_nano, to_fraction
from edgedp.words.vocabulary import SamplerName, Shift


def probabilities(
    mechanism: Mechanism | values.Mechanism,
    utilities: ArrayLike,
    epsilon: Any,
    *,
    global_sensitivity: float | None = None,
    sensitivity: ArrayLike | None = None,
    shift: Shift | None = None,
    sampler: SamplerName | None = None,
    monotone: bool = False,
    delta: Any = None,
    smooth: Any = None,
) -> NDArray[np.float64]:
    """Return the exact law of one pick.

    ===== =======================================================  ==================================
    name  score                                                    needs
    ===== =======================================================  ==================================
    em    ``u / GS``                                               `global_sensitivity`
    pf    em with the sampler ``permute_and_flip``                 `global_sensitivity`
    ld    local dampening of ``u`` by `sensitivity`                `sensitivity`
    sld   its shifted limit                                        both
    snm   ``u / S``, ``S`` a smooth bound of the sensitivity       `delta`, `sensitivity` or `smooth`
    ===== =======================================================  ==================================

    Parameters
    ----------
    mechanism : {"em", "pf", "ld", "sld", "snm"}
    utilities : (n,) array-like of float
        Utility of every candidate, ``n >= 1``.
    epsilon : number or decimal text
        Privacy loss of the pick.
    global_sensitivity : float, optional
        ``GS``: positive and finite; 0 means that nothing can move a utility, so the best has all, or the best share it.
    sensitivity : (n, T) or (T,) array-like of float, optional
        Column ``t`` is ``delta(t)``, not negative and not falling with ``t``; the last column holds for
        all larger ``t``. For ``sld`` the last column equals `global_sensitivity`. One row alone is shared by
        all candidates.
    shift : {"up", "down"}, optional
        Direction of ``sld``, default up.
    sampler : {"exponential", "permute_and_flip"}, optional
    monotone : bool
        For em, pf and snm: adding an edge never lowers a utility, so the factor 2 drops out.
    delta : number or decimal text, optional
        For snm, which is (epsilon, delta)-private: between 0 and 1.
    smooth : float or callable, optional
        For snm: ``S``, or a function of beta that returns it; see `edgedp.select`.

    Returns
    -------
    (n,) float64
        Probabilities; they sum to 1.

    Raises
    ------
    ParameterError
        An array is of the wrong shape or out of its domain, or a needed one is missing.

    Notes
    -----
    Privacy: the result is computed from the utilities exactly; it is not a release.

    Examples
    --------
    Worked example 2 of Farias' thesis:

    >>> utilities = [6.5, 6.5, 0, 0, 0, 0, 0, 0]
    >>> table = [[3.0, 5.0]] * 2 + [[2.0, 5.0]] * 6
    >>> probabilities("ld", utilities, 2, sensitivity=table).round(3).tolist()
    [0.323, 0.323, 0.059, 0.059, 0.059, 0.059, 0.059, 0.059]
    """
    asked = values.spelled(
        {"mechanism": mechanism, "shift": shift, "sampler": sampler}, takes=("shift", "sampler")
    )
    scores = pick_scores(
        utilities=utilities,
        epsilon=to_fraction(epsilon_nano(epsilon)),
        global_sensitivity=global_sensitivity,
        sensitivity=sensitivity,
        **asked,
        monotone=monotone,
        delta=delta,
        smooth=smooth,
    )
    if names_best(asked["mechanism"], global_sensitivity):
        found = np.asarray(utilities, dtype=np.float64)
        best = found == found.max()
        law: NDArray[np.float64] = best / best.sum()
        return law
    return scores.law()
