"""Noise and selection by themselves, beside OpenDP and diffprivlib, which draw from the system's randomness too."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgedp
from bench.harness.row import Builder, Row, Target, Work, rival
from edgedp.mechanisms.sampling.geometric import two_sided_geometric
from edgedp.mechanisms.sampling.select import top_k_gumbel, top_k_permute_and_flip, top_k_with_random_ties
from edgedp.mechanisms.sampling.words import SecureWords

S = "Sampling"
K = 10
SCALE = 2000
"""Of the noise, in score steps: 2 k / epsilon for epsilon 0.01."""
WORDS = SecureWords()

Scores = NDArray[np.int64]


def heavy_tailed(count: int) -> Scores:
    return np.minimum(9458, 1 + np.random.default_rng(1).pareto(1.3, count)).astype(np.int64)


def permute_and_flip(scores: Scores) -> Work:
    return lambda: top_k_permute_and_flip(scores, K, Fraction(1, SCALE), WORDS)


def gumbel(scores: Scores) -> Work:
    return lambda: top_k_gumbel(scores, K, Fraction(1, SCALE), WORDS)


def joint(scores: Scores) -> Work:
    scale = Fraction(SCALE, K)

    def run() -> object:
        return top_k_with_random_ties(scores + two_sided_geometric(len(scores), scale, WORDS), K, WORDS)

    return run


def words_alone(scores: Scores) -> Work:
    return lambda: WORDS.take(len(scores))


def opendp_top_k(measure: str) -> Builder:
    """Return OpenDP's noisy top k; the conversion of a list of integers is part of it."""

    def build(scores: Scores) -> Work:
        dp = opendp()
        domain = dp.vector_domain(dp.atom_domain(T="i64"))
        measurement = dp.m.make_noisy_top_k(
            domain, dp.linf_distance(T="i64"), getattr(dp, measure)(), k=K, scale=float(SCALE)
        )
        listed = scores.tolist()
        return lambda: measurement(listed)

    return build


def opendp() -> Any:
    dp = rival("opendp.prelude")
    dp.enable_features("contrib")
    return dp


def diffprivlib_top_k(scores: Scores) -> Work:
    """Return as many draws of diffprivlib's permute-and-flip, each without those picked before."""
    mechanisms = rival("diffprivlib.mechanisms")
    listed = scores.tolist()

    def run() -> object:
        left, picked = list(listed), []
        for _ in range(K):
            candidates = list(range(len(left)))
            mechanism = mechanisms.PermuteAndFlip(
                epsilon=2 / SCALE, sensitivity=1, utility=left, candidates=candidates
            )
            picked.append(mechanism.randomise())
            del left[picked[-1]]
        return picked

    return run


def a_million() -> NDArray[np.float64]:
    return np.random.default_rng(1).lognormal(8, 2, 10**6)


def grid() -> Any:
    from edgedp.mechanisms.selection.domains import declare

    return declare(1, 1e6, "geometric")


def median(mechanism: str) -> Builder:
    return lambda values: partial(
        edgedp.percentile, values, q=0.5, grid=grid(), epsilon=0.1, mechanism=mechanism
    )


def with_holes(values: NDArray[np.float64]) -> Work:
    holed = [None if i % 10 == 0 else value for i, value in enumerate(values.tolist())]
    return lambda: edgedp.percentile(holed, q=0.5, grid=grid(), epsilon=0.1)


def numpy_sort(values: NDArray[np.float64]) -> Work:
    return lambda: np.sort(values)


def diffprivlib_median(values: NDArray[np.float64]) -> Work:
    tools = rival("diffprivlib.tools")
    return lambda: tools.median(values, epsilon=0.1, bounds=(1, 1e6))


def opendp_median(values: NDArray[np.float64]) -> Work:
    """Return OpenDP's: scores of candidates, the largest by noise; of the same candidates."""
    dp = opendp()
    candidates = np.geomspace(1, 1e6, 1_001).tolist()
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    measurement = dp.t.make_quantile_score_candidates(*space, candidates, alpha=0.5) >> dp.m.then_noisy_max(
        dp.max_divergence(), scale=20.0
    )
    return lambda: measurement(values)


def selection(mechanism: str) -> Builder:
    options: dict[str, Any] = {"mechanism": mechanism, "global_sensitivity": 4, "epsilon": 1}
    if mechanism == "sld":
        options["sensitivity"] = np.array([1.0, 2.0, 4.0])
    return lambda scores: partial(edgedp.select, scores, **options)


def diffprivlib_selection(scores: NDArray[np.float64]) -> Work:
    mechanisms = rival("diffprivlib.mechanisms")
    listed = scores.tolist()
    return lambda: mechanisms.PermuteAndFlip(epsilon=1, sensitivity=4, utility=listed).randomise()


def top_row(count: int, name: str, title: str, ours: Builder, **more: Any) -> Row:
    prepare: Callable[[], Scores] = partial(heavy_tailed, count)
    return Row(
        name=f"{name}-{count}",
        section=S,
        title=f"{title} of {count:,} scores",
        prepare=prepare,
        ours=ours,
        **more,
    )


ROWS = (
    *(
        top_row(
            count,
            "flip",
            f"top {K} by {K} rounds of permute-and-flip",
            permute_and_flip,
            also={"words alone": words_alone},
            rivals={
                "OpenDP, pure": opendp_top_k("max_divergence"),
                "diffprivlib": diffprivlib_top_k,
            },
            wanted=(Target(0.040),) if count == 300_000 else (),
        )
        for count in (37_700, 300_000)
    ),
    top_row(
        300_000,
        "gumbel",
        f"top {K} by Gumbel noise on all",
        gumbel,
        rivals={"OpenDP, zCDP": opendp_top_k("zero_concentrated_divergence")},
    ),
    top_row(
        300_000,
        "joint",
        f"top {K} by two-sided geometric noise on all",
        joint,
        also={"words alone": words_alone},
    ),
    Row(
        name="median-million",
        section=S,
        title="median of a million values, 1,001 candidates",
        prepare=a_million,
        ours=median("pf"),
        also={
            "by em": median("em"),
            "by sld": median("sld"),
            "a list with missing values": with_holes,
            "numpy, the sort alone": numpy_sort,
        },
        rivals={
            "OpenDP": opendp_median,
            "diffprivlib": diffprivlib_median,
        },
    ),
    Row(
        name="select-million",
        section=S,
        title="`select` one of a million candidates",
        prepare=lambda: np.random.default_rng(1).random(10**6) * 1000,
        ours=selection("pf"),
        also={"by em": selection("em"), "by sld": selection("sld")},
        rivals={"diffprivlib, permute-and-flip": diffprivlib_selection},
    ),
)
