"""Graphs whose edges are at an address: the store holds their public facts and their ledger."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from edgedp.ledger import ledger, listing, placing, registry
from edgedp.ledger.account import Account
from edgedp.ledger.backend import Session
from edgedp.ledger.events import check_delta, declaration
from edgedp.ledger.pairs import PairProjection, rows_projection
from edgedp.ledger.rows import AT_ADDRESS, NATIVE, GraphRow, row_named
from edgedp.mechanisms import checks
from edgedp.stores import twins
from edgedp.stores.calendars import check_promised, column_calendar, rows_in_windows
from edgedp.stores.releases.opened import OpenedStore
from edgedp.words.amounts.written import bytes_of
from edgedp.words.errors import GraphFormatError, ParameterError, StoreError, StoreUnavailableError
from edgedp.words.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from edgedp.words.progress import Progress
    from edgedp.words.vocabulary import AddressEngine, Unit

_log = logging.getLogger("edgedp.stores")


class AddressStore(OpenedStore):
    """What a curator declares of edges that no store holds."""

    def register_edges(
        self,
        name: str,
        edges: str,
        nodes: str | None = None,
        epsilon_budget: Any = None,
        degree_bound: int | None = None,
        max_epsilon_per_release: Any = None,
        *,
        engine: AddressEngine | None = None,
        memory: int | str | None = None,
        cache: bool = True,
        directed: bool = False,
        protect: Unit | None = None,
        dates: Mapping[str, Any] | None = None,
        within: int | str | None = None,
        delta: Any = None,
        facts: str = "recorded",
        source: str | int | None = None,
        target: str | int | None = None,
        header: bool | None = None,
        nodes_header: bool | None = None,
        separator: str | None = None,
        ids: str | None = None,
        comments: str | None = None,
        bipartite: bool | None = None,
        one_kind: bool | None = None,
        labels: bool | None = None,
        table: str | None = None,
        query: str | None = None,
        date: str | int | None = None,
        date_unit: str | None = None,
        where: Mapping[str, Any] | None = None,
        at_least: int = 1,
        orientation: str | None = None,
        weight: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Register edges at an address, which every release reads after its debit; nothing is copied into the store.

        An address has one ledger: a second name for it, or for one inside or around it, is refused, also after a
        drop. Its rows may change; its nodes may not, and are compared at every release, as the degree bound is.

        Parameters
        ----------
        name : str
        edges, nodes : str
            What `edgedp.read_graph` reads, but for standard input: a file, a folder, a pattern (whose ledger is that of
            its folder), an object or a prefix of a bucket, or a database with `table` or `query`; for Spark a Parquet
            or text file or folder, also ``hdfs://`` and ``abfss://``. Without `nodes` those of the edges are declared
            public.
        epsilon_budget, degree_bound, max_epsilon_per_release, directed, protect, delta
            As for `load`.
        engine : {"native", "spark"}, optional
            What reads the address: this process, which answers every kind of release, or Spark alone, for what fits
            into no machine (it needs ``edgedp[spark]`` and a JDK). Default ``"native"`` where it reads such an address.
            With it a release may still ask for Spark.
        memory : int or text, optional
            How much memory a release may take, in bytes or as ``"16GB"``; default three quarters of the machine's. Rows
            that need more are refused here, with both figures, and after a debit in a sentence that never varies.
        cache : bool
            Keep what was read in the owner's cache (``EDGEDP_CACHE``), as rows that are mapped, until a file changes.
        facts : {"recorded"}
            As for `register`.
        dates, within
            As for `load`; the promise ``{"are": "final"}`` has to be written, for what is at an address is compared
            with nothing. The column of the dates is part of the calendar.
        source, target, header, nodes_header, separator, ids, comments, bipartite, one_kind, labels, table, query, date
            As for `edgedp.read_graph`. With dates, Spark needs `nodes`.
        date_unit
            As for `edgedp.read_graph`.
        where, at_least, orientation
            Which rows make an edge, as for `register`; read after the debit. Spark follows only `where`, with `nodes`.
            Default ``"natural"`` with `directed`, which every orientation but ``"undirected"`` needs, and
            ``"undirected"`` without it.
        weight
            As for `register`, with the column that holds the weights; not by Spark.
        progress : callable, optional
            As for `load`; not of Spark.

        Returns
        -------
        dict
            The graph's row of `graphs`, and under ``exact`` its edge_count and max_degree: not private, for the
            curator.

        Raises
        ------
        EdgeDPError
            The name or the address has a ledger, the rows are no graph, break the bound or need too much memory, or
            Spark is missing.
        """
        from edgedp.graph.loading.addresses import Address
        from edgedp.graph.reading.options import checked_options
        from edgedp.stores.surveying import engine_of, surveyed, surveyed_by_spark

        name = checks.check_graph_name(name)
        bound = checks.check_degree_bound(degree_bound)
        calendar = column_calendar(dates, within, date, date_unit)
        declared = declaration(
            epsilon_budget, delta, max_epsilon_per_release, protect=protect, calendar=calendar
        )
        checks.check_facts(facts)
        checks.check_switch(cache, "cache")
        options = checked_options(
            source=source, target=target, header=header, nodes_header=nodes_header, separator=separator,
            ids=ids, comments=comments, bipartite=bipartite, one_kind=one_kind, labels=labels, table=table,
            query=query, directed=directed, date=date, date_unit=date_unit,
        )  # fmt: skip
        made = _made(orientation, where, at_least, weight, directed=options.directed, unit=protect)
        if made is not None:
            options = replace(options, columns=made.properties)
        room = None if memory is None else bytes_of(memory)
        if engine_of(engine, edges) == NATIVE:
            asked = Address.asked(edges, nodes, options, memory=room, cache=cache)
            self._check_new(name, asked.place)
            found = surveyed(asked, made, progress)
        else:
            found = surveyed_by_spark(
                edges, nodes, options, made, room, check=lambda place: self._check_new(name, place)
            )
        if found.edge_count == 0:
            raise GraphFormatError("no edge joins two of the nodes; check the address and its columns")
        if bound is not None and found.max_degree > bound:
            raise ParameterError(
                f"degree_bound is {bound}, must be at least the graph's largest degree, {found.max_degree}; "
                "declare a larger bound"
            )
        row = GraphRow(
            name, secrets.randbits(62), AT_ADDRESS, found.place, found.rest, found.node_count, bound,
            nodes_supplied=found.nodes_supplied, loaded=False, digest=found.digest,
            made_of=None if made is None else made.to_json(), columns=found.columns,
        )  # fmt: skip
        with self._session(create=True) as session:
            self._backend.settle(session)
            _check_free(session, name, found.place)
            account = ledger.found_account(session, name)
            last = session.run("log_last", name=name)
            check_promised(name, None, account or Account.of_log(name, last), dates)
            check_delta(declared.settled(name, account)[0], row.node_count)
            script = placing.register_script(
                row, account, declared, by=self._by(session), at=ledger.now(), last=last, guards=session.guards(row),
            )  # fmt: skip
            ledger.carry_out(session, script, name, row)
            _log.info("registered %s", shown(name))
            listed = listing.listed(session, name)
            key = registry.secret(session)
            twin = None if found.graph is None else twins.find(session, found.graph, name, key)
            held = Account.of(session.run("account_find", name=name)[0]).calendar
        if twin is not None:
            twins.warn(twin)
        exact = {"edge_count": found.edge_count, "max_degree": found.max_degree}
        return listed | {"exact": exact | rows_in_windows(found.graph, held)}

    def _check_new(self, name: str, address: str) -> None:
        """Refuse a name or an address that has a ledger before its rows are counted; there may be no store yet."""
        try:
            with self._session() as session:
                taken = list(_ledgers(session, name, address))
        except StoreUnavailableError:
            raise
        except StoreError:
            return
        if taken:
            raise taken[0]


def _made(
    orientation: Any, where: Any, at_least: Any, weight: Any, *, directed: bool, unit: Unit | None
) -> PairProjection | None:
    """Return which rows at an address make an edge; None where each does, as its directions say."""
    usual = "natural" if directed else "undirected"
    made = rows_projection(
        None, usual if orientation is None else orientation, where, at_least, weight=weight
    )
    if made.orientation != "UNDIRECTED" and not directed:
        raise ParameterError(
            f"orientation is {orientation!r}, which needs directions; register the address with directed (--directed)"
        )
    if directed and made.orientation == "UNDIRECTED":
        raise ParameterError(
            f"orientation is {orientation!r}, which reads no directions; register the address without directed "
            "(--directed), or with the orientation 'natural'"
        )
    if unit not in (None, "pair") and made.orientation != "NATURAL":
        raise ParameterError(
            f"orientation is {orientation!r}, must be 'natural' where protect is {unit!r}: the arcs as they are "
            "show what one node does"
        )
    as_they_are = made.each_joins and made.orientation != "REVERSE" and made.weight is None
    return None if as_they_are else made


def _check_free(session: Session, name: str, address: str) -> None:
    for refused in _ledgers(session, name, address):
        raise refused


def _ledgers(session: Session, name: str, address: str) -> list[StoreError]:
    """Return why a name or an address cannot be registered."""
    from edgedp.graph.reading.sources.places import overlap, same_place

    found = []
    if row_named(session, name) is not None:
        found.append(StoreError(str(ledger.curator_refusal("taken", name))))
    for row in session.run("account_places"):
        same = same_place(row["relationshipType"], address)
        if row["name"] != name and overlap(row["relationshipType"], address):
            found.append(registry.address_taken(row["name"]))
        if row["name"] == name and not same:
            found.append(
                StoreError(
                    f"the ledger of {name!r} accounts for the edges of another address; choose another name"
                )
            )
    return found
