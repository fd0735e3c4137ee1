"""Draw: a plan, the projected private data and random words in; an answer out.

The only way by which anything computed from private edges leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.ids import positions_of
from edgedp.mechanisms.adaptive import arcs, planned
from edgedp.mechanisms.adaptive.estimates import estimates
from edgedp.mechanisms.adaptive.until_sure import Prepaid
from edgedp.mechanisms.pareto.rounds import draw_pareto
from edgedp.mechanisms.projection import NumberProjection, Projection
from edgedp.mechanisms.scores.sums import top_k_scores
from edgedp.mechanisms.selection.percentiles import draw_percentile
from edgedp.mechanisms.sure.lists import Sureness, how_sure
from edgedp.release.answers import Answer, Nodes, Point
from edgedp.release.numbers import arcs as arc_numbers
from edgedp.release.numbers import counting, distributing, summarizing
from edgedp.release.plan import (
    AggregatePlan,
    ArcCountPlan,
    ArcDistributionPlan,
    ArcsPlan,
    CountPlan,
    DistributionPlan,
    JointMotkinPlan,
    JointPlan,
    NodesPlan,
    ParetoPlan,
    PercentilePlan,
    Plan,
    SummaryPlan,
    TopKPlan,
)
from edgedp.release.sure import Sought, Sure
from edgedp.words.amounts.written import shortest
from edgedp.words.errors import ParameterError, StoreError, UnknownNameError
from edgedp.words.refusals import BOUND_BROKEN, IDS_BROKEN, NODES_CHANGED
from edgedp.words.vocabulary import STRENGTHS

if TYPE_CHECKING:
    from edgedp.graph.weights import Weighting
    from edgedp.mechanisms.adaptive.purchases import Bought
    from edgedp.mechanisms.adaptive.until_sure import Looked, Pay
    from edgedp.mechanisms.sampling.words import Words

_Asked = ParamSpec("_Asked")
_Drawn = TypeVar("_Drawn")


def _quietly(drawing: Callable[_Asked, _Drawn]) -> Callable[_Asked, _Drawn]:
    """Let numpy say nothing: what it would warn of, or raise where a caller has told it to, follows private values."""

    @wraps(drawing)
    def quiet(*asked: _Asked.args, **named: _Asked.kwargs) -> _Drawn:
        with np.errstate(all="ignore"):
            return drawing(*asked, **named)

    return quiet


@_quietly
def draw(
    plan: Plan,
    projection: NumberProjection,
    words: Words,
    pay: Pay | None = None,
    looked: Looked | None = None,
) -> Answer:
    """Draw a planned release.

    Parameters
    ----------
    plan : Plan
        Validated, and debited where the graph is stored.
    projection : NumberProjection
        The private data.
    words : Words
        Random words; the operating system's for a private release.
    pay : callable, optional
        Debits a further step, in nano-epsilon, before it is drawn, and says whether that was allowed. Of a release
        that spends until its list is sure enough; `PlanBase.first` is debited before anything is drawn.
    looked : callable, optional
        Told after each such step what was spent, and how much of the list is expected to be right.

    Returns
    -------
    Answer

    Raises
    ------
    EdgeDPError
        The projection is not what was planned, in a constant sentence of `edgedp.words.refusals`.

    Notes
    -----
    Privacy: a percentile is ``plan.epsilon``-DP under replacement of one node's record; anything else is
    ``plan.epsilon``-edge-DP; where ``plan.rests_on_bound``, for graphs that keep the degree bound
    (docs/privacy.md).
    """
    check_projection(plan, projection)
    ids = projection.node_ids
    match plan:
        case TopKPlan() | ParetoPlan() | AggregatePlan():
            return Nodes(_ids(ids, _picked(plan, projection, words)))
        case ArcsPlan() | JointPlan() if plan.target_recall is not None:
            return _draw_until_sure(plan, projection, words, pay, looked)
        case ArcsPlan():
            positions, bought = arcs.draw_arcs(plan, projection, words)
            return Nodes(_ids(ids, positions), None, _sure(plan, ids, positions, bought))
        case JointPlan():
            positions, bought = planned.draw_joint_top_k(plan, projection, words)
            shown = _estimated(bought) if plan.estimates else None
            return Nodes(_ids(ids, positions), shown, _sure(plan, ids, positions, bought))
        case JointMotkinPlan():
            positions, bought = planned.draw_joint_motkin(plan, projection, words)
            return Nodes(_ids(ids, positions), _estimated(bought) if plan.estimates else None)
        case CountPlan():
            return counting.draw_count(plan, projection, words)
        case DistributionPlan():
            return distributing.draw_distribution(plan, projection, words)
        case SummaryPlan():
            return summarizing.draw_summary(plan, projection, words)
        case ArcCountPlan():
            return arc_numbers.draw_arc_count(plan, projection, words)
        case ArcDistributionPlan():
            return arc_numbers.draw_arc_distribution(plan, projection, words)
        case PercentilePlan():
            return Point(draw_percentile(projection.records(plan.of_property), plan.question, words))
        case _:
            assert_never(plan)


def _ids(node_ids: NDArray[np.generic], positions: NDArray[np.int64]) -> tuple[int | str, ...]:
    return tuple(node_ids[positions].tolist())


@_quietly
def draw_positions(plan: NodesPlan, projection: Projection, words: Words) -> NDArray[np.int64]:
    """Draw a plan whose answer is nodes, as positions of the projection; parameters as for `draw`.

    Returns
    -------
    (k,) int64
        Positions of the nodes, in the order picked.
    """
    check_projection(plan, projection)
    match plan:
        case TopKPlan() | AggregatePlan() | ParetoPlan():
            return _picked(plan, projection, words)
        case ArcsPlan():
            return arcs.draw_arcs(plan, projection, words)[0]
        case JointPlan():
            return planned.draw_joint_top_k(plan, projection, words)[0]
        case JointMotkinPlan():
            return planned.draw_joint_motkin(plan, projection, words)[0]
        case _:
            assert_never(plan)


def _picked(
    plan: TopKPlan | AggregatePlan | ParetoPlan, projection: Projection, words: Words
) -> NDArray[np.int64]:
    """Return the positions of nodes that are picked one after the other."""
    match plan:
        case TopKPlan() | AggregatePlan():
            return top_k_scores(plan, projection).draw(plan.k, words)
        case ParetoPlan():
            return draw_pareto(plan, projection, words)
        case _:
            assert_never(plan)


def check_projection(plan: Plan, projection: Projection) -> None:
    """Refuse private data that are not what was planned, in a sentence that never varies.

    First what rests on the public node set, then, for a plan that rests on it, the degree bound.
    """
    ids = projection.node_ids
    if len(ids) != plan.facts.node_count:
        raise StoreError(NODES_CHANGED)
    if ids.dtype.kind not in "iuU" or not (ids[1:] > ids[:-1]).all():
        raise StoreError(IDS_BROKEN)
    try:
        for node in plan.named:
            positions_of(ids, np.array([node]), what="node")
    except UnknownNameError:
        raise StoreError(NODES_CHANGED) from None
    if plan.rests_on_bound and int(projection.degrees().max(initial=0)) > plan.degree_bound:
        raise ParameterError(BOUND_BROKEN)


def _draw_until_sure(
    plan: JointPlan | ArcsPlan, projection: Projection, words: Words, pay: Pay | None, looked: Looked | None
) -> Nodes:
    """Draw step by step until the list is sure enough; the first step is paid for, `pay` debits the others."""
    if pay is None or plan.target_recall is None:
        raise AssertionError("a release that spends step by step needs a way to pay and a target")

    def judge(positions: NDArray[np.int64], bought: tuple[Bought, ...]) -> Sureness:
        found = how_sure(plan.metric, positions, bought, plan.facts.node_count, _most(plan))
        if found is None:
            raise AssertionError("the plan refuses graphs whose lists say nothing")
        return found

    prepaid = Prepaid(plan.first[-1].cost, pay)
    match plan:
        case JointPlan():
            last, ended = planned.draw_joint_until_sure(plan, projection, words, prepaid, judge, looked)
        case ArcsPlan():
            last, ended = arcs.draw_arcs_until_sure(plan, projection, words, prepaid, judge, looked)
        case _:
            assert_never(plan)
    if not isinstance(last.sure, Sureness):
        raise AssertionError("a look keeps what its judge said")
    sought = Sought(shortest(plan.target_recall), len(last.expected), last.spent, ended)
    ids = projection.node_ids
    return Nodes(_ids(ids, last.positions), None, _shown_sure(plan, last.sure, ids), sought)


def _sure(
    plan: JointPlan | ArcsPlan,
    node_ids: NDArray[np.generic],
    positions: NDArray[np.int64],
    bought: tuple[Bought, ...],
) -> Sure | None:
    """Return what the list says of itself: post-processing of released vectors."""
    found = how_sure(plan.metric, positions, bought, plan.facts.node_count, _most(plan))
    return None if found is None else _shown_sure(plan, found, node_ids)


def _most(plan: JointPlan | ArcsPlan) -> int | None:
    """Return the largest degree or strength; None of candidates, whose neighbours are not counted as nodes."""
    if plan.facts.candidates is not None:
        return None
    weighting = _weighting(plan)
    return (plan.facts.node_count - 1) * (1 if weighting is None else weighting.most)


def _weighting(plan: JointPlan | ArcsPlan) -> Weighting | None:
    """Return what is declared of the weights that are added up; None where none are."""
    return plan.facts.weighting if plan.metric in STRENGTHS else None


def _shown_sure(plan: JointPlan | ArcsPlan, found: Sureness, node_ids: NDArray[np.generic]) -> Sure:
    """Return what a list says of itself with ids in place of positions."""
    near = tuple((node_ids[position].item(), chance) for position, chance in found.near)
    shown = Sure(round(found.expected_recall, 2), found.membership, near, found.degree_intervals)
    if _weighting(plan) is None:
        return shown
    return replace(shown, degree_intervals=None, strength_intervals=found.degree_intervals)


def _estimated(bought: tuple[Bought, ...]) -> dict[str, dict[str, int]]:
    """Return the estimates as they are shown and recorded: post-processing of released vectors."""
    return {name: estimate.to_dict() for name, estimate in estimates(bought).items()}
