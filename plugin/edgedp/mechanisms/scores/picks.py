"""One pick from plain arrays to integer scores and the unit of their noise: read by the law and by the draw."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal, assert_never, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.graph.ids import number_of
from edgedp.mechanisms.checks import check_choice, check_no_option, check_sampler, check_switch
from edgedp.mechanisms.grid import GridScores, noise_unit
from edgedp.mechanisms.samplers import sampler as sampler_by_name
from edgedp.mechanisms.scores.dampening import locally_dampened
from edgedp.mechanisms.scores.smooth import smooth_scores
from edgedp.mechanisms.scores.steps import FARTHEST, cut_below_best, step_bits, steps_below_best
from edgedp.words.containers import values_of
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import SHIFTS, PickingName, Shift

Mechanism = Literal[PickingName, "snm"]

MECHANISMS: tuple[Mechanism, ...] = get_args(Mechanism)

_DAMPENED_BITS = 28
_FLOAT_RANGE = 2.0**19
"""Dampened scores below this are within an eighth of a step in float64; above it rationals are used."""

_NEEDED_OF = {
    "global_sensitivity": ("em", "pf", "ld", "sld"),
    "sensitivity": ("ld", "sld", "snm"),
    "shift": ("sld",),
    "delta": ("snm",),
    "smooth": ("snm",),
}
"""Which mechanisms an option has an effect on; given with another one it is refused."""

_Floats = NDArray[np.float64]


def pick_scores(
    mechanism: str,
    utilities: ArrayLike,
    epsilon: Fraction,
    *,
    global_sensitivity: float | None = None,
    sensitivity: ArrayLike | None = None,
    shift: str | None = None,
    sampler: str | None = None,
    monotone: bool = False,
    delta: Any = None,
    smooth: Any = None,
    k: int = 1,
) -> GridScores:
    """Check what is asked of a pick and return the candidates' scores with the unit of noise of one pick.

    Parameters are those of `edgedp.mechanisms.probabilities`; `epsilon` and `delta` are those of all `k` picks.

    Examples
    --------
    >>> pick_scores("em", [3.0, 1.0], Fraction(1), global_sensitivity=2).law().round(3).tolist()
    [0.622, 0.378]
    """
    asked = check_choice(mechanism, "mechanism", MECHANISMS)
    direction = _checked_shift(shift)
    given = {"global_sensitivity": global_sensitivity, "sensitivity": sensitivity, "shift": shift}
    _check_options(asked, monotone, given | {"delta": delta, "smooth": smooth})
    drawn_by = sampler_by_name(check_sampler(sampler, "pf" if asked == "snm" else asked))
    values = finite(utilities, "utilities", 1)
    if values.size == 0:
        raise ParameterError("utilities is empty, must hold at least one candidate; give one")
    each = epsilon / k
    match asked:
        case "em" | "pf":
            ceiling = _global(global_sensitivity, mechanism)
            bits = step_bits(each)
            scores = steps_below_best(values, ceiling, bits) if ceiling else np.zeros(len(values), np.int64)
        case "ld":
            table = _table(sensitivity, len(values), mechanism)
            if global_sensitivity is not None:
                table = np.minimum(table, _global(global_sensitivity, mechanism))
            bits = step_bits(each, _DAMPENED_BITS)
            scores = _locally_dampened_steps(values, table, bits)
        case "sld":
            table = _table(sensitivity, len(values), mechanism)
            ceiling = _global(global_sensitivity, mechanism)
            bits = step_bits(each, _DAMPENED_BITS)
            scores = _shifted_steps(values, table, ceiling, direction, bits)
        case "snm":
            rows = None if sensitivity is None else _table(sensitivity, len(values), mechanism)
            return smooth_scores(values, rows, smooth, each, delta, k, monotone=monotone)
        case _:
            assert_never(asked)
    # A dampened score is not monotone, whatever its utility is.
    unit = noise_unit(each, bits, monotone=monotone and asked in ("em", "pf"))
    return GridScores(scores, unit, drawn_by)


def names_best(mechanism: str, global_sensitivity: Any) -> bool:
    """Return whether nothing can move a utility, so that the best is named; of several best ones each as likely.

    Examples
    --------
    >>> names_best("pf", 0), names_best("pf", 1), names_best("ld", 0)
    (True, False, False)
    """
    return mechanism in ("em", "pf", "sld") and global_sensitivity is not None and global_sensitivity == 0


def _checked_shift(shift: str | None) -> Shift:
    """Return the direction of sld: up unless asked otherwise."""
    return "up" if shift is None else check_choice(shift, "shift", SHIFTS)


def _check_options(mechanism: Mechanism, monotone: bool, given: dict[str, Any]) -> None:
    """Refuse an option that would have no effect."""
    if check_switch(monotone, "monotone") and mechanism in ("ld", "sld"):
        raise ParameterError(
            "monotone is True, must be False for ld and sld; a dampened score is not monotone: ask without it"
        )
    for name, value in given.items():
        if mechanism not in _NEEDED_OF[name]:
            check_no_option(name, value, f"mechanism {mechanism!r}")


def _locally_dampened_steps(values: _Floats, table: _Floats, bits: int) -> NDArray[np.int64]:
    """Return LD's scores below the best in grid steps, each rounded from within an eighth of a step."""
    last = table.shape[1] - 1
    dampened = locally_dampened(values, lambda t, rows: table[rows, min(t, last)], last)
    far = np.flatnonzero(np.abs(dampened) >= _FLOAT_RANGE)
    near = np.where(np.abs(dampened) < _FLOAT_RANGE, dampened, 0)
    steps = np.rint(np.ldexp(near, bits)).astype(np.int64)
    if far.size == 0:
        return cut_below_best(steps)
    exact = steps.astype(object)
    exact[far] = [round(_dampened_exactly(values[r], table[r]) * 2**bits) for r in far.tolist()]
    return cut_below_best(np.maximum(exact - exact.max(), -FARTHEST).astype(np.int64))


def _dampened_exactly(utility: float, row: _Floats) -> Fraction:
    """Return one candidate's dampened score as a rational."""
    left, widths = abs(Fraction(float(utility))), [Fraction(width) for width in row.tolist()]
    for step, width in enumerate(widths[:-1]):
        if left < width:
            dampened = step + left / width
            break
        left -= width
    else:
        dampened = len(widths) - 1 + (left / widths[-1] if widths[-1] else Fraction(0))
    return -dampened if utility < 0 else dampened


def _shifted_steps(
    values: _Floats, table: _Floats, ceiling: float, shift: Shift, bits: int
) -> NDArray[np.int64]:
    """Return SLD's scores below the best in grid steps: ``u / GS`` and the sum, each rounded to the grid.

    Both roundings err by half a step, and ``2**bits + 2`` steps are paid for.
    """
    if ceiling == 0:
        return np.zeros(len(values), dtype=np.int64)
    if (table[:, -1] < ceiling).any():
        raise ParameterError(
            "the last column of sensitivity is below global_sensitivity, must equal it; "
            "add the columns up to where every row reaches it"
        )
    if table.shape[1] > 2**18:
        raise ParameterError(
            f"sensitivity has {table.shape[1]} columns, must have at most 2**18 for sld; use ld or pf"
        )
    rows = table[:1] if table.strides[0] == 0 else table  # one row may stand for all
    sums = np.asarray([math.fsum(row) for row in 1 - np.minimum(rows, ceiling) / ceiling])
    added = np.rint(np.ldexp(sums, bits)).astype(np.int64)
    steps = steps_below_best(values, ceiling, bits)
    match shift:
        case "down":
            return cut_below_best(steps + added)
        case "up":
            return cut_below_best(steps - added)
        case _:
            assert_never(shift)


def _table(sensitivity: ArrayLike | None, count: int, mechanism: str) -> _Floats:
    """Return the (n, T) sensitivities; a single row stands for every candidate."""
    try:
        shared = sensitivity is not None and np.ndim(cast(Any, sensitivity)) == 1
    except ValueError:  # rows of different lengths
        shared = False
    table = None if sensitivity is None else finite(sensitivity, "sensitivity", 1 if shared else 2)
    if table is not None and shared:
        table = table[None, :]
    if table is None or (table.shape[0] != count and not shared) or table.shape[1] == 0:
        raise ParameterError(
            f"sensitivity is not of shape ({count}, T), which {mechanism} needs; "
            "give one row for each candidate, column t for distance t"
        )
    if (table < 0).any() or (np.diff(table, axis=1) < 0).any():
        raise ParameterError(
            "sensitivity falls with t or is negative, must be 0 or more and not fall; take its running maximum"
        )
    return np.broadcast_to(table, (count, table.shape[1]))


def _global(value: Any, mechanism: str) -> float:
    """Return the global sensitivity as a float that is not below it."""
    if value is None:
        raise ParameterError(f"global_sensitivity is missing, which {mechanism} needs; give a number")
    try:
        ceiling = float(value)
        if isinstance(value, (bool, str)):
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        ceiling = math.nan
    if not math.isfinite(ceiling) or ceiling < 0 or 0 < ceiling < 1e-290 or ceiling > 1e290:
        raise ParameterError(
            f"global_sensitivity is {value}, must be finite and 0 or more, above 0 from 1e-290 to 1e290; give another"
        )
    return math.nextafter(ceiling, math.inf) if ceiling < value else ceiling


def finite(values: ArrayLike, name: str, dimensions: int) -> _Floats:
    """Return an array of finite float64, or refuse it without a value of it."""
    given = values_of(values, name)
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        array = np.full(1, np.nan)
    # numpy would read a number out of a text, and 1 out of a truth value.
    array = array.astype(np.float64) if array.dtype.kind in "iuf" else _each(array)
    if array.ndim != dimensions or not np.isfinite(array).all():
        raise ParameterError(
            f"{name} is not an array of {dimensions} dimension(s) of finite numbers; check its values"
        )
    return array


def _each(array: NDArray[Any]) -> _Floats:
    """Return objects as floats, NaN for what is no number."""
    if array.dtype.kind != "O":
        return np.full(array.shape, np.nan)
    read = np.fromiter((number_of(value) for value in array.reshape(-1)), np.float64, count=array.size)
    return read.reshape(array.shape)
