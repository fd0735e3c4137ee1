"""What a list says of itself: how sure it is, and how a list that was asked for until it is sure came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from edgedp.words.amounts.epsilon import epsilon_nano, format_nano
from edgedp.words.shown import shown


def expected_right(recall: float, count: int) -> str:
    """Return how many of so many are expected to be right, as people read it.

    Examples
    --------
    >>> expected_right(0.857, 100), expected_right(0.87, 2)
    ('86', '1.7')
    """
    return f"{recall * count:.0f}" if count >= 10 else f"{recall * count:.1f}"


def named_nodes(ids: Sequence[Any], titles: Sequence[str | None] | None) -> list[Any]:
    """Return ids with their titles behind them, where there are any.

    Examples
    --------
    >>> named_nodes([7, 3], ["Ada", None]), named_nodes([7], None)
    (['7 Ada', 3], [7])
    """
    return [
        node if not title else f"{node} {title}"
        for node, title in zip(ids, [None] * len(ids) if titles is None else titles, strict=True)
    ]


@dataclass(frozen=True)
class Sure:
    """What a list says of itself: post-processing of the noisy vectors that were released for it.

    Attributes
    ----------
    expected_recall : float
        The mean of `membership`: what part of the list is right, as far as the noisy vectors say.
    membership : tuple of float
        For each listed node the chance that it belongs to the true top k; nodes of equal value share the places that
        are left for them.
    near : tuple of (int or str, float)
        Ids that may have been left out, with their chance, the likeliest first.
    degree_intervals : tuple of (int, int), optional
        For each listed node an interval that holds its degree with a chance of 90 %; None where no degrees were bought.
    strength_intervals : tuple of (int, int), optional
        The same of its strength, in steps, of a list by strength.
    """

    KEYS: ClassVar[tuple[str, ...]] = ("expected_recall", "membership", "near", "degree_intervals")

    expected_recall: float
    membership: tuple[float, ...]
    near: tuple[tuple[Any, float], ...]
    degree_intervals: tuple[tuple[int, int], ...] | None
    strength_intervals: tuple[tuple[int, int], ...] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what the ledger keeps and JSON shows."""
        intervals, strengths = self.degree_intervals, self.strength_intervals
        return {
            "expected_recall": self.expected_recall,
            "membership": list(self.membership),
            "near": [list(each) for each in self.near],
            "degree_intervals": None if intervals is None else [list(each) for each in intervals],
            **({} if strengths is None else {"strength_intervals": [list(each) for each in strengths]}),
        }

    def columns(self, row: int) -> dict[str, Any]:
        """Return what stands beside one listed node in a table."""
        beside: dict[str, Any] = {"membership": self.membership[row]}
        if self.degree_intervals is not None:
            low, high = self.degree_intervals[row]
            beside |= {"degree_low": low, "degree_high": high}
        if self.strength_intervals is not None:
            least, most = self.strength_intervals[row]
            beside |= {"strength_low": least, "strength_high": most}
        return beside

    def sentences(self, titles: Sequence[str | None] | None = None) -> list[str]:
        """Return what people are told below the table.

        Parameters
        ----------
        titles : sequence of str or None, optional
            Of the nodes in `near`.

        Examples
        --------
        >>> Sure(0.87, (0.99, 0.75), ((4, 0.2),), None).sentences(["Ada"])
        ['about 1.7 of these 2 are among the true 2', 'may have been left out: 4 Ada (0.2)']
        """
        count = len(self.membership)
        sentences = [
            f"about {expected_right(self.expected_recall, count)} of these {count} are among the true {count}"
        ]
        if self.near:
            named = named_nodes([node for node, _ in self.near], titles)
            left = ", ".join(
                f"{shown(name)} ({chance:g})"
                for name, (_, chance) in zip(named[:10], self.near[:10], strict=True)
            )
            more = len(self.near) - 10
            sentences.append(f"may have been left out: {left}" + (f" and {more} more" if more > 0 else ""))
        return sentences

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Sure:
        """Return what `to_json` wrote."""
        intervals, strengths = kept["degree_intervals"], kept.get("strength_intervals")
        return cls(
            kept["expected_recall"],
            tuple(kept["membership"]),
            tuple((node, chance) for node, chance in kept["near"]),
            None if intervals is None else tuple((low, high) for low, high in intervals),
            None if strengths is None else tuple((low, high) for low, high in strengths),
        )


@dataclass(frozen=True)
class Sought:
    """How a release ended that spent step by step until its list was sure enough.

    Attributes
    ----------
    target_recall : float or str
        The expected recall that was asked for.
    steps : int
        How many steps were debited and drawn.
    spent : int
        Nano-epsilon of all of them.
    ended : str
        Why there was no further one: "reached", "spent", "refused" or "flat".
    """

    KEYS: ClassVar[tuple[str, ...]] = ("target_recall", "target_reached", "steps", "spent", "ended")
    WHY: ClassVar[Mapping[str, str]] = {
        "reached": "the list is expected to be as good as was asked for",
        "spent": "all that may be spent is spent",
        "refused": "the account or the share refused the next step",
        "flat": "more epsilon is not expected to help",
    }

    target_recall: float | str
    steps: int
    spent: int
    ended: str

    def to_json(self) -> dict[str, Any]:
        """Return what the ledger keeps and JSON shows."""
        return {
            "target_recall": self.target_recall,
            "target_reached": self.ended == "reached",
            "steps": self.steps,
            "spent": format_nano(self.spent),
            "ended": self.ended,
        }

    def sentence(self) -> str:
        """Return what people read below the table.

        Examples
        --------
        >>> Sought(0.9, 7, 125_000_000, "reached").sentence()
        'spent 0.125 in 7 steps; the list is expected to be as good as was asked for'
        """
        count = "1 step" if self.steps == 1 else f"{self.steps} steps"
        return f"spent {format_nano(self.spent)} in {count}; {self.WHY[self.ended]}"

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Sought:
        """Return what `to_json` wrote."""
        return cls(kept["target_recall"], kept["steps"], epsilon_nano(kept["spent"]), kept["ended"])
