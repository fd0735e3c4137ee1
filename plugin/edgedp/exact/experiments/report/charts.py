"""Curves as Vega-Lite: one small chart a panel, whose series are hidden and shown by one legend for the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from edgedp.exact.experiments.curves import PANEL, curves, in_order
from edgedp.words.errors import ParameterError

if TYPE_CHECKING:
    import polars as pl

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
"""The name of the language, not an address that is read."""

_HUES = {"EM": 1, "PF": 2, "LD": 3, "SLD": 4, "joint": 5}
_SHAPES = {"EM": "circle", "PF": "diamond", "LD": "triangle-up", "SLD": "square", "joint": "cross"}
_FURTHER_SHAPES = ("triangle-down", "triangle-left", "triangle-right", "stroke")
_LIGHT = ("#c2410c", "#a21caf", "#0d7f75", "#1d4ed8", "#0b0f19", "#7c3aed", "#854d0e", "#be123c", "#4d7c0f")


@dataclass(frozen=True)
class Look:
    """How a series is drawn: a hue of its mechanism, a shape, a dash where it is a variant.

    Attributes
    ----------
    name : str
    hue : int
        From 1: a colour of the page, which follows its theme.
    shape : str
    dash : list of int
    """

    name: str
    hue: int
    shape: str
    dash: list[int]


@dataclass(frozen=True)
class Panel:
    """A chart with what stands around it.

    Attributes
    ----------
    title, about : str
    group : str
        Panels of a group stand together.
    points : list of dict
    measure : str
    limits : list of dict
        Epsilon and the recall that no private list exceeds which is as good beside the graph; empty where that is not
        known.
    """

    title: str
    about: str
    group: str
    points: list[dict[str, Any]]
    measure: str
    limits: list[dict[str, Any]] = field(default_factory=list)


def looks(names: Sequence[str]) -> list[Look]:
    """Return how each series is drawn.

    Examples
    --------
    >>> [(look.hue, look.shape, look.dash) for look in looks(["SLD", "SLD, permute-and-flip", "joint by degree"])]
    [(4, 'square', []), (4, 'square', [5, 3]), (5, 'cross', [5, 3])]
    """
    made, further = [], 0
    for name in names:
        base = name.partition(",")[0].partition(" ")[0]
        dash = [] if name == base else [5, 3] if "permute" in name or base == "joint" else [2, 2]
        if base in _HUES:
            made.append(Look(name, _HUES[base], _SHAPES[base], dash))
        else:
            shape = _FURTHER_SHAPES[further % len(_FURTHER_SHAPES)]
            made.append(Look(name, 6 + further % 4, shape, dash))
            further += 1
    return made


def panels(rows: pl.DataFrame, measure: str) -> Iterator[Panel]:
    """Yield a panel for each graph, metric and k of a measure."""
    points = curves(rows, measure)
    for _, part in points.group_by(PANEL, maintain_order=True):
        first = part.row(0, named=True)
        of = first["of"] or first["metric"]
        title = f"k = {first['k']}" if first["k"] is not None else str(of)
        about = [f"{first['nodes']:,} nodes", f"degree bound {first['degree_bound']:,}"]
        if first["weights"]:
            about.insert(0, f"weights {first['weights']}")
        limits = _limits(part) if measure == "recall" else []
        yield Panel(title, ", ".join(about), group_of(first), _points(part), measure, limits)


def group_of(row: dict[str, Any]) -> str:
    """Return the heading that a panel stands under."""
    version = "" if row["graph_version"] is None else f" (stored, version {row['graph_version']})"
    what = "numbers" if row["of"] else f"top k by {row['metric']}"
    if row["approach"]:
        what = f"{row['approach']} of {row['metric']}"
    if row["experiment"] == "samples":
        what += ", breadth-first samples"
    return f"{row['graph']}{version}: {what}"


def spec(panel: Panel, series: Sequence[Look], *, colours: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the chart of a panel.

    Parameters
    ----------
    panel : Panel
    series : sequence of Look
        All series of the page, so that each looks the same in every chart.
    colours : sequence of str, optional
        Of the hues; default the page's own, which follow its theme.
    """
    share = panel.measure != "relative_error"
    unit = {"recall": "recall", "relative_error": "relative error"}.get(panel.measure, "C (lower is better)")
    marks = {
        "color": {"field": "series", "type": "nominal", "legend": None, "scale": _colours(series, colours)},
        "opacity": {"condition": {"test": "focus == '' || datum.series == focus", "value": 1}, "value": 0.15},
    }
    across = {"field": "epsilon", "type": "quantitative", "scale": {"type": "log"}, "axis": _decades()}
    y_scale: dict[str, Any] = {"domain": [0, 1]} if share else {"type": "log"}
    y_axis = {"tickCount": 5} if share else _decades(None)
    along = {"type": "quantitative", "scale": y_scale, "axis": y_axis | {"title": unit}, "title": unit}
    names = [look.name for look in series]
    return {
        "$schema": SCHEMA,
        "description": f"{panel.group}, {panel.title}: {unit} against epsilon. The figures are in the table below.",
        "width": "container",
        "height": 230,
        "background": None,
        "data": {"name": "points", "values": panel.points},
        "params": [
            {"name": "hidden", "value": []},
            {"name": "spread", "value": "error"},
            {"name": "focus", "value": ""},
        ],
        "transform": [
            {"filter": "indexof(hidden, datum.series) < 0"},
            *([] if share else [{"filter": "(spread == 'error' ? datum.mean : datum.median) > 0"}]),
            {"calculate": "spread == 'error' ? datum.mean : datum.median", "as": "middle"},
            {"calculate": _least("datum.mean - datum.error", share=share), "as": "least"},
            {"calculate": _most("datum.mean + datum.error", share=share), "as": "most"},
        ],
        "layer": [
            {
                "mark": {"type": "area", "line": False, "fillOpacity": 0.16, "aria": False},
                "encoding": {
                    "x": across,
                    "y": along | {"field": "least"},
                    "y2": {"field": "most"},
                    "color": marks["color"],
                    "opacity": marks["opacity"],
                },
            },
            {
                "mark": {"type": "line", "strokeWidth": 2, "aria": False},
                "encoding": {
                    "x": across,
                    "y": along | {"field": "middle"},
                    **marks,
                    "strokeDash": {
                        "field": "series",
                        "legend": None,
                        "scale": {"domain": names, "range": [look.dash or [1, 0] for look in series]},
                    },
                },
            },
            *([_limit_line(panel.limits, across, along)] if panel.limits else []),
            {
                "name": "dots",
                "mark": {"type": "point", "filled": True, "size": 46},
                "encoding": {
                    "x": across,
                    "y": along | {"field": "middle"},
                    **marks,
                    "shape": {
                        "field": "series",
                        "legend": None,
                        "scale": {"domain": names, "range": [look.shape for look in series]},
                    },
                    "tooltip": _told(unit),
                },
            },
        ],
        "config": _CONFIG,
    }


def _limit_line(limits: list[dict[str, Any]], across: Any, along: dict[str, Any]) -> dict[str, Any]:
    """Return the dashed line above which no private list is that is as good on the graphs beside this one."""
    told = [
        {"field": "epsilon", "type": "quantitative", "format": "~g", "title": "epsilon"},
        {"field": "limit", "type": "quantitative", "format": ".3~f", "title": "limit of private lists"},
    ]
    return {
        "data": {"values": limits},
        "mark": {"type": "line", "strokeDash": [6, 4], "strokeWidth": 1.5, "color": "#6b7280", "aria": False},
        "encoding": {"x": across, "y": along | {"field": "limit"}, "tooltip": told},
    }


def growth_spec(points: list[dict[str, Any]], colours: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the chart of seconds against nodes."""
    steps = list(dict.fromkeys(point["step"] for point in points))
    hues = colours or [f"var(--s{i})" for i in (1, 4, 5, 2, 3)]
    axis = {"field": "nodes", "type": "quantitative", "scale": {"type": "log"}, "axis": _decades("nodes")}
    seconds = {
        "field": "seconds",
        "type": "quantitative",
        "scale": {"type": "log"},
        "axis": _decades("seconds"),
    }
    look = {"field": "step", "scale": {"domain": steps, "range": list(hues)[: len(steps)]}, "title": None}
    return {
        "$schema": SCHEMA,
        "description": "Seconds against the number of nodes. The figures are in the table below.",
        "width": "container",
        "height": 260,
        "background": None,
        "data": {"name": "points", "values": points},
        "mark": {"type": "line", "point": {"size": 50}, "strokeWidth": 2},
        "encoding": {
            "x": axis,
            "y": seconds,
            "color": look | {"legend": {"orient": "top", "direction": "vertical"}},
            "shape": {"field": "step", "legend": None},
            "detail": {"field": "graph"},
            "tooltip": [
                {"field": "graph", "title": "graph"},
                {"field": "step", "title": "step"},
                {"field": "nodes", "type": "quantitative", "format": ",", "title": "nodes"},
                {"field": "seconds", "type": "quantitative", "format": ".3~g", "title": "seconds"},
            ],
        },
        "config": _CONFIG,
    }


def picture(rows: pl.DataFrame) -> dict[str, Any]:
    """Return one chart of all recall panels, for a file of a picture: three in a row, legend included."""
    found = list(panels(rows, "recall")) or list(panels(rows, "relative_error"))
    if not found:
        raise ParameterError("the results hold neither recall nor errors; write a report that ends in .html")
    series = looks(in_order(point["series"] for panel in found for point in panel.points))
    legend = {"title": None, "orient": "bottom", "columns": 4, "symbolStrokeWidth": 2}
    charts = []
    for panel in found:
        chart = spec(panel, series, colours=_LIGHT)
        made = {key: chart[key] for key in ("data", "transform", "layer")}
        made["data"] = {"values": panel.points}
        made |= {
            "width": 300,
            "height": 210,
            "title": {"text": f"{panel.group}, {panel.title}", "fontSize": 12},
        }
        for layer in made["layer"]:
            layer.pop("name", None)  # a name that stands in two charts is one mark, with the data of the last
            for channel in ("color", "shape", "strokeDash"):
                if channel in layer["encoding"]:
                    layer["encoding"][channel] = layer["encoding"][channel] | {"legend": legend}
        charts.append(made)
    shown = spec(found[0], series)["params"]
    config = _CONFIG | {"background": "white"}
    return {"$schema": SCHEMA, "params": shown, "concat": charts, "columns": 3, "config": config}


def _limits(part: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the dashed line; samples of a graph differ, and have none."""
    if "limit" not in part.columns or part["experiment"][0] == "samples":
        return []
    return part.select("epsilon", "limit").drop_nulls().unique("epsilon").sort("epsilon").to_dicts()


def _points(part: pl.DataFrame) -> list[dict[str, Any]]:
    wanted = ["series", "epsilon", "runs", "mean", "median", "low", "high", "error"]
    return part.select(wanted).sort("series", "epsilon").to_dicts()


def _colours(series: Sequence[Look], colours: Sequence[str] | None) -> dict[str, Any]:
    shown = [f"var(--s{look.hue})" if colours is None else colours[look.hue - 1] for look in series]
    return {"domain": [look.name for look in series], "range": shown}


def _decades(title: str | None = "epsilon") -> dict[str, Any]:
    return {
        "title": title,
        "values": [10.0**power for power in range(-9, 10)],
        "labelExpr": "datum.value >= 1 ? format(datum.value, ',') : format(datum.value, '~g')",
        "labelOverlap": "greedy",
        "labelFlush": False,
    }


def _least(low: str, *, share: bool) -> str:
    return (
        f"spread == 'error' ? max({0 if share else '1e-9'}, {low}) : max({0 if share else '1e-9'}, datum.low)"
    )


def _most(high: str, *, share: bool) -> str:
    return f"spread == 'error' ? {f'min(1, {high})' if share else high} : datum.high"


def _told(unit: str) -> list[dict[str, Any]]:
    def number(field: str, title: str) -> dict[str, Any]:
        return {"field": field, "type": "quantitative", "format": ".3~f", "title": title}

    return [
        {"field": "series", "title": "mechanism"},
        {"field": "epsilon", "type": "quantitative", "format": "~g", "title": "epsilon"},
        number("mean", f"mean {unit}"),
        number("error", "standard error"),
        number("median", "median"),
        number("low", "lower quartile"),
        number("high", "upper quartile"),
        {"field": "runs", "type": "quantitative", "title": "runs"},
    ]


_FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
_CONFIG: dict[str, Any] = {
    "font": _FONT,
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": "#e5e7eb",
        "domainColor": "#9ca3af",
        "tickColor": "#9ca3af",
        "labelColor": "#4b5563",
        "titleColor": "#374151",
    },
    "legend": {"labelFontSize": 12},
}
