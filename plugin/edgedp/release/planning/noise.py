"""How much noise a planned release draws, where public facts tell; where they do not, it is private and not told.

Which noise a release draws is said here for every kind of plan, by a ``match`` that a new kind must join.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, assert_never

from edgedp.mechanisms.adaptive.arcs import arc_moves
from edgedp.mechanisms.adaptive.choice import FIRST
from edgedp.mechanisms.adaptive.vectors import cut_bits, cut_moves
from edgedp.mechanisms.grid import grid_bits, noise_unit
from edgedp.mechanisms.joint import joint_moves
from edgedp.mechanisms.metrics import metric as metric_by_name
from edgedp.mechanisms.metrics.betweenness2 import share_bits
from edgedp.mechanisms.samplers import sampler
from edgedp.mechanisms.scores.sums import Aggregate
from edgedp.mechanisms.units import edge_moves
from edgedp.release.numbers.distributing import MOVES
from edgedp.release.numbers.error_bars import scale_of
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
    PercentilePlan,
    Plan,
    SummaryPlan,
    TopKPlan,
)

FOLLOWS_THE_GRAPH = "follows the graph; private"
_GEOMETRIC = "two-sided geometric"


@dataclass(frozen=True)
class Noise:
    """Noise on one thing.

    Attributes
    ----------
    on : str
        What it goes on: a metric, a vector of all nodes, a score.
    scale : float or None
        Scale of its law, in units of what it goes on; None where it follows the graph, and is private.
    law : str
        ``two-sided geometric``, ``staircase``, ``Gumbel`` or ``exponential``; empty where there is no scale.
    reach : str
        Of which nodes a metric of one node says something at this epsilon; empty for anything else.
    """

    on: str
    scale: float | None = None
    law: str = ""
    reach: str = ""

    def __str__(self) -> str:
        """Return one line for people."""
        if self.scale is None:
            return f"{self.on}: {FOLLOWS_THE_GRAPH}" + (f"; {self.reach}" if self.reach else "")
        return f"{self.on}: {self.law}, scale {self.scale:.6g}"

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON.

        Examples
        --------
        >>> Noise("the scores").to_dict()
        {'on': 'the scores', 'scale': 'follows the graph; private'}
        """
        if self.scale is None:
            reach = {"reach": self.reach} if self.reach else {}
            return {"on": self.on, "scale": FOLLOWS_THE_GRAPH} | reach
        return {"on": self.on, "scale": self.scale, "law": self.law}


def noise_of(plan: Plan) -> tuple[Noise, ...]:
    """Return how much noise a planned release draws on what, where public facts tell.

    Examples
    --------
    >>> from edgedp.release.plan import PublicFacts, plan
    >>> asked = plan("priv_top_k", {"metric": "degree", "k": 2, "epsilon": 1, "mechanism": "joint"}, PublicFacts(9))
    >>> [str(noise) for noise in noise_of(asked)]
    ['degree: two-sided geometric, scale 2']
    """
    match plan:
        case TopKPlan() | AggregatePlan():
            return _noise_of_a_sum(plan)
        case ParetoPlan():
            return _noise_of_pareto(plan)
        case ArcsPlan():
            return (_noise_of_arcs(plan),)
        case JointPlan():
            return _noise_of_joint(plan)
        case JointMotkinPlan():
            return (Noise("the vectors that are bought"),)
        case CountPlan():
            parts = plan.parts() or [(plan, Fraction(1))]
            return tuple(_noise_of_count(part, share) for part, share in parts)
        case DistributionPlan():
            return (_noise_of_distribution(plan.epsilon),)
        case ArcCountPlan() | ArcDistributionPlan():
            return (_noise_of_arc_numbers(plan),)
        case SummaryPlan():
            return _noise_of_summary(plan)
        case PercentilePlan():
            return (_noise_of_percentile(plan),)
        case _:
            assert_never(plan)


def _noise_of_a_sum(plan: TopKPlan | AggregatePlan) -> tuple[Noise, ...]:
    """Return the noise on the scores of a metric or a weighted sum: of the global sensitivity, unless dampened.

    Notes
    -----
    A score is ``u / GS``, in ``2**bits`` steps to one (`edgedp.mechanisms.scores.sums`).
    """
    match plan.mechanism.scaled_to:
        case "local":
            return (Noise("the dampened score"),)
        case "global":
            bound = plan.degree_bound
            most = sum(
                abs(Fraction(weight)) * metric_by_name(name).global_sensitivity(bound)
                for name, weight in zip(plan.metrics, plan.weights, strict=True)
            )
            bits = grid_bits(bound + 2)
            monotone = Aggregate(plan.metrics, plan.weights, None, bound).monotone
            unit = noise_unit(
                plan.epsilon / plan.k, bits, monotone=monotone and plan.mechanism.keeps_monotone
            )
            of = plan.metrics[0] if len(plan.metrics) == 1 else "the weighted sum"
            return (
                Noise(of, float(most / (unit * (1 << bits))), sampler(plan.mechanism.sampler).noise_name),
            )
        case _:
            assert_never(plan.mechanism.scaled_to)


def _noise_of_pareto(plan: ParetoPlan) -> tuple[Noise, ...]:
    """Return the noise on a Pareto score: of the first pick, where ``n - 1`` is the most, unless dampened."""
    match plan.mechanism.scaled_to:
        case "local":
            return (Noise("the Pareto score"),)
        case "global":
            most = max(plan.facts.node_count - 1, 0)
            scale = float(2 * most * plan.k / plan.epsilon)
            return (Noise("the Pareto score, first pick", scale, sampler(plan.mechanism.sampler).noise_name),)
        case _:
            assert_never(plan.mechanism.scaled_to)


def _noise_of_arcs(plan: ArcsPlan) -> Noise:
    """Return the noise on what is added up: of each pick what a pair moves times ``k / epsilon``, or of the vector."""
    if plan.target_recall is not None:
        return Noise("the vector that is refined step by step")
    if plan.mechanism is None:
        on = plan.metric if plan.cap is None else f"{plan.metric} through cuts of {plan.cap}"
        return Noise(on, float(arc_moves(plan) / plan.epsilon), _GEOMETRIC)
    return Noise(
        plan.metric,
        float(plan.k * edge_moves(plan.metric, plan.facts.weighting) / plan.epsilon),
        sampler(plan.mechanism.sampler).noise_name,
    )


def _noise_of_joint(plan: JointPlan) -> tuple[Noise, ...]:
    """Return the noise on the vectors of a joint release of the top k.

    What is bought after noisy degrees is chosen by these: its noise is known only when they are.
    """
    if plan.target_recall is not None:
        return (Noise("the vectors that are bought step by step"),)
    match plan.ranked_by:
        case "degree":
            return (Noise("degree", float(joint_moves(plan, "degree", plan.k) / plan.epsilon), _GEOMETRIC),)
        case "betweenness2":
            moves = Fraction(joint_moves(plan, "betweenness2", plan.k), 1 << share_bits(plan.degree_bound))
            return (Noise("betweenness2", float(moves / plan.epsilon), _GEOMETRIC),)
        case "lists":
            if plan.cap is None:
                return (Noise("betweenness2 through cuts"),)
            cap = max(min(plan.cap, plan.degree_bound), 1)
            bits = cut_bits(cap)
            moves = Fraction(cut_moves(cap, plan.facts.node_count, bits, ordered=False), 1 << bits)
            return (Noise("betweenness2 through cuts", float(moves / plan.epsilon), _GEOMETRIC),)
        case "both" | "ordered":
            moved = 2 if plan.facts.node_count >= 2 else 0
            return (
                Noise("degree", float(moved / (FIRST * plan.epsilon)), _GEOMETRIC),
                Noise("what the noisy degrees choose"),
            )
        case _:
            assert_never(plan.ranked_by)


def _noise_of_count(plan: CountPlan, share: Fraction) -> Noise:
    """Return the noise on a number that is drawn for a share of epsilon."""
    match plan.mechanism:
        case "geometric":
            return Noise(plan.of, float(scale_of(plan) / share), _GEOMETRIC)
        case "staircase":
            return Noise(plan.of, float(scale_of(plan) / share), "staircase")
        case "calibrated" | "ladder" | "smooth" | "nls" | "lls":
            return Noise(plan.of, reach=_says_something(plan, share))
        case _:
            assert_never(plan.mechanism)


_DEGREES = {"density": 50, "betweenness2": 50, "ebc": 150}
"""Epsilon times the degree from which on a metric of one node says something (docs/numbers.md, "From where on")."""


def _says_something(plan: CountPlan, share: Fraction) -> str:
    """Say of which nodes a metric says something: from epsilon and the declared bound, whatever the graph."""
    if plan.of not in _DEGREES:
        return ""
    least = ceil(_DEGREES[plan.of] / (plan.epsilon * share))
    if least > plan.bounds.degree_bound:
        return "at this epsilon it says little of any node within the degree bound"
    return f"at this epsilon it says something of nodes of degree {least:,} or so, and more"


def _noise_of_distribution(epsilon: Fraction) -> Noise:
    return Noise("each number of nodes of a degree or more", float(MOVES / epsilon), _GEOMETRIC)


def _noise_of_arc_numbers(plan: ArcCountPlan | ArcDistributionPlan) -> Noise:
    match plan:
        case ArcCountPlan():
            on = "arcs"
        case ArcDistributionPlan():
            on = f"each number of nodes of an {plan.of} or more"
        case _:
            assert_never(plan)
    cuts = "" if plan.cap is None else f", through cuts of {plan.cap}"
    return Noise(on + cuts, float(plan.moves / plan.epsilon), _GEOMETRIC)


def _noise_of_summary(plan: SummaryPlan) -> tuple[Noise, ...]:
    """Return the noise on what a summary buys; the rest of its page is computed."""
    shares = plan.SHARES
    counts = [_noise_of_count(plan.part(of), shares[of]) for of in plan.MECHANISMS]
    at_most = float(1 / (shares["degree_at_most"] * plan.epsilon))
    return (
        *counts,
        _noise_of_distribution(plan.epsilon * shares["degree_distribution"]),
        Noise("the bound of the degrees", at_most, _GEOMETRIC),
    )


def _noise_of_percentile(plan: PercentilePlan) -> Noise:
    """Return the noise on the score of a point of the grid (`mechanisms.selection.percentiles.percentile_scores`)."""
    scale, law = float(2 / plan.epsilon), sampler(plan.sampler).noise_name
    match plan.mechanism:
        case "pf" | "em":
            return Noise("the rank, in records", scale, law)
        case "distance":
            return Noise("the records to replace", scale, law)
        case "sld":
            return Noise("the distance, in parts of the range", scale, law)
        case "ld":
            return Noise("the dampened score")
        case _:
            assert_never(plan.mechanism)
