"""``edgedp plan --batch`` and ``edgedp run``: the releases of a file, one after the other."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from edgedp.faces.cli.once import Command
from edgedp.faces.cli.opening import opened_store
from edgedp.faces.cli.options import typed_ids
from edgedp.faces.cli.output import format_option, notice, print_object, print_rows
from edgedp.words.amounts.written import strict_json
from edgedp.words.errors import EdgeDPError, ParameterError
from edgedp.words.shown import amount, shown

if TYPE_CHECKING:
    from edgedp.release.release import Release
    from edgedp.stores.store import Store


def releases_in(file: str) -> list[dict[str, Any]]:
    """Return the releases of a file: a JSON list, or one JSON object in each line.

    Raises
    ------
    EdgeDPError
        It cannot be read, is no such list, or a release of it is none.
    """
    from edgedp.stores.releases.batch import checked

    text = (sys.stdin.read() if file == "-" else _text_of(file)).removeprefix("\ufeff")
    if text.lstrip().startswith("["):
        found = _json(
            text, f"{file!r} is not a JSON list of releases; give one, or one JSON object in each line"
        )
    else:
        lines = text.split("\n")  # what else ends a line may stand inside a JSON text
        found = [
            _json(line, f"line {number} is not a JSON object with distinct keys; correct it")
            for number, line in enumerate(lines, 1)
            if line.strip()
        ]
    return checked(found)


def _text_of(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ParameterError(f"{file!r} is not UTF-8; write it so") from None


def _json(text: str, refusal: str) -> Any:
    try:
        return strict_json(text)
    except (ValueError, RecursionError):
        raise ParameterError(refusal) from None


def plan_batch(file: str, output: str) -> None:
    """Print what the releases of a file would cost, asked in their order."""
    asked = releases_in(file)
    with opened_store() as store:
        told = store.plan_batch([typed_ids(each) for each in asked])
    if output == "json":
        print_object(told)
        return
    rows = [
        {
            "release": number,
            "request_id": each.get("request_id"),
            "graph": each["graph"],
            "kind": each["selector"],
            "epsilon": each["epsilon"],
            "left_after": each["epsilon_remaining_after"],
            "problem": "its release is there already" if each["kept"] else each["refused"],
        }
        for number, each in enumerate(told["releases"], 1)
    ]
    print_rows(rows, output, list(rows[0]))
    for row in told["accounts"]:
        whose = "" if row["account"] == "edges" else f" {row['account']}"
        notice(
            f"all of {row['graph']}{whose}: {amount(row['epsilon'])} at most, and "
            f"{amount(row['epsilon_remaining_after'])} would be left"
        )
    notice(
        f"{told['refused']:,} would be refused; nothing was spent or read: this rests on public facts alone"
    )


@click.command(cls=Command)
@click.argument("file")
@format_option
def run(file: str, output: str) -> None:
    """Ask for the releases of a FILE in their order, and stop at the first refusal.

    The file is a JSON list, or one JSON object in each line: graph, kind (topk, count, ...), request_id and the options
    by their names in Python. After a crash the same file continues where it stopped: a request id that has its release
    is shown and costs nothing.
    """
    asked = releases_in(file)
    lacking = [number for number, each in enumerate(asked, 1) if each.get("request_id") is None]
    if lacking:
        raise ParameterError(
            f"release {lacking[0]} has no request_id, by which a run continues after a crash; give it one"
        )
    with opened_store() as store:
        _check_understood(store, asked)
        for number, each in enumerate(asked, 1):
            try:
                release = _released(store, typed_ids(each))
            except EdgeDPError as error:
                raise type(error)(f"release {number}, request_id {each['request_id']!r}: {error}") from None
            _show(number, each["request_id"], release, output)


def _check_understood(store: Store, asked: list[dict[str, Any]]) -> None:
    """Refuse a file with a question that can never be asked, before the first is paid; budgets are judged in turn."""
    from edgedp.stores.releases.batch import MOST_PLANNED

    typed = [typed_ids(each) for each in asked]
    planned = [
        said
        for start in range(0, len(typed), MOST_PLANNED)
        for said in store.plan_batch(typed[start : start + MOST_PLANNED])["releases"]
    ]
    for number, (each, said) in enumerate(zip(asked, planned, strict=True), 1):
        if said["refused"] is not None and said["selector"] is None:
            raise ParameterError(f"release {number}, request_id {each['request_id']!r}: {said['refused']}")


def _released(store: Store, asked: dict[str, Any]) -> Release:
    from edgedp.stores.releases.batch import OWN
    from edgedp.stores.releases.estimating import kind_of_options

    options = {key: value for key, value in asked.items() if key not in OWN}
    kind = kind_of_options(asked.get("kind"), options)
    own = {key: value for key, value in asked.items() if key not in ("graph", "kind") and value is not None}
    made: Release = getattr(store, kind)(asked["graph"], **own)
    return made


def _show(number: int, request_id: str, release: Release, output: str) -> None:
    if output == "json":
        click.echo(json.dumps({"request_id": request_id, "kept": release.kept} | release.to_dict()))
        return
    left = amount(release.receipt["epsilon_remaining"])
    how = "was there already" if release.kept else f"cost {amount(release.epsilon_spent)}"
    click.echo(shown(f"release {number}, {request_id}: {how}; {left} left of {release.receipt['graph']}"))
    rows = release.answer.rows()
    print_rows(rows, output, list(release.columns))


COMMANDS = (run,)
