"""The command that writes a card of a graph for people outside."""

from __future__ import annotations

from pathlib import Path

import click

from edgedp.faces.cli.once import Command
from edgedp.faces.cli.opening import opened_store
from edgedp.faces.cli.output import notice
from edgedp.words.errors import ParameterError

_ENDINGS = {".json": "json", ".html": "html", ".htm": "html", ".md": "markdown"}
_SECTORS = ("Technology", "Healthcare", "Education", "Government", "Energy", "Finance")


@click.command(cls=Command)
@click.argument("name")
@click.option(
    "-o",
    "--output",
    "path",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Where to write it.  [default: stdout]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("json", "html", "markdown")),
    help="What to write.  [default: by the ending of FILE; markdown]",
)
@click.option("--curator", "curators", metavar="NAME", multiple=True, help="Who publishes; repeatable.")
@click.option("--intended-use", metavar="TEXT", default="not stated", help="What the releases are for.")
@click.option(
    "--region",
    metavar="TEXT",
    default="not stated",
    help="Which region the data is of, or whose law applies.",
)
@click.option("--sector", type=click.Choice(_SECTORS), help="For the registry of deployments.")
@click.option(
    "--author", "authors", metavar="NAME", multiple=True, help="The authors of this card; repeatable."
)
@click.option("--retention", metavar="TEXT", default="not stated", help="How long the graph is kept.")
def card(
    name: str,
    path: Path | None,
    form: str | None,
    curators: tuple[str, ...],
    intended_use: str,
    region: str,
    sector: str | None,
    authors: tuple[str, ...],
    retention: str,
) -> None:
    """Write what was promised and spent of a graph, for people outside: from the ledger and public facts alone.

    The JSON holds an entry of the public registry of deployments of OpenDP.
    """
    from edgedp.faces.card.making import Stated, card_of
    from edgedp.faces.card.showing import to_html, to_json, to_markdown

    if form is None and path is not None:
        form = _ENDINGS.get(path.suffix.lower())
        if form is None:
            raise ParameterError(
                f"{str(path)!r} does not end in .json, .html or .md; give --format, or another ending"
            )
    stated = Stated(
        curators=curators, intended_use=intended_use, region=region, sector=sector, authors=authors,
        retention=retention,
    )  # fmt: skip
    with opened_store() as store:
        made = card_of(store, name, stated)
    text = {"json": to_json, "html": to_html, "markdown": to_markdown}[form or "markdown"](made)
    if path is None:
        click.echo(text, nl=False)
        return
    path.write_text(text, encoding="utf-8")
    notice(f"wrote {path}; it holds no answer and nothing of a private edge")


COMMANDS = (card,)
