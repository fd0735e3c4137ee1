from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from edgedp.mechanisms.scores.dampening import locally_dampened, shifted


def by_definition(u: float, table: list[float]) -> float:
    """Interpolate through (b(i), i), mirrored, walking interval by interval."""
    delta = lambda i: table[min(i, len(table) - 1)]  # noqa: E731
    b, i = 0.0, 0
    size = abs(u)
    while not size < b + delta(i):
        b += delta(i)
        i += 1
        if i > 10_000:
            raise AssertionError("delta never grows")
    d = i + (size - b) / delta(i)
    return -d if u < 0 else d


def dampen(utilities: list[float], table: list[list[float]]) -> list[float]:
    array = np.asarray(table, dtype=float)
    last = array.shape[1] - 1
    return locally_dampened(
        np.asarray(utilities, dtype=float), lambda t, rows: array[rows, min(t, last)], last
    ).tolist()


def test_worked_examples_of_the_thesis() -> None:
    assert np.allclose(dampen([6.5, 0], [[3, 5], [2, 5]]), [1.7, 0])
    assert np.allclose(dampen([-0.5, -7], [[3, 5], [2, 5]]), [-0.5 / 3, -2])
    assert dampen([3, 4], [[1, 2], [4, 4]]) == [2, 1]  # the inversion that shifting mends


def test_what_nothing_can_move_is_as_far_as_there_are_intervals() -> None:
    assert dampen([0, 5, -5], [[0, 0]] * 3) == [1, 1, -1]


def test_leading_zeros_are_empty_intervals() -> None:
    assert dampen([0], [[0, 1, 2]]) == [1]
    assert dampen([0], [[0, 0, 3]]) == [2]
    assert np.allclose(dampen([0.5], [[0, 1, 2]]), [1.5])
    assert np.allclose(dampen([-0.5], [[0, 1, 2]]), [-1.5])


@given(
    st.lists(st.floats(0.125, 100), min_size=1, max_size=6).map(sorted),
    st.floats(-300, 300, allow_nan=False),
)
def test_is_the_interpolation_of_the_definition(table: list[float], u: float) -> None:
    assert np.isclose(dampen([u], [table])[0], by_definition(u, table), rtol=1e-12, atol=1e-12)


def test_of_thousands_of_intervals_rounding_takes_no_more_than_of_one() -> None:
    """Tenths are no floats: summed up plainly, ten thousand of them are off by more than 2**-40."""
    utilities, width = [999.95, 123.456, -777.7, 0.05], 0.1
    found = dampen(utilities, [[width] * 9_990 + [0.3]] * 4)
    for u, dampened in zip(utilities, found, strict=True):
        whole, rest = divmod(abs(Fraction(u)), Fraction(width))
        exact = whole + rest / Fraction(width) if whole < 9_990 else Fraction(0)
        if whole >= 9_990:
            exact = 9_990 + (abs(Fraction(u)) - 9_990 * Fraction(width)) / Fraction(0.3)
        assert abs(abs(Fraction(dampened)) - exact) <= 4 * exact / 2**53
        assert (dampened < 0) == (u < 0)


@given(
    hnp.arrays(np.float64, 5, elements=st.floats(0, 50)), hnp.arrays(np.float64, 5, elements=st.floats(0, 9))
)
def test_shifting_is_the_limit_of_dampening_far_away(utilities: np.ndarray, first: np.ndarray) -> None:
    """SLD is LD on ``u - s``; from some s on it is the closed form plus a constant that all share."""
    ceiling, far = 10.0, 1000.0
    table = np.column_stack([np.floor(first), np.full(5, ceiling)])
    sums = (1 - table / ceiling).sum(axis=1)
    up = np.asarray(dampen((utilities - far).tolist(), table.tolist())) + far / ceiling
    down = np.asarray(dampen((utilities + far).tolist(), table.tolist())) - far / ceiling
    assert np.allclose(up, shifted(utilities, sums, ceiling, "up"))
    assert np.allclose(down, shifted(utilities, sums, ceiling, "down"))
