"""Rows: one for each run, with every parameter, its seed and the versions; the columns of all kinds of experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from edgedp.exact.experiments.facts import Facts
from edgedp.exact.experiments.grid import Cell
from edgedp.words.version import __version__

if TYPE_CHECKING:
    import polars as pl

COLUMNS = {
    "experiment": "String",
    "graph": "String",
    "graph_version": "Int64",
    "nodes": "Int64",
    "degree_bound": "Int64",
    "metric": "String",
    "of": "String",
    "k": "Int64",
    "approach": "String",
    "sensitivity": "String",
    "mechanism": "String",
    "sampler": "String",
    "sensitivity_form": "String",
    "shift": "String",
    "proxy": "String",
    "weights": "String",
    "epsilon": "Float64",
    "sample": "Int64",
    "run": "Int64",
    "seed": "Int64",
    "recall": "Float64",
    "c_random": "Float64",
    "c_front": "Float64",
    "relative_error": "Float64",
    "limit": "Float64",
    "step": "String",
    "edges": "Int64",
    "seconds": "Float64",
    "edgedp": "String",
    "numpy": "String",
}
"""Name and type of every column; what a kind lacks is null. ``run`` is null for an exact expectation. ``limit`` is the
recall that no private list exceeds which is as good beside the graph (`edgedp.quality.limit`)."""


def schema() -> dict[str, Any]:
    """Return the columns as polars takes them."""
    import polars as pl

    return {name: getattr(pl, kind) for name, kind in COLUMNS.items()}


def empty() -> pl.DataFrame:
    """Return a frame without rows."""
    import polars as pl

    return pl.DataFrame(schema=schema())


def completed(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows that an earlier version wrote with the column that it did not know."""
    import polars as pl

    if "limit" in rows.columns or set(rows.columns) != COLUMNS.keys() - {"limit"}:
        return rows
    return rows.with_columns(pl.lit(None, pl.Float64).alias("limit")).select(list(COLUMNS))


def frame_of(shared: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return rows with what they share."""
    import polars as pl

    versions = {"edgedp": __version__, "numpy": np.__version__}
    return pl.DataFrame([dict(shared) | versions | dict(row) for row in rows], schema=schema())


def parameters_of(facts: Facts, cell: Cell, canonical: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that all rows of a cell share, from the release's canonical parameters.

    Notes
    -----
    Privacy: of the graph they hold its name, its version where it is stored, and public facts.
    """
    metrics = canonical.get("metrics")
    weights = canonical.get("weights")
    return {
        "experiment": cell.kind,
        "graph": facts.name,
        "graph_version": facts.version,
        "nodes": facts.public.node_count,
        "degree_bound": facts.public.effective_degree_bound,
        "metric": ", ".join(metrics) if metrics else canonical.get("metric"),
        "of": canonical.get("of"),
        "k": canonical.get("k"),
        "approach": canonical.get("approach"),
        "sensitivity": canonical.get("sensitivity"),
        "mechanism": canonical.get("mechanism"),
        "sampler": canonical.get("sampler"),
        "sensitivity_form": canonical.get("sensitivity_form"),
        "shift": canonical.get("shift"),
        "proxy": canonical.get("proxy"),
        "weights": None if weights is None else ", ".join(f"{weight:g}" for weight in weights),
        "epsilon": float(canonical["epsilon"]),
        "sample": cell.sample,
    }
