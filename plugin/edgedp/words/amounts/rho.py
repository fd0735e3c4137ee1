"""Accounting by bounded range, for a ledger whose budget is declared as (epsilon, delta).

A pure ledger adds epsilons. One with a delta adds *rho* (zero-concentrated DP) instead, in integer
pico-rho: a release costs one integer, and the same statement debits it, ``spent + cost <= budget``.
The currency does not depend on the declared budget, so declaring another one changes the limit and
leaves what was spent as it is.

**Definition.** Let ``L = ln P/Q`` be the privacy loss of neighbouring graphs. A release is rho-zCDP if
``D_a(P || Q) = ln E_Q[exp(a L)] / (a - 1) <= a rho`` for all ``a > 1``, in both directions.

**Bounded range costs eta^2 / 8.** A pick is eta-bounded-range if its ``L`` lies in an interval of length
``eta``. Put ``g(s) = ln E_Q[exp(s L)]``. ``g(0) = 0``, ``g(1) = 0``, and ``g''(s)`` is the variance of ``L``
under a reweighted law, at most ``eta^2 / 4`` for a quantity within ``eta``. So
``eta^2 / 8 s (s - 1) - g(s)`` is convex and 0 at 0 and 1, hence not negative for ``s = a > 1``: divide by ``a - 1``.

**The exponential sampler is bounded-range.** It picks with ``p(r) = exp(unit s(r)) / Z``, so
``L(r) = unit (s(r) - s'(r)) - ln(Z / Z')``: the second term is the same for all r, and the first lies
in an interval of length epsilon: scores move by at most ``m`` steps either way, or by ``-1 .. m - 1``
where they are monotone, and the unit is ``epsilon / (2 m)``, or ``epsilon / m``. Both are
epsilon-bounded-range; the missing factor 2 of the monotone ones is no exception. k rounds at
``epsilon / k`` (and one-shot Gumbel, which has their law) cost ``k (epsilon / k)^2 / 8``.

**Any epsilon-DP release costs epsilon^2 / 2**: its ``L`` lies within ``+-epsilon``, an interval of
length ``2 epsilon``. This holds for each round of permute-and-flip and for a joint release as a whole.

**Rho adds**, also when each release is chosen by what was released before: fix ``a``, and let release
``j`` have the ratio ``p_j / q_j`` and the cost ``rho_j`` given the past. Under Q the product of
``(p_j / q_j)^a exp(-(a - 1) a rho_j)`` over ``j`` has an expectation of at most 1 after every step, for
each factor has one given the past. As the sum of costs never exceeds the budget B,
``E_Q[exp(a L)] <= exp((a - 1) a B)``.

**From rho to (epsilon, delta).** ``delta = E_P[max(0, 1 - exp(epsilon - L))]``. For ``y >= 0``,
``1 - exp(-y) <= c exp((a - 1) y)`` with ``c = (1 - 1/a)^(a - 1) / a``, the largest value of
``(1 - exp(-y)) exp(-(a - 1) y)``. Since ``E_P[exp((a - 1) L)] = E_Q[exp(a L)] <= exp((a - 1) a rho)``,
``delta <= c exp((a - 1)(a rho - epsilon))`` for every ``a > 1``. Any ``a`` gives a valid statement; the
best one is looked for in floating point and then used in 60-digit decimals, rounded outward.

References
----------
Bun and Steinke (2016), Concentrated differential privacy. Dong, Durfee and Rogers (2020), Optimal
differential privacy composition for exponential mechanisms. Cesar and Rogers (2021), Bounding,
concentrating, and truncating. Canonne, Kamath and Steinke (2020), The discrete Gaussian (conversion).
Feldman and Zrnic (2021), Individual privacy accounting via a Renyi filter (adaptive costs).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from typing import Any, Protocol

from edgedp.words.amounts.epsilon import NANO
from edgedp.words.amounts.written import decimal_of
from edgedp.words.errors import ParameterError

PICO = 10**12
"""Pico-rho in one rho."""

ATTO = 10**18
"""Atto-delta in a delta of 1."""

BOUNDED_RANGE = 8
"""``epsilon^2 / rho`` of one pick that is epsilon-bounded-range."""

PURE = 2
"""``epsilon^2 / rho`` of anything that is epsilon-DP."""

MAX_COST = 2**62
"""No release costs more pico-rho, and no budget is as large: it fits the databases' 64-bit integers."""

_MAX_BUDGET = 10**18
_PRECISION = Context(prec=60, rounding=ROUND_HALF_EVEN)
_MARGIN = Decimal("1e-30")
"""Far above the error of 60-digit decimals, far below a pico."""


def delta_atto(value: Any, name: str = "delta") -> int:
    """Return a delta in integer atto-delta, rounded down.

    Parameters
    ----------
    value : str, float or Decimal
        At least 1e-18 and below 1; well below ``1 / n`` to mean anything.

    Raises
    ------
    ParameterError
        It is anything else.

    Examples
    --------
    >>> delta_atto("1e-6")
    1000000000000
    """
    amount = decimal_of(value)
    if amount is None:
        raise ParameterError(f"{name} is {value!r}, must be a number such as 1e-6; write a decimal")
    if not amount.is_finite() or not Decimal("1e-18") <= amount < 1:
        raise ParameterError(f"{name} is {value}, must be at least 1e-18 and below 1; declare 1e-6 or less")
    return math.floor(Fraction(amount) * ATTO)


class Priced(Protocol):
    """What has a price: a planned release, or its charge to one account."""

    @property
    def cost(self) -> int:
        """Nano-epsilon."""

    @property
    def rho_shares(self) -> int:
        """``epsilon^2 / rho``."""


def cost(priced: Priced) -> int:
    """Return what a planned release costs, in pico-rho, rounded up.

    Returns
    -------
    int
        ``epsilon^2 / (8 k)`` for the exponential sampler, ``epsilon^2 / (2 k)`` for permute-and-flip,
        ``epsilon^2 / 2`` for a joint release; at most `MAX_COST`, which no budget allows.

    Examples
    --------
    >>> from edgedp.release.plan import PublicFacts, plan
    >>> cost(plan("priv_top_k", {"metric": "ebc", "k": 10, "epsilon": "0.1", "mechanism": "sld"}, PublicFacts(50)))
    125000000
    """
    return min(-(-(priced.cost**2) // (priced.rho_shares * _NANO_SQUARED_PER_PICO)), MAX_COST)


def price_named(parameters: Mapping[str, Any]) -> str:
    """Return what a refusal says of the price of a release that is dearer than k picks, or nothing.

    Parameters
    ----------
    parameters : mapping
        The plan's.

    Examples
    --------
    >>> price_named({"metric": "ebc", "k": 9, "epsilon": 1, "mechanism": "joint"})
    " (where a delta is declared, joint costs epsilon^2 / 2, and 'sld' epsilon^2 / (8 k))"
    """
    if parameters.get("mechanism") != "joint":
        return ""
    return " (where a delta is declared, joint costs epsilon^2 / 2, and 'sld' epsilon^2 / (8 k))"


def affordable_epsilon(left: int, priced: Priced) -> int:
    """Return the largest nano-epsilon that a release like the planned one may have for `left` pico-rho.

    For refusals, which say what would fit. Post-processing of what was spent.

    Examples
    --------
    >>> from edgedp.release.plan import PublicFacts, plan
    >>> asked = {"metric": "ebc", "k": 10, "epsilon": 9, "mechanism": "sld"}
    >>> affordable_epsilon(125_000_000, plan("priv_top_k", asked, PublicFacts(50)))
    100000000
    """
    return math.isqrt(max(left, 0) * priced.rho_shares * _NANO_SQUARED_PER_PICO)


def budget(epsilon: int, delta: int) -> int:
    """Return the pico-rho that a declared (epsilon, delta) allows, rounded down.

    Parameters
    ----------
    epsilon : int
        Nano-epsilon.
    delta : int
        Atto-delta.

    Returns
    -------
    int
        The largest ``rho = max over a of (epsilon - offset(a)) / a``, with the offset of
        `spent_epsilon`; 0 if it is below a pico.

    Examples
    --------
    >>> budget(1 * NANO, delta_atto("1e-6")) / PICO
    0.024355970359
    """
    target, log = epsilon / NANO, _log_inverse(delta)
    order = _best_order(lambda a: -(target - _offset(a, log)) / a)
    with localcontext(_PRECISION):
        exact = (Decimal(epsilon) / NANO - _exact_offset(order, delta)) / order - _MARGIN
        # A trillionth less, so that the search of `spent_epsilon` never ends a nano above what was declared.
        allowed = int((exact * (PICO - 1)).to_integral_value(ROUND_FLOOR))
        return min(max(allowed, 0), _MAX_BUDGET)


def spent_epsilon(spent: int, delta: int) -> int:
    """Return the epsilon that spent pico-rho amount to at a delta, in nano-epsilon, rounded up.

    ``min over a > 1 of a rho + offset(a)``,
    ``offset(a) = ln(1 - 1/a) + (ln(1 / delta) - ln a) / (a - 1)``.

    Examples
    --------
    >>> [spent_epsilon(spent, delta_atto("1e-6")) / NANO for spent in (0, 125_000_000, 12_500_000_000)]
    [0.0, 0.0605165, 0.700205105]
    """
    if spent == 0:
        return 0
    rho, log = spent / PICO, _log_inverse(delta)
    order = _best_order(lambda a: a * rho + _offset(a, log))
    with localcontext(_PRECISION):
        exact = order * Decimal(spent) / PICO + _exact_offset(order, delta) + _MARGIN
        return max(int((exact * NANO).to_integral_value(ROUND_CEILING)), 0)


_NANO_SQUARED_PER_PICO = NANO**2 // PICO


def _log_inverse(delta: int) -> float:
    return math.log(ATTO) - math.log(delta)


def _offset(order: float, log_inverse_delta: float) -> float:
    return math.log1p(-1 / order) + (log_inverse_delta - math.log(order)) / (order - 1)


def _exact_offset(order: Decimal, delta: int) -> Decimal:
    """Return `_offset` to about 50 digits; an upper bound once the margin is on it."""
    log_inverse = (Decimal(ATTO) / delta).ln()
    return (1 - 1 / order).ln() + (log_inverse - order.ln()) / (order - 1)


def _best_order(objective: Callable[[float], float]) -> Decimal:
    """Return about the order > 1 of the smallest objective: a scan, then golden section beside its best."""
    step = 0.25
    scan = [step * i for i in range(-46, 100)]  # ln(order - 1)

    def at(x: float) -> float:
        return objective(1 + math.exp(x))

    best = min(scan, key=at)
    low, high = best - step, best + step
    shrink = (math.sqrt(5) - 1) / 2
    for _ in range(60):
        left, right = high - shrink * (high - low), low + shrink * (high - low)
        low, high = (low, right) if at(left) <= at(right) else (left, high)
    return Decimal(1 + math.exp((low + high) / 2))
