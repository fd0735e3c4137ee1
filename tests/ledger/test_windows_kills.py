"""A random history of windows, spans, everything, analysts, retries and kills: no run loses more than is said."""

from __future__ import annotations

import json
import random
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edgedp import BudgetError, Graph, Store, StoreError, open_store
from embedded_children import child

MONTHS = {"from": "2020-01-01", "period": "P1M", "are": "final"}
BUDGET, SHARE, WITHIN, LAST = 10, 6, 3, 9
EVER = (-(10**6), 10**6)
KILLS = ("half", "debited", "read", "recorded")
"""In the transaction of the debit, behind it, behind the edges, behind the record."""

Debit = tuple[str, int, int, int]


def lost(debits: list[Debit], start: int) -> int:
    """Return what everything lost that is dated within a run, by brute force: each debit that reads a window of it."""
    return sum(cost for _, first, last, cost in debits if first < start + WITHIN and last >= start)


def dearest(debits: list[Debit]) -> int:
    return max(lost(debits, start) for start in range(LAST + 10))


def span(first: int, last: int) -> str | None:
    names = [f"{2020 + each // 12}-{each % 12 + 1:02d}" for each in (first, last)]
    return None if (first, last) == EVER else "..".join(names)


class History:
    """A store that is asked for releases, by this process or by a child that is killed, beside what it debited."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path, self.chance = path, random.Random(seed)
        self.debits: list[Debit] = []
        self.refused = 0
        dates = np.array([f"2020-{each % 12 + 1:02d}-05" for each in range(12)], dtype="datetime64[s]")
        graph = Graph.from_edges([(each % 4, 4 + each % 3) for each in range(12)], dates=dates)
        with open_store(path) as store:
            store.load(graph, "calls", epsilon_budget=BUDGET, dates=MONTHS, within=WITHIN)
            store.add_analyst("ann")
            store.grant("calls", "ann", SHARE)

    def draw(self) -> Debit:
        """Choose who asks for which windows, and at what cost."""
        who, first = self.chance.choice(("", "", "ann")), self.chance.randint(0, LAST)
        last = first + self.chance.choice((0, 0, 0, 1, 4))
        first, last = EVER if self.chance.random() < 0.1 else (first, last)
        return who, first, last, self.chance.randint(1, 3)

    def fits(self, asked: Debit) -> bool:
        """Whether every run that is read still is within budget and share, by brute force."""
        who, first, last, cost = asked
        touched = [start for start in range(LAST + 10) if first < start + WITHIN and last >= start]
        own = [each for each in self.debits if each[0] == who]
        whole = max(lost(self.debits, start) for start in touched) + cost <= BUDGET
        return whole and (not who or max(lost(own, start) for start in touched) + cost <= SHARE)

    def killed(self, asked: Debit, point: str, request: str) -> bool:
        """Let a child ask that dies at a point; return whether something was debited."""
        who, first, last, cost = asked
        act, at = ("release_half", None) if point == "half" else ("release", point)
        words = (act, self.path, "calls", cost, request, who, "", span(first, last) or "")
        process = child(*words, kill_at=at)
        told, _ = process.communicate(timeout=300)
        if process.returncode != -signal.SIGKILL:
            assert process.returncode == 0, "nothing but a refusal ends a child that is to die"
            assert json.loads(told)["type"] == "BudgetError"
            return False
        assert told == "", "nothing was shown"
        return point != "half"

    def asked(self, store: Store, asked: Debit, request: str | None = None) -> bool:
        who, first, last, cost = asked
        more: dict[str, Any] = {"request_id": request} if request else {}
        more |= {"windows": span(first, last)} if span(first, last) else {}
        try:
            (store.asking_as(who) if who else store).priv_top_k("calls", "degree", 1, cost, **more)
        except BudgetError:
            return False
        return True

    def adds_up(self, store: Store) -> None:
        """Compare account, share and every run with the debits, and the debits with what was declared."""
        own = [each for each in self.debits if each[0] == "ann"]
        budget = store.budget("calls")
        assert budget["epsilon_spent"] == dearest(self.debits) <= BUDGET
        assert store.grants("calls")[0]["epsilon_spent"] == dearest(own) <= SHARE
        assert budget["releases"] == len(self.debits)
        for start, run in enumerate(store.runs("calls")["runs"]):
            assert run["epsilon_spent"] == lost(self.debits, start), run
        assert store.check("calls") == []


@pytest.mark.parametrize("seed", [3])
def test_no_unit_loses_more_than_the_account_says_whatever_is_killed(tmp_path: Path, seed: int) -> None:
    history = History(tmp_path / "graphs.edgedp", seed)
    points: list[str] = []
    for step in range(28):
        asked, request = history.draw(), f"r{step}"
        fits = history.fits(asked)
        point = KILLS[len(points) % 4] if step % 4 == 1 and fits else None
        with open_store(history.path) as store:
            if point is None:
                done = history.asked(store, asked)
                assert done == fits, (asked, history.debits)
                history.refused += not done
            else:
                points.append(point)
                assert history.killed(asked, point, request) == (point != "half")
                done = point != "half"
            history.debits += [asked] if done else []
            history.adds_up(store)
            if point in ("debited", "read") and not asked[0]:
                with pytest.raises(StoreError):
                    history.asked(store, asked, request)  # it was paid, and no answer of it was kept
            elif point == "recorded" and not asked[0]:
                assert history.asked(store, asked, request), "what was kept is shown, and costs nothing"
            history.adds_up(store)
    assert set(points) == set(KILLS)
    assert history.refused > 3
