"""Spend until a list is sure enough: vectors whose noise shrinks step by step, and a look at the list after each.

Every step follows from what was released before it (`next_step`), and is paid for before it is drawn. Refined noise
costs the difference only (`edgedp.mechanisms.sampling.geometric.Refinable`), so a list that took five steps is as good
as one that was bought at once for their sum. Proof: docs/privacy.md, "Until sure".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, Protocol, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.choice import (
    Closed,
    Degrees,
    Lists,
    Ordered,
    OrderedDegrees,
    cut_cap,
    cut_form,
)
from edgedp.mechanisms.adaptive.purchases import Bought, Purchase, SeenDegrees, exact_vector, seen_degrees
from edgedp.mechanisms.adaptive.top_k import Asked, scores
from edgedp.mechanisms.adaptive.vectors import CutVector, NoisyCutVector, NoisyVector, Vector, degree_vector
from edgedp.mechanisms.sampling.geometric import Refinable
from edgedp.mechanisms.sampling.select import top_k_with_random_ties
from edgedp.words.amounts.epsilon import NANO, to_fraction
from edgedp.words.amounts.rungs import rungs

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import Projection
    from edgedp.mechanisms.sampling.words import Words

Ints = NDArray[np.int64]

Pay = Callable[[int], bool]
"""Debits nano-epsilon durably and says whether that was allowed; only then is anything drawn for it."""

Looked = Callable[[int, float], None]
"""Is told nano-epsilon spent so far, and the expected recall of the list that follows from it."""

Ending = Literal["reached", "spent", "refused", "flat"]
"""Why no further step was taken: the target is reached; all that may be spent is spent; a debit was refused; more
epsilon is not expected to help."""

_CUTS_FROM = 11
"""Epsilon of the degrees times the degree of the k-th node, below which noise would drown the cuts."""
_CUTS = 3
"""What cuts cost at first, in parts of what the degrees have cost."""
_FLAT_LOOKS, _FLAT = 4, 0.02
"""More epsilon is not expected to help where so many looks raised the expected recall by less than this."""
_FLAT_FROM = 0.5
"""Below this expected recall, ties counted as found, the noise decides, and that a look says no more than the last one
means nothing."""


@dataclass(frozen=True)
class Sought:
    """What is asked for; all of it public.

    Attributes
    ----------
    node_count : int
    most : int
        As of `Asked`.
    k : int
    cost : int
        The most that may be spent, nano-epsilon.
    target : Fraction
        The expected recall from which on the list is sure enough.
    cuts : bool
        Whether the metric wants cuts at all; degrees are their own metric.
    """

    node_count: int
    most: int
    k: int
    cost: int
    target: Fraction
    cuts: bool

    @property
    def asked(self) -> Asked:
        """The same as a release that is drawn at once."""
        return Asked(self.node_count, self.most, self.k, to_fraction(self.cost), cuts=self.cuts)


@dataclass(frozen=True)
class Step:
    """What one step buys.

    Attributes
    ----------
    degrees, cuts : int
        Nano-epsilon by which the noise of each shrinks.
    choice : Lists or Ordered, optional
        A new vector of cuts for `cuts`, in place of the one that there is.
    """

    degrees: int = 0
    cuts: int = 0
    choice: Lists | Ordered | None = None

    @property
    def cost(self) -> int:
        """Nano-epsilon of both."""
        return self.degrees + self.cuts


class Sure(Protocol):
    """What a list says of itself."""

    @property
    def expected_recall(self) -> float:
        """What part of it is right, as far as released vectors say."""

    @property
    def with_ties(self) -> float:
        """The same if all nodes that tie for the last place are counted as found."""


Judge = Callable[[Ints, tuple[Bought, ...]], Sure]
"""From a list and the vectors that it follows from to what it says of itself: post-processing."""


@dataclass(frozen=True)
class Look:
    """What was released by the end of a step, and the list that follows from it.

    Attributes
    ----------
    spent : int
        Nano-epsilon of all steps so far.
    bought : tuple of Bought
        The vectors as they stand: degrees, and cuts where there are any.
    positions : (k,) int64
        The list.
    sure : Sure
        What the list says of itself.
    before : tuple of float
        The expected recalls of the looks before, the first one first.
    """

    spent: int
    bought: tuple[Bought, ...]
    positions: Ints
    sure: Sure
    before: tuple[float, ...] = ()

    @property
    def expected(self) -> tuple[float, ...]:
        """The expected recalls of all looks, this one last."""
        return (*self.before, self.sure.expected_recall)


def next_step(sought: Sought, last: Look | None) -> Step | Ending:
    """Return what is bought next, or why nothing is: a function of released values and public facts alone."""
    if last is None:
        return Step(degrees=rungs(sought.cost)[0])
    if last.sure.expected_recall >= sought.target:
        return "reached"
    left = sought.cost - last.spent
    if left <= 0:
        return "spent"
    if _is_flat(last.expected, last.sure.with_ties):
        return "flat"
    # After a vector that was bought anew a step is off the ladder; a next rung that is near is not worth its look.
    total = next((rung for rung in rungs(sought.cost) if 5 * rung >= 6 * last.spent), sought.cost)
    more = min(total, sought.cost) - last.spent
    degrees = seen_degrees(last.bought[:1])
    seen = degrees.kth(sought.k)
    match last.bought:
        case [_]:
            enough = sought.cuts and float(to_fraction(last.spent)) * seen >= _CUTS_FROM
            price = min(_CUTS * last.spent, left)
            choice = _choice(sought, degrees, seen, price) if enough else None
            return Step(degrees=more) if choice is None else Step(cuts=price, choice=choice)
        case [_, cuts]:
            price = int(cuts.purchase.epsilon * NANO)
            choice = _choice(sought, degrees, seen, price)
            if choice is not None and choice.cap >= 2 * _cap_of(cuts) and price <= left:
                return Step(cuts=price, choice=choice)
            return Step(degrees=more // 4, cuts=more - more // 4)
        case _:
            raise AssertionError("degrees are bought, and one vector of cuts at a time")


def _choice(sought: Sought, degrees: SeenDegrees, seen: float, price: int) -> Lists | Ordered | None:
    """Return which cuts are bought: those that would be right for twice the price; None where there is nothing to cut.

    The noise of cuts can be refined and their cap cannot.
    """
    part = 2 * to_fraction(price)
    cap = min(cut_cap(degrees.integers, seen, part, sought.most), sought.most)
    return cut_form(cap, seen, part, coarse=False) if cap >= 2 else None


def _cap_of(cuts: Bought) -> int:
    match cuts.purchase.choice:
        case Lists(cap) | Ordered(cap):
            return cap
        case Degrees() | OrderedDegrees() | Closed():
            raise AssertionError("the second vector is one of cuts")
        case _:
            assert_never(cuts.purchase.choice)


def _is_flat(expected: Sequence[float], with_ties: float = 0.0) -> bool:
    """Return whether the last looks raised the expected recall so little that more epsilon is not expected to help.

    Examples
    --------
    >>> _is_flat([.7, .8, .8, .8, .81, .81]), _is_flat([.7, .8, .8, .8, .81]), _is_flat([.1, .1, .1, .1, .1])
    (True, False, False)

    Where equal values are what leaves it low, noise is not:

    >>> _is_flat([.1, .1, .1, .1, .1], with_ties=.9)
    True
    """
    if len(expected) <= _FLAT_LOOKS or max(expected[-1], with_ties) < _FLAT_FROM:
        return False
    return expected[-1] - expected[-1 - _FLAT_LOOKS] < _FLAT


class _Vectors:
    """The exact vectors and the halves of their noise: they stay in the process that draws, and nothing keeps them."""

    def __init__(
        self, sought: Sought, projection: Projection, words: Words, counted: Vector | None = None
    ) -> None:
        self._sought, self._projection, self._words = sought, projection, words
        self._degrees = degree_vector(projection, sought.node_count) if counted is None else counted
        self._degrees_noise: Refinable | None = None
        self._degrees_spent = self._cuts_spent = 0
        self._cuts: tuple[Lists | Ordered, CutVector, Refinable] | None = None

    def buy(self, step: Step) -> tuple[Bought, ...]:
        """Draw what a step that was paid for buys, and return the vectors as they stand."""
        if step.degrees:
            self._degrees_noise = self._shrunk(
                self._degrees_noise, self._degrees.moves, step.degrees, len(self._degrees.values)
            )
            self._degrees_spent += step.degrees
        degrees = self._seen_degrees()
        seen = seen_degrees([degrees]).integers
        if step.choice is not None:
            exact = exact_vector(
                self._sought.asked, Purchase(step.choice, to_fraction(step.cuts), seen), self._projection
            )
            if not isinstance(exact, CutVector):
                raise AssertionError("cuts are computed where they are looked at")
            exact = exact.remembering()
            noise = self._shrunk(None, exact.moves, step.cuts, exact.count)
            self._cuts, self._cuts_spent = (step.choice, exact, noise), step.cuts
        elif step.cuts:
            if self._cuts is None:
                raise AssertionError("no cuts exist whose noise could shrink")
            choice, exact, noise = self._cuts
            self._cuts = choice, exact, self._shrunk(noise, exact.moves, step.cuts, exact.count)
            self._cuts_spent += step.cuts
        return (degrees,) if self._cuts is None else (degrees, self._seen_cuts(*self._cuts, seen))

    def _shrunk(self, noise: Refinable | None, moves: int, nano: int, count: int) -> Refinable:
        scale = moves / to_fraction(nano)
        return (
            Refinable.drawn(count, scale, self._words) if noise is None else noise.refined(scale, self._words)
        )

    def _seen_degrees(self) -> Bought:
        if self._degrees_noise is None:
            raise AssertionError("the first step buys degrees")
        vector = NoisyVector(self._degrees.values + self._degrees_noise.noise, self._degrees_noise.scale)
        return Bought(Purchase(Degrees(), to_fraction(self._degrees_spent)), vector)

    def _seen_cuts(self, choice: Lists | Ordered, exact: CutVector, noise: Refinable, seen: Ints) -> Bought:
        vector = NoisyCutVector(exact.shares, noise.noise, noise.scale, exact.unit)
        return Bought(Purchase(choice, to_fraction(self._cuts_spent), seen), vector)


class Prepaid:
    """Pays from what was debited before anything was drawn, and asks for the rest.

    Parameters
    ----------
    left : int
        Nano-epsilon that was debited: the first step, or all that may be spent.
    pay : callable
        Debits what that does not cover.

    Examples
    --------
    >>> pay = Prepaid(5, lambda cost: cost < 3)
    >>> pay(5), pay(2), pay(3)
    (True, True, False)
    """

    def __init__(self, left: int, pay: Pay) -> None:
        self._left, self._pay = left, pay

    def __call__(self, cost: int) -> bool:
        """Pay for a step."""
        if cost > self._left:
            return self._pay(cost)
        self._left -= cost
        return True


def draw_until_sure(
    sought: Sought,
    projection: Projection,
    words: Words,
    pay: Pay,
    judge: Judge,
    looked: Looked | None = None,
    counted: Vector | None = None,
) -> tuple[Look, Ending]:
    """Draw step by step until the list is sure enough, and return the last look and why it is the last.

    Parameters
    ----------
    sought : Sought
    projection : Projection
        The private data.
    words : Words
    pay : callable
        Debits a step before it is drawn; one that it refuses ends the sequence with the list that is paid for.
    judge : callable
        Says how sure a list is, from released vectors.
    looked : callable, optional
        Told after each step what was spent and how sure the list is by now: released, and paid for.
    counted : Vector, optional
        What is ranked in place of the degrees, with what the unit of privacy moves it by; then there are no cuts.

    Notes
    -----
    Privacy: for two graphs that differ by one edge, any sequence of everything released is at most ``exp(e)`` times as
    likely on the one as on the other, ``e`` being what was paid until it ended; and so ``sought.cost`` bounds it all.
    """
    vectors = _Vectors(sought, projection, words, counted)
    last: Look | None = None
    while isinstance(step := next_step(sought, last), Step):
        if step.cost <= 0 or step.cost + (0 if last is None else last.spent) > sought.cost:
            raise AssertionError("the steps cost more than epsilon")
        if not pay(step.cost):
            if last is None:
                raise AssertionError("the first step was not paid for")
            return last, "refused"
        bought = vectors.buy(step)
        ranked = np.unique(scores(sought.asked, bought), return_inverse=True)[1]
        positions = top_k_with_random_ties(ranked, sought.k, words)
        spent, before = (step.cost, ()) if last is None else (last.spent + step.cost, last.expected)
        last = Look(spent, bought, positions, judge(positions, bought), before)
        if looked is not None:
            looked(spent, last.sure.expected_recall)
    if last is None:
        raise AssertionError("nothing was bought")
    return last, step
