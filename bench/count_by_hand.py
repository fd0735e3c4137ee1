"""The expected errors of the calibrated ladder on GitHub, computed anew: by the formulas of its definition alone.

    EDGEDP_DATA=... python bench/count_by_hand.py

Nothing of the package takes part. The edge list is read line by line, numbers and profiles are counted over sets, and
the law is taken as a density in floats: rungs ``(S(k-1) + g J_{k-1}, S(k) + g J_k]`` on either side,
``S(k) = J_0 + ... + J_{k-1}``, of the weight ``exp(-h k)``. Means and standard deviations of the error, cut at 0,
are sums over the rungs. Beside them: the figures that the mechanism was designed with, each the mean of 200 draws,
as a multiple of the standard error that such a mean has; and the least error that any noise of the local sensitivity
``I_0`` could have, were that public (the staircase).
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from itertools import combinations, count
from math import ceil, comb, exp, sqrt
from pathlib import Path

import numpy as np
from scipy import stats

NODES, DRAWS = 37_700, 200
EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
DESIGNED = {
    "triangles": (0.48, 0.18, 0.048, 0.017, 0.0046, 0.0009),
    "wedges": (0.016, 0.0049, 0.0012, 0.00043, 0.00013, 3.2e-5),
    "stars of 3": (0.037, 0.011, 0.0034, 0.0010, 0.00032, 9.3e-5),
    "two-triangles": (8.8, 2.2, 0.71, 0.27, 0.067, 0.020),
}
HUBS = 60
"""Pairs of these are looked at: no other node has a degree that could beat what they reach."""


def neighbors() -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    with gzip.open(Path(os.environ["EDGEDP_DATA"]) / "musae_git_edges.csv.gz", "rt") as lines:
        next(lines)
        for line in lines:
            a, b = map(int, line.split(","))
            if a != b:
                found.setdefault(a, set()).add(b)
                found.setdefault(b, set()).add(a)
    return found


def numbers(around: dict[int, set[int]]) -> dict[str, tuple[int, int, Iterator[int]]]:
    """Return each number, its global sensitivity and its profile."""
    m = NODES - 2
    hubs = sorted(around, key=lambda v: -len(around[v]))[:HUBS]
    on = {(a, b): len(around[a] & around[b]) for a in around for b in around[a]}
    shared = {(a, b): around[a] & around[b] for a, b in combinations(hubs, 2)}
    common = max(map(len, shared.values()))
    apart = [
        sorted((len(around[v]) - (a in around[b]) for v in (a, b)), reverse=True)
        for a, b in combinations(hubs, 2)
    ]
    ends = [p for p in apart if not any(q != p and q[0] >= p[0] and q[1] >= p[1] for q in apart)]
    moved = max(
        comb(len(both), 2) + sum(on[a, k] + on[b, k] for k in both) - 2 * len(both) * (a in around[b])
        for (a, b), both in shared.items()
    )

    def two_triangles() -> Iterator[int]:
        grown = 0
        for t in count():
            most = min(common + t, m)
            yield min(moved + 4 * grown, (5 * most * most - most) // 2)
            grown += most

    def stars() -> Iterator[int]:
        for t in count():
            larger = [(min(x + t, m), x, y) for x, y in ends]
            yield max(comb(a, 2) + comb(min(y + t - (a - x), m), 2) for a, x, y in larger)

    degrees = [len(row) for row in around.values()]
    return {
        "triangles": (sum(on.values()) // 6, m, (min(common + t, m) for t in count())),
        "wedges": (
            sum(comb(d, 2) for d in degrees),
            2 * m,
            (min(max(map(sum, ends)) + t, 2 * m) for t in count()),
        ),
        "stars of 3": (sum(comb(d, 3) for d in degrees), 2 * comb(m, 2), stars()),
        "two-triangles": (
            sum(comb(c, 2) for c in on.values()) // 2,
            comb(m, 2) + 2 * m * (m - 1),
            two_triangles(),
        ),
    }


def mean_and_deviation(value: int, ceiling: int, steps: list[int], epsilon: float) -> tuple[float, float]:
    """Return mean and standard deviation of the error after answers below 0 became 0."""
    pace = ceil(20 / epsilon) if epsilon >= 0.1 else ceil(10 / epsilon)
    rate = epsilon - 1 / pace
    g = 1 / (1 + exp(rate / 2))
    widths = np.full(len(steps) + int(60 / rate) + 2_000, float(ceiling))
    for t in reversed(range(len(steps))):
        widths[t] = max(steps[t], widths[t + 1] * pace / (pace + 1))
    before = np.cumsum(widths) - widths
    ends = np.concatenate([[0.0], before + g * widths])
    weights = np.exp(-rate * np.arange(len(widths)))

    def moment(power: int) -> float:
        whole = np.diff(ends ** (power + 1)) / (power + 1)
        near = np.minimum(ends, value)
        below = np.diff(near ** (power + 1)) / (power + 1) + value**power * np.diff(ends - near)
        return float((weights * (whole + below)).sum() / (2 * weights * np.diff(ends)).sum())

    mean = moment(1)
    return mean, sqrt(moment(2) - mean**2)


def main() -> None:
    print("| GitHub |  |", " | ".join(f"{epsilon:g}" for epsilon in EPSILONS), "|")
    print("|", " | ".join(["---"] * (2 + len(EPSILONS))), "|")
    squares, outside = [], 0
    for name, (value, ceiling, profile) in numbers(neighbors()).items():
        steps = []
        for step in profile:
            if step >= ceiling:
                break
            steps.append(step)
        rows: dict[str, list[str]] = {}
        for epsilon, designed in zip(EPSILONS, DESIGNED[name], strict=True):
            mean, deviation = mean_and_deviation(value, ceiling, steps, epsilon)
            off = (designed * value - mean) / (deviation / sqrt(DRAWS))
            squares.append(off**2)
            outside += abs(mean / value / designed - 1) > 0.15
            least = steps[0] * exp(epsilon / 2) / (exp(epsilon) - 1)
            for label, cell in {
                "by hand": f"{mean / value:.3g}",
                "designed": f"{designed:.3g}",
                "designed, standard errors away": f"{off:+.1f}",
                "designed / staircase noise of the local sensitivity": f"{designed * value / least:.2f}",
                "by hand / the same": f"{mean / least:.2f}",
            }.items():
                rows.setdefault(label, []).append(cell)
        for label, cells in rows.items():
            print(f"| {name} | {label} |", " | ".join(cells), "|")
    away, cells_in_all = sum(squares), len(squares)
    print(
        f"\n{outside} of {cells_in_all} are more than 15 % away; chi-square {away:.1f} for {cells_in_all} means of "
        f"{DRAWS} draws: p = {stats.chi2.sf(away, cells_in_all):.2f}."
    )


if __name__ == "__main__":
    main()
