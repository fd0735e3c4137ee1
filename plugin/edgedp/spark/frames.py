"""The edges of a caller's data frame: two columns of one type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from edgedp.spark.edges import Edges
from edgedp.spark.session import check_installed, check_session
from edgedp.words.errors import GraphFormatError, ParameterError
from edgedp.words.shown import kind_of

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

    from edgedp.graph.graph import Graph
    from edgedp.graph.reading.options import Column as Named


def edges_of(
    frame: Any, nodes: Any = None, source: Named | None = None, target: Named | None = None
) -> Edges:
    """Return the edges of a data frame of Spark, one a row.

    Parameters
    ----------
    frame, nodes : DataFrame
        Edges, one a row; and all nodes, in one column of ids. Ids are all integers or all texts.
    source, target : str or int, optional
        Columns of the ends, by name or by number from 1.

    Raises
    ------
    EdgeDPError
        It is no such frame, or its columns cannot be told or are not all integers or all texts.
    """
    check_frame(frame, "dataframe")
    check_session(frame.sparkSession)
    names = pick(frame.columns, source, target)
    types = dict(frame.dtypes)
    kind = kind_of_ids([types[name] for name in names])
    listed = None
    if nodes is not None:
        check_frame(nodes, "nodes")
        if len(nodes.columns) != 1:
            raise GraphFormatError("nodes has several columns, must have one, the ids; select it")
        if kind_of_ids([nodes.dtypes[0][1]]) != kind:
            raise GraphFormatError(
                "nodes and the ids of the edges are of different types; give both as integers or both as texts"
            )
        listed = nodes.select(_named(column_named(nodes.columns[0]), kind).alias("id"))
    both = [
        _named(column_named(name), kind).alias(end)
        for name, end in zip(names, ("source", "target"), strict=True)
    ]
    return Edges(frame.select(*both), listed, kind)


def held_edges(session: SparkSession, graph: Graph) -> Edges:
    """Return the edges and nodes of a graph in memory as rows of a session; of a directed one its arcs."""
    import pyarrow as pa

    ids = graph.node_ids
    ends = ids[graph.arcs() if graph.directed else graph.edges()]
    kind = pa.int64() if ids.dtype.kind == "i" else pa.string()
    columns = {name: pa.array(ends[:, at], type=kind) for at, name in enumerate(("source", "target"))}
    nodes = session.createDataFrame(pa.table({"id": pa.array(ids, type=kind)}))
    spelled = "long" if ids.dtype.kind == "i" else "string"
    return Edges(session.createDataFrame(pa.table(columns)), nodes, spelled)


def check_frame(frame: Any, name: str) -> None:
    """Refuse what is no data frame of Spark, by its type."""
    if type(frame).__module__.split(".")[0] != "pyspark" or not hasattr(frame, "dtypes"):
        check_installed()
        raise ParameterError(
            f"{name} is {kind_of(frame)}, must be a pyspark.sql.DataFrame; read one with spark.read"
        )


def pick(columns: Sequence[str], source: Named | None, target: Named | None) -> list[str]:
    """Return the names of the two columns of ends.

    Examples
    --------
    >>> pick(["payer", "payee", "amount"], "payer", 2)
    ['payer', 'payee']
    """
    if (source is None) != (target is None):
        raise ParameterError("source and target go together; name both columns")
    if source is None or target is None:
        if len(columns) != 2:
            raise GraphFormatError(
                f"the edges have {len(columns)} columns, must have two where none is named; give source and target"
            )
        return list(columns)
    found = []
    for name, asked in (("source", source), ("target", target)):
        if isinstance(asked, int) and 1 <= asked <= len(columns):
            found.append(columns[asked - 1])
        elif isinstance(asked, str) and list(columns).count(asked) == 1:
            found.append(asked)
        else:
            raise GraphFormatError(
                f"{name} is {asked!r}, must be one of the columns {', '.join(columns)} or its number; name it"
            )
    if found[0] == found[1]:
        raise GraphFormatError(f"target is {target!r}, must be another column than source; name both ends")
    return found


def column_named(name: str) -> Column:
    """Return a column by its name, whatever signs it holds."""
    from pyspark.sql import functions as sf

    return sf.col("`" + name.replace("`", "``") + "`")


def _named(column: Column, kind: str) -> Column:
    """Return ids of a type, where an empty text is a missing one, as in files, and so is one with a NUL.

    Arrays of numpy drop a NUL at the end, so two nodes would become one there, whose every edge stood twice.
    """
    from pyspark.sql import functions as sf

    ids = column.cast(kind)
    return ids if kind == "long" else sf.when((ids != "") & ~ids.contains("\0"), ids)


def kind_of_ids(types: Sequence[str]) -> str:
    """Return what ids of columns of these types of Spark are: "long" or "string"."""
    if all(each in ("tinyint", "smallint", "int", "bigint") for each in types):
        return "long"
    if all(each == "string" for each in types):
        return "string"
    raise GraphFormatError(
        f"the ids are of type {' and '.join(sorted(set(types)))}, must be all integers or all texts; convert them"
    )
