"""What the releases of a graph in memory share: public facts of the graph, a plan, a draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from edgedp.mechanisms.checks import check_degree_bound, check_graph
from edgedp.release.plan import Kind, Plan, PublicFacts, plan
from edgedp.release.release import Release
from edgedp.words.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np

    from edgedp.graph.graph import Graph


def facts_of(graph: Graph, degree_bound: Any) -> PublicFacts:
    """Return what its holder declares public about a graph."""
    check_graph(graph)
    bound = check_degree_bound(degree_bound)
    return PublicFacts(
        graph.node_count, bound, graph.nodes_supplied, directed=graph.directed, weighting=graph.weighting
    )


def plan_in_memory(kind: Kind, graph: Graph, degree_bound: Any, asked: Mapping[str, Any]) -> Plan:
    """Plan a release of a graph that the caller holds; a bound that the graph breaks is refused where it matters."""
    planned = plan(kind, asked, facts_of(graph, degree_bound))
    check_keeps_bound(graph.max_degree, planned)
    return planned


def release_in_memory(
    kind: Kind, graph: Graph, degree_bound: Any, asked: Mapping[str, Any], rng: np.random.Generator | None
) -> Release:
    """Plan and draw a release of a graph that the caller holds; nothing is debited."""
    return drawn_in_memory(graph, plan_in_memory(kind, graph, degree_bound, asked), rng)


def check_keeps_bound(largest_degree: int, planned: Plan) -> None:
    """Refuse a graph, which the caller holds or may see, that breaks the bound that a plan rests on."""
    if planned.rests_on_bound and largest_degree > planned.degree_bound:
        raise ParameterError(
            f"degree_bound is {planned.facts.degree_bound}, must be at least the graph's largest degree; "
            "declare a larger bound"
        )


def drawn_in_memory(graph: Graph, planned: Plan, rng: np.random.Generator | None) -> Release:
    """Draw a planned release of a graph that the caller holds; nothing is debited."""
    from edgedp.mechanisms.projection import GraphProjection
    from edgedp.mechanisms.sampling.words import words_from
    from edgedp.release.draw import draw

    words = words_from(rng)
    # Nothing is debited, so every step is allowed.
    answer = draw(planned, GraphProjection(graph), words, pay=lambda _: True)
    return Release(answer, planned, private=words.private)
