"""The percentile of a property, under replacement of one record: draw and law from the same integers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.ids import numbers_of
from edgedp.mechanisms.grid import GridScores, noise_unit, unit_of
from edgedp.mechanisms.ranks import (
    clipped,
    count_values,
    dampened_steps,
    distance_scores,
    rank_scores,
    spacing_sensitivity,
    target_rank,
)
from edgedp.mechanisms.samplers import sampler as sampler_by_name
from edgedp.mechanisms.sampling.words import Words, words_from
from edgedp.mechanisms.selection.domains import declared_grid
from edgedp.mechanisms.selection.questions import PercentileQuestion, ask_percentile
from edgedp.mechanisms.values import Mechanism, spelled

if TYPE_CHECKING:
    from edgedp.mechanisms.selection.domains import Domain

_DAMPENED_BITS = 20


@dataclass(frozen=True)
class Percentile:
    """A drawn percentile.

    Attributes
    ----------
    value : float
        A point of the grid.
    question : PercentileQuestion
        What was asked, and the public facts.
    private : bool
        False when the caller chose the randomness: such a draw is a simulation.
    receipt : dict
        For a stored graph: its name, the release id and the budget after the release.
    """

    value: float
    question: PercentileQuestion
    private: bool
    receipt: dict[str, Any] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, Any]:
        """What was asked, canonically."""
        return self.question.parameters

    @property
    def public(self) -> dict[str, Any]:
        """The public facts that the answer rests on."""
        return self.question.public

    def to_dict(self) -> dict[str, Any]:
        """Return everything that is shown, JSON-able."""
        shown: dict[str, Any] = {"selector": "percentile", "parameters": self.parameters, "value": self.value}
        return shown | {"public": self.public, "private": self.private} | self.receipt


def percentile(
    values: Any,
    *,
    q: Any,
    grid: Any,
    epsilon: Any,
    mechanism: str | Mechanism = "pf",
    sampler: str | None = None,
    rng: np.random.Generator | None = None,
) -> Percentile:
    """Release the percentile of a list of values, one a record, epsilon-DP under replacement of one of them.

    ========  ============================================================  ===================
    name      score of a grid point                                         drawn by
    ========  ============================================================  ===================
    pf        how far its rank is from ``q``                                permute-and-flip
    em        the same                                                      exponential
    distance  how many records to replace before it is the answer           permute-and-flip
    ld        how far it is from the percentile, locally dampened           exponential
    sld       how far it is from the percentile, by the range               exponential
    ========  ============================================================  ===================

    Parameters
    ----------
    values : sequence or array
        One value a record, for instance ``graph.properties["age"]``. What is no number (None, NaN, text, lists,
        truth values) is missing: it counts as a record and lies on no side. Numbers are clipped to the range first.
    q : number, Fraction or text
        Above 0 and below 1, exactly as written; ``"1/3"`` is a third.
    grid : array-like of float, or Domain
        The points that the answer is one of, strictly increasing. **Promise:** public, never read off the values.
        Its ends are the range, unless `edgedp.mechanisms.selection.domains.declare` declared another one.
    epsilon : number or decimal text
        Privacy loss, at least 1e-9.
    mechanism : {"pf", "em", "distance", "ld", "sld"}
    sampler : {"exponential", "permute_and_flip"}, optional
        Of em, distance, ld and sld.
    rng : numpy.random.Generator, optional
        For simulations: the draw is then marked as not private.

    Returns
    -------
    Percentile
        Its `value` is a point of the grid.

    Raises
    ------
    EdgeDPError
        A parameter is out of its domain or contradicts another one.

    Notes
    -----
    Privacy: neighbours replace the value of one record, missing included; the number of records is public. That
    the grid is public cannot be checked here. Edges are not covered: a value that is computed from edges or from
    other records is not the record's own. Work is ``n log G`` for n values and G points.

    Examples
    --------
    >>> ages = [31, 35, 38, 38, None, 44, "unknown", 61] * 50
    >>> percentile(ages, q=0.5, grid=range(101), epsilon=10).value
    38.0

    References
    ----------
    Smith (2011), Privacy-preserving statistical estimation; McKenna & Sheldon (2020), Permute-and-flip.
    """
    words = words_from(rng)
    read = numbers_of(values)
    asked = spelled({"mechanism": mechanism, "sampler": sampler}, takes=("sampler",))
    question = ask_percentile(declared_grid(grid), len(read), q=q, epsilon=epsilon, **asked)
    return Percentile(draw_percentile(read, question, words), question, words.private)


def draw_percentile(values: NDArray[np.float64], question: PercentileQuestion, words: Words) -> float:
    """Draw a grid point: values (NaN for missing), a checked question and random words in, the answer out."""
    return float(question.domain.grid[percentile_scores(values, question).draw(1, words)[0]])


def percentile_law(values: Any, question: PercentileQuestion) -> NDArray[np.float64]:
    """Return the exact probability of every grid point, from what `draw_percentile` draws from.

    Notes
    -----
    Privacy: computed from the values without noise; not a release.
    """
    return percentile_scores(numbers_of(values), question).law()


def percentile_scores(values: NDArray[np.float64], question: PercentileQuestion) -> GridScores:
    """Return the integer score of every grid point and the unit of its noise; clipping comes first."""
    domain, epsilon, q = question.domain, question.epsilon, question.q
    there, drawn_by = clipped(values, domain.low, domain.high), sampler_by_name(question.sampler)
    match question.mechanism:
        case "pf" | "em":
            scores = rank_scores(count_values(there, domain.grid), q)
            moved = q.denominator
        case "distance":
            scores, moved = distance_scores(count_values(there, domain.grid), q), 1
        case "ld":
            bits = share_bits(question.records)
            distances, delta = _dampening(there, question, bits)
            fine = min(_DAMPENED_BITS, 61 - bits)
            scores = dampened_steps(distances, delta, fine)
            return GridScores(scores, noise_unit(epsilon, fine, monotone=False), drawn_by)
        case "sld":
            bits = share_bits(question.records)
            distances, _ = _dampening(there, question, bits)
            scores, moved = -distances, 1 << bits
        case _:
            assert_never(question.mechanism)
    # A record that is replaced may raise one point and lower another, whatever the mechanism.
    return GridScores(scores, unit_of(epsilon, moved, monotone=False), drawn_by)


def share_bits(records: int) -> int:
    """Return into how many parts, as a power of two, the range is cut for `records` values to add up in int64.

    Examples
    --------
    >>> share_bits(1000), share_bits(10**9)
    (40, 32)
    """
    return min(40, 62 - max(records, 1).bit_length())


def _dampening(
    there: NDArray[np.float64], question: PercentileQuestion, bits: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return every point's distance from the percentile and the sensitivity, in ``2**-bits`` of the range.

    Each value is rounded by itself, so that neighbours stay neighbours; from there on there are only integers.
    """
    domain, span = question.domain, 1 << bits
    ordered = np.sort(_shares(there, domain, span))
    k = target_rank(len(ordered), question.q)
    middle = int(ordered[k - 1]) if len(ordered) else span
    return np.abs(_shares(domain.grid, domain, span) - middle), spacing_sensitivity(ordered, k, span)


def _shares(values: NDArray[np.float64], domain: Domain, span: int) -> NDArray[np.int64]:
    shares: NDArray[np.float64] = (values - domain.low) / (domain.high - domain.low) * span
    return np.clip(np.rint(shares), 0, span).astype(np.int64)
