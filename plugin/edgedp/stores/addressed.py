"""Graphs whose edges are at an address that Spark reads: the store holds their public facts and their ledger."""

from __future__ import annotations

import logging
import secrets
from typing import Any

from edgedp.ledger import events, ledger, registry
from edgedp.ledger.account import Account, check_delta, declaration
from edgedp.ledger.backend import AT_ADDRESS, GraphRow, Session
from edgedp.ledger.script import run
from edgedp.mechanisms import checks
from edgedp.stores.releases.opened import OpenedStore
from edgedp.words.errors import GraphFormatError, ParameterError, StoreError, StoreUnavailableError
from edgedp.words.shown import shown

__all__ = ["AddressStore"]

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
        delta: Any = None,
        facts: str = "recorded",
        source: str | int | None = None,
        target: str | int | None = None,
        header: bool | None = None,
        nodes_header: bool | None = None,
        separator: str | None = None,
        ids: str | None = None,
        comments: str | None = None,
    ) -> dict[str, Any]:
        """Register edges at an address that Spark reads; nothing is copied. It needs ``edgedp[spark]`` and a JDK.

        An address has one ledger: a second name for it, or for one inside or around it, is refused, also after a
        drop. Its rows may change; its nodes
        may not, and are counted at every release, as the degree bound is checked.

        Parameters
        ----------
        name : str
        edges, nodes : str
            A Parquet or text file or folder (text by its ending, as ``.csv`` and ``.tsv.gz``): a path, or what Spark
            reads (``hdfs://``, ``s3a://``, ...). Without `nodes` those of the edges are declared public.
        epsilon_budget, degree_bound, max_epsilon_per_release, delta
            As for `load`.
        facts : {"recorded"}
            As for `register`.
        source, target, header, nodes_header, separator, ids, comments
            As for `edgedp.read_graph`.

        Returns
        -------
        dict
            The graph's row of `graphs`, and under ``exact`` its edge_count and max_degree: not private, for the
            curator.

        Raises
        ------
        EdgeDPError
            The name or the address has a ledger, the rows are no graph or break the bound, or Spark is missing.
        """
        from edgedp.graph.reading.options import checked_options
        from edgedp.spark.session import check_installed
        from edgedp.spark.sources import Place, detected, surveyed
        from edgedp.spark.top_k import check_whole, spark_errors

        name = checks.check_graph_name(name)
        bound = checks.check_degree_bound(degree_bound)
        declared = declaration(epsilon_budget, delta, max_epsilon_per_release)
        checks.check_facts(facts)
        options = checked_options(
            source=source, target=target, header=header, nodes_header=nodes_header, separator=separator,
            ids=ids, comments=comments,
        )  # fmt: skip
        asked = Place.asked(edges, nodes, options)
        check_installed()
        self._check_new(name, asked.edges)
        with spark_errors():
            place = detected(asked)
            figures = surveyed(place)
        check_whole(figures)
        if figures.edge_count == 0:
            raise GraphFormatError("no edge joins two of the nodes; check the address and its columns")
        if bound is not None and figures.max_degree > bound:
            raise ParameterError(
                f"degree_bound is {bound}, must be at least the graph's largest degree, {figures.max_degree}; "
                "declare a larger bound"
            )
        row = GraphRow(
            name, secrets.randbits(62), AT_ADDRESS, place.edges, place.to_json(), figures.node_count, bound,
            nodes_supplied=place.nodes is not None, loaded=False,
        )  # fmt: skip
        with self._session(create=True) as session:
            self._backend.settle(session)
            _check_free(session, name, place.edges)
            found = session.run("account_find", name=name)
            account = Account.of(found[0]) if found else None
            check_delta(declared.settled(name, account)[0], row.node_count)
            guards = session.guards(row)
            script = registry.register_script(
                row, account, declared, by=self._by(session), at=ledger.now(),
                last=session.run("log_last", name=name), guards=guards,
            )  # fmt: skip
            outcome = run(session, script)
            if outcome.name != script.done:
                if any(outcome.name in (step.on_row, step.on_none) for step in guards):
                    raise session.guard_refusal(outcome.name, row, outcome.rows)
                raise events.curator_refusal(outcome.name, name)
            _log.info("registered %s", shown(name))
            listed = registry.listed(session, name)
        return listed | {"exact": {"edge_count": figures.edge_count, "max_degree": figures.max_degree}}

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


def _check_free(session: Session, name: str, address: str) -> None:
    for refused in _ledgers(session, name, address):
        raise refused


def _ledgers(session: Session, name: str, address: str) -> list[StoreError]:
    """Return why a name or an address cannot be registered."""
    from edgedp.spark.sources import overlap, same_place

    found = []
    if registry.find(session, name) is not None:
        found.append(StoreError(str(events.curator_refusal("taken", name))))
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
