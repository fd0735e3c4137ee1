"""Joint releases as they are asked for: what is planned, drawn, shown and refused, and the noise of a single vector."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

import edgedp
from edgedp import Graph, ParameterError, UnknownNameError, exact, motkin, priv_top_k
from edgedp.faces.cli import edgedp as command_line
from edgedp.mechanisms import joint
from edgedp.mechanisms.joint import draw_joint, joint_values
from edgedp.mechanisms.metrics.betweenness2 import SHARE_BITS, share_bits
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.sampling.words import GeneratorWords, SecureWords
from edgedp.release.draw import draw, draw_positions
from edgedp.release.plan import JointMotkinPlan, JointPlan, Plan, PublicFacts, TopKPlan, plan
from edgedp.release.plan.kept import plan_of
from looped import as_one

EPSILONS = st.integers(1, 10**15).map(lambda nano: Fraction(nano, 10**9))
WITHOUT_BOUND = [
    ("priv_top_k", {"metric": "degree"}),
    ("priv_top_k", {"metric": "ebc"}),
    ("priv_top_k", {"metric": "ebc", "proxy": "degree"}),
    ("priv_top_k", {"metric": "betweenness2", "proxy": "ordered"}),
    ("priv_top_k", {"metric": "betweenness2", "proxy": "lists", "cap": 4}),
    ("motkin", {"metrics": ["degree", "density"], "mechanism": "joint"}),
    ("motkin", {"metrics": ["degree", "ebc"], "mechanism": "joint", "approach": "aggregate"}),
]


class Arrays:
    """A projection of given degrees and shares; anything else a release of one vector has no business to ask."""

    def __init__(self, degrees: NDArray[np.int64], shares: NDArray[np.int64]) -> None:
        self._degrees, self._shares = degrees, shares

    def degrees(self) -> NDArray[np.int64]:
        return self._degrees

    def betweenness2_shares(self, bits: int) -> NDArray[np.int64]:
        return self._shares >> (SHARE_BITS - bits)


def asked(kind: Any, options: dict[str, Any], n: int = 30, bound: int | None = None, **facts: Any) -> Plan:
    return plan(kind, {"k": 2, "epsilon": 1, **options}, PublicFacts(n, bound, **facts))


def planned(n: int, k: int, epsilon: object, bound: int | None, **options: object) -> JointPlan:
    made = asked("priv_top_k", {"mechanism": "joint", "k": k, "epsilon": epsilon, **options}, n, bound)
    assert isinstance(made, JointPlan)
    return made


def words(seed: int = 0) -> GeneratorWords:
    return GeneratorWords(np.random.default_rng(seed))


def cluster_and_bridges() -> Graph:
    """Return a clique of 80 and five centres of sparse stars of 60: the clique has the degrees, the centres the EBC."""
    clique = [(a, b) for a in range(80) for b in range(a)]
    stars = [(80 + s, 100 + 60 * s + leaf) for s in range(5) for leaf in range(60)]
    return Graph.from_edges(clique + stars + [(80 + s, s) for s in range(5)])


# -- what is planned ------------------------------------------------------------------------------------


def test_joint_is_the_default_where_there_is_one_and_sld_where_not():
    for metric in ("degree", "ebc", "betweenness2"):
        assert isinstance(asked("priv_top_k", {"metric": metric}), JointPlan)
        assert isinstance(asked("priv_top_k", {"metric": metric, "mechanism": "sld"}), TopKPlan)
    density = asked("priv_top_k", {"metric": "density"})
    assert density.parameters["mechanism"] == "sld"
    assert asked("motkin", {"metrics": ["degree", "density"]}).parameters["mechanism"] == "sld"
    assert asked("motkin", {"metrics": ["degree", "density"]}).parameters["sensitivity"] == "local"


def test_with_a_declared_delta_the_default_stays_sld_and_joint_is_to_be_asked_for():
    for metric in ("degree", "ebc", "betweenness2"):
        default = asked("priv_top_k", {"metric": metric}, delta_declared=True)
        assert default.parameters["mechanism"] == "sld"
        wanted = asked("priv_top_k", {"metric": metric, "mechanism": "joint"}, delta_declared=True)
        assert isinstance(wanted, JointPlan)
        assert wanted.rho_shares == 2  # epsilon^2 / 2
        assert default.rho_shares == 8 * 2  # epsilon^2 / (8 k)


@pytest.mark.parametrize(("kind", "options"), WITHOUT_BOUND)
def test_a_release_that_rests_on_no_bound_says_so_and_takes_any_graph(kind, options):
    made = asked(kind, options, n=385, bound=3)
    assert not made.rests_on_bound
    assert made.public["rests_on"] == "no degree bound"
    assert "rests_on" not in made.facts.to_dict()
    graph = cluster_and_bridges()
    made = asked(kind, options, n=graph.node_count, bound=3)
    assert graph.max_degree > 3
    assert len(draw(made, GraphProjection(graph), SecureWords()).items) == 2
    function: Any = {"priv_top_k": priv_top_k, "motkin": motkin}[kind]
    shown = function(graph, k=2, epsilon=1, degree_bound=3, **options).to_dict()
    assert shown["public"]["rests_on"] == "no degree bound"
    assert shown["public"]["degree_bound"] == 3


def test_length_two_betweenness_with_a_promise_still_rests_on_it():
    made = asked("priv_top_k", {"metric": "ebc", "proxy": "betweenness2"}, bound=3)
    assert made.rests_on_bound
    assert "rests_on" not in made.public
    with pytest.raises(ParameterError, match="degree_bound is 3, must be at least"):
        priv_top_k(cluster_and_bridges(), metric="ebc", k=2, epsilon=1, proxy="betweenness2", degree_bound=3)


@as_one
@pytest.mark.parametrize(
    ("kind", "options"), [*WITHOUT_BOUND, ("priv_top_k", {"metric": "ebc", "estimates": True})]
)
def test_canonical_parameters_give_the_plan_again(kind, options):
    made = asked(kind, options)
    recorded = json.loads(json.dumps(made.parameters))
    assert plan(kind, recorded, made.facts) == made


def test_the_adaptive_release_is_recorded_with_its_version_and_another_is_not_repeated():
    made = asked("priv_top_k", {"metric": "ebc"})
    assert made.parameters["version"] == 3
    for kind, options in (
        ("priv_top_k", {"metric": "ebc", "proxy": "ordered"}),
        ("motkin", {"metrics": ("degree", "density"), "mechanism": "joint"}),
    ):
        assert asked(kind, options).parameters["version"] == 3
    with pytest.raises(ParameterError, match="version is 1, must be 3"):
        plan("priv_top_k", made.parameters | {"version": 1}, made.facts)
    with pytest.raises(ParameterError, match="version is 3, must be None"):
        asked("priv_top_k", {"metric": "degree", "version": 3})
    assert "version" not in asked("priv_top_k", {"metric": "ebc", "proxy": "degree"}).parameters


@pytest.mark.parametrize(("kind", "options", "versions"), [
    ("priv_top_k", {"metric": "ebc"}, (None, 2, 3)),
    ("priv_top_k", {"metric": "ebc", "proxy": "ordered"}, (None, 3)),
    ("motkin", {"metrics": ("degree", "density"), "mechanism": "joint"}, (None, 3)),
])  # fmt: skip
def test_kept_releases_of_older_versions_are_as_they_were_and_answer_their_request_ids(
    kind, options, versions
):
    now = asked(kind, options)
    for version in versions:
        parameters = {name: value for name, value in now.parameters.items() if name != "version"}
        parameters |= {} if version is None else {"version": version}
        kept = plan_of(kind, parameters, now.facts.to_dict())
        assert kept.parameters == parameters
        assert kept == now, "the same question, so the same request"
    with pytest.raises(ParameterError, match="version is 4, must be 3"):
        plan_of(kind, parameters | {"version": 4}, now.facts.to_dict())


@as_one
@pytest.mark.parametrize(("kind", "options", "message"), [
    ("priv_top_k", {"metric": "ebc", "shift": "up"}, r"'joint' .the default.*another mechanism"),
    ("priv_top_k", {"metric": "ebc", "mechanism": "joint", "shift": "up"}, "shift is not an option"),
    ("priv_top_k", {"metric": "degree", "proxy": "degree"}, "proxy is not an option of .*'degree'"),
    ("priv_top_k", {"metric": "ebc", "proxy": "lists"}, "cap is missing for proxy 'lists'"),
    ("priv_top_k", {"metric": "ebc", "proxy": "lists", "cap": 0}, "cap is 0, must be 1 or more"),
    ("priv_top_k", {"metric": "ebc", "cap": 5}, r"cap is not an option of .* and proxy 'both' .the default."),
    ("priv_top_k", {"metric": "ebc", "mechanism": "sld", "cap": 5}, "cap is not an option"),
    ("priv_top_k", {"metric": "ebc", "mechanism": "sld", "estimates": True}, "estimates is not an option"),
    ("priv_top_k", {"metric": "ebc", "proxy": "lists", "cap": 5, "estimates": True}, "estimates is not an option of"),
    ("priv_top_k", {"metric": "ebc", "estimates": "yes"}, "estimates is 'yes', must be true or false"),
    ("motkin", {"metrics": ["degree", "ebc"], "mechanism": "joint", "sensitivity": "local"}, "sensitivity is not"),
    ("motkin", {"metrics": ["degree", "ebc"], "mechanism": "joint", "weights": [1, 1]}, "weights is not an option"),
    ("motkin", {"metrics": ["degree", "ebc"], "estimates": True}, "estimates is not an option"),
])  # fmt: skip
def test_an_option_without_effect_is_refused_in_one_line(kind, options, message):
    with pytest.raises(ParameterError, match=message) as refused:
        asked(kind, options)
    assert "\n" not in str(refused.value)


def test_an_unknown_proxy_is_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'lists'"):
        asked("priv_top_k", {"metric": "ebc", "proxy": "list"})


def test_a_bound_that_is_far_too_large_changes_nothing_and_one_that_is_true_only_caps():
    graph = cluster_and_bridges()
    n, projection = graph.node_count, GraphProjection(graph)
    for seed in range(5):
        drawn = [
            draw_positions(planned(n, 5, 2, bound, metric="ebc"), projection, words(seed)).tolist()
            for bound in (None, n - 1, 10**6, 200)
        ]
        assert all(positions == drawn[0] for positions in drawn[1:])


# -- what is shown --------------------------------------------------------------------------------------


@as_one
@pytest.mark.parametrize(("kind", "options", "ranks_by"), [
    ("priv_top_k", {"metric": "ebc"}, "noisy degree and noisy betweenness2 through cuts together"),
    ("priv_top_k", {"metric": "ebc", "proxy": "lists", "cap": 9}, "noisy betweenness2 through cuts"),
    ("priv_top_k", {"metric": "degree"}, None),
    ("motkin", {"metrics": ["degree", "density"], "mechanism": "joint"}, "what noisy cuts say"),
    ("motkin", {"metrics": ["degree", "density"]}, None),
])  # fmt: skip
def test_a_release_says_by_what_it_ranks(kind, options, ranks_by):
    function: Any = {"priv_top_k": priv_top_k, "motkin": motkin}[kind]
    shown = function(cluster_and_bridges(), k=2, epsilon=1, **options).to_dict().get("ranks_by")
    assert shown is None if ranks_by is None else ranks_by in shown


@pytest.mark.parametrize(("kind", "options"), [
    ("priv_top_k", {"metric": "degree", "k": 1}),
    ("priv_top_k", {"metric": "ebc"}),
    ("priv_top_k", {"metric": "betweenness2", "proxy": "ordered"}),
    ("motkin", {"metrics": ["degree", "density"], "mechanism": "joint"}),
])  # fmt: skip
def test_estimates_are_shown_where_they_are_asked_for_and_nowhere_else(kind, options):
    graph = cluster_and_bridges()
    function: Any = {"priv_top_k": priv_top_k, "motkin": motkin}[kind]
    asked_for = {"k": 2, "epsilon": 20, **options}
    release = function(graph, **asked_for, estimates=True)
    assert release.parameters["estimates"] is True
    assert release.estimates == release.to_dict()["estimates"]
    for name, true in (
        ("edges", graph.edge_count),
        ("wedges", int((graph.degrees * (graph.degrees - 1)).sum()) // 2),
    ):
        found = release.estimates[name]
        assert set(found) == {"value", "low", "high"}
        assert found["value"] == pytest.approx(true, rel=0.1)
        assert found["low"] <= found["value"] <= found["high"]
    plain = function(graph, **asked_for)
    assert plain.estimates is None
    assert "estimates" not in plain.to_dict()
    assert "estimates" not in plain.parameters


def test_the_command_line_takes_cap_and_estimates(tmp_path):
    store = edgedp.open_store(str(tmp_path / "graphs.edgedp"))
    store.load(cluster_and_bridges(), name="g", epsilon_budget=100, degree_bound=3_000)
    store.close()

    def run(*arguments: str) -> dict[str, Any]:
        result = CliRunner().invoke(
            command_line, ["--store", str(tmp_path / "graphs.edgedp"), *arguments, "--format", "json"]
        )
        assert result.exit_code == 0, result.output
        return json.loads(result.output)

    shown = run("topk", "g", "--metric", "ebc", "-k", "2", "--epsilon", "1", "--estimates")
    assert shown["parameters"]["mechanism"] == "joint"
    assert shown["parameters"]["version"] == 3
    assert set(shown["estimates"]) == {"edges", "wedges"}
    shown = run(
        "topk", "g", "--metric", "ebc", "-k", "2", "--epsilon", "1", "--proxy", "lists", "--cap", "40"
    )
    assert shown["parameters"]["cap"] == 40
    metrics = ["--metric", "degree", "--metric", "density"]
    shown = run("motkin", "g", *metrics, "-k", "2", "--epsilon", "1", "--mechanism", "joint")
    assert "sensitivity" not in shown["parameters"]


# -- the noise of one vector ----------------------------------------------------------------------------


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, Fraction]]:
    """Record count and scale of the noise that is asked for; the noise itself is 0."""
    noise: list[tuple[int, Fraction]] = []

    def no_noise(count: int, scale: Fraction, _words: object) -> NDArray[np.int64]:
        noise.append((count, scale))
        return np.zeros(count, dtype=np.int64)

    monkeypatch.setattr(joint, "two_sided_geometric", no_noise)
    return noise


@pytest.mark.parametrize(("metric", "k", "estimates", "moves"), [
    ("degree", 1, False, 1), ("degree", 1, True, 2), ("degree", 2, False, 2), ("degree", 5, True, 2),
    ("betweenness2", 1, False, 16 << 20), ("betweenness2", 5, False, 16 << 20),
])  # fmt: skip
def test_one_vector_gets_noise_of_its_sensitivity_over_epsilon(monkeypatch, metric, k, estimates, moves):
    """Where estimates are computed from the whole vector, the price of the argmax alone would not do."""
    noise = recorded(monkeypatch)
    values = np.arange(30, dtype=np.int64)
    proxy = {} if metric == "degree" else {"proxy": metric}
    made = planned(30, k, "0.25", 9, metric=metric, estimates=estimates, **proxy)
    drawn, seen = draw_joint(made, metric, Arrays(values, values), words())
    assert noise == [(30, moves / Fraction("0.25"))]
    assert drawn.tolist() == values[::-1][:k].tolist()
    assert seen.tolist() == values.tolist()


def test_degrees_are_bought_at_two_for_estimates_on_the_way_of_a_release(monkeypatch):
    noise = recorded(monkeypatch)
    graph = cluster_and_bridges()
    for estimates, moves in ((False, 1), (True, 2)):
        priv_top_k(graph, metric="degree", k=1, epsilon=4, estimates=estimates)
        assert noise.pop() == (graph.node_count, Fraction(moves, 4))


def test_shares_are_cut_where_62_bits_would_not_hold_them(monkeypatch):
    noise = recorded(monkeypatch)
    bound, values = 2**31, np.zeros(3, dtype=np.int64)
    made = JointPlan(
        cost=10**9, facts=PublicFacts(bound + 1, bound), metric="betweenness2", k=1, ranked_by="betweenness2"
    )
    draw_joint(made, "betweenness2", Arrays(values, values), words())
    assert noise == [(3, Fraction(2 * (bound - 1) << share_bits(bound)))]


def test_joint_values_say_what_one_edge_moves():
    """The degrees' do not follow a bound: their release rests on none."""
    arrays = Arrays(np.arange(5), np.arange(5))
    for n, k, moves in ((1, 1, 0), (2, 1, 1), (2, 2, 2), (5, 3, 2)):
        made = planned(n, k, 1, 0, metric="degree")
        assert joint_values(made, arrays, "degree", k)[1] == moves
    assert [
        joint_values(planned(5, 1, 1, bound, metric="ebc"), arrays, "betweenness2", 3)[1]
        for bound in (0, 1, 4)
    ] == [0, 0, 6 << SHARE_BITS]


@st.composite
def releases(draw: st.DrawFn) -> tuple[JointPlan, Arrays]:
    n = draw(st.integers(1, 60))
    proxy = draw(st.sampled_from(["degree", "betweenness2"]))
    bound = draw(st.one_of(st.none(), st.integers(0, n)))
    made = planned(n, draw(st.integers(1, n)), draw(EPSILONS), bound, metric="ebc", proxy=proxy)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    degrees = rng.integers(0, made.degree_bound + 1, n)
    return made, Arrays(degrees, rng.integers(0, (degrees * (degrees - 1) // 2 << SHARE_BITS) + 1))


@given(releases(), st.integers(0, 2**32 - 1))
@settings(max_examples=80)
def test_a_release_is_k_distinct_positions_whatever_the_input(release, seed):
    made, arrays = release
    drawn, _ = draw_joint(made, made.ranked_by, arrays, words(seed))
    assert drawn.dtype == np.int64
    assert len(drawn) == len(set(drawn.tolist())) == made.k
    assert 0 <= drawn.min() <= drawn.max() < made.facts.node_count


@pytest.mark.parametrize("bound", [0, 1])
def test_where_nothing_can_differ_the_answer_is_uniform(bound):
    """Chi-square over the 12 ordered pairs of 4 nodes, 6,000 draws; false alarms: 1 in 1,000 over all seeds."""
    arrays = Arrays(np.array([bound, bound, 0, 0]), np.zeros(4, dtype=np.int64))
    made, source = planned(4, 2, 100, bound, metric="betweenness2", proxy="betweenness2"), words(10)
    counts = np.zeros((4, 4))
    for _ in range(6_000):
        counts[tuple(draw_joint(made, "betweenness2", arrays, source)[0])] += 1
    assert stats.chisquare(counts[~np.eye(4, dtype=bool)]).pvalue > 1e-3


def test_ties_are_broken_at_random_and_not_by_position():
    degrees = np.full(6, 3)
    arrays, made, source = Arrays(degrees, degrees), planned(6, 1, 10**5, 5, metric="degree"), words(11)
    counts = np.bincount([draw_joint(made, "degree", arrays, source)[0][0] for _ in range(300)], minlength=6)
    assert stats.chisquare(counts).pvalue > 1e-3


def test_a_scale_beyond_int64_is_drawn_from_all_the_same():
    degrees = np.arange(40) % 7
    made = planned(10**6, 3, "0.000000001", 10**6 - 1, metric="ebc", proxy="betweenness2")
    drawn, _ = draw_joint(made, "betweenness2", Arrays(degrees, degrees << SHARE_BITS), words(12))
    assert len(set(drawn.tolist())) == 3


# -- what it finds --------------------------------------------------------------------------------------


def test_without_any_bound_it_finds_what_no_ranking_by_degree_can():
    graph = cluster_and_bridges()
    truth = set(graph.node_ids[np.argsort(-exact.ebc(graph))[:5]].tolist())
    assert truth == {80, 81, 82, 83, 84}
    recall = {
        proxy: np.mean([
            len(truth.intersection(
                priv_top_k(graph, metric="ebc", k=5, epsilon=2, proxy=proxy, rng=np.random.default_rng(seed)).nodes
            )) / 5
            for seed in range(10)
        ])
        for proxy in ("both", "ordered", "degree")
    }  # fmt: skip
    assert recall["both"] > 0.9
    assert recall["ordered"] > 0.9
    assert recall["degree"] < 0.3


def test_laws_of_the_first_pick_are_those_of_sld_unless_one_vector_is_asked_for():
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (1, 4)])
    options: dict[str, Any] = {"metric": "ebc", "k": 1, "epsilon": 1}
    assert np.array_equal(
        exact.first_pick_probabilities(graph, **options),
        exact.first_pick_probabilities(graph, **options, mechanism="sld"),
    )
    listed = exact.first_pick_probabilities(graph, **options, mechanism="joint", proxy="lists", cap=2)
    assert listed.sum() == pytest.approx(1)
    assert listed.argmax() == 1
    for proxy in ("both", "ordered"):
        with pytest.raises(ParameterError, match=f"proxy is '{proxy}', must be 'degree'") as refused:
            exact.first_pick_probabilities(graph, **options, mechanism="joint", proxy=proxy)
        assert "\n" not in str(refused.value)
    with pytest.raises(ParameterError, match="mechanism is 'joint'"):
        exact.motkin_first_pick_probabilities(graph, k=1, mechanism="joint")


def test_a_plan_of_several_metrics_holds_no_sensitivity():
    options = {
        "metrics": ["degree", "density"],
        "mechanism": "joint",
        "approach": "aggregate",
        "weights": [1, 9],
    }
    made = asked("motkin", options)
    assert isinstance(made, JointMotkinPlan)
    assert made.parameters == {
        "metrics": ["degree", "density"], "approach": "aggregate", "k": 2, "epsilon": "1", "mechanism": "joint",
        "weights": [1.0, 9.0], "version": 3,
    }  # fmt: skip
    assert made.quantities == {"cut_closed_shares"}
