"""The chain of a graph's log: each row's hash covers the row and the hash before it.

Both stores have it: SQLite keeps `prev` and `hash` with every row and checks them whenever a row is read;
of a Neo4j log whoever reads it computes them. The head, number and hash of the last row, names the whole
history: kept elsewhere, it shows later whether a log is that history or a longer one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from edgedp.words.errors import ParameterError, StoreError
from edgedp.words.shown import shortened

FIELDS = (
    "name", "seq", "kind", "at", "by", "releaseId", "requestId", "cost", "charge", "body", "total",
)  # fmt: skip
"""What a row's hash covers, after the hash of the row before; and `analyst`, where the row names one."""

STATE = ("declared", "budget", "maxPerRelease", "delta", "relationshipType", "terms", "shareTotal")
"""The account as a row left it, and what the analyst's share had spent then.

A row of this version has it where `terms` is a text. Its hash covers it then, whether it names an analyst or not.
"""

WINDOWS = ("firstWindow", "lastWindow", "runs", "shareRuns")
"""The windows that a debit was for, and what was spent within every run after it, of the account and of the share.

A row of an account with a calendar has them, where `runs` is a text, and its hash covers them; no other row does.
"""

_DIGITS = 18
"""Of the number of a row: more than any log has."""


def digest(*values: Any) -> str:
    """Return the SHA-256, hex, of integers, texts and None in one canonical encoding (a JSON array, ASCII).

    Examples
    --------
    >>> digest("a", 1) == digest("a", "1")
    False
    """
    text = json.dumps(values, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def genesis(name: str) -> str:
    """Return what stands for the hash before the first row of a graph's log."""
    return digest("edgedp", name)


def link(prev: str, row: Mapping[str, Any]) -> str:
    """Return the hash of a row of ``log_list`` after the row whose hash is `prev`."""
    analyst = row.get("analyst") or ""
    if row.get("terms") is None:  # as older versions hashed it: the heads of their logs stand
        return digest("log", prev, *(row[name] for name in FIELDS), *([analyst] if analyst else []))
    dated = () if row.get("runs") is None else WINDOWS
    return digest(
        "log", prev, *(row[name] for name in FIELDS), analyst, *(row[name] for name in (*STATE, *dated))
    )


def exported(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of a row in an export: what its hash covers, and the hashes."""
    state = () if row.get("terms") is None else STATE if row.get("runs") is None else (*STATE, *WINDOWS)
    return (*FIELDS, *(("analyst",) if row.get("analyst") else ()), *state, "prev", "hash")


FURTHER = "part-"
"""What the number of a further debit of a release begins with: the releases are counted without it."""


@dataclass(frozen=True)
class Head:
    """The end of a log: the number and hash of its last row.

    Examples
    --------
    >>> Head.parse("12:" + "ab" * 32).seq
    12
    """

    seq: int
    hash: str

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash}"

    @classmethod
    def parse(cls, text: str) -> Head:
        """Read ``SEQ:HASH``."""
        seq, _, hashed = text.strip().partition(":")
        if (
            not (seq.isascii() and seq.isdecimal() and len(seq) <= _DIGITS)
            or len(hashed) != 64
            or set(hashed) - set("0123456789abcdef")
        ):
            raise ParameterError(
                f"head is {shortened(repr(text))}, must be a number of at most {_DIGITS} digits, a colon and 64 "
                "hexadecimal digits; copy it from 'edgedp budget NAME --format json' or an export"
            )
        return cls(int(seq), hashed)


def chained(name: str, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a log's rows with `prev` and `hash` filled in, after checking that none is missing or changed.

    Raises
    ------
    StoreError
        A number is missing, a kept hash differs, a running total is not what the debits cost, or a row that does not
        say the account's state follows one that does.
    """
    done: list[dict[str, Any]] = []
    for seq, (row, why) in enumerate(_walked(name, rows), start=1):
        if why is not None:
            graph = name.partition("\t")[0]  # a second account's name has more behind a tab
            raise StoreError(
                f"the ledger of {graph!r} does not add up at entry {seq}; run 'edgedp ledger check {graph}'"
            )
        done.append(row)
    return done


def fault(name: str, rows: Iterable[Mapping[str, Any]]) -> str | None:
    """Return what is wrong with the first row that `chained` refuses; None where it refuses none."""
    for seq, (_, why) in enumerate(_walked(name, rows), start=1):
        if why is not None:
            return f"entry {seq} of the log {why}"
    return None


def is_release(row: Mapping[str, Any]) -> bool:
    """Whether a row is the debit of a release, and not a further debit of one.

    Examples
    --------
    >>> is_release({"kind": "debit", "releaseId": "ab"}), is_release({"kind": "debit", "releaseId": FURTHER + "ab"})
    (True, False)
    """
    return row["kind"] == "debit" and not row["releaseId"].startswith(FURTHER)


def body_of(row: Mapping[str, Any], column: str = "body") -> dict[str, Any]:
    """Return what a row's body says.

    Raises
    ------
    StoreError
        Somebody edited it: it is no JSON object.
    """
    found = _parsed(row[column])
    if found is None:
        graph = str(row.get("name", "")).partition("\t")[0]
        raise StoreError(
            f"the ledger of {graph!r} does not add up; run 'edgedp ledger check {graph}'"
            if graph
            else "the ledger does not add up; run 'edgedp ledger check'"
        )
    return found


def _parsed(text: Any) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (TypeError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _of_its_types(row: Mapping[str, Any]) -> bool:
    """Whether a row's values are of the types that a row has; in Neo4j anybody may write others."""
    whole = [row["total"], *(row[key] for key in ("cost", "charge") if row[key] is not None)]
    texts = [row[key] for key in ("name", "kind", "at", "by")]
    return (
        all(type(value) is int for value in whole)
        and all(isinstance(value, str) for value in texts)
        and _parsed(row["body"]) is not None
    )


def _walked(name: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[dict[str, Any], str | None]]:
    """Go through a log; each row comes with its hashes, and with what is wrong with it."""
    before, total, stated = genesis(name), 0, False
    for seq, row in enumerate(rows, start=1):
        if not _of_its_types(row):
            yield dict(row), "holds a value that no row has there"
            return
        total += row["charge"] or 0
        hashed = link(before, row)
        kept = row.get("prev"), row.get("hash")
        why = None
        if row["name"] != name or row["seq"] != seq:
            why = "or one before it is missing"
        elif row["total"] != total:
            why = f"says that {row['total']} was spent, the debits up to it cost {total}"
        elif stated and row.get("terms") is None:
            why = "does not say what the account was, and one before it does"
        elif kept not in ((None, None), (before, hashed)):
            why = "is not what was written"
        yield {**row, "prev": before, "hash": hashed}, why
        before, stated = hashed, row.get("terms") is not None
