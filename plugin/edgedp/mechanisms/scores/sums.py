"""Plan and projection to grid scores: the one place where a release's scores and scale are computed.

`edgedp.exact.first_pick_probabilities` reads the law of what this returns, `edgedp.release.draw` draws from
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.grid import GridScores, grid_bits, noise_unit, to_grid
from edgedp.mechanisms.metrics import metric as metric_by_name
from edgedp.mechanisms.metrics.base import shifted_sums
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.samplers import sampler
from edgedp.words.vocabulary import MetricForm

if TYPE_CHECKING:
    from edgedp.mechanisms.asked import SumAsked
    from edgedp.mechanisms.projection import Projection


class Aggregate:
    """A weighted sum of metrics with its sensitivities; a single metric is a sum of one with weight 1.

    ``GS = sum |w_i| GS_i`` and ``delta(t) = sum |w_i| delta_i(t)``: the triangle inequality, term by term.
    Every quantity is computed as a share of ``GS``, so its size and its rounding stay bounded.
    """

    def __init__(
        self, names: tuple[str, ...], weights: tuple[float, ...], form: MetricForm | None, degree_bound: int
    ) -> None:
        parts = [
            (metric_by_name(name), Fraction(weight) * metric_by_name(name).global_sensitivity(degree_bound))
            for name, weight in zip(names, weights, strict=True)
        ]
        total = sum((abs(part) for _, part in parts), Fraction(0))
        self._degree_bound = degree_bound
        self._parts = [(metric, float(part / total)) for metric, part in parts if part != 0]
        self._form = form
        self.constant = total == 0
        """No part can move under the declared bound: all candidates are equal."""
        self.reads_degree_alone = all(metric.is_degree for metric, _ in self._parts)
        self.monotone = all(metric.monotone and share > 0 for metric, share in self._parts)
        self.needs_common = form == "common_neighbors" and any(
            form in metric.forms for metric, _ in self._parts
        )

    def values(self, projection: Projection, positions: NDArray[np.int64] | None) -> NDArray[np.float64]:
        """Return ``u / GS``."""
        return self._sum([projection.values(metric.name, positions) for metric, _ in self._parts])

    def upper_bound(self, degrees: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return an upper bound of ``u / GS`` from the degrees alone; no metric is below 0."""
        return self._sum(
            [
                metric.upper_bound(degrees) if share > 0 else np.zeros(len(degrees))
                for metric, share in self._parts
            ]
        )

    def shifted_sums(
        self, degrees: NDArray[np.int64], common: NDArray[np.int64] | None
    ) -> NDArray[np.float64]:
        """Return ``sum over t of (1 - min(delta(t), GS) / GS)``."""
        result = np.zeros(len(degrees))
        for metric, share in self._parts:
            result += abs(share) * shifted_sums(
                metric, self._form_of(metric.forms), self._degree_bound, degrees, common
            )
        return result

    def delta(
        self, t: int, degrees: NDArray[np.int64], common: NDArray[np.int64] | None
    ) -> NDArray[np.float64]:
        """Return ``delta(t) / GS``."""
        result = np.zeros(len(degrees))
        for metric, share in self._parts:
            ceiling = float(metric.global_sensitivity(self._degree_bound))
            form = self._form_of(metric.forms)
            result += abs(share) * (
                metric.sensitivity(form, t, degrees, common, self._degree_bound) / ceiling
            )
        return result

    def _form_of(self, forms: tuple[MetricForm, ...]) -> MetricForm:
        return self._form if self._form in forms else forms[0]

    def _sum(self, values: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        result = np.zeros(len(values[0]))
        for (metric, share), value in zip(self._parts, values, strict=True):
            result += share * (value / float(metric.global_sensitivity(self._degree_bound)))
        return result


def top_k_scores(plan: SumAsked, projection: Projection) -> GridScores:
    """Return the scores of PrivTopk or of an aggregate, lazily where the degree bounds them.

    Every round runs at ``epsilon / k``.
    """
    picking = plan.mechanism
    aggregate = Aggregate(plan.metrics, plan.weights, picking.form, plan.degree_bound)
    degrees = projection.degrees()
    bits = grid_bits(plan.degree_bound + 2)
    unit = noise_unit(plan.epsilon / plan.k, bits, monotone=aggregate.monotone and picking.keeps_monotone)
    drawn_by = sampler(picking.sampler)
    if aggregate.constant:
        return GridScores(np.zeros(len(degrees), dtype=np.int64), unit, drawn_by)

    def score(
        values: NDArray[np.float64], d: NDArray[np.int64], common: NDArray[np.int64] | None
    ) -> NDArray[np.int64]:
        # By that many edges a node reaches every degree, so delta is the global sensitivity from there on.
        local = _LocalOfSum(aggregate, d, common, plan.degree_bound + 1)
        return to_grid(picking.of_shares(values, local), bits)

    between = _common_between(projection, degrees) if aggregate.needs_common else None

    def common_of(positions: NDArray[np.int64] | None) -> NDArray[np.int64] | None:
        if between is None or positions is None:
            return projection.max_common_neighbors(positions) if aggregate.needs_common else None
        common, high = between.low[positions], between.high[positions]
        unknown = np.flatnonzero(common < high)
        if unknown.size:
            common[unknown] = projection.max_common_neighbors(positions[unknown])
        return common

    def evaluate(positions: NDArray[np.int64] | None) -> NDArray[np.int64]:
        d = degrees if positions is None else degrees[positions]
        return score(aggregate.values(projection, positions), d, common_of(positions))

    if aggregate.reads_degree_alone:
        return GridScores(evaluate(None), unit, drawn_by)
    best = aggregate.upper_bound(degrees)
    common = None if between is None else picking.best_common(best, between.low, between.high)
    # One step more: the bound and the score are both rounded, and a bound below its score would never be drawn.
    return GridScores(score(best, degrees, common) + 1, unit, drawn_by, evaluate)


@dataclass(frozen=True)
class _LocalOfSum:
    """`edgedp.mechanisms.picking.Local` of some nodes: their degrees, and the neighbours that they share."""

    aggregate: Aggregate
    degrees: NDArray[np.int64]
    common: NDArray[np.int64] | None
    last: int

    def delta(self, t: int, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        common = None if self.common is None else self.common[rows]
        return self.aggregate.delta(t, self.degrees[rows], common)

    def shifted_sums(self) -> NDArray[np.float64]:
        return self.aggregate.shifted_sums(self.degrees, self.common)


class _Between(NamedTuple):
    """Bounds of the most neighbours that each node shares with another one."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]


def _common_between(projection: Projection, degrees: NDArray[np.int64]) -> _Between:
    """Return bounds of ``m``: those that the projection has cheaply, else ``0 <= m <= d``."""
    if isinstance(projection, GraphProjection):
        return _Between(*projection.common_neighbors_between())
    return _Between(np.zeros_like(degrees), degrees)
