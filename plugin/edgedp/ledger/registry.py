"""The registry: which graphs are stored, what is public about them, and where they lie."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from edgedp.graph.columns import BY_VALUE
from edgedp.ledger.pairs import PairProjection
from edgedp.ledger.rows import OF_GRAPH, SPARK, GraphRow, row_named, row_of
from edgedp.mechanisms.checks import check_text, nearest
from edgedp.release.conditions import check_answerable
from edgedp.words.errors import EngineError, ParameterError, StoreError, UnknownNameError
from edgedp.words.vocabulary import TALLIED

if TYPE_CHECKING:
    from edgedp.ledger.backend import Runner, Session

__all__ = [
    "address_taken",
    "check_columns",
    "check_counted",
    "check_loadable",
    "check_rows",
    "known",
    "row_of",
    "secret",
]


def known(
    session: Session,
    name: str,
    found: GraphRow | None = None,
    *,
    anywhere: bool = False,
    gone: bool = False,
    among: Callable[[], Collection[str]] | None = None,
) -> GraphRow:
    """Return the row of a graph with its present node count; an unknown name is refused with the nearest one.

    A graph at an address that only Spark reads is refused as well, unless `anywhere`, and one whose rows are those of
    a graph that is not stored any more, unless `gone`. The nearest name is one of `among`, by default of all.

    Parameters
    ----------
    found : GraphRow, optional
        The row, where it was read already.
    """
    row = found or row_named(session, name)
    if row is None:
        names = [stored["name"] for stored in session.run("graph_places")] if among is None else among()
        raise UnknownNameError(f"the graph is {name!r}, must be a stored one; {nearest(str(name), names)}")
    if row.at_address:
        if row.engine == SPARK and not anywhere:
            raise EngineError(
                f"the edges of the graph {name!r} are at an address that was registered only for Spark, which only "
                "Spark reads; ask with engine 'spark', or drop it and register it again without that "
                "engine: its ledger stays"
            )
        return row
    if row.node_label == OF_GRAPH:
        return row if gone else _of_loaded(session, row)
    if row.loaded or (anywhere and not row.readable):  # which is dropped, and never released from
        return row
    return dataclasses.replace(row, node_count=session.node_count(row))


def _of_loaded(session: Session, row: GraphRow) -> GraphRow:
    """Return the row of a graph that is made of a loaded one's rows, with the number of its nodes."""
    made = row.projection
    if row.of is None or made is None:
        raise UnknownNameError(
            f"the graph {row.name!r} is made of the rows of {row.relationship_type!r}, which is not stored now; load "
            "that graph again, or drop this one"
        )
    check_rows(made, row.of)
    return dataclasses.replace(row, node_count=session.node_count(row))


def check_rows(made: PairProjection, of: GraphRow) -> None:
    """Refuse a projection that the rows of a loaded graph cannot answer, by what is public of them.

    Raises
    ------
    ParameterError
    """
    if made.orientation != "UNDIRECTED" and not of.directed:
        raise ParameterError(
            f"orientation is {made.orientation.lower()!r}, and {of.name!r} was loaded without its directions; load it "
            "again with directed (--directed, --replace)"
        )
    if of.column_types is None:
        if made.where or made.at_least > 1 or made.weight is not None:
            asked = "where" if made.where else "weight" if made.weight is not None else "at_least"
            raise ParameterError(
                f"{asked} needs the rows of {of.name!r}, of which no columns are kept; load it again with columns "
                "(--columns, --replace)"
            )
        return
    check_columns(made, of.column_types)


def check_columns(made: PairProjection, types: Mapping[str, str]) -> None:
    """Refuse a projection that columns of these types, which are public, cannot answer.

    Raises
    ------
    ParameterError
    """
    check_answerable(made.where, types)
    held = None if made.weight is None else made.weight.of_property
    if held is not None and types.get(str(held)) not in (BY_VALUE, "INTEGER", "FLOAT"):
        told = ", ".join(types) or "none is"
        raise ParameterError(
            f"weight names {held!r}, must be a column of numbers that is kept of the rows ({told}); name one of those"
        )


def address_taken(name: str) -> StoreError:
    """Return the refusal of a second name for edges at an address, or at one inside or around it."""
    return StoreError(
        f"the budget of these edges, or of a part of them, is kept under the name {name!r}; use that name"
    )


def secret(runner: Runner) -> str:
    """Return the store's secret, hex; it is made when it is first needed and never leaves the store."""
    kept = runner.run("secret_find")
    if not kept:
        runner.run("secret_open", secret=secrets.token_hex(32))
        kept = runner.run("secret_find")
    return str(kept[0]["secret"])


def check_loadable(
    runner: Runner, name: str, before: GraphRow | None, *, replace: bool, kind: str | None
) -> None:
    """Refuse to load over a stored graph without `replace`, and a type whose edges have another ledger."""
    if before is not None and not replace:
        raise StoreError(f"a graph {name!r} is stored already; choose another name or replace it (--replace)")
    if before is not None and not before.loaded:
        raise StoreError(
            f"the graph {name!r} is registered, and only a loaded one can be replaced; drop it first"
        )
    taken = () if kind is None else {row["relationshipType"] for row in runner.run("account_places")}
    if kind is not None and check_text(kind, "relationship_type") in taken:
        raise StoreError(
            f"relationship_type is {kind!r}, must not be that of a registered graph; choose another type"
        )


def check_counted(candidates: str | None, asked: str) -> None:
    """Refuse an exact value, of a graph with candidates, that is not a number of their neighbours."""
    if candidates is not None and asked not in TALLIED:
        raise ParameterError(
            f"the graph ranks the nodes labelled {candidates!r} only, and {asked} asks for more; ask for "
            f"{', '.join(TALLIED)}"
        )
