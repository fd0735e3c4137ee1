"""The immutable simple graph that every engine and selector works on: the ways in and out."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from edgedp.graph import conversions
from edgedp.graph.adjacency import Adjacency
from edgedp.graph.dated import seconds_given
from edgedp.graph.ids import as_column, as_ids, as_pairs, new_ids, numbered, positions_of
from edgedp.graph.typed import columns_given
from edgedp.words.errors import GraphFormatError, ParameterError
from edgedp.words.shown import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from edgedp.graph.weights import Weighting


class Graph(Adjacency):
    """A simple graph in compressed sparse rows; undirected, or with the directions of its edges beside them.

    Nodes are addressed by *position* ``0..n-1`` in the arrays and by *id* (an integer or a text) at
    the edges of the program. Rows are sorted, every edge stands in both of its rows, there is no
    self-loop and no parallel edge. All arrays are read-only.

    Parameters
    ----------
    node_ids : (n,) int64 or str array
        Ids in strictly ascending order.
    indptr : (n + 1,) int64 array
        ``indices[indptr[v]:indptr[v + 1]]`` are the neighbours of position ``v``.
    indices : (2m,) int32 array
        Positions of neighbours, ascending within a row.
    nodes_supplied : bool
        True when the caller named all nodes, False when they were read from the edges.
        It decides what a release says about the public node set.
    properties : mapping of str to (n,) array, optional
        Values of the nodes in the order of `node_ids`.
    ways : (2m,) uint8 array, optional
        Of a directed graph, for each entry of `indices`: 1 where the arc leaves the row's node, 2 where it comes to
        it, 3 for both. None for an undirected graph.
    weights : (2m,) int64 array, optional
        For each entry of `indices` the weight, in whole steps, of the pair; of a directed graph that of the arc which
        leaves the row's node. None for a graph without weights.
    weighting : Weighting, optional
        What is declared of the weights: public.

    Notes
    -----
    What asks for anything but in- and out-degrees reads a directed graph undirected.

    The constructor trusts its arrays; `from_edges` is the way in for edges of any shape.

    Privacy: a `Graph` holds the private edges. Its node ids are public; everything else of it is not.

    Examples
    --------
    >>> graph = Graph.from_edges([(1, 2), (2, 3), (3, 2), (5, 5)])
    >>> graph.node_ids.tolist(), graph.edge_count, graph.max_degree
    ([1, 2, 3, 5], 2, 2)
    """

    __slots__ = ()

    # -- ways in ---------------------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike | Iterable[tuple[Any, Any]],
        nodes: ArrayLike | None = None,
        properties: Mapping[str, Any] | None = None,
        *,
        directed: bool = False,
        dates: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        weight: Mapping[str, Any] | Weighting | None = None,
        columns: Mapping[str, Any] | None = None,
    ) -> Graph:
        """Build a graph from ``(m, 2)`` node ids; directions and parallels merge, self-loops drop.

        Parameters
        ----------
        edges : (m, 2) array-like of int or str
            Pairs of node ids. A node that stands only in a self-loop is a node without edges.
        nodes : (n,) array-like of int or str, optional
            All node ids, isolated ones included. An edge outside them is refused.
        properties : mapping of str to (n,) array-like, optional
            Values of the nodes in the order of `nodes`, which must be given, each id once. Values of any type.
        directed : bool
            Keep directions: a pair is an arc from its first node to its second. Parallel arcs merge, an arc and the
            one back are two.
        dates : (m,) array-like of datetime64 or numbers, optional
            When each edge was, in UTC, or in seconds since 1970: for a graph that is stored with a calendar
            (`Store.load`). NaT and NaN stand for an edge without a date.
        weights : (m,) array-like of numbers, optional
            What each edge weighs; NaN or None for an edge without a weight.
        weight : mapping, optional
            What is declared of the weights, with them: ``cap``, and optional ``step``, ``pair_cap``, ``aggregation``
            and ``signed`` (`edgedp.graph.weights.weighting_of`). ``COUNT`` needs no `weights`.
        columns : mapping of str to (m,) array-like, optional
            Values of each edge that a store keeps, None where one is missing: numbers, texts, truth values, dates or
            times of one type. Conditions of a graph `of` the stored one compare them (`Store.register`).

        Raises
        ------
        GraphFormatError
            The edges are not pairs of integers or of texts, or name a node that `nodes` lacks, or a
            property does not have one value for each node.

        Examples
        --------
        >>> Graph.from_edges([("b", "a")], nodes=["a", "b", "c"]).degrees.tolist()
        [1, 1, 0]
        >>> graph = Graph.from_edges([(1, 2)], nodes=[2, 1], properties={"age": [60, 30]})
        >>> graph.properties["age"].tolist()
        [30, 60]
        >>> Graph.from_edges([(1, 2), (3, 2), (2, 3)], directed=True).in_degrees.tolist()
        [0, 2, 1]
        """
        pairs = as_pairs(edges)
        if nodes is None:
            node_ids, positions = numbered(pairs)
        else:
            if isinstance(nodes, Set) and properties is not None:
                raise ParameterError(
                    "nodes is a set, must be a list where properties are given; a set has no order"
                )
            nodes = list(nodes) if isinstance(nodes, (Set, Iterator)) else nodes
            node_ids = np.unique(new_ids(nodes, "nodes"))
            if pairs.size and node_ids.dtype.kind != pairs.dtype.kind:
                raise GraphFormatError(
                    "nodes and the ids of the edges are of different types; "
                    "give both as integers or both as texts"
                )
            positions = positions_of(node_ids, pairs.reshape(-1), what="an end of an edge").reshape(
                pairs.shape
            )
        graph = cls.from_positions(
            node_ids,
            positions,
            nodes_supplied=nodes is not None,
            directed=conversions.keeps_directions(directed),
        )
        if properties is not None:
            graph = graph._with_properties(nodes, properties)
        return graph.beside(
            positions,
            weights=weights,
            weight=weight,
            seconds=None if dates is None else seconds_given(dates, len(positions)),
            columns=None if columns is None else columns_given(columns, positions.astype(np.int32)).columns,
        )

    @classmethod
    def from_networkx(
        cls, graph: Any, *, directed: bool = False, weight: Mapping[str, Any] | Weighting | None = None
    ) -> Graph:
        """Build a graph from a networkx graph of any kind; its nodes are taken as supplied.

        Directions are kept where `directed` is asked for, which an undirected graph refuses. With `weight`, as of
        `from_edges`, an edge weighs what its attribute ``property`` says, by default ``weight``.

        networkx itself is not imported: what has made the graph is there.

        Raises
        ------
        EdgeDPError
            It is no such graph, or its nodes are not all integers or all texts.
        """
        kept = conversions.keeps_directions(directed, graph)
        ids, pairs, weights = conversions.networkx_pairs(graph, weight)
        return cls.from_edges(pairs, nodes=ids, directed=kept, weights=weights, weight=weight)

    @classmethod
    def from_igraph(
        cls, graph: Any, *, directed: bool = False, weight: Mapping[str, Any] | Weighting | None = None
    ) -> Graph:
        """Build a graph from an igraph graph; ids are the vertex attribute ``name`` where there is one.

        Directions and weights as of `from_networkx`.
        """
        kept = conversions.keeps_directions(directed, graph)
        ids, pairs, weights = conversions.igraph_pairs(graph, weight)
        return cls.from_edges(pairs, nodes=ids, directed=kept, weights=weights, weight=weight)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        source: str | int | None = None,
        target: str | int | None = None,
        nodes: Any = None,
        *,
        date: str | int | None = None,
        date_unit: str | None = None,
        columns: Sequence[str | int] | None = None,
        weight: Mapping[str, Any] | None = None,
        directed: bool = False,
    ) -> Graph:
        """Build a graph from a data frame of one edge a row: pandas, polars, pyarrow or another one.

        The frame is taken by the Arrow C stream or the interchange protocol; no library is imported for it.

        Parameters
        ----------
        frame : data frame, or dict of columns
        source, target : str or int, optional
            The columns of the two ends, by name or by number from 1. Without them a frame of two columns is taken
            as it is, and one of more where the names of its columns tell.
        nodes : (n,) array-like of int or str, optional
            All node ids, isolated ones included.
        date, date_unit : optional
            The column of the date of each row, and what its numbers count, as in `read_graph`.
        columns : sequence of str or int, optional
            The columns that a store keeps of every row, as in `read_graph`.
        weight : mapping, optional
            What is declared of the rows' weights, as in `from_edges`, with their column as ``property``.
        directed : bool
            Keep directions: from the source to the target.

        Raises
        ------
        EdgeDPError
            The columns cannot be told, hold missing values, or are not all integers or all texts. No message
            shows the frame.

        Notes
        -----
        Privacy: the rows are private edges; their holder's act.

        Examples
        --------
        >>> Graph.from_frame({"payer": ["ada", "bob"], "payee": ["bob", "cyd"], "amount": [1.5, 2.0]})
        <Graph: 3 nodes, read from the edges>
        """
        from edgedp.graph.reading.dates import seconds_of
        from edgedp.graph.reading.formats.tabular import read_frame
        from edgedp.graph.reading.numbering import number_nodes

        read = read_frame(frame, source, target, date, date_unit, columns, weight)
        seconds = None if read.dates is None else seconds_of(read.dates)
        if nodes is not None:
            pairs = np.column_stack([np.asarray(column.to_list()) for column in read.columns])
            return cls.from_edges(
                pairs,
                nodes=nodes,
                dates=seconds,
                columns=read.kept,
                directed=directed,
                weights=read.weights,
                weight=weight,
            )
        node_ids, positions = number_nodes(read.columns, None)
        kept = conversions.keeps_directions(directed)
        graph = cls.from_positions(node_ids, positions, nodes_supplied=False, directed=kept)
        return graph.beside(
            positions, weights=read.weights, weight=weight, seconds=seconds, columns=read.kept
        )

    @classmethod
    def from_arrow(
        cls,
        table: Any,
        source: str | int | None = None,
        target: str | int | None = None,
        nodes: Any = None,
        *,
        date: str | int | None = None,
        date_unit: str | None = None,
        columns: Sequence[str | int] | None = None,
        weight: Mapping[str, Any] | None = None,
        directed: bool = False,
    ) -> Graph:
        """Build a graph from an Arrow table, record batch reader or whatever has ``__arrow_c_stream__``.

        Parameters and errors are those of `from_frame`.

        Examples
        --------
        >>> import pyarrow
        >>> Graph.from_arrow(pyarrow.table({"u": [1, 2], "v": [2, 3]}), source="u", target="v")
        <Graph: 3 nodes, read from the edges>
        """
        if not hasattr(table, "__arrow_c_stream__"):
            raise ParameterError(
                f"table is {kind_of(table)}, must be an Arrow table; give others to Graph.from_frame"
            )
        return cls.from_frame(
            table,
            source,
            target,
            nodes,
            date=date,
            date_unit=date_unit,
            columns=columns,
            weight=weight,
            directed=directed,
        )

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        nodes: Any = None,
        *,
        directed: bool = False,
        weight: Mapping[str, Any] | Weighting | None = None,
    ) -> Graph:
        """Build a graph from a square sparse matrix: an entry that is not 0 is an edge.

        Parameters
        ----------
        matrix : (n, n) scipy sparse matrix or array
            Directions merge, the diagonal drops, an entry stored as 0 is no edge.
        nodes : (n,) array-like of int or str, optional
            The ids of the rows, all different; default 0 to n - 1. They are taken as supplied.
        directed : bool
            Keep directions: an entry is an arc from the node of its row to that of its column.
        weight : mapping, optional
            As of `from_edges`: an entry is a relationship that weighs its value. Of a symmetric matrix, read without
            directions, both entries of a pair are such.

        Raises
        ------
        EdgeDPError
            It is not sparse, not square, holds NaN, or has another number of ids.

        Examples
        --------
        >>> from scipy.sparse import coo_array
        >>> Graph.from_scipy(coo_array(([1, 1], ([0, 1], [1, 2])), shape=(3, 3))).degrees.tolist()
        [1, 2, 1]
        """
        ids, positions, values = conversions.scipy_positions(matrix, nodes)
        kept = conversions.keeps_directions(directed)
        graph = cls.from_positions(ids, positions, nodes_supplied=True, directed=kept)
        return graph if weight is None else graph.with_weights(positions, values, weight)

    # -- ways out --------------------------------------------------------------------------------

    def to_networkx(self) -> Any:
        """Return a ``networkx.Graph`` whose nodes are the node ids; it needs networkx (``edgedp[networkx]``).

        Of a directed graph it is a ``networkx.DiGraph``. Weights are the edges' attribute ``weight``, in whole steps.
        """
        return conversions.networkx_graph(
            self.node_ids, self._pairs(), directed=self.directed, weights=self._pair_weights()
        )

    def to_igraph(self) -> Any:
        """Return an ``igraph.Graph``, directed as this one is; vertices in order of position, ids as ``name``."""
        return conversions.igraph_graph(
            self.node_ids, self._pairs(), directed=self.directed, weights=self._pair_weights()
        )

    def _with_properties(self, nodes: ArrayLike | None, properties: Mapping[str, Any]) -> Graph:
        """Return the graph with properties, given in the order of `nodes`."""
        ids = as_ids(nodes, "nodes") if nodes is not None else None
        if ids is None or len(ids) != self.node_count:
            raise GraphFormatError("properties need nodes that name each id once; give the id of every row")
        order = np.argsort(ids, kind="stable")
        count = self.node_count
        return self.with_properties(
            {name: as_column(values, name, count)[order] for name, values in properties.items()}
        )
