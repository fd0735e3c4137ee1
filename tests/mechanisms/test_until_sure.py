"""Spend until a list is sure enough: noise that shrinks, steps that follow from released values, debits first."""

from __future__ import annotations

import json
import math
import signal
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import edgedp
from edgedp import BudgetError, Graph, ParameterError, RequestConflictError, open_store
from edgedp.exact.audit.blackbox import epsilon_lower_bound
from edgedp.faces.cli import edgedp as command_line
from edgedp.faces.cli.commands import analyst
from edgedp.ledger.debits import debiting
from edgedp.ledger.log import history
from edgedp.mechanisms.adaptive import until_sure
from edgedp.mechanisms.adaptive.choice import Degrees, Lists
from edgedp.mechanisms.adaptive.purchases import Bought, Purchase, seen_degrees
from edgedp.mechanisms.adaptive.until_sure import Look, Prepaid, Sought, Step, next_step
from edgedp.mechanisms.adaptive.vectors import NoisyCutVector, NoisyVector, Vector, cut_bits, cut_moves
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.sampling.geometric import Refinable
from edgedp.mechanisms.sampling.words import GeneratorWords, SecureWords
from edgedp.mechanisms.sure.lists import Sureness
from edgedp.release.draw import draw
from edgedp.release.plan import PublicFacts
from edgedp.release.plan import plan as plan_of_it
from edgedp.release.release import Release
from edgedp.stores.people.asker import Asker
from edgedp.words.amounts.epsilon import NANO, epsilon_nano
from edgedp.words.amounts.rungs import rungs
from embedded_children import child, status
from looped import as_one

PUBLIC = np.random.default_rng


def hubs(seed: int = 1, nodes: int = 300, leaves: int = 120) -> Graph:
    """Twelve hubs of falling degree, whose leaves are drawn evenly."""
    random = PUBLIC(seed)
    edges = {
        (hub, int(leaf))
        for hub in range(12)
        for leaf in random.choice(np.arange(12, nodes), leaves - 8 * hub, replace=False)
    }
    return Graph.from_edges(sorted(edges), nodes=range(nodes))


HUBS = hubs()
ASKED: dict[str, Any] = {"metric": "ebc", "k": 5, "epsilon": 6, "target_recall": 0.8}


# -- the noise ---------------------------------------------------------------------------------------------


def test_a_half_is_the_smaller_of_two_and_the_scales_add_up_like_resistances() -> None:
    words = GeneratorWords(PUBLIC(1))
    wide = Refinable.drawn(2_000, Fraction(7), words)
    narrow = wide.refined(Fraction(7, 3), words)
    assert narrow.scale == Fraction(7, 4)
    assert (narrow.plus <= wide.plus).all()
    assert (narrow.minus <= wide.minus).all()
    assert (narrow.plus < wide.plus).any()


def test_refined_noise_has_the_law_of_noise_that_was_drawn_at_once_and_hides_what_is_gone() -> None:
    """Cells of (what is left, what is gone) against the exact law: they are independent, and geometric each."""
    count, first, more = 200_000, Fraction(3), Fraction(2)
    words = GeneratorWords(PUBLIC(7))
    wide = Refinable.drawn(count, first, words)
    narrow = wide.refined(more, words)
    q, r = math.exp(-1 / first), math.exp(-1 / more)
    both = q * r
    for was, now in ((wide.plus, narrow.plus), (wide.minus, narrow.minus)):
        gone = was - now
        for left, lost in product(range(4), range(4)):
            of_left = (1 - both) * both**left
            of_lost = (
                (1 - q) / (1 - both) if lost == 0 else (1 - (1 - q) / (1 - both)) * (1 - q) * q ** (lost - 1)
            )
            expected = count * of_left * of_lost
            found = int(((now == left) & (gone == lost)).sum())
            assert abs(found - expected) < 6 * math.sqrt(expected), (left, lost)


def joint_law(q: float, r: float, most: int = 90) -> dict[tuple[int, int], float]:
    """Return the probabilities of (first noise, refined noise) by enumerating the halves, whatever the lemma says."""
    half: dict[tuple[int, int], float] = {}
    for was in range(most):
        for now in range(was + 1):
            tail = r**was if now == was else (1 - r) * r**now
            half[was, now] = (1 - q) * q**was * tail
    size = 2 * most - 1
    grid = np.zeros((size, size))
    table = np.zeros((most, most))
    for (was, now), chance in half.items():
        table[was, now] = chance
    # The difference of two independent halves is a correlation of their tables.
    grid = np.fft.irfft2(
        np.fft.rfft2(table, (size, size)) * np.conj(np.fft.rfft2(table, (size, size))), (size, size)
    )
    return {(a, b): float(grid[a, b]) for a, b in product(range(-12, 13), range(-12, 13))}


def test_both_looks_have_the_law_whose_loss_is_paid_and_every_entry_its_own_noise() -> None:
    """The halves together: two that were refined by the same words would each have their law, and cancel."""
    count, first, more = 200_000, Fraction(7, 10), Fraction(11, 10)
    words = GeneratorWords(PUBLIC(8))
    wide = Refinable.drawn(count, 1 / first, words)
    narrow = wide.refined(1 / more, words)
    for (was, now), chance in joint_law(math.exp(-first), math.exp(-more)).items():
        if (expected := count * chance) > 20:
            found = int(((wide.noise == was) & (narrow.noise == now)).sum())
            assert abs(found - expected) < 6 * math.sqrt(expected), (was, now)
    both = math.exp(-(first + more))
    for one, other in product(range(-2, 3), repeat=2):
        expected = count * ((1 - both) / (1 + both)) ** 2 * both ** (abs(one) + abs(other))
        found = int(((narrow.noise[:-1] == one) & (narrow.noise[1:] == other)).sum())
        assert abs(found - expected) < 6 * math.sqrt(expected), (one, other)


@pytest.mark.parametrize(("first", "more"), [(0.7, 0.7), (0.4, 1.1), (1.5, 0.2)])
def test_what_two_looks_lose_is_what_was_paid_until_the_last_one(first: float, more: float) -> None:
    """One entry that differs by one: after the first look its loss is ``first``, after both ``first + more``."""
    law = joint_law(math.exp(-first), math.exp(-more))
    stopped: dict[int, float] = {}
    for (was, _), chance in law.items():
        stopped[was] = stopped.get(was, 0) + chance
    inner = range(-5, 5)
    alone = max(abs(math.log(stopped[z] / stopped[z + 1])) for z in inner)
    twice = max(
        abs(math.log(law[a, b] / law[a + 1, b + 1]))
        for a, b in product(inner, inner)
        if min(law[a, b], law[a + 1, b + 1]) > 1e-9
    )
    assert alone == pytest.approx(first, abs=1e-3)
    assert twice == pytest.approx(first + more, abs=1e-5)


def test_three_looks_lose_what_was_paid_until_the_last_one_on_every_pair_of_small_graphs() -> None:
    """Every prefix of every transcript, and so every stopping rule: a rule only says which prefixes are seen.

    From the halves, without the lemma. One edge moves two entries by one each, on all graphs of three and four nodes.
    """
    for nodes in (3, 4):
        pairs = [(a, b) for a in range(nodes) for b in range(a)]
        for mask in range(1 << len(pairs)):
            there = [pair for i, pair in enumerate(pairs) if mask >> i & 1]
            for absent in set(pairs) - set(there):
                less = np.bincount(np.array(there, dtype=int).ravel(), minlength=nodes)
                more = np.bincount(np.array([*there, absent]).ravel(), minlength=nodes)
                assert sorted((more - less).tolist(), reverse=True) == [1, 1] + [0] * (nodes - 2)
    parts = (0.5, 0.6, 0.9)
    first, second, third = (math.exp(-each) for each in parts)
    most = 30  # what is left out has a chance of exp(-15)
    table = np.zeros((most,) * 3)
    for was, then in product(range(most), range(most)):
        if then <= was:
            tail = second**was if then == was else (1 - second) * second**then
            now = np.arange(then + 1)
            last = np.where(now == then, third**then, (1 - third) * third**now)
            table[was, then, : then + 1] = (1 - first) * first**was * tail * last
    size = (2 * most - 1,) * 3
    found = np.fft.rfftn(table, size, axes=(0, 1, 2))
    law = np.fft.irfftn(found * np.conj(found), size, axes=(0, 1, 2))
    inner = np.arange(-3, 3)
    grids = {
        1: law.sum(axis=(1, 2))[inner], 2: law.sum(axis=2)[np.ix_(inner, inner)], 3: law[np.ix_(inner, inner, inner)]
    }  # fmt: skip
    beside = {
        1: law.sum(axis=(1, 2))[inner + 1],
        2: law.sum(axis=2)[np.ix_(inner + 1, inner + 1)],
        3: law[np.ix_(inner + 1, inner + 1, inner + 1)],
    }
    for looks in (1, 2, 3):
        likely = np.minimum(grids[looks], beside[looks]) > 1e-6
        loss = np.abs(np.log(grids[looks][likely] / beside[looks][likely]))
        assert 2 * loss.max() == pytest.approx(2 * sum(parts[:looks]), abs=2e-3)


def test_fresh_noise_in_place_of_the_smaller_half_would_cost_more() -> None:
    """The sabotage of the lemma: both looks drawn anew lose the sum over the looks, ``2 first + more``."""
    first, more = 0.7, 0.7
    one, two = math.exp(-first), math.exp(-(first + more))
    loss = max(
        abs(math.log(one ** abs(a) * two ** abs(b)) - math.log(one ** abs(a + 1) * two ** abs(b + 1)))
        for a, b in product(range(-5, 5), repeat=2)
    )
    assert loss == pytest.approx(2 * first + more)


# -- the steps ---------------------------------------------------------------------------------------------


def look(spent: int, recalls: tuple[float, ...], *noisy: int, cuts: int = 0, cap: int = 0) -> Look:
    degrees = Bought(
        Purchase(Degrees(), Fraction(spent - cuts, NANO)), NoisyVector(np.array(noisy), Fraction(2))
    )
    vectors: tuple[Bought, ...] = (degrees,)
    if cuts:
        vectors += (
            Bought(Purchase(Lists(cap), Fraction(cuts, NANO)), NoisyVector(np.array(noisy), Fraction(2))),
        )
    return Look(spent, vectors, np.arange(2), Sureness((recalls[-1],), (), None), recalls[:-1])


FALLING = (900, 800, 700, *[0] * 97)


def sought(most: float = 1, target: str = "0.9", *, cuts: bool = True) -> Sought:
    return Sought(100, 99, 2, round(most * NANO), Fraction(target), cuts)


def test_the_steps_are_a_function_of_what_was_released() -> None:
    first = next_step(sought(), None)
    assert first == Step(degrees=NANO // 64)
    assert next_step(sought(), look(NANO // 64, (0.95,), *FALLING)) == "reached"
    assert next_step(sought(), look(NANO, (0.5,), *FALLING)) == "spent"
    flat = (0.6, 0.7, 0.7, 0.7, 0.7, 0.71)
    assert next_step(sought(), look(NANO // 8, flat, *FALLING)) == "flat"
    assert next_step(sought(), look(NANO // 8, (0.1,) * 6, *FALLING)) != "flat"
    few = next_step(sought(), look(NANO // 64, (0.5,), *(5, 4, 3, *[0] * 97)))
    assert few == Step(degrees=rungs(NANO)[1] - NANO // 64)
    bought = next_step(sought(), look(NANO // 8, (0.5,), *FALLING))
    assert isinstance(bought, Step)
    assert (bought.degrees, bought.cuts) == (0, 3 * (NANO // 8))
    assert bought.choice is not None
    assert next_step(sought(cuts=False), look(NANO // 64, (0.5,), *FALLING)) == few


def test_the_last_step_spends_what_is_left_where_no_rung_is_far_enough() -> None:
    spent = NANO - NANO // 10
    assert next_step(sought(cuts=False), look(spent, (0.5,), *FALLING)) == Step(degrees=NANO // 10)
    assert next_step(sought(cuts=False), look(NANO // 2, (0.5,), *FALLING)) != Step(degrees=NANO // 2)


def test_a_refinement_goes_to_both_and_a_cap_that_doubled_is_bought_anew_for_what_the_old_vector_had() -> (
    None
):
    had = 3 * NANO // 8
    spent = had + NANO // 8
    both = next_step(sought(), look(spent, (0.5,), *FALLING, cuts=had, cap=99))
    assert isinstance(both, Step)
    assert both.choice is None
    assert both.cuts == pytest.approx(3 * both.degrees, abs=4)
    anew = next_step(sought(), look(spent, (0.5,), *FALLING, cuts=had, cap=20))
    assert isinstance(anew, Step)
    assert (anew.degrees, anew.cuts) == (0, had)
    assert anew.choice is not None
    assert anew.choice.cap >= 40
    rest = next_step(sought((spent + had / 2) / NANO), look(spent, (0.5,), *FALLING, cuts=had, cap=20))
    assert isinstance(rest, Step)
    assert rest.choice is None
    assert rest.cost <= had / 2 + 1


@as_one
@pytest.mark.parametrize("most", [1, 2, 63, 64, 12_345, NANO, 10**18])
def test_the_rungs_rise_to_the_most_and_no_step_is_free(most: int) -> None:
    found = rungs(most)
    assert found[-1] == most
    assert all(a < b for a, b in pairwise([0, *found]))


def test_the_rungs_are_a_64th_times_powers_of_the_root_of_two() -> None:
    found = rungs(64 * NANO)
    assert len(found) == 13
    for power, total in enumerate(found):
        assert total**2 <= NANO**2 * 2**power < (total + 1) ** 2


def test_a_step_makes_the_noise_that_there_is_smaller_and_says_what_its_vector_has_cost() -> None:
    """Fresh noise in its place would be a second release of the same vector, which was not paid for."""
    vectors = until_sure._Vectors(sought(), GraphProjection(hubs()), SecureWords())
    steps = [
        Step(degrees=NANO // 50),
        Step(degrees=NANO // 9),
        Step(cuts=NANO // 7, choice=Lists(8)),
        Step(degrees=NANO // 11, cuts=NANO // 3),
        Step(cuts=NANO // 5, choice=Lists(20)),
    ]
    paid_degrees = paid_cuts = 0
    halves: list[Any] = []
    for step in steps:
        bought = vectors.buy(step)
        paid_degrees += step.degrees
        paid_cuts = step.cuts + (0 if step.choice else paid_cuts)
        noise = vectors._degrees_noise
        assert noise is not None
        assert bought[0].purchase.epsilon == Fraction(paid_degrees, NANO)
        assert bought[0].vector.noise == noise.scale == 2 / Fraction(paid_degrees, NANO)
        if halves:
            assert (noise.plus <= halves[-1][0]).all()
            assert (noise.minus <= halves[-1][1]).all()
        halves.append((noise.plus, noise.minus))
        if paid_cuts:
            assert vectors._cuts is not None
            _, exact, shrunk = vectors._cuts
            assert bought[1].purchase.epsilon == Fraction(paid_cuts, NANO)
            assert bought[1].vector.noise == shrunk.scale == exact.moves / Fraction(paid_cuts, NANO)


@as_one
@pytest.mark.parametrize("asked", [[0], [NANO + 1], [NANO // 2, NANO // 2 + 1], [NANO // 2, 0]])
def test_steps_that_cost_nothing_or_more_than_all_are_not_drawn(
    asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever rule chose them: nothing is shown, and what was paid for a step before stays spent."""
    steps = iter(asked)
    monkeypatch.setattr(until_sure, "next_step", lambda sought, last: Step(degrees=next(steps)))
    paid: list[int] = []

    def pay(cost: int) -> bool:
        paid.append(cost)
        return True

    with pytest.raises(AssertionError, match="the steps cost more than epsilon"):
        until_sure.draw_until_sure(
            sought(), GraphProjection(Graph.from_edges([(0, 1)], nodes=range(100))), SecureWords(),
            pay, lambda positions, bought: Judged(positions[:1] * 0 + 1),
        )  # fmt: skip
    assert paid == asked[:-1]


def test_what_is_ranked_in_place_of_degrees_gets_the_noise_of_its_own_claim() -> None:
    counted = Vector(np.arange(100) * 10**6, 7)
    vectors = until_sure._Vectors(sought(), GraphProjection(hubs()), SecureWords(), counted)
    (bought,) = vectors.buy(Step(degrees=NANO))
    assert bought.vector.noise == 7
    assert np.abs(bought.vector.whole.integers - counted.values).max() < 7 * 60
    last, ended = until_sure.draw_until_sure(
        sought(), GraphProjection(hubs()), SecureWords(), lambda cost: True,
        lambda positions, bought: Sureness((0.99,), (), None), None, counted,
    )  # fmt: skip
    assert (last.positions.tolist(), ended) == ([99, 98], "reached")


@pytest.mark.parametrize("metric", ["ebc", "degree"])
@pytest.mark.parametrize("most", ["0.000000001", "0.00000009", "0.5", "8"])
def test_every_step_is_paid_for_before_it_is_drawn_and_the_sum_is_what_the_release_says(
    metric: Any, most: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[Any] = []
    real = until_sure._Vectors.buy

    def buy(self: Any, step: Step) -> Any:
        happened.append(("draw", step.cost))
        return real(self, step)

    monkeypatch.setattr(until_sure._Vectors, "buy", buy)

    def pay(cost: int) -> bool:
        happened.append(("pay", cost))
        return True

    plan = plan_of_it(
        "priv_top_k", {"metric": metric, "k": 3, "epsilon": most, "target_recall": 0.999}, facts()
    )
    answer = draw(plan, GraphProjection(HUBS), SecureWords(), pay)
    first = plan.first[0].cost
    drawn = [cost for what, cost in happened if what == "draw"]
    paid = [cost for what, cost in happened if what == "pay"]
    assert drawn == [first, *paid]
    assert happened == [("draw", first), *(each for cost in paid for each in (("pay", cost), ("draw", cost)))]
    told = answer.to_json()
    assert epsilon_nano(told["spent"]) == sum(drawn) <= epsilon_nano(most)
    assert told["steps"] == len(drawn)


def facts(nodes: int = 300) -> Any:
    return PublicFacts(nodes)


# -- laws --------------------------------------------------------------------------------------------------


class Judged:
    """A rule that stops where the first node stands first: as private a rule as released values allow."""

    with_ties = 0.0

    def __init__(self, positions: np.ndarray[Any, Any]) -> None:
        self.expected_recall = 1.0 if positions[0] == 0 else 0.0


@pytest.mark.parametrize("nodes", [3, 4])
def test_the_loss_of_whole_sequences_is_at_most_what_the_ledger_debits(nodes: int) -> None:
    """All pairs of graphs that differ by one edge, two steps of degrees, stopped or not by the first list.

    The law is computed from the halves (`joint_law`), entry by entry: stopping is a function of the first look.
    """
    first, more = 0.6, 0.6  # of each entry; two entries move, so the pair loses twice as much
    law = joint_law(math.exp(-first), math.exp(-more))
    alone: dict[int, float] = {}
    for (was, _), chance in law.items():
        alone[was] = alone.get(was, 0) + chance
    pairs = [(a, b) for a in range(nodes) for b in range(a)]
    worst = {"stopped": 0.0, "went on": 0.0}
    for mask in range(1 << len(pairs)):
        degrees = [
            sum(mask >> i & 1 for i, pair in enumerate(pairs) if node in pair) for node in range(nodes)
        ]
        for i, (a, b) in enumerate(pairs):
            if mask >> i & 1:
                continue
            # Entries that do not move have the same factor on both graphs, so the two that move say it all.
            for one, two in product(range(-3, 4), repeat=2):
                shift = degrees[a] - degrees[b]
                rank_first = one + shift > two
                kind = "stopped" if rank_first else "went on"
                if rank_first:
                    loss = sum(math.log(alone[z] / alone[z - 1]) for z in (one, two))
                    worst[kind] = max(worst[kind], abs(loss))
                    continue
                for left, right in product(range(-2, 3), repeat=2):
                    numbers = [(one, left), (two, right)]
                    if min(law[z] * law[z[0] - 1, z[1] - 1] for z in numbers) < 1e-12:
                        continue
                    loss = sum(math.log(law[z] / law[z[0] - 1, z[1] - 1]) for z in numbers)
                    worst[kind] = max(worst[kind], abs(loss))
    assert worst["stopped"] <= 2 * first + 1e-3
    assert worst["went on"] <= 2 * (first + more) + 1e-4
    assert worst["went on"] > 2 * first + 0.1, "what a second look costs is seen"


def test_two_graphs_with_the_same_noisy_vectors_are_answered_alike_in_every_field(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The coupling: whatever is shown, the steps and what was spent among it, follows from released values alone."""
    # As far from the first graph as can be: whatever looked at it would say something else.
    other = Graph.from_edges((299 - HUBS.edges()[::2]).tolist(), nodes=range(300))
    for seed, target in product(range(2), (0.7, 0.95)):
        plan = plan_of_it("priv_top_k", ASKED | {"target_recall": target}, facts())
        released: list[tuple[Bought, ...]] = []
        real = until_sure._Vectors.buy

        def keep(self: Any, step: Step, real: Any = real, released: list[Any] = released) -> Any:
            found = real(self, step)
            released.append(found)
            return found

        with monkeypatch.context() as patch:
            patch.setattr(until_sure._Vectors, "buy", keep)
            patch.setattr(until_sure, "top_k_with_random_ties", ties_by_position)
            mine = draw(plan, GraphProjection(HUBS), GeneratorWords(PUBLIC(seed)), lambda _: True)
        again = iter(released)
        with monkeypatch.context() as patch:
            patch.setattr(until_sure._Vectors, "buy", lambda self, step, again=again: next(again))
            patch.setattr(until_sure, "top_k_with_random_ties", ties_by_position)
            theirs = draw(plan, GraphProjection(other), GeneratorWords(PUBLIC(9)), lambda _: True)
        assert mine.to_json() == theirs.to_json()


def test_cuts_and_their_ranking_follow_from_released_degrees(monkeypatch: pytest.MonkeyPatch) -> None:
    released: list[tuple[Bought, ...]] = []
    ranked_by: list[tuple[int, Any]] = []
    buy, exact = until_sure._Vectors.buy, until_sure.exact_vector

    def keep(self: Any, step: Step) -> Any:
        released.append(buy(self, step))
        return released[-1]

    def look(question: Any, purchase: Purchase, projection: Any) -> Any:
        ranked_by.append((len(released), purchase.seen))
        return exact(question, purchase, projection)

    monkeypatch.setattr(until_sure._Vectors, "buy", keep)
    monkeypatch.setattr(until_sure, "exact_vector", look)
    edgedp.priv_top_k(HUBS, **ASKED | {"epsilon": 20, "target_recall": 0.999})
    assert ranked_by
    for step, seen in ranked_by:
        assert (seen == seen_degrees(released[step][:1]).integers).all()
    for degrees, *cuts in released:
        for each in cuts:
            assert (each.purchase.seen == seen_degrees([degrees]).integers).all()
    noisy = [each[0].vector.whole.integers for each in released]
    assert not any((each == HUBS.degrees).all() for each in noisy[:3]), "the noise is there"


def test_a_vector_that_is_bought_anew_has_noise_of_its_own() -> None:
    """Noise that both vectors shared would show their difference."""
    sought_of_it = Sought(300, 299, 5, 10 * NANO, Fraction(9, 10), cuts=True)
    vectors = until_sure._Vectors(sought_of_it, GraphProjection(HUBS), SecureWords())
    (degrees,) = vectors.buy(Step(degrees=NANO))
    assert degrees.vector.whole.noise == 2, "one edge moves two degrees"
    _, first = vectors.buy(Step(cuts=NANO, choice=Lists(5)))
    _, finer = vectors.buy(Step(degrees=NANO, cuts=NANO))
    _, anew = vectors.buy(Step(cuts=2 * NANO, choice=Lists(50)))
    moved = cut_moves(50, 300, cut_bits(50), ordered=False)
    assert anew.vector.whole.noise == Fraction(moved, 2)
    assert anew.purchase.epsilon == 2
    assert finer.vector.whole.noise == first.vector.whole.noise / 2
    assert (np.abs(noise_in(anew)) > np.abs(noise_in(finer))).any(), "a refined half would only shrink"


def test_where_little_noise_is_left_the_list_is_the_one_without_noise() -> None:
    """Of a graph so small that the ranking looks at all nodes at once, in an order of its own."""
    shared = [(hub, leaf) for hub in range(394, 400) for leaf in range(60)]
    alone = [(hub, 60 * (hub - 388) + leaf) for hub in range(389, 394) for leaf in range(hub - 350)]
    graph = Graph.from_edges(shared + alone, nodes=range(400))
    best = np.argsort(-GraphProjection(graph).values("betweenness2"), kind="stable")[:5]
    assert set(best.tolist()) == {389, 390, 391, 392, 393}, "not those of the largest degree"
    release = edgedp.priv_top_k(graph, "betweenness2", 5, 4_000, target_recall="0.999999")
    assert set(release.nodes) == set(best.tolist())


def noise_in(bought: Bought) -> Any:
    found = bought.vector
    assert isinstance(found, NoisyCutVector)
    return found.added


def ties_by_position(ranked: Any, k: int, _words: Any) -> Any:
    return np.argsort(-ranked, kind="stable")[:k]


@contextmanager
def refined_meanwhile() -> Iterator[list[Any]]:
    """Hand out the halves of all noise that is refined meanwhile."""
    halves: list[Any] = []
    real = Refinable.refined

    def refined(self: Refinable, *asked: Any) -> Refinable:
        halves.append(self.plus)
        return real(self, *asked)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Refinable, "refined", refined)
        yield halves


def test_nothing_keeps_the_halves(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Neither an answer nor its words, nor a line of a log, nor a file beside the store's own."""
    caplog.set_level("DEBUG")
    with open_store(tmp_path / "s") as store:
        store.load(HUBS, "hubs", epsilon_budget=6)
        files = {path.relative_to(tmp_path) for path in tmp_path.rglob("*")}
        with refined_meanwhile() as drawn:
            release = store.priv_top_k("hubs", request_id="a", **ASKED)
        assert (release.steps or 0) > 1, "a refinement was drawn"
        assert drawn
        beside = {path.relative_to(tmp_path) for path in tmp_path.rglob("*")} - files
        assert not [path for path in beside if not path.name.startswith("ledger.sqlite")], beside
        for half in drawn:
            numbers = ", ".join(map(str, half[:3].tolist()))
            assert not any(numbers in record.getMessage() for record in caplog.records)
    assert {record.getMessage().split()[0] for record in caplog.records if record.name == "edgedp.stores"} <= {
        "loaded", "debited", "kept",
    }  # fmt: skip
    answer = edgedp.priv_top_k(HUBS, **ASKED)
    assert "plus" not in repr(answer)
    assert "plus" not in json.dumps(answer.to_dict())
    assert "plus" not in repr(Refinable.drawn(3, Fraction(2), SecureWords()))


def transcripts(graph: Graph, most: int, trials: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return what was paid for, and the noisy degrees at the end, of many sequences with the secure source."""
    asked = Sought(graph.node_count, graph.node_count - 1, 1, most, Fraction(9, 10), cuts=False)
    found = []
    for _ in range(trials):
        paid = [rungs(most)[0]]

        def debit(cost: int, paid: list[int] = paid) -> bool:
            paid.append(cost)
            return True

        last, _ = until_sure.draw_until_sure(
            asked,
            GraphProjection(graph),
            SecureWords(),
            Prepaid(paid[0], debit),
            lambda positions, _: Judged(positions),
        )
        found.append((sum(paid), tuple(last.bought[0].vector.whole.integers.tolist())))
    return found


@pytest.mark.wide
def test_a_black_box_that_sees_every_released_value_finds_what_was_paid_and_no_more() -> None:
    """Two graphs that differ by the edge (0, 1); having ended with e or less paid is at most exp(e) times as likely.

    The events are fixed before the draws. That neither end is seen above what it is without the edge has the largest
    ratio that there is. Each of the 52 bounds is above its claim less than once in 10,000 runs; few are ever near it.
    """
    rest = [(33, leaf) for leaf in range(2, 33)]
    graphs = [Graph.from_edges(edges, nodes=range(34)) for edges in (rest, [*rest, (0, 1)])]
    most, trials = 3 * NANO, 400
    drawn = [transcripts(graph, most, trials) for graph in graphs]
    whole = -math.inf
    for rung in rungs(most):
        for low in (False, True):
            hits = [
                sum(spent <= rung and not (low and max(values[:2]) > 0) for spent, values in each)
                for each in drawn
            ]
            for one, two in (hits, hits[::-1]):
                bound = epsilon_lower_bound(one, two, trials, 0.9999)
                assert bound <= rung / NANO, (rung, low, hits)
                whole = max(whole, bound)
    assert whole > 0.25 * most / NANO, "the audit sees the edge"


def everything_shown(graph: Graph, trials: int) -> list[tuple[float, tuple[Any, ...]]]:
    """Return of many releases what was spent, and the rest of what is shown, in classes that are fixed beforehand."""
    found = []
    for _ in range(trials):
        told = edgedp.priv_top_k(graph, metric="degree", k=1, epsilon=2, target_recall=0.9).to_dict()
        (low, high), *_ = told["degree_intervals"]
        classes = (
            told["nodes"] == [0], told["membership"][0] >= 0.9, told["expected_recall"] >= 0.97, bool(told["near"]),
            low > 9, high > 12, told["steps"] > 6, told["ended"],
        )  # fmt: skip
        found.append((told["epsilon_spent"], classes))
    return found


@pytest.mark.wide
def test_a_black_box_of_everything_shown_finds_no_more_than_was_paid() -> None:
    """Two graphs that differ by one edge; the events are of all that is shown, what was spent among it.

    Of every field by itself, and of the whole that told the graphs apart best in releases of their own before.
    """
    trials, most = 250, 2
    graphs = [
        Graph.from_edges([(0, leaf) for leaf in range(1, 1 + degree)], nodes=range(50)) for degree in (11, 10)
    ]
    before = [Counter(everything_shown(graph, trials)) for graph in graphs]
    drawn = [everything_shown(graph, trials) for graph in graphs]
    telling = {
        each
        for each in before[0] | before[1]
        if (before[0][each] + 1) > math.exp(0.5) * (before[1][each] + 1)
    }
    events: list[tuple[float, Callable[[tuple[float, tuple[Any, ...]]], bool]]] = [
        (most, lambda each: each in telling)
    ]
    for rung in sorted({spent for spent, _ in [*before[0], *before[1]]}):
        for place in range(7):
            for wanted in (False, True):
                events.append((
                    rung,
                    lambda each, r=rung, p=place, w=wanted: each[0] <= r and each[1][p] is w,  # type: ignore[misc]
                ))  # fmt: skip
    for paid, event in events:
        one, two = (sum(map(event, each)) for each in drawn)
        for a, b in ((one, two), (two, one)):
            assert epsilon_lower_bound(a, b, trials, 0.99999) <= paid


# -- in memory ---------------------------------------------------------------------------------------------


def test_it_spends_less_where_that_is_enough_and_says_so() -> None:
    release = edgedp.priv_top_k(HUBS, **ASKED)
    assert release.target_reached
    assert release.steps is not None
    assert 0 < release.epsilon_spent < release.epsilon == 6
    assert release.expected_recall is not None
    assert release.expected_recall >= 0.8
    assert release.to_dict()["epsilon_spent"] == release.epsilon_spent
    assert Release.from_dict(release.to_dict()) == release
    assert release.sentences[-1].startswith("spent ")
    once = edgedp.priv_top_k(HUBS, metric="ebc", k=5, epsilon=6)
    assert (once.steps, once.target_reached, once.epsilon_spent) == (None, None, 6)
    assert "epsilon_spent" not in once.to_dict()


def test_what_cannot_be_reached_spends_what_it_may_and_says_so() -> None:
    release = edgedp.priv_top_k(HUBS, metric="degree", k=5, epsilon="0.001", target_recall="0.99")
    assert release.target_reached is False
    assert release.epsilon_spent == 0.001
    assert "all that may be spent is spent" in release.sentences[-1]


@as_one
@pytest.mark.parametrize(("asked", "said"), [
    ({"target_recall": 0}, "above 0 and below 1"), ({"target_recall": 1}, "above 0 and below 1"),
    ({"target_recall": "much"}, "above 0 and below 1"), ({"target_recall": float("nan")}, "above 0 and below 1"),
    ({"target_recall": True}, "above 0 and below 1"),
    ({"mechanism": "sld"}, "mechanism 'sld'; ask without"), ({"metric": "density"}, "not an option"),
    ({"proxy": "ordered"}, "proxy 'ordered'"), ({"proxy": "lists", "cap": 9}, "proxy 'lists'"),
    ({"proxy": "betweenness2"}, "proxy 'betweenness2'"), ({"estimates": True}, "estimates"),
])  # fmt: skip
def test_what_cannot_keep_a_target_is_refused_before_anything_is_drawn(
    asked: dict[str, Any], said: str
) -> None:
    with pytest.raises(ParameterError, match=said):
        edgedp.priv_top_k(HUBS, **ASKED | asked)


def test_a_graph_whose_lists_say_nothing_is_refused() -> None:
    with pytest.raises(ParameterError, match="50 nodes or more"):
        edgedp.priv_top_k(Graph.from_edges([(1, 2)], nodes=range(49)), "degree", 1, 1, target_recall=0.5)


# -- stored ------------------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "graphs.edgedp"
    with open_store(path) as store:
        store.load(HUBS, "hubs", epsilon_budget=6)
    return path


def rows_of(place: Path) -> list[tuple[Any, ...]]:
    (file,) = [*place.rglob("ledger.sqlite")] or [place]
    with closing(sqlite3.connect(file)) as tables:
        return tables.execute(
            "SELECT kind, cost, total FROM log WHERE kind IN ('debit', 'answer') ORDER BY seq"
        ).fetchall()


def test_each_step_is_a_debit_of_its_own_and_the_answer_comes_last(place: Path) -> None:
    with open_store(place) as store:
        release = store.priv_top_k("hubs", request_id="a", **ASKED)
        assert release.steps is not None
        kinds = rows_of(place)
        assert [kind for kind, *_ in kinds] == ["debit"] * release.steps + ["answer"]
        assert sum(cost or 0 for _, cost, _ in kinds) == round(release.epsilon_spent * NANO)
        assert (
            store.budget("hubs")["epsilon_spent"] == release.epsilon_spent == release.receipt["epsilon_spent"]
        )
        assert release.steps > 1
        assert store.budget("hubs")["releases"] == 1, "steps are of one release"
        assert history.verify(store.export("hubs"))["releases"] == 1
        (listed,) = store.releases("hubs")
        assert listed["epsilon"] == release.epsilon_spent
        assert listed["nodes"] == release.nodes
        assert store.check("hubs") == []
        again = store.priv_top_k("hubs", request_id="a", **ASKED)
        assert again.kept
        assert again.answer == release.answer
        assert len(rows_of(place)) == len(kinds)
        with pytest.raises(RequestConflictError):
            store.priv_top_k("hubs", request_id="a", **ASKED | {"target_recall": 0.7})
        assert Release.from_dict(release.to_dict()) == release


def test_a_refusal_at_a_step_ends_with_the_list_that_is_paid_for(place: Path) -> None:
    with open_store(place) as store:
        store.set_budget("hubs", "0.2")
        release = store.priv_top_k("hubs", "degree", 5, 6, target_recall="0.999")
        assert release.target_reached is False
        assert "refused the next step" in release.sentences[-1]
        assert len(release.nodes) == 5
        assert 0 < store.budget("hubs")["epsilon_spent"] <= 0.2
        store.set_budget("hubs", store.budget("hubs")["epsilon_spent"])
        with pytest.raises(BudgetError):
            store.priv_top_k("hubs", "degree", 5, 6, target_recall="0.999")


def test_the_limit_of_one_release_is_for_all_of_its_steps(place: Path) -> None:
    with open_store(place) as store:
        store.set_budget("hubs", 6, max_epsilon_per_release="0.5")
        release = store.priv_top_k("hubs", "degree", 5, 6, target_recall="0.999")
        assert store.budget("hubs")["epsilon_spent"] == release.epsilon_spent <= 0.5
        assert "refused" in release.sentences[-1]
        store.set_budget("hubs", 6, max_epsilon_per_release="none")
        store.add_analyst("ann")
        store.grant("hubs", "ann", epsilon_budget=5, max_epsilon_per_release="0.25")
        ann = store.asking_as("ann")
        of_ann = ann.priv_top_k("hubs", "degree", 5, 6, target_recall="0.999")
        assert ann.budget("hubs")["share"]["epsilon_spent"] == of_ann.epsilon_spent <= 0.25
        assert store.check("hubs") == []
        assert [row["epsilon"] for row in ann.releases()] == [of_ann.epsilon_spent]


def test_whoever_may_not_ask_any_more_pays_no_further_step(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(place) as store:
        store.add_analyst("ann")
        store.grant("hubs", "ann", epsilon_budget=5)
        real = debiting.step_script
        count = 0

        def revoking(*given: Any, **named: Any) -> Any:
            nonlocal count
            count += 1
            if count == 2:
                store.revoke_analyst("ann")
            return real(*given, **named)

        monkeypatch.setattr(debiting, "step_script", revoking)
        release = store.asking_as("ann").priv_top_k("hubs", "degree", 5, 3, target_recall="0.999")
        assert release.steps == 2
        assert "refused" in release.sentences[-1]


def test_a_graph_that_is_replaced_meanwhile_ends_the_steps(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(place) as store, open_store(place) as curator:
        real = debiting.step_script

        def replacing(*given: Any, **named: Any) -> Any:
            if curator.graph("hubs").edge_count == HUBS.edge_count:
                curator.load(hubs(5), "hubs", replace=True)
            return real(*given, **named)

        monkeypatch.setattr(debiting, "step_script", replacing)
        release = store.priv_top_k("hubs", "degree", 5, 3, target_recall="0.999")
        assert release.steps == 1


def test_an_account_with_a_delta_pays_the_most_in_advance(tmp_path: Path) -> None:
    with open_store(tmp_path / "s") as store:
        store.load(HUBS, "hubs", epsilon_budget=8, delta=1e-6)
        before = rows_of(tmp_path / "s")
        release = store.priv_top_k("hubs", "degree", 5, "0.5", target_recall="0.6")
        rows = rows_of(tmp_path / "s")[len(before) :]
        assert [kind for kind, *_ in rows] == ["debit", "answer"]
        assert rows[0][1] == epsilon_nano("0.5")
        assert release.epsilon_spent <= 0.5
        assert store.check("hubs") == []


def test_a_delta_that_is_declared_after_the_plan_is_not_paid_in_increments(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sum of the squares of the steps is less than the square of their sum, and nobody proved that it is enough."""
    with open_store(place) as store:
        real = debiting.debit_script

        def meanwhile(*given: Any, **named: Any) -> Any:
            store.set_budget("hubs", 20, delta=1e-6)
            monkeypatch.setattr(debiting, "debit_script", real)
            return real(*given, **named)

        monkeypatch.setattr(debiting, "debit_script", meanwhile)
        store.priv_top_k("hubs", "degree", 5, 2, target_recall="0.999")
        spent = store.budget("hubs")["epsilon_spent"]
        with open_store(place) as again:
            again.load(hubs(9), "whole", epsilon_budget=20, delta=1e-6)
            again.priv_top_k("whole", "degree", 5, 2, mechanism="joint")
            assert spent >= again.budget("whole")["epsilon_spent"]


def test_a_gateway_draws_no_first_step_for_next_to_nothing(place: Path) -> None:
    with open_store(place) as store:
        store.add_analyst("ann")
        store.grant("hubs", "ann", epsilon_budget=5)
        ann = Asker(store, "ann", least=lambda name: epsilon_nano("0.01"))
        with pytest.raises(ParameterError, match=r"must be at least 0\.64 at this gateway"):
            ann.priv_top_k("hubs", "degree", 5, "0.63", target_recall="0.9")
        assert ann.priv_top_k("hubs", "degree", 5, "0.64", target_recall="0.01").epsilon_spent == 0.01
        assert ann.priv_top_k("hubs", "degree", 5, "0.01").epsilon_spent == 0.01


def kill(place: Path, point: str) -> tuple[list[str], int]:
    """Kill a sequence at a point; what was debited is spent, no list is shown without it, and the id pays no more."""
    assert status(child("sure", place, kill_at=point)) == -signal.SIGKILL
    asked: dict[str, Any] = {"metric": "degree", "k": 5, "epsilon": 3, "target_recall": "0.999"}
    with open_store(place) as store:
        rows = rows_of(place)
        spent = pytest.approx(sum(cost or 0 for _, cost, _ in rows) / NANO)
        assert store.budget("hubs")["epsilon_spent"] == spent
        assert store.check("hubs") == []
        (listed,) = store.releases("hubs")
        if point == "recorded":
            assert listed["epsilon"] == spent
            again = store.priv_top_k("hubs", request_id="a", **asked)
            assert again.kept
            assert again.nodes == listed["nodes"]
        else:
            assert listed["nodes"] is None
            with pytest.raises((edgedp.BeingDrawnError, edgedp.LostReleaseError)):
                store.priv_top_k("hubs", request_id="a", **asked)
        assert rows_of(place) == rows
    return [kind for kind, *_ in rows], len(rows)


@pytest.mark.parametrize("point", ["debited", "read", "stepped", "stepped*2", "drawn", "recorded"])
def test_a_kill_at_any_point_leaves_what_was_debited_spent_and_shows_nothing(place: Path, point: str) -> None:
    kinds, count = kill(place, point)
    if point != "drawn" and point != "recorded":
        assert count == {"stepped": 2, "stepped*2": 3}.get(point, 1)
    assert kinds == ["debit"] * (count - (point == "recorded")) + ["answer"] * (point == "recorded")


@pytest.mark.wide
def test_a_kill_after_each_of_the_steps_leaves_what_was_debited_spent(tmp_path: Path) -> None:
    for step in range(1, 9):
        path = tmp_path / f"{step}.edgedp"
        with open_store(path) as store:
            store.load(HUBS, "hubs", epsilon_budget=6)
        assert kill(path, f"stepped*{step}") == (["debit"] * (step + 1), step + 1)


def test_a_terminal_shows_what_was_spent_and_how_sure_the_list_is_by_now(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each step, when it was debited; the words alone: that a terminal shows them is rich's."""
    shown: list[str] = []
    spent: list[float] = []

    @contextmanager
    def terminal(what: str) -> Iterator[Any]:
        def tell(words: str) -> None:
            shown.append(words)
            spent.append(sum(cost for _, cost, _ in rows_of(place)) / NANO)

        yield tell

    monkeypatch.setattr(analyst, "working", terminal)
    asked = ["--metric", "ebc", "-k", "5", "--epsilon", "6", "--target-recall", "0.8", "--format", "json"]
    run = CliRunner().invoke(command_line, ["--store", str(place), "topk", "hubs", *asked])
    told = json.loads(run.stdout)
    assert len(shown) == told["steps"]
    assert [float(each.split()[2].rstrip(",")) for each in shown] == pytest.approx(spent)
    assert shown[-1] == f"drawing: spent {told['spent']}, about {5 * told['expected_recall']:.1f} of 5"


def test_the_words_of_the_command_line(place: Path) -> None:
    run = CliRunner()
    base = ["--store", str(place), "topk", "hubs", "--metric", "ebc", "-k", "5", "--epsilon", "6"]
    dry = run.invoke(command_line, [*base, "--target-recall", "0.8", "--dry-run"])
    assert "from 0.09375 to 6 at most" in dry.output
    assert "at most 6" in dry.output
    shown = run.invoke(command_line, [*base, "--target-recall", "0.8"])
    assert shown.exit_code == 0, shown.output
    assert "the list is expected to be as good as was asked for" in shown.output
    told = json.loads(run.invoke(command_line, [*base, "--target-recall", "0.8", "--format", "json"]).output)
    assert {
        "expected_recall",
        "membership",
        "near",
        "degree_intervals",
        "epsilon_spent",
        "steps",
    } <= told.keys()
    assert told["target_recall"] == 0.8
    refused = run.invoke(command_line, [*base, "--target-recall", "8"])
    assert refused.exit_code == 1
    assert refused.output.count("\n") == 1
