"""Plans whose answer is nodes, picked one after the other: PrivTopk and DP-MOTkIN."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, assert_never

from edgedp.mechanisms import checks
from edgedp.mechanisms.metrics import metric as metric_by_name
from edgedp.mechanisms.picking import Dampened, Picking, ShiftDampened, Undampened
from edgedp.release.options import MotkinOptions, TopKOptions
from edgedp.release.plan.arcs import ArcsPlan, plan_arcs
from edgedp.release.plan.base import PlanBase, PlanOfNodes
from edgedp.release.plan.facts import PublicFacts
from edgedp.release.plan.joint import JointMotkinPlan, JointPlan, plan_joint, plan_joint_motkin
from edgedp.words.amounts.epsilon import epsilon_nano, format_nano
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import (
    APPROACHES,
    PARETO_FORMS,
    PICKING,
    SENSITIVITIES,
    SHIFTS,
    MechanismName,
    MetricForm,
    ParetoForm,
    PickingName,
    Sensitivity,
    Shift,
    is_word,
)

_Form = TypeVar("_Form", bound=str)
PARETO_SHIFT: Shift = "down"
"""The default shift of a Pareto score: measured once for each kind of list, and fixed."""


@dataclass(frozen=True, kw_only=True)
class _PickedPlan(PlanOfNodes):
    """A plan whose nodes are picked one after the other."""

    mechanism: Picking[Any]

    @property
    def rho_shares(self) -> int:
        """``epsilon^2 / rho`` of k picks."""
        from edgedp.mechanisms.samplers import sampler  # all that draws; a plan is read without it

        return sampler(self.mechanism.sampler).rho_shares(self.k)


@dataclass(frozen=True, kw_only=True)
class TopKPlan(_PickedPlan):
    """PrivTopk: k rounds over one metric, each at ``epsilon / k``."""

    KIND = "priv_top_k"

    metric: str
    mechanism: Picking[MetricForm]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metric, as a sum of one."""
        return (self.metric,)

    @property
    def weights(self) -> tuple[float, ...]:
        """The weight of a sum of one."""
        return (1.0,)

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Canonical parameters."""
        asked = {"metric": self.metric, "k": self.k, "epsilon": format_nano(self.cost)}
        return asked | self.mechanism.parameters

    @property
    def quantities(self) -> frozenset[str]:
        """What the draw asks of its projection, beside the degrees."""
        return _quantities_of_a_sum(self.metrics, self.mechanism)


@dataclass(frozen=True, kw_only=True)
class ParetoPlan(_PickedPlan):
    """DP-MOTkIN by the Pareto score: minus the number of nodes that are better in every metric."""

    KIND = "motkin"

    metrics: tuple[str, ...]
    mechanism: Picking[ParetoForm]

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Canonical parameters."""
        return _motkin_parameters(self, "pareto") | self.mechanism.parameters

    @property
    def quantities(self) -> frozenset[str]:
        """What the draw asks of its projection, beside the degrees."""
        edge_form = self.mechanism.form == "interval+edge"
        return _beside_degrees(self.metrics) | ({"max_common_neighbors"} if edge_form else set())


@dataclass(frozen=True, kw_only=True)
class AggregatePlan(_PickedPlan):
    """DP-MOTkIN by a weighted sum of metrics."""

    KIND = "motkin"

    metrics: tuple[str, ...]
    weights: tuple[float, ...]
    mechanism: Picking[MetricForm]

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Canonical parameters."""
        asked = _motkin_parameters(self, "aggregate") | self.mechanism.parameters
        return asked | {"weights": list(self.weights)}

    @property
    def quantities(self) -> frozenset[str]:
        """What the draw asks of its projection, beside the degrees."""
        return _quantities_of_a_sum(self.metrics, self.mechanism)


NodesPlan = TopKPlan | JointPlan | ArcsPlan | ParetoPlan | AggregatePlan | JointMotkinPlan
"""Every plan whose answer is nodes."""


def of_nodes(plan: PlanBase) -> NodesPlan:
    """Return a plan as one whose answer is nodes, which it must be."""
    if isinstance(plan, NodesPlan):
        return plan
    raise ParameterError(
        f"the answer of {plan.kind} is not nodes; ask for a kind of release that picks nodes"
    )


# -- from options to a plan -----------------------------------------------------------------------------


def plan_top_k(asked: TopKOptions, facts: PublicFacts) -> TopKPlan | JointPlan | ArcsPlan:
    """Plan PrivTopk or a joint release; see `edgedp.priv_top_k` for the options."""
    weighted = facts.weighting is not None
    match checks.check_ranked(asked.metric, directed=facts.directed, weighted=weighted):
        case "in_degree" | "out_degree" | "strength" | "in_strength" | "out_strength" as tallied:
            return plan_arcs(tallied, asked, facts)
        case "degree" if facts.candidates is not None:
            return plan_arcs("degree", asked, facts)
        case name:
            pass
    mechanism = _top_k_mechanism(name, asked, facts)
    if mechanism == "joint":
        return plan_joint(name, asked, facts)
    bound = facts.effective_degree_bound
    return TopKPlan(
        metric=name,
        k=checks.check_k(asked.k, facts.node_count),
        cost=epsilon_nano(asked.epsilon),
        mechanism=_picking(mechanism, asked, _forms((name,)), aggregate_shift((name,), (1.0,), bound)),
        facts=facts,
    )


def _top_k_mechanism(name: str, asked: TopKOptions, facts: PublicFacts) -> MechanismName:
    """Return the mechanism; by default joint where there is one, and sld where a declared delta makes that cheaper."""
    if asked.mechanism is not None:
        return checks.check_mechanism(asked.mechanism)
    if not metric_by_name(name).proxies or (facts.delta_declared and asked.target_recall is None):
        return "sld"
    return "joint"


def plan_motkin(asked: MotkinOptions, facts: PublicFacts) -> ParetoPlan | AggregatePlan | JointMotkinPlan:
    """Plan DP-MOTkIN; see `edgedp.motkin` for the options."""
    names = _metric_list(asked.metrics)
    approach = checks.check_choice(asked.approach, "approach", APPROACHES)
    if is_word(asked.mechanism, "joint"):
        return plan_joint_motkin(names, approach, asked, facts)
    mechanism = _motkin_mechanism(asked)
    match approach:
        case "pareto":
            pareto = _picking(mechanism, asked, PARETO_FORMS, PARETO_SHIFT)
            _check_edge_form(pareto, names)
            return ParetoPlan(
                metrics=names,
                k=checks.check_k(asked.k, facts.node_count),
                cost=epsilon_nano(asked.epsilon),
                mechanism=pareto,
                facts=facts,
            )
        case "aggregate":
            weights = checks.check_weights(asked.weights, len(names))
            default = aggregate_shift(names, weights, facts.effective_degree_bound)
            return AggregatePlan(
                metrics=names,
                weights=weights,
                k=checks.check_k(asked.k, facts.node_count),
                cost=epsilon_nano(asked.epsilon),
                mechanism=_picking(mechanism, asked, _forms(names), default),
                facts=facts,
            )
        case _:
            assert_never(approach)


def aggregate_shift(names: Sequence[str], weights: Sequence[float], degree_bound: int) -> Shift:
    """Return the default shift of a weighted sum, from metrics and weights alone (docs/privacy.md, "Shift").

    The trend of the sum in the degree is that of its dominating part, the trend of delta is rising if a
    betweenness takes part and falling if only density does; the same trend means ``up``.

    Examples
    --------
    >>> aggregate_shift(["degree", "density"], [1, 1], 10), aggregate_shift(["density"], [1], 10)
    ('down', 'up')
    """
    parts = [
        (metric_by_name(name), weight) for name, weight in zip(names, weights, strict=True) if weight != 0
    ]
    leader, weight = max(
        parts,
        key=lambda part: (part[0].dominance, abs(part[1]) * float(part[0].global_sensitivity(degree_bound))),
    )
    utility = leader.utility_trend * (1 if weight > 0 else -1)
    trends = {part.sensitivity_trend for part, _ in parts}
    delta = 1 if 1 in trends else -1 if -1 in trends else 1
    return "up" if utility == delta else "down"


def _picking(
    mechanism: PickingName, asked: TopKOptions | MotkinOptions, forms: Sequence[_Form], default: Shift
) -> Picking[_Form]:
    """Return how nodes are picked."""
    sampler = checks.check_sampler(asked.sampler, mechanism)
    match mechanism:
        case "em" | "pf":
            return Undampened(mechanism, sampler)
        case "ld":
            return Dampened(sampler, _form(asked.sensitivity_form, forms))
        case "sld":
            shift = default if asked.shift is None else checks.check_choice(asked.shift, "shift", SHIFTS)
            return ShiftDampened(sampler, _form(asked.sensitivity_form, forms), shift)
        case _:
            assert_never(mechanism)


def _form(asked: Any, forms: Sequence[_Form]) -> _Form:
    return forms[0] if asked is None else checks.check_choice(asked, "sensitivity_form", forms)


def _forms(names: Iterable[str]) -> tuple[MetricForm, ...]:
    """Return the forms of the metrics' sensitivities; a metric without the form asked for takes its first."""
    return tuple(dict.fromkeys(form for name in names for form in metric_by_name(name).forms))


def _check_edge_form(picking: Picking[ParetoForm], names: Sequence[str]) -> None:
    """Refuse the edge form of a Pareto score for metrics that one edge moves beyond its neighbourhood."""
    far = [name for name in names if not metric_by_name(name).moves_near_the_edge]
    if far and picking.form not in (None, "interval"):
        raise ParameterError(
            f"sensitivity_form is {picking.form!r}, must be 'interval' with {', '.join(far)}, "
            "which one edge moves at more nodes than its ends and their common neighbours; ask without it"
        )


def _motkin_mechanism(asked: MotkinOptions) -> PickingName:
    """Return the mechanism, which must fit what the noise is scaled to."""
    sensitivity: Sensitivity = (
        "local"
        if asked.sensitivity is None
        else checks.check_choice(asked.sensitivity, "sensitivity", SENSITIVITIES)
    )
    if asked.mechanism is None:
        return _usual_mechanism(sensitivity)
    mechanism = checks.check_mechanism(asked.mechanism)
    if mechanism == "joint" or scaled_to(mechanism) != sensitivity:
        allowed = sorted(name for name in PICKING if scaled_to(name) == sensitivity)
        raise ParameterError(
            f"mechanism is {mechanism!r}, must be one of {', '.join(allowed)} for {sensitivity} sensitivity; "
            "change one of the two"
        )
    return mechanism


def _usual_mechanism(sensitivity: Sensitivity) -> PickingName:
    match sensitivity:
        case "local":
            return "sld"
        case "global":
            return "em"
        case _:
            assert_never(sensitivity)


def scaled_to(mechanism: PickingName) -> Sensitivity:
    """Return what the noise of a mechanism is scaled to."""
    match mechanism:
        case "em" | "pf":
            return "global"
        case "ld" | "sld":
            return "local"
        case _:
            assert_never(mechanism)


def _metric_list(metrics: Any) -> tuple[str, ...]:
    if isinstance(metrics, str) or not isinstance(metrics, Sequence):
        raise ParameterError(f"metrics is {metrics!r}, must be a list of two or more metrics; give a list")
    names = tuple(checks.check_metric(name, "a metric") for name in metrics)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ParameterError(
            f"metrics is {', '.join(names) or 'empty'}, must be two or more different metrics; "
            "ask for a top k of a single one"
        )
    return names


# -- what plans of nodes share --------------------------------------------------------------------------


def _motkin_parameters(
    plan: ParetoPlan | AggregatePlan, approach: Literal["pareto", "aggregate"]
) -> dict[str, Any]:
    scaled_to = plan.mechanism.scaled_to
    asked = {"metrics": list(plan.metrics), "approach": approach, "sensitivity": scaled_to}
    return asked | {"k": plan.k, "epsilon": format_nano(plan.cost)}


def _quantities_of_a_sum(names: Iterable[str], picking: Picking[MetricForm]) -> frozenset[str]:
    common = picking.form == "common_neighbors"
    return _beside_degrees(names) | ({"max_common_neighbors"} if common else set())


def _beside_degrees(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name in names if not metric_by_name(name).is_degree)
