"""What a curator does with a store: loads and declares."""

from __future__ import annotations

import dataclasses
import logging
import secrets
import warnings
from typing import TYPE_CHECKING, Any

from edgedp.graph.columns import columns_of, with_rows
from edgedp.graph.titles import check_apart, taken_from
from edgedp.ledger import attributes, events, ledger, listing, placing, registry, sources
from edgedp.ledger.account import Account, account_of
from edgedp.ledger.backend import Session, Transaction
from edgedp.ledger.events import Declaration, check_delta, check_pure, declaration
from edgedp.ledger.log import history
from edgedp.ledger.rows import OF_GRAPH, GraphRow, row_named
from edgedp.ledger.script import Script
from edgedp.mechanisms import checks
from edgedp.mechanisms.selection.domains import declare
from edgedp.stores import calendars, twins
from edgedp.stores.calendars import loaded_calendar
from edgedp.stores.releases.opened import OpenedStore
from edgedp.words.errors import ParameterError
from edgedp.words.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from edgedp.graph.graph import Graph
    from edgedp.ledger.backend import ServerPlugin
    from edgedp.words.progress import Progress
    from edgedp.words.vocabulary import Unit


_log = logging.getLogger("edgedp.stores")


class CuratorStore(OpenedStore):
    """What only the owner of the edges may call."""

    def load(
        self,
        graph: Graph | Any,
        name: str,
        epsilon_budget: Any = None,
        degree_bound: int | None = None,
        max_epsilon_per_release: Any = None,
        replace: bool = False,
        *,
        directed: bool = False,
        protect: Unit | None = None,
        dates: Mapping[str, Any] | None = None,
        within: int | str | None = None,
        delta: Any = None,
        attribute_epsilon_budget: Any = None,
        title: str | None = None,
        node_label: str | None = None,
        relationship_type: str | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Store a graph with its nodes' properties, all or nothing, and declare what is public about it.

        Parameters
        ----------
        graph : Graph, source or graph of another library
            What `edgedp.read_graph` reads (a dataset, a path, an address), or a networkx or igraph graph, a scipy
            sparse matrix, or a data frame of one edge a row (with columns to choose: `Graph.from_frame`).
        name : str
        epsilon_budget : number or decimal text, optional
            Budget of all releases ever drawn under this name. Without one there are no releases.
        degree_bound : int, optional
            Public bound on the degree; default ``n - 1``.
        max_epsilon_per_release : number or decimal text, optional
        replace : bool
            Take the place of a stored graph of this name; what was spent under the name stays spent.
        directed : bool
            Keep directions, for in- and out-degrees; a `Graph` says itself whether it has any. Every other release
            reads the graph undirected, and says so.
        protect : {"pair", "source", "target"}, optional
            What one release protects at its epsilon, all of it taken away: everything between two nodes (the default),
            all arcs that leave one node, or all that come to one. The account then allows only what protects that
            (docs/persons.md), and the first release freezes it.
        dates : mapping, optional
            The calendar of a graph whose edges have dates (`edgedp.read_graph` with `date`): ``from``, the first day of
            its first window; ``period``, one of P1D, P1W, P1M, P3M and P1Y; ``grace``, how long after its end a
            window stays closed (a tenth of the period); ``are``, which is ``"final"``: **Promise:** no date ever
            changes, also in a longer file that takes the place of this one. Releases then name a `window`
            (docs/windows.md). The first release freezes it.
        within : int or str, optional
            Of a calendar: within how many consecutive windows, or how long a time, the budget bounds what is lost.
            Without it the budget is for all time, as it is without a calendar.
        delta : number or decimal text, optional
            Declares the budget as (epsilon, delta): releases then add up by bounded-range composition, which
            allows many more small ones (`edgedp.words.amounts.rho`). To be declared before the first release.
        attribute_epsilon_budget : number or decimal text, optional
            Budget of the releases from the nodes' properties (`attribute`), an account of its own.
        title : str, optional
            A property of the graph's nodes that is shown beside their ids in every list. **Promise:** it is public of
            itself, and says nothing that follows from an edge. It is a property no more: no percentile is released of
            it.
        node_label, relationship_type : str, optional
            Neo4j: an additional label of the nodes, and the type of the relationships.
        progress : callable, optional
            Called with ("writing", done, total).

        Returns
        -------
        dict
            The graph's row of `graphs`; of a graph with a calendar, under ``exact``, how many rows are in a window and
            how many in none: not private, for the curator.

        Raises
        ------
        EdgeDPError
            The name is taken, or the graph breaks the degree bound, or the budget is below what was spent.
        """
        from edgedp.graph.loading import graph_of
        from edgedp.graph.loading.origins import origin_kept

        name, replace = checks.check_graph_name(name), checks.check_switch(replace, "replace")
        bound = checks.check_degree_bound(degree_bound)
        declared = declaration(
            epsilon_budget,
            delta,
            max_epsilon_per_release,
            protect=protect,
            calendar=loaded_calendar(dates, within),
        )
        of_records = declaration(attribute_epsilon_budget, None, None)
        graph = graph_of(graph, directed=directed)
        if graph.directed and not self._backend.keeps_directions:
            raise ParameterError(
                "the graph is directed, and this store keeps no directions; load it without, or into another store"
            )
        if graph.weighting is not None and not self._backend.keeps_weights:
            raise ParameterError(
                "the graph has weights, and this store keeps none of a loaded graph; register the relationships with "
                "weight, or load into an embedded store"
            )
        origin, read = origin_kept(graph), graph
        graph, titles = taken_from(graph, title)
        if origin is not None:
            rest = [each for each in origin.properties if each != title]
            graph.kept["origin"] = dataclasses.replace(origin, title=title, properties=rest)
        graph = with_rows(graph, read)
        if graph.node_count == 0:
            raise ParameterError("the graph has no node; load another")
        if bound is not None and graph.max_degree > bound:
            raise ParameterError(
                f"degree_bound is {bound}, must be at least the graph's largest degree, {graph.max_degree}; "
                "declare a larger bound or load another graph"
            )
        with self._session(create=True) as session:
            before = row_named(session, name)
            registry.check_loadable(session, name, before, replace=replace, kind=relationship_type)
            account = ledger.found_account(session, name)
            if before is None and account is None:
                checks.check_new_graph_name(name)
            check_delta(declared.settled(name, account)[0], graph.node_count)
            held = account or Account.of_log(name, session.run("log_last", name=name))
            calendar = calendars.of_load(name, graph, declared, held, keeps=self._backend.keeps_windows)
            calendars.check_promised(name, before, held, dates)
            if before is not None and calendar is not None and account is not None and account.spent > 0:
                calendars.check_final(name, session.moved_dates(before, graph, calendar))
            placed = dataclasses.replace(
                self._backend.place(name, secrets.randbits(62), node_label, relationship_type),
                node_count=graph.node_count,
                degree_bound=bound,
                nodes_supplied=graph.nodes_supplied,
                title_property=title if self._backend.titles_are_properties else None,
                columns=columns_of(graph, keeps=self._backend.keeps_columns),
            )
            if placed.id_property in graph.properties or placed.id_property == placed.title_property:
                raise ParameterError(
                    f"a property is called {placed.id_property!r}, the name under which the ids are kept; rename it"
                )
            steps = (
                []
                if of_records.budget is None
                else placing.attributes_steps(
                    name,
                    ledger.found_account(session, account_of(name, "attributes")),
                    of_records,
                    by=self._by(session),
                    at=ledger.now(),
                )
            )
            domains = attributes.declared(session, name)
            check_apart(title, domains)
            lacking = sorted(domains.keys() - graph.properties.keys())
            found = twins.find(session, graph, name, registry.secret(session))
            with session.ingest(placed, graph, progress, titles, calendar) as written:
                script = placing.load_script(
                    written, before, account, declared, fingerprint=found.key, by=self._by(session), at=ledger.now(),
                    last=session.run("log_last", name=name), guards=session.guards(written), attributes=steps,
                )  # fmt: skip
                ledger.carry_out(session, script, name, written, _retiring(session, before))
            self._memory.forget(name)
            if before is not None:  # what dead loads left was swept before this one wrote
                session.sweep(name)
            listed = listing.listed(session, name)
            if calendar is not None:
                listed |= {"exact": calendars.rows_by_date(session, name)}
        _log.info("loaded %s", shown(name))
        twins.warn(found)
        _warn_of_lacking(lacking)
        return listed

    def drop(self, name: str) -> None:
        """Drop a loaded graph, or forget a registered one; the ledger stays."""
        with self._session() as session:
            if row_named(session, name) is None and session.sweep(name):
                return  # what an unfinished load or drop left
            row = registry.known(session, name, anywhere=True, gone=True)
            last = session.run("log_last", name=name)
            script = placing.drop_script(row, last, by=self._by(session), at=ledger.now())
            ledger.carry_out(session, script, name, row, _retiring(session, row if row.loaded else None))
            _log.info("dropped %s", shown(name))
            self._memory.forget(name)
            if row.at_address:
                from edgedp.stores.releases.at_address import forget

                forget(row)
            session.sweep(name)

    def set_budget(
        self,
        name: str,
        epsilon_budget: Any = None,
        delta: Any = None,
        *,
        attributes: bool = False,
        max_epsilon_per_release: Any = None,
    ) -> dict[str, Any]:
        """Declare another budget or limit; the change is recorded, and a budget may not go below what was spent.

        Parameters
        ----------
        name : str
        epsilon_budget, delta
            As of `load`.
        attributes : bool
            The budget of the attributes' account, not of the edges'; it is pure, so without a delta.
        max_epsilon_per_release : number or decimal text, optional
            ``"none"`` removes the limit. Default: as it is.
        """
        if checks.check_switch(attributes, "attributes"):
            check_pure(delta)
        declared = declaration(epsilon_budget, delta, max_epsilon_per_release, zero=True)
        if attributes:
            return self._set_attribute_budget(name, declared)
        with self._session() as session:
            account = ledger.find(session, account_of(name, "edges"))
            row = row_named(session, name)
            if row is not None and not row.owns:
                raise sources.no_budget(row)
            if declared.delta is not None and row is None:
                raise ParameterError(
                    f"delta is declared for {name!r}, which is not stored; load the graph first"
                )
            check_delta(declared.delta, 0 if row is None else row.node_count)
            script = events.budget_script(name, account, declared, by=self._by(session), at=ledger.now())
            ledger.carry_out(session, script, name)
            _log.info("declared the budget of %s", shown(name))
            return history.balance(session, name, after=True)

    def _set_attribute_budget(self, name: str, declared: Declaration) -> dict[str, Any]:
        with self._session() as session:
            ledger.find(session, account_of(name, "edges"))
            row = row_named(session, name)
            if row is not None and row.node_label == OF_GRAPH:
                raise sources.no_records(row)
            account = ledger.found_account(session, account_of(name, "attributes"))
            steps = placing.attributes_steps(name, account, declared, by=self._by(session), at=ledger.now())
            ledger.carry_out(session, Script(steps), name)
            return history.balance(session, name, after=True)

    def attribute(
        self,
        name: str,
        property: str,
        low: Any,
        high: Any,
        grid: Any = "linear",
        points: int | None = None,
        depends_on: str = "independent",
    ) -> dict[str, Any]:
        """Declare a property of the nodes: its public range, its public grid, and what its values follow from.

        No value is read. The declaration holds over `replace`, and is frozen once anything was debited for properties.

        Parameters
        ----------
        name : str
            A stored graph.
        property : str
            As it was loaded; of a registered graph as the nodes have it. Nodes without it have a missing value.
        low, high : number
            Values are clipped to this range.
        grid : {"linear", "geometric"} or array-like of float
            The points that an answer is one of; (g,) where they are given. **Promise:** neither range nor grid is
            read off the values.
        points : int, optional
            How many points a linear or geometric grid has; default 1001.
        depends_on : {"independent", "degree"}
            **Promise:** a value is a function of its node's own record alone, or also of its own degree; then
            every release also debits the edges, twice. ``"edges"``, anything that follows from other nodes, is refused.

        Returns
        -------
        dict
            The declaration, as `attributes` lists it.

        Raises
        ------
        EdgeDPError
            It is no such domain, or the property is declared and releases were paid since.

        Notes
        -----
        Privacy: neighbours replace the record of one node, all its declared properties together. What is promised
        cannot be checked here.
        """
        domain = declare(low, high, grid, points, depends_on)
        with self._session() as session:
            row = registry.known(session, name)
            if row.of is not None:
                raise ParameterError(
                    f"the nodes of {name!r} are those of {row.of.name!r}, whose properties have a budget; declare them "
                    "of that graph"
                )
            found = ledger.found_account(session, account_of(name, "attributes"))
            beside = [
                other["name"]
                for other in ([] if row.loaded else session.run("graph_places"))
                if other["name"] != name and not row.labels_apart(other["nodeLabel"])
                and session.run("account_find", name=account_of(other["name"], "attributes"))
            ]  # fmt: skip
            account = found or Account(None, None, 0)
            attributes.check_private(property, row)
            before = attributes.declared(session, name)
            by, at = self._by(session), ledger.now()
            script = attributes.attribute_script(name, account, property, domain, before, by=by, at=at)
            opened = placing.attributes_steps(name, found, Declaration(), by=by, at=at)
            ledger.carry_out(session, Script([*opened, *script.steps]), name)
        _warn_of_same_nodes(beside)
        return attributes.listed({property: domain})[0]

    def plugin(self) -> ServerPlugin:
        """Return whether the Neo4j server has the plugin, its version, and whether its worker answers."""
        return self._backend.plugin()


def _retiring(session: Session, row: GraphRow | None) -> Callable[[Transaction], object] | None:
    """Return what gives a loaded version up that a script takes out of the registry."""
    return None if row is None else lambda tx: session.retire(tx, row)


def _warn_of_same_nodes(others: list[str]) -> None:
    """Tell the curator of nodes whose records another account of attributes accounts for already."""
    if others:
        warnings.warn(
            f"these nodes are those of {', '.join(map(repr, sorted(others)))}, too, whose attributes have a budget of "
            "their own: what is learned about a record is the sum of both",
            stacklevel=4,
        )


def _warn_of_lacking(names: list[str]) -> None:
    """Tell the curator of declared properties that the new version lacks."""
    if names:
        warnings.warn(
            f"the graph has no {', '.join(map(repr, names))}, which is declared: every value of it is missing now",
            stacklevel=4,
        )
