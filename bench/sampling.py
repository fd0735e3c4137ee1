"""Top-10 of many candidates: this package beside OpenDP's `make_noisy_top_k`, in one run.

Both sample exactly from the operating system's randomness. Prints the tables that are recorded:

    python bench/sampling.py > bench/results/sampling.md
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from fractions import Fraction
from importlib.metadata import version

import numpy as np
import opendp.prelude as dp

from edgedp.mechanisms.laws import exponential_law, joint_first_law, permute_and_flip_law
from edgedp.sampling.geometric import two_sided_geometric
from edgedp.sampling.select import top_k_gumbel, top_k_permute_and_flip, top_k_with_random_ties
from edgedp.sampling.words import SecureWords

K = 10
SCALE = 2000  # of the noise, in score steps: 2 k / epsilon for epsilon 0.01
WORDS = SecureWords()

INTRODUCTION = f"""\
# Sampling

`python bench/sampling.py`: the top {K} of heavy-tailed integer scores with noise of scale {SCALE}. Milliseconds of
processor time, best of several, reading the operating system's randomness included. Both
sides run on one thread, in one run: Python {platform.python_version()}, numpy {np.__version__}, OpenDP
{version("opendp")}.
"""

NOTES = """
*Gumbel*: noise once on all, the same law on both sides (OpenDP offers it for zero-concentrated privacy).
*PF*: ten rounds of permute-and-flip, noise anew in each; OpenDP beside it: its exponential noise for pure privacy.
*joint*: two-sided geometric noise on all, ties at random. *words*: reading one 64-bit word for each candidate, alone.
OpenDP's times include converting a list of Python integers.
"""


def best_of(repetitions: int, work: Callable[[], object]) -> float:
    """Return the least processor time of some runs, in milliseconds."""
    durations = []
    for _ in range(repetitions):
        start = time.process_time()
        work()
        durations.append(time.process_time() - start)
    return min(durations) * 1000


def opendp_time(scores: np.ndarray, measure: dp.Measure) -> float:
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    measurement = dp.m.make_noisy_top_k(domain, dp.linf_distance(T="i64"), measure, k=K, scale=float(SCALE))
    listed = scores.tolist()
    return best_of(3 if len(scores) < 100_000 else 1, lambda: measurement(listed))


def selection_row(count: int) -> str:
    scores = np.minimum(9458, 1 + np.random.default_rng(1).pareto(1.3, count)).astype(np.int64)
    unit = Fraction(1, SCALE)
    words = best_of(9, lambda: WORDS.take(count))
    gumbel = best_of(25, lambda: top_k_gumbel(scores, K, unit, WORDS))
    their_gumbel = opendp_time(scores, dp.zero_concentrated_divergence())
    flip = best_of(7, lambda: top_k_permute_and_flip(scores, K, unit, WORDS))
    their_flip = opendp_time(scores, dp.max_divergence())
    scale = Fraction(SCALE, K)
    joint = best_of(
        9, lambda: top_k_with_random_ties(scores + two_sided_geometric(count, scale, WORDS), K, WORDS)
    )
    return (
        f"| {count:,} | {words:.1f} | {gumbel:.1f} | {their_gumbel:,.1f} | {their_gumbel / gumbel:,.0f} "
        f"| {flip:.1f} | {their_flip:,.1f} | {their_flip / flip:,.1f} | {joint:.1f} |"
    )


def law_row(count: int) -> str:
    scores = np.unique(np.random.default_rng(2).integers(0, 2**40, count))
    unit = Fraction(1, 2**36)
    em = best_of(3, lambda: exponential_law(scores, unit))
    flip = best_of(3, lambda: permute_and_flip_law(scores, unit))
    joint = best_of(3, lambda: joint_first_law(scores, 1 / unit))
    return f"| {count:,} | {em:.1f} | {flip:.0f} | {joint:.0f} |"


def main() -> None:
    dp.enable_features("contrib")
    print(INTRODUCTION)
    print("| candidates | words | Gumbel | OpenDP | ratio | PF | OpenDP | ratio | joint |")
    print("|" + "---:|" * 9)
    for count in (1_000, 37_700, 300_000):
        print(selection_row(count), flush=True)
    print(NOTES)
    print("The exact law of the first pick, all scores distinct:\n")
    print("| candidates | exponential | permute-and-flip | joint |")
    print("|" + "---:|" * 4)
    print(law_row(37_700))


if __name__ == "__main__":
    main()
