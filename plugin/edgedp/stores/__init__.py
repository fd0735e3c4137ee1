"""Stored graphs with a durable ledger: the embedded database or Neo4j."""

from __future__ import annotations

from edgedp.stores.opening import open_store
from edgedp.stores.store import Store

__all__ = ["Store", "open_store"]
