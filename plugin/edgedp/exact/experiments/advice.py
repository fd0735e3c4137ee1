"""Which mechanism, and which epsilon: tried on a graph that is public and like the private one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

import numpy as np

from edgedp.exact.experiments.curves import curves
from edgedp.exact.experiments.facts import Facts
from edgedp.exact.experiments.grid import check_runs, check_seed, run_seeds
from edgedp.exact.experiments.growth import GENERATORS, generated
from edgedp.exact.quality import true_top
from edgedp.graph.graph import Graph
from edgedp.graph.ids import positions_of
from edgedp.mechanisms.checks import check_choice, check_degree_bound, check_whole
from edgedp.release.answers import Nodes
from edgedp.words.amounts.epsilon import NANO
from edgedp.words.errors import ParameterError

if TYPE_CHECKING:
    from edgedp.exact.experiments.grid import Cell
    from edgedp.words.progress import Progress

EPSILONS = ("0.01", "0.03", "0.1", "0.3", "1", "3", "10", "30", "100")
"""Tried one after the other; above 100 nothing is promised that is worth the name."""

UNTIL_SURE, MOST = "joint until sure", "1"
"""The row of a release that spends step by step until its list is expected to reach the target, and its limit."""

OUTSIDE = (
    "a release whose mechanism or epsilon was chosen from this table is outside the guarantee: "
    "the choice itself reveals something of the private edges"
)
"""What is said where the table is of stored edges."""


def advise(
    like: Graph | str,
    *,
    k: int = 10,
    target: float = 0.9,
    metric: str = "ebc",
    nodes: int | None = None,
    degree_bound: int | None = None,
    mechanism: Any = None,
    runs: int = 20,
    seed: int = 1,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Say which mechanism needs which epsilon for a recall, on a public graph that is like the private one.

    Parameters
    ----------
    like : Graph or str
        A public graph, a catalogue name, or a generator: ``clusters``, ``co-authorship``, ``power-law``.
    k : int
    target : float
        Mean recall, above 0 and at most 1.
    metric : str
    nodes : int, optional
        Number of nodes: of a generator, 10,000 by default; a graph is filled up with nodes without edges.
    degree_bound : int, optional
        As it will be declared; default none, so ``nodes - 1``.
    mechanism : str, list of str or a value of `edgedp.mechanisms`, optional
        Default all.
    runs : int
        Of each epsilon.
    seed : int
    progress : Progress, optional

    Returns
    -------
    list of dict
        A row a mechanism, the one that needs least first: ``mechanism``, ``epsilon`` (the smallest of those tried
        that reaches the target; None if none does), ``recall`` there, or the largest seen, its standard ``error``,
        ``said`` (what these lists said of themselves, on average; None where they say nothing), and ``runs``.

        Where joint is among them and the metric takes a target, a row ``joint until sure`` is of releases with
        ``target_recall`` and at most epsilon 1: ``epsilon`` is the median of what was spent, None where half of them
        did not say that they reached the target.

    Notes
    -----
    Privacy: with a public look-alike the choice tells nothing of the private edges. With the private graph itself it
    would, and the release that follows is outside the guarantee.

    Examples
    --------
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 200)])
    >>> rows = advise(star, k=1, metric="degree", mechanism=["em", "joint"], runs=5)
    >>> [(row["mechanism"], row["epsilon"]) for row in rows if row["mechanism"] != "joint until sure"]
    [('em', 0.1), ('joint', 0.1)]
    """
    wanted, count = check_target(target), check_runs(runs)
    graph = look_alike(like, nodes, seed)
    declared = check_degree_bound(degree_bound)
    bound = graph.node_count - 1 if declared is None else declared
    name = like if isinstance(like, str) else "graph"
    if graph.max_degree > bound:
        raise ParameterError(
            f"degree_bound is {bound:,}, must be at least the look-alike's largest degree, {graph.max_degree:,}; "
            "declare a larger bound, or take a look-alike with smaller hubs"
        )
    return needs(Facts(name, graph, bound), k, wanted, metric, mechanism, count, seed, progress)


def check_target(target: Any) -> float:
    """Return a checked recall to reach."""
    number = isinstance(target, (int, float)) and not isinstance(target, bool)
    if not number or not 0 < target <= 1:
        raise ParameterError(f"target is {target!r}, must be a recall above 0 and at most 1; give another")
    return float(target)


def look_alike(like: Graph | str, nodes: int | None, seed: int) -> Graph:
    """Return the public graph, of so many nodes."""
    if isinstance(like, str) and like in GENERATORS:
        return generated(like, 10_000 if nodes is None else nodes, seed)
    graph = like if isinstance(like, Graph) else _read(like)
    if nodes is None:
        return graph
    nodes = check_whole(nodes, "nodes")
    if not graph.node_count <= nodes < 2**31:
        raise ParameterError(
            f"nodes is {nodes}, must be at least {graph.node_count:,}, the number of the look-alike's nodes; "
            f"ask without it, or take a generator: {', '.join(GENERATORS)}"
        )
    indptr = np.concatenate([graph.indptr, np.full(nodes - graph.node_count, graph.indptr[-1])])
    return Graph(np.arange(nodes, dtype=np.int64), indptr, graph.indices, nodes_supplied=True)


def _read(like: str) -> Graph:
    from edgedp.graph.loading import read_graph
    from edgedp.graph.reading.sources.catalogue import dataset_names

    if not isinstance(like, str) or ("/" not in like and "." not in like):
        check_choice(like, "like", (*GENERATORS, *dataset_names()))
    return read_graph(like)


def needs(
    facts: Facts,
    k: int,
    target: float,
    metric: str,
    mechanism: Any,
    runs: int,
    seed: int,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Return the rows of `advise` for the facts of a graph: epsilon rises until the target is reached."""
    from edgedp.exact.experiments.asking import planned_cells

    given: dict[str, Any] = dict.fromkeys(
        ("sampler", "sensitivity_form", "shift", "proxy", "approach", "weights", "of", "samples")
    )
    given |= {"metric": metric, "k": k, "mechanism": mechanism, "epsilon": list(EPSILONS)}
    cells = planned_cells(facts, "topk", given, runs)
    mechanisms = list(dict.fromkeys(cell.options["mechanism"] for cell in cells))
    rows = []
    for done, name in enumerate(mechanisms):
        if progress is not None:
            progress("trying mechanisms", done, len(mechanisms))
        rows.append(_needed(facts, [c for c in cells if c.options["mechanism"] == name], target, seed))
    joint = next((cell for cell in cells if cell.options["mechanism"] == "joint"), None)
    if joint is not None and (row := _until_sure(facts, joint, target, seed)) is not None:
        rows.append(row)
    return sorted(rows, key=lambda row: (row["epsilon"] is None, row["epsilon"] or 0.0, -row["recall"]))


def _needed(facts: Facts, cells: Sequence[Any], target: float, seed: int) -> dict[str, Any]:
    """Return the first epsilon that reaches a target, trying them in rising order."""
    from edgedp.exact.experiments.runs import Runner

    runner = Runner(facts, check_seed(seed))
    best: dict[str, Any] = {}
    tried = cells[0]
    for cell in cells:
        point = curves(runner.run(cell)).row(0, named=True)
        reached = point["mean"] >= target
        if not best or reached or point["mean"] > best["recall"]:
            tried, best = (
                cell,
                {
                    "mechanism": cell.options["mechanism"],
                    "epsilon": float(cell.options["epsilon"]) if reached else None,
                    "recall": point["mean"],
                    "error": point["error"],
                    "said": None,
                    "runs": point["runs"],
                },
            )
        if reached:
            break
    said = [answer.sure.expected_recall for answer in _drawn(facts, tried, seed) if answer.sure is not None]
    return best | {"said": fmean(said) if said else None}


def _drawn(facts: Facts, cell: Cell, seed: int) -> Iterator[Nodes]:
    """Yield the lists of a joint cell with what they say of themselves: those that were judged, by the same seeds."""
    from edgedp.exact.experiments.runs import planned
    from edgedp.mechanisms.sampling.words import GeneratorWords
    from edgedp.release.draw import draw

    if cell.options["mechanism"] != "joint":
        return
    for each in run_seeds(check_seed(seed), facts.name, cell):
        words = GeneratorWords(np.random.default_rng(each))
        answer = draw(planned(facts, cell), facts.projection, words, lambda _: True)
        if isinstance(answer, Nodes):
            yield answer


def _until_sure(facts: Facts, cell: Cell, target: float, seed: int) -> dict[str, Any] | None:
    """Return the row of releases that stop when they are sure; None where a release takes no such target."""
    from edgedp.exact.experiments.runs import planned

    asked = replace(cell, options=dict(cell.options) | {"epsilon": MOST, "target_recall": target})
    try:
        planned(facts, asked)
    except ParameterError:
        return None
    lists = list(_drawn(facts, asked, seed))
    top = true_top(facts.projection.values(cell.options["metric"]), cell.options["k"])
    right = [
        float(np.mean(top[positions_of(facts.graph.node_ids, np.asarray(each.ids), what="nodes")]))
        for each in lists
    ]
    ends = [each.sought for each in lists if each.sought is not None]
    reached = sum(each.ended == "reached" for each in ends)
    return {
        "mechanism": UNTIL_SURE,
        "epsilon": median(each.spent for each in ends) / NANO if 2 * reached > len(ends) else None,
        "recall": fmean(right),
        "error": float(np.std(right, ddof=1)) / len(right) ** 0.5 if len(right) > 1 else 0.0,
        "said": fmean(each.sure.expected_recall for each in lists if each.sure is not None),
        "runs": len(lists),
    }
