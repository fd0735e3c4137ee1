"""Three ways to buy what length-2 betweenness does not know of EBC, with float noise over the product's own parts.

Each method answers `scores(run, epsilon, rng)`. A run holds what all methods of one release share: the noisy degrees
and the unit noise of the cuts, so that the difference of two methods is sharper than either of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

import edgedp
from edgedp.graph.engines.cuts import node_words, order_keys, row_words
from edgedp.mechanisms.adaptive.choice import Lists, cut_cap, cut_form, kth_degree, ranking
from edgedp.mechanisms.adaptive.fit import pairs_of, rank
from edgedp.mechanisms.adaptive.vectors import cut_vector
from edgedp.mechanisms.projection import GraphProjection

__all__ = ["Around", "Case", "Look", "Method", "Pairs", "Run", "Votes"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Case:
    """A graph with its exact EBC."""

    def __init__(self, graph: edgedp.Graph) -> None:
        self.graph, self.n = graph, graph.node_count
        self.projection = GraphProjection(graph)
        self.words = node_words(graph.node_ids)
        self.tails = np.repeat(np.arange(self.n), graph.degrees)
        self.heads = graph.indices.astype(np.int64)

    @cached_property
    def truth(self) -> Floats:
        """(n,) EBC."""
        return self.projection.values("ebc")

    def found(self, scores: Floats, k: int) -> float:
        """Return the recall of a ranking; an EBC equal to the k-th counts as found."""
        picked = np.argsort(-scores, kind="stable")[:k]
        return float(np.mean(self.truth[picked] >= np.partition(self.truth, self.n - k)[self.n - k]))

    def first(self, tails: Ints, heads: Ints, most: int) -> tuple[Ints, Ints]:
        """Return the first of each tail's heads in the tail's own public order."""
        order = np.lexsort((order_keys(row_words(self.words)[tails], self.words[heads]), tails))
        tails, heads = tails[order], heads[order]
        kept = np.arange(len(tails)) - np.searchsorted(tails, tails) < most
        return tails[kept], heads[kept]

    def together(self, hubs: Ints, listed: int) -> tuple[Floats, Floats]:
        """Return how many nodes outside the hubs list both of two hubs, and which hubs are adjacent."""
        count, place = len(hubs), np.full(self.n, -1)
        place[hubs] = np.arange(count)
        apart = (place[self.tails] < 0) & (place[self.heads] >= 0)
        tails, heads = self.first(self.tails[apart], self.heads[apart], listed)
        lists = place[heads]
        cells = np.zeros(count * count)
        for gap in range(1, listed):
            same = np.flatnonzero(tails[gap:] == tails[:-gap])
            cells += np.bincount(lists[same] * count + lists[same + gap], minlength=count * count)
        shared = cells.reshape(count, count)
        inside = (place[self.tails] >= 0) & (place[self.heads] >= 0)
        joined = np.zeros((count, count))
        joined[place[self.tails[inside]], place[self.heads[inside]]] = 1
        return shared + shared.T, joined


class Run:
    """What the methods of one release share."""

    def __init__(self, case: Case, k: int, epsilon: float, rng: np.random.Generator) -> None:
        self.case, self.k, self.epsilon = case, k, epsilon
        self.noisy: Ints = case.graph.degrees + np.rint(rng.laplace(0, 8 / epsilon, case.n)).astype(np.int64)
        self.seen = kth_degree(self.noisy, 8 / epsilon, k)
        self._noise = rng.laplace(0, 1, case.n)
        self._scored: dict[float, Floats] = {}

    @cached_property
    def pairs(self) -> Floats:
        """(n,) the pairs of each node's neighbours, ``C``."""
        return pairs_of(self.noisy.astype(np.float64))

    def hubs(self, count: int) -> Ints:
        """Return the nodes of the largest noisy degrees."""
        return np.argsort(-self.noisy, kind="stable")[:count]

    def by_cuts(self, part: float) -> Floats:
        """Return today's scores, the posterior means of ``B``, with cuts for a part of epsilon."""
        part = round(part, 6)
        if part not in self._scored:
            self._scored[part] = self._by_cuts(Fraction(part).limit_denominator(10_000))
        return self._scored[part]

    def _by_cuts(self, part: Fraction) -> Floats:
        case, share = self.case, part * Fraction(self.epsilon)
        cap = cut_cap(self.noisy, self.seen, share, case.n - 1)
        form = cut_form(cap, self.seen, share, coarse=False)
        ranks = None if isinstance(form, Lists) else ranking(self.noisy)
        vector = cut_vector(case.projection, case.n, cap, ranks)
        scale = float(vector.moves / share / vector.unit)
        noise = self._noise

        class Seen:
            def __getitem__(self, positions: Ints, /) -> Floats:
                return vector.shares(positions) / vector.unit + scale * noise[positions]

        return rank(self.noisy, Seen(), scale, self.k, cap)

    def with_theta(self, scores: Floats, theta: Floats | float) -> Floats:
        """Return ``C / (1 + theta (C / B - 1))``; nodes that were not looked at stay out."""
        every = np.broadcast_to(theta, len(scores))
        seen = np.isfinite(scores)
        result = np.full(len(scores), -np.inf)
        result[seen] = self.pairs[seen] / (1 + every[seen] * (self.pairs[seen] / scores[seen] - 1))
        return result


class Method(Protocol):
    """What a study compares with today's default."""

    def scores(self, run: Run, rng: np.random.Generator) -> Floats:
        """Return what the release ranks by."""


@dataclass(frozen=True)
class Votes:
    """Votes as they were designed: for each of 200 hubs how often its fellows in lists are adjacent to it."""

    first: float = 0.05
    cuts: float = 0.25
    votes: float = 0.45
    border: float = 0.5
    odds: float = 3.0
    cap_parts: int = 200
    listed: int = 3

    def scores(self, run: Run, rng: np.random.Generator) -> Floats:
        """Return the scores."""
        hubs = run.hubs(max(200, 3 * run.k))
        shared, joined = run.case.together(hubs, self.listed)
        caps = np.maximum(3, run.noisy[hubs] // self.cap_parts)
        counted = np.minimum(shared, np.minimum.outer(caps, caps))
        adjacent, total = (counted * joined).sum(axis=1), counted.sum(axis=1)
        moved = 2 * (self.listed - 1)
        scales = np.maximum(2 * caps, 2 * moved).astype(np.float64)
        step = moved / (1 - moved / float(scales.min()))

        def noisy(part: float) -> tuple[Floats, Floats]:
            spent = part * run.epsilon
            return adjacent + rng.laplace(0, scales / spent), total + rng.laplace(0, step / spent, len(hubs))

        seen, among = noisy(self.first)
        if seen.sum() / max(among.sum(), 1.0) >= self.border:
            return run.by_cuts(0.75 - self.first)
        spent = self.votes * run.epsilon
        theta, mean = _shrunk(*noisy(self.votes), scales / spent, step / spent)
        every = np.full(run.case.n, mean)
        every[hubs] = theta
        return run.with_theta(run.by_cuts(self.cuts), every / (every + (1 - every) / self.odds))


def _shrunk(adjacent: Floats, total: Floats, scales: Floats, step: float) -> tuple[Floats, float]:
    """Return the hubs' theta by empirical Bayes, normal with known errors, and their mean."""
    floor = np.maximum(total, 2 * 2**0.5 * step)
    mean = float(np.clip(adjacent.sum() / max(total.sum(), 1.0), 0.0, 1.0))
    theta = adjacent / floor
    variance = 2 * (scales**2 + (mean * step) ** 2) / floor**2
    spread = 0.1
    for _ in range(50):
        weight = 1 / (spread + variance)
        mean = float((theta * weight).sum() / weight.sum())
        moved = spread * weight * (theta - mean)
        spread = max(float(np.mean(spread * variance * weight + moved**2)), 1e-6)
    return np.clip((spread * theta + variance * mean) / (spread + variance), 0, 1), float(np.clip(mean, 0, 1))


@dataclass(frozen=True)
class Look:
    """One theta for all nodes, from two sums: pairs of a hub and any node with two listeners or more in common.

    A listener stands outside the hubs and lists its first hubs, and its first neighbours whoever they are. A pair
    counts ``min(n - 1, cap)``, and again in the second sum where it is adjacent.
    """

    part: float = 0.05
    border: float = 0.3
    hubs: int = 200
    listed: int = 3
    cap: int = 5

    @property
    def moves(self) -> int:
        """What one edge moves both sums by, in L1: one that ends in a hub, inside none, or between two listeners."""
        return max(max(self.listed, 2 * self.listed - 2) * 2 + self.cap, 4 * self.listed)

    def scores(self, run: Run, rng: np.random.Generator) -> Floats:
        """Return the scores."""
        scale = self.moves / (self.part * run.epsilon)
        adjacent, total = self.sums(run.case, run.hubs(self.hubs)) + rng.laplace(0, scale, 2)
        theta = float(np.clip(adjacent / total, 0, 1)) if total >= 4 * scale else 1.0
        scores = run.by_cuts(0.75 - self.part)
        return run.with_theta(scores, theta) if theta < self.border else scores

    def sums(self, case: Case, hubs: Ints) -> Floats:
        """Return the exact sums."""
        hub = np.zeros(case.n, dtype=bool)
        hub[hubs] = True
        tails, heads = case.tails[~hub[case.tails]], case.heads[~hub[case.tails]]
        to_hubs = case.first(tails[hub[heads]], heads[hub[heads]], self.listed)
        to_all = case.first(tails, heads, self.listed)
        start, end = (np.searchsorted(to_all[0], to_hubs[0], side=side) for side in ("left", "right"))
        found = []
        for turn in range(self.listed):
            there = start + turn < end
            one, other = to_hubs[1][there], to_all[1][(start + turn)[there]]
            low, high = np.minimum(one, other), np.maximum(one, other)
            found.append(np.column_stack([to_hubs[0][there], low * case.n + high])[low < high])
        codes, counts = np.unique(np.unique(np.concatenate(found), axis=0)[:, 1], return_counts=True)
        counted = np.minimum(counts - 1, self.cap)
        edges = case.tails * case.n + case.heads
        at = np.minimum(np.searchsorted(edges, codes), len(edges) - 1)
        return np.array([counted[edges[at] == codes].sum(), counted.sum()], dtype=np.float64)


@dataclass(frozen=True)
class Pairs:
    """Each pair of the largest hubs by itself: whether it is adjacent, and how many others list both.

    An edge between two hubs moves one of the first entries by one and no list; one that ends outside the hubs moves
    the second by ``2 (listed - 1)`` at most and none of the first. So both cost epsilon once. What the pairs explain
    of ``C - B`` is given back where they are probably not adjacent; what they do not explain stays as it is today.
    """

    first: float = 0.05
    again: float = 0.30
    cuts: float = 0.40
    border: float = 0.04
    hubs: int = 60
    listed: int = 3

    def scores(self, run: Run, rng: np.random.Generator) -> Floats:
        """Return the scores."""
        return self.scores_of(run, rng, run.hubs(self.hubs))

    def scores_of(self, run: Run, rng: np.random.Generator, hubs: Ints) -> Floats:
        """Return the scores with what is bought of these hubs."""
        count = len(hubs)
        shared, joined = run.case.together(hubs, self.listed)
        surely = np.log(count**2 / 2)

        def listed_together(epsilon: float, sure: float) -> Floats:
            scale = 2 * (self.listed - 1) / epsilon
            noisy = shared + _symmetric(rng, scale, count)
            return np.where((noisy > sure * scale) & ~np.eye(count, dtype=bool), noisy, 0.0)

        most = run.pairs[hubs[: 2 * run.k]]
        looked = listed_together(self.first * run.epsilon, 0.8 * surely)[: 2 * run.k]
        if np.minimum((looked**2).sum(axis=1) / 4, most / 2).sum() < self.border * most.sum():
            return run.by_cuts(0.75 - self.first)
        epsilon = self.again * run.epsilon
        weights = listed_together(epsilon, surely)
        apart = _probably_apart(joined + _symmetric(rng, 1 / epsilon, count), weights > 0, epsilon)
        scores = run.by_cuts(self.cuts)
        given_back = (apart * weights**2).sum(axis=1) / 4
        theta = np.ones(run.case.n)
        lost = np.maximum(run.pairs[hubs] - scores[hubs], 1e-9)
        theta[hubs] = np.where(np.isfinite(scores[hubs]), np.clip(1 - given_back / lost, 0, 1), 1)
        return run.with_theta(scores, theta)


@dataclass(frozen=True)
class Around(Pairs):
    """Pairs of the nodes around the end of the list only: those that are first by noisy cuts, bought before.

    Fewer hubs are listed more often, so that a third of epsilon says more of each of their pairs. A vector costs what
    one edge moves it by, so that fewer entries by themselves cost as much as all.
    """

    around: int = 2
    """Hubs, in multiples of k."""

    def scores(self, run: Run, rng: np.random.Generator) -> Floats:
        """Return the scores."""
        first = run.by_cuts(self.cuts)
        hubs = np.argsort(-first, kind="stable")[: self.around * run.k]
        return self.scores_of(run, rng, hubs)


def _symmetric(rng: np.random.Generator, scale: float, count: int) -> Floats:
    """Return noise for each pair of some nodes."""
    above = np.triu(rng.laplace(0, scale, (count, count)), 1)
    return above + above.T


def _probably_apart(noisy: Floats, asked: NDArray[np.bool_], epsilon: float) -> Floats:
    """Return how probably each asked pair is not adjacent; the share of those that are is fitted by EM."""
    result = np.zeros_like(noisy)
    if not asked.any():
        return result
    likely, unlikely = (np.exp(-np.minimum(np.abs(noisy[asked] - bit) * epsilon, 50)) for bit in (1, 0))
    share = 0.5
    for _ in range(30):
        joined = share * likely / (share * likely + (1 - share) * unlikely)
        share = float(np.clip(joined.mean(), 0.02, 0.98))
    result[asked] = 1 - joined
    return result
