"""The bridge from laws to draws: what is drawn has the law that the audit judges."""

from __future__ import annotations

from typing import Any

import pytest

from edgedp.exact.audit import Case
from edgedp.exact.audit.neighbors import graph_of_mask
from edgedp.exact.audit.ordered import answers, ordered_answer_law
from edgedp.exact.audit.tables import TableProjection
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.sampling.words import SecureWords
from edgedp.release.draw import draw_positions
from edgedp.release.plan import NodesPlan
from edgedp.words.vocabulary import SAMPLERS
from sampling_doubles import assert_has_law


def drawn(k: int, times: int = 1500, epsilon: int = 4, **options: object) -> Any:
    case = Case("motkin" if "metrics" in options else "priv_top_k", options)
    plan = case.plan(5, 4, k, epsilon)
    return pytest.param(plan, times, id=f"{case.release} {case.metrics} {case.mechanism} k={k}")


@pytest.mark.parametrize(
    ("plan", "times"),
    [
        *(drawn(2, metric="degree", mechanism="em", sampler=name) for name in SAMPLERS),
        drawn(2, metric="ebc", mechanism="sld"),
        drawn(2, metric="ebc", mechanism="sld", sampler="permute_and_flip"),
        drawn(1, metric="ebc", mechanism="ld", sensitivity_form="common_neighbors"),
        drawn(2, times=6000, epsilon=10, metric="density", mechanism="pf"),
        drawn(1, metric="degree", mechanism="joint"),
        drawn(2, metric="degree", mechanism="joint"),
        drawn(2, metric="betweenness2", mechanism="joint", proxy="betweenness2"),
        drawn(2, metrics=("degree", "density"), approach="pareto"),
        drawn(2, metrics=("degree", "ebc"), approach="pareto", mechanism="ld", sampler="permute_and_flip"),
        drawn(2, metrics=("degree", "density", "ebc"), approach="pareto", sensitivity="global"),
        drawn(2, metrics=("degree", "ebc"), approach="aggregate", weights=(1, -2)),
    ],
)
def test_draws_have_the_law_that_is_audited(plan: NodesPlan, times: int) -> None:
    """Chi-square of the secure path; `sampling_doubles` states its false-alarm rate."""
    projection = TableProjection.of(GraphProjection(graph_of_mask(95, 5)))
    law = dict(zip(answers(5, plan.k), ordered_answer_law(plan, projection).tolist(), strict=True))
    assert sum(law.values()) == pytest.approx(1)
    assert_has_law(
        [tuple(draw_positions(plan, projection, SecureWords()).tolist()) for _ in range(times)], law
    )
