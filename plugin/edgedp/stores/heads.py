"""Heads that were kept elsewhere: lines ``SEQ:HASH NAME``, and whether a store still has these histories."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from edgedp.errors import ParameterError, StoreError
from edgedp.stores.backend import Runner
from edgedp.stores.chain import Head, chained

__all__ = ["HEAD_VARIABLE", "check", "given", "lines", "parse"]

HEAD_VARIABLE = "EDGEDP_LEDGER_HEAD"


def lines(heads: Mapping[str, Head]) -> str:
    """Return heads as text, one graph a line.

    Examples
    --------
    >>> parse(lines({"a b": Head(2, "0" * 64)}))["a b"].seq
    2
    """
    return "".join(f"{head} {name}\n" for name, head in sorted(heads.items()))


def parse(text: str) -> dict[str, Head]:
    """Read lines ``SEQ:HASH NAME``."""
    heads = {}
    for line in text.splitlines():
        if line.strip():
            head, _, name = line.strip().partition(" ")
            if not name:
                raise ParameterError(
                    f"head is {line.strip()!r}, must be SEQ:HASH, a space and the graph's name; "
                    "copy a line that 'edgedp backup' or 'edgedp budget' printed"
                )
            heads[name] = Head.parse(head)
    return heads


def given(option: str | None) -> dict[str, Head]:
    """Return the heads of an option or of ``EDGEDP_LEDGER_HEAD``: lines, or the path of a file that holds them."""
    text = option if option is not None else os.environ.get(HEAD_VARIABLE, "")
    if not text.strip():
        return {}
    if ":" in text.split(" ")[0] and " " in text.strip():
        return parse(text)
    try:
        return parse(Path(text).expanduser().read_text(encoding="utf-8"))
    except OSError as error:
        raise ParameterError(
            f"head is {text!r}, must be a line 'SEQ:HASH NAME' or a file of such lines ({error.strerror}); check it"
        ) from None


def check(runner: Runner, heads: Mapping[str, Head]) -> None:
    """Refuse a store that lacks a part of the history that a head names.

    Raises
    ------
    StoreError
        A log is shorter, or another one, than its head says.
    """
    for name, head in heads.items():
        rows = chained(name, runner.run("log_list", name=name))
        if head.seq > len(rows):
            raise StoreError(
                f"the ledger of {name!r} ends at entry {len(rows)} and the head that was kept is entry {head.seq}: "
                "it is an older copy, and what was released since is not debited in it; restore a newer backup, or see "
                "docs/how-to.md, 'Back up and restore'"
            )
        if head.seq and rows[head.seq - 1]["hash"] != head.hash:
            raise StoreError(
                f"the ledger of {name!r} is not the one of the head that was kept: entry {head.seq} differs; "
                "restore a backup, or see docs/how-to.md, 'Back up and restore'"
            )
