"""What an account, a share and a question say by their amounts alone: no store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from edgedp.ledger.account import Account, account_of
from edgedp.ledger.calendars.runs import NOTHING, Reach, charged
from edgedp.ledger.calendars.spans import dated
from edgedp.ledger.debits.question import Question, asked_before
from edgedp.ledger.script import Row, Runner
from edgedp.ledger.shares import Share
from edgedp.release.plan import Charge, PublicFacts
from edgedp.words.amounts.epsilon import NANO
from edgedp.words.amounts.rho import ATTO
from edgedp.words.dates.calendar import calendar_of

MONTHS = calendar_of("2024-01-01", "P1M", dates="final", within=2)


def test_a_release_of_windows_is_compared_with_the_dearest_run_of_all_of_them() -> None:
    account = Account(10, 10, 7, runs=charged(NOTHING, 2, 3, 3, 7))
    assert [account.over(Reach(2, first, 9)).spent for first in (3, 4, 5)] == [7, 7, 0]
    share, charge = Share("kite", "ann", "edges", account), Charge("edges", 4, 1)
    assert [share.fits(charge, Reach(2, first, 9)) for first in (3, 4, 5)] == [False, False, True]


def test_the_run_that_is_named_is_the_one_of_which_the_most_was_spent() -> None:
    spent = charged(charged(NOTHING, 2, 1, 1, 5), 2, 6, 6, 7)
    shown = dated(Account(10, 10, 12, calendar=MONTHS, runs=spent))
    assert shown["dearest_run"] == MONTHS.between(5, 6).shown


@pytest.mark.parametrize(
    ("limit", "cost", "fits"),
    [(NANO, NANO, True), (NANO, NANO + 1, False), (NANO // 2000, NANO // 1000, False)],
)
def test_the_limit_of_a_release_is_its_epsilon_also_where_a_delta_is_declared(
    limit: int, cost: int, fits: bool
) -> None:
    account = Account(9 * NANO, 10**15, 0, limit=limit, delta=ATTO // 10**6)
    assert account.fits(Charge("edges", cost, 2)) is fits


def test_what_is_affordable_is_never_more_than_was_declared() -> None:
    account = Account(NANO, 10**15, 0, delta=ATTO // 10**6)
    assert account.affordable(Charge("edges", NANO, 2)) == NANO


def test_a_request_may_have_its_debit_in_either_account() -> None:
    class Kept(Runner):
        def run(self, statement: str, identifiers: Any = None, **asked: Any) -> list[Row]:
            wanted = {"name": account_of("kite", "attributes"), "analyst": "ann", "requestId": "a"}
            return [{"found": 1}] if (statement, asked) == ("request_find", wanted) else []

    assert asked_before(Kept(), "kite", "ann", "a") == {"found": 1}
    assert asked_before(Kept(), "kite", "bob", "a") is None


@pytest.mark.parametrize(("deltas", "declared"), [((None, 5), True), ((5, 5), True), ((None, None), False)])
def test_a_delta_of_one_of_several_accounts_counts(deltas: tuple[int | None, ...], declared: bool) -> None:
    own = Account(1, 1, 0)
    asked = Question("priv_top_k", {}, own, {}, beside=[replace(own, delta=each) for each in deltas])
    assert asked.told(PublicFacts(9)).delta_declared is declared
