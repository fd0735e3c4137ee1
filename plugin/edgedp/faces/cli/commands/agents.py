"""The command that serves an analyst's side of a store to an agent's client."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from edgedp.faces.cli.once import Command
from edgedp.faces.cli.opening import opened_store
from edgedp.words.errors import AccessError, EngineError, ParameterError

if TYPE_CHECKING:
    from edgedp.stores.remote import RemoteStore


@click.command(cls=Command)
@click.option("--analyst", metavar="NAME", help="For a store that is opened here: whose share is spent.")
@click.option(
    "--token-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="For a gateway: a file that holds only the analyst's token.  [default: EDGEDP_TOKEN]",
)
@click.option(
    "--response-step",
    metavar="SECONDS",
    type=float,
    default=0.25,
    show_default=True,
    help="For a store that is opened here: response times of releases are rounded up to it.",
)
def mcp(analyst: str | None, token_file: Path | None, response_step: float) -> None:
    """Serve graphs, plans and releases to a client of the Model Context Protocol, over stdin and stdout.

    The client starts this command itself. A gateway answers clients at its address /mcp as well.
    """
    address = click.get_current_context().obj or ""
    try:
        import anyio

        from edgedp.faces.gateway import agents, desks

        agents.load_sdk()
    except ModuleNotFoundError as error:
        raise EngineError(f"mcp needs {error.name}, which is not installed; install edgedp[mcp]") from None
    from edgedp.stores.opening import GATEWAY_SCHEMES

    if address.split("://", 1)[0].lower() in GATEWAY_SCHEMES:
        if analyst is not None:
            raise ParameterError("the token says who asks; leave --analyst out")
        from edgedp.stores.opening import open_store

        with open_store(address, token=_token_in(token_file)) as remote:
            anyio.run(desks.by_stdio, desks.AtAddress(cast("RemoteStore", remote)))
        return
    if token_file is not None:
        raise ParameterError("a token goes with the address of a gateway; leave --token-file out")
    if analyst is None:
        raise ParameterError(
            "--analyst is missing; name the analyst whose share pays in a store that is opened here"
        )
    with opened_store() as store:
        anyio.run(desks.serve_local, store, analyst, response_step)


def _token_in(file: Path | None) -> str | None:
    """Return the token of a file, or None; what else it holds is never shown."""
    if file is None:
        return None
    try:
        token = file.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError:
        token = ""
    if not token or len(token.split()) != 1:
        raise AccessError(
            f"{str(file)!r} holds more than a token; write the analyst's token into it, on one line"
        )
    return token


COMMANDS = (mcp,)
