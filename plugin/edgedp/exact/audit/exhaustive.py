"""The exhaustive audit: the largest privacy loss over all neighbouring graphs of a few nodes.

For every case, every number of nodes, every degree bound, k and epsilon, the exact law of the whole
ordered answer is computed by the code that draws it, on both graphs of every neighbouring pair that
keeps the bound. The loss of a pair is ``max over answers of |ln p - ln q|``; it must not exceed the
epsilon that the plan claims (and that a ledger debits).

Of a joint release the noisy vectors are audited as well, where they are what epsilon is promised for:
two-sided geometric noise of scale ``b`` on integer vectors ``s`` has the loss ``||s(G) - s(H)||_1 / b``
exactly, for ``ln p - ln q = (|z - s(H)|_1 - |z - s(G)|_1) / b`` reaches it at ``z = s(G)``.
"""

from __future__ import annotations

import math
import multiprocessing
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.exact.audit.cases import Case
from edgedp.exact.audit.neighbors import graph_of_mask, neighbor_pairs
from edgedp.exact.audit.ordered import answers, ordered_answer_law
from edgedp.exact.audit.tables import TableProjection
from edgedp.exact.audit.vectors import worst_of_bought
from edgedp.mechanisms import joint
from edgedp.mechanisms.projection import GraphProjection
from edgedp.release.plan import JointMotkinPlan, JointPlan, NodesPlan
from edgedp.words.vocabulary import Unit, Vector

TOLERANCE = 1e-9
"""Relative: what float64 laws of exact probabilities may be off by."""


class Judged:
    """A claim of privacy beside the largest loss that was found."""

    node_count: int
    k: int
    claimed: float
    loss: float

    @property
    def ratio(self) -> float:
        """Loss found / claimed."""
        return self.loss / self.claimed

    @property
    def met(self) -> bool:
        """Whether the claim holds."""
        return self.ratio <= 1 + TOLERANCE

    def row_of(
        self, release: str, metrics: str, mechanism: str, options: str, degree_bound: int
    ) -> dict[str, Any]:
        """Return the row of a table, of what is described so."""
        return {
            "release": release,
            "metrics": metrics,
            "mechanism": mechanism,
            "options": options,
            "nodes": self.node_count,
            "degree_bound": degree_bound,
            "k": self.k,
            "claimed": self.claimed,
            "found": round(self.loss, 6),
            "found/claimed": round(self.ratio, 4),
        }


@dataclass(frozen=True)
class UnitCase(ABC):
    """A release that is promised to protect a unit.

    Attributes
    ----------
    metric : str
        Of arcs or of weights.
    unit : {"pair", "source", "target"}
        Whom it protects.
    mechanism : {"em", "pf", "joint"}
    replaced : bool
        Others stand in place of what the unit has, where otherwise all of it is taken away.
    """

    metric: str
    unit: Unit
    mechanism: str
    replaced: bool = False

    @property
    def release(self) -> str:
        """What kind of release it is."""
        return "priv_top_k"

    @property
    def metrics(self) -> str:
        """The metric, as one word."""
        return self.metric

    @property
    def taken(self) -> str:
        """What happens to whom, as words."""
        return f"{self.unit} {'replaced' if self.replaced else 'taken away'}"

    @property
    @abstractmethod
    def details(self) -> str:
        """Whom it protects, and how, as words."""


@dataclass(frozen=True)
class UnitFinding(Judged):
    """The largest loss found for one case of a unit: a pair, or all that one node does.

    Attributes
    ----------
    case : UnitCase
    node_count, k : int
    claimed, loss : float
    """

    case: UnitCase
    node_count: int
    k: int
    claimed: float
    loss: float

    def to_row(self) -> dict[str, Any]:
        """Return the row of a table, as `Finding.to_row`."""
        case = self.case
        return self.row_of(case.release, case.metrics, case.mechanism, case.details, self.node_count - 1)


@dataclass(frozen=True)
class Finding(Judged):
    """The largest loss found for one case, and where.

    Attributes
    ----------
    case : Case
    node_count, degree_bound, k : int
    claimed : float
        The epsilon, `epsilon` too.
    loss : float
        What was found.
    masks : (int, int)
        The pair of graphs, without and with the edge, as `graph_of_mask` takes them.
    """

    case: Case
    node_count: int
    degree_bound: int
    k: int
    claimed: float
    loss: float
    masks: tuple[int, int]

    @property
    def epsilon(self) -> float:
        """What is claimed."""
        return self.claimed

    def to_row(self) -> dict[str, Any]:
        """Return the row of a table."""
        case = self.case
        return self.row_of(case.release, case.metrics, case.mechanism, case.details, self.degree_bound)


def exhaustive_audit(
    cases: Iterable[Case],
    *,
    node_counts: Sequence[int] = (2, 3, 4, 5),
    picks: Sequence[int] = (1, 2),
    epsilons: Sequence[Any] = ("0.1", "1", "5"),
    processes: int = 1,
) -> Iterator[Finding]:
    """Yield the worst finding of every case, in the order of the cases.

    Parameters
    ----------
    cases : iterable of Case
    node_counts, picks, epsilons
        All combinations are tried, under every degree bound from 1 to ``n - 1``; k is at most n.
    processes : int
        1 works in this process; more share the cases out.

    Examples
    --------
    >>> case = Case("priv_top_k", {"metric": "degree", "mechanism": "em"})
    >>> [finding] = exhaustive_audit([case], node_counts=[3], epsilons=[1])
    >>> finding.met, round(finding.ratio, 2)
    (True, 0.76)
    """
    tasks = [(case, tuple(node_counts), tuple(picks), tuple(epsilons)) for case in cases]
    if processes == 1:
        yield from map(_worst, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(_worst, tasks, chunksize=4)


def _worst(task: tuple[Case, tuple[int, ...], tuple[int, ...], tuple[Any, ...]]) -> Finding:
    case, node_counts, picks, epsilons = task
    findings = [
        largest_loss(case, node_count, bound, k, epsilon)
        for node_count in node_counts
        for bound in range(1, node_count)
        for k in picks
        if _least_k(case) <= k <= node_count
        for epsilon in epsilons
    ]
    # What is no number breaks the claim: compared as one, it would be passed over.
    return max(findings, key=lambda finding: (math.isnan(finding.ratio), finding.ratio))


def _least_k(case: Case) -> int:
    """Return the least k: of degrees with the noise of a single largest one no vector is released."""
    argmax = case.vectors and case.options.get("metric") == "degree" and not case.options.get("estimates")
    return 2 if argmax else 1


def largest_loss(case: Case, node_count: int, degree_bound: int, k: int, epsilon: Any) -> Finding:
    """Return the largest loss of a case over all neighbouring graphs that keep the degree bound.

    Parameters
    ----------
    case : Case
    node_count : int
        At most 6: the pairs are enumerated over all relabellings.
    degree_bound : int
    k : int
    epsilon : number or decimal text

    Returns
    -------
    Finding
    """
    plan = case.plan(node_count, degree_bound, k, epsilon)
    if case.vectors and not plan.rests_on_bound:
        loss, masks = _bought_loss(plan)
        return Finding(case, node_count, degree_bound, k, float(plan.epsilon), loss, masks)
    pairs, within = neighbor_pairs(node_count), _pairs_within(node_count, degree_bound)
    losses = _losses(case, plan)
    worst = int(losses.argmax())
    without = pairs.masks[pairs.less[within[worst]]]
    masks = without, without | 1 << int(pairs.bits[within[worst]])
    return Finding(case, node_count, degree_bound, k, float(plan.epsilon), float(losses[worst]), masks)


def _losses(case: Case, plan: NodesPlan) -> NDArray[np.float64]:
    """Return the loss of every pair kept, in the answers or in the noisy vectors of a joint release."""
    if isinstance(plan, JointPlan) and case.vectors:
        return _vector_loss(plan, "betweenness2", plan.epsilon)
    losses: NDArray[np.float64] = np.abs(log_ratios(plan)).max(axis=1)
    return losses


def log_ratios(plan: NodesPlan) -> NDArray[np.float64]:
    """Return ``ln p - ln q`` of every ordered answer, for every pair that keeps the degree bound.

    Returns
    -------
    (p, n! / (n - k)!) float64
        ``p`` is the law on the graph without the edge; answers in the order of `edgedp.exact.audit.ordered`.
    """
    node_count = plan.facts.node_count
    pairs, within = neighbor_pairs(node_count), _pairs_within(node_count, plan.degree_bound)
    less, more = pairs.less[within], pairs.more[within]
    laws = np.full((len(pairs.masks), math.perm(node_count, plan.k)), np.nan)
    for graph in np.union1d(less, more).tolist():
        laws[graph] = np.log(ordered_answer_law(plan, _tables(node_count)[graph]))
    renamed = _renamed_answers(node_count, plan.k)[within]
    ratios: NDArray[np.float64] = laws[less] - np.take_along_axis(laws[more], renamed, axis=1)
    return ratios


def _bought_loss(plan: NodesPlan) -> tuple[float, tuple[int, int]]:
    """Return the largest loss of a release that rests on no bound, over all labelled pairs, and the pair."""
    match plan:
        case JointPlan(ranked_by="degree"):
            return _degree_loss(plan)
        case JointPlan() | JointMotkinPlan():
            return worst_of_bought(plan)
        case _:
            raise AssertionError("only joint releases have vectors")


def _degree_loss(plan: JointPlan) -> tuple[float, tuple[int, int]]:
    moves = joint.joint_moves(plan, "degree", plan.k)
    tables = [joint.joint_values(plan, GraphProjection(graph_of_mask(mask, plan.facts.node_count)), "degree", plan.k)[0]
              for mask in (0, 1)]  # fmt: skip
    distance = int(np.abs(tables[0] - tables[1]).sum())  # of any edge: two degrees by one each
    return float(distance * plan.epsilon / moves), (0, 1)


def _vector_loss(plan: JointPlan, name: Vector, epsilon: Fraction) -> NDArray[np.float64]:
    """Return L1 distance over scale of one noisy vector, for every pair that keeps the degree bound."""
    node_count = plan.facts.node_count
    pairs, within = neighbor_pairs(node_count), _pairs_within(node_count, plan.degree_bound)
    vectors = np.array([joint.joint_values(plan, table, name, plan.k)[0] for table in _tables(node_count)])
    sensitivity = joint.joint_values(plan, _tables(node_count)[0], name, plan.k)[1]
    renamed = np.take_along_axis(vectors[pairs.more[within]], pairs.names[within], axis=1)
    distances = np.abs(vectors[pairs.less[within]] - renamed).sum(axis=1)
    return distances * float(epsilon / sensitivity) if sensitivity else np.zeros(len(within))


@cache
def _renamed_answers(node_count: int, k: int) -> NDArray[np.int64]:
    """Return, for every pair and answer, where the answer stands in the law of the pair's representative."""
    order = {answer: place for place, answer in enumerate(answers(node_count, k))}
    renamed = neighbor_pairs(node_count).names[:, list(order)]
    return np.array([[order[tuple(answer)] for answer in row] for row in renamed.tolist()])


@cache
def _tables(node_count: int) -> tuple[TableProjection, ...]:
    """Return the exact values of every representative, by the engine that releases use."""
    graphs = [graph_of_mask(mask, node_count) for mask in neighbor_pairs(node_count).masks]
    return tuple(TableProjection.of(GraphProjection(graph)) for graph in graphs)


@cache
def _pairs_within(node_count: int, degree_bound: int) -> NDArray[np.int64]:
    """Return the pairs of which both graphs keep the degree bound."""
    largest = np.array([table.degrees().max(initial=0) for table in _tables(node_count)])
    return np.flatnonzero(largest[neighbor_pairs(node_count).more] <= degree_bound)
