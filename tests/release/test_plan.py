from __future__ import annotations

import itertools
import json
from dataclasses import replace
from decimal import Inexact, localcontext
from fractions import Fraction
from typing import Any

import pytest

from edgedp.graph.weights import weighting_of
from edgedp.mechanisms.selection.domains import declare
from edgedp.release.conditions import conditions
from edgedp.release.options import CountOptions
from edgedp.release.plan import ArcsPlan, Kind, PublicFacts, options_from_config, plan
from edgedp.release.plan.arc_numbers import plan_arc_count
from edgedp.release.plan.base import check_protects
from edgedp.release.plan.facts import protects_more
from edgedp.release.plan.named import TypedId
from edgedp.release.plan.nodes import aggregate_shift
from edgedp.release.plan.numbers import plan_count
from edgedp.words.dates.calendar import calendar_of
from edgedp.words.errors import EdgeDPError, ParameterError, UnknownNameError
from edgedp.words.vocabulary import KINDS, MECHANISMS, SAMPLERS
from looped import as_one

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


@as_one
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


@as_one
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


@as_one
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


@as_one
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"metrics": "degree"}, "must be a list"),
        ({"metrics": ["degree"]}, "ask for a top k of a single one"),
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


@as_one
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
        (["ebc", "betweenness2"], [1, -2], "up"),
        (["ebc", "betweenness2"], [1, -9], "down"),
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


@as_one
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
    seeking = plan("priv_top_k", TOP_K | {"target_recall": 0.9}, FACTS)
    assert "target_recall" not in seeking.on(small).parameters
    for kind in ("count", "distribution", "summary"):
        whole = plan(kind, PRICED[kind][0][0] | {"epsilon": 1}, FACTS)  # type: ignore[index]
        assert whole.on(small) == replace(whole, facts=small)


@pytest.mark.parametrize(
    ("within", "said"),
    [
        (None, ""),
        (1, ", dated within one window of P1M"),
        (3, ", dated within any 3 consecutive windows of P1M"),
    ],
)
def test_public_facts_say_within_which_windows_an_account_protects(within: int | None, said: str) -> None:
    facts = replace(FACTS, calendar=calendar_of("2024-01-01", "P1M", dates="final", within=within))
    assert facts.within == said
    assert facts.to_dict()["protects"] == FACTS.to_dict()["protects"] + said
    assert protects_more(facts.to_dict()) == (facts.to_dict()["protects"] if said else None)


@pytest.mark.parametrize(
    ("protect", "counted", "other"),
    [("source", "in_degree", "out_degree"), ("target", "out_degree", "in_degree")],
)
def test_what_protects_less_than_the_account_at_its_epsilon_is_refused(
    protect: Any, counted: str, other: str
) -> None:
    """Counts of arcs protect all arcs of one node at the other end; records of nodes are not what it protects."""
    facts = replace(FACTS, directed=True, protect=protect)
    em = {"k": 3, "epsilon": 1, "mechanism": "em"}
    assert plan("priv_top_k", em | {"metric": counted}, facts).facts.protect == protect
    assert plan(
        "percentile",
        {"property": "age", "q": 0.5, "epsilon": 1},
        replace(facts, domains={"age": declare(0, 99)}),
    )
    refused: list[tuple[Kind, dict[str, Any]]] = [
        ("priv_top_k", em | {"metric": other}),
        ("priv_top_k", em | {"metric": "ebc"}),
        ("priv_top_k", em | {"metric": counted, "mechanism": "joint"}),
        ("count", {"of": "triangles", "epsilon": 1}),
        ("distribution", {"epsilon": 1}),
        ("summary", {"epsilon": 1}),
        ("motkin", MOTKIN),
    ]
    for kind, asked in refused:
        with pytest.raises(ParameterError, match=f"protect is '{protect}'"):
            plan(kind, asked, facts)
        assert plan(kind, asked, replace(facts, protect="pair"))


def test_of_candidates_what_asks_for_more_than_their_neighbours_is_refused() -> None:
    facts = replace(FACTS, directed=True, degree_bound=None, projection={"candidates": "Page"})
    assert plan("priv_top_k", {"metric": "in_degree", "k": 3, "epsilon": 1}, facts)
    refused: list[tuple[Kind, dict[str, Any]]] = [
        ("priv_top_k", TOP_K), ("count", {"of": "triangles", "epsilon": 1}), ("summary", {"epsilon": 1})
    ]  # fmt: skip
    for kind, asked in refused:
        with pytest.raises(ParameterError, match="ranks the nodes labelled 'Page'"):
            plan(kind, asked, facts)


def test_conditions_that_are_read_stand_among_the_parameters_and_an_empty_list_is_none() -> None:
    where = {"amount": {"gt": 5}}
    asked = TOP_K | {"mechanism": "sld"}
    planned = plan("priv_top_k", asked, FACTS)
    read = replace(planned, facts=replace(FACTS, where=conditions(where)))
    assert read.parameters == planned.parameters | {"where": where}
    assert "where" not in plan("priv_top_k", asked | {"where": {}}, FACTS).parameters


def test_no_option_is_dropped_in_silence_beside_windows_and_an_empty_list_of_conditions() -> None:
    """One window may be asked for as windows from it to itself; what a plan does not take is refused all the same."""
    facts = replace(FACTS, calendar=calendar_of("2024-01-01", "P1M", dates="final"))
    asked = TOP_K | {"mechanism": "sld"}
    spans: list[dict[str, Any]] = [
        {},
        {"window": "2024-02"},
        {"windows": "2024-02..2024-02"},
        {"windows": "2024-02..2024-04"},
    ]
    for span in spans:
        kept = plan("priv_top_k", asked | span | {"where": {}}, facts).parameters
        shown = {"window": "2024-02"} if span == spans[2] else span
        assert {name: kept[name] for name in ("window", "windows") if name in kept} == shown
        for dropped in ({"cap": 5}, {"cap": 0}, {"proxy": "degree"}, {"target_recall": 0.9}):
            with pytest.raises(ParameterError, match=f"{next(iter(dropped))} is not an option of"):
                plan("priv_top_k", asked | span | {"where": {}} | dropped, facts)


CUTS = {"cut_shares"}


@as_one
@pytest.mark.parametrize(
    ("proxy", "on_bound", "quantities"),
    [
        ("both", False, CUTS | {"ordered_degrees"}),
        ("ordered", False, CUTS | {"ordered_degrees"}),
        ("lists", False, CUTS),
        ("degree", False, set()),
        ("betweenness2", True, {"betweenness2_shares"}),
    ],
)
def test_what_a_joint_release_rests_on_and_asks_for_follows_from_its_proxy(
    proxy: str, on_bound: bool, quantities: set[str]
) -> None:
    """Whose noise follows the degree bound is refused where the bound is broken; nobody else's is."""
    asked = TOP_K | {"mechanism": "joint", "proxy": proxy} | ({"cap": 9} if proxy == "lists" else {})
    made: Any = plan("priv_top_k", asked, FACTS)
    assert (made.rests_on_bound, made.quantities, made.rho_shares) == (on_bound, quantities, 2)
    words = {
        "degree": "noisy degree",
        "betweenness2": "noisy betweenness2",
        "lists": "noisy betweenness2 through cuts",
    }
    assert made.ranks_by.removesuffix(" together") == words.get(
        proxy, f"noisy degree and noisy betweenness2 through {'ordered ' * (proxy == 'ordered')}cuts"
    )
    if proxy in ("lists", "ordered"):
        assert plan("priv_top_k", asked | {"cap": 7}, FACTS).parameters["cap"] == 7
        with pytest.raises(ParameterError, match="cap is 0"):
            plan("priv_top_k", asked | {"cap": 0}, FACTS)
    if proxy in ("lists", "betweenness2"):  # no degrees are bought, of which edges could be estimated
        with pytest.raises(ParameterError, match="estimates is not an option of"):
            plan("priv_top_k", asked | {"estimates": True}, FACTS)
    else:
        assert plan("priv_top_k", asked | {"estimates": True}, FACTS).parameters["estimates"] is True
    for version in (1, 2, 3):
        assert replace(made, version=version).rests_on_bound == (
            on_bound or (proxy == "both" and version == 1)
        )
    if proxy in ("both", "degree"):
        assert plan("priv_top_k", asked | {"target_recall": 0.9}, FACTS)
        with pytest.raises(ParameterError, match="estimates is not an option of a release that spends"):
            plan("priv_top_k", asked | {"target_recall": 0.9, "estimates": True}, FACTS)
    else:
        with pytest.raises(ParameterError, match=f"target_recall cannot be kept with proxy '{proxy}'"):
            plan("priv_top_k", asked | {"target_recall": 0.9}, FACTS)


@as_one
@pytest.mark.parametrize(
    ("metrics", "quantities"),
    [
        (("degree", "density"), {"cut_closed_shares"}),
        (("degree", "ebc"), {"cut_shares"}),
        (("degree", "betweenness2"), {"cut_shares"}),
        (("density", "ebc"), {"cut_closed_shares", "cut_shares", "ordered_degrees"}),
    ],
)
def test_what_a_joint_release_by_several_metrics_asks_for(
    metrics: tuple[str, ...], quantities: set[str]
) -> None:
    made = plan("motkin", MOTKIN | {"mechanism": "joint", "metrics": metrics}, FACTS)
    assert made.quantities == quantities
    assert not made.rests_on_bound


def test_what_picks_ask_for_follows_from_their_metrics_and_their_form() -> None:
    """Beside the degrees, which every draw has; what is asked for and not said here would be missing after a debit."""
    one: dict[str, Any] = {"k": 3, "epsilon": 1}
    local, edge = {"mechanism": "sld"}, {"sensitivity_form": "interval+edge"}
    common = {"sensitivity_form": "common_neighbors"}
    some = one | {"metrics": ("degree", "density")}
    asked: list[tuple[Kind, dict[str, Any], set[str]]] = [
        ("priv_top_k", one | local | {"metric": "degree"}, set()),
        ("priv_top_k", one | local | {"metric": "ebc"}, {"ebc"}),
        ("priv_top_k", one | local | common | {"metric": "ebc"}, {"ebc", "max_common_neighbors"}),
        ("motkin", some, {"density"}),
        ("motkin", some | edge, {"density", "max_common_neighbors"}),
        ("motkin", some | {"approach": "aggregate"}, {"density"}),
        (
            "motkin",
            one | common | {"metrics": ("ebc", "density"), "approach": "aggregate"},
            {"ebc", "density", "max_common_neighbors"},
        ),
        (
            "motkin",
            one | {"metrics": ("ebc", "betweenness2"), "sensitivity_form": "interval"},
            {"ebc", "betweenness2"},
        ),
    ]
    for kind, options, quantities in asked:
        made: Any = plan(kind, options, FACTS)
        assert made.quantities == quantities
        if kind == "priv_top_k":
            assert made.weights == (1.0,)


def test_what_a_number_asks_for_names_and_is_tried_as_follows_from_what_is_counted() -> None:
    """Nodes that are named are looked up in the graph before the debit, and stand there as the graph has them."""
    figures, two = {"figures"}, {"pair": (7, TypedId("8"))}
    asked: list[tuple[dict[str, Any], set[str]]] = [
        ({"of": "edges"}, set()),
        ({"of": "triangles"}, figures),
        ({"of": "stars", "star_size": 4}, figures),
        ({"of": "common_neighbors"} | two, figures),
        ({"of": "degree", "node": 7}, set()),
        ({"of": "density", "node": 7}, {"density"}),
        ({"of": "ebc", "node": 7}, {"ebc", "max_common_neighbors"}),
        ({"of": "betweenness2", "node": 7}, {"betweenness2_shares"}),
    ]
    small = PublicFacts(5)
    for options, quantities in asked:
        made: Any = plan("count", options | {"epsilon": 1}, FACTS)
        assert made.quantities == quantities, options
        tried = made.on(small)
        assert (tried.facts, tried.of, tried.mechanism) == (small, made.of, made.mechanism)
        assert tried.star_size == (2 if "star_size" in options else None)
        assert tried.pair == ((1, 2) if "pair" in options else None)
        assert tried.node == (1 if "node" in options else None)
        if "pair" in options:
            assert made.named == (7, "8")
            assert made.naming([7, 8]).pair == (7, 8)
            assert made.count((5, 3)).pair == (5, 3)
            with pytest.raises(ParameterError, match="pair is 7 twice"):
                replace(made, pair=(7, TypedId("7"))).naming([7])
        elif "node" in options:
            assert made.named == (7,)
            assert replace(made, node=TypedId("7")).naming([7]).node == 7
            assert made.count((5,)).node == 5
        else:
            assert made.named == ()
            assert made.naming([]) is made
        if made.named:
            with pytest.raises(UnknownNameError, match="pair is 7" if "pair" in options else "node is 7"):
                made.naming([8])
    whole = plan("distribution", {"epsilon": 1}, FACTS)
    assert whole.parameters == {"of": "degree", "epsilon": "1", "form": "ccdf"}
    assert whole.quantities == set()
    assert plan("summary", {"epsilon": 1}, FACTS).quantities == figures


def test_a_delta_is_for_graphs_in_memory_up_to_the_epsilon_that_is_proved() -> None:
    asked = CountOptions.given({"of": "triangles", "mechanism": "smooth", "epsilon": 8})
    assert plan_count(asked, FACTS, delta="1e-6", stored=False).delta == Fraction(1, 10**6)
    with pytest.raises(ParameterError, match=r"epsilon is 8\.000000001, must be at most 8"):
        plan_count(replace(asked, epsilon="8.000000001"), FACTS, delta="1e-6", stored=False)
    with pytest.raises(ParameterError, match="must be a pure one for a stored graph"):
        plan_count(asked, FACTS, delta="1e-6")
    with pytest.raises(ParameterError, match="nls is for triangles and two_triangles"):
        plan_count(replace(asked, of="wedges", mechanism="nls"), FACTS, delta="1e-6", stored=False)


def test_a_delta_is_shown_as_it_was_asked_for_whatever_the_callers_decimals_are_rounded_to() -> None:
    asked = CountOptions.given({"of": "triangles", "mechanism": "lls", "epsilon": 1})
    for delta in ("0.1234567890123456789012345678901234", "0.12345", "1E-30"):
        for precision, trapped in ((2, False), (28, True)):
            with localcontext() as context:
                context.prec, context.traps[Inexact] = precision, trapped
                assert plan_count(asked, FACTS, delta=delta, stored=False).parameters["delta"] == delta


def test_a_sum_is_shifted_by_its_weights_and_a_front_down() -> None:
    for weights, shift in (((1, 1), "down"), ((-1, 1), "up")):
        made = plan("motkin", MOTKIN | {"approach": "aggregate", "weights": weights}, FACTS)
        assert made.parameters["shift"] == shift
    assert plan("motkin", MOTKIN, FACTS).parameters["shift"] == "down"


def test_noise_that_covers_all_arcs_of_one_node_and_no_pair_is_refused_where_a_pair_is_protected() -> None:
    """A cap of 2 moves less than the 4 that everything between two nodes may."""
    facts = replace(FACTS, directed=True)
    asked = {"metric": "in_degree", "k": 3, "epsilon": 1, "mechanism": "joint", "cap": 2}
    made = plan("priv_top_k", asked, replace(facts, protect="source"))
    with pytest.raises(ParameterError, match="protects everything between two nodes"):
        check_protects(replace(made, facts=facts))


def test_of_weights_and_candidates_a_list_is_one_of_arcs() -> None:
    """One pair moves them by what is declared, whatever the degrees are."""
    weighting = weighting_of({"cap": 5})
    for name, facts in (
        ("strength", replace(FACTS, weighting=weighting)),
        ("in_strength", replace(FACTS, weighting=weighting, directed=True)),
        ("out_strength", replace(FACTS, weighting=weighting, directed=True)),
        ("in_degree", replace(FACTS, directed=True)),
        ("degree", replace(FACTS, directed=True, projection={"candidates": "Page"})),
    ):
        made: Any = plan("priv_top_k", {"metric": name, "k": 3, "epsilon": 1}, facts)
        assert isinstance(made, ArcsPlan)
        assert (made.metric, made.k, made.cost) == (name, 3, 10**9)
        assert made.facts == facts


def test_what_a_number_of_arcs_moves_by_and_protects_follows_from_its_cap_and_the_account() -> None:
    """Two arcs of a pair; through a cut of one a node's own arcs move less, and then a pair is not protected."""
    directed = replace(FACTS, directed=True)
    asked: list[tuple[Any, int | None, int, set[str]]] = [
        ("pair", None, 2, {"pair"}),
        ("pair", 1, 2, {"pair", "source"}),
        ("source", 1, 1, {"source"}),
        ("target", 1, 1, {"target"}),
        ("source", 5, 5, {"pair", "source"}),
    ]
    for protect, cap, moves, units in asked:
        options = {"of": "arcs", "epsilon": 1} | ({} if cap is None else {"cap": cap})
        made: Any = plan("count", options, replace(directed, protect=protect))
        assert (made.moves, made.units, made.rho_shares) == (moves, units, 2)
        assert made.quantities == {"in_degree", "out_degree"}
        said = made.public["protects"]
        assert (", and all between two nodes" in said) == (cap is not None and "pair" in units)
        assert said.endswith("taken away or replaced" if cap is None else "replaced costs twice")
        for nodes, moved in ((1, 0), (2, moves)):
            assert replace(made, facts=replace(made.facts, node_count=nodes)).moves == moved
        assert made.parameters == {"of": "arcs", "epsilon": "1", "mechanism": "geometric"} | (
            {} if cap is None else {"cap": cap}
        )
        assert made.counted == ("out_degree" if protect == "target" else "in_degree")
        assert made.maximum == 50 * (49 if cap is None else cap)
        assert replace(made, facts=replace(made.facts, node_count=4)).maximum == 4 * min(cap or 3, 3)
    with pytest.raises(ParameterError, match="mechanism is 'ladder', must be 'geometric' for 'arcs'"):
        plan("count", {"of": "arcs", "epsilon": 1, "mechanism": "ladder"}, directed)


def test_of_weights_with_signs_no_recall_is_sought() -> None:
    sought = {"metric": "strength", "k": 1, "epsilon": 1, "target_recall": 0.5}
    for signed in (False, True):
        facts = replace(FACTS, weighting=weighting_of({"property": "amount", "cap": 5, "signed": signed}))
        if signed:
            with pytest.raises(
                ParameterError, match="'strength' of weights with signs, of whose sums nothing is"
            ):
                plan("priv_top_k", sought, facts)
        else:
            assert plan("priv_top_k", sought, facts).parameters["target_recall"] == 0.5


def test_one_node_has_no_arc_and_a_graph_without_directions_counts_none() -> None:
    asked = {"of": "arcs", "epsilon": 1}
    for nodes, cap, most in ((0, None, 0), (1, None, 0), (1, 3, 0), (3, None, 6), (3, 1, 3)):
        facts = replace(FACTS, node_count=nodes, degree_bound=None, directed=True)
        options = asked if cap is None else asked | {"cap": cap}
        made = plan_arc_count(CountOptions.given(options), facts)
        assert made.maximum == most, (nodes, cap)
    of_one = plan("count", asked | {"cap": 1}, replace(FACTS, directed=True, protect="source"))
    assert of_one.public["protects"] == "all arcs that leave one node, taken away; replaced costs twice"
    with pytest.raises(ParameterError, match="of is 'arcs', which needs a graph whose directions were kept"):
        plan("count", asked, FACTS)


def test_a_distribution_of_arcs_moves_by_two_counts_of_a_pair_and_through_cuts_by_four() -> None:
    directed = replace(FACTS, directed=True)
    asked: list[tuple[str, Any, int | None, int, set[str]]] = [
        ("in_degree", "pair", None, 2, {"pair"}),
        ("in_degree", "pair", 3, 4, {"pair", "source"}),
        ("in_degree", "source", 3, 3, {"source"}),
        ("out_degree", "target", 9, 9, {"pair", "target"}),
    ]
    for of, protect, cap, moves, units in asked:
        options = {"of": of, "epsilon": 1, "form": "histogram"} | ({} if cap is None else {"cap": cap})
        made: Any = plan("distribution", options, replace(directed, protect=protect))
        assert (made.moves, made.units, made.cost) == (moves, units, 10**9)
        assert made.parameters == options | {"epsilon": "1"}
        assert plan("distribution", made.parameters, replace(directed, protect=protect)) == made
        with pytest.raises(
            ParameterError, match=f"of is '{of}', which needs a graph whose directions were kept"
        ):
            plan("distribution", options, FACTS)


def test_a_list_of_arcs_is_drawn_as_the_account_makes_cheapest_and_says_whom_it_protects() -> None:
    directed, weighted = replace(FACTS, directed=True), replace(FACTS, weighting=weighting_of({"cap": 5}))
    one: dict[str, Any] = {"k": 3, "epsilon": 1}
    in_degree = one | {"metric": "in_degree"}
    for facts, usual in (
        (directed, "joint"),
        (replace(directed, protect="source"), "pf"),
        (replace(directed, delta_declared=True), "em"),
        (replace(directed, protect="source", delta_declared=True), "em"),
    ):
        assert plan("priv_top_k", in_degree, facts).parameters["mechanism"] == usual
    seeking = plan("priv_top_k", in_degree | {"target_recall": 0.9}, replace(directed, delta_declared=True))
    assert seeking.parameters["mechanism"] == "joint"
    picks = in_degree | {"mechanism": "em", "sampler": "permute_and_flip"}
    assert plan("priv_top_k", picks, directed).parameters["sampler"] == "permute_and_flip"
    with pytest.raises(
        ParameterError, match="target_recall is not an option of metric 'in_degree' through cuts"
    ):
        plan("priv_top_k", in_degree | {"mechanism": "joint", "cap": 4, "target_recall": 0.9}, directed)
    with pytest.raises(ParameterError, match="target_recall is not an option of"):
        plan("priv_top_k", in_degree | {"mechanism": "em", "target_recall": 0.9}, directed)
    candidates = replace(directed, projection={"candidates": "Page"})
    cut: Any = plan(
        "priv_top_k", in_degree | {"mechanism": "joint", "cap": 3}, replace(candidates, protect="source")
    )
    assert cut.units == {"pair", "source"}  # of candidates a pair moves 2, of all nodes 4
    assert replace(cut, facts=replace(directed, protect="source")).units == {"source"}
    for metric, facts in (("degree", candidates), ("strength", weighted)):
        with pytest.raises(ParameterError, match="cap is not an option of"):
            plan("priv_top_k", one | {"metric": metric, "mechanism": "joint", "cap": 3}, facts)
    for metric, facts in (("degree", candidates), ("strength", weighted), ("in_degree", directed)):
        shown = plan("priv_top_k", one | {"metric": metric}, facts).public
        assert (shown.get("orientation") == "directed") == (metric == "in_degree")
        assert shown["protects"].endswith("taken away or replaced")


def test_weights_of_which_a_sum_may_not_fit_are_refused() -> None:
    one = {"metric": "strength", "k": 3, "epsilon": 1}
    facts = replace(FACTS, weighting=weighting_of({"cap": 2**31}))
    assert plan("priv_top_k", one, replace(facts, node_count=2**31 - 1))
    with pytest.raises(ParameterError, match=r"may add up 2\^62 or more"):
        plan("priv_top_k", one, replace(facts, node_count=2**31))
