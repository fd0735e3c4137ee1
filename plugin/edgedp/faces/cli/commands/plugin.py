"""Commands of the curator for the Neo4j plugin."""

from __future__ import annotations

import sys

import click

from edgedp.faces.cli.once import Group
from edgedp.faces.cli.opening import opened_store


@click.group(cls=Group)
def plugin() -> None:
    """Install the Neo4j plugin, ask about it, or take it out."""


@plugin.command()
@click.argument("neo4j_home")
@click.option(
    "--python",
    metavar="FILE",
    default=sys.executable,
    help="Interpreter of the workers.  [default: this one]",
)
def install(neo4j_home: str, python: str) -> None:
    """Put the jar into NEO4J_HOME/plugins and write conf/edgedp.conf; restart Neo4j afterwards."""
    from edgedp.stores.neo4j import plugin as server_plugin

    files = server_plugin.install(neo4j_home, python)
    click.echo(
        f"installed {files.jar}\nconfigured {files.conf}: workers run {files.python}\nrestart Neo4j to load it"
    )


@plugin.command()
@click.argument("neo4j_home", required=False)
def status(neo4j_home: str | None) -> None:
    """Say what lies in NEO4J_HOME, or, without it, what the server of --store has and whether its worker answers."""
    from edgedp.stores.neo4j import plugin as server_plugin
    from edgedp.words.errors import StoreError

    if neo4j_home is not None:
        files = server_plugin.installed_files(neo4j_home)
        for what, found in (("jar", files.jar), ("version", files.version), ("workers run", files.python)):
            click.echo(f"{what}: {found or 'none'}")
        return
    with opened_store() as store:
        server = store.plugin()
    if server.version is None:
        raise StoreError(
            "the server has no edgedp plugin; run 'edgedp plugin install NEO4J_HOME' and restart it"
        )
    if server.worker is None:
        raise StoreError(
            f"the server has the plugin {server.version}, whose worker does not answer; {server.problem}"
        )
    click.echo(f"plugin {server.version}; its worker answers: edgedp {server.worker}, Python {server.python}")


@plugin.command()
@click.argument("neo4j_home")
def uninstall(neo4j_home: str) -> None:
    """Take the jar and its configuration out of NEO4J_HOME; graphs and ledgers stay."""
    from edgedp.stores.neo4j import plugin as server_plugin

    files = server_plugin.uninstall(neo4j_home)
    click.echo(f"removed {files.jar or 'nothing'}; graphs and ledgers are in the database and stay")


COMMANDS = (plugin,)
