"""The engine ``cypher``: a draw's private data computed inside the database, node by node.

Degrees of all nodes and, with lazy sampling, the metric of the few candidates that need it: the
adjacency never leaves the database.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.figures import falling, maximal_pairs, most_common_neighbors
from edgedp.graph.ids import positions_of
from edgedp.mechanisms.checks import check_choice
from edgedp.mechanisms.metrics import metric
from edgedp.stores.statements.queries import statement_of_sensitivity
from edgedp.words.errors import EngineError, StoreError
from edgedp.words.refusals import NODES_CHANGED
from edgedp.words.vocabulary import ARC_METRICS

if TYPE_CHECKING:
    from edgedp.ledger.backend import Backend
    from edgedp.ledger.rows import GraphRow
    from edgedp.words.vocabulary import ArcMetricName, StrengthName


class CypherProjection:
    """A projection by the statements ``queries/*/<metric>.cypher``."""

    def __init__(self, backend: Backend, row: GraphRow) -> None:
        self._backend = backend
        self._row = row

    @cached_property
    def _all_degrees(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        rows = self._run("degree", None)
        ids = np.asarray([row["id"] for row in rows])
        order = np.argsort(ids, kind="stable")
        return ids[order], np.asarray([row["value"] for row in rows], dtype=np.int64)[order]

    @property
    def node_ids(self) -> NDArray[Any]:
        return self._all_degrees[0]

    @property
    def engine(self) -> str:
        return "cypher"

    def degrees(self) -> NDArray[np.int64]:
        return self._all_degrees[1]

    def values(self, name: str, positions: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        if name == "degree":
            degrees = self.degrees()
            return (degrees if positions is None else degrees[positions]).astype(np.float64)
        if name in ARC_METRICS:
            return self._per_node(self._as_stored(check_choice(name, "metric", ARC_METRICS)), positions)
        return self._per_node(name, positions)

    def max_common_neighbors(self, positions: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        return self._per_node("common_neighbors", positions).astype(np.int64)

    def betweenness2_shares(self, bits: int) -> NDArray[np.int64]:
        """Refuse: the shares of all nodes need the whole graph."""
        raise EngineError(
            "engine is 'cypher', must be 'native' or 'igraph' for betweenness2 by joint; choose another"
        )

    def ordered_degrees(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        by_id = {str(node): rank for node, rank in zip(self.node_ids.tolist(), ranks.tolist(), strict=True)}
        return self._per_node("ordered_degrees", None, ranks=by_id).astype(np.int64)

    def cut_shares(
        self,
        caps: NDArray[np.int64],
        ranks: NDArray[np.int64] | None,
        bits: int,
        positions: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Refuse: the cuts of all nodes need the whole graph."""
        raise EngineError("engine is 'cypher', must be 'native' or 'igraph' for joint; choose another")

    def cut_closed_shares(
        self,
        caps: NDArray[np.int64],
        ranks: NDArray[np.int64] | None,
        weights: NDArray[np.int64],
        level: int,
        bits: int,
    ) -> NDArray[np.int64]:
        """Refuse: the cuts of all nodes need the whole graph."""
        raise EngineError("engine is 'cypher', must be 'native' or 'igraph' for joint; choose another")

    def arc_votes(self, name: ArcMetricName, cap: int) -> NDArray[np.int64]:
        """Refuse: the cuts of all nodes need the whole graph."""
        raise EngineError("engine is 'cypher', must be 'native' or 'igraph' for cuts of arcs; choose another")

    def strengths(self, name: StrengthName) -> NDArray[np.int64]:
        """Refuse: weights become whole steps in one place, which reads the relationships."""
        raise EngineError("engine is 'cypher', must be 'native' or 'igraph' for strengths; choose another")

    def sensitivity(
        self, name: str, t: int, form: str, positions: NDArray[np.int64] | None
    ) -> NDArray[np.float64]:
        """Return a metric's admissible ``delta(G, t, v)``, uncapped, computed in the database."""
        statement = statement_of_sensitivity(name, form)
        if statement in self._backend.cypher:
            return self._per_node(statement, positions, t=t, global_sensitivity=float("inf"))
        degrees = self.degrees() if positions is None else self.degrees()[positions]
        common = self.max_common_neighbors(positions) if form == "common_neighbors" else None
        return metric(name).uncapped_sensitivity(form, t, degrees, common)

    def figures(self) -> CypherFigures:
        """Return the figures over pairs of nodes that the database computes."""
        return CypherFigures(self)

    def records(self, name: str) -> NDArray[np.float64]:
        """Refuse: a percentile is no exact value, and its own way reads the records."""
        raise EngineError("engine is not an option of percentile, which reads no edge; ask without it")

    def fingerprint(self) -> None:
        """Return None: the graph is not at hand."""
        return

    def _as_stored(self, name: ArcMetricName) -> ArcMetricName:
        """Return which statement counts a graph's arcs: where they go back, the other one."""
        made = self._row.projection
        orientation = "UNDIRECTED" if made is None else made.orientation
        match orientation:
            case "NATURAL":
                return name
            case "REVERSE":
                return "out_degree" if name == "in_degree" else "in_degree"
            case "UNDIRECTED" | "MUTUAL":
                raise StoreError(NODES_CHANGED)  # asked was a graph with directions
            case _:
                assert_never(orientation)

    def _per_node(
        self, statement: str, positions: NDArray[np.int64] | None, **parameters: Any
    ) -> NDArray[np.float64]:
        wanted = self.node_ids if positions is None else self.node_ids[positions]
        rows = self._run(statement, None if positions is None else wanted.tolist(), **parameters)
        found = {row["id"]: row["value"] for row in rows}
        return np.asarray([found[node] for node in wanted.tolist()], dtype=np.float64)

    def _run(self, statement: str, nodes: list[Any] | None, **parameters: Any) -> list[dict[str, Any]]:
        with self._backend.session() as session:
            return session.run(statement, self._row.identifiers, nodes=nodes, **parameters)


class CypherFigures:
    """The figures over pairs of nodes that a database computes in reasonable time; any other is refused.

    Of what goes over all pairs the database answers for the nodes of the largest degree, until no other can matter.
    """

    def __init__(self, projection: CypherProjection) -> None:
        self._projection = projection

    def triangles(self) -> int:
        """Return the number of triangles."""
        return int(self._projection._run("count_triangles", None)[0]["value"])

    def common_neighbors(self, pair: tuple[int, int]) -> int:
        """Return the neighbours that the two positions share."""
        first, second = self._projection.node_ids[list(pair)].tolist()
        return int(
            self._projection._run("pair_common_neighbors", None, first=first, second=second)[0]["value"]
        )

    def most_common_neighbors(self) -> int:
        """Return the most neighbours that any two nodes share: the database is asked of the hubs that matter."""
        return most_common_neighbors(self._projection.degrees(), self._of_hubs("common_neighbors"))

    def two_triangles(self) -> int:
        """Refuse: all edges need the whole graph."""
        raise _needs_the_graph()

    def two_triangles_move(self) -> int:
        """Refuse: all pairs need the whole graph."""
        raise _needs_the_graph()

    def maximal_pairs(self) -> NDArray[np.int64]:
        """Return the degrees of pairs that no other pair exceeds: of the database, the rows of the hubs that matter."""
        ids = self._projection.node_ids
        rows = (
            positions_of(ids, np.asarray(row, dtype=ids.dtype), what="node")
            for row in self._of_hubs("neighbors")
        )
        return maximal_pairs(self._projection.degrees(), rows)

    def _of_hubs(self, statement: str) -> Iterator[Any]:
        """Yield a statement's value of each node in the order of `falling`, asking of ever more nodes at once."""
        ids, block = self._projection.node_ids[falling(self._projection.degrees())].tolist(), 1
        while ids:
            asked, ids = ids[:block], ids[block:]
            found = {row["id"]: row["value"] for row in self._projection._run(statement, asked)}
            if not found.keys() >= set(asked):
                raise StoreError("the graph's nodes changed while it was read; ask again")
            yield from (found[node] for node in asked)
            block *= 2


def _needs_the_graph() -> EngineError:
    return EngineError(
        "engine is 'cypher', must be 'native' or 'igraph' for a number that compares all pairs of nodes; choose another"
    )
