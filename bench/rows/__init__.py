"""The rows, in the order of the page."""

from __future__ import annotations

from bench.harness.row import Row
from bench.rows import commands, kernels, neo4j_server, reading, releases, sampling

SECTIONS = {
    "Releases": (
        "The whole call in memory: plan, exact part, noise, ranking. Nothing is kept of the call before, "
        "unless the row says so."
    ),
    "Sampling": "Noise from the operating system's randomness, exact on both sides.",
    "Kernels": (
        "Exact values. Preparing a graph is part of ours (relabelling, orientation); "
        "the others' own graphs are built before. `density` of igraph, networkx and networkit is their local "
        "clustering."
    ),
    "Reading": "Each run in a process of its own, which has imported what it needs.",
    "Commands": "From the start of the interpreter to its end.",
    "Neo4j": (
        "Both in one server, Neo4j 5.26.30, email-Enron; processor time of the server and of the worker behind the "
        "procedures. Rows are counted within the database, so that no driver is measured. Ours reads the graph anew "
        "in every call; Open GDS 2.13.9 projects it once, and the projection is a row."
    ),
}
"""Titles, and what is said below each."""

ROWS: tuple[Row, ...] = (
    *releases.ROWS,
    *sampling.ROWS,
    *kernels.ROWS,
    *reading.ROWS,
    *commands.ROWS,
    *neo4j_server.ROWS,
)
