"""The store: stored graphs, their ledgers and releases, over any backend."""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import secrets
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp import checks
from edgedp.amounts.epsilon import budget_nano
from edgedp.amounts.rho import delta_atto
from edgedp.errors import EngineError, ParameterError, StoreError
from edgedp.graph import positions_of
from edgedp.options import MotkinOptions, TopKOptions
from edgedp.plan import Kind, Plan, plan
from edgedp.projection import GraphProjection, exact_quantities
from edgedp.refusals import constant_refusals
from edgedp.release import Answer, Release, answer_from_json
from edgedp.stores import heads, history, kept, ledger, registry
from edgedp.stores.account import Account, Declaration, check_delta
from edgedp.stores.backend import Backend, GraphRow, Row, Session
from edgedp.stores.chain import Head
from edgedp.stores.cypher import CypherProjection
from edgedp.stores.killpoints import reach
from edgedp.stores.lease import leased
from edgedp.stores.ledger import Debit, Kept
from edgedp.stores.memory import DEFAULT_BYTES, GraphMemory
from edgedp.stores.script import Script, run
from edgedp.stores.trial import try_engine
from edgedp.vocabulary import (
    ENGINES,
    GRAPH_ENGINES,
    Approach,
    Engine,
    MechanismName,
    MetricForm,
    MetricName,
    ParetoForm,
    Proxy,
    SamplerName,
    Sensitivity,
    Shift,
)

if TYPE_CHECKING:
    from edgedp.graph import Graph
    from edgedp.progress import Progress
    from edgedp.projection import Projection
    from edgedp.stores.server_plugin import ServerPlugin

__all__ = ["Store"]


class Store:
    """Graphs in a database with a privacy ledger each; made by `edgedp.open_store`.

    Whoever asks for a release chooses neither the noise nor the degree bound. A release spends its budget
    first, in a committed transaction, and is only then drawn; what was drawn is kept in the ledger.
    """

    def __init__(
        self, backend: Backend, *, graph_memory: int = DEFAULT_BYTES, head: str | None = None
    ) -> None:
        self._backend = backend
        self._memory = GraphMemory(graph_memory)
        self._heads: dict[str, Head] | None = None
        self._head_option = head

    def close(self) -> None:
        """Let go of connections."""
        self._backend.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @contextmanager
    def _session(self, *, create: bool = False) -> Iterator[Session]:
        """Open a session; the first one checks the heads that were kept elsewhere."""
        with self._backend.session(create=create) as session:
            if self._heads is None:
                kept_heads = heads.parse(self._backend.heads() or "") | heads.given(self._head_option)
                heads.check(session, kept_heads)
                self._heads = kept_heads
            yield session

    # -- the curator -----------------------------------------------------------------------------

    def load(
        self,
        graph: Graph | Any,
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
        delta : number or decimal text, optional
            Declares the budget as (epsilon, delta): releases then add up by bounded-range composition, which
            allows many more small ones (`edgedp.amounts.rho`). To be declared before the first release.
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
        from edgedp.reading import graph_of

        name = checks.check_graph_name(name)
        bound = checks.check_degree_bound(degree_bound)
        declared = _declaration(epsilon_budget, delta, max_epsilon_per_release)
        graph = graph_of(graph)
        if graph.node_count == 0:
            raise ParameterError("the graph has no node, must have at least one; load another")
        if bound is not None and graph.max_degree > bound:
            raise ParameterError(
                f"degree_bound is {bound}, must be at least the graph's largest degree, {graph.max_degree}; "
                "declare a larger bound or load another graph"
            )
        with self._session(create=True) as session:
            before = registry.find(session, name)
            registry.check_loadable(session, name, before, replace=replace, kind=relationship_type)
            account = _account(session, name)
            check_delta(declared.settled(name, account)[0], graph.node_count)
            placed = dataclasses.replace(
                self._backend.place(name, secrets.randbits(62), node_label, relationship_type),
                node_count=graph.node_count,
                degree_bound=bound,
                nodes_supplied=graph.nodes_supplied,
            )
            fingerprint = _fingerprint(session, graph)
            twins = [row["name"] for row in session.run("fingerprint_find", fingerprint=fingerprint)]
            with session.ingest(placed, graph, progress) as written:
                script = registry.load_script(
                    written, before, account, declared, fingerprint=fingerprint, by=session.by, at=ledger.now(),
                    guards=session.guards(written),
                )  # fmt: skip
                self._curate(session, written, script, retired=before)
            self._memory.forget(name)
            session.sweep(name)
            listed = registry.listed(session, name)
        _warn_of_twins(sorted(set(twins) - {name}))
        return listed

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
        declared = _declaration(epsilon_budget, delta, max_epsilon_per_release)
        label = checks.check_text(node_label, "node_label")
        kind = checks.check_text(relationship_type, "relationship_type")
        key = checks.check_text(id_property, "id_property")
        with self._session() as session:
            if registry.find(session, name) is not None:
                raise ledger.curator_refusal("taken", name)
            version = secrets.randbits(62)
            asked = GraphRow(name, version, label, kind, key, 0, bound, nodes_supplied=True, loaded=False)
            surveyed = self._backend.survey(session, asked)
            registry.check_own_type(session, name, kind)
            account = _account(session, name)
            check_delta(declared.settled(name, account)[0], surveyed.node_count)
            script = registry.register_script(
                surveyed, account, declared, by=session.by, at=ledger.now(), guards=session.guards(surveyed)
            )
            self._curate(session, surveyed, script)
            return registry.listed(session, name)

    def drop(self, name: str) -> None:
        """Drop a loaded graph, or forget a registered one; the ledger stays."""
        with self._session() as session:
            if registry.find(session, name) is None and session.sweep(name):
                return  # what a load or drop left that did not end
            row = registry.known(session, name)
            script = registry.drop_script(
                row, by=session.by, at=ledger.now(), reopen=self._backend.restores_accounts
            )
            self._curate(session, row, script, retired=row if row.loaded else None)
            self._memory.forget(name)
            session.sweep(name)

    def set_budget(self, name: str, epsilon_budget: Any, delta: Any = None) -> dict[str, Any]:
        """Declare another budget; the change is recorded, and it may not go below what was spent."""
        declared = _declaration(epsilon_budget, delta, None, zero=True)
        with self._session() as session:
            account = ledger.find(session, name)
            row = registry.find(session, name)
            if declared.delta is not None and row is None:
                raise ParameterError(
                    f"delta is declared for {name!r}, which is not stored; load the graph first"
                )
            check_delta(declared.delta, 0 if row is None else row.node_count)
            script = ledger.budget_script(name, account, declared, by=session.by, at=ledger.now())
            outcome = run(session, script)
            if outcome.name != script.done:
                raise ledger.curator_refusal(outcome.name, name)
            return history.balance(session, name)

    def _curate(
        self, session: Session, row: GraphRow, script: Script, *, retired: GraphRow | None = None
    ) -> None:
        """Run a curator's script; a loaded version that it takes out of the registry is given up with it."""
        outcome = run(
            session, script, last=None if retired is None else lambda tx: session.retire(tx, retired)
        )
        if outcome.name == script.done:
            return
        if any(outcome.name in (step.on_row, step.on_none) for step in session.guards(row)):
            raise session.guard_refusal(outcome.name, row, outcome.rows)
        raise ledger.curator_refusal(outcome.name, row.name)

    def graph(self, name: str) -> Graph:
        """Return the whole graph; the reading is logged. Privacy: the private edges; for the curator."""
        with self._session() as session:
            row = registry.known(session, name)
            self._note_exact(session, name, {"read": "graph"})
            return self._read(session, row)

    def exact(
        self, name: str, metric: str, nodes: ArrayLike | None = None, engine: Engine = "native"
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
        engine: Engine = "native",
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
        top: int | None = None,
        engine: Engine = "native",
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return node ids and exact values, or sensitivities where a distance `t` is given. Privacy: not a release.

        With `top`, those of the largest values only, the largest first; not with `nodes`.
        """
        from edgedp.engines.top import top_positions
        from edgedp.exact import sensitivity_of, top_of

        if top is not None and nodes is not None:
            raise ParameterError("top is given with nodes, must go without; leave one of them out")
        checks.check_metric(metric)
        checks.check_choice(engine, "engine", ENGINES)
        self._check_engine(engine, exact_quantities(metric, t, form))
        with self._session() as session:
            row = registry.known(session, name)
            asked = {"read": "exact" if t is None else "sensitivity", "metric": metric, "t": t, "form": form}
            self._note_exact(session, name, {key: value for key, value in asked.items() if value is not None})
            projection = self._project(session, row, engine)
        ids = projection.node_ids
        if top is not None and t is None:
            largest, values = top_of(projection, metric, top)
            return ids[largest], values
        positions = None if nodes is None else positions_of(ids, np.asarray(nodes), what="nodes")
        if t is None:
            values = projection.values(metric, positions)
        elif isinstance(projection, CypherProjection):
            chosen, distance = checks.check_form(form, metric), checks.check_distance(t)
            values = projection.sensitivity(metric, distance, chosen, positions)
        else:
            values = sensitivity_of(projection, metric, t, form, positions, None)
        if top is not None:
            positions, values = top_positions(values, lambda some: values[some], top)
        return ids if positions is None else ids[positions], values

    def plugin(self) -> ServerPlugin:
        """Return whether the Neo4j server has the plugin, its version, and whether its worker answers."""
        return self._backend.plugin()

    # -- public facts ----------------------------------------------------------------------------

    def graphs(self) -> list[dict[str, Any]]:
        """Return the public facts of every graph: name, node_count, degree_bound, epsilon_budget, epsilon_spent."""
        with self._session() as session:
            return registry.listing(session)

    def budget(self, name: str) -> dict[str, Any]:
        """Return epsilon_budget, epsilon_spent, epsilon_remaining and the number of releases."""
        with self._session() as session:
            return history.balance(session, name)

    def releases(self, name: str) -> list[dict[str, Any]]:
        """Return every release: release_id, at, what was asked and the nodes (None if never drawn).

        Reading a release again is post-processing and costs nothing.
        """
        with self._session() as session:
            return history.releases(session, name)

    # -- the history -----------------------------------------------------------------------------

    def log(self, name: str) -> list[dict[str, Any]]:
        """Return what happened under a name, oldest first: loads, declarations, debits, answers, exact reads.

        Returns
        -------
        list of dict
            seq, at (UTC), by, event, release_id, request_id, epsilon, details, epsilon_spent after it. Public facts
            only: an exact read is there without its result.
        """
        with self._session() as session:
            return history.log(session, name)

    def head(self, name: str) -> str:
        """Return the head of a graph's log, ``SEQ:HASH``: kept elsewhere, it shows an older or changed log."""
        with self._session() as session:
            return str(history.head(session, name))

    def export(self, name: str) -> list[str]:
        """Return the log as JSON lines that end with the number of rows and the head."""
        with self._session() as session:
            return list(history.export(session, name))

    def check(self, name: str | None = None) -> list[dict[str, Any]]:
        """Check the ledger of one graph, or the whole store; nothing is changed.

        Returns
        -------
        list of dict
            graph (None: the store's files) and problem, one row each; empty where all adds up.
        """
        found = [{"graph": None, "problem": text} for text in ([] if name else self._backend.problems())]
        with self._session() as session:
            if name is not None:
                if not session.run("account_find", name=name):
                    raise ledger.unknown(name)
                names = [name]
            else:
                names = [row["name"] for row in session.run("account_list")]
            for each in names:
                found += [{"graph": each, "problem": text} for text in history.problems(session, each)]
        return found

    def backup(self, destination: str | Path) -> dict[str, str]:
        """Copy an embedded store while it is in use.

        Returns
        -------
        dict
            The head of each graph's log, which the copy has.
        """
        with self._session():
            return self._backend.backup(Path(destination).expanduser())

    # -- the analyst -----------------------------------------------------------------------------

    def priv_top_k(
        self,
        name: str,
        metric: MetricName,
        k: int,
        epsilon: Any,
        mechanism: MechanismName | None = None,
        sampler: SamplerName | None = None,
        sensitivity_form: MetricForm | None = None,
        shift: Shift | None = None,
        proxy: Proxy | None = None,
        cap: int | None = None,
        estimates: bool = False,
        engine: Engine = "native",
        request_id: str | None = None,
    ) -> Release:
        """Release the k nodes of highest metric of a stored graph; parameters as for `edgedp.priv_top_k`.

        Parameters
        ----------
        engine : {"native", "igraph"}
            What computes the private data; it does not change the law.
        request_id : str, optional
            Asking again with the same identifier returns the kept release and costs nothing.

        Raises
        ------
        BudgetError
            The release does not fit the budget; says what is left. Nothing was spent.
        """
        return self._release("priv_top_k", name, TopKOptions.among(locals()), engine, request_id)

    def motkin(
        self,
        name: str,
        metrics: Sequence[MetricName] = ("degree", "density"),
        k: int = 10,
        epsilon: Any = 1.0,
        approach: Approach = "pareto",
        sensitivity: Sensitivity | None = None,
        mechanism: MechanismName | None = None,
        sampler: SamplerName | None = None,
        sensitivity_form: MetricForm | ParetoForm | None = None,
        shift: Shift | None = None,
        weights: Sequence[float] | None = None,
        estimates: bool = False,
        engine: Engine = "native",
        request_id: str | None = None,
    ) -> Release:
        """Release k nodes that are good in several metrics at once; parameters as for `edgedp.motkin`."""
        return self._release("motkin", name, MotkinOptions.among(locals()), engine, request_id)

    def _release(
        self, kind: Kind, name: str, options: dict[str, Any], engine: Engine, request_id: str | None
    ) -> Release:
        if checks.check_choice(engine, "engine", ENGINES) not in GRAPH_ENGINES:
            raise EngineError(
                "engine is 'cypher', must be native or igraph for a release: it is drawn from one reading; "
                "leave it out"
            )
        if request_id is not None:
            checks.check_request_id(request_id)
        with self._session() as session:
            if request_id is not None:
                asked_before = session.run("request_find", name=name, requestId=request_id)
                if asked_before:
                    return self._asked_again(session, name, asked_before[0], kind, options, request_id)
            row = registry.known(session, name)
            planned = plan(kind, options, ledger.find(session, name).told(row.facts))
            try_engine(planned, engine)
            session.prepare(row)
            debited = self._debit(session, row, planned, request_id)
            if isinstance(debited, Kept):
                return _shown_again(name, planned, debited, ledger.find(session, name))
            reach("debited")
            # The debit is committed: from here on a failure costs budget, never privacy.
            try:
                with leased(self._backend, name, debited.release_id):
                    answer = self._draw(session, row, planned, engine)
                    self._record(session, name, debited, answer)
            except StoreError as error:
                raise type(error)(f"{error} (release {debited.release_id} is debited)") from None
        return Release(answer, planned, private=True, receipt=debited.receipt(name))

    def _debit(self, session: Session, row: GraphRow, planned: Plan, request_id: str | None) -> Debit | Kept:
        release_id = ledger.new_release_id()
        script = ledger.debit_script(
            row.name, row.version, planned, release_id=release_id, request_id=request_id, by=session.by,
            at=ledger.now(),
        )  # fmt: skip
        outcome = run(session, script)
        if outcome.name == script.done:
            return Debit(release_id, Account.of(outcome.rows["account_debit"][0]))
        return ledger.judge(outcome.name, outcome.rows, name=row.name, plan=planned, request_id=request_id)

    def _draw(self, session: Session, row: GraphRow, planned: Plan, engine: str) -> Answer:
        from edgedp.draw import draw
        from edgedp.sampling.words import SecureWords

        with constant_refusals():
            projection = GraphProjection(self._read(session, row), engine)
            reach("read")
            answer = draw(planned, projection, SecureWords())
        reach("drawn")
        return answer

    def _record(self, session: Session, name: str, debited: Debit, answer: Answer) -> None:
        """Keep an answer, so that a lost one can be read again; only then is it shown."""
        shown = answer.to_json()
        script = ledger.answer_script(name, debited.release_id, shown, by=session.by, at=ledger.now())
        if run(session, script).name != script.done:
            raise StoreError(ledger.ANSWER_GONE)
        reach("recorded")

    def _asked_again(
        self, session: Session, name: str, row: Row, kind: Kind, options: Mapping[str, Any], request_id: str
    ) -> Release:
        """Show the release that a request has already, whatever became of the graph since."""
        account = ledger.find(session, name)
        drawn = kept.same_question(
            row["body"], options, lambda asked, facts: plan(kind, asked, account.told(facts)), request_id
        )
        return _shown_again(name, drawn, ledger.kept_of(row, request_id), account)

    # -- rows ------------------------------------------------------------------------------------

    def _read(self, session: Session, row: GraphRow) -> Graph:
        """Return a version's graph, from memory where versions never change."""
        if not (row.loaded and self._backend.keeps_versions):
            return session.graph(row)
        graph = self._memory.get(row)
        if graph is None:
            graph = session.graph(row)
            self._memory.put(row, graph)
        return graph

    def _project(self, session: Session, row: GraphRow, engine: str) -> Projection:
        return (
            self._backend.projection(row)
            if engine == "cypher"
            else GraphProjection(self._read(session, row), engine)
        )

    def _note_exact(self, session: Session, name: str, what: Mapping[str, Any]) -> None:
        """Log an exact read before it is made; its result is never there."""
        if not session.writable:
            return
        script = ledger.event_script(name, "exact", what, by=session.by, at=ledger.now())
        outcome = run(session, script)
        if outcome.name != script.done:
            raise ledger.curator_refusal(outcome.name, name)

    def _check_engine(self, engine: str, needs: set[str]) -> None:
        """Refuse what the store's Cypher cannot do in reasonable time."""
        missing = sorted(needs - self._backend.cypher) if engine == "cypher" else []
        if missing:
            raise EngineError(
                f"engine is 'cypher', must be 'native' or 'igraph' for {', '.join(missing)} in this store; "
                "its Cypher does not do it in reasonable time"
            )


def _shown_again(name: str, drawn: Plan, answered: Kept, account: Account) -> Release:
    """Return a kept release, with the account as it stands now."""
    receipt = {"graph": name, "release_id": answered.release_id} | account.shown()
    return Release(answer_from_json(answered.answer), drawn, private=True, receipt=receipt)


def _account(session: Session, name: str) -> Account | None:
    rows = session.run("account_find", name=name)
    return Account.of(rows[0]) if rows else None


def _fingerprint(session: Session, graph: Graph) -> str:
    """Return the HMAC of the adjacency under the store's secret: without it nobody can try an edge."""
    session.run("secret_open", secret=secrets.token_hex(32))
    secret = session.run("secret_find")[0]["secret"]
    return hmac.new(bytes.fromhex(secret), graph.fingerprint.encode(), hashlib.sha256).hexdigest()


def _declaration(budget: Any, delta: Any, limit: Any, *, zero: bool = False) -> Declaration:
    """Return a declaration in integers, each between its limits."""
    if delta is not None and budget is None:
        raise ParameterError("delta is given without an epsilon_budget, must go with it; declare both")
    return Declaration(
        None if budget is None else budget_nano(budget, zero=zero),
        None if delta is None else delta_atto(delta),
        None if limit is None else budget_nano(limit, "max_epsilon_per_release"),
    )


def _warn_of_twins(others: list[str]) -> None:
    """Tell the curator of edges that another ledger accounts for already."""
    if others:
        warnings.warn(
            f"these edges were loaded before under the name {', '.join(map(repr, others))}: what is learned about "
            "them is the sum of all their ledgers",
            stacklevel=3,
        )
