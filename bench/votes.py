"""Would votes of plain nodes on their hubs raise recall of the EBC top k where length-2 betweenness stays behind?

    python bench/votes.py study [GRAPH ...]   # today's default beside votes, on two halves of generated graphs

A study with float noise over the product's own degrees, cuts and fit. Both methods of a run share the noisy degrees
and the unit noise on the cuts, so their difference is sharper than either figure. Nothing of it is in the package
(docs/decisions, "Votes stay out").
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray
from votes_graphs import CHOSEN_ON, REPORTED_ON

import edgedp
from edgedp.engines.cuts import node_words, order_keys, row_words
from edgedp.mechanisms.adaptive.choice import Lists, cut_cap, cut_form, kth_degree, ranking
from edgedp.mechanisms.adaptive.fit import pairs_of, rank
from edgedp.mechanisms.adaptive.vectors import cut_vector
from edgedp.projection import GraphProjection

RUNS = 24
EPSILONS = (1.0, 3.0, 10.0)
PICKS = (10, 20, 100)
LISTED = 3
VOTES_FROM = 1_000
"""Of ``t``: below it nothing changes."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
GRAPHS = CHOSEN_ON | REPORTED_ON


@dataclass(frozen=True)
class Constants:
    """What the study may choose."""

    first: float = 0.05
    cuts: float = 0.25
    votes: float = 0.45
    border: float = 0.5
    odds: float = 3.0
    cap_parts: int = 200
    listed: int = LISTED

    @property
    def back(self) -> float:
        """What buys the cuts where the first look says that votes do not pay."""
        return 0.75 - self.first


@dataclass(frozen=True)
class Votes:
    """Exact votes on the hubs of a public set, with the scales of their noise at epsilon 1."""

    hubs: Ints
    adjacent: Floats
    """``T``"""
    shared: Floats
    """``N``"""
    adjacent_scale: Floats
    shared_scale: float


@dataclass(frozen=True)
class Look:
    """What the study may choose of one look at all hubs together."""

    part: float = 0.05
    border: float = 0.3
    hubs: int = 200
    listed: int = 3
    beside: int = 3
    cap: int = 5

    @property
    def moves(self) -> int:
        """What one edge moves the two sums by, in L1."""
        return max(self.cap + 2 * (self.listed + self.beside - 1), 4 * self.listed)


@dataclass(frozen=True)
class Looked:
    """The two sums of a look, exact."""

    joined: int
    all: int

    def theta(self, look: Look, epsilon: float, rng: np.random.Generator) -> float:
        """Return the noisy share; 1 where noise drowns it."""
        scale = look.moves / epsilon
        joined, everything = np.array([self.joined, self.all]) + rng.laplace(0, scale, 2)
        if everything < 4 * scale:
            return 1.0
        return float(np.clip(joined / everything, 0, 1))


class Case:
    """A graph with its exact EBC."""

    def __init__(self, graph: edgedp.Graph) -> None:
        self.graph, self.n = graph, graph.node_count
        self.projection = GraphProjection(graph)
        self.truth = self.projection.values("ebc")
        self.words = node_words(graph.node_ids)
        self.tails = np.repeat(np.arange(self.n), graph.degrees)
        self.heads = graph.indices.astype(np.int64)

    def found(self, scores: Floats, k: int) -> float:
        """Return the recall of a ranking."""
        picked = np.argsort(-scores, kind="stable")[:k]
        return float(np.mean(self.truth[picked] >= np.partition(self.truth, self.n - k)[self.n - k]))

    def votes(self, noisy: Ints, k: int, constants: Constants) -> Votes:
        """Return the votes on the nodes of the largest noisy degrees."""
        hubs = np.argsort(-noisy, kind="stable")[: max(200, 3 * k)]
        place = np.full(self.n, -1)
        place[hubs] = np.arange(len(hubs))
        kept = (place[self.tails] < 0) & (place[self.heads] >= 0)
        tails, heads = self.tails[kept], self.heads[kept]
        keys = order_keys(row_words(self.words)[tails], self.words[heads])
        order = np.lexsort((keys, tails))
        tails, listed = tails[order], place[heads[order]]
        turn = np.arange(len(tails)) - np.searchsorted(tails, tails)
        m, count = constants.listed, len(hubs)
        together = np.zeros(count * count, dtype=np.int64)
        for gap in range(1, m):
            fit = np.flatnonzero((tails[gap:] == tails[:-gap]) & (turn[gap:] < m))
            together += np.bincount(listed[fit] * count + listed[fit + gap], minlength=count * count)
        both = together.reshape(count, count)
        both = both + both.T
        caps = np.maximum(3, noisy[hubs] // constants.cap_parts)
        counted = np.minimum(both, np.minimum.outer(caps, caps))
        joined = np.zeros((count, count))
        inside = (place[self.tails] >= 0) & (place[self.heads] >= 0)
        joined[place[self.tails[inside]], place[self.heads[inside]]] = 1
        moved = 2 * (m - 1)
        scale = np.maximum(2 * caps, 2 * moved).astype(np.float64)
        return Votes(
            hubs,
            (counted * joined).sum(1),
            counted.sum(1).astype(float),
            scale,
            moved / (1 - moved / scale.min()),
        )

    def first(self, tails: Ints, heads: Ints, most: int) -> tuple[Ints, Ints]:
        """Return the first neighbours of each node in its own public order."""
        keys = order_keys(row_words(self.words)[tails], self.words[heads])
        order = np.lexsort((keys, tails))
        tails, heads = tails[order], heads[order]
        kept = np.arange(len(tails)) - np.searchsorted(tails, tails) < most
        return tails[kept], heads[kept]

    def look(self, noisy: Ints, look: Look) -> Looked:
        """Return how many pairs of a hub and a node share listeners, and how many of these are adjacent."""
        hub = np.zeros(self.n, dtype=bool)
        hub[np.argsort(-noisy, kind="stable")[: look.hubs]] = True
        plain = ~hub[self.tails]
        tails, heads = self.tails[plain], self.heads[plain]
        to_hubs = self.first(tails[hub[heads]], heads[hub[heads]], look.listed)
        to_all = self.first(tails, heads, look.beside)
        start = np.searchsorted(to_all[0], to_hubs[0], side="left")
        end = np.searchsorted(to_all[0], to_hubs[0], side="right")
        pairs = []
        for turn in range(look.beside):
            there = start + turn < end
            other, mine = to_all[1][(start + turn)[there]], to_hubs[1][there]
            low, high = np.minimum(mine, other), np.maximum(mine, other)
            differ = low < high
            pairs.append(np.column_stack([to_hubs[0][there], low * self.n + high])[differ])
        listed = np.unique(np.concatenate(pairs), axis=0)[:, 1]
        codes, counts = np.unique(listed, return_counts=True)
        counted = np.minimum(counts - 1, look.cap)
        edges = self.tails * self.n + self.heads
        at = np.minimum(np.searchsorted(edges, codes), len(edges) - 1)
        return Looked(int(counted[edges[at] == codes].sum()), int(counted.sum()))


def with_theta(scores: Floats, noisy: Ints, theta: float) -> Floats:
    """Return ``C / (1 + theta (1 / r - 1))`` from the posterior ``r C``."""
    whole = pairs_of(noisy.astype(float))
    seen = np.isfinite(scores)
    result = np.full(len(noisy), -np.inf)
    result[seen] = whole[seen] / (1 + theta * (whole[seen] / scores[seen] - 1))
    return result


def shrunk(votes: Votes, epsilon: float, constants: Constants, rng: np.random.Generator) -> tuple[Floats, float]:
    """Return each hub's theta by empirical Bayes from noisy votes, and their mean, before the odds."""
    adjacent = votes.adjacent + rng.laplace(0, votes.adjacent_scale / epsilon)
    noise = votes.shared_scale / epsilon
    shared = votes.shared + rng.laplace(0, noise, len(votes.shared))
    floor = np.maximum(shared, 2 * 2**0.5 * noise)
    mean = float(np.clip(adjacent.sum() / max(shared.sum(), 1.0), 0.0, 1.0))
    theta = adjacent / floor
    variance = (2 * (votes.adjacent_scale / epsilon) ** 2 + mean**2 * 2 * noise**2) / floor**2
    spread = 0.1
    for _ in range(50):  # EM of a normal law with known errors
        weight = 1 / (spread + variance)
        mean = float((theta * weight).sum() / weight.sum())
        kept = spread * variance * weight
        spread = max(float(np.mean(kept + (spread * weight * (theta - mean)) ** 2)), 1e-6)
    return np.clip((spread * theta + variance * mean) / (spread + variance), 0, 1), float(np.clip(mean, 0, 1))


def by_votes(scores: Floats, noisy: Ints, votes: Votes, theta: Floats, mean: float, odds: float) -> Floats:
    """Return ``C / (1 + theta (1 / r - 1))`` from the posterior ``r C``."""

    def moved(share: Floats | float) -> Floats | float:
        return share / (share + (1 - share) / odds)

    whole = pairs_of(noisy.astype(float))
    every = np.full(len(noisy), moved(mean))
    every[votes.hubs] = moved(theta)
    seen = np.isfinite(scores)
    result = np.full(len(noisy), -np.inf)
    result[seen] = whole[seen] / (1 + every[seen] * (whole[seen] / scores[seen] - 1))
    return result


def cuts(case: Case, noisy: Ints, seen: float, part: float, k: int, noise: Floats) -> Floats:
    """Return the scores of today's fit for a part of epsilon."""
    share = Fraction(part).limit_denominator(10_000)
    cap = cut_cap(noisy, seen, share, case.n - 1)
    form = cut_form(cap, seen, share, coarse=False)
    vector = cut_vector(case.projection, case.n, cap, None if isinstance(form, Lists) else ranking(noisy))
    scale = vector.moves / part / vector.unit

    class Seen:
        def __getitem__(self, positions: Ints, /) -> Floats:
            return vector.shares(positions) / vector.unit + scale * noise[positions]

    return rank(noisy, Seen(), scale, k, cap)


def one_run(
    case: Case, k: int, epsilon: float, constants: dict[str, Constants | Look], rng: np.random.Generator
) -> dict[str, float] | None:
    """Return recall by method, or None where today's choice stands."""
    noisy = case.graph.degrees + np.rint(rng.laplace(0, 8 / epsilon, case.n)).astype(np.int64)
    seen = kth_degree(noisy, 8 / epsilon, k)
    if epsilon * seen < VOTES_FROM:
        return None
    noise = rng.laplace(0, 1, case.n)

    @cache
    def scored(part: float) -> Floats:
        return cuts(case, noisy, seen, part * epsilon, k, noise)

    result = {"degree": case.found(case.graph.degrees + rng.laplace(0, 2 / epsilon, case.n), k)}
    result["today"] = case.found(scored(0.75), k)

    @cache
    def exact(cap_parts: int, listed: int) -> Votes:
        return case.votes(noisy, k, Constants(cap_parts=cap_parts, listed=listed))

    look_seed, votes_seed = rng.integers(0, 2**32, 2).tolist()
    for name, of in constants.items():
        if isinstance(of, Look):
            theta = case.look(noisy, of).theta(of, of.part * epsilon, np.random.default_rng(look_seed))
            result[f"{name}: theta0"] = theta
            seen_again = scored(round(0.75 - of.part, 6))
            result[name] = case.found(seen_again if theta >= of.border else with_theta(seen_again, noisy, theta), k)
            continue
        votes = exact(of.cap_parts, of.listed)
        look = np.random.default_rng(look_seed)
        first = (votes.adjacent + look.laplace(0, votes.adjacent_scale / (of.first * epsilon))).sum()
        total = votes.shared.sum() + look.laplace(0, votes.shared_scale / (of.first * epsilon), len(votes.hubs)).sum()
        theta0 = first / max(total, 1.0)
        result[f"{name}: theta0"] = theta0
        if theta0 >= of.border:
            result[name] = case.found(scored(of.back), k)
            continue
        theta, mean = shrunk(votes, of.votes * epsilon, of, np.random.default_rng(votes_seed))
        result[name] = case.found(by_votes(scored(of.cuts), noisy, votes, theta, mean, of.odds), k)
    return result


METHODS: dict[str, Constants | Look] = {"votes": Constants(), "one look": Look()}


def study(asked: Iterable[str], variants: dict[str, Constants | Look] = METHODS, runs: int = RUNS, picks: tuple[int, ...] = PICKS) -> None:
    names = list(asked) or list(GRAPHS)
    shown = " | ".join(f"{name} | gain | error" for name in variants)
    print(f"| graph | k | epsilon | degree | today | {shown} |")
    print("| --- " * (5 + 3 * len(variants)) + "|", flush=True)
    for name in names:
        case = Case(GRAPHS[name]())
        for k in picks:
            for epsilon in EPSILONS:
                rng = np.random.default_rng(k)
                found = [one_run(case, k, epsilon, variants, rng) for _ in range(runs)]
                entered = [each for each in found if each is not None]
                if len(entered) < runs / 2:
                    continue
                cells = []
                for variant in variants:
                    gain = np.array([each[variant] - each["today"] for each in entered])
                    error = max(float(gain.std(ddof=1)), 1 / k / len(entered) ** 0.5) / len(entered) ** 0.5
                    mean = np.mean([each[variant] for each in entered])
                    theta = np.mean([each[f"{variant}: theta0"] for each in entered])
                    mark = " **below**" if gain.mean() < -3 * error else ""
                    cells.append(f"{mean:.3f} | {gain.mean():+.3f}{mark} | {error:.3f} ({theta:.2f})")
                base = (f"{np.mean([each[of] for each in entered]):.3f}" for of in ("degree", "today"))
                print(f"| {name} | {k} | {epsilon:g} |", " | ".join([*base, *cells]), "|", flush=True)


PARTS: dict[str, Callable[[list[str]], None]] = {"study": study}

if __name__ == "__main__":
    PARTS[sys.argv[1]](sys.argv[2:])
