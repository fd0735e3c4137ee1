"""Stored graphs: two databases, the way of a stored release, and the store as its people see it."""

from __future__ import annotations

from edgedp.stores.opening import open_store
from edgedp.stores.store import Store

__all__ = ["Store", "open_store"]
