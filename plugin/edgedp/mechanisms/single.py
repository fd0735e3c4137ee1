"""One pick from plain arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.checks import check_choice, check_mechanism, check_sampler
from edgedp.dampening import locally_dampened, shifted
from edgedp.epsilon import epsilon_nano, to_fraction
from edgedp.errors import ParameterError
from edgedp.scores import GridScores, grid_bits, noise_unit, to_grid

__all__ = ["probabilities"]


def probabilities(
    mechanism: str,
    utilities: ArrayLike,
    epsilon: Any,
    *,
    global_sensitivity: float | None = None,
    sensitivity: ArrayLike | None = None,
    shift: str = "up",
    sampler: str | None = None,
    monotone: bool = False,
) -> NDArray[np.float64]:
    """Return the exact law of one pick.

    ===== =======================================================  =========================
    name  score                                                    needs
    ===== =======================================================  =========================
    em    ``u / GS``                                               `global_sensitivity`
    pf    em with the sampler ``permute_and_flip``                 `global_sensitivity`
    ld    local dampening of ``u`` by `sensitivity`                `sensitivity`
    sld   its shifted limit                                        both
    ===== =======================================================  =========================

    Parameters
    ----------
    mechanism : {"em", "pf", "ld", "sld"}
    utilities : (n,) array-like of float
        Utility of every candidate, ``n >= 1``.
    epsilon : number or decimal text
        Privacy loss of the pick.
    global_sensitivity : float, optional
        ``GS``: positive and finite; 0 means that all candidates are equal.
    sensitivity : (n, T) array-like of float, optional
        Column ``t`` is ``delta(t)``, not negative and not falling with ``t``; the last column holds for
        all larger ``t``. For ``sld`` the last column equals `global_sensitivity`.
    shift : {"up", "down"}
        Direction of ``sld``.
    sampler : {"exponential", "permute_and_flip"}, optional
    monotone : bool
        For em and pf: adding an edge never lowers a utility, so the factor 2 drops out.

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
    check_mechanism(mechanism, ("em", "pf", "ld", "sld"))
    check_choice(shift, "shift", ("up", "down"))
    drawn_by = check_sampler(sampler, mechanism)
    values = _finite(utilities, "utilities", 1)
    if values.size == 0:
        raise ParameterError("utilities is empty, must hold at least one candidate; give one")
    if monotone and mechanism in ("ld", "sld"):
        raise ParameterError(
            "monotone is True, must be False for ld and sld; a dampened score is not monotone, leave it out"
        )
    budget = to_fraction(epsilon_nano(epsilon))
    if mechanism in ("em", "pf"):
        ceiling = _global(global_sensitivity, mechanism)
        scores = values / ceiling if ceiling else np.zeros(len(values))
    else:
        table = _finite(sensitivity, "sensitivity", 2) if sensitivity is not None else None
        if table is None or table.shape[0] != len(values) or table.shape[1] == 0:
            raise ParameterError(
                f"sensitivity is not of shape ({len(values)}, T), must be for {mechanism}; "
                "give one row a candidate, column t for distance t"
            )
        if (table < 0).any() or (np.diff(table, axis=1) < 0).any():
            raise ParameterError(
                "sensitivity falls with t or is negative, must be 0 or more and not fall; take its running maximum"
            )
        scores = _dampened(values, table, mechanism, global_sensitivity, shift)
    bits = grid_bits(math.ceil(float(np.abs(scores).max(initial=0))))
    return GridScores(
        to_grid(scores, bits),
        noise_unit(budget, bits, monotone=monotone),
        "permute_and_flip" if drawn_by == "permute_and_flip" else "exponential",
    ).law()


def _dampened(
    values: NDArray[np.float64],
    table: NDArray[np.float64],
    mechanism: str,
    global_sensitivity: float | None,
    shift: str,
) -> NDArray[np.float64]:
    last = table.shape[1] - 1
    if mechanism == "ld":
        if global_sensitivity is not None:
            table = np.minimum(table, _global(global_sensitivity, mechanism))
        return locally_dampened(values, lambda t, rows: table[rows, min(t, last)], last)
    ceiling = _global(global_sensitivity, mechanism)
    if ceiling == 0:
        return np.zeros(len(values))
    if (table[:, -1] < ceiling).any():
        raise ParameterError(
            "the last column of sensitivity is below global_sensitivity, must equal it; "
            "add the columns up to where every row reaches it"
        )
    sums = np.asarray([math.fsum(row) for row in 1 - np.minimum(table, ceiling) / ceiling])
    return shifted(values, sums, ceiling, "down" if shift == "down" else "up")


def _global(value: float | None, mechanism: str) -> float:
    if value is None:
        raise ParameterError(f"global_sensitivity is None, must be given for {mechanism}; give a number")
    ceiling = float(value)
    if not math.isfinite(ceiling) or ceiling < 0:
        raise ParameterError(f"global_sensitivity is {value}, must be finite and 0 or more; give another")
    return ceiling


def _finite(values: ArrayLike, name: str, dimensions: int) -> NDArray[np.float64]:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.full(1, np.nan)
    if array.ndim != dimensions or not np.isfinite(array).all():
        raise ParameterError(
            f"{name} is not an array of {dimensions} dimension(s) of finite numbers, must be; check its values"
        )
    return array
