"""Joint release: the budget is spent exactly, the fit sees noisy values only, and k nodes come out whatever happens."""

from __future__ import annotations

import inspect
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import integrate, stats

import small_graphs
from edgedp import Graph, ParameterError, exact, joint, joint_both, priv_top_k
from edgedp.joint import SHARE_BITS, draw_joint, joint_values, share_bits
from edgedp.joint_both import affords_betweenness2, combine_degrees, draw_both, rank, split_epsilon
from edgedp.plan import Plan, PublicFacts, plan_priv_top_k
from edgedp.sampling.words import GeneratorWords

EPSILONS = st.integers(1, 10**15).map(lambda nano: Fraction(nano, 10**9))


class Arrays:
    """A projection of given degrees and shares; anything else a joint release has no business to ask."""

    def __init__(self, degrees: NDArray[np.int64], shares: NDArray[np.int64]) -> None:
        self._degrees, self._shares = degrees, shares

    def degrees(self) -> NDArray[np.int64]:
        return self._degrees

    def betweenness2_shares(self, bits: int) -> NDArray[np.int64]:
        return self._shares >> (SHARE_BITS - bits)


def planned(n: int, k: int, epsilon: object, degree_bound: int | None, **options: object) -> Plan:
    options = {"metric": "ebc", "mechanism": "joint"} | options
    return plan_priv_top_k(PublicFacts(n, degree_bound), k=k, epsilon=epsilon, **options)


def words(seed: int = 0) -> GeneratorWords:
    return GeneratorWords(np.random.default_rng(seed))


def tables(n: int) -> list[Arrays]:
    shares = np.rint(small_graphs.betweenness2(n) * 60).astype(np.int64) * (2**SHARE_BITS // 60)
    return [Arrays(degrees, row) for degrees, row in zip(small_graphs.degrees(n), shares, strict=True)]


# -- what is spent --------------------------------------------------------------------------------


@given(EPSILONS)
def test_the_two_parts_are_exact_and_sum_to_the_whole(epsilon):
    first, second = split_epsilon(epsilon)
    assert isinstance(first, Fraction)
    assert isinstance(second, Fraction)
    assert first + second == epsilon
    assert 0 < first <= Fraction(7, 10) * epsilon
    assert first >= epsilon / 5


@pytest.mark.parametrize(
    ("epsilon", "first"), [("0.03", "0.021"), ("0.1", "0.06"), ("0.3", "0.06"), ("4", "0.8")]
)
def test_the_degrees_get_what_the_documentation_says(epsilon, first):
    assert split_epsilon(Fraction(epsilon))[0] == Fraction(first)


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, Fraction]]:
    """Record count and scale of the noise that is asked for; the noise itself is 0."""
    asked: list[tuple[int, Fraction]] = []

    def no_noise(count: int, scale: Fraction, _words: object) -> NDArray[np.int64]:
        asked.append((count, scale))
        return np.zeros(count, dtype=np.int64)

    monkeypatch.setattr(joint, "two_sided_geometric", no_noise)
    return asked


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("second", ["betweenness2", "degree"])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(3)])
def test_both_costs_epsilon_on_every_pair_of_small_graphs_whatever_is_bought_second(
    monkeypatch, k, second, epsilon
):
    """The loss of a noisy vector is its L1 distance over its scale; the two add up to epsilon at most, and reach it."""
    asked = recorded(monkeypatch)
    monkeypatch.setattr(joint_both, "affords_betweenness2", lambda *_: second == "betweenness2")
    n, bound = 4, 3
    draw_both(planned(n, k, epsilon, bound), tables(n)[0], words())
    (count, scale), (second_count, second_scale) = asked
    assert count == second_count == n
    e1, e2 = split_epsilon(epsilon)
    assert scale == 2 / e1
    assert second_scale == (2 / e2 if second == "degree" else 2 * Fraction(bound - 1) * 2**SHARE_BITS / e2)
    graphs, worst = tables(n), Fraction(0)
    for mask in small_graphs.masks(n):
        for other in small_graphs.neighbors(mask, n):
            a, b = graphs[mask], graphs[other]
            degrees = int(np.abs(a.degrees() - b.degrees()).sum())
            shares = int(np.abs(a.betweenness2_shares(SHARE_BITS) - b.betweenness2_shares(SHARE_BITS)).sum())
            worst = max(worst, degrees / scale + (degrees if second == "degree" else shares) / second_scale)
    assert worst <= epsilon
    assert worst == pytest.approx(float(epsilon), rel=0.1 if second == "degree" else 0.6)


@pytest.mark.parametrize(("metric", "k", "moves"), [
    ("degree", 1, 1), ("degree", 2, 2), ("degree", 5, 2), ("betweenness2", 1, 16 << 20), ("betweenness2", 5, 16 << 20),
])  # fmt: skip
def test_one_vector_gets_noise_of_its_sensitivity_over_epsilon(monkeypatch, metric, k, moves):
    asked = recorded(monkeypatch)
    values = np.arange(30, dtype=np.int64)
    drawn = draw_joint(planned(30, k, "0.25", 9, metric=metric), Arrays(values, values), words())
    assert asked == [(30, moves / Fraction("0.25"))]
    assert drawn.tolist() == values[::-1][:k].tolist()


def test_shares_are_cut_where_62_bits_would_not_hold_them(monkeypatch):
    asked = recorded(monkeypatch)
    bound = 2**31
    values = np.zeros(3, dtype=np.int64)
    plan = Plan(
        "priv_top_k", ("betweenness2",), 1, 10**9, "joint", "exponential", PublicFacts(bound + 1, bound)
    )
    draw_joint(plan, Arrays(values, values), words())
    assert asked == [(3, Fraction(2 * (bound - 1) << share_bits(bound)))]


# -- what the fit may see -------------------------------------------------------------------------


def test_the_fit_takes_noisy_values_and_public_facts_alone():
    assert list(inspect.signature(rank).parameters) == ["noisy_degrees", "noisy_betweenness", "scale", "k"]
    assert list(inspect.signature(combine_degrees).parameters) == ["first", "second", "e1", "e2"]
    assert list(inspect.signature(affords_betweenness2).parameters) == [
        "noisy_degrees", "e1", "e2", "degree_bound", "k",
    ]  # fmt: skip


@pytest.mark.parametrize("bound", [80, 10**6])
def test_graphs_whose_noisy_vectors_coincide_are_answered_alike(monkeypatch, bound):
    """The answer is a function of the noisy vectors, public facts and words: nothing bypasses the noise."""
    rng = np.random.default_rng(5)
    n, answers = 200, []
    noisy_degrees, noisy_shares = rng.integers(0, 90, n), rng.integers(-(2**24), 2**30, n)
    for seed in (1, 2):
        other = np.random.default_rng(seed)
        degrees, shares = other.integers(0, 80, n), other.integers(0, 2**28, n)
        kinds = iter([noisy_degrees - degrees, None])

        def noise(count, scale, _words, kinds=kinds, degrees=degrees, shares=shares):
            first = next(kinds)
            if first is not None:
                return first
            return (noisy_shares - shares) if scale > 10**6 else noisy_degrees - degrees

        monkeypatch.setattr(joint, "two_sided_geometric", noise)
        answers.append(draw_both(planned(10**7, 20, 1, bound), Arrays(degrees, shares), words(9)).tolist())
    assert answers[0] == answers[1]


# -- the fit --------------------------------------------------------------------------------------


@st.composite
def noisy_vectors(draw: st.DrawFn) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
    n = draw(st.integers(1, 400))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    degrees = rng.zipf(draw(st.floats(1.5, 4)), n).clip(0, n)
    pairs = degrees * (degrees - 1) / 2
    scale = draw(st.sampled_from([1e-6, 0.1, 1.0, 30.0, 1e4, 1e30]))
    betweenness = pairs * rng.random(n) ** draw(st.floats(0.1, 5)) + rng.laplace(0, scale, n)
    return (
        degrees + np.rint(rng.laplace(0, draw(st.sampled_from([0.5, 20, 1e9])), n)).astype(np.int64),
        betweenness,
        scale,
    )


@given(noisy_vectors(), st.data())
@settings(max_examples=60)
def test_scores_are_finite_for_k_nodes_and_do_not_depend_on_the_order_of_the_nodes(vectors, data):
    degrees, betweenness, scale = vectors
    k = data.draw(st.integers(1, len(degrees)))
    scores = rank(degrees, betweenness, scale, k)
    assert not np.isnan(scores).any()
    assert np.isfinite(scores).sum() >= k
    assert np.all(scores[np.isfinite(scores)] > 0)
    # Who takes part in the fit is settled by position among equal degrees, so they have to differ.
    assume(len(np.unique(degrees)) == len(degrees) or len(degrees) <= 200)
    order = np.random.default_rng(1).permutation(len(degrees))
    np.testing.assert_allclose(rank(degrees[order], betweenness[order], scale, k), scores[order], rtol=1e-9)


@given(noisy_vectors(), st.data())
@settings(max_examples=30)
def test_leaving_nodes_out_does_not_change_the_best(vectors, data):
    degrees, betweenness, scale = (np.tile(v, 10) if isinstance(v, np.ndarray) else v for v in vectors)
    betweenness = betweenness + np.arange(len(betweenness)) * 1e-3
    k = data.draw(st.integers(1, min(30, len(degrees))))
    scores = rank(degrees, betweenness, scale, k)
    pairs = joint_both._pairs(degrees.astype(np.float64))
    fitted = np.argsort(-pairs, kind="stable")[:200]
    everybody = joint_both._posterior_mean(
        pairs, betweenness, scale, *joint_both._fit(pairs[fitted], betweenness[fitted], scale)
    )
    best = np.sort(scores)[::-1][:k]
    np.testing.assert_allclose(best, np.sort(everybody)[::-1][:k], rtol=1e-9)


@pytest.mark.parametrize(("pairs", "value", "scale"), [
    (1000.0, 300.0, 40.0), (1000.0, 300.0, 3.0), (1000.0, 980.0, 300.0), (1000.0, -50.0, 100.0), (50.0, 300.0, 400.0),
    (1e6, 2e5, 2e4), (1000.0, 1200.0, 50.0),
])  # fmt: skip
@pytest.mark.parametrize(("centre", "spread"), [(-1.0, 0.5), (-0.2, 0.1), (-6.0, 1.2)])
def test_the_posterior_mean_equals_numerical_integration(pairs, value, scale, centre, spread):
    flat, lowest = joint_both._FLAT, joint_both._LOWEST

    def density(logarithm: float, power: int) -> float:
        prior = (1 - flat) * stats.norm.pdf(logarithm, centre, spread) + flat / -lowest
        likelihood = np.exp(-abs(value - pairs * np.exp(logarithm)) / scale + least)
        return float(prior * likelihood * np.exp(logarithm) ** power)

    least = max(value - pairs, 0.0, -value) / scale
    kinks = [centre, np.log(value / pairs)] if 0 < value < pairs else [centre]
    mass, moment = (
        integrate.quad(density, lowest, 0, args=(power,), points=kinks, limit=500)[0] for power in (0, 1)
    )
    found = joint_both._posterior_mean(np.array([pairs]), np.array([value]), scale, centre, spread)[0]
    assert found == pytest.approx(pairs * moment / mass, rel=0.03)


def test_the_fit_finds_the_parameters_it_was_drawn_from():
    rng = np.random.default_rng(3)
    pairs = rng.uniform(1e4, 1e5, 2_000)
    logarithm = rng.normal(-1.2, 0.4, 2_000)
    betweenness = pairs * np.exp(np.minimum(logarithm, 0)) + rng.laplace(0, 2_000, 2_000)
    centre, spread = joint_both._fit(pairs, betweenness, 2_000.0)
    assert centre == pytest.approx(-1.2, abs=0.05)
    assert spread == pytest.approx(0.4, abs=0.05)


def test_one_node_far_from_two_thousand_alike_does_not_break_the_fit():
    pairs = np.full(2_000, 1e6)
    betweenness = 0.9 * pairs
    betweenness[7] = 1e-4 * pairs[7]
    centre, spread = joint_both._fit(pairs, betweenness, 1e-3)
    assert centre == pytest.approx(np.log(0.9), abs=0.05)
    assert spread < 0.1


def test_without_noise_the_ranking_is_that_of_betweenness_and_in_much_noise_that_of_the_degrees():
    rng = np.random.default_rng(4)
    degrees = rng.permutation(np.arange(50, 350))
    betweenness = rng.uniform(0.01, 0.99, 300) * degrees * (degrees - 1) / 2
    by_betweenness = np.argsort(-rank(degrees, betweenness, 1e-3, 20))[:20]
    assert by_betweenness.tolist() == np.argsort(-betweenness)[:20].tolist()
    by_degree = np.argsort(-rank(degrees, betweenness + rng.laplace(0, 1e9, 300), 1e9, 300))
    assert by_degree.tolist() == np.argsort(-degrees).tolist()


def test_nodes_unlike_the_bulk_are_found():
    """200 members of a dense cluster, and five bridges of lower degree with a hundred times their betweenness."""
    rng = np.random.default_rng(6)
    degrees = np.concatenate([rng.integers(280, 300, 200), rng.integers(200, 220, 5)])
    pairs = degrees * (degrees - 1) / 2
    betweenness = pairs * np.concatenate([np.full(200, 0.003), np.full(5, 0.6)])
    scores = rank(degrees + rng.integers(-8, 9, 205), betweenness + rng.laplace(0, 800, 205), 800.0, 5)
    assert sorted(np.argsort(-scores)[:5].tolist()) == list(range(200, 205))


# -- what is bought second ------------------------------------------------------------------------


def heavy_tail(n: int = 5_000, largest: int = 1_000) -> NDArray[np.int64]:
    return np.maximum(largest / np.arange(1, n + 1) ** 0.6, 1).astype(np.int64)


@pytest.mark.parametrize(("epsilon", "bound", "k", "affordable"), [
    (1, 1_000, 10, True),  # the bound fits
    (1, 10**6, 10, False),  # it says nothing: degrees
    (Fraction(1, 100), 1_000, 10, False),  # hardly any budget
    (1, 1_000, 5_000, False),  # nodes of degree 6 are asked for
])  # fmt: skip
def test_betweenness_is_bought_where_its_noise_leaves_something_of_it(epsilon, bound, k, affordable):
    degrees = heavy_tail()
    e1, e2 = split_epsilon(Fraction(epsilon))
    noise = np.rint(np.random.default_rng(7).laplace(0, 2 / float(e1), len(degrees))).astype(np.int64)
    assert affords_betweenness2(degrees + noise, e1, e2, bound, k) is affordable


def test_hubs_made_of_noise_are_not_taken_for_hubs():
    """Of a million isolated nodes, ten seem to have a degree above 2,000."""
    e1, e2 = split_epsilon(Fraction(1, 100))
    noise = np.rint(np.random.default_rng(8).laplace(0, 2 / float(e1), 10**6)).astype(np.int64)
    assert np.sort(noise)[-10] > 2_000
    assert not affords_betweenness2(noise, e1, e2, 1_500, 10)


@given(EPSILONS, st.integers(0, 10**7), st.data())
@settings(max_examples=100)
def test_the_choice_never_fails(epsilon, bound, data):
    n = data.draw(st.integers(1, 50))
    degrees = np.array(
        data.draw(st.lists(st.integers(-(2**62), 2**62), min_size=n, max_size=n)), dtype=np.int64
    )
    assert affords_betweenness2(degrees, *split_epsilon(epsilon), bound, data.draw(st.integers(1, n))) in (
        True,
        False,
    )


def test_the_mean_of_two_measurements_has_the_least_variance():
    rng = np.random.default_rng(9)
    first, second = rng.laplace(0, 2 / 0.3, 200_000), rng.laplace(0, 2 / 0.7, 200_000)
    best = combine_degrees(first, second, Fraction(3, 10), Fraction(7, 10)).var()
    assert best == pytest.approx(8 / (0.3**2 + 0.7**2), rel=0.02)


# -- the release ----------------------------------------------------------------------------------


@st.composite
def releases(draw: st.DrawFn) -> tuple[Plan, Arrays]:
    n = draw(st.integers(1, 60))
    bound = draw(st.one_of(st.none(), st.integers(0, n)))
    plan = planned(n, draw(st.integers(1, n)), draw(EPSILONS), bound)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    degrees = rng.integers(0, plan.degree_bound + 1, n)
    shares = rng.integers(0, (degrees * (degrees - 1) // 2 << SHARE_BITS) + 1)
    return plan, Arrays(degrees, shares)


@given(releases(), st.integers(0, 2**32 - 1))
@settings(max_examples=120)
def test_a_release_is_k_distinct_positions_whatever_the_input(release, seed):
    plan, arrays = release
    drawn = draw_joint(plan, arrays, words(seed))
    assert drawn.dtype == np.int64
    assert len(drawn) == len(set(drawn.tolist())) == plan.k
    assert 0 <= drawn.min() <= drawn.max() < plan.facts.node_count


@pytest.mark.parametrize("proxy", ["both", "betweenness2"])
@pytest.mark.parametrize("bound", [0, 1])
def test_where_nothing_can_differ_the_answer_is_uniform(proxy, bound):
    """Chi-square over the 12 ordered pairs of 4 nodes, 6,000 draws; false alarms: 1 in 1,000 over all seeds."""
    arrays = Arrays(np.array([bound, bound, 0, 0]), np.zeros(4, dtype=np.int64))
    plan, source = planned(4, 2, 100, bound, proxy=proxy), words(10)
    counts = np.zeros((4, 4))
    for _ in range(6_000):
        counts[tuple(draw_joint(plan, arrays, source))] += 1
    assert stats.chisquare(counts[~np.eye(4, dtype=bool)]).pvalue > 1e-3


def test_ties_are_broken_at_random_and_not_by_position():
    degrees = np.full(6, 3)
    arrays, plan, source = Arrays(degrees, degrees << SHARE_BITS), planned(6, 1, 10**5, 5), words(11)
    counts = np.bincount([draw_joint(plan, arrays, source)[0] for _ in range(300)], minlength=6)
    assert stats.chisquare(counts).pvalue > 1e-3


def test_a_scale_beyond_int64_is_drawn_from_all_the_same():
    degrees = np.arange(40) % 7
    plan = planned(10**6, 3, "0.000000001", 10**6 - 1, proxy="betweenness2")
    assert len(set(draw_joint(plan, Arrays(degrees, degrees << SHARE_BITS), words(12)).tolist())) == 3


def test_joint_values_say_what_one_edge_moves():
    arrays = Arrays(np.arange(5), np.arange(5))
    assert [joint_values(planned(5, 1, 1, bound), arrays, "degree", 1)[1] for bound in (0, 1, 4)] == [0, 1, 1]
    assert [joint_values(planned(5, 1, 1, bound), arrays, "degree", 3)[1] for bound in (0, 1, 4)] == [0, 2, 2]
    assert [joint_values(planned(5, 1, 1, bound), arrays, "betweenness2", 3)[1] for bound in (0, 1, 4)] == [
        0, 0, 6 << SHARE_BITS,
    ]  # fmt: skip


def cluster_and_bridges() -> Graph:
    """Return a clique of 80 and five centres of sparse stars of 60: the clique has the degrees, the centres the EBC."""
    clique = [(a, b) for a in range(80) for b in range(a)]
    stars = [(80 + s, 100 + 60 * s + leaf) for s in range(5) for leaf in range(60)]
    return Graph.from_edges(clique + stars + [(80 + s, s) for s in range(5)])


def test_both_finds_what_no_ranking_by_degree_can():
    graph = cluster_and_bridges()
    truth = set(graph.node_ids[np.argsort(-exact.ebc(graph))[:5]].tolist())
    assert truth == {80, 81, 82, 83, 84}
    recall = {
        proxy: np.mean([
            len(truth.intersection(priv_top_k(
                graph, metric="ebc", k=5, epsilon=2, mechanism="joint", proxy=proxy, degree_bound=81,
                rng=np.random.default_rng(seed),
            ).nodes)) / 5
            for seed in range(10)
        ])
        for proxy in ("both", "degree")
    }  # fmt: skip
    assert recall["both"] > 0.95
    assert recall["degree"] < 0.3


def test_a_release_says_by_which_proxy_it_ranks():
    release = priv_top_k(cluster_and_bridges(), metric="ebc", k=2, epsilon=1, mechanism="joint")
    assert release.to_dict()["parameters"]["proxy"] == "both"


def test_the_law_of_the_first_pick_is_refused_for_both_in_one_line():
    graph = cluster_and_bridges()
    with pytest.raises(
        ParameterError, match="proxy is 'both', must be 'degree' or 'betweenness2'"
    ) as refused:
        exact.first_pick_probabilities(graph, metric="ebc", k=1, epsilon=1, mechanism="joint")
    assert "\n" not in str(refused.value)
