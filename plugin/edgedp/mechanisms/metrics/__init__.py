"""The metrics: one module each, found by the name of its file.

A metric says what it computes (`Metric.quantity`), how far one edge can move it (global sensitivity
under a public degree bound ``D``) and how far it can move within distance ``t`` (the admissible
sensitivities). All of it is a function of a node's degree ``d`` and, for one form, of ``m``, the
largest number of neighbours that it shares with another node.

To add a metric, add ``metrics/<name>.py`` with a ``METRIC`` and its definition in ``tests/support/definitions``. The
Cypher of that name is optional: without it the engine ``cypher`` refuses the metric.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edgedp.mechanisms.metrics.base import Metric

__all__ = ["metric", "metric_names"]


@cache
def metric_names() -> tuple[str, ...]:
    """Return the names of all metrics, sorted.

    Examples
    --------
    >>> "ebc" in metric_names()
    True
    """
    return tuple(sorted(found.name for found in pkgutil.iter_modules(__path__) if found.name != "base"))


@cache
def metric(name: str) -> Metric:
    """Return a metric by its name (one of `metric_names`).

    Examples
    --------
    >>> metric("density").global_sensitivity(2)
    Fraction(1, 1)
    """
    found: Metric = import_module(f"{__name__}.{name}").METRIC
    return found
