"""From rows to curves: mean, median, quartiles, standard error; and the epsilon that a target needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from edgedp.words.vocabulary import SAMPLERS

if TYPE_CHECKING:
    import polars as pl

TARGETS = (0.5, 0.8, 0.9)
"""Recalls that an epsilon is asked for."""

MEASURES = ("recall", "c_random", "c_front", "relative_error")

PANEL = (
    "experiment",
    "graph",
    "graph_version",
    "metric",
    "of",
    "approach",
    "weights",
    "k",
    "nodes",
    "degree_bound",
)
SERIES = ("mechanism", "sampler", "sensitivity_form", "shift", "proxy")

_NAMES = {"em": "EM", "pf": "PF", "ld": "LD", "sld": "SLD", "joint": "joint"}
_USUAL_FORMS = (None, "degree", "interval")
_USUAL_PROXIES = (None, "both")


def curves(rows: pl.DataFrame, measure: str = "recall") -> pl.DataFrame:
    """Return one row a point: what was asked, the number of runs, and how the measure is spread over them.

    Parameters
    ----------
    rows : polars.DataFrame
        Of `edgedp.experiment`; those without the measure are left out.
    measure : str
        Of `MEASURES`.

    Returns
    -------
    polars.DataFrame
        With ``series``, ``runs`` (0 for an exact expectation), ``mean``, ``median``, ``low`` and ``high`` (quartiles),
        ``error``, the standard error of the mean, and ``limit``, where it is known. Points that the samples of a graph
        share are one.
    """
    import polars as pl

    of = pl.col(measure)
    asked = [*PANEL, *SERIES, "epsilon"]
    points = (
        rows.filter(of.is_not_null(), of.is_not_nan(), of.is_finite())
        .group_by(asked, maintain_order=True)
        .agg(
            pl.col("run").count().alias("runs"),
            of.mean().alias("mean"),
            of.median().alias("median"),
            of.quantile(0.25, "linear").alias("low"),
            of.quantile(0.75, "linear").alias("high"),
            (of.std() / of.count().sqrt()).fill_null(0.0).alias("error"),
            *([pl.col("limit").first()] if "limit" in rows.columns else []),
        )
    )
    names = [series_name(row) for row in points.select(SERIES).iter_rows(named=True)]
    return points.with_columns(pl.Series("series", names, dtype=pl.String))


def series_name(row: dict[str, Any]) -> str:
    """Return what a legend calls a mechanism with its options; what is usual goes without saying.

    Examples
    --------
    >>> asked = {"mechanism": "sld", "sampler": "permute_and_flip", "sensitivity_form": "degree", "shift": "up"}
    >>> series_name(asked), series_name({"mechanism": "joint", "proxy": "degree"})
    ('SLD, permute-and-flip', 'joint by degree')
    """
    mechanism = row.get("mechanism") or "measured"
    name = _NAMES.get(mechanism, mechanism)
    if row.get("proxy") not in _USUAL_PROXIES:
        name += f" by {row['proxy']}"
    if row.get("sensitivity_form") not in _USUAL_FORMS:
        name += f", {row['sensitivity_form']}"
    if mechanism == "sld" and row.get("shift") == "down":
        name += " down"
    drawn_by = row.get("sampler")
    if mechanism in ("ld", "sld") and drawn_by not in (None, SAMPLERS[0]):
        name += f", {str(drawn_by).replace('_', '-')}"
    return name


def in_order(names: Iterable[str]) -> list[str]:
    """Return each name of a series once: the published mechanisms first, each beside its variants, joint last.

    Examples
    --------
    >>> in_order(["joint", "SLD, permute-and-flip", "geometric", "SLD", "EM", "EM"])
    ['EM', 'SLD', 'SLD, permute-and-flip', 'joint', 'geometric']
    """
    known = list(_NAMES.values())

    def place(name: str) -> tuple[int, str]:
        base = name.partition(",")[0].partition(" ")[0]
        return (known.index(base) if base in known else len(known), name)

    return sorted(set(names), key=place)


@dataclass(frozen=True)
class Needed:
    """From which epsilon on a target is reached, as far as the epsilons that were tried say so.

    Attributes
    ----------
    above : float or None
        The largest epsilon tried that is too small; None where the smallest one tried is enough.
    at_most : float
        The next one, which is enough, as all larger ones are.
    """

    above: float | None
    at_most: float


def epsilon_for(epsilons: Sequence[float], values: Sequence[float], target: float) -> Needed | None:
    """Return the two neighbouring epsilons between which a curve reaches a target for good; None where it does not.

    Nothing is interpolated: a curve between two points may have any shape.

    Examples
    --------
    >>> epsilon_for([0.1, 1, 10], [0.0, 0.5, 1.0], 0.75)
    Needed(above=1, at_most=10)
    >>> epsilon_for([0.1, 1, 10], [0.8, 0.9, 1.0], 0.75), epsilon_for([1, 10], [0.1, 0.2], 0.5)
    (Needed(above=None, at_most=0.1), None)
    """
    found = None
    for epsilon, value in reversed(list(zip(epsilons, values, strict=True))):
        if value < target:
            return None if found is None else Needed(epsilon, found)
        found = epsilon
    return None if found is None else Needed(None, found)


def needed(points: pl.DataFrame, targets: Sequence[float] = TARGETS) -> list[dict[str, Any]]:
    """Return, for each panel and series of recall curves, the epsilon that each target needs.

    Returns
    -------
    list of dict
        The panel's columns, ``series``, ``runs``, ``reached`` (the largest mean), ``largest`` (the largest epsilon
        tried) and ``needed``: one `Needed` or None a target.
    """
    found = []
    parts = dict(points.group_by([*PANEL, "series"], maintain_order=True))
    places = {name: i for i, name in enumerate(in_order(points["series"]))}
    panels = {key[:-1]: i for i, key in reversed(list(enumerate(parts)))}
    for key in sorted(parts, key=lambda key: (panels[key[:-1]], places[str(key[-1])])):
        part = parts[key]
        ordered = part.sort("epsilon")
        epsilons, means = ordered["epsilon"].to_list(), ordered["mean"].to_list()
        row = ordered.row(0, named=True)
        found.append(
            {name: row[name] for name in (*PANEL, "series", "runs")}
            | {
                "reached": max(means),
                "largest": epsilons[-1],
                "needed": [epsilon_for(epsilons, means, target) for target in targets],
            }
        )
    return found
