"""Trying a release before it is debited: the same plan, drawn once from a small constant graph.

An engine that is missing, or a kernel that does not compile on this machine, is found here, at no cost. The graph
is part of the program and the draw is thrown away, so that nothing is learned and nothing is spent.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from edgedp.graph.graph import Graph
from edgedp.mechanisms import checks
from edgedp.mechanisms.projection import GraphProjection
from edgedp.release.plan import PublicFacts
from edgedp.words.errors import EdgeDPError, EngineError
from edgedp.words.vocabulary import GRAPH_ENGINES, RELEASE_ENGINES, SPARK_KINDS, Kind, ReleaseEngine

if TYPE_CHECKING:
    from edgedp.graph.weights import Weighting
    from edgedp.release.plan import Plan

_EDGES = [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)]
_NODES = 5
_tried: set[Any] = set()


def check_engine(engine: ReleaseEngine, kind: Kind) -> None:
    """Refuse an engine that draws no release, or none of its kind."""
    checks.check_choice(engine, "engine", RELEASE_ENGINES)
    if engine in GRAPH_ENGINES or (engine == "spark" and kind in SPARK_KINDS):
        return
    if engine == "spark":
        raise EngineError(
            f"engine is 'spark', must be native or igraph for {kind}; it draws only {', '.join(SPARK_KINDS)}"
        )
    raise EngineError(
        "engine is 'cypher', must be native or igraph for a release, which is drawn from one reading; ask without it"
    )


def small_graph(*, directed: bool = False, weighting: Weighting | None = None) -> Graph:
    """Return the constant graph, of which each edge weighs a step where weights are declared."""
    weights = None if weighting is None else [float(weighting.step)] * len(_EDGES)
    return Graph.from_edges(_EDGES, directed=directed, weights=weights, weight=weighting)


def small_plan(plan: Plan, *, directed: bool = False) -> Plan:
    """Return the same question about the constant graph."""
    weighting = plan.facts.weighting
    return plan.on(PublicFacts(_NODES, None, nodes_supplied=False, directed=directed, weighting=weighting))


def try_engine(plan: Plan, engine: str) -> None:
    """Refuse a plan that this machine cannot draw with an engine; each kind is tried once a process.

    Raises
    ------
    EngineError
        In one line, before any debit.
    """
    from edgedp.mechanisms.sampling.words import SecureWords
    from edgedp.release.draw import draw

    small = small_plan(plan, directed=plan.facts.directed)
    key = (engine, repr(small).replace(f"cost={small.cost}", "", 1))
    if key in _tried:
        return
    try:
        projection = GraphProjection(
            small_graph(directed=plan.facts.directed, weighting=plan.facts.weighting), engine
        )
        _ask_everything(small, projection)
        draw(small, projection, SecureWords())
    except EdgeDPError:
        raise
    except Exception as error:
        raise EngineError(
            f"engine {engine!r} does not work on this machine ({type(error).__name__}: "
            f"{str(error).partition(chr(10))[0]}); nothing was debited, repair the installation or take another engine"
        ) from None
    _tried.add(key)


def _ask_everything(plan: Plan, projection: GraphProjection) -> None:
    """Ask for all that a draw of the plan may ask for; a single lazy draw need not ask for any of it."""
    few = np.array([0, 3])
    caps = np.full(len(projection.node_ids), 2)
    for quantity in sorted(plan.quantities):
        match quantity:
            case "betweenness2_shares":
                projection.betweenness2_shares(32)
            case "figures":
                projection.figures()
            case "cut_shares":
                projection.cut_shares(caps, None, 20)
                projection.cut_shares(caps, caps.cumsum(), 20)
            case "ordered_degrees":
                projection.ordered_degrees(caps.cumsum())
            case "cut_closed_shares":
                projection.cut_closed_shares(caps, None, caps, 50, 20)
            case "max_common_neighbors":
                projection.max_common_neighbors(None)
                projection.max_common_neighbors(few)
            case metric:
                projection.values(metric, None)
                projection.values(metric, few)


def check_closed(planned: Plan) -> None:
    """Refuse windows that are still open, by the clock of this process.

    Raises
    ------
    ParameterError
    """
    calendar = planned.facts.calendar
    if calendar is not None:
        calendar.check_closed(planned.facts.span, datetime.now(UTC))
