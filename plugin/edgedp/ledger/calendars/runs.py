"""What was spent within every run of consecutive windows: the guard of an account with a calendar.

An account says that releases lose at most its budget of all that is dated within some ``w`` consecutive windows, a
*run*. A release of the windows ``a..b`` reads something of every run that overlaps them: of the runs that begin at
``a - w + 1`` to ``b``. A release of everything overlaps all runs. What was spent of a run is thus a function of where
it begins, and a step function: it is kept as one text of integers beside the account, in every row of the log,

    [dearest, everything, start, change, start, change, ...]

``everything`` is what releases of everything cost, ``change`` is by how much runs from ``start`` on spent more than
those before it, and ``dearest`` is the largest sum. A run that begins before window 0 holds no more windows than the
one that begins at 0, so none is kept. No log is read: the text says all. SQLite calls these functions in its
statements; ``queries/neo4j/account_debit.cypher`` does the same sums over the same text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, assert_never

if TYPE_CHECKING:
    from edgedp.release.plan import PublicFacts
    from edgedp.words.vocabulary import AccountName

NOTHING = "[0,0]"
"""Of an account of which nothing was spent."""


class Reach(NamedTuple):
    """Which runs a release touches.

    Attributes
    ----------
    within : int or None
        How many windows a run has; None where the budget of the account is for all time.
    first, last : int or None
        The windows that are read; None and None for everything.
    """

    within: int | None = None
    first: int | None = None
    last: int | None = None

    @classmethod
    def of(cls, facts: PublicFacts, account: AccountName = "edges") -> Reach:
        """Return which runs of an account a planned release touches; the nodes' records have no dates."""
        match account:
            case "edges":
                if facts.calendar is None or facts.calendar.within is None:
                    return cls()
                span = facts.span
                ends = (None, None) if span is None else (span.first, span.last)
                return cls(facts.calendar.within, *ends)
            case "attributes":
                return cls()
            case _:
                assert_never(account)

    @property
    def parameters(self) -> dict[str, Any]:
        """What the statements of a debit are told."""
        return {"within": self.within, "firstWindow": self.first, "lastWindow": self.last}


def dearest(runs: str) -> int:
    """Return what was spent of the run of which the most was.

    Examples
    --------
    >>> dearest(charged(charged(NOTHING, 2, 3, 3, 10), 2, 4, 4, 5))
    15
    """
    return _read(runs)[0]


def touched(runs: str, within: int, first: int | None, last: int | None) -> int:
    """Return the most that was spent of a run that windows overlap; None and None: of any run."""
    if first is None or last is None:
        return dearest(runs)
    low = max(first - within + 1, 0)
    return max(spent for start, end, spent in steps(runs) if start <= last and (end is None or end >= low))


def charged(runs: str, within: int, first: int | None, last: int | None, amount: int) -> str:
    """Return what was spent of every run after a release of windows; None and None: of everything.

    Examples
    --------
    >>> charged(NOTHING, 12, 5, 5, 7), charged("[7,0,0,7,6,-7]", 12, None, None, 1)
    ('[7,0,0,7,6,-7]', '[8,1,0,7,6,-7]')
    """
    most, everything, changes = _read(runs)
    if first is None or last is None:
        return _written(most + amount, everything + amount, changes)
    for start, change in ((max(first - within + 1, 0), amount), (last + 1, -amount)):
        changes[start] = changes.get(start, 0) + change
    kept = {start: changes[start] for start in sorted(changes) if changes[start]}
    return _written(everything + max(accumulate(kept.values(), initial=0)), everything, kept)


def steps(runs: str) -> Iterator[tuple[int, int | None, int]]:
    """Yield which runs spent as much, by where they begin: the first, the last (None: all later ones), and what.

    Examples
    --------
    >>> list(steps("[8,1,0,7,6,-7]"))
    [(0, 5, 8), (6, None, 1)]
    """
    _, spent, changes = _read(runs)
    start = 0
    for at, change in changes.items():
        if at > start:
            yield start, at - 1, spent
        start, spent = at, spent + change
    yield start, None, spent


def _read(runs: str) -> tuple[int, int, dict[int, int]]:
    found = json.loads(runs)
    if (
        not isinstance(found, list)
        or len(found) < 2
        or len(found) % 2
        or any(type(each) is not int for each in found)
    ):
        raise ValueError("the runs of an account are not a list of integers")
    return found[0], found[1], dict(zip(found[2::2], found[3::2], strict=True))


def _written(most: int, everything: int, changes: dict[int, int]) -> str:
    flat = [most, everything, *(each for pair in changes.items() for each in pair)]
    return "[" + ",".join(map(str, flat)) + "]"
