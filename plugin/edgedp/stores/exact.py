"""What a store tells exactly, computed from private edges without a mechanism: for the curator, and logged."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.graph.ids import as_ids, positions_of
from edgedp.ledger import attributes, registry
from edgedp.ledger.registry import check_counted
from edgedp.mechanisms import checks
from edgedp.mechanisms.projection import exact_quantities
from edgedp.release.plan.named import meanings
from edgedp.stores.releases.opened import OpenedStore, nodes_named
from edgedp.stores.statements.cypher import CypherProjection
from edgedp.words.amounts.epsilon import epsilon_nano, format_nano, to_fraction
from edgedp.words.containers import is_list
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import ENGINES, CountName, Engine, is_word

if TYPE_CHECKING:
    import polars as pl

    from edgedp.exact.experiments.facts import Facts
    from edgedp.graph.graph import Graph
    from edgedp.mechanisms.projection import NumberProjection
    from edgedp.release.plan.numbers import CountPlan


class ExactStore(OpenedStore):
    """Exact values; every reading is logged before it is made, and its result is never in the log."""

    def graph(self, name: str) -> Graph:
        """Return the whole graph with its nodes' properties; the reading is logged.

        Of a graph in Neo4j those that are declared (`attribute`).

        Privacy: the private edges and records; for the curator.
        """
        with self._session() as session:
            row = registry.known(session, name)
            self._note_exact(session, name, {"read": "graph"})
            graph = self._read(session, row)
            properties = {} if row.at_address else session.properties(row, attributes.declared(session, name))
        # A graph of its own: what releases read is reached by nobody.
        return graph.with_properties(properties)

    def exact(
        self, name: str, metric: str, nodes: ArrayLike | None = None, engine: Engine = "native"
    ) -> NDArray[np.float64]:
        """Return exact values of a metric of a stored graph; the reading is logged.

        Parameters
        ----------
        name, metric : str
        nodes : (m,) array-like of int or str, optional
            Ids of nodes; default all n, in ascending order.
        engine : {"native", "igraph", "cypher"}

        Returns
        -------
        (n,) or (m,) float64
            In the order of the ids.

        Raises
        ------
        UnknownNameError
            There is no such graph, metric or node.
        EngineError
            The engine ``cypher`` does not compute the metric in this store.

        Notes
        -----
        Privacy: not a release; for the curator and for research.

        Examples
        --------
        >>> import tempfile, edgedp
        >>> with tempfile.TemporaryDirectory() as folder, edgedp.open_store(f"{folder}/store") as store:
        ...     _ = store.load(edgedp.Graph.from_edges([(1, 2), (2, 3)]), "path")
        ...     store.exact("path", "degree"), store.exact("path", "degree", nodes=[3])
        (array([1., 2., 1.]), array([1.]))
        """
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
        """Return the admissible ``delta(G, t, v)`` of nodes of a stored graph; the reading is logged.

        Parameters
        ----------
        t : int
            Distance in edges, 0 or more.
        form : str, optional
            Of the sensitivity; default the metric's first.
        name, metric, nodes, engine
            As of `exact`.

        Returns
        -------
        (n,) or (m,) float64
            In units of the metric, in the order of the ids.

        Raises
        ------
        EdgeDPError
            As of `exact`; or the distance or the form is none.

        Notes
        -----
        Privacy: not a release; for the curator and for research.
        """
        return self.exact_rows(name, metric, t=t, form=form, nodes=nodes, engine=engine)[1]

    def exact_count(
        self,
        name: str,
        of: CountName,
        star_size: int | None = None,
        pair: Any = None,
        node: Any = None,
        engine: Engine = "native",
    ) -> int | float:
        """Return a number of a stored graph exactly; parameters as for `edgedp.exact.count`. Privacy: not a release.

        The reading is logged. The engine ``cypher`` of Neo4j computes all but ``two_triangles`` in the database.
        """
        from edgedp.exact.counting import exact_needs, exact_value

        if is_word(of, "arcs"):
            return self._exact_arcs(name, {"star_size": star_size, "pair": pair, "node": node}, engine)
        given = {"star_size": star_size, "pair": pair, "node": node}
        return self._exact_number(name, of, given, None, engine, {"read": "count"}, exact_needs, exact_value)

    def exact_count_sensitivity(
        self,
        name: str,
        of: CountName,
        t: int,
        star_size: int | None = None,
        pair: Any = None,
        node: Any = None,
        degree_bound: int | None = None,
        engine: Engine = "native",
    ) -> int | float:
        """Return the admissible ``I_t`` of a number of a stored graph. Privacy: not a release.

        Parameters as for `edgedp.exact.count_sensitivity`; the declared bound counts only if it is given. The
        reading is logged. The engine ``cypher`` of Neo4j does all but ``two_triangles``: the database tells the degrees
        and, of the hubs that matter, their neighbours or how many they share; the profile is made as for every engine.
        """
        from edgedp.exact.counting import exact_sensitivity_needs, exact_sensitivity_value
        from edgedp.release.in_memory.releasing import check_keeps_bound

        distance, bound = checks.check_distance(t), checks.check_degree_bound(degree_bound)

        def compute(planned: CountPlan, projection: NumberProjection) -> int | float:
            check_keeps_bound(int(projection.degrees().max(initial=0)), planned)
            return exact_sensitivity_value(planned, projection, distance)

        asked = {"star_size": star_size, "pair": pair, "node": node}
        what = {"read": "sensitivity", "t": distance} | ({} if bound is None else {"degree_bound": bound})
        return self._exact_number(name, of, asked, bound, engine, what, exact_sensitivity_needs, compute)

    def _exact_arcs(self, name: str, given: dict[str, Any], engine: Engine) -> int:
        """Return the number of arcs of a stored graph: of one that is read whole, or by the database."""
        from edgedp.exact.counting import exact_arcs
        from edgedp.release.plan import plan

        checks.check_choice(engine, "engine", ENGINES)
        with self._session() as session:
            row = registry.known(session, name)
            plan("count", {"of": "arcs", "epsilon": 1} | given, row.facts)
            check_counted(row.facts.candidates, "arcs")
            self._check_engine(engine, {"out_degree"})
            self._check_said(engine, row)
            self._note_exact(session, name, {"read": "count", "of": "arcs"})
            if engine == "cypher":
                return int(self._project(session, row, engine).values("out_degree").sum())
            return exact_arcs(self._read(session, row))

    def _exact_number(
        self,
        name: str,
        of: str,
        given: dict[str, Any],
        degree_bound: int | None,
        engine: Engine,
        what: dict[str, Any],
        needs: Callable[[CountPlan], set[str]],
        compute: Callable[[CountPlan, NumberProjection], int | float],
    ) -> int | float:
        """Plan a number without noise, note that it is read, and only then compute it."""
        from edgedp.exact.counting import plan_exact

        checks.check_choice(engine, "engine", ENGINES)
        with self._session() as session:
            row = registry.known(session, name)
            planned = plan_exact(of, given, dataclasses.replace(row.facts, degree_bound=degree_bound))
            if planned.named:
                planned = planned.naming(nodes_named(session, row, meanings(planned.named)))
            self._check_engine(engine, needs(planned))
            self._check_said(engine, row)
            check_counted(row.facts.candidates, of)
            asked = {"star_size", "pair", "node"} & planned.parameters.keys()
            shown = {key: planned.parameters[key] for key in sorted(asked)}
            self._note_exact(session, name, what | {"of": of} | shown)
            return compute(planned, self._project(session, row, engine))

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

        Returns
        -------
        ids : (m,) int64 or str
        values : (m,) float64
        """
        from edgedp.exact.metrics import top_of
        from edgedp.exact.sensitivities import sensitivity_of
        from edgedp.graph.engines.top import top_positions

        if top is not None and nodes is not None:
            raise ParameterError("top and nodes do not go together; leave one of them out")
        # Whether the graph has directions, or weights, is asked when it is known.
        metric = checks.check_ranked(metric, directed=not is_word(metric, "strength"), weighted=True)
        if t is not None:
            checks.check_sensitivity(metric)
            t = checks.check_distance(t)
            checks.check_form(form, metric)
        else:
            checks.check_no_option("form", form, "exact values, only of a sensitivity")
        checks.check_choice(engine, "engine", ENGINES)
        self._check_engine(engine, exact_quantities(metric, t, form))
        wanted = None if nodes is None else as_ids(nodes, "nodes")
        with self._session() as session:
            row = registry.known(session, name)
            checks.check_ranked(metric, directed=row.directed, weighted=row.weighting is not None)
            self._check_said(engine, row)
            check_counted(row.facts.candidates, metric if t is None else "a sensitivity")
            asked = {"read": "exact" if t is None else "sensitivity", "metric": metric, "t": t, "form": form}
            self._note_exact(session, name, {key: value for key, value in asked.items() if value is not None})
            projection = self._project(session, row, engine)
        ids = projection.node_ids
        if top is not None and t is None:
            largest, values = top_of(projection, metric, top)
            return ids[largest], values
        positions = None if wanted is None else positions_of(ids, wanted, what="nodes")
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

    def exact_experiment(self, name: str, runs: int = 100, seed: int = 1, **asked: Any) -> pl.DataFrame:
        """Repeat releases of a stored graph and say how good each was; logged. Privacy: not a release.

        `asked` is of `edgedp.experiment`, of the kinds topk, motkin and numbers. Nothing is debited or recorded as
        released: words are seeded, and rows name the graph and its version alone.
        """
        from edgedp.exact.experiments.stored import run_stored

        facts = self._facts(name, {"read": "experiment", "kind": str(asked.get("kind", "topk"))})
        return run_stored(facts, runs, seed, asked)

    def exact_advice(
        self,
        name: str,
        k: int = 10,
        target: float = 0.9,
        metric: str = "ebc",
        mechanism: Any = None,
        runs: int = 20,
        seed: int = 1,
    ) -> list[dict[str, Any]]:
        """Say which epsilon each mechanism needs on a stored graph; logged. Privacy: not a release.

        A release whose mechanism or epsilon was chosen from it is outside the guarantee
        (`edgedp.exact.experiments.advice`).
        """
        from edgedp.exact.experiments.advice import check_target, needs
        from edgedp.exact.experiments.grid import check_runs

        wanted, count = check_target(target), check_runs(runs)
        facts = self._facts(name, {"read": "advice", "metric": checks.check_metric(metric)})
        return needs(facts, k, wanted, metric, mechanism, count, seed)

    def exact_limit(self, name: str, metric: str, k: int, epsilon: Sequence[Any]) -> list[dict[str, Any]]:
        """Say which recall no private list of a graph exceeds that is as good beside it (`edgedp.quality.limit`).

        Returns
        -------
        list of dict
            metric, k, epsilon and limit, one an epsilon. Logged. Privacy: not a release.
        """
        from edgedp.mechanisms.limits import LIMITED, limits

        checks.check_choice(metric, "metric", LIMITED)
        amounts = [epsilon_nano(each) for each in (epsilon if is_list(epsilon) else [epsilon])]
        graph = self._facts(name, {"read": "limit", "metric": metric}).graph
        found = limits(graph, metric, k, [float(to_fraction(nano)) for nano in amounts])
        return [
            {"metric": metric, "k": k, "epsilon": format_nano(nano), "limit": round(each, 4)}
            for nano, each in zip(amounts, found, strict=True)
        ]

    def _facts(self, name: str, what: dict[str, Any]) -> Facts:
        """Return a stored graph with what runs on it share; the reading is logged."""
        from edgedp.exact.experiments.facts import Facts

        with self._session() as session:
            row = registry.known(session, name)
            if row.facts.candidates is not None:
                raise ParameterError(
                    f"the graph {name!r} ranks the nodes labelled {row.facts.candidates!r} only, and experiments, "
                    "advice and limits rank all; ask for exact values of it, or take a graph without candidates"
                )
            self._note_exact(session, name, what)
            graph = self._read(session, row)
        return Facts(name, graph, row.facts.effective_degree_bound, version=row.version, stored=True)
