"""An example for the help of every command; a test parses each."""

from __future__ import annotations

import shlex

import click

from edgedp.release.options import OPTIONS

EXAMPLES = {
    **{
        asked.COMMAND: shlex.join(["edgedp", asked.COMMAND, "email-Enron", *asked.flags(asked.EXAMPLE)])
        for asked in OPTIONS.values()
    },
    "edgedp": "edgedp topk email-Enron --metric ebc -k 10 --epsilon 0.3",
    "advise": "edgedp advise --like email-Enron -k 10 --target 0.9",
    "analyst": "edgedp analyst add ann",
    "analyst add": "edgedp analyst add ann --expires 2027-12-31",
    "analyst list": "edgedp analyst list",
    "account": "edgedp --store neo4j://localhost:7687 account CALLED --epsilon-budget 3 --protect source",
    "analyst log": "edgedp analyst log",
    "analyst identity": "edgedp analyst identity list",
    "analyst identity add": "edgedp analyst identity add ann 248289761001 --issuer https://id.example.org",
    "analyst identity list": "edgedp analyst identity list --format json",
    "analyst identity remove": "edgedp analyst identity remove 248289761001 --issuer https://id.example.org",
    "analyst token": "edgedp analyst token list ann",
    "analyst token add": "edgedp analyst token add ann laptop --expires 90d",
    "analyst token list": "edgedp analyst token list ann",
    "analyst token revoke": "edgedp analyst token revoke ann laptop",
    "analyst revoke": "edgedp analyst revoke ann",
    "analyst rotate": "edgedp analyst rotate ann",
    "audit": "edgedp audit --nodes 4 --metric ebc",
    "attribute": "edgedp attribute email-Enron --property age --low 0 --high 100 --points 101",
    "backup": "edgedp backup copy.edgedp",
    "budget": "edgedp budget email-Enron --set 3",
    "card": "edgedp card email-Enron -o card.html",
    "curator": "edgedp curator add carla",
    "curator add": "edgedp curator add carla",
    "datasets": "edgedp datasets --format csv",
    "demo": "edgedp demo",
    "drop": "edgedp drop email-Enron",
    "exact": "edgedp exact email-Enron --metric ebc --top 3",
    "exact advise": "edgedp exact advise email-Enron -k 10 --target 0.9",
    "exact count": "edgedp exact count email-Enron --of triangles",
    "exact experiment": "edgedp exact experiment email-Enron -k 10 --epsilon 1 --runs 20 -o runs.parquet",
    "exact limit": "edgedp exact limit email-Enron --metric ebc -k 10 --epsilon 0.1 --epsilon 1",
    "experiment": "edgedp experiment topk email-Enron -k 10 --epsilon 0.1 --epsilon 1 --runs 20 -o runs.parquet",
    "experiment growth": "edgedp experiment growth power-law --nodes 1000 --nodes 10000 -o growth.parquet",
    "experiment motkin": "edgedp experiment motkin email-Enron -k 10 --epsilon 1 --runs 20 -o motkin.parquet",
    "experiment numbers": "edgedp experiment numbers email-Enron --of triangles --epsilon 1 -o numbers.parquet",
    "experiment samples": "edgedp experiment samples email-Enron --epsilon 1 --runs 20 -o samples.parquet",
    "experiment topk": "edgedp experiment topk email-Enron -k 10 --epsilon 0.1 --epsilon 1 --runs 20 -o runs.parquet",
    "grant": "edgedp grant email-Enron ann --epsilon-budget 2 --max-epsilon-per-release 0.5",
    "grants": "edgedp grants email-Enron",
    "graphs": "edgedp graphs",
    "ledger": "edgedp ledger check",
    "ledger check": "edgedp ledger check email-Enron",
    "ledger export": "edgedp ledger export email-Enron -o log.jsonl",
    "ledger verify": "edgedp ledger verify log.jsonl",
    "load": "edgedp load payments.csv.gz --source payer --target payee --epsilon-budget 3 --degree-bound 2000",
    "log": "edgedp log email-Enron",
    "mcp": "edgedp --store graphs.edgedp mcp --analyst bot",
    "more": "edgedp more list",
    "more ask": "edgedp more ask email-Enron --epsilon 0.5 --reason 'the list of the third quarter'",
    "more decline": "edgedp more decline 5f0c2a1b9d3e4f67 --answer 'the budget is for the audit'",
    "more grant": "edgedp more grant 5f0c2a1b9d3e4f67 --answer 'until March'",
    "more list": "edgedp more list",
    "plan": "edgedp plan --nodes 36692 --degree-bound 2000 --epsilon 0.3 -k 10",
    "plugin": "edgedp plugin install /var/lib/neo4j",
    "plugin install": "edgedp plugin install /var/lib/neo4j",
    "plugin status": "edgedp --store neo4j://localhost:7687 plugin status",
    "plugin uninstall": "edgedp plugin uninstall /var/lib/neo4j",
    "refresh": "edgedp refresh payments",
    "register": "edgedp --store neo4j://localhost:7687 register friends --node-label Person "
    "--relationship-type KNOWS --id-property id --epsilon-budget 3",
    "releases": "edgedp releases email-Enron --format json",
    "report": "edgedp report runs.parquet -o report.html",
    "run": "edgedp run monday.jsonl",
    "serve": "edgedp --store graphs.edgedp serve --port 8750",
}
"""By the words of the command; a new command needs an entry, but for one of a kind of release."""


def add_examples(command: click.Command, words: tuple[str, ...] = ()) -> None:
    """Put the examples at the end of the help of a command and of those below it."""
    example = EXAMPLES.get(" ".join(words) or "edgedp")
    if example is not None:
        command.epilog = f"\b\nExample:\n  $ {example}"
    if isinstance(command, click.Group):
        for name, each in command.commands.items():
            add_examples(each, (*words, name))
