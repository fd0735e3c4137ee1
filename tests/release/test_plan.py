from __future__ import annotations

import itertools
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from edgedp.mechanisms.selection.domains import declare
from edgedp.release.plan import Kind, PublicFacts, options_from_config, plan
from edgedp.release.plan.nodes import aggregate_shift
from edgedp.words.errors import EdgeDPError, ParameterError, UnknownNameError
from edgedp.words.vocabulary import KINDS, MECHANISMS, SAMPLERS

FACTS = PublicFacts(node_count=50, degree_bound=20, nodes_supplied=True)
TOP_K = {"metric": "ebc", "k": 3, "epsilon": "0.5"}
MOTKIN = {"metrics": ("degree", "density"), "k": 3, "epsilon": "0.5"}
# Questions of every kind with epsilon^2 / rho of each by docs/privacy.md: 2, but for picks one after the other,
# each of which costs (epsilon / k)^2 / 8 by the exponential mechanism and (epsilon / k)^2 / 2 by permute-and-flip.
PRICED: dict[Kind, list[tuple[dict[str, Any], int]]] = {
    "priv_top_k": [
        (TOP_K, 2),
        (TOP_K | {"mechanism": "sld"}, 8 * 3),
        (TOP_K | {"mechanism": "em"}, 8 * 3),
        (TOP_K | {"mechanism": "pf"}, 2 * 3),
        (TOP_K | {"mechanism": "ld", "sampler": "permute_and_flip"}, 2 * 3),
    ],
    "motkin": [
        (MOTKIN, 8 * 3),
        (MOTKIN | {"mechanism": "pf", "sensitivity": "global"}, 2 * 3),
        (MOTKIN | {"approach": "aggregate"}, 8 * 3),
        (MOTKIN | {"mechanism": "joint"}, 2),
    ],
    "count": [
        ({"of": "triangles"}, 2),
        ({"of": "clustering"}, 2),
        ({"of": "triangles", "error_bar": True}, 2),
    ],
    "distribution": [({}, 2), ({"form": "histogram"}, 2)],
    "summary": [({}, 2)],
    "percentile": [
        ({"property": "age", "q": "0.5"}, 2),
        ({"property": "age", "q": "0.5", "mechanism": "em"}, 2),
    ],
}


def test_defaults_are_filled_in_and_shown() -> None:
    joint = {"mechanism": "joint", "proxy": "both", "version": 3}
    assert plan("priv_top_k", TOP_K, FACTS).parameters == {"metric": "ebc", "k": 3, "epsilon": "0.5", **joint}
    assert plan("priv_top_k", TOP_K | {"mechanism": "sld"}, FACTS).parameters == {
        "metric": "ebc",
        "k": 3,
        "epsilon": "0.5",
        "mechanism": "sld",
        "sampler": "exponential",
        "sensitivity_form": "degree",
        "shift": "up",
    }
    assert plan("motkin", MOTKIN, FACTS).parameters == {
        "metrics": ["degree", "density"],
        "approach": "pareto",
        "sensitivity": "local",
        "k": 3,
        "epsilon": "0.5",
        "mechanism": "sld",
        "sampler": "exponential",
        "sensitivity_form": "interval",
        "shift": "down",
    }


@pytest.mark.parametrize(
    ("mechanism", "metric"),
    [
        (mechanism, metric)
        for mechanism in MECHANISMS
        for metric in ("degree", "density", "ebc", "betweenness2")
        if (mechanism, metric) != ("joint", "density")
    ],
)
def test_canonical_parameters_plan_the_same_release(mechanism: str, metric: str) -> None:
    first = plan("priv_top_k", TOP_K | {"metric": metric, "mechanism": mechanism}, FACTS)
    stored = json.loads(json.dumps(first.parameters))
    assert plan("priv_top_k", stored, FACTS) == first


@pytest.mark.parametrize(
    ("approach", "sensitivity", "weights"),
    [
        ("pareto", "local", None),
        ("pareto", "global", None),
        ("aggregate", "local", (1, -2.5)),
        ("aggregate", "global", None),
    ],
)
def test_canonical_parameters_of_motkin_plan_the_same_release(
    approach: str, sensitivity: str, weights: object
) -> None:
    options = MOTKIN | {"approach": approach, "sensitivity": sensitivity, "weights": weights}
    first = plan("motkin", options, FACTS)
    assert plan("motkin", json.loads(json.dumps(first.parameters)), FACTS) == first


@pytest.mark.parametrize(
    ("change", "kind", "says"),
    [
        ({"metric": "densty"}, UnknownNameError, "did you mean 'density'?"),
        ({"mechanism": "sdl"}, UnknownNameError, "did you mean 'sld'?"),
        ({"mechanism": "sld", "sampler": "gumbel"}, UnknownNameError, ", ".join(SAMPLERS)),
        ({"epsilon": 0}, ParameterError, "epsilon is 0, must be greater than 0"),
        ({"epsilon": -1}, ParameterError, "greater than 0"),
        ({"epsilon": float("nan")}, ParameterError, "must be finite"),
        ({"epsilon": "1e-12"}, ParameterError, "one nano"),
        ({"k": 0}, ParameterError, "from 1 to the number of nodes, 50"),
        ({"k": -3}, ParameterError, "from 1"),
        ({"k": 51}, ParameterError, "from 1"),
        ({"k": 2.5}, ParameterError, "whole number"),
        ({"k": True}, ParameterError, "whole number"),
        ({"k": None}, ParameterError, "k is missing"),
        ({"mechanism": "pf", "sampler": "exponential"}, ParameterError, "permute_and_flip"),
        ({"mechanism": "joint", "sampler": "exponential"}, ParameterError, "ask without it"),
        ({"mechanism": "joint", "metric": "density"}, ParameterError, "must be one of betweenness2, degree, ebc"),
        ({"mechanism": "joint", "shift": "up"}, ParameterError, "ask without it"),
        ({"mechanism": "em", "shift": "up"}, ParameterError, "ask without it"),
        ({"mechanism": "em", "sensitivity_form": "degree"}, ParameterError, "ask without it"),
        ({"mechanism": "sld", "proxy": "degree"}, ParameterError, "ask without it"),
        ({"metric": "density", "sensitivity_form": "common_neighbors"}, UnknownNameError, "sensitivity_form"),
        ({"mechanism": "sld", "shift": "sideways"}, UnknownNameError, "up, down"),
        ({"metrik": "ebc"}, UnknownNameError, "did you mean 'metric'?"),
    ],
)  # fmt: skip
def test_bad_options_of_top_k_are_refused_in_one_line(
    change: dict[str, object], kind: type, says: str
) -> None:
    with pytest.raises(kind) as refused:
        plan("priv_top_k", TOP_K | change, FACTS)
    assert isinstance(refused.value, EdgeDPError)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"metrics": "degree"}, "must be a list"),
        ({"metrics": ["degree"]}, "two or more"),
        ({"metrics": ["degree", "degree"]}, "two or more different"),
        ({"metrics": ["degree", "ecb"]}, "did you mean 'ebc'?"),
        ({"approach": "parreto"}, "did you mean 'pareto'?"),
        ({"sensitivity": "global", "mechanism": "sld"}, "must be one of em, pf"),
        ({"mechanism": "em"}, "must be one of ld, sld"),
        ({"weights": [1, 1]}, "ask without it"),
        ({"approach": "aggregate", "weights": [0, 0]}, "must not be all 0"),
        ({"approach": "aggregate", "weights": [1, float("nan")]}, "must be finite"),
        ({"approach": "aggregate", "weights": [1, float("inf")]}, "must be finite"),
        ({"approach": "aggregate", "weights": [1, 10**400]}, "beyond the floats"),
        ({"approach": "aggregate", "weights": [1]}, "weights has length 1, must be 2"),
        ({"approach": "aggregate", "weights": ["1", "2"]}, "list of numbers"),
        ({"approach": "aggregate", "weights": 3}, "list of numbers"),
        ({"sensitivity_form": "edge"}, "interval, interval+edge"),
        (
            {"sensitivity_form": "interval+edge", "metrics": ["degree", "betweenness2"]},
            "must be 'interval' with",
        ),
        ({"sensitivity": "global", "sensitivity_form": "interval"}, "ask without it"),
    ],
)
def test_bad_options_of_motkin_are_refused_in_one_line(change: dict[str, object], says: str) -> None:
    with pytest.raises(EdgeDPError) as refused:
        plan("motkin", MOTKIN | change, FACTS)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_degree_bound_never_exceeds_what_the_nodes_allow() -> None:
    assert PublicFacts(5).effective_degree_bound == 4
    assert PublicFacts(5, 100).effective_degree_bound == 4
    assert PublicFacts(5, 2).effective_degree_bound == 2
    assert PublicFacts(1).effective_degree_bound == 0


@pytest.mark.parametrize(
    ("names", "weights", "shift"),
    [
        (["ebc"], [1], "up"),
        (["betweenness2"], [1], "up"),
        (["degree"], [1], "up"),
        (["density"], [1], "up"),
        (["density"], [-1], "down"),
        (["ebc"], [-1], "down"),
        (["degree", "density"], [1, 1], "down"),
        (["degree", "density"], [-1, 1], "up"),
        (["degree", "density"], [0, 1], "up"),
        (["ebc", "density"], [1, -5], "up"),
        (["ebc", "degree"], [-1, 5], "down"),
        (["ebc", "degree"], [0, 1], "up"),
    ],
)
def test_shift_follows_from_metrics_and_weights_alone(
    names: list[str], weights: list[float], shift: str
) -> None:
    assert aggregate_shift(names, weights, 20) == shift


def test_configuration_keys_are_the_option_names_in_camel_case() -> None:
    asked = options_from_config("motkin", {"metrics": ["ebc", "degree"], "k": 1, "epsilon": 1, "approach": "aggregate",
                                           "sensitivityForm": "common_neighbors"})  # fmt: skip
    assert plan("motkin", asked, FACTS).parameters["sensitivity_form"] == "common_neighbors"
    with pytest.raises(UnknownNameError, match="did you mean 'sensitivityForm'"):
        options_from_config("priv_top_k", TOP_K | {"sensitivity_form": "degree"})
    with pytest.raises(UnknownNameError, match="did you mean 'epsilon'"):
        options_from_config("priv_top_k", TOP_K | {"epsilonn": 1})


def test_planning_reads_no_edge() -> None:
    """A plan is a function of arguments and public facts: it has nowhere to read an edge from."""
    for metric, mechanism in itertools.product(["degree", "ebc"], ["em", "sld"]):
        planned = plan("priv_top_k", TOP_K | {"metric": metric, "mechanism": mechanism}, FACTS)
        assert planned.cost == 500_000_000


def test_questions_of_every_kind_are_priced() -> None:
    assert set(PRICED) == set(KINDS)


@pytest.mark.parametrize("epsilon", ["0.3", "0.123456789", "2", "0.0001"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_plan_costs_the_epsilon_that_was_asked_for_and_the_rho_of_the_documents(
    kind: Kind, epsilon: str
) -> None:
    facts = replace(FACTS, domains={"age": declare(0, 99)})
    for asked, shares in PRICED[kind]:
        planned = plan(kind, asked | {"epsilon": epsilon}, facts)
        assert planned.cost == Fraction(epsilon) * 10**9
        assert planned.epsilon == Fraction(epsilon)
        assert planned.parameters["epsilon"] == epsilon
        assert planned.rho_shares == shares, asked
        [charge] = planned.charges
        assert (charge.cost, charge.rho_shares) == (planned.cost, shares)


@pytest.mark.parametrize("cost", [0, -1])
def test_no_plan_costs_nothing(cost: int) -> None:
    with pytest.raises(ParameterError, match=f"costs {cost} nano-epsilon, must be 1 or more"):
        replace(plan("summary", {"epsilon": 1}, FACTS), cost=cost)


def test_a_plan_on_another_graph_is_the_same_but_for_one_node() -> None:
    """What an engine is tried with before a debit takes the very same way."""
    small = PublicFacts(5)
    for kind, asked in (
        ("priv_top_k", TOP_K),
        ("priv_top_k", TOP_K | {"mechanism": "joint"}),
        ("motkin", MOTKIN),
    ):
        first = plan(kind, asked, FACTS)
        assert first.on(small).facts == small
        assert first.on(small).parameters == first.parameters | {"k": 1}
        assert type(first.on(small)) is type(first)
