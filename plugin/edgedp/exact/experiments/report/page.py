"""The page: HTML with its style, its script, its data and the library of the charts, all in one file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from edgedp.exact.experiments.curves import curves, in_order
from edgedp.exact.experiments.report import charts, tables
from edgedp.exact.experiments.report.charts import Look, Panel
from edgedp.exact.experiments.report.reading import reading
from edgedp.exact.experiments.report.tables import Table
from edgedp.words.version import __version__

if TYPE_CHECKING:
    import polars as pl

_SYMBOLS = {
    "circle": "<circle cx='17' cy='7' r='4'/>",
    "diamond": "<path d='M17 2l5 5-5 5-5-5z'/>",
    "triangle-up": "<path d='M17 2.5l4.6 8h-9.2z'/>",
    "triangle-down": "<path d='M17 11.5l4.6-8h-9.2z'/>",
    "triangle-left": "<path d='M12.5 7l8-4.6v9.2z'/>",
    "triangle-right": "<path d='M21.5 7l-8-4.6v9.2z'/>",
    "square": "<rect x='13.2' y='3.2' width='7.6' height='7.6'/>",
    "cross": "<path d='M15.3 2.5h3.4v2.8h2.8v3.4h-2.8v2.8h-3.4V8.7h-2.8V5.3h2.8z'/>",
    "stroke": "<rect x='13' y='6' width='8' height='2'/>",
}


def page(rows: pl.DataFrame) -> str:
    """Return the page of some results.

    Notes
    -----
    Everything that comes from the results (names of graphs) is escaped; nothing is fetched from anywhere.
    """
    recall = list(charts.panels(rows, "recall"))
    errors = list(charts.panels(rows, "relative_error"))
    names = in_order(point["series"] for panel in (*recall, *errors) for point in panel.points)
    series = charts.looks(names)
    growth = tables.growth_points(rows)
    specs: list[dict[str, Any]] = [charts.spec(panel, series) for panel in (*recall, *errors)]
    sections = [
        _reading(rows),
        _charts("recall", "Recall against epsilon", recall, 0),
        _needed(rows),
        _c_metric(rows),
        _charts("numbers", "Relative error of numbers", errors, len(recall)),
    ]
    if growth:
        specs.append(charts.growth_spec(growth))
        sections.append(_growth(growth, len(specs) - 1))
    sections += [_section("parameters", "Parameters", _table(tables.parameter_table(rows))), _NOTES]
    graphs = ", ".join(rows["graph"].unique(maintain_order=True).to_list())
    return _PAGE.format(
        title=escape(f"edgedp experiments: {graphs}"),
        style=_asset("report.css"),
        head=_head(rows, graphs),
        toolbar=_toolbar(series) if recall or errors else "",
        sections="\n".join(section for section in sections if section),
        data=json.dumps(specs).replace("<", "\\u003c"),
        library=_library(),
        script=_asset("report.js"),
    )


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
<a class="skip" href="#content">To the figures</a>
{head}
{toolbar}
<main id="content">
{sections}
</main>
<noscript><p class="note">Charts need JavaScript; every figure also stands in the tables.</p></noscript>
<script type="application/json" id="charts">{data}</script>
<script>{library}</script>
<script>
{script}
</script>
</body>
</html>
"""

_NOTES = """<section id="notes" aria-labelledby="notes-title">
<h2 id="notes-title">How to read it</h2>
<ul class="plain">
<li><b>Recall</b>: the share of the returned nodes that belong to the true top k; a node whose value equals the k-th
largest belongs to it.</li>
<li><b>C</b>: the share of the returned nodes that some node of the true top k is better than in every metric.</li>
<li><b>Band</b>: mean ± one standard error of it, or the quartiles of the runs around their median.</li>
<li><b>Dashed line</b>: the recall that no private list exceeds which is as good, rank by rank, on the graphs beside
this one; a mechanism that is good only on this graph, or whose guarantee needs a degree bound, may be above it.</li>
<li><b>Epsilon needed</b>: from which epsilon on the mean stays at the target, between two neighbours that were
tried.</li>
<li>Figures are computed from exact values and repeated with seeded words: <b>none of this is a private release</b>. On
private edges it is only for the curator's eyes.</li>
</ul>
</section>"""


def _head(rows: pl.DataFrame, graphs: str) -> str:
    kinds = ", ".join(rows["experiment"].unique(maintain_order=True).to_list())
    return (
        f"<header><p class='eyebrow'>edgedp {escape(__version__)} · experiments</p><h1>{escape(graphs)}</h1>"
        f"<p class='lead'>{rows.height:,} rows of results: {escape(kinds)}.</p></header>"
    )


def _toolbar(series: list[Look]) -> str:
    """Return the legend, which hides and shows, and the choice of the band."""
    buttons = "".join(
        f"<button type='button' class='key' aria-pressed='true' data-series='{escape(look.name, quote=True)}'>"
        f"{_swatch(look)}<span>{escape(look.name)}</span></button>"
        for look in series
    )
    return (
        "<div class='toolbar' role='group' aria-label='Legend: press a mechanism to hide or show it'>"
        f"<div class='keys'>{buttons}<button type='button' class='all' id='all'>show all</button></div>"
        "<fieldset class='spread'><legend>Band</legend>"
        "<label><input type='radio' name='spread' value='error' checked> mean ± standard error</label>"
        "<label><input type='radio' name='spread' value='quartiles'> median and quartiles</label></fieldset></div>"
    )


def _swatch(look: Look) -> str:
    dash = f" stroke-dasharray='{' '.join(map(str, look.dash))}'" if look.dash else ""
    colour = f"var(--s{look.hue})"
    return (
        f"<svg width='34' height='14' viewBox='0 0 34 14' aria-hidden='true'><path d='M1 7h32' stroke='{colour}' "
        f"stroke-width='2'{dash}/><g fill='{colour}'>{_SYMBOLS[look.shape]}</g></svg>"
    )


def _reading(rows: pl.DataFrame) -> str:
    told = reading(rows)
    cards = "".join(
        f"<article class='card'><h3>{escape(heading)}</h3><ul>"
        + "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
        + "</ul></article>"
        for heading, sentences in told
    )
    return _section("reading", "What was measured", f"<div class='cards'>{cards}</div>") if told else ""


def _charts(name: str, title: str, panels: list[Panel], first: int) -> str:
    """Return a section of charts, in groups."""
    if not panels:
        return ""
    groups: dict[str, list[str]] = {}
    for place, panel in enumerate(panels, first):
        groups.setdefault(panel.group, []).append(_panel(panel, place))
    inside = "".join(
        f"<h3 class='group'>{escape(group)}</h3><div class='panels'>{''.join(of)}</div>"
        for group, of in groups.items()
    )
    return _section(name, title, inside)


def _panel(panel: Panel, place: int) -> str:
    table = _table(tables.figures(panel.points, f"{panel.group}, {panel.title}", panel.limits))
    about = f"<figcaption><b>{escape(panel.title)}</b> <span>{escape(panel.about)}</span></figcaption>"
    return (
        f"<figure class='panel'>{about}<div class='chart' id='chart-{place}'></div>"
        f"<details><summary>Figures</summary>{table}</details></figure>"
    )


def _needed(rows: pl.DataFrame) -> str:
    import polars as pl

    points = curves(rows, "recall")
    made = []
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in points.iter_rows(named=True):
        groups.setdefault(charts.group_of(row), []).append(row)
    for group, of in groups.items():
        made.append(_table(tables.needed_table(pl.DataFrame(of, schema=points.schema), group)))
    return _section("needed", "Epsilon needed", "".join(made)) if made else ""


def _c_metric(rows: pl.DataFrame) -> str:
    found = tables.c_metric_tables(rows)
    return (
        _section("c-metric", "C-metric, beside the published table", "".join(map(_table, found)))
        if found
        else ""
    )


def _growth(points: list[dict[str, Any]], place: int) -> str:
    chart = f"<figure class='panel wide'><div class='chart' id='chart-{place}'></div></figure>"
    return _section("growth", "Growth", chart + _table(tables.growth_table(points)))


def _section(name: str, title: str, inside: str) -> str:
    heading = f"<h2 id='{name}-title'>{escape(title)}</h2>"
    return f"<section id='{name}' aria-labelledby='{name}-title'>{heading}{inside}</section>"


def _table(table: Table) -> str:
    head = "".join(
        f"<th scope='col'{_side(i, table)}>{escape(cell)}</th>" for i, cell in enumerate(table.head)
    )
    body = "".join(f"<tr>{''.join(_cells(row, table))}</tr>" for row in table.rows)
    return (
        f"<div class='scroll' tabindex='0' role='region' aria-label='{escape(table.caption, quote=True)}'><table>"
        f"<caption>{escape(table.caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cells(row: Iterable[str], table: Table) -> Iterator[str]:
    for i, cell in enumerate(row):
        faint = " class='none'" if cell == "not reached" else ""
        yield f"<td{_side(i, table)}{faint}>{escape(cell)}</td>"


def _side(column: int, table: Table) -> str:
    return " data-words" if column < table.left else ""


@cache
def _library() -> str:
    """Return the library of the charts, once a process: it takes a second."""
    import vl_convert

    # What would end the script element that it stands in; inside texts and expressions the backslash says nothing.
    library = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return re.sub(r"<(?=/script|!--)", r"\\x3c", library, flags=re.IGNORECASE)


def _asset(name: str) -> str:
    return files("edgedp.exact.experiments.report").joinpath(name).read_text(encoding="utf-8")
