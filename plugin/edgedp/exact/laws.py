"""The exact law of the first node that a release picks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, Unpack, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.projection import GraphProjection, Projection
from edgedp.mechanisms.values import Mechanism
from edgedp.release.option import spelled_out
from edgedp.release.options import MotkinOptions, MotkinWords, TopKOptions, TopKWords
from edgedp.release.plan import (
    AggregatePlan,
    ArcsPlan,
    JointMotkinPlan,
    JointPlan,
    NodesPlan,
    ParetoPlan,
    TopKPlan,
    of_nodes,
)
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import (
    ARC_METRICS,
    STRENGTHS,
    Approach,
    MechanismName,
    MetricName,
    Sensitivity,
    TopKMetricName,
    is_word,
)

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph


@spelled_out(TopKOptions, TopKWords)
def first_pick_probabilities(
    graph: Graph,
    metric: TopKMetricName,
    k: SupportsIndex,
    epsilon: Any,
    mechanism: MechanismName | Mechanism | None = None,
    *,
    degree_bound: int | None = None,
    **options: Unpack[TopKWords],
) -> NDArray[np.float64]:
    """Return the exact law of the first node of ``priv_top_k`` with the same arguments.

    Without a mechanism it is that of ``sld`` (of ``joint`` for in- and out-degrees and strengths): a joint release by
    several vectors has no law in closed form.

    Returns
    -------
    (n,) float64
        Probabilities in the order of ``graph.node_ids``.

    Notes
    -----
    Privacy: computed from private edges; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> first_pick_probabilities(path, metric="degree", k=1, epsilon=1, mechanism="em").round(3).tolist()
    [0.212, 0.576, 0.212]
    """
    from edgedp.release.in_memory.releasing import plan_in_memory

    usual = "joint" if is_word(metric, *ARC_METRICS, *STRENGTHS) else "sld"
    chosen = usual if mechanism is None else mechanism
    asked = {"metric": metric, "k": k, "epsilon": epsilon, "mechanism": chosen, **options}
    planned = plan_in_memory("priv_top_k", graph, degree_bound, asked)
    return first_pick_law(of_nodes(planned), GraphProjection(graph))


@spelled_out(MotkinOptions, MotkinWords)
def motkin_first_pick_probabilities(
    graph: Graph,
    metrics: Sequence[MetricName] = ("degree", "density"),
    k: SupportsIndex = 10,
    epsilon: Any = 1.0,
    approach: Approach = "pareto",
    sensitivity: Sensitivity | None = None,
    mechanism: MechanismName | Mechanism | None = None,
    *,
    degree_bound: int | None = None,
    **options: Unpack[MotkinWords],
) -> NDArray[np.float64]:
    """Return the exact law of the first node of ``motkin`` with the same arguments.

    `epsilon` is the total: round 1 runs at ``epsilon / k``.

    Notes
    -----
    Privacy: computed from private edges; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> law = motkin_first_pick_probabilities(path, k=1, epsilon=1, sensitivity="global")
    >>> float(law.sum().round(9))
    1.0
    """
    from edgedp.release.in_memory.releasing import plan_in_memory

    asked = {"metrics": metrics, "k": k, "epsilon": epsilon, "approach": approach, "sensitivity": sensitivity}
    planned = plan_in_memory("motkin", graph, degree_bound, asked | {"mechanism": mechanism, **options})
    return first_pick_law(of_nodes(planned), GraphProjection(graph))


def first_pick_law(planned: NodesPlan, projection: Projection) -> NDArray[np.float64]:
    """Return the (n,) law of the first pick of a plan. Privacy: computed from private edges; not a release."""
    from edgedp.mechanisms.pareto.rounds import first_round
    from edgedp.mechanisms.scores.sums import top_k_scores

    match planned:
        case TopKPlan() | AggregatePlan():
            return top_k_scores(planned, projection).law()
        case ArcsPlan():
            return _arcs_first_pick(planned, projection)
        case JointPlan():
            return _joint_first_pick(planned, projection)
        case JointMotkinPlan():
            raise ParameterError(
                "mechanism is 'joint', must be another for motkin_first_pick_probabilities; "
                "the audited law is that of the noisy vectors"
            )
        case ParetoPlan():
            return first_round(planned, projection).law()
        case _:
            assert_never(planned)


def _arcs_first_pick(planned: ArcsPlan, projection: Projection) -> NDArray[np.float64]:
    from edgedp.mechanisms.adaptive.arcs import arc_counts, arc_moves, arc_scores
    from edgedp.mechanisms.laws import joint_first_law

    _check_at_once(planned)
    if planned.mechanism is not None:
        return arc_scores(planned, planned.mechanism, projection).law()
    counts, moves = arc_counts(planned, projection), arc_moves(planned)
    if moves == 0:
        return np.full(len(counts), 1 / len(counts))
    return joint_first_law(counts, moves / planned.epsilon)


def _check_at_once(planned: JointPlan | ArcsPlan) -> None:
    if planned.target_recall is not None:
        raise ParameterError(
            "target_recall has no first pick whose law is known, for it is drawn step by step; ask without it"
        )


def _joint_first_pick(planned: JointPlan, projection: Projection) -> NDArray[np.float64]:
    from edgedp.mechanisms.adaptive.planned import asked_of
    from edgedp.mechanisms.adaptive.top_k import lists_vector
    from edgedp.mechanisms.joint import joint_values
    from edgedp.mechanisms.laws import joint_first_law

    _check_at_once(planned)
    match planned.ranked_by:
        case "both" | "ordered":
            raise ParameterError(
                f"proxy is {planned.ranked_by!r}, must be 'degree', 'betweenness2' or 'lists' for "
                "first_pick_probabilities; the audited law is that of the noisy vectors"
            )
        case "lists":
            listed = lists_vector(asked_of(planned), projection).whole
            exact_values, l1 = listed.values, listed.moves
        case "degree" | "betweenness2" as vector:
            exact_values, l1 = joint_values(planned, projection, vector, planned.k)
        case _:
            assert_never(planned.ranked_by)
    if l1 == 0:
        return np.full(len(exact_values), 1 / len(exact_values))
    return joint_first_law(exact_values, l1 / planned.epsilon)
