"""DP-MOTkIN through the product's own code: quality of the four variants.

    python bench/motkin.py quality   # Pareto, k rounds: accuracy and C-metric, local beside global
    python bench/motkin.py recall    # aggregate: recall of the true top-10, local beside global

Every part prints tables in Markdown; `bench/results/motkin.md` holds one run of each. Words come from seeded
generators; the declared degree bound is the largest degree.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import exp, log, nan
from statistics import fmean
from typing import Any

import numpy as np
from at_hand import among
from numpy.typing import NDArray

import edgedp
from edgedp.exact.audit.tables import TableProjection
from edgedp.exact.quality import c_metric, dominated_chance, recall
from edgedp.mechanisms.pareto.rounds import ParetoRounds
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.sampling.words import Words, words_from
from edgedp.mechanisms.scores.sums import top_k_scores
from edgedp.release.draw import draw_positions
from edgedp.release.plan import Plan, PublicFacts, plan

GRAPHS = among("email-Enron", "musae-github")
K, RUNS, SEED = 10, 40, 4
PARETO_EPSILONS = ("0.01", "0.1", "0.5", "1", "10", "100", "1000", "10000")
PARETO_VARIANTS = {
    "global EM": {"sensitivity": "global", "mechanism": "em"},
    "global PF": {"sensitivity": "global", "mechanism": "pf"},
    "local SLD, down": {"mechanism": "sld", "shift": "down"},
    "local SLD, up": {"mechanism": "sld", "shift": "up"},
    "local LD": {"mechanism": "ld"},
}
SPECIFIED = {  # C, random ties: the figures that the method was designed with, one-shot, 60 runs
    ("email-Enron", "global EM"): (0.38, 0.41, 0.37, 0.39, 0.34, 0.09, 0.00, 0.00),
    ("email-Enron", "local SLD, down"): (0.40, 0.38, 0.01, 0.00, 0.00, 0.00, 0.00, 0.00),
    ("musae-github", "global EM"): (0.36, 0.40, 0.35, 0.33, 0.33, 0.20, 0.11, 0.03),
    ("musae-github", "local SLD, down"): (0.32, 0.28, 0.00, 0.00, 0.00, 0.01, 0.01, 0.01),
}
AGGREGATES: tuple[tuple[tuple[str, ...], tuple[float, ...]], ...] = (
    (("degree", "density"), (1, 1)),
    (("degree", "density"), (1, 100)),
    (("degree", "ebc"), (1, 1)),
    (("density", "ebc"), (1, 1)),
    (("degree", "density", "ebc"), (1, 1, 1)),
)
AGGREGATE_EPSILONS = (
    "0.01", "0.03", "0.1", "0.3", "1", "3", "10", "30", "100", "300", "1000", "10000", "100000",
)  # fmt: skip
AGGREGATE_VARIANTS = {
    "global EM": {"approach": "aggregate", "sensitivity": "global"},
    "local SLD": {"approach": "aggregate"},
}
ENOUGH = 0.8


def main() -> None:
    {"quality": quality, "recall": recalls}[sys.argv[1]]()


# -- Pareto --------------------------------------------------------------------------------------


def quality() -> None:
    for name in GRAPHS:
        graph = edgedp.read_graph(name)
        print(f"\n### {name}, (degree, density), D = {graph.max_degree:,}\n")
        head("measure", "variant", *PARETO_EPSILONS)
        measured = {label: pareto_row(graph, options) for label, options in PARETO_VARIANTS.items()}
        measured["degree alone, joint"] = degree_row(graph)
        for i, measure in enumerate(("accuracy", "C, random ties", "C, whole front")):
            for label, values in measured.items():
                row(measure, label, *(f"{value:.2f}" for value in values[:, :, i].mean(axis=1)))
        print()
        head("C, random ties", "variant", *PARETO_EPSILONS)
        for label, values in measured.items():
            if (name, label) not in SPECIFIED:
                continue
            mean, error = values[:, :, 1].mean(axis=1), values[:, :, 1].std(axis=1, ddof=1) / RUNS**0.5
            off = mean - SPECIFIED[name, label]
            row("difference", label, *(f"{value:+.3f}" for value in off))
            row("standard error", label, *(f"{value:.3f}" for value in error))
        print(f"\nNodes drawn uniformly at random: C with random ties {uniform_draws(graph):.3f}, exactly.")


def uniform_draws(graph: edgedp.Graph) -> float:
    """Return the exact C with random ties of nodes drawn uniformly: where every curve begins."""
    plan = planned(graph, ("degree", "density"), "1", {"sensitivity": "global"})
    rounds = ParetoRounds.of(plan, GraphProjection(graph))
    everybody = np.arange(graph.node_count)
    return float(dominated_chance(rounds.utilities, rounds.pareto_scores, K, everybody).mean())


def pareto_row(graph: edgedp.Graph, options: dict[str, Any]) -> NDArray[np.float64]:
    """Return (epsilons, runs, 3): accuracy and both C-metrics of every run."""
    plans = [planned(graph, ("degree", "density"), epsilon, options) for epsilon in PARETO_EPSILONS]
    shared = ParetoRounds.of(plans[0], GraphProjection(graph))
    return measured_runs(shared, plans, lambda plan, words: replace(shared, plan=plan).draw(words))


def degree_row(graph: edgedp.Graph) -> NDArray[np.float64]:
    """Return the same of `joint` on the degree, which knows nothing of the density."""
    facts = PublicFacts(graph.node_count, graph.max_degree)
    plans = [
        plan("priv_top_k", {"metric": "degree", "k": K, "epsilon": epsilon, "mechanism": "joint"}, facts)
        for epsilon in PARETO_EPSILONS
    ]
    projection = GraphProjection(graph)
    truth = ParetoRounds.of(planned(graph, ("degree", "density"), "1", {"sensitivity": "global"}), projection)
    return measured_runs(truth, plans, lambda plan, words: draw_positions(plan, projection, words))


def measured_runs(
    truth: ParetoRounds, plans: Sequence[Plan], drawn: Callable[[Plan, Words], NDArray[np.int64]]
) -> NDArray[np.float64]:
    """Return (plans, runs, 3): accuracy and both C-metrics of what is drawn."""
    utilities, scores = truth.utilities, truth.pareto_scores
    measures = [
        (
            recall(scores, returned),
            c_metric(utilities, scores, returned),
            c_metric(utilities, scores, returned, ties="front"),
        )
        for plan in plans
        for returned in (drawn(plan, words) for words in seeded_words(plan))
    ]
    return np.reshape(measures, (len(plans), RUNS, 3))


# -- aggregate -----------------------------------------------------------------------------------


def recalls() -> None:
    for name in GRAPHS:
        graph = edgedp.read_graph(name)
        print(f"\n### {name}, D = {graph.max_degree:,}\n")
        head("metrics", "weights", "variant", *AGGREGATE_EPSILONS, f"epsilon for {ENOUGH}", "global / local")
        for names, weights in AGGREGATES:
            needed = []
            for label, options in AGGREGATE_VARIANTS.items():
                recalls = aggregate_recalls(graph, names, {"weights": weights, **options})
                needed.append(reaching(recalls))
                ratio = rounded(needed[0] / needed[1]) if len(needed) == 2 else ""
                told = ", ".join(names), ", ".join(map(str, weights)), label
                row(*told, *(f"{value:.2f}" for value in recalls), rounded(needed[-1]), ratio)


def aggregate_recalls(graph: edgedp.Graph, names: tuple[str, ...], options: dict[str, Any]) -> list[float]:
    """Return the mean recall of the true top-k at every epsilon; exact values are computed once."""
    values = {metric: getattr(edgedp.exact, metric)(graph) for metric in names}
    truth = np.column_stack(list(values.values())) @ options["weights"]
    unused = np.zeros(graph.node_count, dtype=np.int64)
    projection = TableProjection(graph.degrees, values, unused, unused)
    recalls = []
    for epsilon in AGGREGATE_EPSILONS:
        plan = planned(graph, names, epsilon, options)
        scores = top_k_scores(plan, projection)
        recalls.append(fmean(recall(truth, scores.draw(K, words)) for words in seeded_words(plan)))
    return recalls


def reaching(recalls: Sequence[float]) -> float:
    """Return the epsilon of recall ENOUGH: on a line between two measured ones, epsilon on a log scale."""
    logs = [log(float(epsilon)) for epsilon in AGGREGATE_EPSILONS]
    for i, (before, after) in enumerate(pairwise(recalls)):
        if before < ENOUGH <= after:
            return exp(logs[i] + (ENOUGH - before) / (after - before) * (logs[i + 1] - logs[i]))
    return nan


# -- plans, words, tables ------------------------------------------------------------------------


def planned(graph: edgedp.Graph, names: tuple[str, ...], epsilon: str, options: dict[str, Any]) -> Plan:
    facts = PublicFacts(graph.node_count, graph.max_degree)
    return plan("motkin", {"metrics": names, "k": K, "epsilon": epsilon, **options}, facts)


def seeded_words(plan: Plan) -> Iterator[Words]:
    """Yield the words of RUNS runs; no two plans share any."""
    for run in range(RUNS):
        seed = [SEED, run, *json.dumps(plan.parameters).encode()]
        yield words_from(np.random.default_rng(seed))


def rounded(value: float) -> str:
    """Return two significant figures, written out."""
    return f"{float(f'{value:.2g}'):,g}"


def head(*names: str) -> None:
    row(*names)
    row(*("---" for _ in names))


def row(*cells: object) -> None:
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
