"""The commands by the people who use them, for the help of `edgedp`; a test finds each of them here once."""

from __future__ import annotations

import click

from edgedp.release.options import OPTIONS

ROLES = {
    "First": {
        "demo": "Run the main job on the bundled e-mail graph, in a store of its own.",
    },
    "Curators load a graph and declare what is public": {
        "load": "Load a graph: a catalogue name, a file, an address or stdin.",
        "refresh": "Read a loaded graph again from its source.",
        "register": "Register a graph that is in Neo4j, or edges at an address.",
        "account": "Declare the account of a relationship type, or show it.",
        "attribute": "Declare a property of the nodes: its public range and grid.",
        "budget": "Show what was spent and what is left, or declare another budget.",
        "analyst": "Add, list and revoke analysts, their tokens and sign-ins.",
        "curator": "Add curators.",
        "grant": "Declare how much of a graph's budget an analyst may spend.",
        "grants": "List who may spend how much of a graph's budget.",
        "card": "Write what was promised and spent, for people outside.",
        "drop": "Drop a loaded graph, or forget a registered one.",
        "exact": "Show exact values. They are private: for the curator only.",
    },
    "Analysts ask": {
        "graphs": "List the stored graphs: public facts only.",
        "plan": "Say what to expect of releases, from public facts only.",
        "run": "Ask for the releases of a file; continue where it stopped.",
        **{asked.COMMAND: asked.SAYS for asked in OPTIONS.values()},
        "releases": "List what was released; reading it again is free.",
        "more": "Ask for a larger share; for the curator: grant or decline it.",
        "mcp": "Let an agent ask, through a client that starts this.",
    },
    "Researchers compare": {
        "datasets": "List the catalogue: graphs that load by name.",
        "experiment": "Repeat releases of a graph at hand: how good, how fast.",
        "report": "Show results of experiments as a page or a picture.",
        "advise": "Say which mechanism needs which epsilon, on a public graph.",
        "audit": "Compare every claimed epsilon with the largest privacy loss.",
    },
    "Operators run": {
        "serve": "Serve releases and budgets over HTTP, with pages.",
        "plugin": "Install the Neo4j plugin, ask about it, or take it out.",
        "backup": "Copy an embedded store while it is in use.",
        "ledger": "Check the ledger, export a graph's log, verify an export.",
        "log": "Show what happened to a graph: when, by whom, what it cost.",
    },
}
"""Headings, and below each the command's words and one line on it, short enough for a terminal of 80 columns."""


def write_commands(group: click.Group, formatter: click.HelpFormatter) -> None:
    """Write the commands of a group below the headings, in their order."""
    for heading, commands in ROLES.items():
        with formatter.section(heading):
            formatter.write_dl([(name, line) for name, line in commands.items() if name in group.commands])
