"""Figures of the publications, as printed, for a place beside ours.

The eight epsilons of the C-metric's table are not legible in the copy at hand; they rise from left to right. The
accuracies of PrivTopk are curves without figures, and the table beside PrivateSQL is not at hand: no figure of either
is given here rather than one read off a drawing.
"""

from __future__ import annotations

C_METRIC: dict[tuple[str, str], tuple[float, ...]] = {
    ("email-Enron", "global"): (0.41, 0.39, 0.42, 0.34, 0.33, 0.22, 0.15, 0.07),
    ("email-Enron", "local"): (0.41, 0.41, 0.39, 0.38, 0.30, 0.16, 0.07, 0.00),
    ("musae-github", "global"): (0.20, 0.21, 0.22, 0.18, 0.16, 0.10, 0.05, 0.00),
    ("musae-github", "local"): (0.15, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00),
    ("com-dblp", "global"): (0.07, 0.09, 0.09, 0.09, 0.08, 0.07, 0.07, 0.05),
    ("com-dblp", "local"): (0.08, 0.09, 0.08, 0.08, 0.07, 0.06, 0.05, 0.00),
}
"""C(A, returned) of DP-MOTkIN on the Pareto front of degree and density, by graph and sensitivity."""

CLAIM = (100.0, 10_000.0)
"""Local dampening is said to need two to four orders of magnitude less epsilon than the exponential mechanism."""

SIZES = {"DBLP": (317_080, 1_049_866, 343)}
"""Nodes, edges, largest degree of a graph that is not bundled."""
