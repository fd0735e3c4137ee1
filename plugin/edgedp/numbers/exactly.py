"""Exact numbers, their sensitivities and the laws of their releases: computed from private edges, never published."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.counts import count_class
from edgedp.counts.clustering import clustering_of
from edgedp.errors import ParameterError
from edgedp.numbers.counting import profile_in
from edgedp.numbers.in_memory import count_in_memory
from edgedp.projection import GraphProjection

if TYPE_CHECKING:
    from edgedp.graph import Graph

__all__ = ["exact_count", "exact_probabilities", "exact_sensitivity"]

_ANY = {"epsilon": 1}
"""Stands for an epsilon where none matters."""


def exact_count(graph: Graph, of: str, given: Mapping[str, Any], engine: str) -> int | float:
    """Return a number exactly; a float where it is no integer."""
    options = count_in_memory(graph, None, {"of": of} | _ANY | dict(given))
    projection = GraphProjection(graph, engine)
    if count_class(options.of).parts:
        triangles, wedges = (profile_in(part, projection).value for part in options.parts())
        return float(clustering_of(triangles, wedges))
    if options.of in ("density", "ebc", "betweenness2"):
        positions = graph.positions([options.node])
        return float(projection.values(options.of, positions)[0])
    return profile_in(options, projection).value


def exact_sensitivity(
    graph: Graph, of: str, t: int, given: Mapping[str, Any], degree_bound: Any, engine: str
) -> int | float:
    """Return ``I_t``."""
    options = count_in_memory(graph, degree_bound, {"of": of} | _ANY | dict(given))
    _refuse_computed(options.of)
    profile = profile_in(options, GraphProjection(graph, engine))
    return profile.at(t) if profile.bits == 0 else profile.at(t) / (1 << profile.bits)


def exact_probabilities(
    graph: Graph, given: Mapping[str, Any], values: ArrayLike, degree_bound: Any
) -> NDArray[np.float64]:
    """Return the probabilities of some values of a release."""
    options = count_in_memory(graph, degree_bound, dict(given))
    _refuse_computed(options.of)
    law, profile = options.law(GraphProjection(graph))
    wanted = np.asarray(values)
    if wanted.ndim != 1 or wanted.dtype.kind not in "iufO":
        raise ParameterError(
            "values is of another shape or type, must be a list of numbers; give the values asked for"
        )
    probabilities = np.zeros(len(wanted))
    integers, whole = _in_units(wanted, profile.bits)
    if abs(profile.value) >= _INT64:
        integers = integers.astype(object)
    probabilities[whole] = law.cut(integers, profile.maximum)
    return probabilities


_INT64 = 2**62


def _in_units(values: NDArray[Any], bits: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the values that are whole numbers of units, int64 or Python integers, and where they stand."""
    if bits == 0 and values.dtype.kind == "i":
        return values.astype(np.int64), np.ones(len(values), dtype=bool)
    scaled = [each * (1 << bits) for each in values.tolist()]
    whole = np.array([isfinite(each) and each == int(each) for each in scaled], dtype=bool)
    integers = [int(each) for each, kept in zip(scaled, whole.tolist(), strict=True) if kept]
    small = all(abs(each) < _INT64 for each in integers)
    return np.array(integers, dtype=np.int64 if small else object), whole


def _refuse_computed(of: str) -> None:
    if count_class(of).parts:
        raise ParameterError(
            f"of is {of!r}, must be a number that is drawn itself; ask for triangles and for wedges"
        )
