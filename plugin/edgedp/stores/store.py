"""The store: stored graphs, their ledgers and releases, over any backend."""

from __future__ import annotations

import dataclasses
import json
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp import checks
from edgedp.accounting import delta_atto
from edgedp.epsilon import budget_nano
from edgedp.errors import EngineError, ParameterError, StoreError
from edgedp.graph import positions_of
from edgedp.plan import MOTKIN_OPTIONS, PRIV_TOP_K_OPTIONS, Plan, Selector, chosen, plan
from edgedp.projection import GraphProjection, exact_quantities, quantities
from edgedp.release import Release
from edgedp.stores import ledger, registry
from edgedp.stores.backend import Backend, GraphRow, Session
from edgedp.stores.cypher import CypherProjection

if TYPE_CHECKING:
    from edgedp.graph import Graph
    from edgedp.plugin_install import ServerPlugin
    from edgedp.projection import Projection
    from edgedp.reading.progress import Progress

__all__ = ["Store"]

ENGINES = ("native", "igraph", "cypher")


class Store:
    """Graphs in a database with a privacy ledger each; made by `edgedp.open_store`.

    Whoever asks for a release chooses neither the noise nor the degree bound. A release spends its budget
    first, in a committed transaction, and is only then drawn; what was drawn is kept in the ledger.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def close(self) -> None:
        """Let go of connections."""
        self._backend.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # -- the curator -----------------------------------------------------------------------------

    def load(
        self,
        graph: Graph,
        name: str,
        epsilon_budget: Any = None,
        degree_bound: int | None = None,
        max_epsilon_per_release: Any = None,
        replace: bool = False,
        *,
        delta: Any = None,
        node_label: str | None = None,
        relationship_type: str | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Store a graph, all or nothing, and declare what is public about it.

        Parameters
        ----------
        graph : Graph
        name : str
        epsilon_budget : number or decimal text, optional
            Budget of all releases ever drawn under this name. Without one there are no releases.
        degree_bound : int, optional
            Public bound on the degree; default ``n - 1``.
        max_epsilon_per_release : number or decimal text, optional
        replace : bool
            Take the place of a stored graph of this name; what was spent under the name stays spent.
        delta : number or decimal text, optional
            Declares the budget as (epsilon, delta): releases then add up by bounded-range composition, which
            allows many more small ones (`edgedp.accounting`). To be declared before the first release.
        node_label, relationship_type : str, optional
            Neo4j: an additional label of the nodes, and the type of the relationships.
        progress : callable, optional
            Called with ("writing", done, total).

        Returns
        -------
        dict
            The graph's row of `graphs`.

        Raises
        ------
        EdgeDPError
            The name is taken, or the graph breaks the degree bound, or the budget is below what was spent.
        """
        name = checks.check_graph_name(name)
        bound = checks.check_degree_bound(degree_bound)
        budget, atto, limit = _amounts(epsilon_budget, delta, max_epsilon_per_release)
        if graph.node_count == 0:
            raise ParameterError("the graph has no node, must have at least one; load another")
        if bound is not None and graph.max_degree > bound:
            raise ParameterError(
                f"degree_bound is {bound}, must be at least the graph's largest degree, {graph.max_degree}; "
                "declare a larger bound or load another graph"
            )
        version = secrets.randbits(62)
        with self._backend.session(create=True) as session:
            before = registry.find(session, name)
            registry.check_loadable(session, name, before, replace=replace, kind=relationship_type)
            if budget is not None:
                ledger.check_budget(session, name, budget, atto)
            row = dataclasses.replace(
                self._backend.place(name, version, node_label, relationship_type),
                node_count=graph.node_count,
                degree_bound=bound,
                nodes_supplied=graph.nodes_supplied,
            )
            with session.ingest(row, graph, progress) as tx:
                ledger.declare(tx, name, budget=budget, delta=atto, limit=limit)
                if registry.find(tx, name) != before:
                    raise StoreError(
                        f"name is {name!r}, which was loaded by somebody else meanwhile; load again"
                    )
                if before is not None:
                    session.retire(tx, before)
                registry.put(tx, row)
            session.sweep(name)
            return registry.listed(session, name)

    def register(
        self,
        name: str,
        node_label: str,
        relationship_type: str,
        id_property: str,
        epsilon_budget: Any = None,
        degree_bound: int | None = None,
        max_epsilon_per_release: Any = None,
        *,
        delta: Any = None,
    ) -> dict[str, Any]:
        """Register a graph that is already in the Neo4j database; nothing is copied.

        Directions, parallel relationships and self-loops are read as one simple undirected graph. The
        relationships of one type have one ledger: a second name for them is refused, also after a drop.

        Parameters
        ----------
        name : str
        node_label, relationship_type, id_property : str
            Which nodes and relationships, and the property that identifies a node.
        epsilon_budget, degree_bound, max_epsilon_per_release, delta
            As for `load`. The degree bound is checked at every release.

        Returns
        -------
        dict
            The graph's row of `graphs`.
        """
        name = checks.check_graph_name(name)
        bound = checks.check_degree_bound(degree_bound)
        budget, atto, limit = _amounts(epsilon_budget, delta, max_epsilon_per_release)
        label = checks.check_text(node_label, "node_label")
        kind = checks.check_text(relationship_type, "relationship_type")
        key = checks.check_text(id_property, "id_property")
        with self._backend.session() as session:
            if registry.find(session, name) is not None:
                raise StoreError(
                    f"name is {name!r}, must not be stored already; choose another name or drop it first"
                )
            version = secrets.randbits(62)
            asked = GraphRow(name, version, label, kind, key, 0, bound, nodes_supplied=True, loaded=False)
            surveyed = self._backend.survey(session, asked)
            with session.transaction() as tx:
                registry.check_own_type(tx, name, kind)
                ledger.declare(tx, name, budget=budget, delta=atto, limit=limit)
                tx.run("ledger_place", name=name, relationshipType=kind)
                registry.put(tx, surveyed)
            return registry.listed(session, name)

    def drop(self, name: str) -> None:
        """Drop a loaded graph, or forget a registered one; the ledger stays."""
        with self._backend.session() as session:
            row = registry.known(session, name)
            with session.transaction() as tx:
                tx.run("ledger_lock", name=name)
                tx.run("graph_forget", name=name)
                if row.loaded:
                    session.retire(tx, row)
            session.sweep(name)

    def set_budget(self, name: str, epsilon_budget: Any, delta: Any = None) -> dict[str, Any]:
        """Declare another budget; the change is recorded, and it may not go below what was spent."""
        budget, atto, _ = _amounts(epsilon_budget, delta, None, zero=True)
        with self._backend.session() as session:
            ledger.find(session, name)
            with session.transaction() as tx:
                ledger.declare(tx, name, budget=budget, delta=atto, limit=None)
            return ledger.balance(session, name)

    def graph(self, name: str) -> Graph:
        """Return the whole graph. Privacy: the private edges; for the curator."""
        with self._backend.session() as session:
            return session.graph(registry.known(session, name))

    def exact(
        self, name: str, metric: str, nodes: ArrayLike | None = None, engine: str = "native"
    ) -> NDArray[np.float64]:
        """Return exact values of a stored graph, in the order of its ids or of `nodes`. Privacy: not a release."""
        return self.exact_rows(name, metric, nodes=nodes, engine=engine)[1]

    def exact_sensitivity(
        self,
        name: str,
        metric: str,
        t: int,
        form: str | None = None,
        nodes: ArrayLike | None = None,
        engine: str = "native",
    ) -> NDArray[np.float64]:
        """Return the admissible ``delta(G, t, v)`` of a stored graph. Privacy: not a release."""
        return self.exact_rows(name, metric, t=t, form=form, nodes=nodes, engine=engine)[1]

    def exact_rows(
        self,
        name: str,
        metric: str,
        *,
        t: int | None = None,
        form: str | None = None,
        nodes: ArrayLike | None = None,
        engine: str = "native",
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return node ids and exact values, or sensitivities where a distance `t` is given. Privacy: not a release."""
        from edgedp.exact import sensitivity_of

        checks.check_metric(metric)
        checks.check_choice(engine, "engine", ENGINES)
        self._check_engine(engine, exact_quantities(metric, t, form))
        with self._backend.session() as session:
            projection = self._project(session, registry.known(session, name), engine)
        ids = projection.node_ids
        positions = None if nodes is None else positions_of(ids, np.asarray(nodes), what="nodes")
        if t is None:
            values = projection.values(metric, positions)
        elif isinstance(projection, CypherProjection):
            chosen, distance = checks.check_form(form, metric), checks.check_distance(t)
            values = projection.sensitivity(metric, distance, chosen, positions)
        else:
            values = sensitivity_of(projection, metric, t, form, positions, None)
        return ids if positions is None else ids[positions], values

    def plugin(self) -> ServerPlugin:
        """Return whether the Neo4j server has the plugin, its version, and whether its worker answers."""
        return self._backend.plugin()

    # -- public facts ----------------------------------------------------------------------------

    def graphs(self) -> list[dict[str, Any]]:
        """Return the public facts of every graph: name, node_count, degree_bound, epsilon_budget, epsilon_spent."""
        with self._backend.session() as session:
            return registry.listing(session)

    def budget(self, name: str) -> dict[str, Any]:
        """Return epsilon_budget, epsilon_spent, epsilon_remaining and the number of releases."""
        with self._backend.session() as session:
            return ledger.balance(session, name)

    def releases(self, name: str) -> list[dict[str, Any]]:
        """Return every release: release_id, at, what was asked and the nodes (None if never drawn).

        Reading a release again is post-processing and costs nothing.
        """
        with self._backend.session() as session:
            return ledger.releases(session, name)

    # -- the analyst -----------------------------------------------------------------------------

    def priv_top_k(
        self,
        name: str,
        metric: str,
        k: int,
        epsilon: Any,
        mechanism: str = "sld",
        sampler: str | None = None,
        sensitivity_form: str | None = None,
        shift: str | None = None,
        proxy: str | None = None,
        engine: str = "native",
        request_id: str | None = None,
    ) -> Release:
        """Release the k nodes of highest metric of a stored graph; parameters as for `edgedp.priv_top_k`.

        Parameters
        ----------
        engine : {"native", "igraph", "cypher"}
            What computes the private data; it does not change the law.
        request_id : str, optional
            Asking again with the same identifier returns the kept release and costs nothing.

        Raises
        ------
        BudgetError
            The release does not fit the budget; says what is left. Nothing was spent.
        """
        options = chosen(PRIV_TOP_K_OPTIONS, locals())
        return self._release("priv_top_k", name, options, engine, request_id)

    def motkin(
        self,
        name: str,
        metrics: Sequence[str] = ("degree", "density"),
        k: int = 10,
        epsilon: Any = 1.0,
        approach: str = "pareto",
        sensitivity: str = "local",
        mechanism: str | None = None,
        sampler: str | None = None,
        sensitivity_form: str | None = None,
        shift: str | None = None,
        weights: Sequence[float] | None = None,
        engine: str = "native",
        request_id: str | None = None,
    ) -> Release:
        """Release k nodes that are good in several metrics at once; parameters as for `edgedp.motkin`."""
        options = chosen(MOTKIN_OPTIONS, locals())
        return self._release("motkin", name, options, engine, request_id)

    def _release(
        self, selector: Selector, name: str, options: dict[str, Any], engine: str, request_id: str | None
    ) -> Release:
        from edgedp.draw import draw
        from edgedp.sampling.words import SecureWords

        checks.check_choice(engine, "engine", ENGINES)
        if request_id is not None:
            checks.check_text(request_id, "request_id")
        with self._backend.session() as session:
            row = registry.known(session, name)
            planned = plan(selector, options, row.facts)
            self._check_engine(engine, quantities(planned))
            with session.transaction() as tx:
                kept = None if request_id is None else ledger.kept_release(tx, name, request_id, planned)
                debited = None if kept else ledger.debit(tx, row, planned, request_id)
            if debited is None:
                return self._kept(session, name, planned, kept or {})
            # The debit is committed: from here on a failure costs budget, never privacy.
            projection = self._project(session, row, engine)
        positions = draw(planned, projection, SecureWords())
        nodes = projection.node_ids[positions].tolist()
        with self._backend.session() as session, session.transaction() as tx:
            ledger.record(tx, debited.release_id, nodes)
        return Release(nodes, planned, private=True, receipt=debited.receipt(name))

    def _kept(self, session: Session, name: str, planned: Plan, kept: dict[str, Any]) -> Release:
        left = ledger.balance(session, name)
        left.pop("releases")
        receipt = {"graph": name, "release_id": kept["releaseId"]} | left
        return Release(json.loads(kept["nodes"]), planned, private=True, receipt=receipt)

    # -- rows ------------------------------------------------------------------------------------

    def _project(self, session: Session, row: GraphRow, engine: str) -> Projection:
        return (
            self._backend.projection(row)
            if engine == "cypher"
            else GraphProjection(session.graph(row), engine)
        )

    def _check_engine(self, engine: str, needs: set[str]) -> None:
        """Refuse, before the debit, what the store's Cypher cannot do in reasonable time."""
        missing = sorted(needs - self._backend.cypher) if engine == "cypher" else []
        if missing:
            raise EngineError(
                f"engine is 'cypher', must be 'native' or 'igraph' for {', '.join(missing)} in this store; "
                "its Cypher does not do it in reasonable time"
            )


def _amounts(
    budget: Any, delta: Any, limit: Any, *, zero: bool = False
) -> tuple[int | None, int | None, int | None]:
    """Return budget and limit in nano-epsilon, and delta in atto-delta, between them."""
    if delta is not None and budget is None:
        raise ParameterError("delta is given without an epsilon_budget, must go with it; declare both")
    return (
        None if budget is None else budget_nano(budget, zero=zero),
        None if delta is None else delta_atto(delta),
        None if limit is None else budget_nano(limit, "max_epsilon_per_release"),
    )
