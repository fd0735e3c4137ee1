"""Draw on Spark: a plan and a table of degrees in, an answer out.

A joint release of an undirected graph is drawn as from a graph in memory, over the vectors of
`edgedp.spark.projection`, and so are numbers of degrees. Of all others the driver sees the candidates and no other row:
of every partition the few rows whose noisy score can be among the first k, with degree and word. It settles their order
by the same functions as a draw in memory (`edgedp.mechanisms.sampling.ranking`), so for the same noise the answer is
the same.

*One pass.* Where the degree tells the score, each task draws the noise of its rows, keeps the few that matter and
forgets the others: nothing is kept that could be drawn again.

*Lazily.* Where it does not, one word a row is drawn and kept beside the row once, before anything reads it
(`DataFrame.localCheckpoint`: how the rows came about is forgotten, so a lost partition cannot be drawn again and
fails the release). Rows whose bound can reach the k-th noisy score are then asked for, with the threshold sent to
all partitions, and the metric is computed for them alone. Every reading is compared with the one before: other words
are a refusal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.checks import check_choice
from edgedp.mechanisms.metrics import metric as metric_by_name
from edgedp.mechanisms.samplers import sampler
from edgedp.mechanisms.sampling.late import FirstWords, WholeWords
from edgedp.mechanisms.sampling.ranking import LazyScores, first_places
from edgedp.mechanisms.sampling.words import SecureWords, Words
from edgedp.release.answers import Answer, Nodes
from edgedp.release.draw import draw
from edgedp.release.plan import (
    AggregatePlan,
    ArcCountPlan,
    ArcDistributionPlan,
    ArcsPlan,
    CountPlan,
    DistributionPlan,
    JointMotkinPlan,
    JointPlan,
    ParetoPlan,
    Plan,
    TopKPlan,
)
from edgedp.spark.edges import Edges, arrow_map
from edgedp.spark.executors import DrawBest, DrawJoint, DrawWords, SecureSource, SeededSource
from edgedp.spark.partitions import Answered, bounds_of, kth_largest, rows_schema, scores_of
from edgedp.spark.projection import SparkProjection
from edgedp.words.errors import EngineError
from edgedp.words.refusals import ENGINE_FAILED
from edgedp.words.vocabulary import ARC_METRICS, STRENGTHS

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from edgedp.mechanisms.adaptive.until_sure import Looked, Pay
    from edgedp.words.vocabulary import SamplerName

COUNTED_ON_SPARK = ("edges", "degree", "wedges", "stars")
"""Numbers that follow from the degrees, and their sensitivities from the neighbours of the few largest nodes."""

_FIRST_ROWS = 64
"""How many rows of a partition are asked for first where scores are bounds."""


def check_can_draw(plan: Plan) -> None:
    """Refuse, from the plan alone, what Spark does not draw.

    Raises
    ------
    EngineError
        Before anything is debited or read.
    """
    match plan:
        case JointPlan() | JointMotkinPlan() | ArcsPlan() if plan.facts.candidates is not None:
            raise EngineError("engine 'spark' does not rank candidates; take engine 'native'")
        case JointPlan():
            _check_positions(plan, "joint", "take mechanism 'sld' or 'pf'")
        case JointMotkinPlan():
            _check_positions(plan, "joint", "ask for one metric by mechanism 'sld' or 'pf'")
        case ParetoPlan() | AggregatePlan():
            raise EngineError(
                "engine 'spark' draws motkin only by mechanism 'joint'; give it, or take engine 'native'"
            )
        case CountPlan():
            if plan.of not in COUNTED_ON_SPARK:
                raise EngineError(
                    f"engine 'spark' does not count {plan.of}, which needs more than degrees; choose one of "
                    f"{', '.join(COUNTED_ON_SPARK)}, or take engine 'native'"
                )
            _check_positions(plan, "a number", "ask for a list by mechanism 'sld' or 'pf'")
        case ArcCountPlan() | ArcDistributionPlan():
            raise EngineError(f"engine 'spark' releases no {plan.kind} of arcs; take engine 'native'")
        case DistributionPlan():
            _check_positions(plan, "a distribution", "ask for a list by mechanism 'sld' or 'pf'")
        case ArcsPlan():
            if plan.metric in STRENGTHS:
                raise EngineError(
                    f"engine 'spark' adds up no weights for {plan.metric}; take engine 'native'"
                )
            if plan.target_recall is not None:
                raise EngineError("engine 'spark' draws at once and keeps no target_recall; ask without it")
        case TopKPlan():
            if not metric_by_name(plan.metric).moves_near_the_edge:
                raise EngineError(
                    f"engine 'spark' has no {plan.metric}, which reaches beyond the ego networks; "
                    "choose degree, density or ebc"
                )
            form = plan.mechanism.form
            if form not in (None, "degree"):
                raise EngineError(
                    f"engine 'spark' has no sensitivity_form {form!r}; ask without it, or give 'degree'"
                )
        case _:
            raise EngineError(
                f"engine 'spark' draws lists, numbers of degrees and their distribution, and not {plan.kind}; "
                "take engine 'native'"
            )


def _check_positions(plan: Plan, what: str, instead: str) -> None:
    """Refuse more nodes than a vector numbers."""
    if plan.facts.node_count >= 2**31:
        raise EngineError(
            f"the graph has {plan.facts.node_count} nodes, must have fewer than 2^31 for {what} on Spark; {instead}"
        )


def rows_of(plan: TopKPlan | ArcsPlan, edges: Edges) -> DataFrame:
    """Return the table that a plan is drawn from, one row a node: its degree, or the arcs that are counted at it."""
    match plan:
        case ArcsPlan():
            return edges.arc_counts(check_choice(plan.metric, "metric", ARC_METRICS), plan.cap)
        case TopKPlan():
            return edges.degrees()
        case _:
            assert_never(plan)


def try_out(plan: Plan, edges: Edges) -> None:
    """Draw a plan once from a constant graph, with everything that a draw of its kind may ask of the cluster."""
    if not isinstance(plan, JointPlan | JointMotkinPlan | CountPlan | DistributionPlan):
        draw_on_spark(plan, edges, None, SecureSource())
        return
    projection = SparkProjection(edges)
    draw(plan, projection, SecureWords(), lambda _: True)
    if isinstance(plan, JointPlan) and plan.quantities:  # a single draw need not ask for any of it
        everyone = np.arange(len(projection.node_ids))
        projection.cut_shares(np.full(len(everyone), 2), everyone, 1, everyone[:2])


def draw_on_spark(
    plan: Plan,
    edges: Edges,
    degrees: DataFrame | None,
    source: SecureSource | SeededSource,
    pay: Pay | None = None,
    looked: Looked | None = None,
) -> Nodes:
    """Draw a planned list.

    Parameters
    ----------
    plan : Plan
        One that `check_can_draw` lets through; debited where the graph is a store's.
    edges : Edges
    degrees : DataFrame or None
        Of `rows_of`, where it was counted before.
    source : SecureSource or SeededSource
    pay, looked : callable, optional
        As of `edgedp.release.draw.draw`.

    Returns
    -------
    Nodes

    Raises
    ------
    EdgeDPError
        The table is not what was planned, in a constant sentence of `edgedp.words.refusals`. Errors of Spark itself
        hold values: whoever calls this after a debit lets none out (`edgedp.words.refusals.constant_refusals`).

    Notes
    -----
    Privacy: ``plan.epsilon``-edge-DP, as in memory; the noise of a row is drawn once.
    """
    check_can_draw(plan)
    match plan:
        case JointPlan():
            return draw_vectors(plan, edges, source.own(), pay, looked)
        case TopKPlan() | ArcsPlan():
            if degrees is None and isinstance(plan, TopKPlan) and not metric_by_name(plan.metric).is_degree:
                edges = edges.kept()  # degrees and values are of one state of the rows
            rows = rows_of(plan, edges) if degrees is None else degrees
            if plan.mechanism is not None:
                return Nodes(tuple(_Rounds(plan, plan.mechanism.sampler, edges, rows, source).picked()))
            return Nodes(tuple(_first_noisy(plan, _ask(rows, edges, DrawJoint(plan, source)), source)))
        case _:
            raise EngineError(ENGINE_FAILED)


def draw_answer(plan: Plan, edges: Edges, pay: Pay, looked: Looked | None) -> Answer:
    """Draw a planned and debited release of any kind that Spark draws, from the secure sources.

    Parameters, errors and privacy are those of `draw_on_spark`.
    """
    if isinstance(plan, JointMotkinPlan | CountPlan | DistributionPlan):
        check_can_draw(plan)
        return draw(plan, SparkProjection(edges), SecureWords())
    return draw_on_spark(plan, edges, None, SecureSource(), pay, looked)


def draw_vectors(
    plan: JointPlan, edges: Edges, words: Words, pay: Pay | None = None, looked: Looked | None = None
) -> Nodes:
    """Draw a joint release as from a graph in memory, with the exact vectors that Spark computes.

    Parameters
    ----------
    plan : JointPlan
    edges : Edges
    words : Words
        Of the driver: for the same words the answer is that of every other engine.
    pay, looked : callable, optional

    Returns
    -------
    Nodes
    """
    drawn = draw(plan, SparkProjection(edges), words, pay, looked)
    if not isinstance(drawn, Nodes):
        raise EngineError(ENGINE_FAILED)
    return drawn


def _ask(degrees: DataFrame | None, edges: Edges, step: Any) -> pa.Table:
    """Run one job over the rows; every task answers once."""
    if degrees is None:
        raise EngineError(ENGINE_FAILED)
    return arrow_map(degrees, step, rows_schema(edges.kind)).toArrow()


def _first_noisy(plan: ArcsPlan, table: pa.Table, source: SecureSource | SeededSource) -> list[Any]:
    """Return the k largest of what the partitions answered, of equal ones each as likely."""
    answered = Answered.of(table, plan)
    ties, own = answered.words.copy(), source.own()
    while True:
        order = np.lexsort((ties, answered.noisy))[::-1]
        noisy, words = answered.noisy[order], ties[order]
        equal = np.flatnonzero((noisy[1:] == noisy[:-1]) & (words[1:] == words[:-1]))
        if not np.any(equal < plan.k):
            return list(answered.ids[order[: plan.k]].tolist())
        # Two words alike: all are drawn again, so that given that they differ every order is equally likely.
        ties = own.take(len(ties))


@dataclass
class _Rounds:
    """The picks of PrivTopk: from one noise where the sampler's law allows, else from fresh noise for every pick."""

    plan: TopKPlan | ArcsPlan
    sampler: SamplerName
    edges: Edges
    degrees: DataFrame
    source: SecureSource | SeededSource
    exact: dict[Any, float] = field(default_factory=dict)

    def picked(self) -> list[Any]:
        plan, own = self.plan, self.source.own()
        serves_all = sampler(self.sampler).serves_all
        picks: list[Any] = []
        while len(picks) < plan.k:
            wanted = plan.k if serves_all else 1
            step = DrawBest(plan, wanted, frozenset(picks), turn=len(picks))
            picks += self._lazily(step, own) if self._lazy else self._at_once(step, own)
        return picks

    @property
    def _lazy(self) -> bool:
        return scores_of(self.plan, np.zeros(1, dtype=np.int64)).evaluate is not None

    def _at_once(self, step: DrawBest, own: Words) -> list[Any]:
        drawing = DrawBest(step.plan, step.k, step.dropped, self.source, step.turn)
        rows = Answered.of(_ask(self.degrees, self.edges, drawing), self.plan)
        return self._first(rows, step.k, own)

    def _lazily(self, step: DrawBest, own: Words) -> list[Any]:
        columns = f"id {self.edges.kind}, degree long, word long"
        drawn = arrow_map(self.degrees, DrawWords(self.source, step.turn), columns)
        kept = drawn.localCheckpoint(eager=True)
        threshold, most, digests = -inf, max(_FIRST_ROWS, 2 * step.k), None
        while True:
            asked = DrawBest(step.plan, step.k, step.dropped, most=most, threshold=threshold)
            rows = Answered.of(_ask(kept, self.edges, asked), self.plan)
            if digests is not None and rows.digests != digests:
                raise EngineError(ENGINE_FAILED)
            digests = rows.digests
            threshold = self._evaluated(rows, step.k)
            if rows.left < threshold:
                return self._first(rows, step.k, own)
            most *= 8

    def _evaluated(self, rows: Answered, k: int) -> float:
        """Evaluate rows, best bound first, until no other that was sent can be among the first k; return the k-th."""
        bounds = scores_of(self.plan, rows.degrees)
        noise = bounds.sampler.noise.enclose(rows.words)
        high = bounds_of(self.plan, bounds.upper, bounds.unit, noise)[1]
        while True:
            known = np.array([each in self.exact for each in rows.ids.tolist()], dtype=np.bool_)
            threshold = -inf
            if np.count_nonzero(known) >= k:
                scores = self._scores(rows, np.flatnonzero(known))
                enclosed = tuple(each[known] for each in noise)
                threshold = float(kth_largest(bounds_of(self.plan, scores, bounds.unit, enclosed)[0], k))
            able = np.flatnonzero(~known & (high >= threshold))
            if not len(able):
                return threshold
            room = max(k + 2 - np.count_nonzero(known), 2 + np.count_nonzero(known) // 2)
            self._evaluate(rows.ids[able[np.argsort(-high[able], kind="stable")[:room]]].tolist())

    def _evaluate(self, ids: list[Any]) -> None:
        missing = [each for each in ids if each not in self.exact]
        if missing:
            self.exact |= self.edges.values(self.plan.metric, missing)

    def _scores(self, rows: Answered, members: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the exact scores of some rows."""
        ids = rows.ids[members].tolist()
        self._evaluate(ids)
        values = np.array([self.exact[each] for each in ids])
        return scores_of(self.plan, rows.degrees[members], values).exact()

    def _first(self, rows: Answered, k: int, own: Words) -> list[Any]:
        """Settle the order of the candidates as a draw in memory does, by the words that their rows have."""
        known = scores_of(self.plan, rows.degrees)
        evaluate = None if known.evaluate is None else lambda members: self._scores(rows, members)
        lazy = LazyScores(known.upper, evaluate)
        words = _DrawnFirst(rows.words, own)
        every = np.arange(len(rows.ids))
        chosen = first_places(every, lazy, k, known.unit, known.sampler.noise, words)
        return list(rows.ids[chosen].tolist())


class _DrawnFirst:
    """The words that were drawn for the rows, then those of the driver."""

    def __init__(self, drawn: NDArray[np.uint64], own: Words) -> None:
        self._drawn: NDArray[np.uint64] | None = drawn
        self._own = own
        self.private = own.private

    def take(self, count: int) -> NDArray[np.uint64]:
        if self._drawn is None:
            return self._own.take(count)
        if count != len(self._drawn):
            raise ValueError("the rows' words are taken at once")
        first, self._drawn = self._drawn, None
        return first

    def take_lazily(self, count: int) -> FirstWords:
        return WholeWords(self.take(count))
