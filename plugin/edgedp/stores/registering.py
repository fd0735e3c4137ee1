"""Registering graphs: of a database's relationships, and of the rows of a loaded graph."""

from __future__ import annotations

import dataclasses
import logging
import warnings
from typing import TYPE_CHECKING, Any

from edgedp.graph.titles import check_apart
from edgedp.ledger import attributes, ledger, listing, placing, registry, sources
from edgedp.ledger.events import check_delta, declaration
from edgedp.ledger.pairs import PairProjection, projection_of, rows_projection
from edgedp.ledger.rows import row_named
from edgedp.ledger.script import Step
from edgedp.mechanisms import checks
from edgedp.stores.calendars import declared_calendar
from edgedp.stores.curator import CuratorStore
from edgedp.words.errors import ParameterError, StoreError
from edgedp.words.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from edgedp.ledger.account import Account
    from edgedp.ledger.backend import Backend, Session
    from edgedp.ledger.rows import GraphRow
    from edgedp.words.vocabulary import Unit

_log = logging.getLogger("edgedp.stores")


class RegisteringStore(CuratorStore):
    """What a curator says of relationships and rows that are there already."""

    def register(
        self,
        name: str,
        node_label: str | Sequence[str] | None = None,
        relationship_type: str | Sequence[str] | None = None,
        id_property: str | None = None,
        epsilon_budget: Any = None,
        degree_bound: int | None = None,
        max_epsilon_per_release: Any = None,
        *,
        of: str | None = None,
        orientation: str = "undirected",
        where: Mapping[str, Any] | None = None,
        at_least: int = 1,
        weight: Mapping[str, Any] | None = None,
        candidates: str | None = None,
        title_property: str | None = None,
        protect: Unit | None = None,
        dates: Mapping[str, Any] | None = None,
        within: int | str | None = None,
        delta: Any = None,
        allow_empty: bool = False,
        facts: str = "recorded",
    ) -> dict[str, Any]:
        """Register a graph that is already in the Neo4j database, or one `of` a loaded graph's rows; nothing is copied.

        Directions, parallel relationships and self-loops are read as one simple undirected graph, unless
        `orientation` or `at_least` say otherwise. All that lies between two nodes is one edge, and one answer protects
        all of it. Each type has one account, which all graphs over it share, and which outlives them: a release debits
        those of all its types by the same epsilon, all or none. A graph of a loaded one's rows owns nothing: its
        releases debit the account of that graph.

        Parameters
        ----------
        name : str
        node_label, relationship_type : str or list of str
            Which nodes and relationships: those of any of the labels, and of any of the types.
        id_property : str
            What identifies a node, over all labels.
        of : str, optional
            The loaded graph whose rows are read, in place of labels, types and a property: with `where`, `orientation`,
            `at_least` and `candidates`, here the side of a graph that was loaded with bipartite (``"film"``). Only the
            degree bound is declared; budget, unit and calendar are those of the loaded graph.
        orientation : {"undirected", "mutual", "natural", "reverse"}
            An edge joins two nodes with a relationship either way, or one each way; or the graph is directed, and an
            arc goes as the relationship does, or back (for `in_degree` and `out_degree`).
        where : mapping, optional
            Conditions on the relationships' own properties, which all must hold: of a property, a value, or a mapping
            of ``eq``, ``in``, ``gte``, ``gt``, ``lte``, ``lt`` to values. A relationship that lacks the property, or
            has it of another type, is left out. Of a loaded graph they compare its `columns` (`load`). The constants
            are public: every answer shows them.
        at_least : int
            How many relationships make an edge: of an arc those of its direction, otherwise those between the two.
        weight : mapping, optional
            What relationships weigh: the ``property`` that holds it (of a loaded graph a column), the ``cap`` of one
            relationship, and ``step`` (1), ``pair_cap`` (cap), ``aggregation`` ("SUM", or "COUNT", "MAX", "MIN") and
            ``signed`` (False). The noise of `strength`, `in_strength` and `out_strength` follows these public promises,
            and no weight.
        candidates : str, optional
            One of several labels, whose nodes only are ranked and counted as nodes; relationships between two of them
            are left out. The graph then answers top k by degree, in_degree and out_degree, a vector at half the noise.
        title_property : str, optional
            A property of the nodes that is shown beside their ids in every list, as `title` of `load`. It is read when
            a list has been drawn, and kept with the release; no mechanism reads it.
        epsilon_budget, degree_bound, max_epsilon_per_release, delta, protect
            As for `load`, of the accounts of those types that have none yet; for another see `account`. The degree
            bound is checked at every release.
        dates, within
            As for `account`: the calendar of relationships whose property holds their date. A graph over types whose
            account has one has it, too.
        allow_empty : bool
            Register even if no relationship of the type joins two of the nodes, which is refused otherwise: a misspelt
            type looks the same.
        facts : {"recorded"}
            **Promise:** no relationship of the type, and not the label of a node, is computed from relationships
            (docs/privacy.md). Every answer shows it. ``"computed"`` is refused.

        Returns
        -------
        dict
            The graph's row of `graphs`, and under ``exact`` its edge_count and max_degree: not private, for the
            curator.
        """
        if of is not None:
            owned = {
                "node_label": node_label, "relationship_type": relationship_type, "id_property": id_property,
                "title_property": title_property, "epsilon_budget": epsilon_budget, "delta": delta,
                "max_epsilon_per_release": max_epsilon_per_release, "protect": protect, "dates": dates,
                "within": within,
            }  # fmt: skip
            for option, value in owned.items():
                checks.check_no_option(option, value, f"a graph of the rows of {of!r}, which owns nothing")
            checks.check_facts(facts)
            checks.check_switch(allow_empty, "allow_empty")
            made = rows_projection(
                checks.check_graph_name(of), orientation, where, at_least, candidates, weight
            )
            return self._register_rows(name, made, degree_bound, allow_empty=allow_empty)
        name = checks.check_graph_name(name)
        bound = checks.check_degree_bound(degree_bound)
        declared = declaration(
            epsilon_budget,
            delta,
            max_epsilon_per_release,
            protect=protect,
            calendar=declared_calendar(dates, within),
        )
        made = projection_of(node_label, relationship_type, orientation, where, at_least, candidates, weight)
        key = checks.check_text(id_property, "id_property")
        title = None if title_property is None else checks.check_text(title_property, "title_property")
        checks.check_switch(allow_empty, "allow_empty")
        checks.check_facts(facts)
        with self._session() as session:
            if row_named(session, name) is not None:
                raise ledger.curator_refusal("taken", name)
            check_apart(title, attributes.declared(session, name), "title_property")
            asked = placing.registered_row(name, made, key, bound, title)
            checks.check_no_option(
                "degree_bound", bound if made.candidates else None, "a graph with candidates"
            )
            account = ledger.found_account(session, name)
            rows = {each: session.run(each) for each in sources.READS}
            found = sources.resolved(name, asked.types, rows, account)
            asked = dataclasses.replace(asked, accounts=found.accounts)
            surveyed, exact = self._backend.survey(session, asked, allow_empty=allow_empty)
            for delta_of_it in found.deltas(declared, account):
                check_delta(delta_of_it, surveyed.node_count)
            script = placing.register_script(
                surveyed,
                account,
                declared,
                by=self._by(session),
                at=ledger.now(),
                last=session.run("log_last", name=name),
                guards=session.guards(surveyed),
                sources=found,
            )
            ledger.carry_out(session, script, name, surveyed)
            _log.info("registered %s", shown(name))
            calendar = ledger.find(session, name).calendar
            if calendar is not None:
                exact |= session.rows_by_date(surveyed, calendar)
            for hint in session.date_hints(surveyed, calendar):
                warnings.warn(hint, UserWarning, stacklevel=3)
            return listing.listed(session, name) | {"exact": exact}

    def _register_rows(
        self, name: str, made: PairProjection, degree_bound: int | None, *, allow_empty: bool
    ) -> dict[str, Any]:
        """Register a graph of a loaded one's rows, which debits the account of that one."""
        bound = checks.check_degree_bound(degree_bound)
        checks.check_no_option("degree_bound", bound if made.candidates else None, "a graph with candidates")
        with self._session() as session:
            asked, own = rows_asked(self._backend, session, name, made)
            asked = dataclasses.replace(asked, degree_bound=bound)
            surveyed, exact = self._backend.survey(session, asked, allow_empty=allow_empty)
            write_rows_graph(session, surveyed, own, by=self._by(session))
            return listing.listed(session, name) | {"exact": exact}


def rows_asked(
    backend: Backend, session: Session, name: str, made: PairProjection
) -> tuple[GraphRow, Account]:
    """Return the row of a graph of a loaded one's rows that may be registered, and the account that it debits.

    No row is read: what is refused here follows from public facts. The degree bound is that of the loaded graph, of
    which it has no more edges.

    Raises
    ------
    EdgeDPError
    """
    name = checks.check_graph_name(name)
    if not backend.keeps_columns:
        raise StoreError(
            f"of is {made.of!r}, and in this store no rows of a graph are kept from which another could be made; "
            "register its labels and types again with where, which debits the same accounts"
        )
    if row_named(session, name) is not None:
        raise ledger.curator_refusal("taken", name)
    parent = registry.known(session, str(made.of))
    if not parent.loaded:
        raise ParameterError(_no_rows(parent))
    registry.check_rows(made, parent)
    own = ledger.find(session, parent.name)
    bound = None if made.candidates is not None else parent.degree_bound
    asked = placing.row_of_rows(name, made, parent, bound)
    if made.candidates is not None and not session.node_count(asked):
        raise ParameterError(
            f"candidates is {made.candidates!r}, must be a side of {parent.name!r}; give the name before the colon "
            "of its ids, of a graph that was loaded with bipartite"
        )
    if own.protect != "pair" and made.orientation != "NATURAL":
        raise ParameterError(
            f"orientation is {made.orientation.lower()!r}, must be 'natural', for the account of {parent.name!r} "
            f"protects the arcs of one node (protect is {own.protect!r}) as they were loaded"
        )
    return dataclasses.replace(asked, node_count=session.node_count(asked)), own


def _no_rows(of: GraphRow) -> str:
    """Return why no graph can be made of the rows of a registered one, and what to do."""
    if of.of is not None:
        return (
            f"of is {of.name!r}, which is made of the rows of {of.of.name!r} itself, must be a loaded graph; name "
            f"{of.of.name!r}, and give the conditions of both"
        )
    if of.at_address:
        return (
            f"of is {of.name!r}, whose rows are at an address that every release reads anew under one name, must be a "
            "loaded graph; load the address with columns, or register it anew with where"
        )
    return f"of is {of.name!r}, must be a loaded graph; register its labels and types again with where"


def write_rows_graph(
    session: Session, row: GraphRow, own: Account, *, by: str, guards: Sequence[Step] = ()
) -> None:
    """Write the row of a graph of a loaded one's rows, in one transaction with what is checked besides."""
    script = placing.rows_script(
        row, own, ledger.found_account(session, row.name), by=by, at=ledger.now(),
        last=session.run("log_last", name=row.name), guards=guards,
    )  # fmt: skip
    ledger.carry_out(session, script, row.name)
    _log.info("registered %s", shown(row.name))
