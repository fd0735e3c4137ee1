"""Weights: what is declared of them in public, and how those of the relationships of a pair become one whole number.

A relationship weighs ``floor(min(w, cap) / step)`` whole steps. Those between two nodes, of a directed graph those of
one arc, are aggregated, and the result is clipped to ``0 .. most``, or with signs to ``-most .. most``. So all that
lies between two nodes moves a strength by `Weighting.most` at most, whatever it holds: the declaration alone says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.words.amounts.written import fraction_of, shortest
from edgedp.words.errors import ParameterError
from edgedp.words.shown import kind_of, shortened
from edgedp.words.vocabulary import AGGREGATIONS, Aggregation, is_word

_KEYS = ("property", "cap", "step", "pair_cap", "aggregation", "signed")
_DIGITS = 10**15
"""Decimals of so many units are exact in float64, and so are their quotients by powers of ten up to ``10**22``."""
_PLACES = 22
_SPLIT = 31


@dataclass(frozen=True)
class Weighting:
    """What is declared of weights; public, and all that the noise follows.

    Attributes
    ----------
    cap : Fraction or None
        The most that one relationship weighs; None where relationships are counted.
    step : Fraction
        What one whole step is worth.
    pair_cap : Fraction
        The most that all relationships of a pair, or of an arc, weigh together.
    aggregation : {"SUM", "COUNT", "MAX", "MIN"}
    signed : bool
        Whether weights below 0 count as such; otherwise only weights above 0 count.
    of_property : str or int or None
        Where the weights come from; it changes nothing.

    Examples
    --------
    >>> made = weighting_of({"cap": 1000, "step": "0.5"})
    >>> made.most, made.steps(np.array([0.49, 0.5, 7.9, 1e9, -3, np.nan])).tolist()
    (2000, [0, 1, 15, 2000, 0, 0])
    """

    cap: Fraction | None
    step: Fraction
    pair_cap: Fraction
    aggregation: Aggregation
    signed: bool
    of_property: str | int | None = field(default=None, compare=False)

    @cached_property
    def most(self) -> int:
        """The most steps of a pair, or of an arc: what its relationships move a strength by."""
        most = int(self.pair_cap / self.step)
        match self.aggregation:
            case "SUM" | "COUNT":
                return most
            case "MAX" | "MIN":
                return most if self.cap is None else min(most, int(self.cap / self.step))
            case _:
                assert_never(self.aggregation)

    def to_dict(self) -> dict[str, Any]:
        """Return it as answers show it; `weighting_of` reads it."""
        named = {} if self.of_property is None else {"property": self.of_property}
        capped = {} if self.cap is None else {"cap": _shown(self.cap)}
        return {
            **named,
            **capped,
            "step": _shown(self.step),
            "pair_cap": _shown(self.pair_cap),
            "aggregation": self.aggregation,
            "signed": self.signed,
        }

    @property
    def written(self) -> str:
        """Return it as one word, which a version's seal keeps; `read` reads it.

        Examples
        --------
        >>> weighting_of({"cap": 20, "step": "0.5", "signed": True}).written
        'SUM:20:1/2:20:signed'
        """
        parts = [
            self.aggregation,
            "-" if self.cap is None else str(self.cap),
            str(self.step),
            str(self.pair_cap),
        ]
        return ":".join(parts + (["signed"] if self.signed else []))

    @classmethod
    def read(cls, word: str) -> Weighting:
        """Return what `written` has written.

        Examples
        --------
        >>> Weighting.read("SUM:20:1/2:20:signed").most
        40
        """
        aggregation, cap, step, pair_cap, *signs = word.split(":")
        asked = {
            "aggregation": aggregation,
            "step": step,
            "pair_cap": pair_cap,
            "signed": signs == ["signed"],
        }
        return weighting_of(asked if cap == "-" else asked | {"cap": cap})

    def holds(self, weights: NDArray[np.int64]) -> bool:
        """Return whether no weight is beyond what is declared."""
        least = -self.most if self.signed else 0
        return bool(weights.min(initial=0) >= least and weights.max(initial=0) <= self.most)

    def counts(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which relationships count: numbers, and without signs numbers above 0; infinity is a number."""
        return ~np.isnan(values) & (values != 0 if self.signed else values > 0)

    def steps(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the whole steps of each relationship, (m,); 0 of those that do not count.

        A float is the shortest decimal that stands for it, so that .3 holds three steps of .1.
        """
        there = self.counts(values)
        if self.cap is None:
            return there.astype(np.int64)
        units, power = self.step.numerator, self.step.denominator
        tens = 10 ** _places(power)
        units *= tens // power
        top = float(self.cap + self.step)
        capped = np.clip(np.where(there, values, 0.0), -top, top)
        found = np.floor(capped / (units / tens)).astype(np.int64)
        # The decimal n * step, of 15 digits at most, is the shortest of its float: so floats compare as decimals do.
        found += (found + 1) * units / tens <= capped
        found -= found * units / tens > capped
        most, least = int(self.cap / self.step), -int(-(-self.cap // self.step))
        return np.where(there, np.clip(found, least, most), 0)

    def slots(
        self, keys: NDArray[np.int64], values: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the distinct keys of relationships that count, ascending, and the clipped weight of each.

        Parameters
        ----------
        keys : (m,) int64
            Which pair, or arc, each relationship belongs to.
        values : (m,) float64
            NaN for a relationship without a weight.

        Examples
        --------
        >>> made = weighting_of({"cap": 5, "pair_cap": 6})
        >>> [part.tolist() for part in made.slots(np.array([3, 1, 3, 3]), np.array([2.5, np.nan, 9.0, -1.0]))]
        [[3], [6]]
        """
        there = self.counts(values)
        order = np.argsort(keys[there], kind="stable")
        sorted_keys, steps = keys[there][order], self.steps(values[there])[order]
        if not len(steps):
            return sorted_keys, steps
        starts = np.flatnonzero(np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]]))
        match self.aggregation:
            case "SUM" | "COUNT":
                found = self._sums(steps, starts)
            case "MAX":
                found = np.maximum.reduceat(steps, starts)
            case "MIN":
                found = np.minimum.reduceat(steps, starts)
            case _:
                assert_never(self.aggregation)
        return sorted_keys[starts], np.clip(found, -self.most if self.signed else 0, self.most)

    def _sums(self, steps: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return sums, of which too large ones stay large: no number of parallels goes round the integers."""
        low = np.add.reduceat(steps & ((1 << _SPLIT) - 1), starts)
        high = np.add.reduceat(steps >> _SPLIT, starts) + (low >> _SPLIT)
        within = np.clip(high, -(1 << _SPLIT), 1 << _SPLIT)
        sums: NDArray[np.int64] = (within << _SPLIT) + (low & ((1 << _SPLIT) - 1))
        return sums


def weighting_of(asked: Any) -> Weighting:
    """Return what is declared of weights, from what somebody writes.

    Parameters
    ----------
    asked : mapping or Weighting
        ``cap``, and optional ``step`` (1), ``pair_cap`` (cap), ``aggregation`` ("SUM"), ``signed`` (False) and
        ``property``. ``COUNT`` takes ``pair_cap`` alone, or ``cap`` for it.

    Raises
    ------
    ParameterError

    Examples
    --------
    >>> weighting_of({"cap": 60, "aggregation": "max"}).most
    60
    >>> weighting_of({"property": "amount"})
    Traceback (most recent call last):
        ...
    edgedp.ParameterError: weight has no cap, and needs one, the most that one relationship weighs, for \
noise follows it and no weight; declare it
    """
    if isinstance(asked, Weighting):
        return asked
    if not isinstance(asked, Mapping):
        raise ParameterError(
            f"weight is {kind_of(asked)}, must be a map such as {{property: 'amount', cap: 1000, step: 1}}; give one"
        )
    named = {("pair_cap" if key == "pairCap" else key): value for key, value in asked.items()}
    unknown = next((key for key in named if key not in _KEYS), None)
    if unknown is not None or len(named) < len(asked):
        raise ParameterError(
            f"weight has a key {shortened(repr(unknown))}, must have only {', '.join(_KEYS)}; correct its spelling"
        )
    aggregation = _aggregation(named.get("aggregation", "SUM"))
    signed = named.get("signed", False)
    if not isinstance(signed, bool):
        raise ParameterError(f"weight.signed is {kind_of(signed)}, must be true or false; give one of them")
    cap, pair_cap = _amount(named.get("cap"), "cap"), _amount(named.get("pair_cap"), "pair_cap")
    step = _amount(named.get("step", 1), "step") or Fraction(1)
    match aggregation:
        case "COUNT":
            pair_cap, cap = pair_cap or cap, None
            if step != 1 or signed or (pair_cap is not None and pair_cap.denominator != 1):
                raise ParameterError(
                    "weight.aggregation is 'COUNT', which counts relationships, and takes a whole pair_cap and neither "
                    "step nor signed; leave them out, or take 'SUM'"
                )
        case "SUM" | "MAX" | "MIN":
            pair_cap = pair_cap or cap
            if cap is None:
                raise _uncapped("cap", "one relationship weighs")
        case _:
            assert_never(aggregation)
    if pair_cap is None:
        raise _uncapped("pair_cap", "relationships of a pair count")
    made = Weighting(cap, step, pair_cap, aggregation, signed, _property(named.get("property")))
    _check_digits(made)
    return made


def declared(weights: Any, weight: Any) -> Weighting:
    """Return what is declared of weights that were given beside edges; each needs the other.

    Examples
    --------
    >>> declared(None, {"aggregation": "COUNT", "pair_cap": 3}).most
    3
    """
    if weight is None:
        raise ParameterError(
            "weights are given without weight, which declares the most that one weighs; give it, such as "
            "weight={'cap': 1000, 'step': 1}"
        )
    made = weighting_of(weight)
    if weights is None and made.aggregation != "COUNT":
        raise ParameterError(
            f"weight is given without weights, which {made.aggregation} adds up; give one for each edge"
            if made.aggregation == "SUM"
            else f"weight is given without weights, of which {made.aggregation} is one; give one for each edge"
        )
    return made


def _uncapped(key: str, what: str) -> ParameterError:
    return ParameterError(
        f"weight has no {key}, and needs one, the most that {what}, for noise follows it and no weight; declare it"
    )


def _aggregation(value: Any) -> Aggregation:
    asked = value.upper() if isinstance(value, str) else value
    for each in AGGREGATIONS:
        if is_word(asked, each):
            return each
    if is_word(asked, "SINGLE"):
        raise ParameterError(
            "weight.aggregation is 'SINGLE', which takes one of several relationships and does not say which, so that "
            f"a weight would follow their order; choose one of {', '.join(AGGREGATIONS)}"
        )
    raise ParameterError(
        f"weight.aggregation is {shortened(repr(value))}, must be one of {', '.join(AGGREGATIONS)}; choose "
        "one of them"
    )


def _amount(value: Any, key: str) -> Fraction | None:
    if value is None:
        return None
    found = fraction_of(value)
    if found is None or found <= 0:
        raise ParameterError(
            f"weight.{key} is {shortened(repr(value))}, must be a number above 0; choose another"
        )
    return found


def _property(value: Any) -> str | int | None:
    if value is None or (isinstance(value, str) and value.strip()):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ParameterError(f"weight.property is {kind_of(value)}, must be the name of a property; name it")


def _places(denominator: int) -> int:
    """Return how many decimal places a step has; one too many for what is no such decimal."""
    return next((each for each in range(_PLACES + 1) if 10**each % denominator == 0), _PLACES + 1)


def _check_digits(made: Weighting) -> None:
    """Refuse amounts that float64 does not divide exactly, and those that make no step."""
    places = _places(made.step.denominator)
    if places > _PLACES:
        raise ParameterError(
            f"weight.step is {_shown(made.step)}, must be a decimal of at most {_PLACES} places; choose another"
        )
    largest = max(made.pair_cap, made.cap or made.pair_cap)
    if (largest + made.step) * 10**places > _DIGITS:
        raise ParameterError(
            f"weight.cap or pair_cap is {_shown(largest)}, must be at most 10^15 of the last decimal place of step, "
            f"which is {_shown(made.step)}; choose a larger step"
        )
    if min(made.pair_cap, made.cap or made.pair_cap) < made.step:
        raise ParameterError(
            f"weight.step is {_shown(made.step)}, must be at most cap and pair_cap, for no relationship would weigh a "
            "step; choose a smaller one"
        )


def _shown(amount: Fraction) -> int | float | str:
    return int(amount) if amount.denominator == 1 else shortest(amount)
