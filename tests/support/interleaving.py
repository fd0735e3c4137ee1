"""A machine that interleaves everything that may happen to a ledger, against a model of ten lines.

The machine is written once; a store plugs in by a `Place`: how it is opened by several paths in this process, and
asked in a second one, which a rule may tell to die at a named point.
"""

from __future__ import annotations

import contextlib
import json
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, Literal, assert_never

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from edgedp import EdgeDPError, Graph, Release, Store
from edgedp.ledger import ledger
from edgedp.words import vocabulary
from edgedp.words.vocabulary import ACCOUNTS, AccountName
from forks import Process
from killing import Point

__all__ = ["Interleaving", "Place", "costs_of"]

NAMES = ("a", "b")
GRAPHS = {3: [(1, 2), (2, 3)], 5: [(1, 2), (2, 3), (3, 4), (4, 5), (5, 1)]}
RELEASE_POINTS: tuple[Point, ...] = ("debited", "read", "drawn", "recorded")
IN_DEBIT = "in the debit"
"""After the first row that a debit writes: of a release that debits both accounts, between the two."""

Ask = vocabulary.Kind | Literal["age", "degree"]
"""What is asked for: a kind of release, or a percentile of a property that does or does not follow from the edges."""

ASKS: tuple[Ask, ...] = (
    *(kind for kind in vocabulary.KINDS if kind != "percentile"),
    "age",
    "degree",
    "degree",
)


KILLED_ASKS: tuple[Ask, ...] = ("priv_top_k", "age", "degree")


def costs_of(ask: Ask, epsilon: str) -> dict[AccountName, Fraction]:
    """Return what a release debits of each account of its graph."""
    cost = Fraction(epsilon)
    match ask:
        case "age":
            return {"attributes": cost}
        case "degree":
            return {"edges": 2 * cost, "attributes": cost}
        case _:
            return {"edges": cost}


def main_of(ask: Ask) -> AccountName:
    """Return the account whose log holds a release."""
    return "attributes" if ask in ("age", "degree") else "edges"


def graph_of(size: int) -> Graph:
    nodes = list(range(1, size + 1))
    return Graph.from_edges(GRAPHS[size], nodes=nodes, properties={"age": nodes, "degree": nodes[::-1]})


class Place(ABC):
    """An empty store, for one run of the machine."""

    paths: int
    """How many ways lead to it."""

    load_points: tuple[Point, ...] = ()
    """Where a load may be killed so that the old graph stays."""

    @abstractmethod
    def store(self, path: int) -> Store:
        """Open it by a path."""

    @abstractmethod
    def child(self, path: int, *arguments: object, kill_at: Point | None) -> Process:
        """Start a program of `embedded_children` on it, which dies at a point."""

    @abstractmethod
    def impatient(self) -> Store:
        """Open it to wait a moment for others, and no longer."""

    @abstractmethod
    def held(self, name: str) -> AbstractContextManager[None]:
        """Hold the lock of a graph's account, as somebody does whose transaction does not end."""

    @abstractmethod
    def spoiled(self, name: str, which: int) -> AbstractContextManager[bool | None]:
        """Edit or delete something of the ledger's behind its back, and put it back at the end.

        Hands out whether a debit of the graph must be refused meanwhile; None where there is nothing to spoil. What a
        debit may overlook is put back beside what was written meanwhile.
        """

    @abstractmethod
    def older(self) -> Callable[[], AbstractContextManager[None]]:
        """Copy the store; return what puts the copy in its place for a while."""

    @abstractmethod
    def close(self) -> None:
        """Give it up."""


@dataclass
class Purse:
    """One account of a name: what may be spent, what was, in how many releases."""

    budget: Fraction | None = None
    spent: Fraction = Fraction(0)
    releases: int = 0

    def fits(self, cost: Fraction) -> bool:
        return self.budget is not None and self.spent + cost <= self.budget


@dataclass
class Account:
    """The model: the two accounts of a name, what was shown, and what became of each request."""

    purses: dict[AccountName, Purse] = field(default_factory=lambda: {each: Purse() for each in ACCOUNTS})
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    mains: dict[str, AccountName] = field(default_factory=dict)
    asked: dict[str, tuple[Ask, str, str | None]] = field(default_factory=dict)

    def fits(self, costs: Mapping[AccountName, Fraction]) -> bool:
        return all(self.purses[each].fits(cost) for each, cost in costs.items())

    def debit(self, costs: Mapping[AccountName, Fraction]) -> None:
        for each, cost in costs.items():
            purse = self.purses[each]
            purse.spent += cost
            purse.releases += "attributes" not in costs or each == "attributes"
            assert purse.budget is not None
            assert purse.spent <= purse.budget


def released(store: Store, ask: Ask, name: str, epsilon: str, request: str | None) -> Release:
    """Ask for the smallest release of a kind."""
    match ask:
        case "priv_top_k":
            return store.priv_top_k(name, "degree", 1, epsilon, request_id=request)
        case "motkin":
            return store.motkin(
                name, k=1, epsilon=epsilon, mechanism="em", sensitivity="global", request_id=request
            )
        case "count":
            return store.count(name, "degree", epsilon, node=2, request_id=request)
        case "distribution":
            return store.distribution(name, epsilon=epsilon, request_id=request)
        case "summary":
            return store.summary(name, epsilon, request_id=request)
        case "age" | "degree":
            return store.percentile(name, ask, 0.5, epsilon, request_id=request)
        case "percentile":
            raise AssertionError("it is asked for by its property")
        case _:
            assert_never(ask)


class Interleaving(RuleBasedStateMachine):
    """Load, replace, drop, release (with and without request ids), budget, log, by several paths, with kills."""

    place: Place

    @classmethod
    def new_place(cls) -> Place:
        """Return a new empty store."""
        raise NotImplementedError

    def __init__(self) -> None:
        super().__init__()
        self.place = self.new_place()
        self.accounts: dict[str, Account] = {}
        self.sizes: dict[str, int] = {}
        self._now = ledger.now
        self.opened = [self.place.store(path) for path in range(self.place.paths)]

    def teardown(self) -> None:
        ledger.now = self._now
        for store in self.opened:
            store.close()
        self.place.close()

    names = st.sampled_from(NAMES)
    paths = st.integers(0, 3)
    amounts = st.sampled_from(["0.3", "0.5", "1", "2"])
    costs = st.sampled_from(["0.1", "0.25", "0.3", "0.000000001"])

    def by(self, path: int) -> Store:
        return self.opened[path % len(self.opened)]

    @rule(
        name=names,
        path=paths,
        size=st.sampled_from(sorted(GRAPHS)),
        budget=st.none() | amounts,
        of_records=st.none() | amounts,
    )
    def load(self, name: str, path: int, size: int, budget: str | None, of_records: str | None) -> None:
        account = self.accounts.get(name, Account())
        declared: dict[AccountName, str | None] = {"edges": budget, "attributes": of_records}
        fits = all(
            text is None or Fraction(text) >= account.purses[each].spent for each, text in declared.items()
        )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the names share edges, on purpose
                self.by(path).load(
                    graph_of(size), name, epsilon_budget=budget, attribute_epsilon_budget=of_records,
                    replace=name in self.sizes,
                )  # fmt: skip
        except EdgeDPError:
            assert not fits
            return
        assert fits
        if name not in self.accounts:
            self.by(path).attribute(name, "age", 0, 10, points=11)
            self.by(path).attribute(name, "degree", 0, 10, points=11, depends_on="degree")
        self.accounts[name] = account
        self.sizes[name] = size
        for each, text in declared.items():
            account.purses[each].budget = account.purses[each].budget if text is None else Fraction(text)

    @precondition(lambda self: self.sizes)
    @rule(name=names, path=paths)
    def drop(self, name: str, path: int) -> None:
        try:
            self.by(path).drop(name)
        except EdgeDPError:
            assert name not in self.sizes
            return
        del self.sizes[name]

    @precondition(lambda self: self.accounts)
    @rule(name=names, path=paths, budget=amounts, which=st.sampled_from(ACCOUNTS))
    def set_budget(self, name: str, path: int, budget: str, which: AccountName) -> None:
        account = self.accounts.get(name)
        try:
            self.by(path).set_budget(name, budget, attributes=which == "attributes")
        except EdgeDPError:
            assert account is None or Fraction(budget) < account.purses[which].spent
            return
        assert account is not None
        account.purses[which].budget = Fraction(budget)

    @precondition(lambda self: self.sizes)
    @rule(
        name=names,
        path=paths,
        ask=st.sampled_from(ASKS),
        epsilon=costs,
        request=st.sampled_from([None, None, "r1", "r2"]),
    )
    def release(self, name: str, path: int, ask: Ask, epsilon: str, request: str | None) -> None:
        account = self.accounts.get(name)
        costs = costs_of(ask, epsilon)
        try:
            release = released(self.by(path), ask, name, epsilon, request)
        except EdgeDPError:
            assert (
                account is None or name not in self.sizes or request in account.asked or not account.fits(costs)
            )  # fmt: skip
            return
        assert account is not None
        key, shown = release.receipt["release_id"], release.answer.to_json()
        if key in account.answers:
            assert account.asked[str(request)] == (ask, epsilon, key)
            assert account.answers[key] == shown
            return
        self.remember(name, release, ask, epsilon)
        if request is not None:
            assert request not in account.asked
            account.asked[request] = ask, epsilon, key

    def remember(self, name: str, release: Release, ask: Ask, epsilon: str) -> None:
        """Let the model have a release that was paid and shown."""
        account, key = self.accounts[name], release.receipt["release_id"]
        assert account.fits(costs_of(ask, epsilon))
        account.debit(costs_of(ask, epsilon))
        account.answers[key] = release.answer.to_json()
        account.mains[key] = main_of(ask)

    @precondition(lambda self: self.sizes)
    @rule(
        name=names,
        path=paths,
        ask=st.sampled_from(KILLED_ASKS),
        epsilon=costs,
        request=st.sampled_from(["", "k1", "k2"]),
        point=st.sampled_from((*RELEASE_POINTS, IN_DEBIT)),
    )
    def release_killed(
        self,
        name: str,
        path: int,
        ask: Ask,
        epsilon: str,
        request: str,
        point: Point | Literal["in the debit"],
    ) -> None:
        account, costs = self.accounts.get(name), costs_of(ask, epsilon)
        fits = (
            account is not None and name in self.sizes and account.fits(costs) and request not in account.asked
        )  # fmt: skip
        program, kill_at = ("release_half", None) if point == IN_DEBIT else ("release", point)
        named = "" if ask == "priv_top_k" else ask
        process = self.place.child(
            path % self.place.paths, program, name, epsilon, request, "", named, kill_at=kill_at
        )
        shown = process.communicate()[0]
        if not fits:
            if point == IN_DEBIT and process.returncode < 0:
                return  # one of two accounts would have paid; nothing was committed, of neither
            assert process.returncode == 0
            assert "error" in json.loads(shown) or (account is not None and request in account.asked)
            return
        assert account is not None
        assert process.returncode < 0, "killed at its point"
        assert shown == ""
        if point == IN_DEBIT:
            return  # nothing was committed, of neither account
        account.debit(costs)
        if request:
            account.asked[request] = ask, epsilon, None

    @precondition(lambda self: self.sizes and self.place.load_points)
    @rule(name=names, path=paths, point=st.integers(0, 9))
    def replace_killed(self, name: str, path: int, point: int) -> None:
        if name not in self.sizes or self.accounts[name].purses["edges"].spent > 3:
            return
        points = self.place.load_points
        process = self.place.child(path % self.place.paths, "load", name, kill_at=points[point % len(points)])
        process.communicate()
        assert process.returncode < 0

    @rule(days=st.sampled_from([-4000, -1, 0, 1, 4000]))
    def set_the_clock(self, days: int) -> None:
        """Let all rows from now on have times of another day."""
        ledger.now = lambda: (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="microseconds")

    @precondition(lambda self: self.sizes)
    @rule(name=names, path=paths, epsilon=costs, which=st.integers(0, 10**6))
    def release_from_a_spoiled_ledger(self, name: str, path: int, epsilon: str, which: int) -> None:
        """Whatever somebody edits or deletes: a release is refused, or it is a release as any other."""
        if name not in self.sizes:
            return
        release = None
        with self.place.spoiled(name, which) as refuses:
            if refuses is None:
                return
            with contextlib.suppress(EdgeDPError):
                release = self.by(path).priv_top_k(name, "degree", 1, epsilon)
            with contextlib.suppress(EdgeDPError):  # a damaged file says so
                assert self.by(path).check(name) or not refuses
        if release is None:
            return
        assert not refuses, "drawn from an edited ledger"
        self.remember(name, release, "priv_top_k", epsilon)

    @precondition(lambda self: self.sizes)
    @rule(name=names, epsilon=costs)
    def release_behind_somebody_who_holds_on(self, name: str, epsilon: str) -> None:
        """Who waits too long is refused, and has paid nothing: the invariants compare."""
        if name not in self.sizes:
            return
        with self.place.held(name), self.place.impatient() as store, pytest.raises(EdgeDPError):
            store.priv_top_k(name, "degree", 1, epsilon)

    @precondition(lambda self: self.sizes)
    @rule(name=names, path=paths, epsilon=costs, again=st.booleans())
    def release_from_an_older_copy(self, name: str, path: int, epsilon: str, again: bool) -> None:
        """A copy of before, put in the store's place: whoever has seen what was paid since draws nothing from it."""
        cost: dict[AccountName, Fraction] = {"edges": Fraction(epsilon)}
        if name not in self.sizes or not self.accounts[name].fits(cost):
            return
        put = self.place.older()
        request = f"copied {len(self.accounts[name].answers)}"
        self.release(name, path, "priv_top_k", epsilon, request)
        with put(), pytest.raises(EdgeDPError):
            self.by(path).priv_top_k(name, "degree", 1, epsilon, request_id=request if again else None)

    @invariant()
    def lists_are_in_the_order_of_the_debits(self) -> None:
        for name, account in self.accounts.items():
            own = [key for which in ACCOUNTS for key in account.answers if account.mains[key] == which]
            listed = [row["release_id"] for row in self.by(0).releases(name)]
            assert [each for each in listed if each in account.answers] == own
            half = listed[: len(listed) // 2]
            assert listed[len(half) :] == [
                row["release_id"] for row in self.by(1).releases(name, since=half[-1] if half else None)
            ]
            assert (
                half
                == [row["release_id"] for row in self.by(2).releases(name, limit=len(half) or 1)][: len(half)]
            )

    @invariant()
    def the_store_says_what_the_model_says(self) -> None:
        for number, (name, account) in enumerate(self.accounts.items()):
            said = self.by(number + len(account.answers)).budget(name)
            for each, purse in account.purses.items():
                shown: Any = said if each == "edges" else said["attributes"]
                assert Fraction(round(shown["epsilon_spent"] * 10**9), 10**9) == purse.spent
                assert shown["releases"] == purse.releases
                assert shown["epsilon_budget"] == (None if purse.budget is None else float(purse.budget))

    @invariant()
    def nothing_shown_is_ever_forgotten(self) -> None:
        for name, account in self.accounts.items():
            kept: dict[str, Mapping[str, Any]] = {row["release_id"]: row for row in self.by(0).releases(name)}
            for key, answer in account.answers.items():
                assert {part: kept[key][part] for part in answer} == answer
            for each, purse in account.purses.items():
                assert self.by(1).log(name, each)[-1]["epsilon_spent"] == float(purse.spent)

    @invariant()
    def graphs_are_whole(self) -> None:
        if self.accounts:
            assert {row["name"] for row in self.by(2).graphs()} == set(self.sizes)
