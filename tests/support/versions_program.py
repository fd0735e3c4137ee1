"""What an installed package must do whatever versions of its libraries are beside it; for test_versions.py."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
from pyarrow import parquet

import edgedp

ROWS = [(1, 2), (2, 3), (3, 1), (3, 4)]


def main(folder: Path) -> None:
    table = pa.table({"source": [a for a, _ in ROWS], "target": [b for _, b in ROWS]})
    parquet.write_table(table, folder / "edges.parquet")
    with pa.OSFile(str(folder / "edges.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    (folder / "edges.csv").write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in ROWS))
    (folder / "edges.txt").write_text("".join(f"{a}\t{b}\n" for a, b in ROWS))
    (folder / "texts.csv").write_text("source,target\n" + "".join(f"n{a},n{b}\n" for a, b in ROWS))
    (folder / "edges.jsonl").write_text("".join(f'{{"source": {a}, "target": {b}}}\n' for a, b in ROWS))
    (folder / "edges.gml").write_text("graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]\n")
    one = edgedp.Graph.from_edges(np.array(ROWS))
    for name in ("parquet", "arrow", "csv", "txt", "jsonl"):
        assert edgedp.read_graph(folder / f"edges.{name}") == one, name
    assert edgedp.read_graph(folder / "texts.csv").node_ids.tolist() == ["n1", "n2", "n3", "n4"]
    assert edgedp.read_graph(folder / "edges.gml").edge_count == 1
    for frame in (table, pl.DataFrame(ROWS, schema=["source", "target"], orient="row")):
        assert edgedp.Graph.from_frame(frame) == one
    store = edgedp.open_store(folder / "graphs.edgedp")
    store.load(folder / "edges.parquet", "edges", epsilon_budget=100)
    assert len(store.priv_top_k("edges", metric="ebc", k=2, epsilon=1).nodes) == 2
    assert store.count("edges", of="triangles", epsilon=1).value is not None
    assert store.refresh("edges")["node_count"] == 4
    assert len(edgedp.priv_top_k(one, metric="betweenness2", k=1, epsilon=1, degree_bound=3).nodes) == 1
    print(
        *(f"{name} {version(name)}" for name in ("numpy", "polars", "pyarrow", "igraph", "ladybug")), sep=", "
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
