"""Whole releases on two graphs that differ by one edge, with the same noisy vectors: what `coupling` checks of each."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from inspect import signature
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from coupling import Coupled, coupled, undefined
from edgedp.mechanisms.metrics import metric, metric_names
from edgedp.mechanisms.sampling import geometric
from edgedp.release.plan import PublicFacts, plan
from edgedp.words.errors import ParameterError
from looped import as_one
from vector_definitions import NOT_VECTORS, VECTORS, Defined
from watched_runs import NumberedWords, Tape
from watching import SAMPLERS, samplers

EPSILONS = ("0.05", "1", "6", "20", "100", "400")
Question = tuple[Any, dict[str, Any]]


# -- graphs ---------------------------------------------------------------------------------------------


def sparse(n: int, mean: float, seed: int) -> Defined:
    """Isolated nodes, leaves, ties everywhere."""
    random = np.random.default_rng(seed)
    ends = random.integers(0, n, (int(n * mean / 2), 2))
    return Defined(n, {(min(a, b), max(a, b)) for a, b in ends.tolist() if a != b})


def hubs(leaves: int, alone: int = 0, *, joined: bool = False) -> Defined:
    """Two nodes that share all their neighbours, and some nodes without any."""
    edges = [(hub, leaf) for hub in (0, 1) for leaf in range(2, leaves + 2)]
    return Defined(leaves + 2 + alone, [*edges, (0, 1)] if joined else edges)


def clique_less_one(size: int, alone: int = 0) -> Defined:
    return Defined(size + alone, set(combinations(range(size), 2)) - {(0, 1)})


def heavy_tail(n: int, largest: int, seed: int) -> Defined:
    """A few hubs, many leaves, many nodes without an edge."""
    random = np.random.default_rng(seed)
    edges = set()
    for hub in range(12):
        for leaf in random.choice(np.arange(12, n), largest // (hub + 1), replace=False).tolist():
            edges.add((hub, leaf))
    return Defined(n, edges | {(a, a + 1) for a in range(12, 60, 3)})


@cache
def pairs() -> dict[str, tuple[Defined, tuple[int, int]]]:
    """Return graphs by name, each with the edge by which its neighbour differs."""
    tail = heavy_tail(700, 240, 3)
    leaf = min(tail.neighbors[0] - tail.neighbors[1])
    nobody = [v for v in range(700) if not tail.neighbors[v]]
    return {
        "nine": (hubs(7), (0, 1)),
        "leaves of two hubs": (hubs(30, 8), (4, 9)),
        "two hubs": (hubs(99), (0, 1)),
        "two hubs and one more leaf": (hubs(60, 5), (1, 63)),
        "sparse": (sparse(60, 1.5, 1), (3, 7)),
        "sparse, and a wedge": (sparse(200, 2.5, 2), wedge(sparse(200, 2.5, 2))),
        "clique": (clique_less_one(12), (0, 1)),
        "clique and nobody": (clique_less_one(24, 20), (30, 31)),
        "heavy tail": (tail, (1, leaf)),
        "heavy tail, two who had nobody": (tail, (nobody[0], nobody[1])),
    }


def wedge(graph: Defined) -> tuple[int, int]:
    """Return two nodes that share a neighbour and are not adjacent."""
    return next(
        (u, w)
        for x in range(graph.n)
        for u, w in combinations(sorted(graph.neighbors[x]), 2)
        if w not in graph.neighbors[u]
    )


LARGEST = {"two hubs": 101, "clique": 12}


# -- questions ---------------------------------------------------------------------------------------------


def joint_questions() -> Iterator[Question]:
    """Yield every proxy of every metric that has one, with all that may be asked of it; new ones by themselves."""
    for name in metric_names():
        proxies = metric(name).proxies
        for proxy, cap in product(proxies, (None, 3, 50)):
            options: dict[str, Any] = {"metric": name, "mechanism": "joint", "k": 3}
            options |= {} if proxies == (name,) else {"proxy": proxy}
            options |= {} if cap is None else {"cap": cap}
            for estimates in ({"estimates": True}, {}):
                if possible("priv_top_k", options | estimates):
                    yield "priv_top_k", options | estimates
                    break


def several_questions() -> Iterator[Question]:
    for metrics in (("degree", "density"), ("density", "ebc"), ("degree", "density", "betweenness2")):
        asked: dict[str, Any] = {"metrics": metrics, "mechanism": "joint", "k": 2, "estimates": True}
        yield "motkin", asked
        yield "motkin", asked | {"approach": "aggregate", "weights": (1, 200.0, 1)[: len(metrics)]}


def number_questions() -> Iterator[Question]:
    yield "distribution", {}
    yield "distribution", {"form": "histogram"}
    yield "summary", {}


def possible(kind: Any, options: dict[str, Any]) -> bool:
    try:
        plan(kind, {"epsilon": 1, **options}, PublicFacts(100, 99))
    except ParameterError:
        return False
    return True


def named(question: Question) -> str:
    return "-".join(str(value) for value in question[1].values() if not isinstance(value, bool))


QUESTIONS = [*joint_questions(), *several_questions(), *number_questions()]


def draw(question: Question, name: str, epsilon: str, seed: int) -> Coupled:
    """Couple one release, checked; the number of the case decides on which graph real noise is drawn."""
    kind, options = question
    graph, edge = pairs()[name]
    bound = int(max(graph.degrees.max(), graph.flipped(*edge).degrees.max())) + 2
    found = coupled(
        kind, {**options, "epsilon": epsilon}, graph, edge,
        bound=min(bound, graph.n - 1), seed=seed, swapped=seed % 2 == 1, engine=("native", "igraph")[seed % 3 == 2],
    )  # fmt: skip
    found.check()
    return found


# -- (a) to (e) ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", QUESTIONS, ids=named)
def test_neighbours_with_the_same_noisy_vectors_are_answered_alike_for_epsilon(question: Question) -> None:
    """On each pair another epsilon. Of proxies on every other pair, and on three where a metric before had the same.

    Of several metrics, whose vectors are those of one, on every other pair, too.
    """
    first = QUESTIONS.index(question)
    asked = question[1].get("proxy"), question[1].get("cap")
    before = [(other.get("proxy"), other.get("cap")) for _, other in QUESTIONS[:first]]
    names = [*pairs()]
    if asked[0]:
        names = names[::4] if asked in before else names[first % 2 :: 2]
    elif question[0] == "motkin":
        names = names[first % 2 :: 2]
    for place, name in enumerate(names):
        draw(question, name, EPSILONS[(place + first) % len(EPSILONS)], place + first)


@pytest.mark.wide
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("question", QUESTIONS, ids=named)
def test_at_every_epsilon_and_from_either_side(question: Question, epsilon: str) -> None:
    for place, name in enumerate(pairs()):
        for seed in (2 * place + 100, 2 * place + 101):
            draw(question, name, epsilon, seed)


def bought_where_it_shows() -> Iterator[Coupled]:
    """Yield releases that together buy everything that there is."""
    both = {"metric": "ebc", "k": 3, "estimates": True}
    front = {"metrics": ("degree", "density"), "mechanism": "joint", "k": 2}
    yield draw(("priv_top_k", both), "sparse", "1", 0)
    yield draw(("priv_top_k", both), "heavy tail", "6", 0)
    yield draw(("priv_top_k", both), "heavy tail", "20", 0)
    yield draw(("priv_top_k", {**both, "estimates": False, "proxy": "betweenness2"}), "two hubs", "1", 0)
    yield draw(("motkin", front), "two hubs", "20", 0)
    yield draw(("motkin", front), "two hubs", "100", 0)
    yield draw(("summary", {}), "two hubs", "1", 0)


def test_everything_that_can_be_bought_is_coupled_here() -> None:
    bought = {each for found in bought_where_it_shows() for each in found.bought}
    names = {name for name, _ in bought}
    assert names >= set(VECTORS), f"nothing here buys {set(VECTORS) - names}; add a question, or a graph"
    either = {
        name
        for name, defined in VECTORS.items()
        if "| None" in str(signature(defined).parameters.get("ranks"))
    }
    followed = {name for name, _ in bought} & either
    assert bought >= {(name, ranked) for name in followed for ranked in (True, False)}


def test_what_a_release_may_ask_for_has_a_definition_and_every_sampler_is_watched() -> None:
    """The table that a new vector and a new sampler cannot be left out of."""
    assert not undefined(), (
        "define these in vector_definitions.VECTORS, or say in NOT_VECTORS why they get no noise"
    )
    assert not set(VECTORS) & NOT_VECTORS
    assert {each.__name__ for each in samplers()} == set(SAMPLERS)
    assert {name for name, kind in SAMPLERS.items() if kind == "noise"} == set(geometric.__all__) - {
        "Refinable"
    }
    # What draws step by step is coupled in test_until_sure.py.


# -- lazy looks ---------------------------------------------------------------------------------------------------


def test_entries_that_nobody_looks_at_are_left_out_on_both_graphs_alike() -> None:
    """One look settles it and says how sure it is, or it is at all nodes. (A second: `test_adaptive.py`.)"""
    graph = heavy_tail(2_000, 400, 5)
    leaf = min(graph.neighbors[0] - graph.neighbors[1])
    for k, epsilon, looks in ((3, "40", [200]), (30, "3", [2_000])):
        question = {"metric": "ebc", "k": k, "epsilon": epsilon, "proxy": "ordered"}
        for seed, edge in enumerate([(0, 1), (1, leaf), (1_990, 1_991)]):
            found = coupled("priv_top_k", question, graph, edge, seed=seed, swapped=bool(seed % 2))
            found.check()
            assert [len(met.entries) for met in found.first.purchases[1].meetings] == looks


# -- what the proofs assume of the noise ---------------------------------------------------------------------------


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's; 0 where nothing varies."""
    ranks = [stats.rankdata(each) for each in (a, b)]
    return float(np.corrcoef(*ranks)[0, 1]) if all(np.ptp(each) for each in ranks) else 0.0


@pytest.mark.parametrize("question", [
    ("priv_top_k", {"metric": "ebc", "k": 3, "epsilon": "6"}),
    ("priv_top_k", {"metric": "ebc", "k": 3, "epsilon": "1", "proxy": "ordered"}),
    ("motkin", {"metrics": ("degree", "density", "ebc"), "mechanism": "joint", "k": 3, "epsilon": "400"}),
], ids=named)  # fmt: skip
def test_noise_is_independent_across_entries_and_purchases(question: Question) -> None:
    """Neighbouring entries, entries that are half of all apart, and equal entries of two purchases.

    Independent noise of 700 entries exceeds five standard deviations, .19, once in two million comparisons. Noise that
    is the differences of one stream has -.5 between neighbours, the same words twice have 1.
    """
    kind, options = question
    graph, edge = pairs()["heavy tail"]
    noise = [each.noise for each in coupled(kind, options, graph, edge).first.purchases]
    assert len(noise) >= 2
    limit = 5 / len(noise[0]) ** 0.5
    for each in noise:
        assert abs(correlation(each[1:], each[:-1])) < limit
        assert abs(correlation(each[350:], each[:350])) < limit * 2**0.5
    for one, other in combinations(noise, 2):
        assert abs(correlation(one, other)) < limit
        assert abs(correlation(np.abs(one), np.abs(other))) < limit


class Changed(NumberedWords):
    """Words of which one is another."""

    def __init__(self, tape: Tape, place: int | None) -> None:
        super().__init__(tape)
        self._place = place

    def take(self, count: int) -> np.ndarray:
        start = self.at
        words = super().take(count)
        if self._place is not None and start <= self._place < self.at:
            words[self._place - start] = ~words[self._place - start]
        return words


@as_one
@pytest.mark.parametrize(
    "scale", [Fraction(1, 3), Fraction(7), Fraction(10**5, 3), Fraction(2**40), Fraction(2**58)]
)
def test_every_word_serves_one_entry_and_every_entry_has_words_of_its_own(scale: Fraction) -> None:
    """Another word in its place changes one entry at most. Where it changes how many are drawn, nothing is compared."""
    count, tape = 12, Tape(7)
    source = Changed(tape, None)
    right = geometric.two_sided_geometric(count, scale, source)
    assert source.at >= 2 * count
    moved: set[int] = set()
    for place in range(source.at):
        changed = Changed(tape, place)
        noise = geometric.two_sided_geometric(count, scale, changed)
        if changed.at == source.at:
            entries = np.flatnonzero(noise != right).tolist()
            assert len(entries) <= 1
            moved |= set(entries)
    assert moved == set(range(count)) or scale < 1
