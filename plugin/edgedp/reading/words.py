"""Words that name columns, and values that are no ids."""

from __future__ import annotations

import re

__all__ = ["could_name_a_column", "end_pair", "is_integer", "names_a_column", "of_one_kind"]

# Two columns of these names are the ends of an edge, whatever stands beside them.
_PAIRS = (
    ("source", "target"), ("src", "dst"), ("src", "dest"), ("source", "destination"), ("from", "to"),
    ("payer", "payee"), ("sender", "receiver"), ("sender", "recipient"), ("caller", "callee"),
    ("caller", "called"), ("buyer", "seller"), ("follower", "followee"), ("follower", "followed"),
    ("head", "tail"), ("start", "end"), ("origin", "destination"), ("left", "right"), ("citing", "cited"),
    ("debtor", "creditor"), ("debit", "credit"), ("ego", "alter"), ("subject", "object"), ("parent", "child"),
    ("u", "v"),
)  # fmt: skip
_WORDS = {word for pair in _PAIRS for word in pair} | {
    "id", "ids", "node", "nodes", "vertex", "vertices", "user", "users", "customer", "customers", "client",
    "clients", "account", "accounts", "acct", "person", "people", "member", "members", "name", "names", "key",
    "label", "uid", "userid", "nodeid", "fromnodeid", "tonodeid", "sourceid", "targetid", "customerid", "accountid",
    "username", "nodename", "actor", "author", "coauthor", "entity", "friend", "neighbor", "neighbour", "number",
    "iban", "msisdn", "email", "phone", "handle", "login", "employee", "first", "second", "one", "two", "numeric",
    "by", "of", "the", "no", "nr",
}  # fmt: skip
_PARTS = re.compile(r"[A-Z]?[a-zäöüß]+|[A-Z]+(?![a-z])|[^\W\d_]+")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_KINDS = (
    ("dates", re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}([T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}( .*)?")),
    ("times", re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?")),
    ("decimals", re.compile(r"[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?|[+-]?\d+[eE][+-]?\d+")),
    ("hexadecimal numbers", re.compile(r"0[xX][0-9a-fA-F]{1,16}")),
    ("signs", re.compile(r"[^\w\s\"'#%@&?*]+")),
)


def is_integer(field: str) -> bool:
    """Whether a field is an optional sign and decimal digits, of any length."""
    return _INTEGER.fullmatch(field) is not None


def _parts(word: str) -> list[str]:
    return [part.lower() for part in _PARTS.findall(word)]


def names_a_column(word: str) -> bool:
    """Whether a field says nothing but what a column of ids is called.

    Examples
    --------
    >>> [names_a_column(word) for word in ("FromNodeId", "payer_id", "user 2", "u", "ada", "7")]
    [True, True, True, True, False, False]
    """
    parts = _parts(word)
    return bool(parts) and len(word) <= 40 and all(part in _WORDS for part in parts)


def could_name_a_column(word: str) -> bool:
    """Whether a field over integers may be taken as a name: it holds such a word, or is one letter."""
    return (len(word) == 1 and word.isalpha()) or any(part in _WORDS for part in _parts(word))


def end_pair(names: tuple[str, ...]) -> tuple[int, int] | None:
    """Return where the names of the two ends stand, the source first; None where no pair is known.

    Examples
    --------
    >>> end_pair(("date", "payer", "payee", "amount")), end_pair(("a", "b"))
    ((1, 2), None)
    """
    parts = [_parts(name) for name in names]
    for first, second in _PAIRS:
        left = [i for i, words in enumerate(parts) if first in words or f"{first}id" in words]
        right = [i for i, words in enumerate(parts) if second in words or f"{second}id" in words]
        if left and right and left[0] != right[0]:
            return left[0], right[0]
    return None


def of_one_kind(values: list[str]) -> str | None:
    """Name the kind of values that are hardly ids: dates, times, decimals, signs; None for all others."""
    for kind, pattern in _KINDS:
        if values and all(pattern.fullmatch(value) for value in values):
            return kind
    return None
