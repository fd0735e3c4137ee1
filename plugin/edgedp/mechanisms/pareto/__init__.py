"""DP-MOTkIN's Pareto score: the score, its sensitivity at every distance, and a cache of the latter."""
