"""Percentiles and trees, beside the published systems, Smith's mechanism and OpenDP.

The papers' files are not bundled: HEPTH.csv.gz, INCOME.csv.gz, PATENT.csv.gz and nltcs.csv.gz of the public
repository iagocc/smooth-noisy-max, in one folder. Prints what is recorded:

    python bench/selection.py FOLDER > bench/results/selection.md
"""

from __future__ import annotations

import csv
import gzip
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import opendp.prelude as dp
from scipy.stats import binom

import edgedp
from edgedp.graph.ids import numbers_of
from edgedp.mechanisms import probabilities
from edgedp.mechanisms.grid import GridScores
from edgedp.mechanisms.sampling.words import SecureWords
from edgedp.mechanisms.selection.domains import declare
from edgedp.mechanisms.selection.percentiles import percentile_law, percentile_scores
from edgedp.mechanisms.selection.questions import ask_percentile

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs" / "examples"))

import dp_moet
import genetic_trees
import greedy_tree
import median_node
import private_id3
import random_forest
from records import Records, encode, folds

EPSILONS = (0.01, 0.05, 0.1, 0.5, 1.0, 2.0)
FOLDS = 4


def row(*cells: object) -> None:
    print("| " + " | ".join(f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in cells) + " |")


def header(*cells: str) -> None:
    print()
    row(*cells)
    row(*("---" for _ in cells))


# -- percentiles -----------------------------------------------------------------------------------------


SAMPLES = 10


def ages(seed: int, n: int = 1000) -> np.ndarray:
    """Return ages of a population, 0 to 100, drawn evenly."""
    return np.random.default_rng(seed).integers(0, 101, n)


def off(values: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return how far an answer is from the nearest median: of an even number there are two, and all between."""
    ordered = np.sort(values)
    lower, upper = ordered[(len(values) - 1) // 2], ordered[len(values) // 2]
    return lambda found: np.maximum(0, np.maximum(lower - found, found - upper))


def floor(epsilon: float, n: int = 1000, top: int = 100) -> float:
    """Return what no epsilon-DP median of n ages drawn evenly from 0..top can have less of: mean absolute error.

    Between v and v + 1 let B be the number of ages up to v. Among samples with B = n / 2 + d (both medians at v or
    below), moving 2 d evenly chosen ages across makes evenly drawn samples with B = n / 2 - d: two laws 2 d
    replacements apart, and an answer is on the wrong side of one of them with chances that add up to at least
    2 / (1 + exp(2 d epsilon)). The error is at least the number of v that lie between the answer and the medians.
    """
    steps = np.arange(1, n // 2)
    total = 0.0
    for v in range(top):
        share = (v + 1) / (top + 1)
        pairs = np.minimum(binom.pmf(n // 2 + steps, n, share), binom.pmf(n // 2 - steps, n, share))
        total += float((2 * pairs / (1 + np.exp(np.minimum(2 * steps * epsilon, 700)))).sum())
    return total


def smith(values: np.ndarray, low: float, high: float, epsilon: float, rng: np.random.Generator) -> float:
    """Draw the median by the exponential mechanism over the intervals between values (Smith 2011)."""
    ordered = np.concatenate([[low], np.sort(values), [high]])
    rank = np.arange(len(ordered) - 1) - len(values) / 2
    with np.errstate(divide="ignore"):
        noisy = np.log(np.diff(ordered)) - epsilon / 2 * np.abs(rank) + rng.gumbel(size=len(rank))
    found = int(noisy.argmax())
    return float(rng.uniform(ordered[found], ordered[found + 1]))


def opendp_median(values: np.ndarray, epsilon: float) -> Callable[[], float]:
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i32"), size=len(values))
    listed = values.astype(np.int32).tolist()

    def make(scale: float) -> dp.Measurement:
        scores = dp.t.make_quantile_score_candidates(domain, dp.symmetric_distance(), list(range(101)), 0.5)
        return scores >> dp.m.then_noisy_max(dp.max_divergence(), scale=scale, negate=True)

    chosen = make(dp.binary_search_param(make, d_in=2, d_out=epsilon, T=float))
    return lambda: float(chosen(listed))


def medians_of_ages() -> None:
    domain, rng = declare(0, 100, points=101), np.random.default_rng(1)
    samples = [ages(seed) for seed in range(SAMPLES)]
    print("\n## Median of ages\n")
    print(
        f"1,000 ages from 0 to 100, drawn evenly: mean absolute error of 400 medians, 40 of each of {SAMPLES} samples,"
    )
    print(
        "and its expectation by the exact law: mean, least and largest of the samples. At epsilon 1 the error says"
    )
    print("how near the middle rank happens to be to that of another age. A replaced record costs epsilon.")
    header("method", "epsilon 0.1", "expected", "epsilon 1", "expected")

    def line(
        name: str, draw: Callable[[np.ndarray, float], Callable[[], float]], expected: Any = None
    ) -> None:
        cells: list[object] = []
        for epsilon in (0.1, 1.0):
            errors = []
            for values in samples:
                one = draw(values, epsilon)
                errors.append(off(values)(np.asarray([one() for _ in range(400 // SAMPLES)])).mean())
            cells.append(float(np.mean(errors)))
            laws = [expected(values, epsilon) for values in samples] if expected else []
            cells.append(f"{np.mean(laws):.3f} ({min(laws):.3f} to {max(laws):.3f})" if laws else "")
        row(name, *cells)

    for mechanism in ("pf", "em", "distance", "ld", "sld"):

        def draw(values: np.ndarray, epsilon: float, mechanism: str = mechanism) -> Callable[[], float]:
            asked = {"q": 0.5, "grid": domain, "epsilon": epsilon, "mechanism": mechanism}
            return lambda: edgedp.percentile(values, **asked).value

        def expected(values: np.ndarray, epsilon: float, mechanism: str = mechanism) -> float:
            asked = ask_percentile(domain, len(values), q=0.5, epsilon=epsilon, mechanism=mechanism)
            return float(percentile_law(values, asked) @ off(values)(domain.grid))

        line(mechanism, draw, expected)

    def cut(values: np.ndarray, epsilon: float) -> GridScores:
        asked = ask_percentile(domain, len(values), q=0.5, epsilon=epsilon)
        scores = percentile_scores(numbers_of(values), asked)
        return replace(scores, upper=np.minimum(scores.upper, 0))

    line(
        "pf, score cut at 0",
        lambda values, epsilon: lambda: float(domain.grid[cut(values, epsilon).draw(1, SecureWords())[0]]),
        lambda values, epsilon: float(cut(values, epsilon).law() @ off(values)(domain.grid)),
    )
    line("Smith, over intervals", lambda values, epsilon: lambda: smith(values, 0, 100, epsilon, rng))
    line("OpenDP, noisy max of its quantile scores", opendp_median)
    row("no mechanism can be below", "", f"{floor(0.1):.3f}", "", f"{floor(1):.3f}")


def bins(folder: Path, name: str) -> np.ndarray:
    with gzip.open(folder / f"{name}.csv.gz", "rt") as file:
        return np.sort(np.asarray(file.read().split()[1:], dtype=np.float64))


def on_labels(values: np.ndarray, m: int, top: float, delta: np.ndarray | None, epsilon: float) -> np.ndarray:
    scores = median_node.utilities(values, m)
    if delta is None:
        return probabilities("em", scores, epsilon, global_sensitivity=top)
    return probabilities("ld", scores, epsilon, sensitivity=delta)


def medians_of_bins(folder: Path) -> None:
    print(
        "\n## Medians of the papers' files\n\nExpected absolute error at epsilon 1. A record is one of "
        "4,096 bin counts. `labels`: the"
    )
    print(
        "published candidates, one for each record, with the corrected sensitivity; the others pick an "
        "integer of 0..top. The cut is that of EM's error, over 25 epsilons from 1e-3 to 1e3."
    )
    header(
        "file",
        "top",
        "median",
        "EM on labels",
        "LD on labels",
        "pf",
        "em",
        "distance",
        "ld",
        "cut by LD on labels",
    )
    for name in ("PATENT", "HEPTH", "INCOME"):
        values = bins(folder, name)
        top, m = float(values.max()), len(values) // 2
        delta = median_node.sensitivity(values, m, top)
        errors = off(values)(values)
        domain = declare(0, top, np.arange(int(top) + 1))
        ours = []
        for mechanism in ("pf", "em", "distance", "ld"):
            asked = ask_percentile(domain, len(values), q=0.5, epsilon=1, mechanism=mechanism)
            ours.append(float(percentile_law(values, asked) @ off(values)(domain.grid)))
        cuts = [
            1 - on_labels(values, m, top, delta, e) @ errors / (on_labels(values, m, top, None, e) @ errors)
            for e in np.logspace(-3, 3, 25)
        ]
        labels = [float(on_labels(values, m, top, d, 1.0) @ errors) for d in (None, delta)]
        row(
            name,
            int(top),
            float(values[m - 1]),
            *labels,
            *ours,
            f"{100 * float(np.mean(cuts)):.1f} % (most {100 * max(cuts):.1f} %)",
        )


def chances_on_hepth(folder: Path) -> None:
    """Print the chance of the right answer at p = 50: k = 2,048."""
    values = bins(folder, "HEPTH")
    distinct, counts = np.unique(values, return_counts=True)
    k, n = 2048, len(values)
    right = int(np.searchsorted(distinct, values[k - 1]))
    below, upto = counts.cumsum() - counts, counts.cumsum()
    distance = np.minimum(upto - k, k - 1 - below)
    gap = int(min(k - 1 - below[right], upto[right] - k)) + 1  # records to replace before the answer changes
    print(
        "\n## HEPTH, p = 50: chance of the right answer\n\nCandidates are the distinct values, or the 4,096 "
        "records; SNM with delta = 1e-6, corrected (Theorem S)."
    )
    header("method", "epsilon 1", "3", "10")
    indicator = (np.arange(len(distinct)) == right).astype(float)
    of_records = (values == values[k - 1]).astype(float)

    def cells(law: Callable[[float], np.ndarray], hit: np.ndarray = indicator) -> list[float]:
        return [float(law(epsilon) @ hit) for epsilon in (1.0, 3.0, 10.0)]

    def snm(steps: int, hit: np.ndarray) -> Callable[[float], np.ndarray]:
        def smooth(beta: float) -> float:
            return math.exp(-beta * steps)

        return lambda epsilon: probabilities("snm", hit, epsilon, smooth=smooth, delta=1e-6)

    def em(hit: np.ndarray) -> Callable[[float], np.ndarray]:
        return lambda epsilon: probabilities("em", hit, epsilon, global_sensitivity=1)

    for name, hit in (("distinct values", indicator), ("records", of_records)):
        row(
            f"EM, 0 or 1, {name}",
            *cells(em(hit), hit),
        )
        row(f"SNM corrected, {name}", *cells(snm(gap - 1, hit), hit))
    row("SNM corrected, records, the published S = exp(-5 beta)", *cells(snm(5, of_records), of_records))
    row("distance by EM", *cells(lambda e: probabilities("em", distance, e, global_sensitivity=1)))
    row("distance by PF", *cells(lambda e: probabilities("pf", distance, e, global_sensitivity=1)))
    assert n == 4096


def published_expectations(folder: Path) -> None:
    """Reproduce the published expected values of SNM with Student-t noise (golden 1)."""
    values = bins(folder, "HEPTH")
    right = values == values[2047]
    s = np.linspace(-14, 14, 20_001)
    z = np.sinh(s)
    density = 2 / (math.pi * math.sqrt(3) * (1 + z * z / 3) ** 2) * np.cosh(s) * (s[1] - s[0])

    def log_cdf(z: np.ndarray) -> np.ndarray:
        x = z / math.sqrt(3)
        usual = 0.5 + (np.arctan(x) + x / (1 + x * x)) / math.pi
        far = 2 / (3 * math.pi * np.maximum(np.abs(x), 1) ** 3)
        return np.log(np.where(x < -300, far, np.maximum(usual, 1e-12)))

    print(
        "\n## Published expectations of SNM-T on HEPTH\n\nWith `S = max(exp(-5 epsilon), .01)`, the "
        "published code's noise: beta was epsilon, not epsilon / 8."
    )
    header("epsilon", "published", "reproduced")
    for epsilon, published in ((0.1, "84.8169"), (1.0826, "50.910"), (1.3738, "46.480")):
        scale = 2 * max(math.exp(-5 * epsilon), 0.01) / (epsilon * math.sqrt(3) / 4)
        same, others = int(right.sum()), int((~right).sum())
        wins = float((np.exp((same - 1) * log_cdf(z) + others * log_cdf(z + 1 / scale)) * density).sum())
        expected = same * wins * values[2047] + (1 - same * wins) * values[~right].mean()
        row(epsilon, published, f"{expected:.4f}")


# -- trees -------------------------------------------------------------------------------------------------


def nltcs(folder: Path) -> Records:
    with gzip.open(folder / "nltcs.csv.gz", "rt") as file:
        listed = list(csv.reader(file))
    columns = {str(place): [line[place] for line in listed[1:]] for place in range(len(listed[0]))}
    return encode(columns, {name: ["0", "1"] for name in columns}, "15")


def snm_tree(records: Records, epsilon: float, depth: int, rng: np.random.Generator) -> greedy_tree.Node:
    """Grow the published greedy tree with the corrected noise, epsilon and 1e-6 under replacement."""
    each, delta = epsilon / (2 * (depth + 1)), 1e-6 / (2 * (depth + 1))

    def pick(scores: np.ndarray) -> int:
        indicator = (np.arange(len(scores)) == scores.argmax()).astype(float)
        second, best = np.sort(scores)[-2:]
        steps = max(float(best - second) - 1, 0.0)

        def smooth(beta: float) -> float:
            return math.exp(-min(beta * steps, 600))

        options = {"mechanism": "snm", "delta": delta, "smooth": smooth}
        return int(edgedp.select(indicator, epsilon=each, rng=rng, **options).value)

    def node(part: Records, allowed: list[int], left: int) -> greedy_tree.Node:
        if left == 0:
            return greedy_tree.Node(label=pick(np.bincount(part.labels, minlength=part.classes)))
        place = pick(np.asarray([greedy_tree.max_operator(part.counts(a)) for a in allowed]))
        attribute, rest = allowed[place], allowed[:place] + allowed[place + 1 :]
        column = part.attributes[:, attribute]
        children = (node(part.where(column == v), rest, left - 1) for v in range(part.sizes[attribute]))
        return greedy_tree.Node(attribute=attribute, children=tuple(children))

    return node(records, list(range(len(records.sizes))), depth)


def trees(folder: Path) -> None:
    records = nltcs(folder)
    rng = np.random.default_rng(3)
    pairs = list(folds(records, FOLDS, rng))
    print(
        f"\n## Trees on NLTCS\n\n{len(records.labels):,} records, 15 binary attributes, the class is the "
        f"last column. Accuracy, mean of {FOLDS} folds;"
    )
    print(
        "epsilon is that under replacement, in every row. With values that were not declared, a binary "
        "attribute has four values."
    )
    header("system", *(f"epsilon {epsilon:g}" for epsilon in EPSILONS))

    def line(name: str, run: Callable[[Records, Records, float], float]) -> None:
        row(name, *(f"{np.mean([run(train, test, e) for train, test in pairs]):.3f}" for e in EPSILONS))
        sys.stdout.flush()

    def greedy(depth: int, score: str, mechanism: str) -> Callable[[Records, Records, float], float]:
        return lambda train, test, e: greedy_tree.accuracy(
            greedy_tree.grow(train, e, depth, score, mechanism, rng), test
        )

    def moet(approach: str, sensitivity: str) -> Callable[[Records, Records, float], float]:
        def run(train: Records, test: Records, epsilon: float) -> float:
            (tree,) = dp_moet.evolve(train, epsilon, 1, approach, sensitivity, rng=rng)
            return float((genetic_trees.predict(tree, test.attributes) == test.labels).mean())

        return run

    line("max operator, PF, depth 2", greedy(2, "max", "pf"))
    line("max operator, PF, depth 5", greedy(5, "max", "pf"))
    line("information gain, EM, depth 2", greedy(2, "information", "em"))
    line("information gain, LD, depth 2", greedy(2, "information", "ld"))
    line("information gain, SLD, depth 2", greedy(2, "information", "sld"))
    line(
        "ID3 as published (EM), depth 2",
        lambda tr, te, e: greedy_tree.accuracy(private_id3.grow(tr, e, 2, "em", rng), te),
    )
    line(
        "SNM corrected, delta 1e-6, depth 2",
        lambda tr, te, e: greedy_tree.accuracy(snm_tree(tr, e, 2, rng), te),
    )
    line(
        "forest of 32, leaf counts",
        lambda tr, te, e: random_forest.accuracy(random_forest.plant(tr, e, rng=rng), te),
    )
    line(
        "forest of 32, 0/1 majority",
        lambda tr, te, e: random_forest.accuracy(random_forest.plant(tr, e, rng=rng, score="majority"), te),
    )
    for approach in ("aggregate", "pareto"):
        for sensitivity in ("local", "global"):
            line(f"DP-MOET {approach}, {sensitivity}", moet(approach, sensitivity))
    none = [
        np.mean([greedy(depth, "max", "pf")(train, test, 1e6) for train, test in pairs]) for depth in (2, 5)
    ]
    print(f"\nWithout noise (epsilon 1e6): {none[0]:.3f} at depth 2, {none[1]:.3f} at depth 5.")


def main() -> None:
    folder = Path(sys.argv[1])
    print(
        "# Selection beyond edges\n\n`python bench/selection.py FOLDER`, FOLDER with the papers' files "
        "(public repository iagocc/smooth-noisy-max)."
    )
    medians_of_ages()
    medians_of_bins(folder)
    chances_on_hepth(folder)
    published_expectations(folder)
    trees(folder)


if __name__ == "__main__":
    main()
