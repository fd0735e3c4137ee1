"""A real Neo4j for tests and for trying things: assembled from Maven, started on loopback, no Docker."""

from __future__ import annotations

from neo4jserver.assembly import AssemblyError
from neo4jserver.server import DEFAULT_VERSION, NEWEST_VERSION, Server, StartError, start
from neo4jserver.toolchain import MissingToolError, java_for

__all__ = [
    "DEFAULT_VERSION",
    "NEWEST_VERSION",
    "AssemblyError",
    "MissingToolError",
    "Server",
    "StartError",
    "java_for",
    "start",
]
