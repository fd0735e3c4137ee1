"""Releases of graphs that are rows on Spark: the same plan, law and refusals, beyond one machine.

``frames`` takes the edges of a data frame and ``sources`` those at an address; ``edges`` counts degrees and makes ego
networks; ``executors`` is what a partition does, ``drawing`` what the driver does; ``projection`` asks for exact
vectors, which ``pieces`` and ``pairs`` compute; ``session`` starts Spark. Neither pyspark nor a JVM is loaded before it
is needed. What a cluster needs, and what the driver sees: docs/spark.md.
"""

from __future__ import annotations

from edgedp.spark.top_k import priv_top_k

__all__ = ["priv_top_k"]
