"""Exact numbers, their sensitivities and the laws of their releases: computed from private edges, never published."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from numbers import Rational, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.graph.ids import positions_of
from edgedp.mechanisms.counts import count_class
from edgedp.mechanisms.counts.base import sensitivity_at
from edgedp.mechanisms.counts.clustering import clustering_of
from edgedp.mechanisms.projection import GraphProjection
from edgedp.release.in_memory.numbers import count_in_memory
from edgedp.release.numbers.counting import count_in, law_of
from edgedp.release.options import CountOptions
from edgedp.release.plan import PublicFacts, plan
from edgedp.release.plan.arc_numbers import ARCS
from edgedp.release.plan.numbers import CountPlan, plan_count
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import is_word

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph
    from edgedp.mechanisms.projection import NumberProjection

_ANY = {"epsilon": 1}
"""Stands for an epsilon where none matters."""


def plan_exact(of: str, given: Mapping[str, Any], facts: PublicFacts) -> CountPlan:
    """Return the plan of a number that is asked exactly: no mechanism, and no epsilon that would matter."""
    return plan_count(CountOptions.given({"of": of} | _ANY | dict(given)), facts)


def exact_count(graph: Graph, of: str, given: Mapping[str, Any], engine: str) -> int | float:
    """Return a number exactly; a float where it is no integer."""
    if is_word(of, ARCS):
        return exact_arcs(graph)
    planned = count_in_memory(graph, None, {"of": of} | _ANY | dict(given))
    return exact_value(planned, GraphProjection(graph, engine))


def exact_arcs(graph: Graph) -> int:
    """Return the number of arcs of a graph; one without directions is refused."""
    plan("count", {"of": ARCS} | _ANY, PublicFacts(graph.node_count, directed=graph.directed))
    return graph.arc_count


def exact_needs(plan: CountPlan) -> set[str]:
    """Return what of a database's statements the engine ``cypher`` needs for a number, beside the degrees."""
    match plan.of:
        case "triangles" | "clustering":
            return {"count_triangles"}
        case "common_neighbors":
            return {"pair_common_neighbors"}
        case "edges" | "wedges" | "stars" | "degree":
            return set()
        case _:
            return {plan.of}


def exact_value(plan: CountPlan, projection: NumberProjection) -> int | float:
    """Return what a plan counts, exactly; a float where it is no integer."""
    parts = [count_in(part, projection.node_ids).value(projection, part.bounds) for part, _ in plan.parts()]
    if parts:
        triangles, wedges = parts
        return float(clustering_of(triangles, wedges))
    if plan.of in ("density", "ebc", "betweenness2"):
        positions = positions_of(projection.node_ids, np.array(plan.named), what="node")
        return float(projection.values(plan.of, positions)[0])
    return count_in(plan, projection.node_ids).value(projection, plan.bounds)


def exact_sensitivity(
    graph: Graph, of: str, t: int, given: Mapping[str, Any], degree_bound: Any, engine: str
) -> int | float:
    """Return ``I_t``."""
    planned = count_in_memory(graph, degree_bound, {"of": of} | _ANY | dict(given))
    _refuse_computed(planned.of)
    return exact_sensitivity_value(planned, GraphProjection(graph, engine), t)


def exact_sensitivity_needs(plan: CountPlan) -> set[str]:
    """Return what of a database's statements the engine ``cypher`` needs for ``I_t``, beside the degrees."""
    _refuse_computed(plan.of)
    match plan.of:
        case "triangles" | "ebc":
            return {"common_neighbors"}
        case "wedges" | "stars":
            return {"neighbors"}
        case "edges" | "common_neighbors" | "degree" | "density" | "betweenness2":
            return set()
        case _:
            return {plan.of}


def exact_sensitivity_value(plan: CountPlan, projection: NumberProjection, t: int) -> int | float:
    """Return ``I_t`` of what a plan counts; a float where the number is none."""
    count = count_in(plan, projection.node_ids)
    moved, bits = sensitivity_at(count, projection, plan.bounds, t), count.bits(plan.bounds)
    return moved if bits == 0 else moved / (1 << bits)


def exact_probabilities(
    graph: Graph, given: Mapping[str, Any], values: ArrayLike, degree_bound: Any
) -> NDArray[np.float64]:
    """Return the probabilities of some values of a release."""
    asked = dict(given)
    delta = asked.pop("delta", None)
    options = count_in_memory(graph, degree_bound, asked, delta)
    _refuse_computed(options.of)
    law, profile = law_of(options, GraphProjection(graph))
    wanted = _numbers(values)
    probabilities = np.zeros(len(wanted))
    integers, whole = _in_units(wanted, profile.bits)
    if abs(profile.value) >= _INT64:
        integers = integers.astype(object)
    probabilities[whole] = law.cut(integers, profile.maximum)
    return probabilities


_INT64 = 2**62


def _numbers(values: ArrayLike) -> NDArray[Any]:
    try:
        wanted = np.asarray(values)
    except ValueError:
        wanted = np.zeros((0, 0))
    kind = wanted.dtype.kind
    if wanted.ndim != 1 or kind not in "iufO" or (kind == "O" and not all(map(_is_number, wanted))):
        raise ParameterError(
            "values is not a list of numbers; give the values whose probabilities are wanted"
        )
    return wanted


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    if isinstance(value, Rational):
        return value.denominator == 1
    return isfinite(value) and value == int(value)


def _in_units(values: NDArray[Any], bits: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the values that are whole numbers of units, int64 or Python integers, and where they stand."""
    if bits == 0 and values.dtype.kind == "i":
        return values.astype(np.int64), np.ones(len(values), dtype=bool)
    scaled = [each * (1 << bits) for each in values.tolist()]
    whole = np.array([_is_whole(each) for each in scaled], dtype=bool)
    integers = [int(each) for each, kept in zip(scaled, whole.tolist(), strict=True) if kept]
    small = all(abs(each) < _INT64 for each in integers)
    return np.array(integers, dtype=np.int64 if small else object), whole


def _refuse_computed(of: str) -> None:
    if count_class(of).parts:
        raise ParameterError(
            f"of is {of!r}, must be a number that is drawn itself; ask for triangles and for wedges"
        )
