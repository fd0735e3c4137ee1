"""A machine that interleaves everything that may happen to a ledger, against a model of ten lines.

The machine is written once; a store plugs in by a `Place`: how it is opened by several paths in this process, and
asked in a second one, which a rule may tell to die at a named point.
"""

from __future__ import annotations

import json
import subprocess
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, assert_never

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from edgedp import EdgeDPError, Graph, Release, Store, vocabulary
from edgedp.stores.killpoints import Point

__all__ = ["Interleaving", "Place"]

NAMES = ("a", "b")
GRAPHS = {3: [(1, 2), (2, 3)], 5: [(1, 2), (2, 3), (3, 4), (4, 5), (5, 1)]}
RELEASE_POINTS: tuple[Point, ...] = ("debited", "read", "drawn", "recorded")


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
    def child(self, path: int, *arguments: object, kill_at: Point) -> subprocess.Popen[str]:
        """Start a program of `embedded_children` on it, which dies at a point."""

    @abstractmethod
    def close(self) -> None:
        """Give it up."""


@dataclass
class Account:
    """The model: what a name may spend, and what it paid for which releases."""

    budget: Fraction | None = None
    paid: dict[str, Fraction] = field(default_factory=dict)
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: dict[str, tuple[Any, str | None]] = field(default_factory=dict)
    lost: int = 0
    lost_cost: Fraction = Fraction(0)

    @property
    def spent(self) -> Fraction:
        return sum(self.paid.values(), self.lost_cost)


def released(store: Store, kind: vocabulary.Kind, name: str, epsilon: str, request: str | None) -> Release:
    """Ask for the smallest release of a kind."""
    match kind:
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
        case "percentile":
            raise AssertionError("it debits another account, which the model does not have")
        case _:
            assert_never(kind)


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
        self.opened = [self.place.store(path) for path in range(self.place.paths)]

    def teardown(self) -> None:
        for store in self.opened:
            store.close()
        self.place.close()

    names = st.sampled_from(NAMES)
    paths = st.integers(0, 3)
    amounts = st.sampled_from(["0.3", "0.5", "1", "2"])
    costs = st.sampled_from(["0.1", "0.25", "0.3", "0.000000001"])

    def by(self, path: int) -> Store:
        return self.opened[path % len(self.opened)]

    @rule(name=names, path=paths, size=st.sampled_from(sorted(GRAPHS)), budget=st.none() | amounts)
    def load(self, name: str, path: int, size: int, budget: str | None) -> None:
        account = self.accounts.get(name, Account())
        fits = budget is None or Fraction(budget) >= account.spent
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the names share edges, on purpose
                graph = Graph.from_edges(GRAPHS[size])
                self.by(path).load(graph, name, epsilon_budget=budget, replace=name in self.sizes)
        except EdgeDPError:
            assert not fits
            return
        assert fits
        self.accounts[name] = account
        self.sizes[name] = size
        account.budget = account.budget if budget is None else Fraction(budget)

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
    @rule(name=names, path=paths, budget=amounts)
    def set_budget(self, name: str, path: int, budget: str) -> None:
        account = self.accounts.get(name)
        try:
            self.by(path).set_budget(name, budget)
        except EdgeDPError:
            assert account is None or Fraction(budget) < account.spent
            return
        assert account is not None
        account.budget = Fraction(budget)

    @precondition(lambda self: self.sizes)
    @rule(
        name=names,
        path=paths,
        kind=st.sampled_from([kind for kind in vocabulary.KINDS if kind != "percentile"]),
        epsilon=costs,
        request=st.sampled_from([None, None, "r1", "r2"]),
    )
    def release(self, name: str, path: int, kind: vocabulary.Kind, epsilon: str, request: str | None) -> None:
        account = self.accounts.get(name)
        try:
            release = released(self.by(path), kind, name, epsilon, request)
        except EdgeDPError:
            asked = None if account is None or request is None else account.asked.get(request)
            assert (
                account is None or name not in self.sizes or asked is not None or account.budget is None
                or account.spent + Fraction(epsilon) > account.budget
            )  # fmt: skip
            return
        assert account is not None
        key, shown = release.receipt["release_id"], release.answer.to_json()
        if key in account.paid:
            assert request is not None
            assert account.answers[key] == shown
            return
        account.paid[key] = Fraction(epsilon)
        account.answers[key] = shown
        assert account.budget is not None
        assert account.spent <= account.budget
        if request is not None:
            assert request not in account.asked
            account.asked[request] = epsilon, key

    @precondition(lambda self: self.sizes)
    @rule(
        name=names,
        path=paths,
        epsilon=costs,
        request=st.sampled_from(["", "k1", "k2"]),
        point=st.sampled_from(RELEASE_POINTS),
    )
    def release_killed(self, name: str, path: int, epsilon: str, request: str, point: Point) -> None:
        account = self.accounts.get(name)
        fits = (
            account is not None and name in self.sizes and account.budget is not None
            and account.spent + Fraction(epsilon) <= account.budget and request not in account.asked
        )  # fmt: skip
        process = self.place.child(path % self.place.paths, "release", name, epsilon, request, kill_at=point)
        shown = process.communicate()[0]
        if not fits:
            assert process.returncode == 0
            assert "error" in json.loads(shown) or (account is not None and request in account.asked)
            return
        assert account is not None
        assert process.returncode < 0, "killed at its point"
        assert shown == ""
        account.lost += 1
        account.lost_cost += Fraction(epsilon)
        if request:
            account.asked[request] = epsilon, None

    @precondition(lambda self: self.sizes and self.place.load_points)
    @rule(name=names, path=paths, point=st.integers(0, 9))
    def replace_killed(self, name: str, path: int, point: int) -> None:
        if name not in self.sizes or self.accounts[name].spent > 3:
            return
        points = self.place.load_points
        process = self.place.child(path % self.place.paths, "load", name, kill_at=points[point % len(points)])
        process.communicate()
        assert process.returncode < 0

    @invariant()
    def the_store_says_what_the_model_says(self) -> None:
        for number, (name, account) in enumerate(self.accounts.items()):
            store = self.by(number + len(account.paid))
            said = store.budget(name)
            assert Fraction(round(said["epsilon_spent"] * 10**9), 10**9) == account.spent
            assert said["releases"] == len(account.paid) + account.lost
            assert said["epsilon_budget"] == (None if account.budget is None else float(account.budget))

    @invariant()
    def nothing_shown_is_ever_forgotten(self) -> None:
        for name, account in self.accounts.items():
            kept: dict[str, Mapping[str, Any]] = {row["release_id"]: row for row in self.by(0).releases(name)}
            for key, answer in account.answers.items():
                assert {part: kept[key][part] for part in answer} == answer
            assert self.by(1).log(name)[-1]["epsilon_spent"] == float(account.spent)

    @invariant()
    def graphs_are_whole(self) -> None:
        if self.accounts:
            assert {row["name"] for row in self.by(2).graphs()} == set(self.sizes)
