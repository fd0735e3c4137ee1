"""From a cell to its rows: the product's own draws, from seeded words, judged beside the exact values.

Scores and unit of a cell are computed once (`edgedp.mechanisms.scores.sums`, `edgedp.mechanisms.pareto.rounds`), and
every run draws from them as a release does (`edgedp.mechanisms.grid.GridScores.draw`): no law is written a second time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.exact.experiments.facts import Facts, RememberedProfile
from edgedp.exact.experiments.grid import Cell, run_seeds
from edgedp.exact.experiments.rows import frame_of, parameters_of
from edgedp.exact.quality import c_metric, relative_error, true_top
from edgedp.mechanisms.grid import GridScores
from edgedp.mechanisms.limits import LIMITED, limit_by_epsilon
from edgedp.mechanisms.pareto.rounds import ParetoRounds
from edgedp.mechanisms.pareto.score import pareto_score
from edgedp.mechanisms.sampling.words import GeneratorWords, Words
from edgedp.mechanisms.scores.sums import top_k_scores
from edgedp.release.draw import draw_positions
from edgedp.release.options import CountOptions
from edgedp.release.plan import (
    AggregatePlan,
    ArcsPlan,
    CountPlan,
    JointMotkinPlan,
    JointPlan,
    NodesPlan,
    ParetoPlan,
    TopKPlan,
    of_nodes,
    plan,
)
from edgedp.release.plan.numbers import plan_count
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import Kind as ReleaseKind

if TYPE_CHECKING:
    import polars as pl

Draw = Callable[[Words], NDArray[np.int64]]


class Runner:
    """Runs the cells of one graph; what cells share is kept between them.

    Parameters
    ----------
    facts : Facts
    seed : int
        Of the whole experiment.
    """

    def __init__(self, facts: Facts, seed: int) -> None:
        self.facts, self.seed = facts, seed
        self._rounds: dict[Any, ParetoRounds] = {}
        self._scores: dict[tuple[str, ...], NDArray[np.int64]] = {}
        self._tops: dict[Any, NDArray[np.bool_]] = {}
        self._sampled: tuple[int, Runner] | None = None
        self._limits: dict[tuple[str, int], Callable[[float], float]] = {}
        self._numbers_known: dict[tuple[str, str], float] = {}

    def run(self, cell: Cell) -> pl.DataFrame:
        """Return the rows of a cell."""
        match cell.kind:
            case "topk" | "motkin":
                return self._nodes(cell)
            case "samples":
                return self._of_sample(cell)._nodes(cell)
            case "numbers":
                return self._numbers(cell)
            case "growth":
                raise ParameterError(
                    "growth has no runs of a graph; measure it with edgedp.exact.experiments.growth"
                )
            case _:
                assert_never(cell.kind)

    def _of_sample(self, cell: Cell) -> Runner:
        """Return the runner of a cell's sample; the last one is kept."""
        number = cell.sample or 0
        if self._sampled is None or self._sampled[0] != number:
            self._sampled = number, Runner(self.facts.sample(self.seed, number), self.seed)
        return self._sampled[1]

    # -- nodes ----------------------------------------------------------------------------------------

    def _nodes(self, cell: Cell) -> pl.DataFrame:
        asked = planned(self.facts, cell)
        shared = parameters_of(self.facts, cell, asked.parameters) | {"limit": self._limit(asked)}
        if cell.runs == 0:
            return frame_of(shared, [{"recall": self._expected(asked)}])
        draw = self._draw(asked)
        rows = []
        for run, seed in enumerate(run_seeds(self.seed, self.facts.name, cell)):
            picked = draw(GeneratorWords(np.random.default_rng(seed)))
            rows.append({"run": run, "seed": seed} | self._judged(asked, picked))
        return frame_of(shared, rows)

    def _limit(self, asked: NodesPlan) -> float | None:
        """Return the recall that no private list exceeds which is as good beside the graph, where it is known."""
        if not isinstance(asked, TopKPlan | JointPlan) or asked.metric not in LIMITED:
            return None
        key = asked.metric, asked.k
        if key not in self._limits:
            values = self.facts.projection.values(asked.metric).astype(np.float64)
            self._limits[key] = limit_by_epsilon(
                self.facts.graph, values, asked.k, by_degree=asked.metric == "degree"
            )
        return self._limits[key](float(asked.epsilon))

    def _draw(self, asked: NodesPlan) -> Draw:
        """Return what draws one run."""
        projection = self.facts.projection
        match asked:
            case TopKPlan() | AggregatePlan():
                lazy = top_k_scores(asked, projection)
                known = GridScores(lazy.exact(), lazy.unit, lazy.sampler)
                return lambda words: known.draw(asked.k, words)
            case ParetoPlan():
                return self._rounds_of(asked).draw
            case ArcsPlan() | JointPlan() | JointMotkinPlan():
                return lambda words: draw_positions(asked, projection, words)
            case _:
                assert_never(asked)

    def _rounds_of(self, asked: ParetoPlan) -> ParetoRounds:
        """Return the rounds of a plan; utilities and profile are computed once for each form."""
        key = (asked.metrics, type(asked.mechanism), getattr(asked.mechanism, "form", None))
        if key not in self._rounds:
            rounds = ParetoRounds.of(asked, self.facts.projection)
            profile = rounds.profile
            if profile is not None:
                profile = RememberedProfile(profile.ceiling, profile.offsets, profile.deltas)
            self._rounds[key] = replace(rounds, profile=profile)
        shared = self._rounds[key]
        made = replace(shared, plan=asked)
        made.__dict__["pareto_scores"] = shared.pareto_scores
        return made

    def _judged(self, asked: NodesPlan, picked: NDArray[np.int64]) -> dict[str, float]:
        """Return how good a list of nodes is."""
        match asked:
            case TopKPlan() | ArcsPlan() | JointPlan():
                name = asked.metric
                return {"recall": self._recall(name, lambda: self.facts.projection.values(name), picked)}
            case AggregatePlan():
                return self._summed(asked.metrics, asked.weights, picked)
            case ParetoPlan():
                return self._pareto(asked.metrics, picked)
            case JointMotkinPlan():
                if asked.weights is None:
                    return self._pareto(asked.metrics, picked)
                return self._summed(asked.metrics, asked.weights, picked)
            case _:
                assert_never(asked)

    def _recall(
        self,
        of: Any,
        values: Callable[[], NDArray[np.float64] | NDArray[np.int64]],
        picked: NDArray[np.int64],
    ) -> float:
        """Return the recall of distinct positions; the exact top k of each utility is kept."""
        key = (of, len(picked))
        if key not in self._tops:
            self._tops[key] = true_top(values(), len(picked))
        return float(np.mean(self._tops[key][picked]))

    def _summed(
        self, metrics: tuple[str, ...], weights: tuple[float, ...], picked: NDArray[np.int64]
    ) -> dict[str, float]:
        def total() -> NDArray[np.float64]:
            columns = [self.facts.projection.values(name) for name in metrics]
            table: NDArray[np.float64] = np.column_stack(columns) @ np.asarray(weights)
            return table

        return {"recall": self._recall((metrics, weights), total, picked)}

    def _pareto(self, metrics: tuple[str, ...], picked: NDArray[np.int64]) -> dict[str, float]:
        table = np.column_stack([self.facts.projection.values(name) for name in metrics])
        if metrics not in self._scores:
            self._scores[metrics] = pareto_score(table)
        scores = self._scores[metrics]
        return {
            "recall": self._recall(metrics, lambda: scores, picked),
            "c_random": c_metric(table, scores, picked),
            "c_front": c_metric(table, scores, picked, ties="front"),
        }

    def _expected(self, asked: NodesPlan) -> float:
        """Return the expected recall of one pick by the exact law."""
        from edgedp.exact.laws import first_pick_law

        if not isinstance(asked, (TopKPlan, ArcsPlan, JointPlan)):
            raise TypeError("an expectation is of one metric; give a cell of one metric")
        law = first_pick_law(asked, self.facts.projection)
        values = self.facts.projection.values(asked.metric)
        return float(law[values == values.max()].sum())

    # -- numbers --------------------------------------------------------------------------------------

    def _numbers(self, cell: Cell) -> pl.DataFrame:
        from edgedp.release.numbers.counting import draw_count

        asked = planned_count(self.facts, cell)
        exact = self._exact_number(cell)
        rows = []
        for run, seed in enumerate(run_seeds(self.seed, self.facts.name, cell)):
            drawn = draw_count(asked, self.facts.projection, GeneratorWords(np.random.default_rng(seed)))
            rows.append({"run": run, "seed": seed, "relative_error": relative_error(drawn.value, exact)})
        return frame_of(parameters_of(self.facts, cell, asked.parameters), rows)

    def _exact_number(self, cell: Cell) -> float:
        from edgedp.exact.counting import exact_count

        asked = {name: cell.options.get(name) for name in ("star_size", "pair", "node")}
        key = (cell.options["of"], str(asked))
        if key not in self._numbers_known:
            self._numbers_known[key] = float(
                exact_count(self.facts.graph, cell.options["of"], asked, "native")
            )
        return self._numbers_known[key]


def planned(facts: Facts, cell: Cell) -> NodesPlan:
    """Return the plan of a cell whose answer is nodes; what the product refuses is refused."""
    kind: ReleaseKind = "motkin" if cell.kind == "motkin" else "priv_top_k"
    return of_nodes(plan(kind, cell.options, facts.public))


def planned_count(facts: Facts, cell: Cell) -> CountPlan:
    """Return the plan of a cell whose answer is a number; what the product refuses is refused."""
    from edgedp.release.numbers.counting import count_in

    options = dict(cell.options)
    delta = options.pop("delta", None)
    asked = plan_count(CountOptions.given(options), facts.public, delta=delta, stored=False)
    count_in(asked, facts.graph.node_ids)  # a node that is not the graph's is refused
    return asked


def check_cell(facts: Facts, cell: Cell) -> None:
    """Refuse a cell that a release would refuse, or whose expectation is not known; no edge is read."""
    match cell.kind:
        case "topk" | "motkin":
            _check_exact(cell, planned(facts, cell))
        case "samples":
            small = replace(facts.public, node_count=min(facts.sample_nodes, facts.public.node_count))
            _check_exact(cell, of_nodes(plan("priv_top_k", cell.options, small)))
        case "numbers":
            if cell.runs == 0:
                raise ParameterError("an exact expectation is of one pick; leave exact out for numbers")
            planned_count(facts, cell)
        case "growth":
            return
        case _:
            assert_never(cell.kind)


def _check_exact(cell: Cell, asked: NodesPlan) -> None:
    if cell.runs > 0:
        return
    if not isinstance(asked, (TopKPlan, ArcsPlan, JointPlan)):
        raise ParameterError("an exact expectation is of one metric; leave exact out for motkin")
    if asked.k != 1:
        raise ParameterError(f"k is {asked.k}, must be 1 for an exact expectation; give k 1, or runs")
    if isinstance(asked, JointPlan) and asked.ranked_by in ("both", "ordered"):
        raise ParameterError(
            f"proxy is {asked.ranked_by!r}, must be 'degree', 'betweenness2' or 'lists' for an exact expectation; "
            "give another proxy or mechanism, or runs"
        )
