"""Exact values, computed from private edges without a mechanism. Nothing here may be published.

Everything of that kind is under this name, in Python, on the command line and in Cypher, so that a
reader sees at once which rows may leave. What is judged by exact values lies here, too: `quality`,
`experiments` and the audits of laws.
"""

from edgedp.exact.laws import first_pick_probabilities, motkin_first_pick_probabilities
from edgedp.exact.metrics import (
    betweenness2,
    cut_betweenness,
    degree,
    density,
    ebc,
    in_degree,
    in_strength,
    out_degree,
    out_strength,
    strength,
    top,
    values,
)
from edgedp.exact.numbers import count, count_probabilities, count_sensitivity, metric_ball
from edgedp.exact.sensitivities import sensitivity

__all__ = [
    "betweenness2",
    "count",
    "count_probabilities",
    "count_sensitivity",
    "cut_betweenness",
    "degree",
    "density",
    "ebc",
    "first_pick_probabilities",
    "in_degree",
    "in_strength",
    "metric_ball",
    "motkin_first_pick_probabilities",
    "out_degree",
    "out_strength",
    "sensitivity",
    "strength",
    "top",
    "values",
]
