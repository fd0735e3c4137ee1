"""Commands on accounts and their history: account, budget, log, ledger check, export and verify, backup."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from edgedp.faces.cli.dating import calendar_of, calendar_options, date_property_options
from edgedp.faces.cli.numerals import WHOLE
from edgedp.faces.cli.once import Command, Group
from edgedp.faces.cli.opening import opened_store
from edgedp.faces.cli.options import Word
from edgedp.faces.cli.output import format_option, limit_option, notice, print_object, print_rows
from edgedp.words.errors import ParameterError
from edgedp.words.shown import amount
from edgedp.words.vocabulary import UNITS, Unit

if TYPE_CHECKING:
    from edgedp.words.rows import Balance

_LARGE = 5
"""A total above which the promise to one edge is a formality (docs/epsilon.md)."""

_DELTA = click.option(
    "--delta", metavar="D", help="Declare the budget as (epsilon, delta), before the first release."
)


_ATTRIBUTES = click.option(
    "--attributes", is_flag=True, help="Use the account of the nodes' properties in place of the edges'."
)


@click.command(cls=Command)
@click.argument("name")
@_ATTRIBUTES
@limit_option
@click.option(
    "--since", metavar="SEQ", type=WHOLE, default=0, help="Only the rows after the one with this seq."
)
@format_option
def log(name: str, attributes: bool, limit: int | None, since: int, output: str) -> None:
    """Show what happened to a graph: when, by whom, and what was spent after it.

    Loads, replacements, drops, budget changes, debits, answers and exact reads, oldest first: public
    facts, and when each answer was recorded, which shows how long its draw took.
    """
    with opened_store() as store:
        rows = store.log(name, "attributes" if attributes else "edges", limit, since)
    asked = ["analyst"] if any(row["analyst"] for row in rows) else []
    columns = ["seq", "at", "by", *asked, "event", "epsilon", "epsilon_spent", "details"]
    if output == "table":
        print_rows(
            [row | {"at": row["at"][:19], "details": _brief(row["details"])} for row in rows], output, columns
        )
    else:
        print_rows(rows, output, [*columns, "release_id", "request_id", *([] if asked else ["analyst"])])


@click.group(cls=Group)
def ledger() -> None:
    """Check the ledger, export the log of a graph, verify an export."""


@ledger.command()
@click.argument("name", required=False)
@format_option
def check(name: str | None, output: str) -> None:
    """Check the ledger of one graph, or the whole store; nothing is changed.

    Where something does not add up, the exit status is 1, with a line for each problem.
    """
    with opened_store() as store:
        found = store.check(name)
    if output != "table":
        print_rows(found, output, ["graph", "problem"])
    for row in found if output == "table" else []:
        click.echo(row["problem"] if row["graph"] is None else f"{row['graph']}: {row['problem']}")
    if found:
        raise SystemExit(1)
    notice("everything adds up")


@ledger.command()
@click.argument("name")
@_ATTRIBUTES
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    type=click.Path(allow_dash=True, dir_okay=False),
    help="Where to.",
)
def export(name: str, attributes: bool, output: str) -> None:
    """Write the log of a graph as JSON lines; the last one holds the number of rows and the head."""
    with opened_store() as store:
        lines = store.export(name, "attributes" if attributes else "edges")
    text = "".join(f"{line}\n" for line in lines)
    if output == "-":
        click.echo(text, nl=False)
        return
    try:  # it says who asked for what, and when: for the owner alone, whatever the umask is
        handle = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            if stat.S_ISREG(os.fstat(handle).st_mode):  # /dev/null stays everybody's
                os.fchmod(handle, 0o600)
            stream.write(text)
    except OSError as error:
        raise click.ClickException(
            f"{output} cannot be written ({error.strerror}); choose another file"
        ) from None


@ledger.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--head", metavar="HASH", help="A head that was kept elsewhere; the export must hold it.")
@format_option
def verify(file: Path, head: str | None, output: str) -> None:
    """Verify an export: by itself against accidents, with a head kept elsewhere also against deliberate changes."""
    from edgedp.ledger.log.history import verify as verified

    try:
        row = verified(file.read_text(encoding="utf-8").splitlines(), head)
    except UnicodeDecodeError:
        raise click.ClickException("the file is not text; give an export of 'edgedp ledger export'") from None
    _show(row, output)
    if head is None:
        notice("a deliberate change shows only against a head that was kept elsewhere: --head")


@click.command(cls=Command)
@click.argument("destination", type=click.Path(path_type=Path))
@format_option
def backup(destination: Path, output: str) -> None:
    """Copy an embedded store to a new folder, while it is in use; restore by copying that folder back.

    The heads of all logs are printed, and written beside the copy and beside the store: a store that lacks what
    they name is an older copy and is refused.
    """
    with opened_store() as store:
        heads = store.backup(destination)
    print_rows([{"graph": name, "head": head} for name, head in heads.items()], output, ["graph", "head"])
    notice(f"backed up to {destination}")


def _brief(details: Mapping[str, Any]) -> str:
    """Return the details of an event in a line."""
    shown = details.get("parameters") or {
        key: value for key, value in details.items() if key not in ("version", "values")
    }
    listed = ", ".join(
        f"{key}={','.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in shown.items()
    )
    return f"{details['kind']}: {listed}" if "kind" in details else listed


def _show(row: dict[str, Any], output: str) -> None:
    if output == "json":
        print_object(row)
    else:
        print_rows([row], output, list(row))


@click.command(cls=Command)
@click.argument("name")
@click.option("--epsilon-budget", metavar="E", help="Declare the budget; it is recorded.")
@click.option(
    "--protect", type=Word("protect", UNITS), help="Declare what a release protects, before the first one."
)
@click.option(
    "--delta", metavar="D", help="Declare the budget as (epsilon, delta), before the first release."
)
@click.option(
    "--max-epsilon-per-release",
    metavar="E",
    help="Declare the largest epsilon of one release; none removes it.",
)
@date_property_options
@calendar_options
@format_option
def account(
    name: str,
    epsilon_budget: str | None,
    protect: Unit | None,
    delta: str | None,
    max_epsilon_per_release: str | None,
    output: str,
    **dated: Any,
) -> None:
    """Declare the account of a relationship type or of a graph's name, or show it.

    A release debits the account of every relationship type that it reads, all or none. Several graphs over one type
    share its account, so neither another name nor a filter makes a release cheaper.
    """
    calendar = calendar_of(dated, of_property=True)
    with opened_store() as store:
        row = store.account(
            name,
            epsilon_budget,
            protect,
            delta=delta,
            **calendar,
            max_epsilon_per_release=max_epsilon_per_release,
        )
    if output == "json":
        print_object(row)
    else:
        print_rows([row], output, list(row))
    if (epsilon_budget, protect, calendar["dates"], delta, max_epsilon_per_release) != (None,) * 5:
        notice("the account is recorded")


@click.command(cls=Command)
@click.argument("name")
@click.option("--set", "epsilon_budget", metavar="E", help="Declare another budget; it is recorded.")
@_DELTA
@click.option(
    "--attributes", is_flag=True, help="Declare it for the properties of the nodes, not for the edges."
)
@click.option(
    "--max-epsilon-per-release",
    metavar="E",
    help="Declare the largest epsilon of one release; none removes it.  [default: as it is]",
)
@click.option("--spent-by", is_flag=True, help="Show which names and which analysts spent it.")
@click.option("--spans", is_flag=True, help="Show every run of windows of a graph with a calendar.")
@format_option
def budget(
    name: str,
    epsilon_budget: str | None,
    delta: str | None,
    attributes: bool,
    max_epsilon_per_release: str | None,
    spent_by: bool,
    spans: bool,
    output: str,
) -> None:
    """Show what may be spent and what was, or declare another budget or limit.

    A graph has two accounts, of its edges and of its nodes' properties (attributes). They bound different
    neighbours and are never added: what is said about one edge and one record together is bounded by the sum.
    Where a graph has a calendar, the amounts are of the run of windows of which the most was spent.
    """
    declares = epsilon_budget is not None or delta is not None or max_epsilon_per_release is not None
    if spent_by and (spans or declares):
        raise ParameterError(
            "spent-by shows what was spent and goes with no other option; ask without the others"
        )
    with opened_store() as store:
        if spent_by:
            print_rows(store.spent_by(name), output, ["account", "graph", "analyst", "releases", "epsilon"])
            return
        row = (
            store.budget(name)
            if not declares
            else store.set_budget(
                name,
                epsilon_budget,
                delta,
                attributes=attributes,
                max_epsilon_per_release=max_epsilon_per_release,
            )
        )
        remote = store.address is not None  # the logs are the curator's
        by_run = {} if remote or "calendar" not in row else store.runs(name)
        head = None if remote else store.head(name)
        second = None if remote or "attributes" not in row else store.head(name, "attributes")
        if not remote and "accounts" in row:
            told = [each | {"head": store.head(each["account"])} for each in row["accounts"]]
            row = cast("Balance", row | {"accounts": told})
    if spans and not by_run:
        raise ParameterError(
            f"spans is for a graph whose budget is within windows, and that of {name!r} is for all time; ask without it"
        )
    if spans:
        print_rows(by_run["runs"], output, ["windows", "epsilon_spent", "epsilon_remaining"])
        notice(by_run["meaning"])
        return
    _print_balance(row | ({"meaning": by_run["meaning"]} if by_run else {}), head, second, output)
    if epsilon_budget is not None:
        notice("the new budget is recorded")
        note_large(epsilon_budget, row.get("attributes", row) if attributes else row)
    if max_epsilon_per_release is not None:
        notice("the new limit of one release is recorded")


def note_large(asked: str | None, row: Mapping[str, Any]) -> None:
    """Say what a budget that was just declared is worth where it is a large one."""
    if asked is not None and (row["epsilon_budget"] or 0) > _LARGE:
        notice(
            f"a budget above {_LARGE} promises a single edge hardly anything: declare less, or say so to the people in "
            "the graph (docs/epsilon.md)"
        )


def _beside_share(account: str, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give the row of an account and, for an analyst, the row of her share of it below."""
    own = row.get("share")
    whole = {"account": account} | {name: value for name, value in row.items() if name != "share"}
    return [whole] if own is None else [whole, own | {"account": f"your share of {own['account']}"}]


def _print_balance(row: Mapping[str, Any], head: str | None, second: str | None, output: str) -> None:
    """Print the accounts of a graph and the heads of their logs, where they are known."""
    shown = dict(row)
    of_records, meaning = shown.pop("attributes", None), shown.pop("meaning", None)
    low = None if output == "json" else shown.pop("notice", None)
    if output != "json" and "accounts" in shown:
        told = ", ".join(
            f"{each['account']} ({amount(each['epsilon_remaining'])} left)" for each in shown.pop("accounts")
        )
        for each in row["accounts"]:
            if "head" in each:
                notice(f"head of the log of {each['account']}: {each['head']}")
        notice(
            f"a release debits each of the accounts {told}; the amounts are those of which the least is left"
        )
    if output == "json":
        shown |= {} if meaning is None else {"meaning": meaning}
        if of_records is not None:
            shown["attributes"] = of_records if second is None else of_records | {"head": second}
        print_object(shown if head is None else shown | {"head": head})
        return
    if (calendar := shown.pop("calendar", None)) is not None:
        shown |= {"period": calendar["period"], "within": calendar["within"] or "all time"}
    rows = [
        *_beside_share("edges", shown),
        *([] if of_records is None else _beside_share("attributes", of_records)),
    ]
    names = list(dict.fromkeys(name for each in rows for name in each))[0 if len(rows) > 1 else 1 :]
    print_rows([dict.fromkeys(names) | each for each in rows], output, names)
    if meaning is not None:
        notice(meaning)
    if low is not None:
        notice(low)
    if head is not None:
        notice(f"head of the log: {head}")
    if second is not None:
        notice(f"head of the attributes' log: {second}")
    if of_records is not None:
        notice("the accounts bound different neighbours; an edge and a record together: their sum")


COMMANDS = (log, budget, ledger, backup, account)
