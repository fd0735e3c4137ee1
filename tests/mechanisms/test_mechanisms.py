from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgedp.mechanisms import probabilities
from edgedp.mechanisms.scores.sums import Aggregate
from edgedp.words.errors import EdgeDPError
from edgedp.words.vocabulary import PICKING
from looped import as_one

UTILITIES = [6.5, 6.5] + [0.0] * 6
TABLE = [[3, 5]] * 2 + [[2, 5]] * 6


@as_one
@pytest.mark.parametrize(
    ("names", "weights", "monotone", "of_degrees"),
    [
        (("degree",), (1.0,), True, True),
        (("degree",), (-1.0,), False, True),
        (("degree", "degree"), (1.0, 2.0), True, True),
        (("degree", "degree"), (3.0, -1.0), False, True),
        (("degree", "ebc"), (1.0, 1.0), False, False),
        (("degree", "ebc"), (1.0, 0.0), True, True),
        (("ebc",), (1.0,), False, False),
    ],
)
def test_a_sum_is_monotone_where_an_edge_lowers_no_part_of_it(
    names: tuple[str, ...], weights: tuple[float, ...], monotone: bool, of_degrees: bool
) -> None:
    """What has the factor 2 of the noise taken from it; a part of weight 0 is none."""
    found = Aggregate(names, weights, None, 9)
    assert (found.monotone, found.reads_degree_alone) == (monotone, of_degrees)


def test_shared_neighbours_are_asked_for_where_the_form_of_some_part_reads_them() -> None:
    table = {
        (("ebc",), "common_neighbors"): True,
        (("ebc",), "degree"): False,
        (("degree", "density"), "common_neighbors"): False,
        (("density", "ebc"), "common_neighbors"): True,
        (("ebc",), None): False,
    }
    form: Any
    for (names, form), needs in table.items():
        assert Aggregate(names, (1.0,) * len(names), form, 9).needs_common is needs


def test_scores_are_the_same_whatever_is_known_of_shared_neighbours_beforehand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing, bounds of each node, or all: looked at one by one, or together."""
    from edgedp import Graph
    from edgedp.exact.audit.tables import TableProjection
    from edgedp.graph.engines.native import shared
    from edgedp.mechanisms.projection import GraphProjection
    from edgedp.mechanisms.scores import sums
    from edgedp.release.plan import PublicFacts, plan

    wheel = [(0, i) for i in range(1, 8)] + [(i, i % 7 + 1) for i in range(1, 8)]
    graph = Graph.from_edges([*wheel, (1, 8), (8, 9), (9, 10), (10, 8), (2, 8), (3, 8)])
    monkeypatch.setattr(shared, "COUNTED_LEAST", 0)
    for mechanism in ("ld", "sld"):
        options = {"mechanism": mechanism, "sensitivity_form": "common_neighbors", "epsilon": 1, "k": 2}
        planned: Any = plan("priv_top_k", {"metric": "ebc", **options}, PublicFacts(11))
        native = GraphProjection(graph)
        low, high = native.common_neighbors_between()
        assert (low < high).any()
        table = TableProjection.of(native)
        common = table.max_common_neighbors()
        assert ((low <= common) & (common <= high)).all()
        expected = sums.top_k_scores(planned, table).exact()
        assert len(set(expected.tolist())) > 2
        for projection in (table, native, GraphProjection(graph, "igraph")):
            found = sums.top_k_scores(planned, projection)
            assert found.evaluate is not None
            assert found.exact().tolist() == expected.tolist()
            assert (found.upper >= expected).all()
            for some in ([3], [8, 0, 5], [10, 9, 8, 7, 1]):
                positions = np.array(some)
                assert found.evaluate(positions).tolist() == expected[positions].tolist()


def test_worked_example_by_local_dampening() -> None:
    law = probabilities("ld", UTILITIES, 2, sensitivity=TABLE)
    assert np.allclose(law, [0.323] * 2 + [0.059] * 6, atol=5e-4)


def test_worked_example_by_the_exponential_mechanism() -> None:
    law = probabilities("em", UTILITIES, 2, global_sensitivity=7.5)
    assert np.allclose(law, [0.221] * 2 + [0.093] * 6, atol=5e-4)


def test_worked_example_shifted_by_hand() -> None:
    moved = (np.asarray(UTILITIES) - 7).tolist()
    law = probabilities("ld", moved, 2, sensitivity=[[3, 5]] * 2 + [[2, 5]] * 6)
    assert np.allclose(law, [0.338] * 2 + [0.054] * 6, atol=5e-4)


@given(
    st.lists(st.floats(-5, 5), min_size=1, max_size=7), st.floats(0.01, 20), st.floats(0.1, 10), st.booleans()
)
def test_em_is_the_softmax_of_its_definition(
    utilities: list[float], epsilon: float, gs: float, monotone: bool
) -> None:
    law = probabilities("em", utilities, epsilon, global_sensitivity=gs, monotone=monotone)
    weights = np.exp(epsilon * (np.asarray(utilities) - max(utilities)) / ((1 if monotone else 2) * gs))
    assert np.allclose(law, weights / weights.sum(), rtol=1e-6, atol=1e-12)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6), st.floats(0.01, 10))
def test_permute_and_flip_never_has_a_lower_expected_score(utilities: list[float], epsilon: float) -> None:
    em = probabilities("em", utilities, epsilon, global_sensitivity=1)
    pf = probabilities("pf", utilities, epsilon, global_sensitivity=1)
    assert np.isclose(pf.sum(), 1)
    assert pf @ utilities >= em @ utilities - 1e-9


def test_permute_and_flip_by_its_definition() -> None:
    """Random order, accept with probability exp(eps (u - max) / 2): enumerate the orders."""
    from itertools import permutations

    utilities, epsilon = np.array([0.0, 1.0, 3.0, 3.0]), 1.3
    accept = np.exp(epsilon * (utilities - 3) / 2)
    law = np.zeros(4)
    orders = list(permutations(range(4)))
    for order in orders:
        reached = 1.0
        for r in order:
            law[r] += reached * accept[r] / len(orders)
            reached *= 1 - accept[r]
    found = probabilities("pf", utilities, epsilon, global_sensitivity=1)
    assert np.allclose(found, law, atol=1e-9)
    assert np.allclose(
        probabilities("em", utilities, epsilon, global_sensitivity=1, sampler="permute_and_flip"),
        law,
        atol=1e-9,
    )


def test_sld_is_the_softmax_of_the_closed_form() -> None:
    utilities, table = np.array([3.0, 1.0, 0.0]), np.array([[2.0, 4.0], [1.0, 4.0], [0.0, 4.0]])
    sums = (1 - table / 4).sum(axis=1)
    for shift, sign in (("up", -1), ("down", 1)):
        scores = utilities / 4 + sign * sums
        weights = np.exp(0.7 * scores / 2)
        law = probabilities("sld", utilities, 0.7, sensitivity=table, global_sensitivity=4, shift=shift)
        assert np.allclose(law, weights / weights.sum(), atol=1e-9)


def test_of_candidates_that_nothing_can_move_the_best_is_named() -> None:
    assert probabilities("em", [3, 1], 1, global_sensitivity=0).tolist() == [1, 0]
    assert probabilities("sld", [3, 3], 1, global_sensitivity=0, sensitivity=[[0], [0]]).tolist() == [
        0.5,
        0.5,
    ]
    assert probabilities("em", [3], 1, global_sensitivity=1).tolist() == [1.0]


@as_one
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("emm", [1]), "did you mean 'em'?"),
        (("joint", [1]), f"must be one of {', '.join(PICKING)}"),
        (("em", []), "at least one candidate"),
        (("em", [1, float("nan")]), "finite"),
        (("em", [[1]]), "1 dimension"),
        (("em", [1]), "global_sensitivity is missing"),
        (("ld", [1]), "sensitivity is not of shape"),
    ],
)
def test_bad_arrays_are_refused(arguments: tuple[str, list[Any]], says: str) -> None:
    with pytest.raises(EdgeDPError, match=says.replace("?", r"\?")):
        probabilities(*arguments, 1)


@as_one
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"sensitivity": [[2, 1], [1, 1]]}, "falls with t"),
        ({"sensitivity": [[-1], [1]]}, "negative"),
        ({"sensitivity": [[1]]}, "shape"),
        ({"sensitivity": [[1], [1]], "global_sensitivity": 2}, "below global_sensitivity"),
        ({"sensitivity": [[1], [1]], "global_sensitivity": -2}, "0 or more"),
        ({"sensitivity": [[1], [1]], "global_sensitivity": 1, "monotone": True}, "monotone"),
        ({"sensitivity": [[1], [1]], "global_sensitivity": 1, "shift": "left"}, "shift"),
    ],
)
def test_bad_sensitivities_are_refused(options: dict, says: str) -> None:
    with pytest.raises(EdgeDPError, match=says):
        probabilities("sld", [1, 2], 1, **options)


def test_the_noise_unit_pays_for_the_grid() -> None:
    """Rounding to the grid may add two steps to what one edge moves: written out here, and not by the code's own."""
    from fractions import Fraction

    from edgedp import Graph
    from edgedp.mechanisms.grid import grid_bits
    from edgedp.mechanisms.projection import GraphProjection
    from edgedp.mechanisms.scores import sums
    from edgedp.release.plan import PublicFacts, plan

    graph = Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3)])
    planned = plan("priv_top_k", {"metric": "density", "k": 2, "epsilon": "0.3"}, PublicFacts(4))
    bits = grid_bits(planned.facts.effective_degree_bound + 2)
    scores = sums.top_k_scores(planned, GraphProjection(graph))
    assert scores.unit * 2 * (2**bits + 2) == Fraction(3, 10) / 2
    # The law of the first pick against a softmax with a unit of our own.
    law = scores.law()
    found = scores.upper if scores.evaluate is None else scores.evaluate(np.arange(4))
    unit = float(Fraction(3, 20) / (2 * (2**bits + 2)))
    weights = np.exp(unit * (found - found.max()).astype(float))
    assert np.allclose(law, weights / weights.sum(), rtol=1e-9)
