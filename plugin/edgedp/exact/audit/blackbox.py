"""The black-box audit: a lower confidence bound on epsilon from many releases of the real path.

A release that is epsilon-DP has ``Pr[answer in S | G] <= exp(epsilon) Pr[answer in S | H]`` for every
set S of answers. Releases are drawn on two neighbouring graphs, those with an answer in S are counted,
and Clopper-Pearson bounds give a number that epsilon is not below, with a stated confidence. Nothing of
the mechanism is used, so a mistake anywhere between the question and the answer shows: in scores, noise,
words, ties, rounds.

The event S is fixed before the releases are drawn, so one test is made and not the best of many. It is
chosen with the exact law at hand (`telling_event`); a poor choice would only make the bound lower.

References
----------
Clopper and Pearson (1934), The use of confidence or fiducial limits. Ding, Wang, Wang, Zhang and Kifer
(2018), Detecting violations of differential privacy. Jagielski, Ullman and Oprea (2020), Auditing
differentially private machine learning.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.exact.audit.arcs import ArcCase, digraph_of_mask
from edgedp.exact.audit.cases import Case
from edgedp.exact.audit.neighbors import graph_of_mask
from edgedp.exact.audit.ordered import answers, ordered_answer_law
from edgedp.exact.audit.strengths import StrengthCase, weighted_graph
from edgedp.exact.audit.targets import TARGETS, Law, NumbersCase, Outcome, Target
from edgedp.graph.graph import Graph
from edgedp.mechanisms.projection import GraphProjection
from edgedp.release.in_memory.nodes import motkin, priv_top_k
from edgedp.release.in_memory.releasing import drawn_in_memory
from edgedp.release.plan import (
    AggregatePlan,
    ArcsPlan,
    JointMotkinPlan,
    JointPlan,
    NodesPlan,
    ParetoPlan,
    TopKPlan,
)
from edgedp.release.release import Release
from edgedp.words.vocabulary import Kind

__all__ = [
    "TARGETS",
    "BlackBoxFinding",
    "NumbersCase",
    "Target",
    "black_box_audit",
    "clopper_pearson",
    "epsilon_lower_bound",
    "telling_event",
]


@dataclass(frozen=True)
class BlackBoxFinding:
    """What a black-box audit found.

    Attributes
    ----------
    target : Target
    claimed, exact, lower_bound : float
        The epsilon of the release, the loss of this pair by the exact laws (nan where no law is known), and what
        epsilon is not below.
    trials : int
        Releases on each of the two graphs.
    confidence : float
        Probability, at least, that the bound is not above the true epsilon.
    """

    target: Target
    claimed: float
    exact: float
    lower_bound: float
    trials: int
    confidence: float

    @property
    def met(self) -> bool:
        """Whether the claim may hold: the bound does not exceed it."""
        return self.lower_bound <= self.claimed

    def to_row(self) -> dict[str, Any]:
        """Return the row of a table."""
        return {
            "release": self.target.case.release,
            "metrics": self.target.case.metrics,
            "mechanism": self.target.case.mechanism,
            "options": self.target.case.details,
            "k": self.target.k,
            "releases": 2 * self.trials,
            "claimed": self.claimed,
            "exact": round(self.exact, 4),
            "lower_bound": round(self.lower_bound, 4),
            "confidence": self.confidence,
        }


def black_box_audit(target: Target, trials: int | None = None, confidence: float = 0.9999) -> BlackBoxFinding:
    """Release many times on both graphs of a target, with the secure source, and bound epsilon from below.

    Parameters
    ----------
    target : Target
    trials : int, optional
        Releases on each graph; default: the target's.
    confidence : float

    Returns
    -------
    BlackBoxFinding

    Examples
    --------
    >>> found = black_box_audit(TARGETS[0], trials=200, confidence=0.99)
    >>> found.lower_bound <= found.exact <= found.claimed
    True
    """
    trials = target.trials if trials is None else trials
    graphs = [_graph(target, mask) for mask in target.masks]
    known = _laws(target, graphs)
    outcomes, laws = known or _frequencies(target, graphs, trials)
    exact = float(np.abs(np.log(laws[0]) - np.log(laws[1])).max()) if known else math.nan
    likelier, event = telling_event(laws[0], laws[1], trials, confidence)
    telling = {outcomes[place] for place in event}
    hits = [sum(outcome in telling for outcome in _releases(target, graph, trials)) for graph in graphs]
    bound = epsilon_lower_bound(hits[likelier], hits[1 - likelier], trials, confidence)
    return BlackBoxFinding(target, float(target.epsilon), exact, bound, trials, confidence)


def _graph(target: Target, mask: int) -> Graph:
    case, n = target.case, target.node_count
    match case:
        case ArcCase():
            return digraph_of_mask(mask, n)
        case StrengthCase():
            return weighted_graph(mask, n, case.weighting, directed=case.directed)
        case Case() | NumbersCase():
            return graph_of_mask(mask, n)
        case _:
            assert_never(case)


def telling_event(
    first: NDArray[np.float64], second: NDArray[np.float64], trials: int, confidence: float
) -> tuple[int, list[int]]:
    """Return which law gives the event of the largest expected bound a higher probability, and the event.

    Tried are the sets of the answers with the largest likelihood ratios: no other set of the same
    probability under one law has a larger one under the other (Neyman and Pearson).

    Examples
    --------
    >>> telling_event(np.array([0.1, 0.9]), np.array([0.6, 0.4]), 100, 0.95)
    (1, [0])
    """
    best, likelier, event = -math.inf, 0, [0]
    for place, (p, q) in enumerate(((first, second), (second, first))):
        order = np.argsort(q / p, kind="stable")
        for size in range(1, len(order)):
            p_hits = math.floor(trials * float(p[order[:size]].sum()))
            q_hits = math.ceil(trials * float(q[order[:size]].sum()))
            bound = epsilon_lower_bound(min(p_hits, trials), min(q_hits, trials), trials, confidence)
            if bound > best:
                best, likelier, event = bound, place, order[:size].tolist()
    return likelier, event


def epsilon_lower_bound(hits: int, fewer_hits: int, trials: int, confidence: float) -> float:
    """Return what epsilon is not below, with the given confidence.

    Parameters
    ----------
    hits, fewer_hits : int
        How often an event was seen in `trials` releases on the one and on the other graph.
    trials : int
    confidence : float
        The two probabilities are bounded with half of the risk each.

    Examples
    --------
    >>> round(epsilon_lower_bound(500, 180, 1000, 0.99), 3)
    0.766
    """
    one_sided = (1 + confidence) / 2
    most = clopper_pearson(hits, trials, one_sided)[0]
    least = clopper_pearson(fewer_hits, trials, one_sided)[1]
    return math.log(most / least) if most > 0 else -math.inf


def clopper_pearson(hits: int, trials: int, one_sided: float) -> tuple[float, float]:
    """Return a lower and an upper bound of a probability, each valid with the given confidence.

    The lower bound is the p for which `hits` or more have probability ``1 - one_sided``, the upper
    one that for which `hits` or fewer have it; both by bisection on the binomial sum, rounded outward.

    Examples
    --------
    >>> [round(bound, 4) for bound in clopper_pearson(3, 10, 0.975)]
    [0.0667, 0.6525]
    """
    risk = math.log1p(-one_sided)
    low = 0.0 if hits == 0 else _lower(hits, trials, risk)
    high = 1.0 if hits == trials else 1 - _lower(trials - hits, trials, risk)
    return low, high


def _lower(hits: int, trials: int, log_risk: float) -> float:
    """Return a p, rounded down, at which `hits` or more have the probability ``exp(log_risk)``."""
    counts = np.arange(hits, trials + 1)
    ways = (
        _log_factorials(trials)[trials]
        - _log_factorials(trials)[counts]
        - _log_factorials(trials)[trials - counts]
    )
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        terms = ways + counts * math.log(middle) + (trials - counts) * math.log1p(-middle)
        largest = float(terms.max())
        if largest + math.log(float(np.exp(terms - largest).sum())) < log_risk:
            low = middle
        else:
            high = middle
    return low


@cache
def _log_factorials(most: int) -> NDArray[np.float64]:
    """Return ``ln 0!, ..., ln most!``."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])


def _has_law(plan: NodesPlan) -> bool:
    """Whether the law of the answer is known; of the adaptive joint releases that of the noisy vectors alone is."""
    match plan:
        case JointPlan(ranked_by="both" | "ordered") | JointMotkinPlan():
            return False
        case TopKPlan() | ArcsPlan() | JointPlan() | ParetoPlan() | AggregatePlan():
            return True
        case _:
            assert_never(plan)


def _laws(target: Target, graphs: list[Graph]) -> tuple[list[Outcome], list[Law]] | None:
    """Return all answers with their laws on both graphs, or None where they are not known."""
    if isinstance(target.case, NumbersCase):
        return target.case.laws(target, graphs)
    planned = _planned(target, target.case)
    if not _has_law(planned):
        return None
    laws = [ordered_answer_law(planned, GraphProjection(graph)) for graph in graphs]
    return list(answers(target.node_count, target.k)), laws


def _planned(target: Target, case: Case | ArcCase | StrengthCase) -> NodesPlan:
    match case:
        case ArcCase() | StrengthCase():
            return case.plan(target.node_count, target.k, target.epsilon)
        case Case():
            return case.plan(target.node_count, target.degree_bound, target.k, target.epsilon)
        case _:
            assert_never(case)


def _frequencies(target: Target, graphs: list[Graph], trials: int) -> tuple[list[Outcome], list[Law]]:
    """Return what came in releases of their own, and how often, so that the event is fixed before the audit's."""
    seen = [Counter(_releases(target, graph, trials)) for graph in graphs]
    outcomes = sorted(seen[0].keys() | seen[1].keys())
    counts = [np.array([0.5 + each[outcome] for outcome in outcomes]) for each in seen]
    return outcomes, [each / each.sum() for each in counts]


_FUNCTIONS: dict[Kind, Callable[..., Release]] = {"priv_top_k": priv_top_k, "motkin": motkin}


def _releases(target: Target, graph: Graph, trials: int) -> Iterator[Outcome]:
    """Draw releases with the secure source; node ids of small graphs are positions."""
    case = target.case
    match case:
        case NumbersCase():
            yield from (case.draw(target, graph) for _ in range(trials))
        case (
            ArcCase() | StrengthCase()
        ):  # planned for an account of the unit, which a graph in memory has not
            planned = _planned(target, case)
            yield from (tuple(drawn_in_memory(graph, planned, None)) for _ in range(trials))
        case Case():
            release = partial(
                _FUNCTIONS[case.kind],
                graph,
                **case.options,
                k=target.k,
                epsilon=target.epsilon,
                degree_bound=target.degree_bound,
            )
            yield from (tuple(release()) for _ in range(trials))
        case _:
            assert_never(case)
