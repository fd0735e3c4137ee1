"""Private numbers: what every mechanism costs in accuracy, beside OpenDP's Laplace and geometric noise.

    python bench/count.py error [GRAPH ...]    # mean relative error against epsilon, every query and mechanism
    python bench/count.py spec  [GRAPH ...]    # the calibrated ladder beside the figures it was designed with
    python bench/count.py ccdf                 # the distribution of the degrees, and what else can be read from it
    python bench/count.py delta                # the mechanisms with delta, at delta = epsilon / 2n

Where a law has a formula the error is its exact expectation, answers below 0 taken as 0; where it has none (`nls`,
and OpenDP's noise) it is the mean of 200 draws. Every part prints tables in Markdown; `bench/results/count.md`
holds one run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from math import exp

import numpy as np
import opendp.prelude as opendp
from at_hand import here

import edgedp
from edgedp.mechanisms.counts import Bounds, Profile, count_class
from edgedp.mechanisms.counts.base import profile_of
from edgedp.mechanisms.numbers import Amounts, NumberLaw, number_mechanism
from edgedp.mechanisms.numbers.laplace import RoundedLaplace
from edgedp.mechanisms.numbers.stairs import Stairs
from edgedp.mechanisms.numbers.student import RoundedStudent
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.sampling.geometric import two_sided_geometric
from edgedp.mechanisms.sampling.words import GeneratorWords
from edgedp.release.numbers.distributing import at_least_counts, consistent, histogram_of

opendp.enable_features("contrib")

RUNS = 200
EPSILONS = ("0.01", "0.03", "0.1", "0.3", "1", "3")
GRAPHS = {
    name: source
    for name, source in {"Enron": "email-Enron", "GitHub": "musae-github"}.items()
    if here(source)
}
DECLARED = {"Enron": 2_000, "GitHub": 10_000}
QUERIES = ("edges", "triangles", "wedges", "stars", "two_triangles")
DELTA = Fraction(1, 10**6)
SMALL = 1_000
"""Below this mean distance it matters that answers are integers."""

DESIGNED = {
    ("Enron", "triangles"): (0.111, 0.025, 0.0064, 0.00205, 0.00059, 0.000146),
    ("Enron", "wedges"): (0.0129, 0.0041, 0.00114, 0.00038, 0.000109, 2.73e-5),
    ("Enron", "stars"): (0.051, 0.015, 0.0041, 0.00136, 0.00039, 0.000098),
    ("Enron", "two_triangles"): (3.6, 0.41, 0.065, 0.0134, 0.00365, 0.00090),
    ("GitHub", "triangles"): (0.48, 0.18, 0.048, 0.017, 0.0046, 0.0009),
    ("GitHub", "wedges"): (0.016, 0.0049, 0.0012, 0.00043, 0.00013, 3.2e-5),
    ("GitHub", "stars"): (0.037, 0.011, 0.0034, 0.0010, 0.00032, 9.3e-5),
    ("GitHub", "two_triangles"): (8.8, 2.2, 0.71, 0.27, 0.067, 0.020),
}
"""Relative errors of the calibrated ladder; those of GitHub are means of 200 draws."""


@cache
def graph(name: str) -> edgedp.Graph:
    return edgedp.read_graph(GRAPHS[name])


@cache
def profile(name: str, of: str, bound: int | None = None) -> Profile:
    n = graph(name).node_count
    projection = GraphProjection(graph(name))
    return profile_of(count_class(of)(), projection, Bounds(n, bound or n - 1))


def mean_error(law: NumberLaw, value: int) -> float:
    """Return the mean distance from `value` after answers below 0 became 0."""
    match law:
        case Stairs() if law.mean_distance() < SMALL:
            z = np.arange(-100 * SMALL, 100 * SMALL + 1)
            return float((law.mass(value + z) * np.minimum(np.abs(z), np.where(z < 0, value, np.inf))).sum())
        case Stairs():
            return law.mean_distance(value)
        case RoundedLaplace():
            scale = float(law.scale)
            return scale - scale * exp(-value / scale) / 2
        case RoundedStudent():
            grid = np.concatenate([[0.0], np.geomspace(1e-4, 1e4, 40_000)]) * float(law.scale)
            x = grid / float(law.scale)
            u = x / np.sqrt(4 + x * x)
            tail = (1 - u) ** 2 * (2 + u) / 4
            below = np.where(grid <= value, tail, 0)
            return float(np.trapezoid(tail, grid) + np.trapezoid(below, grid))
        case _:
            words = GeneratorWords(np.random.default_rng(1))
            return float(np.mean([abs(max(law.draw(words), 0) - value) for _ in range(RUNS)]))


def of_opendp(make: str, name: str, of: str, bound: int, epsilon: str) -> float:
    """Return the mean relative error of OpenDP's noise for a global sensitivity."""
    found = profile(name, of, bound)
    scale = found.ceiling / float(epsilon)
    if make == "make_laplace":
        space = (opendp.atom_domain(T=float, nan=False), opendp.absolute_distance(T=float))
        measurement, value = opendp.m.make_laplace(*space, scale=scale), float(found.value)
    else:
        space = (opendp.atom_domain(T="i64"), opendp.absolute_distance(T="i64"))
        measurement, value = opendp.m.make_geometric(*space, scale=scale), found.value
    draws = [abs(max(measurement(value), 0) - found.value) for _ in range(RUNS)]
    return float(np.mean(draws)) / found.value


def error(names: Iterable[str]) -> None:
    for name in names or GRAPHS:
        n = graph(name).node_count
        print(f"\n**{name}**: {n:,} nodes; delta = 1e-6 where a mechanism needs one\n")
        row("query", "mechanism", "claim", "bound", *EPSILONS)
        row(*["---"] * (4 + len(EPSILONS)))
        for of in QUERIES:
            for mechanism in ("calibrated", "smooth", "ladder", "staircase", "geometric"):
                for bound in (None, DECLARED[name]):
                    if bound is None or mechanism not in ("smooth", "ladder"):
                        compare(name, of, mechanism, bound, None)
            for mechanism in ("smooth", "lls", "nls"):
                if mechanism != "nls" or count_class(of).bounds_to_buy:
                    compare(name, of, mechanism, None, DELTA)
            for make in ("make_laplace", "make_geometric"):
                cells = (of_opendp(make, name, of, DECLARED[name], epsilon) for epsilon in EPSILONS)
                row(of, f"OpenDP {make}", "pure", DECLARED[name], *(f"{cell:.3g}" for cell in cells))


def compare(name: str, of: str, mechanism: str, bound: int | None, delta: Fraction | None) -> None:
    found = profile(name, of, bound)
    cells = []
    for epsilon in EPSILONS:
        law = number_mechanism(mechanism).law(found, Amounts(Fraction(epsilon), delta))
        cells.append(f"{mean_error(law, found.value) / found.value:.3g}")
    label = {"smooth": "smooth, Student t" if delta is None else "smooth, Laplace"}.get(mechanism, mechanism)
    row(of, label, "pure" if delta is None else "delta", bound or "n - 1", *cells)


def spec(names: Iterable[str]) -> None:
    row("graph, query", "", *EPSILONS)
    row(*["---"] * (2 + len(EPSILONS)))
    for (name, of), designed in DESIGNED.items():
        if name in (names or GRAPHS):
            found = profile(name, of)
            laws = [
                number_mechanism("calibrated").law(found, Amounts(Fraction(epsilon))) for epsilon in EPSILONS
            ]
            here = [mean_error(law, found.value) / found.value for law in laws]
            yardstick = [
                Fraction(found.at(0)) * Fraction(exp(float(e) / 2) / (exp(float(e)) - 1))
                for e in map(float, EPSILONS)
            ]
            row(f"{name}, {of}", "designed", *(f"{each:.3g}" for each in designed))
            row("", "here", *(f"{each:.3g}" for each in here))
            row("", "here / designed", *(f"{a / b:.3f}" for a, b in zip(here, designed, strict=True)))
            row(
                "",
                "here / staircase noise of the local sensitivity (not private)",
                *(f"{a * found.value / float(b):.2f}" for a, b in zip(here, yardstick, strict=True)),
            )


def ccdf(_: Iterable[str]) -> None:
    enron = graph("Enron")
    exact = at_least_counts(enron.degrees, DECLARED["Enron"])
    total, wedges = int(enron.degrees.sum()), profile("Enron", "wedges").value
    row("read from", "error of", *EPSILONS)
    row(*["---"] * (2 + len(EPSILONS)))
    cells: dict[tuple[str, str], list[float]] = {}
    for epsilon in EPSILONS:
        found: dict[tuple[str, str], list[float]] = {}
        for seed in range(40):
            words = GeneratorWords(np.random.default_rng(seed))
            scale = 2 / Fraction(epsilon)
            noisy = consistent(exact + two_sided_geometric(len(exact), scale, words), enron.node_count)
            spread = np.abs(noisy - exact).sum() / total
            k = np.arange(len(exact))
            found.setdefault(("ccdf", "ccdf"), []).append(spread)
            found.setdefault(("ccdf", "edges"), []).append(abs(int(noisy.sum()) - total) / total)
            found.setdefault(("ccdf", "wedges"), []).append(abs(int((k * noisy).sum()) - wedges) / wedges)
            histogram = histogram_of(exact, enron.node_count) + two_sided_geometric(
                len(exact) + 1, 2 * scale, words
            )
            back = np.cumsum(histogram[::-1])[::-1][1:]
            found.setdefault(("noise on the histogram", "ccdf"), []).append(
                np.abs(back - exact).sum() / total
            )
            degrees = enron.degrees + two_sided_geometric(enron.node_count, scale, words)
            variance = 2 * exp(-1 / float(scale)) / (1 - exp(-1 / float(scale))) ** 2
            of_degrees = float((degrees * degrees - variance - degrees).sum()) / 2
            found.setdefault(("noisy degrees", "edges"), []).append(abs(int(degrees.sum()) - total) / total)
            found.setdefault(("noisy degrees", "wedges"), []).append(abs(of_degrees - wedges) / wedges)
        for key, errors in found.items():
            cells.setdefault(key, []).append(float(np.mean(errors)))
    for (source, what), means in cells.items():
        row(source, what, *(f"{mean:.2g}" for mean in means))


def delta_mechanisms(_: Iterable[str]) -> None:
    row("graph, query", "mechanism", *EPSILONS)
    row(*["---"] * (2 + len(EPSILONS)))
    for name in GRAPHS:
        for of in ("triangles", "two_triangles"):
            found = profile(name, of)
            for mechanism in ("smooth", "lls", "nls", "calibrated"):
                cells = []
                for epsilon in map(Fraction, EPSILONS):
                    delta = None if mechanism == "calibrated" else epsilon / (2 * graph(name).node_count)
                    law = number_mechanism(mechanism).law(found, Amounts(epsilon, delta))
                    cells.append(f"{mean_error(law, found.value) / found.value:.3g}")
                row(f"{name}, {of}", mechanism, *cells)


def row(*cells: object) -> None:
    print("|", " | ".join(str(cell) for cell in cells), "|", flush=True)


if __name__ == "__main__":
    parts = {"error": error, "spec": spec, "ccdf": ccdf, "delta": delta_mechanisms}
    parts[sys.argv[1]](sys.argv[2:])
