"""From ``--store`` and the environment to an open store."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from edgedp.stores.store import Store


@contextmanager
def opened_store() -> Iterator[Store]:
    """Open the store of this command; ask for a Neo4j password only where it is missing."""
    from edgedp.stores.neo4j.login import user_and_password
    from edgedp.stores.opening import DEFAULT_STORE, NEO4J_SCHEMES, check_address, open_store

    uri = click.get_current_context().obj or DEFAULT_STORE
    auth = None
    if uri.split("://", 1)[0].lower() in NEO4J_SCHEMES:
        check_address(uri)
        user, password = user_and_password()
        if password is None:
            password = _asked_for(user) if sys.stdin.isatty() else None
        auth = (user, password) if password else None
    head = click.get_current_context().meta.get("edgedp.head")
    with open_store(uri, auth, head=head) as store, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            yield store
        finally:
            for each in caught:
                click.echo(f"Warning: {each.message}", err=True)


def _asked_for(user: str) -> str:
    """Ask for a password; it is empty for a server that authenticates nobody."""
    prompt = f"Password of {user} (empty: none)"
    return str(click.prompt(prompt, "", hide_input=True, show_default=False, err=True))
