"""Heads that were kept elsewhere: lines ``SEQ:HASH NAME``, and whether a store still has these histories."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from edgedp.ledger.account import PEOPLE, split_account
from edgedp.ledger.backend import Runner
from edgedp.ledger.chain import Head, chained, genesis
from edgedp.words.errors import ParameterError, StoreError
from edgedp.words.places import expanded
from edgedp.words.shown import shortened

HEAD_VARIABLE = "EDGEDP_LEDGER_HEAD"


def lines(heads: Mapping[str, Head]) -> str:
    r"""Return heads as text, one account a line; a name that would not stay in its line is a JSON string.

    Examples
    --------
    >>> furthest(parse(lines({"a b": Head(2, "0" * 64), "c\u2028d": Head(3, "1" * 64)})))["c\u2028d"].seq
    3
    """
    return "".join(f"{head} {_written(name)}\n" for name, head in sorted(heads.items()))


def parse(text: str) -> list[tuple[str, Head]]:
    """Read lines ``SEQ:HASH NAME``, each of which counts: see `furthest`."""
    found = []
    for line in text.split("\n"):  # a name may hold what other programs take for the end of a line
        if line.strip():
            head, _, name = line.strip("\r ").partition(" ")
            if not name:
                raise ParameterError(
                    f"head is {shortened(repr(line.strip()))}, must be SEQ:HASH, a space and the graph's name; "
                    "copy a line that 'edgedp backup' or 'edgedp budget' printed"
                )
            found.append((_read(name), Head.parse(head)))
    return found


def furthest(heads: Iterable[tuple[str, Head]]) -> dict[str, Head]:
    """Return the furthest head of each account.

    Raises
    ------
    ParameterError
        Two heads of one entry differ: they are of different histories.
    """
    kept: dict[str, Head] = {}
    seen: dict[tuple[str, int], str] = {}
    for name, head in heads:
        if seen.setdefault((name, head.seq), head.hash) != head.hash:
            raise ParameterError(
                f"two heads of entry {head.seq} of {name!r} differ, so they are of different histories; keep the one "
                "of this store"
            )
        if name not in kept or kept[name].seq < head.seq:
            kept[name] = head
    return kept


def given(option: str | None) -> list[tuple[str, Head]]:
    """Return the heads of an option or of ``EDGEDP_LEDGER_HEAD``: lines, or the path of a file that holds them.

    Raises
    ------
    ParameterError
        They are none, or the file cannot be read or holds none: a check that checks nothing would look like one.
    """
    text = _text(option)
    if option is None and not text.strip():
        return []
    path = _path(text)
    if path is None:
        return parse(text)
    try:
        found = parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise ParameterError(
            f"head is {text!r}, must be a line 'SEQ:HASH NAME' or a file of such lines ({reason}); correct it"
        ) from None
    if not found:
        raise ParameterError(f"head is {text!r}, a file without a line 'SEQ:HASH NAME'; write one into it")
    return found


def stamp(option: str | None, beside: Sequence[Path] = ()) -> object:
    """Return what changes when the file of `given`, or one beside the store, does: identities, sizes, times."""
    return [_file_stamp(path) for path in (_path(_text(option)), *beside)]


def _file_stamp(path: Path | None) -> object:
    if path is None:
        return None
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _text(option: str | None) -> str:
    return option if option is not None else os.environ.get(HEAD_VARIABLE, "")


def _path(text: str) -> Path | None:
    """Return the path of a file of heads; None for the lines themselves."""
    if ":" in text.split(" ")[0] and " " in text.strip():
        return None
    return expanded(text, "head") if text.strip() else Path()


def _written(name: str) -> str:
    plain = name == name.strip() and len(name.splitlines()) == 1 and not name.startswith('"')
    return name if plain else json.dumps(name)


def _read(name: str) -> str:
    if not name.startswith('"'):
        return name
    try:
        return str(json.loads(name))
    except ValueError:
        return name


def check(runner: Runner, heads: Sequence[tuple[str, Head]], *, whole: bool = True) -> bool:
    """Refuse a store that lacks a part of the history that a head names; every head counts.

    Parameters
    ----------
    whole : bool
        Read every row of the logs. Else the rows that the heads name and the last ones are enough where each stands;
        of a store that keeps no hashes, and where one does not stand, every row is read then, too.

    Returns
    -------
    bool
        Whether every row was read.

    Raises
    ------
    StoreError
        A log is shorter, or another one, than its head says; or a row that was read is missing or changed.
    """
    names = sorted({name for name, _ in heads})
    if not whole and all(_stands(runner, name, head) for name, head in dict.fromkeys(heads)):
        for name in names:
            runner.run("log_last", name=name)  # a row that is not what was written is refused as it is read
        return False
    logs = {
        name: [genesis(name), *(row["hash"] for row in chained(name, runner.run("log_list", name=name)))]
        for name in names
    }
    for name, head in heads:
        hashes = logs[name]
        if head.seq >= len(hashes):
            raise StoreError(
                f"{_log_of(name)} ends at entry {len(hashes) - 1} and the head that was kept is entry {head.seq}: "
                "it is an older copy, and what was released since is not debited in it; restore a newer backup, or see "
                "docs/operator.md, 'Back up and restore'"
            )
        if hashes[head.seq] != head.hash:
            raise StoreError(
                f"{_log_of(name)} is not the one of the head that was kept: entry {head.seq} differs; "
                "restore a backup, or see docs/operator.md, 'Back up and restore'"
            )
    return True


def _stands(runner: Runner, name: str, head: Head) -> bool:
    """Return whether the row of a head is there with its hash, which names all rows before it."""
    if head.seq == 0:
        return head.hash == genesis(name)
    rows = runner.run("log_at", name=name, seq=head.seq)
    return bool(rows) and rows[0]["hash"] == head.hash


def _log_of(name: str) -> str:
    """Return how an error names the log of an account."""
    if name == PEOPLE:
        return "the people's log"
    graph, account = split_account(name)
    return f"the ledger of {graph!r}" if account == "edges" else f"the ledger of the attributes of {graph!r}"
