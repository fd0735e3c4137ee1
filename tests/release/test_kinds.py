"""Each kind of release, drawn as it is released, has an exact law that is written apart from its draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import exp
from typing import Any

import numpy as np
import pytest

import edgedp
from edgedp import Graph
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.sampling.words import SecureWords
from edgedp.mechanisms.selection.domains import declare
from edgedp.mechanisms.selection.percentiles import percentile_law
from edgedp.mechanisms.selection.questions import ask_percentile
from edgedp.release.draw import draw
from edgedp.release.plan import Kind, PublicFacts, plan
from edgedp.release.release import Answer, Distribution, Nodes, Number, Point, Summary
from edgedp.words.vocabulary import KINDS
from sampling_doubles import assert_has_law

PATH = Graph.from_edges([(0, 1), (1, 2)], nodes=range(3), properties={"age": [1, 1, 3]})
AGES = declare(0, 3, points=4)
FACTS = PublicFacts(3, 2, domains={"age": AGES})
EPSILON = 4

Law = dict[Any, float]


def geometric(scale: Fraction, reach: int = 400) -> Law:
    ratio = exp(-1 / scale)
    return {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-reach, reach + 1)}


def cut(value: int, most: int) -> int:
    return min(max(value, 0), most)


def nodes(law: np.ndarray) -> Law:
    return dict(enumerate(law.tolist()))


def law_of_degrees() -> Law:
    """Two nodes of degree 1, one of degree 2: noise of scale ``2 / epsilon`` on 3 and 1, which never rise."""
    law: Counter[tuple[int, int]] = Counter()
    noise = geometric(Fraction(2, EPSILON), 60)
    for (up, p), (over, q) in product(noise.items(), repeat=2):
        one, two = 3 + up, 1 + over
        if one < two:
            one = two = (one + two + 1) // 2
        law[cut(one, 3), cut(two, 3)] += p * q  # type: ignore[assignment]
    return dict(law)


def law_of_edges(epsilon: Fraction) -> Law:
    law: Counter[int] = Counter()
    for z, p in geometric(1 / epsilon).items():
        law[cut(2 + z, 3)] += p  # type: ignore[assignment]
    return dict(law)


def law_of_a_page() -> Law:
    """Two of its five numbers: the edges, and a bound that the largest degree exceeds once in a hundred draws."""
    tenth = Fraction(EPSILON, 10)
    noise = geometric(1 / tenth)
    shift = next(some for some in range(400) if sum(noise[z] for z in noise if z < -some) <= 0.01)
    bound: Counter[int] = Counter()
    for z, p in noise.items():
        bound[cut(2 + z + shift, 2)] += p  # type: ignore[assignment]
    return {(e, b): p * q for (e, p), (b, q) in product(law_of_edges(tenth).items(), bound.items())}


def outcome(answer: Answer) -> Any:
    match answer:
        case Nodes((node,)):
            return node
        case Number(value):
            return value
        case Distribution(values):
            return values
        case Summary(numbers):
            return numbers["edges"], numbers["degree_at_most"]
        case Point(value):
            return value
    raise AssertionError(f"what is compared of {answer} is missing; write it here")


LAWS: dict[Kind, tuple[dict[str, Any], Callable[[], Law]]] = {
    "priv_top_k": (
        {"metric": "degree", "k": 1, "mechanism": "sld"},
        lambda: nodes(
            edgedp.exact.first_pick_probabilities(PATH, "degree", 1, EPSILON, "sld", degree_bound=2)
        ),
    ),
    "motkin": (
        {"metrics": ("degree", "density"), "k": 1},
        lambda: nodes(
            edgedp.exact.motkin_first_pick_probabilities(PATH, k=1, epsilon=EPSILON, degree_bound=2)
        ),
    ),
    "count": ({"of": "edges"}, lambda: law_of_edges(Fraction(EPSILON))),
    "distribution": ({}, law_of_degrees),
    "summary": ({}, law_of_a_page),
    "percentile": (
        {"property": "age", "q": "0.5"},
        lambda: nodes(percentile_law([1, 1, 3], ask_percentile(AGES, 3, q="0.5", epsilon=EPSILON))),
    ),
}
"""A question of every kind, all but its epsilon, and the law of `outcome`."""


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_by_its_exact_law(kind: Kind) -> None:
    """The way from a plan to an answer, by 600 draws; the scale of each noise has tests of its own, too."""
    asked, law = LAWS[kind]
    planned, projection = plan(kind, asked | {"epsilon": EPSILON}, FACTS), GraphProjection(PATH)
    expected = law()
    assert sum(expected.values()) == pytest.approx(1)
    assert_has_law([outcome(draw(planned, projection, SecureWords())) for _ in range(600)], expected)
