"""Curves as tables: what each mechanism needs, the C-metric beside the published one, errors, seconds, parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from edgedp.exact.experiments.curves import TARGETS, Needed, curves, in_order, needed
from edgedp.exact.experiments.report.published import C_METRIC

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Table:
    """A table: a caption, a head and rows of texts; the first `left` columns are words."""

    caption: str
    head: list[str]
    rows: list[list[str]]
    left: int = 1


def number(value: float | None) -> str:
    """Return a figure for people: two significant digits, none for what is not there.

    Examples
    --------
    >>> number(0.0834), number(1234.5), number(None), number(1.0)
    ('0.083', '1,200', 'not reached', '1')
    """
    if value is None:
        return "not reached"
    return f"{float(f'{value:.2g}'):,.10g}"


def between(found: Needed | None) -> str:
    """Return the two neighbouring epsilons that were tried between which a target is reached.

    Examples
    --------
    >>> between(Needed(0.3, 1)), between(Needed(None, 0.1)), between(None)
    ('0.3 to 1', 'at most 0.1', 'not reached')
    """
    if found is None:
        return "not reached"
    return (
        f"at most {found.at_most:g}" if found.above is None else f"{found.above:,.4g} to {found.at_most:,.4g}"
    )


def less(other: Needed, own: Needed) -> tuple[float, float | None]:
    """Return how many times less epsilon one needs than the other: at least, and at most where that is known.

    Examples
    --------
    >>> less(Needed(100, 300), Needed(1, 3))
    (33.333333333333336, 300.0)
    >>> less(Needed(None, 0.1), Needed(0.1, 0.3)), less(Needed(1, 3), Needed(None, 0.1))
    ((0.0, 1.0), (10.0, None))
    """
    return (other.above or 0.0) / own.at_most, None if own.above is None else other.at_most / own.above


def needed_table(points: pl.DataFrame, caption: str) -> Table:
    """Return the epsilon that each series needs for each target, one row a panel and series."""
    rows = []
    for row in needed(points):
        shown = [between(each) for each in row["needed"]]
        rows.append([str(row["k"]), row["series"], *shown, f"{row['reached']:.2f}", f"{row['runs']:,}"])
    head = ["k", "mechanism", *(f"recall {target}" for target in TARGETS), "best mean recall", "runs each"]
    return Table(caption, head, rows, left=2)


def c_metric_tables(rows: pl.DataFrame) -> list[Table]:
    """Return, for each graph, our C by epsilon and, where there is one, the published table."""
    import polars as pl

    made = []
    for measure, rule in (
        ("c_random", "ties of the true top k drawn at random"),
        ("c_front", "the whole front"),
    ):
        points = curves(rows, measure)
        for (graph,), part in points.group_by(["graph"], maintain_order=True):
            epsilons = sorted(set(part["epsilon"].to_list()))
            lines = []
            for name in in_order(part["series"]):
                found = part.filter(pl.col("series") == name)
                at = {row["epsilon"]: row for row in found.iter_rows(named=True)}
                lines.append(
                    [
                        name,
                        *(f"{at[e]['mean']:.2f} ± {at[e]['error']:.2f}" if e in at else "" for e in epsilons),
                    ]
                )
            caption = f"{graph}, measured: C with {rule}, mean ± standard error, by epsilon"
            made.append(Table(caption, ["mechanism", *(f"{e:g}" for e in epsilons)], lines))
            if measure == "c_random":
                made += _published(str(graph))
    return made


def _published(graph: str) -> list[Table]:
    lines = [
        [sensitivity, *(f"{value:.2f}" for value in C_METRIC[graph, sensitivity])]
        for sensitivity in ("global", "local")
        if (graph, sensitivity) in C_METRIC
    ]
    caption = (
        f"{graph}, as published: eight rising epsilons, which are not legible in the copy at hand; "
        "no rule for ties is given"
    )
    return [Table(caption, ["sensitivity", *(f"no. {i}" for i in range(1, 9))], lines)] if lines else []


def figures(points: list[dict[str, Any]], caption: str, limits: Sequence[Mapping[str, Any]] = ()) -> Table:
    """Return the points of a chart, and beside each the limit of private lists where it is known."""
    of = {each["epsilon"]: f"{each['limit']:.4g}" for each in limits}
    names = ("mean", "error", "median", "low", "high")
    rows = [
        [
            point["series"],
            f"{point['epsilon']:g}",
            *(f"{point[name]:.4g}" for name in names),
            f"{point['runs']:,}",
            *([of.get(point["epsilon"], "")] if of else []),
        ]
        for point in points
    ]
    head = [
        "mechanism",
        "epsilon",
        "mean",
        "standard error",
        "median",
        "lower quartile",
        "upper quartile",
        "runs",
        *(["limit"] if of else []),
    ]
    return Table(caption, head, rows)


def growth_points(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the median seconds of each step on each size."""
    import polars as pl

    return (
        rows.filter(pl.col("experiment") == "growth")
        .group_by("graph", "nodes", "edges", "step", maintain_order=True)
        .agg(pl.col("seconds").median(), pl.col("run").count().alias("runs"))
        .to_dicts()
    )


def growth_table(points: list[dict[str, Any]]) -> Table:
    """Return the seconds of each step."""
    rows = [
        [p["graph"], f"{p['nodes']:,}", f"{p['edges']:,}", p["step"], f"{p['seconds']:.3g}", f"{p['runs']:,}"]
        for p in points
    ]
    return Table("Seconds by the clock, median", ["graph", "nodes", "edges", "step", "seconds", "runs"], rows)


def parameter_table(rows: pl.DataFrame) -> Table:
    """Return what was asked, one row an experiment on a graph."""
    asked = (
        "metric",
        "of",
        "k",
        "approach",
        "mechanism",
        "sampler",
        "sensitivity_form",
        "shift",
        "proxy",
        "epsilon",
    )
    lines = []
    for (kind, graph), part in rows.group_by(["experiment", "graph"], maintain_order=True):
        told = []
        for name in asked:
            values = part[name].drop_nulls().unique(maintain_order=True).to_list()
            if name == "epsilon" and len(values) > 3:
                told.append(f"epsilon {min(values):g} to {max(values):g}, {len(values)} values")
            elif values:
                told.append(f"{name.replace('_', ' ')} {', '.join(map(str, values))}")
        runs = part["run"].drop_nulls().n_unique()
        versions = ", ".join(
            f"{name} {'/'.join(part[name].unique(maintain_order=True).to_list())}"
            for name in ("edgedp", "numpy")
        )
        nodes = " / ".join(f"{n:,}" for n in part["nodes"].unique(maintain_order=True).to_list())
        lines.append(
            [str(kind), str(graph), nodes, "; ".join(told), f"{runs:,}" if runs else "exact", versions]
        )
    return Table(
        "What was asked", ["experiment", "graph", "nodes", "parameters", "runs", "versions"], lines, left=6
    )
