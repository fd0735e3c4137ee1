"""Analysts, grants, releases, retries, lost draws and revocations, interleaved, against a model of a few lines."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from edgedp import (
    AccessError,
    BudgetError,
    EdgeDPError,
    Graph,
    ParameterError,
    Store,
    StoreError,
    UnknownNameError,
    open_store,
)
from edgedp.stores.people.asker import Asker
from edgedp.stores.releases.analyst import AnalystStore
from neo4jserver import Server

ANALYSTS = ("ann", "bob")
DIRECT = ""
COSTS = ("0.1", "0.25", "0.000000001")


@dataclass
class Share:
    """What an analyst may spend, and spent; of the direct callers nothing but what they asked."""

    budget: Fraction | None = None
    spent: Fraction = Fraction(0)
    answers: dict[str, list[Any]] = field(default_factory=dict)
    asked: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    lost: int = 0


class Shares(RuleBasedStateMachine):
    """Whatever happens: spent is the sum of what was debited, never above the share or the budget."""

    def open(self) -> Store:
        """Return an empty store."""
        self.folder = Path(tempfile.mkdtemp(prefix="edgedp-shares-"))
        return open_store(self.folder / "graphs.edgedp")

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __init__(self) -> None:
        super().__init__()
        self.store = self.open()
        self.store.load(Graph.from_edges([(1, 2), (2, 3)]), "g", epsilon_budget=1)
        self.budget = Fraction(1)
        self.shares = {name: Share() for name in (DIRECT, *ANALYSTS)}
        self.tokens = {name: self.store.add_analyst(name)["token"] for name in ANALYSTS}
        self.revoked: set[str] = set()

    who = st.sampled_from((DIRECT, *ANALYSTS))
    analysts = st.sampled_from(ANALYSTS)
    amounts = st.sampled_from(["0", "0.25", "0.3", "0.75", "2"])

    @property
    def spent(self) -> Fraction:
        return sum((share.spent for share in self.shares.values()), Fraction(0))

    def asker(self, who: str) -> Store | Asker:
        return self.store if who == DIRECT else self.store.asking_as(who)

    @rule(analyst=analysts, amount=amounts)
    def grant(self, analyst: str, amount: str) -> None:
        share = self.shares[analyst]
        try:
            self.store.grant("g", analyst, amount)
        except EdgeDPError:
            assert analyst in self.revoked or Fraction(amount) < share.spent
            return
        assert analyst not in self.revoked
        share.budget = Fraction(amount)

    @rule(amount=amounts)
    def set_budget(self, amount: str) -> None:
        try:
            self.store.set_budget("g", amount)
        except EdgeDPError:
            assert Fraction(amount) < self.spent
            return
        self.budget = Fraction(amount)

    @rule(
        who=who,
        epsilon=st.sampled_from(COSTS),
        request=st.sampled_from([None, None, "r", "s"]),
        lost=st.booleans(),
    )
    def release(self, who: str, epsilon: str, request: str | None, lost: bool) -> None:
        share, cost = self.shares[who], Fraction(epsilon)
        real = AnalystStore._record
        if lost:
            AnalystStore._record = not_kept  # type: ignore[assignment,method-assign]
        try:
            shown = self.asker(who).priv_top_k("g", "degree", 1, epsilon, request_id=request).to_dict()
        except AccessError:
            assert who in self.revoked
            return
        except UnknownNameError:
            assert who != DIRECT
            assert share.budget is None, "who has no share does not learn that the graph is there"
            return
        except BudgetError as refused:
            assert request not in share.asked
            short = who != DIRECT and share.budget is not None and share.spent + cost > share.budget
            said = str(refused)
            assert ("share" in said) == short, "the share is refused before the budget"
            assert short or self.spent + cost > self.budget
            return
        except ParameterError:
            assert share.asked[str(request)][0] != epsilon
            return
        except StoreError:
            if request in share.asked:
                assert share.asked[request] == (epsilon, None), "lost before"
            else:
                assert lost
                self.debited(who, cost)
                share.lost += 1
                if request is not None:
                    share.asked[request] = epsilon, None
            return
        finally:
            AnalystStore._record = real  # type: ignore[method-assign]
        assert who not in self.revoked
        key = shown["release_id"]
        if key in share.answers:
            assert request is not None
            assert share.asked[request] == (epsilon, key)
            assert share.answers[key] == shown["nodes"]
            return
        assert not lost
        assert request not in share.asked
        self.debited(who, cost)
        share.answers[key] = shown["nodes"]
        if request is not None:
            share.asked[request] = epsilon, key

    def debited(self, who: str, cost: Fraction) -> None:
        share = self.shares[who]
        share.spent += cost
        assert self.spent <= self.budget
        assert who == DIRECT or (share.budget is not None and share.spent <= share.budget)

    @rule(analyst=analysts)
    def rotate(self, analyst: str) -> None:
        before = self.tokens[analyst]
        try:
            self.tokens[analyst] = self.store.rotate_analyst(analyst)["token"]
        except EdgeDPError:
            assert analyst in self.revoked
            return
        assert analyst not in self.revoked
        assert self.store.identify(before) is None

    @rule(analyst=analysts, sure=st.integers(0, 3))
    def revoke(self, analyst: str, sure: int) -> None:
        if sure == 0 and analyst not in self.revoked:
            self.store.revoke_analyst(analyst)
            self.revoked.add(analyst)

    @invariant()
    def the_store_says_what_the_model_says(self) -> None:
        said = {row["analyst"]: row for row in self.store.grants("g")}
        assert set(said) == {name for name in ANALYSTS if self.shares[name].budget is not None}
        for name, row in said.items():
            assert exact(row["epsilon_spent"]) == self.shares[name].spent
            assert exact(row["epsilon_budget"]) == self.shares[name].budget
        assert exact(self.store.budget("g")["epsilon_spent"]) == self.spent
        assert self.store.check("g") == []

    @invariant()
    def each_sees_its_own(self) -> None:
        for name in ANALYSTS:
            person = self.store.identify(self.tokens[name])
            assert (None if person is None else person.name) == (None if name in self.revoked else name)
            if name not in self.revoked:
                share, own = self.shares[name], self.store.asking_as(name).releases()
                assert {row["release_id"]: row["nodes"] for row in own if row["nodes"]} == share.answers
                assert len(own) == len(share.answers) + share.lost


def not_kept(*_: Any) -> None:
    raise StoreError("the machine stopped here")


def exact(amount: float) -> Fraction:
    return Fraction(round(amount * 10**9), 10**9)


TestShares = Shares.TestCase
TestShares.settings = settings(
    max_examples=5, stateful_step_count=12, phases=(Phase.explicit, Phase.reuse, Phase.generate)
)


@pytest.mark.slow
def test_many_histories_exceed_nothing() -> None:
    run_state_machine_as_test(Shares, settings=settings(max_examples=200, stateful_step_count=40))  # type: ignore[no-untyped-call]


def test_a_few_histories_on_neo4j_exceed_nothing(neo4j_server: Server) -> None:
    class Database(Shares):
        def open(self) -> Store:
            self.folder = Path()
            neo4j_server.wipe()
            return open_store(neo4j_server.uri, auth=neo4j_server.auth)

        def teardown(self) -> None:
            self.store.close()

    options = settings(
        max_examples=2, stateful_step_count=8, derandomize=True, database=None, deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    run_state_machine_as_test(Database, settings=options)  # type: ignore[no-untyped-call]
