"""From ``--store`` and the environment to an open store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from edgedp.stores.store import Store

__all__ = ["opened_store"]


@contextmanager
def opened_store() -> Iterator[Store]:
    """Open the store of this command; ask for a Neo4j password only where it is missing."""
    from edgedp.stores.opening import DEFAULT_STORE, NEO4J_SCHEMES, open_store

    uri = click.get_current_context().obj or DEFAULT_STORE
    auth = None
    if uri.split("://", 1)[0].lower() in NEO4J_SCHEMES:
        user = os.environ.get("NEO4J_USERNAME") or "neo4j"
        password = os.environ.get("NEO4J_PASSWORD")
        if password is None:
            password = click.prompt(f"Password of {user}", hide_input=True, err=True)
        auth = (user, password)
    with open_store(uri, auth) as store:
        yield store
