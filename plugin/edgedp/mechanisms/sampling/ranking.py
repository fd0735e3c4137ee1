"""The first places by noisy score: certain, and computed from as few scores as can matter.

*Exactness.* One word for each candidate gives float bounds of its noisy score. Who is certainly below the
``k``-th leaves; who meets nobody has its place; the others are settled by `certain_order` in rational
arithmetic. Every answer is thus the one for the real noise and the rational scores, and since that noise has
exactly its law, so has the answer.

*Laziness.* `upper` bounds every score from above and `evaluate` computes some exactly. The noise is drawn
first, for everybody. A candidate is evaluated while its bounded noisy score can reach the ``k``-th largest
of those evaluated; all others are certainly below the first ``k`` by their bounds alone. The words spent
afterwards do not depend on who was left out (see `certain_order`), so for the same words the answer equals
that of the full computation, word for word, and therefore has the same law.

*Few words.* Where every score is known and many take part, most words are never looked at, and of the secure source
never drawn. The largest noise has words that begin with a byte of zeros, one in 256, and all other noise has a bound.
The former give a threshold that ``k`` noisy scores reach. Whose score is too low to reach it by the other noise is
certainly below those k; the rest, some 256 for each of the ``k`` whatever the scores are, is looked at like all of few
candidates. `edgedp.mechanisms.sampling.late` says why words may be drawn late. From a source that draws all of them at
once the answer is the one of all of them, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import inf

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.sampling.late import FirstWords
from edgedp.mechanisms.sampling.noise import LazyReal, Noise
from edgedp.mechanisms.sampling.refine import certain_order
from edgedp.mechanisms.sampling.words import Words
from edgedp.words.errors import EngineError

Evaluate = Callable[[NDArray[np.int64]], NDArray[np.int64]]
"""Exact scores, never above their upper bounds, of some positions."""


_MANY = 1024
"""So many candidates for each place: of fewer, all are looked at, for words that are drawn late take longer."""
_FEW = 256
"""So few bounds are sorted as they are."""
_BLOCK = 64
_LOWERED = 1 + 2.0**-46
"""What makes a lower bound of `LazyScores.below`, which is negative."""


class LazyScores:
    """What is known of the scores: exact where evaluated, else an upper bound.

    Parameters
    ----------
    upper : (n,) int64 array
        Upper bounds; the scores themselves if `evaluate` is None.
    evaluate : callable, optional
        Computes exact scores of positions.
    """

    def __init__(self, upper: NDArray[np.int64], evaluate: Evaluate | None = None) -> None:
        self._evaluate = evaluate
        self.bounds = upper if evaluate is None else upper.copy()
        self.known = np.full(len(upper), evaluate is None)
        self.complete = evaluate is None
        self._below: tuple[Fraction, NDArray[np.float64]] | None = None

    @classmethod
    def of(cls, upper: NDArray[np.int64] | LazyScores, evaluate: Evaluate | None = None) -> LazyScores:
        """Return scores that are one already, so that draws from the same share what is kept, or new ones."""
        return upper if isinstance(upper, LazyScores) else cls(upper, evaluate)

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.bounds)

    def below(self, unit: Fraction) -> NDArray[np.float64]:
        """Return all scores less the best one, in units of the noise, kept: (n,) float64 of 0 or below.

        None is too low, and ``1 + 2**-46`` times each is not too high, by the reasons of `below_reference`. Of a unit
        beyond the floats ``2**900`` is taken, where one step decides as well.
        """
        if self._below is None or self._below[0] != unit:
            x = _steps_below(self.bounds, self.bounds.max())
            x *= -float(min(unit, Fraction(2**900))) * (1 - 2.0**-48)
            self._below = unit, x
        return self._below[1]

    def evaluate(self, positions: NDArray[np.int64]) -> None:
        """Replace the bounds of some positions by their scores; a score above its bound is refused."""
        if self._evaluate is None:
            return
        exact = self._evaluate(positions)
        if np.any(exact > self.bounds[positions]):
            raise EngineError("a score is above the bound given for it; report this defect")
        self.bounds[positions] = exact
        self.known[positions] = True


def first_places(
    candidates: NDArray[np.int64],
    scores: LazyScores,
    k: int,
    unit: Fraction,
    noise: Noise,
    words: Words,
) -> NDArray[np.int64]:
    """Return the candidates of the `k` largest noisy scores, in order.

    Parameters
    ----------
    candidates : (m,) int64 array
        Positions that take part, ascending.
    scores : LazyScores
        Their scores; what is evaluated is remembered there.
    k : int
        From 1 to m.
    unit : Fraction
        Worth of one score step in standard noise; positive.
    noise : Noise
        Law of the noise.
    words : Words
        Source of randomness: one word for each candidate, more where that leaves the order open.

    Returns
    -------
    (k,) int64 array
        Positions.
    """
    if scores.complete and len(candidates) > _MANY * k:
        able, drawn = _may_lead(candidates, scores.below(unit), k, noise, words.take_lazily(len(candidates)))
        candidates = candidates[able]
    else:
        drawn = words.take(len(candidates))
    noisy = _NoisyScores(candidates, scores, unit, noise, drawn)
    if not scores.complete:
        _evaluate_what_can_matter(noisy, k)

    able = np.flatnonzero(noisy.known & (noisy.high >= _kth_largest(noisy.low[noisy.known], k)))
    ranked = able[np.argsort(-noisy.low[able], kind="stable")]
    open_places = np.flatnonzero(_meets_another(noisy.low[ranked], noisy.high[ranked]))
    wanted = int(np.count_nonzero(open_places < k))
    if wanted:
        contenders = np.sort(ranked[open_places])
        exact_scores = [unit * score for score in scores.bounds[candidates[contenders]].tolist()]
        noises = [LazyReal(noise, word) for word in drawn[contenders].tolist()]
        ranked[open_places] = contenders[certain_order(exact_scores, noises, wanted, words)]
    return candidates[ranked[:k]]


def _may_lead(
    candidates: NDArray[np.int64],
    below: NDArray[np.float64],
    k: int,
    noise: Noise,
    first: FirstWords,
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return the members that may be among the first `k`, and their words; others are certainly below k of them."""
    small = first.small
    threshold = -inf
    if len(small) >= k:
        low = noise.enclose(first.small_words)[0] + below[candidates[small]] * _LOWERED
        threshold = _kth_largest(low, k)
    # A little more than the bound of the other noise covers the rounding of the difference.
    positions = np.flatnonzero(below >= threshold * _LOWERED - (noise.most_of_others + 2.0**-20))
    near, taking_part = _find(positions, candidates)
    near = near[taking_part]
    near = near[~_find(near, small)[1]]
    members = np.concatenate([small, near])
    order = np.argsort(members, kind="stable")
    return members[order], np.concatenate([first.small_words, first.others(near)])[order]


def _find(values: NDArray[np.int64], among: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return where each value is in an ascending array, and whether it is there at all."""
    place = np.searchsorted(among, values)
    there = place < len(among)
    there[there] = among[place[there]] == values[there]
    return place, there


class _NoisyScores:
    """Float bounds of the candidates' noisy scores, all less a common reference; members index candidates."""

    def __init__(
        self,
        candidates: NDArray[np.int64],
        scores: LazyScores,
        unit: Fraction,
        noise: Noise,
        drawn: NDArray[np.uint64],
    ) -> None:
        self._candidates, self._scores, self._unit = candidates, scores, unit
        self._noise_low, self._noise_high = noise.enclose(drawn)
        self._reference = scores.bounds[candidates].max()
        self.known = scores.known[candidates]
        self.low, self.high = self._enclose(slice(None))
        self.low[~self.known] = -inf

    def evaluate(self, members: NDArray[np.int64]) -> None:
        self._scores.evaluate(self._candidates[members])
        self.known[members] = True
        self.low[members], self.high[members] = self._enclose(members)

    def _enclose(self, members: NDArray[np.int64] | slice) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        bounds = self._scores.bounds[self._candidates[members]]
        least, most = below_reference(bounds, self._reference, self._unit)
        return self._noise_low[members] - most, self._noise_high[members] - least


def below_reference(
    scores: NDArray[np.int64], reference: np.int64, unit: Fraction
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return float bounds of ``unit * (reference - score)``, for scores up to the reference.

    The difference is exact in unsigned arithmetic. Its conversion, that of the unit, their product and the
    caller's addition err by less than ``2**-50`` of it in sum; a unit below the normal floats, by less than
    any margin. A unit beyond the floats is lowered, which leaves only the lower bound valid.
    """
    steps = _steps_below(scores, reference)
    huge = unit > 2**900
    middle = steps * (2.0**900 if huge else float(unit))
    most = np.where(steps > 0, inf, 0.0) if huge else middle * (1 + 2.0**-48)
    return middle * (1 - 2.0**-48), most


def _steps_below(scores: NDArray[np.int64], reference: np.int64) -> NDArray[np.float64]:
    """Return ``reference - scores``, exact before it becomes a float."""
    steps: NDArray[np.uint64] = reference.view(np.uint64) - scores.view(np.uint64)
    return steps.astype(np.float64)


def _evaluate_what_can_matter(noisy: _NoisyScores, k: int) -> None:
    """Evaluate, best bound first, until nobody left can be among the first `k`.

    The first batch is what is missing to `k`; later ones grow with what was evaluated, so that at most
    about an eighth is evaluated in vain.
    """
    unknown = np.flatnonzero(~noisy.known)
    queue = _falling(unknown, noisy.high[unknown])
    known_low = noisy.low[noisy.known]
    member = next(queue, None)
    while member is not None:
        threshold = _kth_largest(known_low, k) if len(known_low) >= k else -inf
        room = max(k - len(known_low), 1 + len(known_low) // 8)
        batch: list[int] = []
        while member is not None and noisy.high[member] >= threshold and len(batch) < room:
            batch.append(member)
            member = next(queue, None)
        if not batch:
            return
        evaluated = np.array(batch)
        noisy.evaluate(evaluated)
        known_low = np.concatenate([known_low, noisy.low[evaluated]])


def _kth_largest(values: NDArray[np.float64], k: int) -> float:
    return float(np.partition(values, len(values) - k)[len(values) - k])


def _reached_by(values: NDArray[np.float64], k: int) -> float:
    """Return a value that at least `k` of the values do not exceed, and not many more: from blocks' minima."""
    blocks = len(values) // _BLOCK
    if blocks < 2 * k:
        return float(np.partition(values, k - 1)[k - 1])
    least = values[: blocks * _BLOCK].reshape(blocks, _BLOCK).min(axis=1)
    return float(np.partition(least, k - 1)[k - 1])


def _falling(members: NDArray[np.int64], values: NDArray[np.float64]) -> Iterator[int]:
    """Yield the members by falling value, sorting no more of them than are asked for."""
    size = _BLOCK
    reached = -_reached_by(-values, size) if len(values) > _FEW else -inf
    first = np.flatnonzero(values >= reached)
    yield from members[first[np.argsort(-values[first], kind="stable")]].tolist()
    rest = np.flatnonzero(values < reached)
    while rest.size:
        size = min(4 * size, rest.size)
        split = np.argpartition(-values[rest], size - 1)
        top, rest = rest[split[:size]], rest[split[size:]]
        yield from members[top[np.argsort(-values[top], kind="stable")]].tolist()


def _meets_another(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which intervals, sorted by falling `low`, have a point in common with another one."""
    meets = np.zeros(len(low), dtype=np.bool_)
    meets[1:] |= high[1:] >= low[:-1]
    highest_from = np.maximum.accumulate(high[::-1])[::-1]
    meets[:-1] |= highest_from[1:] >= low[:-1]
    return meets
