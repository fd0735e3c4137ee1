"""The losses of releases that spend step by step, over all labelled graphs of a few nodes, against what was debited.

Noise that is refined to the scale ``b`` has the loss ``||s(G) - s(H)||_1 / b``, whatever was looked at before it
(docs/privacy.md, "Until sure"). So a sequence that stops after some step has lost that of every vector that it has, and
of every vector that it gave up for one that was bought anew; what it has paid by then must cover the sum. The steps are
those of releases (`next_step`), for outcomes of the noisy degrees, likely or not; no draw is judged, as in
`edgedp.exact.audit.vectors`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.exact.audit.exhaustive import Judged
from edgedp.exact.audit.vectors import all_vectors, first_outcomes, labelled_pairs
from edgedp.mechanisms.adaptive.choice import Degrees
from edgedp.mechanisms.adaptive.purchases import Bought, Purchase
from edgedp.mechanisms.adaptive.until_sure import Look, Sought, Step, next_step
from edgedp.mechanisms.adaptive.vectors import NoisyVector
from edgedp.words.amounts.epsilon import NANO, epsilon_nano

Ints = NDArray[np.int64]

_STEPS = 9
"""Of a history: with the last of them all that may be spent is nearly spent."""
_CAPS = 20_000
"""The declared bound of the histories: far above the degrees, so that caps grow and vectors are bought anew."""


@dataclass(frozen=True)
class SequenceFinding(Judged):
    """The largest loss found for sequences of one metric.

    Attributes
    ----------
    metric : {"degree", "ebc"}
    node_count, k : int
    claimed, loss : float
        What was debited until the sequence stopped, and what it lost at most.
    anew : int
        How many vectors the histories bought in place of another one.
    """

    metric: str
    node_count: int
    k: int
    claimed: float
    loss: float
    anew: int

    def to_row(self) -> dict[str, Any]:
        """Return the row of a table, as `edgedp.exact.audit.Finding.to_row`."""
        options = "target_recall, after every step"
        row = self.row_of("priv_top_k", self.metric, "joint (vectors)", options, _CAPS)
        return row | {"claimed": round(self.claimed, 6)}


@dataclass(frozen=True)
class _Unsure:
    """What a list says that never ends a sequence."""

    expected_recall: float = 0.0
    with_ties: float = 0.0


def audit_sequences(
    metrics: Sequence[str] = ("degree", "ebc"),
    *,
    node_count: int = 4,
    picks: Sequence[int] = (1, 2),
    epsilons: Sequence[Any] = ("0.1", "1", "5"),
) -> Iterator[SequenceFinding]:
    """Yield the worst finding of each metric: over histories, steps after which they stop, and pairs of neighbours.

    Examples
    --------
    >>> [found] = audit_sequences(["ebc"], node_count=3, picks=[1], epsilons=[5])
    >>> found.met, round(found.ratio, 2), found.anew > 0
    (True, 1.0, True)
    """
    for metric in metrics:
        found = [
            _largest_loss(
                metric, Sought(node_count, _CAPS, k, epsilon_nano(each), Fraction(1), metric != "degree")
            )
            for k in picks
            for each in epsilons
        ]
        worst = max(found, key=lambda finding: finding.ratio)
        yield SequenceFinding(
            metric, node_count, worst.k, worst.claimed, worst.loss, sum(each.anew for each in found)
        )


def _largest_loss(metric: str, sought: Sought) -> SequenceFinding:
    worst, claimed, anew = -1.0, 1.0, 0
    for outcomes in _outcomes(sought.node_count):
        lost = _Lost(sought)
        last: Look | None = None
        for degrees in outcomes:
            step = next_step(sought, last)
            if not isinstance(step, Step):
                break
            last = lost.after(step, degrees, last)
            if lost.most / last.spent * NANO >= worst / claimed:
                worst, claimed = lost.most, last.spent / NANO
        anew += lost.anew
    return SequenceFinding(metric, sought.node_count, sought.k, claimed, worst, anew)


def _outcomes(node_count: int) -> Iterator[list[Ints]]:
    """Yield what the noisy degrees may show step by step: the same throughout, and another thing from a step on."""
    found = list(first_outcomes(node_count))
    for before in found:
        for after in found:
            for turn in range(1, _STEPS):
                yield [before] * turn + [after] * (_STEPS - turn)


class _Lost:
    """What every pair of neighbours has lost by now."""

    def __init__(self, sought: Sought) -> None:
        self._sought = sought
        self._given_up = np.zeros(len(labelled_pairs(sought.node_count)[0]))
        self._degrees = self._cuts = 0
        self._bought: Purchase | None = None
        self.anew = 0

    @property
    def most(self) -> float:
        """The largest loss of a pair."""
        losses = self._given_up + self._loss(Purchase(Degrees(), Fraction(self._degrees, NANO)))
        if self._bought is not None:
            losses = losses + self._loss(self._bought)
        return float(losses.max())

    def after(self, step: Step, degrees: Ints, last: Look | None) -> Look:
        """Take a step whose noisy degrees are these, and return the look at it."""
        self._degrees += step.degrees
        if step.choice is not None:
            if self._bought is not None:
                self._given_up = self._given_up + self._loss(self._bought)
                self.anew += 1
            self._cuts = step.cuts
            self._bought = Purchase(step.choice, Fraction(step.cuts, NANO), degrees)
        elif self._bought is not None:
            self._cuts += step.cuts
            # The ranking by which the cuts were made stays.
            self._bought = Purchase(self._bought.choice, Fraction(self._cuts, NANO), self._bought.seen)
        bought: tuple[Bought, ...] = (
            Bought(Purchase(Degrees(), Fraction(self._degrees, NANO)), NoisyVector(degrees, Fraction(1))),
        )
        if self._bought is not None:
            bought = (*bought, Bought(self._bought, NoisyVector(degrees, Fraction(1))))
        spent, before = (step.cost, ()) if last is None else (last.spent + step.cost, last.expected)
        positions = np.arange(self._sought.k, dtype=np.int64)
        return Look(spent, bought, positions, _Unsure(), before)

    def _loss(self, purchase: Purchase) -> NDArray[np.float64]:
        """Return what a vector has cost each pair, with noise for what was paid for it."""
        less, more = labelled_pairs(self._sought.node_count)
        vectors = all_vectors(self._sought.asked, purchase)
        values = np.array([vector.values for vector in vectors])
        (moves,) = {vector.moves for vector in vectors}
        distances = np.abs(values[less] - values[more]).sum(axis=1)
        lost: NDArray[np.float64] = distances * float(purchase.epsilon / moves)
        return lost
