"""What the shell completes that is no closed list of words: names of stored graphs, datasets and files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from edgedp.stores.store import Store

_NEW_NAMES = ("register", "account")
"""Commands whose name need not be that of a stored graph."""


class GraphName(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.2 only
    """The name of a stored graph; completing it reads public facts alone and asks for nothing."""

    name = "text"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names of the store that begin so; none where it cannot be opened without a question."""
        try:
            with _store(ctx) as store:
                names = [row["name"] for row in store.graphs()]
        except Exception:  # whatever it is: a shell that completes shows no errors
            return []
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


class Source(click.ParamType):  # type: ignore[type-arg]
    """A dataset of the catalogue, or a file."""

    name = "text"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the datasets that begin so, and leave files to the shell."""
        from edgedp.graph.reading.sources.catalogue import dataset_names

        names = [CompletionItem(name) for name in dataset_names() if name.startswith(incomplete)]
        return [*names, CompletionItem(incomplete, type="file")]


def complete_arguments(group: click.Group) -> None:
    """Let the arguments NAME and SOURCE of every command below a group complete."""
    for command, argument in _arguments(group):
        if argument.name == "name" and command.name not in _NEW_NAMES:
            argument.type = GraphName()
        elif argument.metavar == "SOURCE":
            argument.type = Source()


def _arguments(group: click.Group) -> Iterator[tuple[click.Command, click.Argument]]:
    for command in group.commands.values():
        if isinstance(command, click.Group):
            yield from _arguments(command)
            own = getattr(command, "default", None)
            if own is not None:
                yield from ((own, each) for each in own.params if isinstance(each, click.Argument))
        for each in command.params:
            if isinstance(each, click.Argument):
                yield command, each


def _store(ctx: click.Context) -> Store:
    """Open the store of a command that is being typed: an embedded one that is there, or a server with a password."""
    from edgedp.stores.opening import DEFAULT_STORE, NEO4J_SCHEMES, open_store

    given: Any = ctx.find_root().params.get("store")
    uri = given or os.environ.get("EDGEDP_STORE") or os.environ.get("NEO4J_URI") or DEFAULT_STORE
    if uri.split("://", 1)[0].lower() in NEO4J_SCHEMES:
        if "NEO4J_PASSWORD" not in os.environ:
            raise LookupError
    elif not os.path.isdir(uri):  # a store of 0.1.0 is a file, and opening it would migrate it
        raise LookupError
    return open_store(uri)
