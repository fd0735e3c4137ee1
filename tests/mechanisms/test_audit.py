"""The exhaustive audit: every claimed epsilon is met, the known losses are found, nothing is left out."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from click.testing import CliRunner, Result

import edgedp.exact.audit
import edgedp.exact.audit.exhaustive
import edgedp.mechanisms.scores.sums
import small_graphs
from audit_cases import CASES, assert_met, cases_of, groups, named
from edgedp.exact.audit import Case, exhaustive_audit, largest_loss
from edgedp.exact.audit.neighbors import graph_of_mask, neighbor_pairs
from edgedp.exact.audit.ordered import answers, ordered_answer_law
from edgedp.exact.audit.tables import TableProjection
from edgedp.faces.cli import edgedp as command
from edgedp.mechanisms.adaptive.until_sure import Step
from edgedp.mechanisms.metrics import metric_names
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.samplers import EXPONENTIAL, sampler
from edgedp.words.vocabulary import SAMPLERS, STRENGTHS
from looped import as_one

# -- the audit ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("group", groups("priv_top_k"))
def test_priv_top_k_keeps_its_claim(group: str) -> None:
    """All graphs of up to 5 nodes, every degree bound, k of 1 and 2, every form and shift."""
    # The joint laws and vectors take longer; the audit command goes on to 5 with them as well.
    node_counts = (2, 3, 4) if "joint" in group else (2, 3, 4, 5)
    assert_met(exhaustive_audit(cases_of("priv_top_k", group), node_counts=node_counts, epsilons=["1"]))


@pytest.mark.wide
@pytest.mark.parametrize("group", [group for group in groups("priv_top_k") if group.endswith("(vectors)")])
def test_vectors_keep_their_claim_on_five_nodes(group: str) -> None:
    assert_met(exhaustive_audit(cases_of("priv_top_k", group), node_counts=[5], epsilons=["1"]))


@pytest.mark.parametrize("group", groups("aggregate"))
def test_sums_keep_their_claim(group: str) -> None:
    assert_met(exhaustive_audit(cases_of("aggregate", group), node_counts=(3, 4), epsilons=["1"]))


@pytest.mark.slow
def test_every_claim_is_met_with_several_epsilon() -> None:
    assert_met(exhaustive_audit(CASES, epsilons=["0.1", "1", "5"], processes=2))


@as_one
@pytest.mark.parametrize(
    ("options", "ratio"),
    [
        ({"metric": "ebc", "mechanism": "em"}, 0.29),
        ({"metric": "ebc", "mechanism": "pf"}, 0.37),
        ({"metric": "ebc", "mechanism": "sld"}, 0.37),
        ({"metric": "ebc", "mechanism": "sld", "sampler": "permute_and_flip"}, 0.45),
    ],
    ids=str,
)
def test_finds_the_losses_that_others_found(options: dict[str, str], ratio: float) -> None:
    """At epsilon 1 on 5 nodes."""
    assert largest_loss(Case("priv_top_k", options), 5, 4, 1, 1).ratio == pytest.approx(ratio, abs=0.005)


@as_one
@pytest.mark.parametrize(
    "options",
    [
        {"metric": "degree", "mechanism": "joint"},
        {"metric": "betweenness2", "mechanism": "joint", "proxy": "betweenness2"},
        {"metric": "ebc", "mechanism": "joint", "proxy": "both"},
        {"metric": "degree", "mechanism": "joint", "estimates": True},
    ],
    ids=str,
)
def test_noisy_vectors_reach_their_claim(options: dict[str, str]) -> None:
    """A claim that is reached, and not exceeded, shows that the audit looks where it hurts."""
    [found] = exhaustive_audit([Case("priv_top_k", options, vectors=True)], node_counts=[4], epsilons=[1])
    assert found.met
    assert found.ratio == pytest.approx(1)


def test_the_two_graphs_of_a_finding_differ_in_one_edge_and_show_its_loss() -> None:
    case = Case("priv_top_k", {"metric": "ebc", "mechanism": "sld"})
    found = largest_loss(case, 5, 4, 2, 1)
    less, more = (GraphProjection(graph_of_mask(mask, 5)) for mask in found.masks)
    assert (found.masks[0] ^ found.masks[1]).bit_count() == 1
    plan = case.plan(5, 4, 2, 1)
    ratios = np.log(ordered_answer_law(plan, less)) - np.log(ordered_answer_law(plan, more))
    assert np.abs(ratios).max() == pytest.approx(found.loss, rel=1e-9)


def test_a_loss_that_is_no_number_breaks_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compared as a number it would lose to every other one, and a law with a hole in it would pass."""
    real = edgedp.exact.audit.exhaustive.log_ratios
    monkeypatch.setattr(
        "edgedp.exact.audit.exhaustive.log_ratios", lambda plan: real(plan) * (np.nan if plan.k == 2 else 1)
    )
    [found] = exhaustive_audit(
        [Case("priv_top_k", {"metric": "degree", "mechanism": "em"})], node_counts=[3], epsilons=[1]
    )
    assert not found.met


# -- what makes it exhaustive ---------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "classes"), [(1, 1), (2, 2), (3, 4), (4, 11), (5, 34), (6, 156)])
def test_every_pair_of_neighbours_is_there_up_to_relabelling(n: int, classes: int) -> None:
    """Two pairs are of one kind if a permutation maps both graphs; all kinds are met, and no others."""
    pairs = neighbor_pairs(n)
    assert len(pairs.masks) == classes
    assert sorted(pairs.masks) == sorted(small_graphs.class_representatives(n))
    for less, more, bit, names in zip(pairs.less, pairs.more, pairs.bits, pairs.names, strict=True):
        there = graph_of_mask(pairs.masks[less] | 1 << int(bit), n).edges()
        renamed = {frozenset(names[edge].tolist()) for edge in there}
        assert renamed == {frozenset(edge) for edge in graph_of_mask(pairs.masks[more], n).edges().tolist()}
    missing = [n * (n - 1) // 2 - mask.bit_count() for mask in pairs.masks]
    assert np.bincount(pairs.less, minlength=classes).tolist() == missing


@pytest.mark.parametrize("release", ["priv_top_k", "pareto", "aggregate"])
def test_laws_do_not_depend_on_labels(release: str) -> None:
    """Equivariance, which lets one representative stand for all: on every graph of 4 nodes, renamed at random."""
    random = np.random.default_rng(11)
    cases = [case for case in CASES if case.release == release and not case.vectors]
    for case in [cases[i] for i in random.choice(len(cases), 24, replace=False)]:
        plan = case.plan(4, 3, 2, 2)
        places = {answer: place for place, answer in enumerate(answers(4, 2))}
        for mask in random.choice(64, 6, replace=False).tolist():
            names = random.permutation(4)
            ends = names[graph_of_mask(mask, 4).edges()].reshape(-1, 2)
            renamed = type(graph_of_mask(mask, 4)).from_edges(ends, nodes=range(4))
            law = ordered_answer_law(plan, GraphProjection(graph_of_mask(mask, 4)))
            there = ordered_answer_law(plan, GraphProjection(renamed))
            moved = [places[tuple(names[list(answer)].tolist())] for answer in places]
            assert np.allclose(law, there[moved], rtol=1e-9, atol=0), named(case)


def test_relabelling_finds_what_all_labelled_graphs_show() -> None:
    """The same maximum by brute force, over all 64 graphs of 4 nodes and all their neighbours."""
    for options in ({"metric": "ebc", "mechanism": "sld"}, {"metric": "degree", "mechanism": "pf"}):
        case = Case("priv_top_k", options)
        for bound in (2, 3):
            plan = case.plan(4, bound, 2, 1)
            kept = [mask for mask in small_graphs.masks(4) if small_graphs.degrees(4)[mask].max() <= bound]
            laws = {mask: np.log(ordered_answer_law(plan, _projection(mask))) for mask in kept}
            largest = max(
                np.abs(laws[mask] - laws[other]).max()
                for mask in kept
                for other in small_graphs.neighbors(mask, 4)
                if other in laws
            )
            assert largest_loss(case, 4, bound, 2, 1).loss == pytest.approx(largest, rel=1e-9)


def _projection(mask: int) -> GraphProjection:
    return GraphProjection(small_graphs.all_graphs(4)[mask])


def test_the_cases_are_all_there_are() -> None:
    assert len({named(case) for case in CASES}) == len(CASES)
    asked = {case.options["sampler"] for case in CASES if "sampler" in case.options}
    assert asked == set(SAMPLERS), "a sampler that no case names is audited nowhere"
    for name in metric_names():
        found = {case.mechanism for case in CASES if case.metrics == name}
        for drawn_by in map(sampler, SAMPLERS):
            by = "" if drawn_by is EXPONENTIAL else f" ({drawn_by.mechanism})"
            assert found >= {drawn_by.mechanism, f"ld{by}", f"sld{by}"}
    assert {case.metrics for case in CASES if case.release == "pareto"} == {
        case.metrics for case in CASES if case.release == "aggregate"
    }
    assert any("-" in case.details for case in CASES if case.release == "aggregate"), "negative weights"
    assert sum(case.vectors for case in CASES) == 17


def test_a_table_answers_like_its_projection() -> None:
    projection = GraphProjection(graph_of_mask(735, 5))
    table = TableProjection.of(projection)
    some = np.array([3, 0])
    assert table.degrees().tolist() == projection.degrees().tolist()
    assert table.node_ids.tolist() == projection.node_ids.tolist()
    assert table.max_common_neighbors(some).tolist() == projection.max_common_neighbors(some).tolist()
    assert table.betweenness2_shares(20).tolist() == projection.betweenness2_shares(20).tolist()
    for name in metric_names():
        assert table.values(name, some).tolist() == projection.values(name, some).tolist()


# -- sequences -------------------------------------------------------------------------------------------


def test_what_was_debited_covers_what_a_sequence_has_lost_after_every_step() -> None:
    for found in edgedp.exact.audit.audit_sequences(node_count=3, epsilons=["0.1", "5"]):
        assert found.met
        assert found.ratio == pytest.approx(1)
        assert (found.anew > 0) == (found.metric == "ebc"), "vectors were bought in place of others"


def test_an_audit_sees_a_step_that_pays_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the degrees, whose claim is reached; cuts of so small a graph lose far less than they are paid for."""
    monkeypatch.setattr(Step, "cost", property(lambda step: max(step.degrees // 2, 1) + step.cuts))
    found = list(edgedp.exact.audit.audit_sequences(["ebc"], node_count=3, picks=[1], epsilons=["5"]))
    assert not all(each.met for each in found)


# -- the command -----------------------------------------------------------------------------------------


def run_on_few_cases(monkeypatch: pytest.MonkeyPatch, *options: str) -> Result:
    of_metrics = [case for case in CASES if case.metrics in ("degree", "density")]
    few = [case for case in of_metrics if case.release == "priv_top_k" and case.mechanism != "joint"]
    monkeypatch.setattr(edgedp.exact.audit, "all_cases", lambda: few)
    for name in ("arc_cases", "strength_cases"):  # one of each metric: their own tests go through all of them
        of_metric = {case.metric: case for case in getattr(edgedp.exact.audit, name)()}
        monkeypatch.setattr(edgedp.exact.audit, name, of_metric.values)
    steps = partial(edgedp.exact.audit.audit_sequences, picks=[1], epsilons=["1"])
    monkeypatch.setattr(edgedp.exact.audit, "audit_sequences", steps)
    return CliRunner().invoke(command, ["audit", "--nodes", "3", "--processes", "1", *options])


def test_the_command_prints_the_claim_beside_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = run_on_few_cases(monkeypatch, "--metric", "density")
    assert ran.exit_code == 0, ran.output
    assert "found/claimed" in ran.output
    # Of each sampler: itself, ld, and sld in two directions.
    assert f"{4 * len(SAMPLERS)} kinds of release audited, 0 break their claim" in ran.output


def test_the_command_fails_when_a_claim_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    real = edgedp.mechanisms.scores.sums.noise_unit
    monkeypatch.setattr(
        edgedp.mechanisms.scores.sums, "noise_unit", lambda *given, **options: 9 * real(*given, **options)
    )
    ran = run_on_few_cases(monkeypatch, "--format", "json", "--all")
    assert ran.exit_code == 1
    rows = json.loads(ran.stdout)
    of_arcs = [row for row in rows if row["metrics"] in ("in_degree", "out_degree")]
    assert of_arcs
    of_steps = [row for row in rows if row["options"] == "target_recall, after every step"]
    assert [row["metrics"] for row in of_steps] == ["degree", "ebc"]
    of_weights = [row for row in rows if row["metrics"] in STRENGTHS]
    assert of_weights
    undirected = len(rows) - len(of_arcs) - len(of_steps) - len(of_weights)
    assert undirected == 2 * 4 * len(SAMPLERS) + 2, "two metrics, and the vectors of two joint releases"
    assert max(row["found/claimed"] for row in rows) > 2


def test_the_command_runs_the_black_box(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edgedp.exact.audit, "TARGETS", [replace(edgedp.exact.audit.TARGETS[0], trials=50)])
    ran = CliRunner().invoke(command, ["audit", "--black-box", "--format", "json"])
    assert ran.exit_code == 0, ran.output
    [row] = json.loads(ran.stdout)
    assert (row["mechanism"], row["releases"], row["claimed"]) == ("pf", 100, 3.0)
    assert row["lower_bound"] < row["exact"]
