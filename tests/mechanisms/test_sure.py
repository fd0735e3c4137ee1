"""How sure a list is: post-processing of what was released, calibrated, recorded, and silent where nothing was."""

from __future__ import annotations

import inspect
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import edgedp
from edgedp.exact.experiments import generators
from edgedp.exact.quality import true_top
from edgedp.mechanisms.adaptive.choice import Degrees, Lists
from edgedp.mechanisms.adaptive.purchases import Bought, Purchase
from edgedp.mechanisms.adaptive.vectors import NoisyCutVector, NoisyVector
from edgedp.mechanisms.sampling.geometric import Refinable
from edgedp.mechanisms.sure import degrees, lists, values
from edgedp.mechanisms.sure.lists import how_sure
from edgedp.release.release import Release
from looped import as_one

STAR = edgedp.Graph.from_edges([(hub, leaf) for hub in (0, 1, 2) for leaf in range(3, 60)], nodes=range(80))


def noisy_degrees(*given: int, scale: int = 4) -> tuple[Bought, ...]:
    return (Bought(Purchase(Degrees(), Fraction(2, scale)), NoisyVector(np.array(given), Fraction(scale))),)


@as_one
@pytest.mark.parametrize("asked", [
    {"metric": "degree"}, {"metric": "ebc"}, {"metric": "betweenness2"}, {"metric": "ebc", "proxy": "degree"},
    {"metric": "ebc", "proxy": "ordered"}, {"metric": "ebc", "proxy": "lists", "cap": 20},
    {"metric": "ebc", "proxy": "betweenness2", "degree_bound": 70},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("k", [2, 80])
@pytest.mark.parametrize("epsilon", ["0.001", "1", "400"])
def test_every_joint_list_says_how_sure_it_is_and_reads_back_the_same(
    asked: dict[str, Any], k: int, epsilon: str
) -> None:
    release = edgedp.priv_top_k(STAR, k=k, epsilon=epsilon, mechanism="joint", **asked)
    assert release.membership is not None
    assert release.near is not None
    assert release.expected_recall == pytest.approx(np.mean(release.membership), abs=0.011)
    assert all(0 <= chance <= 1 for chance in release.membership)
    assert all(chance >= 0.1 and node not in release.nodes for node, chance in release.near)
    assert len(release.membership) == k
    if asked.get("proxy") in ("lists", "betweenness2"):
        assert release.degree_intervals is None
    else:
        assert all(0 <= low <= high <= 79 for low, high in release.degree_intervals or [(1, 0)])
    again = Release.from_dict(release.to_dict())
    assert again == release
    assert again.to_frame().equals(release.to_frame())
    assert release.sentences[0].startswith("about ")
    assert release.plot().svg.count("<rect") == k + len(release.near)
    if k == 80:
        assert set(release.membership) == {1.0}


@as_one
@pytest.mark.parametrize("mechanism", ["em", "pf", "ld", "sld"])
def test_what_releases_no_vector_says_nothing(mechanism: Any) -> None:
    release = edgedp.priv_top_k(STAR, metric="degree", k=2, epsilon=1, mechanism=mechanism)
    assert (release.expected_recall, release.membership, release.near, release.degree_intervals) == (
        None,
    ) * 4
    assert release.columns == ("rank", "id")
    assert not release.sentences
    with pytest.raises(edgedp.EdgeDPError, match="has no plot"):
        release.plot()


@pytest.mark.parametrize(("metric", "proxy"), [("degree", None), ("ebc", "degree")])
def test_noise_of_the_largest_entry_only_releases_no_vector(metric: Any, proxy: Any) -> None:
    """One node by degree gets noise of scale 1 / epsilon: the other entries are not protected by it."""
    one = {"metric": metric, "proxy": proxy, "k": 1, "epsilon": 1, "mechanism": "joint"}
    assert edgedp.priv_top_k(STAR, **one).membership is None
    assert edgedp.priv_top_k(STAR, **one, estimates=True).membership is not None


def test_the_functions_take_released_values_and_public_facts_alone_and_say_the_same_again() -> None:
    """No argument is a graph, a projection or words; what they know comes from noisy vectors."""
    for module in (degrees, lists, values):
        for name in module.__all__:
            made = getattr(module, name)
            if inspect.isfunction(made):
                assert not {"graph", "projection", "words"} & set(inspect.signature(made).parameters)
    bought = noisy_degrees(90, 70, 66, 60, *[3] * 50)
    listed = np.array([0, 1])
    assert how_sure("degree", listed, bought, 54, 53) == how_sure("degree", listed, bought, 54, 53)


def test_far_ahead_is_sure_and_next_to_each_other_is_even() -> None:
    found = how_sure("degree", np.array([0, 1]), noisy_degrees(500, 100, 100, *[3] * 97), 1_000, 999)
    assert found is not None
    assert found.membership[0] == 1.0
    assert 0.4 < found.membership[1] < 0.7
    assert found.near[0][0] == 2
    low, high = (found.degree_intervals or ())[0]
    assert low < 500 < high
    assert 10 < high - low < 40
    assert how_sure("degree", np.array([0]), (), 100, 99) is None


def test_cuts_tell_more_than_degrees() -> None:
    """Two of equal degree are told apart by what cuts say of them."""
    seen = np.array([100, 100, 90, *[3] * 97])
    through = NoisyVector(np.array([4000, 400, 3000, *[1] * 97]), Fraction(50))
    bought = (*noisy_degrees(*seen.tolist()), Bought(Purchase(Lists(200), Fraction(1), seen), through))
    found = how_sure("ebc", np.array([0, 2]), bought, 100, 99)
    assert found is not None
    assert min(found.membership) > 0.95
    assert not found.near


@pytest.mark.parametrize(("behind", "looked"), [(20, 200), (380, 600)], ids=["far behind", "close behind"])
@pytest.mark.parametrize("metric", ["ebc", "betweenness2"])
def test_no_node_is_looked_at_that_cannot_be_among_the_best(metric: str, behind: int, looked: int) -> None:
    """An ego network is costly to count: nodes are left out by their degrees, and what is said stays as it was."""
    hubs = 200
    seen = np.concatenate([np.linspace(500, 400, hubs, dtype=np.int64), np.full(400, behind)])
    exact = (seen * (seen - 1) // 4).astype(np.int64)
    asked: list[int] = []

    def shares(positions: Any) -> Any:
        asked.extend(range(600) if positions is None else positions.tolist())
        return exact[slice(None) if positions is None else positions]

    degrees_bought = noisy_degrees(*seen.tolist())
    through = NoisyCutVector(shares, np.zeros(600, dtype=np.int64), Fraction(2_000), 1)
    bought = (*degrees_bought, Bought(Purchase(Lists(600), Fraction(1), seen), through))
    found = how_sure(metric, np.arange(10), bought, 600, 599)
    assert len(asked) == len(set(asked)) == looked
    whole = (*degrees_bought, Bought(bought[1].purchase, NoisyVector(exact, Fraction(2_000))))
    assert found == how_sure(metric, np.arange(10), whole, 600, 599)
    with pytest.MonkeyPatch.context() as everybody:
        everybody.setattr(lists, "_FAR", 1_000.0 if metric == "ebc" else lists._FAR)
        everybody.setattr(lists, "_UNLIKELY", -1.0)
        all_looked = how_sure(metric, np.arange(10), whole, 600, 599)
    assert found is not None
    assert all_looked is not None
    assert {node for node, _ in found.near} <= set(range(10, 40))
    assert 10 in dict(found.near)
    assert found.membership == pytest.approx(all_looked.membership, abs=0.1)
    assert found.degree_intervals == all_looked.degree_intervals


def test_what_is_said_is_about_what_is_true() -> None:
    """Expected recall, and intervals that hold 90 %, over 12 releases: the sum of 240 chances is off by 3 in each."""
    graph = generators.power_law()
    top = set(np.asarray(graph.node_ids)[true_top(edgedp.exact.degree(graph), 20)].tolist())
    place = {node: at for at, node in enumerate(graph.node_ids.tolist())}
    said, was, held = [], [], []
    for seed in range(12):
        drawn = edgedp.priv_top_k(
            graph, metric="degree", k=20, epsilon="0.05", rng=np.random.default_rng(seed)
        )
        said.append(drawn.expected_recall)
        was.append(np.mean([node in top for node in drawn.nodes]))
        held += [
            low <= graph.degrees[place[node]] <= high
            for node, (low, high) in zip(drawn.nodes, drawn.degree_intervals or [], strict=True)
        ]
    assert np.mean(said) == pytest.approx(np.mean(was), abs=0.08)
    assert np.mean(held) > 0.8


def test_nodes_of_equal_value_share_the_places_that_are_left() -> None:
    """A regular graph has no top two: whoever is listed has the chance of everybody else, two in a hundred."""
    chances, found = lists._chances(np.array([[9.0], [5.0], [5.0], [5.0], [1.0]]), 3)
    assert chances.tolist() == pytest.approx([1, 2 / 3, 2 / 3, 2 / 3, 0])
    assert found.tolist() == [1, 1, 1, 1, 0]
    drawn = np.random.default_rng(3).integers(0, 6, (40, 50)).astype(float)
    for k in (1, 7, 40):
        assert lists._chances(drawn, k)[0].sum() == pytest.approx(k)
    ring = how_sure("degree", np.array([0, 1]), noisy_degrees(*[2] * 100, scale=1), 100, 99)
    assert ring is not None
    assert max(ring.membership) < 0.1
    assert ring.with_ties > 0.9


def test_a_target_that_equal_values_forbid_is_given_up_before_all_is_spent() -> None:
    ring = edgedp.Graph.from_edges([(i, (i + 1) % 400) for i in range(400)])
    spent = [edgedp.priv_top_k(ring, "degree", 2, 60, target_recall=0.9) for _ in range(12)]
    assert any("more epsilon is not expected to help" in each.sentences[-1] for each in spent)
    assert min(each.epsilon_spent for each in spent) < 60
    # Two large noises may pass for two hubs: about one ring in twenty, so that six of twelve are one run in 10^5.
    assert sum(each.target_reached is True for each in spent) <= 5


def test_neighbours_that_are_no_nodes_of_a_list_of_candidates_are_counted() -> None:
    """Sixty candidates may have five hundred neighbours each: the number of nodes bounds none of them."""
    asked = np.array([0, 1]), noisy_degrees(500, 480, *[90] * 58, scale=2)
    bounded, free = how_sure("degree", *asked, 60, 59), how_sure("degree", *asked, 60, None)
    assert bounded is not None
    assert free is not None
    assert bounded.degree_intervals == ((59, 59), (59, 59))
    assert free.degree_intervals is not None
    for (low, high), true in zip(free.degree_intervals, (500, 480), strict=True):
        assert true - 10 < low <= true <= high < true + 10


def test_directed_degrees_spend_until_they_are_sure_with_noise_for_both_arcs_of_a_pair() -> None:
    random = np.random.default_rng(2)
    arcs = [
        (int(leaf), hub) for hub in range(8) for leaf in random.choice(np.arange(8, 90), 70 - 8 * hub, False)
    ]
    graph = edgedp.Graph.from_edges(arcs, nodes=range(90), directed=True)
    release = edgedp.priv_top_k(graph, "in_degree", 4, 8, target_recall=0.8)
    assert release.target_reached
    assert release.expected_recall is not None
    assert release.expected_recall >= 0.8
    assert 0 < release.epsilon_spent <= 8
    assert Release.from_dict(release.to_dict()) == release
    assert release.parameters["target_recall"] == 0.8
    one = edgedp.priv_top_k(graph, "in_degree", 1, 8, target_recall=0.8)
    assert one.to_dict()["public"]["protects"] == "all arcs between two nodes, taken away or replaced"
    assert edgedp.priv_top_k(graph, "in_degree", 4, 8).steps is None
    for mechanism in ("em", "pf"):
        with pytest.raises(edgedp.ParameterError, match="target_recall"):
            edgedp.priv_top_k(graph, "in_degree", 4, 8, mechanism=mechanism, target_recall=0.8)
    with pytest.raises(edgedp.ParameterError, match="drawn step by step"):
        edgedp.exact.first_pick_probabilities(graph, "in_degree", 4, 8, mechanism="joint", target_recall=0.8)


@pytest.fixture
def scales(monkeypatch: pytest.MonkeyPatch) -> list[Fraction]:
    """The scales of all noise that can be refined, in the order in which it is drawn."""
    scales: list[Fraction] = []
    real = Refinable.drawn

    def noted(n: int, scale: Fraction, words: Any) -> Refinable:
        scales.append(scale)
        return real(n, scale, words)

    monkeypatch.setattr(Refinable, "drawn", noted)
    return scales


@pytest.mark.parametrize(("metric", "k"), [("in_degree", 1), ("out_degree", 3)])
def test_the_noise_of_refined_directed_degrees_is_for_two_moved_entries(
    metric: Any, k: int, scales: list[Fraction]
) -> None:
    graph = edgedp.Graph.from_edges([(i, (i * i) % 60) for i in range(60)], nodes=range(60), directed=True)
    edgedp.priv_top_k(graph, metric, k, "6.4", target_recall="0.01")
    # A list that is not sure enough at once, one in seventeen, goes on with more noise.
    assert scales[0] == Fraction(2) / Fraction(1, 10)


def paid(count: int, *, directed: bool, weight: dict[str, Any], seed: int) -> edgedp.Graph:
    """Return a graph in which few receive most: amounts of a wide law, many parallels."""
    random = np.random.default_rng(seed)
    active = random.pareto(1.2, count) + 0.3
    ends = random.choice(count, (10 * count, 2), p=active / active.sum())
    amounts = random.lognormal(3, 1, len(ends))
    return edgedp.Graph.from_edges(
        ends[ends[:, 0] != ends[:, 1]],
        nodes=range(count),
        directed=directed,
        weights=amounts[ends[:, 0] != ends[:, 1]],
        weight=weight,
    )


@pytest.mark.parametrize(("directed", "step", "epsilon"), [(False, 1, "0.1"), (True, "0.5", "0.5")])
def test_what_a_list_by_strength_says_is_about_what_is_true(directed: bool, step: Any, epsilon: str) -> None:
    """As for degrees; before strengths were looked at in units of their noise, half of what was said did not hold."""
    graph = paid(1_000, directed=directed, weight={"cap": 60, "step": step, "pair_cap": 120}, seed=4)
    metric: Any = "in_strength" if directed else "strength"
    true = getattr(edgedp.exact, metric)(graph)
    top = set(graph.node_ids[true_top(true, 20)].tolist())
    said, was, held = [], [], []
    for seed in range(10):
        drawn = edgedp.priv_top_k(graph, metric, 20, epsilon, rng=np.random.default_rng(seed))
        assert drawn.degree_intervals is None
        said.append(drawn.expected_recall)
        was.append(np.mean([node in top for node in drawn.nodes]))
        held += [
            low <= true[node] <= high
            for node, (low, high) in zip(drawn.nodes, drawn.strength_intervals or [], strict=True)
        ]
    assert np.mean(said) == pytest.approx(np.mean(was), abs=0.12)
    assert np.mean(held) > 0.7
    assert Release.from_dict(drawn.to_dict()) == drawn
    assert "strength_high" in drawn.to_frame().columns


def test_a_list_by_strength_spends_until_it_is_sure_with_noise_for_all_of_a_pair(
    scales: list[Fraction],
) -> None:
    weight = {"cap": 60, "pair_cap": 90}
    for directed in (False, True):
        graph = paid(200, directed=directed, weight=weight, seed=1)
        metric: Any = "out_strength" if directed else "strength"
        for k in (1, 4):
            release = edgedp.priv_top_k(graph, metric, k, "6.4", target_recall="0.5")
            assert release.target_reached
            assert 0 < release.epsilon_spent <= 6.4
            assert release.to_dict()["public"]["protects"].endswith("taken away or replaced")
            assert scales[0] == 2 * 90 / Fraction(1, 10)
            scales.clear()


def test_a_list_by_strength_says_nothing_where_nothing_is_known() -> None:
    """Of sums with signs, and of one largest entry whose noise protects no other; a target is refused for signs."""
    signed = paid(100, directed=True, weight={"cap": 60, "signed": True}, seed=2)
    assert edgedp.priv_top_k(signed, "in_strength", 3, 1).membership is None
    with pytest.raises(edgedp.ParameterError, match="weights with signs"):
        edgedp.priv_top_k(signed, "in_strength", 3, 1, target_recall=0.5)
    one_way = paid(100, directed=True, weight={"cap": 60}, seed=2)
    assert edgedp.priv_top_k(one_way, "in_strength", 1, 1).membership is None
    assert edgedp.priv_top_k(one_way, "in_strength", 2, 1).membership is not None
    with pytest.raises(edgedp.ParameterError, match="target_recall"):
        edgedp.priv_top_k(one_way, "in_strength", 2, 1, mechanism="em", target_recall=0.5)
