"""In- and out-degrees of a directed graph, and strengths: integer scores, and what a pair or a source moves them by.

``in(v)`` is the number of distinct nodes with an arc to ``v``, and ``out(v)`` mirrors it.

*A pair*, all arcs between two nodes: at most two of them, each of which moves one ``in`` and one ``out`` by one. Taken
away, the vector moves by at most 2 in L1, and no score rises.

*A source*, all arcs that leave one node: at most one to each target. Taken away, each ``in`` falls by 0 or 1, and none
rises. So a pick of the exponential mechanism or of permute-and-flip on ``in``, with one step of score worth
``epsilon / k`` of noise, costs ``epsilon / k`` for a pair and for a whole source alike (docs/privacy.md, "One pick").
Replaced, some scores rise and others fall: twice that.

*Through cuts* only some arcs of each node count, and the whole vector protects a source: `edgedp.mechanisms.units`.

*Candidates*: where only the nodes of a public set are counted, and what lies between two of them is left out, a pair
has one end in the set at most, and moves the whole vector of degrees, or of one direction, by 1 in L1, also replaced.

*Strengths*: in place of each edge or arc stands its weight, a whole number of ``0 .. C`` steps that all relationships
of the pair, or of the arc, give together (`edgedp.graph.weights`). So everything above holds with ``C`` for 1, and one
step of score is worth ``epsilon / (k C)``. With signs a weight is of ``-C .. C``: taken away, a strength still moves by
``C`` at most, and both ends of a pair alike. The arcs of two directions, or of one source, then move some scores up and
others down, so that no pick is proved for them, and the vector needs its ``2 C`` also where only its largest entry is
shown. Replaced, all with signs is twice as much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.choice import Degrees
from edgedp.mechanisms.adaptive.purchases import Bought, Purchase
from edgedp.mechanisms.adaptive.until_sure import Ending, Judge, Look, Looked, Pay, Sought, draw_until_sure
from edgedp.mechanisms.adaptive.vectors import NoisyVector, Vector
from edgedp.mechanisms.checks import check_choice
from edgedp.mechanisms.grid import GridScores, unit_of
from edgedp.mechanisms.joint import noisy
from edgedp.mechanisms.samplers import sampler
from edgedp.mechanisms.sampling.select import top_k_with_random_ties
from edgedp.mechanisms.units import edge_moves, moves_one_way, moves_through_cuts, pair_through_cuts
from edgedp.words.vocabulary import ARC_METRICS, STRENGTHS

if TYPE_CHECKING:
    from edgedp.mechanisms.asked import ArcsAsked
    from edgedp.mechanisms.picking import Undampened
    from edgedp.mechanisms.projection import Projection
    from edgedp.mechanisms.sampling.words import Words


def arc_counts(plan: ArcsAsked, projection: Projection) -> NDArray[np.int64]:
    """Return the (n,) exact counts, through cuts where there is a cap. Privacy: private; not a release."""
    if plan.cap is not None:
        return projection.arc_votes(check_choice(plan.metric, "metric", ARC_METRICS), plan.cap)
    match plan.metric:
        case "degree" | "in_degree" | "out_degree":
            return projection.values(plan.metric).astype(np.int64)
        case "strength" | "in_strength" | "out_strength":
            return projection.strengths(plan.metric)
        case _:
            assert_never(plan.metric)


def arc_moves(plan: ArcsAsked) -> int:
    """Return what one unit moves the vector by in L1: from the plan alone.

    One pair moves 2, of which a single largest entry shows 1, and the vector of candidates by 1 as a whole. Through
    cuts it is what the account protects: all arcs of one node move `cap`, and all between two nodes 4, of candidates 2.
    """
    if plan.cap is not None:
        return moves_through_cuts(plan.cap, plan.unit, pair_through_cuts(plan.facts.candidates))
    most = edge_moves(plan.metric, plan.facts.weighting)
    if plan.facts.candidates is not None:
        return most
    if plan.facts.node_count < 2:
        return 0
    return most if plan.k == 1 and moves_one_way(plan.metric, plan.facts.weighting) else 2 * most


def _whole(plan: ArcsAsked) -> int:
    """Return what one pair moves all entries of the vector by together, which noise must cover where all are shown."""
    most = edge_moves(plan.metric, plan.facts.weighting)
    return most if plan.facts.candidates is not None else 2 * most


def arc_scores(plan: ArcsAsked, picking: Undampened, projection: Projection) -> GridScores:
    """Return the scores of k picks, of which what one pair moves is worth ``epsilon / k``: read by law and draw."""
    # One pair that goes takes from every count that it moves, so that no count rises while another one falls.
    unit = unit_of(plan.epsilon / plan.k, edge_moves(plan.metric, plan.facts.weighting), monotone=True)
    return GridScores(arc_counts(plan, projection), unit, sampler(picking.sampler))


def draw_arcs_until_sure(
    plan: ArcsAsked,
    projection: Projection,
    words: Words,
    pay: Pay,
    judge: Judge,
    looked: Looked | None = None,
) -> tuple[Look, Ending]:
    """Draw a planned release that spends until its list is sure enough; parameters as of `draw_until_sure`."""
    if plan.target_recall is None:
        raise AssertionError("the plan has no target")
    counts = arc_counts(plan, projection)
    # Every look shows all of the noisy vector, so that it has noise for all that a pair moves, also where k is 1.
    moves = _whole(plan)
    sought = Sought(
        plan.facts.node_count, plan.facts.node_count, plan.k, plan.cost, plan.target_recall, cuts=False
    )
    return draw_until_sure(sought, projection, words, pay, judge, looked, Vector(counts, moves))


def draw_arcs(
    plan: ArcsAsked, projection: Projection, words: Words
) -> tuple[NDArray[np.int64], tuple[Bought, ...]]:
    """Draw a planned release by in- or out-degrees.

    Returns
    -------
    (k,) int64
        Positions, in the order picked.
    tuple of Bought
        The noisy vector where one was released: of picks there is none, nor of a single largest entry, whose noise
        protects no other.

    Notes
    -----
    Privacy: ``plan.epsilon``-DP for each of ``plan.units``, taken away; it rests on no degree bound.
    """
    if plan.target_recall is not None:
        raise AssertionError("a release with a target is drawn step by step")
    if plan.mechanism is not None:
        return arc_scores(plan, plan.mechanism, projection).draw(plan.k, words), ()
    moves = arc_moves(plan)
    seen = noisy(arc_counts(plan, projection), moves, plan.epsilon, words)
    positions = top_k_with_random_ties(seen, plan.k, words)
    if plan.cap is not None:  # what was seen is no in-degree, so it says nothing of the true list
        return positions, ()
    signed = plan.facts.weighting is not None and plan.facts.weighting.signed
    if plan.metric in STRENGTHS and signed:  # what is likely is known of values from 0 only
        return positions, ()
    if moves < _whole(plan):
        return positions, ()
    vector = NoisyVector(seen, moves / plan.epsilon)
    return positions, (Bought(Purchase(Degrees(), plan.epsilon), vector),)
