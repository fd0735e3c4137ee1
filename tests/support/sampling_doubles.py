"""Sources of words for tests, and the chi-square test that random draws are held to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from edgedp.mechanisms.sampling import noise
from edgedp.mechanisms.sampling.late import FirstWords, WholeWords
from edgedp.mechanisms.sampling.noise import Noise

NOISES = {name.lower(): value for name, value in vars(noise).items() if isinstance(value, Noise)}
"""Every law of noise that there is, by its name: tests of noise run over all of them."""

FALSE_ALARM_RATE = 1e-6
"""How often a correct sampler fails one chi-square test."""


class ScriptedWords:
    """Gives the scripted words first, those of a seeded generator after them, and counts all of them."""

    private = False

    def __init__(self, script: Iterable[int] = (), seed: int = 0) -> None:
        self._script = list(script)
        self._generator = np.random.default_rng(seed)
        self.taken = 0

    def take(self, count: int) -> NDArray[np.uint64]:
        self.taken += count
        scripted, self._script = self._script[:count], self._script[count:]
        fresh = self._generator.integers(0, 2**64 - 1, count - len(scripted), dtype=np.uint64, endpoint=True)
        return np.concatenate([np.array(scripted, dtype=np.uint64), fresh])

    def take_lazily(self, count: int) -> FirstWords:
        return WholeWords(self.take(count))


class LateScriptedWords(ScriptedWords):
    """The same words, each given when it is asked for; remembers whose were."""

    def __init__(self, script: Iterable[int] = (), seed: int = 0) -> None:
        super().__init__(script, seed)
        self.asked: list[NDArray[np.int64]] = []

    def take_lazily(self, count: int) -> FirstWords:
        return _Noted(self.take(count), self.asked)


class _Noted(WholeWords):
    def __init__(self, words: NDArray[np.uint64], asked: list[NDArray[np.int64]]) -> None:
        super().__init__(words)
        self._asked = asked

    def others(self, members: NDArray[np.int64]) -> NDArray[np.uint64]:
        self._asked.append(members)
        return super().others(members)


def assert_has_law(draws: Iterable[Hashable], law: Mapping[Hashable, float]) -> None:
    """Chi-square test of draws against their law; rare outcomes are taken together."""
    counts = Counter(draws)
    total = sum(counts.values())
    assert set(counts) <= {outcome for outcome, probability in law.items() if probability > 0}
    rare_seen, rare_expected = 0.0, 0.0
    seen, expected = [], []
    for outcome, probability in law.items():
        if probability * total < 10:
            rare_seen += counts[outcome]
            rare_expected += probability * total
        else:
            seen.append(counts[outcome])
            expected.append(probability * total)
    if rare_expected >= 1:
        seen.append(rare_seen)
        expected.append(rare_expected)
    else:
        assert rare_seen <= stats.poisson.isf(FALSE_ALARM_RATE, rare_expected)
    if len(seen) > 1:
        statistic = sum((s - e) ** 2 / e for s, e in zip(seen, expected, strict=True))
        assert stats.chi2.sf(statistic, len(seen) - 1) > FALSE_ALARM_RATE


def true_noise(name: str, digits: int, count: int) -> Fraction | float:
    """Noise at ``W = digits / 2**(64 * count)``, to more than 100 digits; infinite at the open ends."""
    with localcontext() as context:
        context.prec = 220
        uniform = Decimal(digits) / Decimal(2 ** (64 * count))
        match name:
            case "exponential":
                return inf if uniform == 0 else Fraction(-uniform.ln())
            case "gumbel" if 0 < uniform < 1:
                return Fraction(-(-(1 - uniform).ln()).ln())
            case "gumbel":
                return inf if uniform == 0 else -inf
            case _:
                raise AssertionError(f"the true value of {name} noise is missing; write it here")
