"""Reading an edge list of 10 million lines."""

from __future__ import annotations

from pathlib import Path

from bench.harness.measure import Sample, in_a_fresh_process
from bench.harness.row import Builder, Row, Target, Work, rival
from bench.rows.graphs import EDGES, KEPT, NODES

S = "Reading"
ARRAYS = 8 * (NODES + 1) + 2 * 4 * EDGES
"""Bytes of the graph that is made: int64 offsets, and each edge twice as int32."""


def lines() -> Path:
    """Return a file of the large graph's edges, a tab between the ends."""
    import polars as pl

    from bench.rows.graphs import large_edges

    path = KEPT / "power-law.tsv"
    if not path.is_file():
        ends = large_edges()
        partial = path.with_suffix(".partial")
        pl.DataFrame({"a": ends[:, 0], "b": ends[:, 1]}).write_csv(
            partial, separator="\t", include_header=False
        )
        partial.replace(path)
    return path


def reading(path: str) -> Work:
    from edgedp import read_graph

    return lambda: read_graph(path)


def polars_and_a_sort(path: str) -> Work:
    """Return what makes sorted, distinct pairs of ids: no check, no detection, no rows."""
    import polars as pl

    def run() -> object:
        a, b = pl.read_csv(path, has_header=False, separator="\t").get_columns()
        low, high = pl.select(pl.min_horizontal(a, b).alias("low"), pl.max_horizontal(a, b).alias("high"))
        key = (low * (1 << 32) + high).unique().sort()
        return key // (1 << 32), key % (1 << 32)

    return run


def polars_alone(path: str) -> Work:
    import polars as pl

    return lambda: pl.read_csv(path, has_header=False, separator="\t")


def igraph_reading(path: str) -> Work:
    import igraph

    return lambda: igraph.Graph.Read_Edgelist(path, directed=False)


def networkit_reading(path: str) -> Work:
    nk = rival("networkit")
    reader = nk.graphio.EdgeListReader("\t", 0, continuous=True)
    return lambda: reader.read(path)


def fresh(function: str) -> Builder:
    def build(path: Path) -> Work:
        if function == "networkit_reading":
            rival("networkit")

        def run() -> Sample:
            return in_a_fresh_process("bench.rows.reading", function, str(path))

        return run

    return build


ROWS = (
    Row(
        name="reading-10m",
        section=S,
        title="`read_graph` of 10 million lines",
        prepare=lines,
        ours=fresh("reading"),
        also={"polars, the table alone": fresh("polars_alone")},
        rivals={
            "polars and a sort": fresh("polars_and_a_sort"),
            "igraph": fresh("igraph_reading"),
            "networkit": fresh("networkit_reading"),
        },
        wanted=(Target(2.0), Target(4 * ARRAYS, "memory")),
        note=(
            "it detects the layout, checks every line and builds rows; polars by itself does neither. In memory 4 x "
            f"the graph's arrays are wanted ({ARRAYS / 1e6:.0f} MB: int64 offsets, each edge twice as int32)."
        ),
        reason=(
            "a quarter is polars' parser and two fifths are the rows from edges; the rest finds the layout, checks "
            "every block and numbers the nodes. Of the memory 80 MB are both ends of every edge as positions, and "
            "231 MB are the building of rows from them"
        ),
        rounds=3,
        large=True,
    ),
)
