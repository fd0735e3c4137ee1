"""The releases of a graph in memory: the caller holds the edges, nothing is debited."""

from __future__ import annotations

from edgedp.release.in_memory.nodes import motkin, priv_top_k
from edgedp.release.in_memory.numbers import count, distribution, summary

__all__ = ["count", "distribution", "motkin", "priv_top_k", "summary"]
