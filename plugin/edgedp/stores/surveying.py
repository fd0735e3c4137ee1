"""What is kept of an address that is registered: how it was read; and exact figures of its graph, for the curator."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from edgedp.graph.columns import KeptRows, with_rows
from edgedp.graph.loading.addresses import Address, ids_digest, reads, settled
from edgedp.graph.reading.options import ReadingOptions
from edgedp.graph.reading.sources.databases import database_of
from edgedp.graph.reading.sources.places import canonical, canonical_pattern, is_catalogued
from edgedp.ledger.registry import check_columns
from edgedp.ledger.rows import NATIVE, SPARK
from edgedp.mechanisms import checks
from edgedp.stores.addresses import kept_rows
from edgedp.stores.releases.at_address import place_key, too_large
from edgedp.stores.releases.on_spark import not_by_spark
from edgedp.stores.statements.projecting import graph_of_kept
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import ADDRESS_ENGINES

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph
    from edgedp.ledger.pairs import PairProjection
    from edgedp.words.progress import Progress
    from edgedp.words.vocabulary import AddressEngine


class Surveyed(NamedTuple):
    """What is kept of an address, and exact figures for the curator who registers it."""

    place: str
    rest: str
    node_count: int
    edge_count: int
    max_degree: int
    nodes_supplied: bool
    digest: str | None = None
    graph: Graph | None = None
    """What was read here: it may be known under another name."""
    columns: str | None = None
    """The types of the columns that conditions may compare, as the registry keeps them."""


def engine_of(engine: AddressEngine | None, edges: Any) -> str:
    """Return what reads an address: this process, unless Spark is asked for or alone can."""
    if engine is not None:
        return checks.check_choice(engine, "engine", ADDRESS_ENGINES)
    if is_catalogued(edges):
        return SPARK
    if isinstance(edges, str) and database_of(edges) is not None:
        return NATIVE
    if (pattern := canonical_pattern(edges, "edges")) is not None:
        return NATIVE if reads(pattern[0]) else SPARK
    return NATIVE if reads(canonical(edges, "edges")) else SPARK


def surveyed(asked: Address, made: PairProjection | None, progress: Progress | None) -> Surveyed:
    """Read an address, and keep what was read: a curator's act, so it may tell how large the graph is.

    Parameters
    ----------
    made : PairProjection or None
        Which rows make an edge; None: each.
    """
    began = time.time_ns()
    asked.check_there()
    asked.check_inside()
    _check_room(asked.rows_expected(), asked, "about ")
    marks = asked.marks()
    graph, taken, rows = asked.read(progress)
    _check_room(rows, taken, "")
    types = None if "columns" not in graph.kept else graph.kept["columns"].types
    if made is not None:
        check_columns(made, types or {})
        whole = graph
        graph = with_rows(graph_of_kept(whole, KeptRows(whole.kept["columns"], None), made, None), whole)
    if taken.cache:
        kept_rows.keep_nodes(graph.node_ids)
        if marks is not None and settled(marks, began):
            kept_rows.keep(
                place_key(taken.place), taken.key(marks, None if made is None else made.to_json()), graph
            )
    digest = ids_digest(graph.node_ids) + (" directed" if graph.directed else "")
    return Surveyed(
        taken.place,
        taken.to_json(),
        graph.node_count,
        graph.edge_count,
        graph.max_degree,
        graph.nodes_supplied,
        digest,
        graph,
        None if types is None else json.dumps(types, ensure_ascii=False),
    )


def _check_room(rows: int, address: Address, about: str) -> None:
    refused = too_large(rows, address)
    if refused is not None:
        needed, allowed = (f"{each / 1e9:.3g} GB" for each in refused)
        raise ParameterError(
            f"the {about}{rows:,} rows need about {needed} of memory, and {allowed} are allowed; allow more (memory), "
            "or give engine 'spark'"
        )


def surveyed_by_spark(
    edges: Any,
    nodes: Any,
    options: ReadingOptions,
    made: PairProjection | None,
    memory: int | None,
    check: Callable[[str], None],
) -> Surveyed:
    """Let Spark read an address once; `check` refuses one that has a ledger before its rows are counted."""
    from edgedp.spark import sources
    from edgedp.spark.filters import NEEDS_NODES
    from edgedp.spark.session import check_installed
    from edgedp.spark.top_k import check_whole, spark_errors

    odd = options.given("bipartite", "one_kind", "labels", "table", "query") or (
        "memory" if memory is not None else None
    )
    if made is not None:
        odd = odd or not_by_spark(made)
        if made.where and nodes is None:
            raise ParameterError(NEEDS_NODES)
    if odd is not None:
        raise ParameterError(f"{odd} has no effect for an address that only Spark reads; ask without it")
    asked = sources.Place.asked(edges, nodes, options)
    check_installed()
    with spark_errors():
        asked = sources.located(asked)
    check(asked.edges)
    with spark_errors():
        place = sources.detected(asked)
        types = None if made is None else sources.types_of(place, made.properties)
        figures = sources.surveyed(place, () if made is None else made.where)
    check_whole(figures)
    return Surveyed(
        place.edges, place.to_json(), figures.node_count, figures.edge_count, figures.max_degree,
        place.nodes is not None, "spark directed" if place.directed else None,
        columns=None if types is None else json.dumps(types, ensure_ascii=False),
    )  # fmt: skip
