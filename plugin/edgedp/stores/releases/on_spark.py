"""Releases that Spark draws for a store: of edges at an address, or of a graph that the store holds.

The way is that of every release. Before the debit: the plan, whether Spark can draw it, a session, and whether the
address can be read. After it, only the constant sentences of `edgedp.words.refusals`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from edgedp.ledger.pairs import PairProjection
from edgedp.ledger.rows import AT_ADDRESS, SPARK
from edgedp.release.plan import options_of
from edgedp.words.errors import EdgeDPError, EngineError, GraphFormatError, StoreError
from edgedp.words.refusals import STORE_FAILED
from edgedp.words.vocabulary import Kind, ReleaseEngine

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph
    from edgedp.ledger.backend import Session
    from edgedp.ledger.rows import GraphRow
    from edgedp.mechanisms.adaptive.until_sure import Looked, Pay
    from edgedp.release.answers import Answer
    from edgedp.release.conditions import Condition
    from edgedp.release.plan import Plan
    from edgedp.spark.edges import Edges
    from edgedp.spark.sources import Place

_tried: set[str] = set()

OTHER_COLUMNS = (
    "the rows at the address have other columns than were registered; nothing was spent; "
    "ask the curator to mend them"
)


def check_place(row: GraphRow, engine: ReleaseEngine) -> None:
    """Refuse for edges at an address an engine that does not read it, or does not follow its rules."""
    if row.engine == SPARK and engine != "spark":
        raise EngineError(
            f"engine is {engine!r}, must be 'spark' for {row.name!r}, whose edges are at an address that was "
            "registered only for Spark; give it, or drop the graph and register it again without that engine: its "
            "ledger stays"
        )
    if engine == "spark" and (odd := not_by_spark(_made(row))) is not None:
        raise EngineError(
            f"engine is 'spark', must be native or igraph for {row.name!r}, whose {odd} Spark would not heed; "
            "choose another"
        )


def not_by_spark(made: PairProjection | None) -> str | None:
    """Return which rule of a projection of rows Spark does not follow; None: it follows all."""
    if made is None:
        return None
    if made.weight is not None or made.at_least > 1:
        return "weight" if made.weight is not None else "at_least"
    return None if made.orientation in ("UNDIRECTED", "NATURAL") else "orientation"


def name_at(
    session: Session, name: str, engine: ReleaseEngine, kind: Kind, options: Mapping[str, Any]
) -> str:
    """Return the name of the graph whose edges are at an address, where that was asked for; else the name as it is.

    A table is looked up by a session of Spark, whose start takes seconds: what needs no graph is refused before it.

    Parameters
    ----------
    name : str
        Of no stored graph.
    engine, kind, options
        As of the release.
    """
    from edgedp.graph.reading.sources.places import canonical, is_catalogued

    rows = session.run("graph_places")
    places = {row["relationshipType"]: str(row["name"]) for row in rows if row["nodeLabel"] == AT_ADDRESS}
    if not places:
        return name
    if is_catalogued(name):
        _check_asked(name, engine, kind, options)
    with suppress(EdgeDPError):
        return places.get(_place_of_table(name) if is_catalogued(name) else canonical(name, "edges"), name)
    return name


def _check_asked(name: str, engine: ReleaseEngine, kind: Kind, options: Mapping[str, Any]) -> None:
    if engine != "spark":
        raise EngineError(
            f"engine is {engine!r}, must be 'spark' for {name!r}, a table of a catalogue, which only Spark finds; "
            "give it, or ask by the name of the graph"
        )
    options_of(kind).given(options)


def _place_of_table(name: str) -> str:
    from edgedp.spark.session import open_session
    from edgedp.spark.tables import found_table

    return found_table(open_session(), name, "edges").place


def try_spark(planned: Plan, row: GraphRow) -> None:
    """Refuse, before a debit, what Spark does not draw, a Spark that does not work, and an address it cannot read."""
    from edgedp.spark import filters
    from edgedp.spark.dates import NEEDS_NODES
    from edgedp.spark.drawing import check_can_draw, try_out
    from edgedp.spark.frames import held_edges
    from edgedp.spark.session import check_installed, open_session
    from edgedp.spark.sources import opened
    from edgedp.spark.top_k import spark_errors
    from edgedp.stores.releases.trial import small_graph, small_plan

    check_can_draw(planned)
    if planned.named and row.engine == SPARK:
        raise EngineError(
            f"{row.name!r} was registered only for Spark, and no ids of its nodes are kept to find "
            f"{planned.named[0]!r} among; ask for edges, wedges or stars, or for a list with estimates"
        )
    check_installed()
    place = _place(row) if row.at_address else None
    if place is not None:  # before a session, whose start takes seconds
        for needs, sentence in ((planned.facts.span, NEEDS_NODES), (_where(row), filters.NEEDS_NODES)):
            if needs and place.nodes is None:
                raise EngineError(sentence + "; ask without engine 'spark'")
    session = open_session()
    with spark_errors():
        if place is not None:
            try:
                opened(place, session, planned.facts.span, _where(row))
            except GraphFormatError:
                # In words of its own it names the columns; of a file that lost its first line these are an edge.
                raise StoreError(OTHER_COLUMNS) from None
        directed = planned.facts.directed
        small = small_plan(planned, directed=directed)
        key = f"{session.sparkContext.applicationId} {directed} {small.kind} {sorted(small.quantities)}"
        if key in _tried:
            return
        try_out(small, held_edges(session, small_graph(directed=directed)))
        _tried.add(key)


def draw(planned: Plan, row: GraphRow, read: Callable[[], Graph], pay: Pay, looked: Looked | None) -> Answer:
    """Draw a release that was debited; whoever calls lets no error out but the constant ones.

    Parameters
    ----------
    read : callable
        Returns the graph, where the store holds it.
    pay, looked : callable
        As of `edgedp.release.draw.draw`.
    """
    from edgedp.spark.drawing import draw_answer
    from edgedp.spark.frames import held_edges
    from edgedp.spark.session import open_session
    from edgedp.spark.sources import opened

    session = open_session()
    if row.at_address:
        try:
            edges = opened(_place(row), session, planned.facts.span, _where(row))
        except EdgeDPError:
            raise StoreError(STORE_FAILED) from None
    else:
        edges = held_edges(session, read())
    sys.audit("edgedp.reached", "read")
    drawn = draw_answer(planned, edges, pay, looked)
    if row.at_address:
        _check_still_inside(edges, row.relationship_type)
    return drawn


def _check_still_inside(edges: Edges, address: str) -> None:
    """Refuse what was read of files that are links by now: their rows may have a ledger of their own."""
    from edgedp.spark.tables import check_inside

    try:
        if address.startswith("file://"):
            check_inside(edges.frame, None, address, "edges")
    except StoreError:
        raise StoreError(STORE_FAILED) from None


def _made(row: GraphRow) -> PairProjection | None:
    return None if row.made_of is None else PairProjection.of_json(row.made_of)


def _where(row: GraphRow) -> tuple[Condition, ...]:
    made = _made(row)
    return () if made is None else made.where


def _place(row: GraphRow) -> Place:
    from edgedp.spark.sources import Place as Kept

    if row.engine == SPARK:
        return Kept.kept(row.relationship_type, row.id_property)
    from edgedp.graph.loading.addresses import Address

    return Kept.of(Address.kept(row.relationship_type, row.id_property))
