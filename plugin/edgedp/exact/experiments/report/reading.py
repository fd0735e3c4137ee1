"""What the figures say, in plain words: every sentence is made of figures that stand in the results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from edgedp.exact.experiments.curves import curves, needed
from edgedp.exact.experiments.report.charts import group_of
from edgedp.exact.experiments.report.published import CLAIM
from edgedp.exact.experiments.report.tables import between, growth_points, less, number

if TYPE_CHECKING:
    import polars as pl

_NOISE = 2.0
"""Standard errors of a difference, below which two means are not told apart."""


def reading(rows: pl.DataFrame) -> list[tuple[str, list[str]]]:
    """Return headings with sentences; a heading without anything to say is left out."""
    points = curves(rows, "recall")
    found: dict[str, list[str]] = {}
    panels: dict[tuple[str, int | None], list[dict[str, Any]]] = {}
    for row in needed(points):
        panels.setdefault((group_of(row), row["k"]), []).append(row)
    for (group, k), series in panels.items():
        found.setdefault(group, []).extend(_of_panel(f"For k = {k}", series))
    for group, sentences in _side_by_side(points):
        found.setdefault(group, []).append(sentences)
    numbers = list(_numbers(curves(rows, "relative_error")))
    if numbers:
        found["Numbers"] = numbers
    growth = list(_growth(growth_points(rows)))
    if growth:
        found["Growth"] = growth
    return [(heading, sentences) for heading, sentences in found.items() if sentences]


def _of_panel(where: str, series: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what each needs for 0.9, and the factor between the exponential mechanism and the others for 0.8."""
    reaching = sorted(
        (row for row in series if row["needed"][2] is not None), key=lambda row: row["needed"][2].at_most
    )
    if reaching:
        shown = "; ".join(f"{row['series']} {between(row['needed'][2])}" for row in reaching)
        yield f"{where}, the epsilon from which on recall is 0.9, between two that were tried: {shown}."
    missing = [row for row in series if row["needed"][2] is None]
    if missing:
        shown = ", ".join(f"{row['series']} ({row['reached']:.2f})" for row in missing)
        yield f"{where}, these stay below 0.9 at the largest epsilon tried (their best mean in brackets): {shown}."
    by_name = {row["series"]: row["needed"][1] for row in series}
    em = by_name.get("EM")
    for name in ("LD", "SLD", "joint"):
        own = by_name.get(name)
        if em and own:
            ratio = less(em, own)
            yield f"{where}, for a recall of 0.8 EM needs {_times(*ratio)} {name}'s epsilon{_claimed(name, *ratio)}."


def _times(least: float, most: float | None) -> str:
    if most is None:
        return f"at least {number(least)} times" if least else "an unknown multiple of"
    return f"{number(least)} to {number(most)} times" if least else f"at most {number(most)} times"


def _claimed(name: str, least: float, most: float | None) -> str:
    """Return what the published claim on local dampening is worth here, where that follows from what was tried."""
    low, high = CLAIM
    if name != "SLD":
        return ""
    claim = "the published two to four orders of magnitude"
    if most is not None and low <= least <= most <= high:
        return f": within {claim}"
    if least > high:
        return f": more than {claim}"
    if most is not None and most < low:
        return f": less than {claim}"
    return f"; {claim} are neither met nor missed by that"


def _side_by_side(points: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield, for epsilon 0.1, in which panels joint is above SLD by more than chance."""
    import polars as pl

    counted: dict[str, list[str]] = {}
    at = points.filter((pl.col("epsilon") - 0.1).abs() < 1e-12, pl.col("series").is_in(["SLD", "joint"]))
    pairs: dict[tuple[str, Any], dict[str, dict[str, Any]]] = {}
    for row in at.iter_rows(named=True):
        pairs.setdefault((group_of(row), row["k"]), {})[row["series"]] = row
    for (group, k), both in pairs.items():
        if len(both) == 2:
            joint, sld = both["joint"], both["SLD"]
            ahead = joint["mean"] - sld["mean"] > _NOISE * (joint["error"] ** 2 + sld["error"] ** 2) ** 0.5
            shown = f"k = {k}: {joint['mean']:.2f} and {sld['mean']:.2f}"
            counted.setdefault(group, []).append(
                shown if ahead else f"{shown}, not distinguishable or behind"
            )
    for group, told in counted.items():
        yield group, f"At epsilon 0.1, recall of joint and of SLD: {'; '.join(told)}."


def _numbers(points: pl.DataFrame) -> Iterator[str]:
    """Yield from which epsilon on a number is known to within a tenth."""
    for key, part in points.group_by(["graph", "of", "series"], maintain_order=True):
        ordered = part.sort("epsilon")
        within = None
        for row in reversed(list(ordered.iter_rows(named=True))):
            if row["mean"] > 0.1:
                break
            within = row["epsilon"]
        graph, of, series = key
        best = float(ordered["mean"].min())  # type: ignore[arg-type]
        if within is None:
            yield f"{graph}, {of} by {series}: the mean relative error stays above 10 %; the least is {best:.1%}."
        else:
            yield f"{graph}, {of} by {series}: the mean relative error is at most 10 % from epsilon {within:g} on."


def _growth(points: list[dict[str, Any]]) -> Iterator[str]:
    """Yield how much longer the largest graph takes than the smallest."""
    steps: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for point in points:
        steps.setdefault((point["graph"], point["step"]), []).append(point)
    for (graph, step), of in steps.items():
        small, large = min(of, key=lambda p: p["nodes"]), max(of, key=lambda p: p["nodes"])
        if large["nodes"] > small["nodes"]:
            yield (
                f"{graph}, {step}: {number(large['edges'] / small['edges'])} times the edges took "
                f"{number(large['seconds'] / small['seconds'])} times as long ({large['seconds']:.3g} s "
                f"with {large['edges']:,} edges)."
            )
