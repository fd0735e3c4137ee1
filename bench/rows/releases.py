"""Whole private releases in memory."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import partial
from typing import Any

import edgedp
from bench.harness.row import Builder, Row, Target, Work
from bench.rows.graphs import GRAPHS, anew, made
from edgedp import Graph

S = "Releases"
COMMON = {"metric": "ebc", "k": 10, "epsilon": 1}


def shifted(**more: Any) -> Builder:
    """Return a release by shifted dampening; twice the largest degree is declared."""

    def build(graph: Graph) -> Work:
        asked = {**COMMON, "mechanism": "sld", "degree_bound": 2 * graph.max_degree, **more}
        return anew(partial(top_k, asked=asked))(graph)

    return build


def joint(graph: Graph) -> Work:
    return anew(partial(top_k, asked={**COMMON, "mechanism": "joint", "proxy": "both"}))(graph)


def top_k(graph: Graph, asked: dict[str, Any]) -> object:
    return edgedp.priv_top_k(graph, **asked)


def motkin(graph: Graph, **more: Any) -> object:
    return edgedp.motkin(graph, degree_bound=graph.max_degree, **more)


def first_motkin(graph: Graph) -> Work:
    """Return a Pareto release with a cache that is empty before each run."""

    def run(graph: Graph) -> object:
        folder = tempfile.mkdtemp(prefix="edgedp-bench-")
        with _cache(folder):
            try:
                return motkin(graph)
            finally:
                shutil.rmtree(folder)

    return anew(run)(graph)


def next_motkin(graph: Graph) -> Work:
    """Return a Pareto release whose profile was kept by one before, of the same graph in memory."""
    folder = _with_profile(graph)

    def run() -> object:
        with _cache(folder):
            return motkin(graph)

    return run


_with_profiles: dict[int, str] = {}
"""Caches by the identity of the graph whose profile they hold; graphs of the rows live as long as the process."""


def _with_profile(graph: Graph) -> str:
    """Return a cache that holds the profile of a graph."""
    if id(graph) not in _with_profiles:
        folder = _with_profiles[id(graph)] = tempfile.mkdtemp(prefix="edgedp-bench-")
        atexit.register(shutil.rmtree, folder)
        with _cache(folder):
            motkin(graph)
    return _with_profiles[id(graph)]


def reopened_motkin(graph: Graph) -> Work:
    """Return one whose profile is kept, while nothing is of the graph in memory, as in a new process."""
    again = next_motkin(graph)

    def run(_: Graph) -> object:
        return again()

    return anew(run)(graph)


class _cache:  # noqa: N801
    """Let the package keep its profiles in a folder for a while."""

    def __init__(self, folder: str):
        self.folder = folder

    def __enter__(self) -> None:
        self.before = os.environ.get("EDGEDP_CACHE")
        os.environ["EDGEDP_CACHE"] = self.folder

    def __exit__(self, *_: object) -> None:
        if self.before is None:
            del os.environ["EDGEDP_CACHE"]
        else:
            os.environ["EDGEDP_CACHE"] = self.before


def count(of: str) -> Builder:
    return anew(lambda graph: edgedp.count(graph, of=of, epsilon=1))


def row(name: str, graph: str, title: str, ours: Builder, *targets: Target, **more: Any) -> Row:
    large = graph == "10m"
    return Row(
        name=f"{name}-{graph}",
        section=S,
        title=f"{title}, {GRAPHS[graph][0]}",
        prepare=made(graph),
        ours=ours,
        wanted=targets,
        large=large,
        **({"rounds": 3 if large else 9} | more),
    )


ROWS = (
    row(
        "topk-sld",
        "enron",
        "`priv_top_k` EBC, k = 10, sld",
        shifted(),
        Target(0.010),
        reason="two thirds of it is the kernel of ego networks, of hubs with up to 1,383 neighbours",
    ),
    row(
        "topk-sld",
        "github",
        "`priv_top_k` EBC, k = 10, sld",
        shifted(),
        Target(0.015),
        reason="87 % of it is the kernel of ego networks, of hubs with up to 9,458 neighbours",
    ),
    row(
        "topk-sld",
        "10m",
        "`priv_top_k` EBC, k = 10, sld",
        shifted(),
        Target(0.250),
        reason="60 % of it is the kernel of ego networks, of ten hubs with up to 9,530 neighbours",
    ),
    row(
        "topk-common",
        "enron",
        "`priv_top_k` EBC, form `common_neighbors`",
        shifted(sensitivity_form="common_neighbors"),
    ),
    row(
        "topk-common",
        "10m",
        "`priv_top_k` EBC, form `common_neighbors`",
        shifted(sensitivity_form="common_neighbors"),
        Target(1.5),
        rounds=2,
    ),
    row("joint", "enron", "`joint` of EBC, `both`", joint, Target(0.070)),
    row(
        "joint",
        "10m",
        "`joint` of EBC, `both`",
        joint,
        Target(8.0),
        rounds=3,
        reason="most of it is counting 5 billion paths of length two, and summing 3.6 billion",
    ),
    row("motkin-first", "enron", "`motkin` Pareto, local, first", first_motkin),
    row("motkin-kept", "enron", "`motkin` Pareto, local, profile kept", reopened_motkin),
    row("motkin-first", "github", "`motkin` Pareto, local, first", first_motkin),
    row("motkin-kept", "github", "`motkin` Pareto, local, profile kept", reopened_motkin),
    row("motkin-first", "10m", "`motkin` Pareto, local, first", first_motkin, Target(15.0), rounds=1),
    row(
        "motkin-kept",
        "10m",
        "`motkin` Pareto, local, profile kept",
        reopened_motkin,
        Target(1.0),
        also={"the same graph in memory": next_motkin},
        rounds=3,
    ),
    *(
        row(f"count-{of.replace('_', '-')}", graph, f"`count` of {of.replace('_', '-')}", count(of))
        for graph in ("enron", "github")
        for of in ("triangles", "wedges", "two_triangles")
    ),
)
