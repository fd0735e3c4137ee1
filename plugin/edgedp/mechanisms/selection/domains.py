"""Public domains of a property: what a value is clipped to, and the grid that an answer is picked from.

A value becomes a number, or missing, or a category by itself alone: what stands in the other records never
decides how it is read. So replacing one record changes one entry of what is counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.graph.ids import number_of, numbers_of
from edgedp.mechanisms.checks import check_choice, check_whole
from edgedp.words.containers import is_list, values_of
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import DEPENDENCES, DependsOn, is_word

GridKind = Literal["linear", "geometric", "explicit"]

_MOST_POINTS = 1 << 24


@dataclass(frozen=True, eq=False)
class Domain:
    """A declared range with its grid: public, and never read off the data.

    Attributes
    ----------
    low, high : float
        Values are clipped to this range before anything else.
    grid : (G,) float64 array, read-only
        Strictly increasing candidates within the range.
    kind : {"linear", "geometric", "explicit"}
    depends_on : {"independent", "degree"}
        What a value is a function of: its own record alone, or its own record and its own degree. A
        property of the second kind moves with edges: an edge replaces two records.

    Notes
    -----
    Made by `declare` or `declared_grid`, which check it.
    """

    low: float
    high: float
    grid: NDArray[np.float64]
    kind: GridKind
    depends_on: DependsOn = "independent"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Domain):
            return NotImplemented
        return self._said == other._said and np.array_equal(self.grid, other.grid)

    def __hash__(self) -> int:
        return hash((self._said, self.grid.tobytes()))

    @property
    def _said(self) -> tuple[Any, ...]:
        return self.low, self.high, self.kind, self.depends_on

    def to_dict(self) -> dict[str, Any]:
        """Return what is shown of it: public facts."""
        shown: dict[str, Any] = {"low": self.low, "high": self.high, "grid": self.kind}
        return shown | {"points": len(self.grid), "depends_on": self.depends_on}

    def declared_for(self, name: str) -> dict[str, Any]:
        """Return the declaration of a property as a log keeps it, its name first.

        Examples
        --------
        >>> declare(0, 9, points=10).declared_for("age")["property"]
        'age'
        """
        body = {"property": name} | self.to_dict()
        return body | {"values": self.grid.tolist()} if self.kind == "explicit" else body


def declare(
    low: Any,
    high: Any,
    grid: Any = "linear",
    points: Any = None,
    depends_on: str = "independent",
) -> Domain:
    """Declare the domain and the grid of a property.

    Parameters
    ----------
    low, high : number
        Finite, ``low < high``.
    grid : {"linear", "geometric"} or array-like of float
        Evenly spaced, evenly spaced in the logarithm (``low > 0``), or the points themselves.
    points : int, optional
        Of the first two: at least 2, default 1001.
    depends_on : {"independent", "degree"}
        See `Domain`. ``"edges"``, a function of other nodes' records or of edges beyond the own degree, is
        refused: the privacy of a record does not bound what it tells.

    Raises
    ------
    ParameterError
        It is no such domain.

    Examples
    --------
    >>> declare(0, 100, points=5).grid.tolist()
    [0.0, 25.0, 50.0, 75.0, 100.0]
    >>> declare(1, 1000, "geometric", points=4).grid.round(9).tolist()
    [1.0, 10.0, 100.0, 1000.0]
    """
    first, last = _number(low, "low"), _number(high, "high")
    if not first < last or not math.isfinite(last - first):
        raise ParameterError(f"high is {high}, must be above low, which is {low}; declare another range")
    if is_word(depends_on, "edges"):
        raise ParameterError(
            "depends_on is 'edges', must be 'independent' or 'degree'; what is computed from other nodes' records or "
            "from edges cannot be released as a property"
        )
    check_choice(depends_on, "depends_on", DEPENDENCES)
    of_degree: DependsOn = "degree" if depends_on == "degree" else "independent"
    if isinstance(grid, str):
        kind = check_choice(grid, "grid", ("linear", "geometric"))
        count = check_whole(1001 if points is None else points, "points")
        if not 2 <= count <= _MOST_POINTS:
            raise ParameterError(
                f"points is {count}, must be from 2 to {_MOST_POINTS}; choose another number"
            )
        if kind == "geometric" and first <= 0:
            raise ParameterError(f"low is {low}, must be above 0 for a geometric grid; declare a linear one")
        made = np.linspace(first, last, count) if kind == "linear" else np.geomspace(first, last, count)
        named: GridKind = "linear" if kind == "linear" else "geometric"
        return Domain(first, last, _increasing(made), named, of_degree)
    if points is not None:
        raise ParameterError("points is not an option of a grid of given points; ask without it")
    given = _increasing(_points(grid))
    if given[0] < first or given[-1] > last:
        raise ParameterError("grid has points outside low and high; declare a wider range")
    return Domain(first, last, given, "explicit", of_degree)


def shown_domain(shown: Mapping[str, Any]) -> Domain:
    """Return the domain that `Domain.to_dict` shows; given points are not shown, and stand there as NaN.

    Examples
    --------
    >>> shown_domain(declare(0, 9, points=10).to_dict()).grid.tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
    """
    if shown["grid"] != "explicit":
        return declare(shown["low"], shown["high"], shown["grid"], shown["points"], shown["depends_on"])
    depends_on = check_choice(shown["depends_on"], "depends_on", DEPENDENCES)
    unknown = np.full(check_whole(shown["points"], "points"), np.nan)
    return Domain(
        _number(shown["low"], "low"), _number(shown["high"], "high"), unknown, "explicit", depends_on
    )


def declared_grid(grid: Any) -> Domain:
    """Return a domain as it is, or one from the ends of the given points.

    Examples
    --------
    >>> domain = declared_grid(range(101))
    >>> domain.low, domain.high, domain.kind
    (0.0, 100.0, 'explicit')
    """
    if isinstance(grid, Domain):
        return grid
    points = _increasing(_points(grid))
    return Domain(float(points[0]), float(points[-1]), points, "explicit")


def codes(values: Any, categories: Sequence[Any]) -> NDArray[np.int64]:
    """Return every value as the place of its category; ``len(categories)`` for others, one more for missing.

    Parameters
    ----------
    values : array-like
        One value a record, of any type; None and NaN are missing.
    categories : sequence
        Different, hashable, **public**.

    Examples
    --------
    >>> codes(["red", "blue", None, "pink"], ["blue", "red"]).tolist()
    [1, 0, 3, 2]
    """
    read = values_of(values, "values")
    listed = read.tolist() if isinstance(read, np.ndarray) else list(read)
    place = {category: position for position, category in enumerate(categories)}
    if len(place) < len(categories):
        raise ParameterError("categories holds one twice; leave one out")
    other, missing = len(place), len(place) + 1

    def code(value: Any) -> int:
        try:
            if value is None or value != value:
                return missing
        except (TypeError, ValueError):  # a missing value that refuses to be compared, as pandas has one
            return missing
        try:
            return place.get(value, other)
        except TypeError:  # a list, say
            return other

    return np.fromiter((code(value) for value in listed), dtype=np.int64, count=len(listed))


def _number(value: Any, name: str) -> float:
    number = number_of(value)
    if not math.isfinite(number):
        raise ParameterError(f"{name} is {value!r}, must be a finite number; declare one")
    return number


def _points(grid: ArrayLike) -> NDArray[np.float64]:
    points = numbers_of(grid, "grid").copy() if is_list(grid) else np.zeros(0)
    if len(points) < 2 or not np.isfinite(points).all():
        raise ParameterError(
            "grid is not a list of at least two points, all finite numbers; give the values to pick from"
        )
    return points


def _increasing(points: NDArray[np.float64]) -> NDArray[np.float64]:
    if not (np.diff(points) > 0).all() or not math.isfinite(points[-1] - points[0]):
        raise ParameterError("grid is not strictly increasing; sort it, or take fewer points")
    points.flags.writeable = False
    return points
