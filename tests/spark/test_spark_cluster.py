"""A real standalone cluster: releases, executors that die in the middle, and what the cluster's logs and pages show."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import requests

import spark_cluster
from edgedp import Graph
from edgedp.words.refusals import ENGINE_FAILED
from spark_cluster import Cluster, standalone

FIRST = 900_000_011
"""Ids are numbers that no log writes for another reason."""


def hubs() -> Graph:
    """Return a graph with a hundred nodes of many open pairs each, so that cuts are worth their noise."""
    rng = np.random.default_rng(3)
    ends = np.column_stack([rng.integers(0, 60, 6000), rng.integers(0, 400, 6000)])
    return Graph.from_edges(FIRST + 7 * ends[ends[:, 0] != ends[:, 1]])


def driven(cluster: Cluster, which: str, work: Path) -> tuple[dict[str, dict[str, Any]], str]:
    """Run a driver to its end, do to the cluster what it asks for, and return what it said of each release."""
    variables = cluster.variables | {
        "EDGEDP_SPARK_MASTER": cluster.address,
        "EDGEDP_SPARK_MEMORY": "1g",
        "PYTHONPATH": str(Path(spark_cluster.__file__).parent),
    }
    child = Path(spark_cluster.__file__).with_name("spark_cluster_children.py")
    words = [sys.executable, "-W", "ignore", str(child), which, str(work)]
    words += [str(each.pid) for each in cluster.processes[1:]]
    said = {}
    with (work / "errors").open("w") as errors:
        driver = subprocess.Popen(
            words,
            env=os.environ | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        try:
            assert driver.stdin is not None
            assert driver.stdout is not None
            for each in map(json.loads, driver.stdout):
                match each:
                    case {"do": "join"}:
                        cluster.add_worker()
                    case {"do": str(kill)}:
                        cluster.kill_worker(int(kill.partition(" ")[2]))
                    case _:
                        said[each["name"]] = each
                        continue
                driver.stdin.write("done\n")
                driver.stdin.flush()
            driver.communicate(timeout=300)
        finally:
            driver.kill()
            driver.communicate()
    assert driver.returncode == 0, (work / "errors").read_text()
    return said, (work / "errors").read_text()


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.timeout(3000)
def test_a_standalone_cluster_draws_and_loses_executors(tmp_path: Path) -> None:
    graph, work = hubs(), tmp_path / "work"
    work.mkdir()
    ends = graph.node_ids[graph.edges()]
    pyarrow.parquet.write_table(pa.table({"a": ends[:, 0], "b": ends[:, 1]}), work / "edges.parquet")
    with standalone(tmp_path / "cluster", workers=2) as cluster:
        said, errors = driven(cluster, "executors", work)
        pages = [requests.get(page, timeout=60).text for page in cluster.pages()]
        logs = cluster.logs()
    by_degree = graph.node_ids[np.argsort(-graph.degrees, kind="stable")]
    assert set(said["degree"]["nodes"]) <= set(by_degree[:30].tolist())
    for name in ("degree", "both", "after", "both again"):
        assert len(set(said[name]["nodes"])) == 5
        assert said[name]["recall"] is not None, "a list by vectors says how sure it is"
    assert len(set(said["sld"]["nodes"])) == 5
    for name in ("killed while words are drawn", "killed while blocks are summed"):
        assert said[name]["refused"].partition(" (release ")[0] == ENGINE_FAILED
        assert said[name]["cause"] == "None"
        assert said[name]["kept"] is None
    spent = [said[name]["spent"] for name in said]
    assert spent == [90, 180, 270, 279, 369, 459, 549], "what a kill costs is what was asked for"
    drawn = Counter(each.name.rpartition("-")[0] for each in work.glob("words-*"))
    assert drawn
    assert set(drawn.values()) == {1}, "no partition is asked for its words twice"
    assert errors == ""
    # What others can read of a cluster: daemons, executors and pages say neither who is there nor what they have.
    assert any("stderr" in name for name in logs)
    assert len(pages) == 3
    for text in (*logs.values(), *pages):
        assert not any(str(node) in text for node in graph.node_ids.tolist())
    assert not list(tmp_path.rglob("eventlog*"))


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.timeout(3000)
def test_workers_join_and_die_and_rows_change_in_the_middle(tmp_path: Path) -> None:
    """Each release ends in exactly one answer, of the rows as they were read, or in a constant sentence, spent."""
    work = tmp_path / "work"
    (work / "edges").mkdir(parents=True)
    graph = hubs()
    ends = graph.node_ids[graph.edges()]
    listed = np.union1d(graph.node_ids, FIRST + 7 * np.arange(400))
    others = FIRST + 7 * (399 - (ends - FIRST) // 7)  # the hubs are now those that were no hubs
    tables = {"edges": ends, "one": ends, "others": others, "edges/a": ends[::2], "edges/b": ends[1::2]}
    for name, arcs in tables.items():
        pyarrow.parquet.write_table(pa.table({"a": arcs[:, 0], "b": arcs[:, 1]}), work / f"{name}.parquet")
    pyarrow.parquet.write_table(pa.table({"id": listed}), work / "nodes.parquet")
    with standalone(tmp_path / "cluster", workers=2) as cluster:
        said, errors = driven(cluster, "workers", work)
        logs = cluster.logs()
    assert errors == ""
    assert len(said) == 11, "every release ended"
    spent: dict[str, float] = {}
    rows: Counter[str] = Counter()
    best = set(graph.node_ids[np.argsort(-graph.degrees, kind="stable")][:60].tolist())
    for name, each in said.items():
        account = name.partition(":")[0] if ":" in name else "lake"
        rows[account] += 1
        spent[account] = spent.get(account, 0) + 90
        assert each["spent"] == spent[account], f"{name}: one debit"
        assert each["rows"] == rows[account], f"{name}: one row of the log"
        if "worker dies" in name:
            assert each["refused"].partition(" (release ")[0] == ENGINE_FAILED, name
            assert each["cause"] == "None"
            assert each["kept"] is None
        else:
            assert each["kept"] == each["nodes"], name
            assert set(each["nodes"]) <= best, f"{name}: the rows as they were"
    drawn = Counter(each.name.rpartition("-")[0] for each in work.glob("*words-*"))
    assert {name.partition("words")[0] for name in drawn} == {"0", "1", "2", "3"}
    assert set(drawn.values()) == {1}, "no partition is asked for its words twice"
    joined = [text for name, text in logs.items() if name in ("worker3.log", "worker4.log")]
    assert len(joined) == 2
    assert any("Asked to launch executor" in text for text in joined), "who joins has work"
