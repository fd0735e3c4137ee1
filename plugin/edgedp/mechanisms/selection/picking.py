"""The product's exact samplers for anybody's utilities and candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from edgedp.mechanisms.checks import check_no_option, check_whole
from edgedp.mechanisms.sampling.words import Words, words_from
from edgedp.mechanisms.scores.picks import finite, names_best, pick_scores
from edgedp.mechanisms.scores.smooth import check_delta
from edgedp.mechanisms.scores.steps import reaches_cut
from edgedp.mechanisms.values import Mechanism, spelled
from edgedp.words.amounts.epsilon import epsilon_nano, format_nano, to_fraction
from edgedp.words.containers import labels_of
from edgedp.words.errors import ParameterError
from edgedp.words.shown import kind_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_REFUSED_NOISE = {
    "student_t": "student_t is proved private only for a candidate that leads; "
    "for others a breach was only searched for",
    "log_normal": "the theorem behind log_normal bounds concentrated privacy, not epsilon and delta, and as published "
    "it breaks its claim already with two candidates",
    "laplace": "laplace is private with the corrected beta, but more noise than exponential is",
    "gumbel": "gumbel is private with the corrected beta, but more noise than exponential is",
}


@dataclass(frozen=True)
class Selection:
    """One candidate, drawn.

    Attributes
    ----------
    value : object
        The candidate; without `candidates` its position.
    parameters : dict
        What was asked and promised; no utility and no sensitivity of a candidate.
    private : bool
        False when the caller chose the randomness: such a draw is a simulation.
    """

    value: Any
    parameters: dict[str, Any]
    private: bool

    def to_dict(self) -> dict[str, Any]:
        """Return everything that is shown."""
        shown = {"selector": "select", "parameters": dict(self.parameters)}
        return shown | {"value": self.value, "private": self.private}


@dataclass(frozen=True)
class TopSelection:
    """k candidates in the order picked.

    Attributes
    ----------
    values : list
        Different candidates; without `candidates` their positions.
    parameters, private
        As of `Selection`.
    """

    values: list[Any]
    parameters: dict[str, Any]
    private: bool

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def to_dict(self) -> dict[str, Any]:
        """Return everything that is shown."""
        shown = {"selector": "select_top_k", "parameters": dict(self.parameters)}
        return shown | {"values": list(self.values), "private": self.private}


def select(
    utilities: ArrayLike,
    *,
    epsilon: Any,
    sensitivity: ArrayLike | None = None,
    global_sensitivity: float | Fraction | None = None,
    mechanism: str | Mechanism = "pf",
    sampler: str | None = None,
    shift: str | None = None,
    monotone: bool = False,
    delta: Any = None,
    smooth: float | Callable[[float], float] | None = None,
    noise: str | None = None,
    candidates: Iterable[Any] | None = None,
    rng: np.random.Generator | None = None,
) -> Selection:
    """Pick one candidate of high utility, privately: the caller's utilities, the product's exact samplers.

    ===== ==================================================================  ================
    name  what                                                                private
    ===== ==================================================================  ================
    pf    permute-and-flip; never worse than em                               epsilon
    em    the exponential mechanism                                           epsilon
    ld    local dampening by `sensitivity`                                    epsilon
    sld   its shifted limit                                                   epsilon
    snm   noise of the scale of a smooth bound, corrected (Theorem S)         epsilon, `delta`
    ===== ==================================================================  ================

    Parameters
    ----------
    utilities : (n,) array-like of float
        Utility of every candidate. **Promise:** `candidates`, their number and their order are public; only the
        utilities are private. They may be of any size.
    epsilon : number or decimal text
        Privacy loss, at least 1e-9.
    sensitivity : (n, T) or (T,) array-like of float, optional
        For ld, sld and snm. **Promise:** it is admissible. Row r, column t is ``delta(t, r)``: at ``t = 0`` at least
        as much as the utility of r differs on any neighbouring input, and in column ``t + 1`` at least as much as
        column ``t`` on any neighbouring input. The last column holds for all larger t. One row alone is shared
        by all candidates.
    global_sensitivity : number, optional
        For pf, em and sld, and a cap for ld. **Promise:** no utility differs by more between neighbouring inputs,
        and the number does not depend on the input. 0 says that no utility can differ: then the best is named, and of
        several best ones each with the same probability.
    mechanism : {"pf", "em", "ld", "sld", "snm"}
    sampler : {"exponential", "permute_and_flip"}, optional
        Of em, ld and sld.
    shift : {"up", "down"}, optional
        Of sld, default up. **Promise:** it is chosen without a look at the utilities.
    monotone : bool
        For pf, em and snm. **Promise:** of two neighbouring inputs one has no utility below that of the other;
        the factor 2 drops out then. Never so where a record is replaced.
    delta : number or decimal text, optional
        For snm, and required there.
    smooth : float or callable, optional
        For snm in place of `sensitivity`: ``S``, or a function that returns it given beta. **Promise:** S is
        at least what any utility differs by between neighbouring inputs, and ``S(x) <= exp(beta) S(y)`` for
        neighbours, beta from `edgedp.mechanisms.smooth_beta`.
    noise : {"exponential"}, optional
        Of snm. Other noise is refused, with the reason.
    candidates : iterable, optional
        What is picked, of any type; default the positions ``0 .. n - 1``.
    rng : numpy.random.Generator, optional
        For simulations: the draw is then marked as not private.

    Returns
    -------
    Selection
        Its `value` is the candidate.

    Raises
    ------
    EdgeDPError
        A parameter is out of its domain, missing, or not one of the mechanism.

    Notes
    -----
    Privacy: epsilon-DP (snm: (epsilon, delta)-DP) for whatever neighbours the promises are made for. **What the
    promises say cannot be checked here**: that a sensitivity is right, that a fact is public. Only shapes
    are, and that no row falls. A utility that is not finite is refused, which the guarantee does not cover.

    Examples
    --------
    >>> votes = {"north": 40, "south": 35, "west": 2}
    >>> select(list(votes.values()), epsilon=50, global_sensitivity=1, candidates=list(votes)).value
    'north'

    References
    ----------
    McKenna & Sheldon (2020), Permute-and-flip; McSherry & Talwar (2007); Farias et al. (2021), Local
    dampening, PVLDB 14(4).
    """
    values, parameters, private = _draw(k=1, **locals())
    del parameters["k"]
    return Selection(values[0], parameters, private)


def select_top_k(
    utilities: ArrayLike,
    *,
    k: int,
    epsilon: Any,
    sensitivity: ArrayLike | None = None,
    global_sensitivity: float | Fraction | None = None,
    mechanism: str | Mechanism = "pf",
    sampler: str | None = None,
    shift: str | None = None,
    monotone: bool = False,
    delta: Any = None,
    smooth: float | Callable[[float], float] | None = None,
    noise: str | None = None,
    candidates: Iterable[Any] | None = None,
    rng: np.random.Generator | None = None,
) -> TopSelection:
    """Pick k different candidates of high utility, privately: k rounds, the chosen one leaving the candidates.

    Parameters
    ----------
    utilities : (n,) array-like of float
    k : int
        From 1 to n. A round runs at ``epsilon / k`` and ``delta / k``.
    epsilon, delta : number or decimal text
        Of the whole.
    sensitivity, global_sensitivity, mechanism, sampler, shift, monotone, smooth, noise, candidates, rng
        As in `select`, with the same promises; `smooth` for ``smooth_beta(epsilon, delta, n, k)``.

    Returns
    -------
    TopSelection
        Its `values` are the candidates in the order picked.

    Raises
    ------
    EdgeDPError
        As for `select`, or `k` is not from 1 to n.

    Notes
    -----
    Privacy: as for `select`, epsilon and delta being those of all k picks together.

    Examples
    --------
    >>> select_top_k([1, 9, 5], k=2, epsilon=100, global_sensitivity=1, candidates="abc").values
    ['b', 'c']
    """
    picked, parameters, private = _draw(**locals())
    return TopSelection(picked, parameters, private)


def _listed(candidates: Any) -> list[Any]:
    """Return the candidates as a list; a text is one of its characters."""
    if not hasattr(candidates, "__iter__") or getattr(candidates, "ndim", 1) == 0:
        raise ParameterError(
            f"candidates is {kind_of(candidates)}, must hold one for each utility; give a list of them"
        )
    return list(labels_of(candidates, "candidates"))


def _draw(
    *,
    utilities: ArrayLike,
    k: Any,
    candidates: Iterable[Any] | None,
    rng: np.random.Generator | None,
    epsilon: Any,
    noise: str | None,
    **asked: Any,
) -> tuple[list[Any], dict[str, Any], bool]:
    """Draw k candidates from the arguments of `select_top_k`: what was picked, what is shown, whether it is private."""
    words = words_from(rng)
    asked = spelled(asked, takes=("sampler", "shift"))
    values = finite(utilities, "utilities", 1)
    listed = list(range(len(values))) if candidates is None else _listed(candidates)
    if len(listed) != len(values):
        raise ParameterError(
            f"candidates has length {len(listed)}, must be {len(values)}; give one for each utility"
        )
    rounds = check_whole(k, "k")
    if not 1 <= rounds <= max(len(values), 1):
        raise ParameterError(
            f"k is {rounds}, must be from 1 to {len(values)}, the number of candidates; choose another k"
        )
    _check_noise(noise, asked["mechanism"])
    cost = epsilon_nano(epsilon)
    scores = pick_scores(utilities=values, epsilon=to_fraction(cost), k=rounds, **asked)
    best = names_best(asked["mechanism"], asked["global_sensitivity"])
    if best or (rounds > 1 and reaches_cut(scores.upper)):
        positions = _one_by_one(values, rounds, words, best=best, epsilon=to_fraction(cost), **asked)
    else:
        positions = scores.draw(rounds, words).tolist()
    shown = {"k": rounds, "mechanism": asked["mechanism"], "epsilon": float(format_nano(cost))}
    shown["sampler"] = scores.sampler.name
    if asked["global_sensitivity"] is not None:
        shown["global_sensitivity"] = float(asked["global_sensitivity"])
    if asked["mechanism"] == "sld":
        shown["shift"] = asked["shift"] or "up"
    if asked["monotone"]:
        shown["monotone"] = True
    if asked["delta"] is not None:
        shown["delta"] = float(check_delta(asked["delta"]))
    return [listed[position] for position in positions], shown, words.private


def _one_by_one(values: NDArray[np.float64], k: int, words: Words, *, best: bool, **asked: Any) -> list[int]:
    """Draw k positions, the gaps of each round taken from the best that is left.

    Gaps are cut far below the best candidate. Who lies there can still be picked once the best are gone, so the
    scores of a round are those of the candidates that are left. Where nothing can move a utility (`best`) those are
    drawn from that have the highest one.
    """
    left = np.arange(len(values))
    table = asked.pop("sensitivity")
    shared = table is None or np.ndim(table) == 1
    picked: list[int] = []
    for _ in range(k):
        pool = left[values[left] == values[left].max()] if best else left
        rows = table if shared else np.asarray(table)[pool]
        scores = pick_scores(utilities=values[pool], sensitivity=rows, k=k, **asked)
        picked.append(int(pool[scores.draw(1, words)[0]]))
        left = left[left != picked[-1]]
    return picked


def _check_noise(noise: str | None, mechanism: str) -> None:
    """Refuse noise of snm that is not private as published, or not proved to be, with the reason."""
    if noise is None:
        return
    if mechanism != "snm":
        check_no_option("noise", noise, mechanism)
    if noise != "exponential":
        reason = _REFUSED_NOISE.get(str(noise), "no other noise is known")
        raise ParameterError(f"noise is {noise!r}, must be 'exponential' for snm; {reason}")
