"""What a joint release buys, one vector after another: each purchase follows from what was released before it.

A question (`Question`) says from the released vectors what is bought next, and nothing else may: so for one outcome
of the noise both graphs of a neighbouring pair buy the same vectors, for the same parts of epsilon.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import TYPE_CHECKING, Protocol, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.choice import (
    Choice,
    Closed,
    Degrees,
    Lists,
    Ordered,
    OrderedDegrees,
    kth_degree,
    ranking,
)
from edgedp.mechanisms.adaptive.closed import ClosedPairs, closed_pairs
from edgedp.mechanisms.adaptive.vectors import (
    CutVector,
    NoisyCutVector,
    NoisyVector,
    Vector,
    cut_vector,
    degree_vector,
    ordered_degree_vector,
)

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import Projection
    from edgedp.mechanisms.sampling.words import Words

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Purchase:
    """A vector that is bought, and for how much.

    Attributes
    ----------
    choice : Choice
    epsilon : Fraction
        Positive.
    seen : (n,) int64
        Released degrees, which ranking and weights follow from; empty for the degrees, which need none.
    """

    choice: Choice
    epsilon: Fraction
    seen: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @cached_property
    def ranks(self) -> Ints:
        """(n,) int64: each node's place in the ranking by `seen`, which says who stands in front of whom."""
        return ranking(self.seen)


@dataclass(frozen=True)
class Bought:
    """A purchase and what was released for it."""

    purchase: Purchase
    vector: NoisyVector | NoisyCutVector


class Question(Protocol):
    """What is asked for, all of it public, and what is bought for it."""

    @property
    def node_count(self) -> int:
        """Number of nodes."""

    @property
    def most(self) -> int:
        """``n - 1``, or a smaller declared bound: it caps the cuts, and nothing rests on it."""

    @property
    def k(self) -> int:
        """How many nodes are shown."""

    @property
    def epsilon(self) -> Fraction:
        """What all purchases together may cost."""

    def next_purchase(self, bought: Sequence[Bought]) -> Purchase | None:
        """Return what is bought next: a function of released values and public facts. None: nothing more."""


def exact_vector(question: Question, purchase: Purchase, projection: Projection) -> Vector | CutVector:
    """Return the exact vector of a purchase with what one edge moves it by.

    Notes
    -----
    Privacy: choice, caps, weights and ranking come from the purchase, so both graphs of a neighbouring pair have them
    alike.
    """
    n = question.node_count
    match purchase.choice:
        case Degrees():
            return degree_vector(projection, n)
        case OrderedDegrees():
            return ordered_degree_vector(projection, n, purchase.ranks)
        case Lists(cap):
            return cut_vector(projection, n, cap, None)
        case Ordered(cap):
            return cut_vector(projection, n, cap, purchase.ranks)
        case Closed(cap, ordered):
            pairs = ClosedPairs.of(purchase.seen, cap, question.most)
            return closed_pairs(projection, n, pairs, purchase.ranks if ordered else None)
        case _:
            assert_never(purchase.choice)


def buy(question: Question, projection: Projection, words: Words) -> tuple[Bought, ...]:
    """Buy what the question wants, one vector after another.

    Notes
    -----
    Privacy: ``question.epsilon``-edge-DP for any two graphs that differ by one edge. Given what was released before,
    every vector costs its part of epsilon, and the parts never exceed the whole.
    """
    bought: tuple[Bought, ...] = ()
    left = question.epsilon
    while (purchase := question.next_purchase(bought)) is not None:
        # Checked before any noise is drawn: a rule that asks for too much ends the release, and nothing is shown.
        left -= purchase.epsilon
        if purchase.epsilon <= 0 or left < 0:
            raise AssertionError("the purchases cost more than epsilon")
        # The exact vector lives for one line: what is kept, and what later purchases follow from, is the noisy one.
        exact = exact_vector(question, purchase, projection)
        bought += (Bought(purchase, exact.with_noise(purchase.epsilon, words)),)
    return bought


@dataclass(frozen=True)
class SeenDegrees:
    """The mean of the noisy degrees that were bought, by inverse variance.

    Attributes
    ----------
    sums : (n,) int64
        `total` times the mean, in whole numbers.
    total : int
    scale : float
        Of two-sided geometric noise as large as that of the mean.
    """

    sums: Ints
    total: int
    scale: float

    @cached_property
    def integers(self) -> Ints:
        """(n,) int64: the mean, rounded to the nearest integer, halves up."""
        return self.sums if self.total == 1 else (2 * self.sums + self.total) // (2 * self.total)

    @property
    def values(self) -> NDArray[np.float64]:
        """(n,) float64: the mean."""
        return self.sums.astype(np.float64) / self.total

    def kth(self, k: int) -> float:
        """Return the degree that the k-th largest node seems to have."""
        return kth_degree(self.integers, self.scale, k)


def seen_degrees(bought: Sequence[Bought]) -> SeenDegrees:
    """Return the mean of all noisy degrees, and of ordered degrees as if no neighbour stood in front.

    Notes
    -----
    Privacy: post-processing.

    Examples
    --------
    >>> def noisy(choice, part, *values):
    ...     return Bought(Purchase(choice, Fraction(part)), NoisyVector(np.array(values), Fraction(1)))
    >>> seen_degrees([noisy(Degrees(), "1/4", 0), noisy(OrderedDegrees(), "1/5", 89)]).integers.tolist()
    [64]
    >>> seen_degrees([noisy(Degrees(), "1/4", 1), noisy(OrderedDegrees(), "3/4", 1)]).total
    37
    """
    steps = [
        (each.purchase.epsilon / _moved_by(each.purchase.choice), each.vector.integers)
        for each in bought
        if isinstance(each.purchase.choice, Degrees | OrderedDegrees) and isinstance(each.vector, NoisyVector)
    ]
    precisions = [step**2 for step, _ in steps]
    denominator = lcm(*(precision.denominator for precision in precisions))
    weights = [int(precision * denominator) for precision in precisions]
    common = gcd(*weights)
    weights = [weight // common for weight in weights]
    sums: Ints = sum(
        (weight * values for weight, (_, values) in zip(weights, steps, strict=True)),
        start=np.zeros_like(steps[0][1]),
    )
    return SeenDegrees(sums, sum(weights), float(sum(precisions)) ** -0.5)


def _moved_by(choice: Degrees | OrderedDegrees) -> int:
    """Return what one edge moves the vector by: the scale of its noise is this over epsilon."""
    match choice:
        case Degrees():
            return 2
        case OrderedDegrees():
            return 1
        case _:
            assert_never(choice)
