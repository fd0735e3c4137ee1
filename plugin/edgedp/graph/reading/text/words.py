"""Words that name columns, a closed list, and values that are no ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# Two columns of these names are the ends of an edge, whatever stands beside them.
_PAIRS = (
    ("source", "target"), ("src", "dst"), ("src", "dest"), ("source", "destination"), ("from", "to"),
    ("payer", "payee"), ("sender", "receiver"), ("sender", "recipient"), ("caller", "callee"),
    ("buyer", "seller"), ("follower", "followee"), ("citing", "cited"), ("debtor", "creditor"),
    ("ego", "alter"), ("u", "v"),
)  # fmt: skip
_FORMS = ("{}", "{}id", "id{}", "{}node", "{}nodeid", "{}user", "{}userid", "{}account", "{}accountid")
_KNOWN = {(form.format(a), form.format(b)) for a, b in _PAIRS for form in _FORMS}
_TWICE = (
    "id",
    "node",
    "nodeid",
    "user",
    "userid",
    "person",
    "member",
    "account",
    "author",
    "actor",
    "customer",
)
_KNOWN |= {(word + a, word + b) for word in _TWICE for a, b in (("1", "2"), ("a", "b"))}
_PEOPLE = {
    "user", "person", "customer", "client", "member", "author", "actor", "student", "reader", "reviewer",
    "patient", "employee", "director", "player", "voter", "listener", "buyer", "subscriber", "artist", "doctor",
}  # fmt: skip
_THINGS = {
    "item", "movie", "film", "product", "book", "song", "track", "paper", "article", "group", "event", "company",
    "team", "course", "url", "page", "site", "shop", "store", "merchant", "disease", "drug", "gene", "hashtag",
    "tag", "repo", "repository", "project", "board", "game", "show", "title", "place", "location", "business",
    "topic", "isbn", "asin", "word", "category", "subreddit", "anime", "recipe",
}  # fmt: skip
_IDS = {"id", "ids", "node", "nodes", "vertex", "name", "names", "label", "key", "iban", "email", "number"}
_PARTS = re.compile(r"[A-Z]?[a-zäöüß]+|[A-Z]+(?![a-z])|[^\W\d_]+")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_MISSING = {"", "na", "nan", "null", "none", "nil", "-", "?", "."}
_KINDS = (
    ("dates", re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}([T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}( .*)?")),
    ("times", re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?")),
    ("decimals", re.compile(r"[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?|[+-]?\d+[eE][+-]?\d+")),
    ("hexadecimal numbers", re.compile(r"0[xX][0-9a-fA-F]{1,16}")),
    ("signs", re.compile(r"[^\w\s\"'#%@&?*]+")),
)
_WHOLE = re.compile(r"[+-]?[0-9]+\.0+")


def is_integer(field: str) -> bool:
    """Whether a field is an optional sign and decimal digits, of any length."""
    return _INTEGER.fullmatch(field) is not None


def are_integers(fields: Iterable[str]) -> bool:
    """Whether all fields are integers, as of `is_integer`."""
    return all(map(_INTEGER.fullmatch, fields))


def are_numbers(fields: Iterable[str]) -> bool:
    """Whether all fields are written as numbers."""
    return all(map(_NUMBER.fullmatch, fields))


def hold_a_number(fields: Iterable[str]) -> bool:
    """Whether one of the fields is written as a number."""
    return any(map(_NUMBER.fullmatch, fields))


def present(fields: Iterable[str]) -> list[str]:
    """Return the fields that stand for a value."""
    return [field for field in fields if field.lower() not in _MISSING]


def _parts(word: str) -> set[str]:
    return {part.lower().removesuffix("s") for part in _PARTS.findall(word)}


def could_name_a_column(word: str) -> bool:
    """Whether a field holds a word that names a column of ids, or is one letter."""
    known = {word for pair in _PAIRS for word in pair} | _PEOPLE | _THINGS | _IDS
    lowered = {part.lower() for part in _PARTS.findall(word)}
    return (len(word) == 1 and word.isalpha()) or bool((lowered | _parts(word)) & known)


def end_pairs(names: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the names of two ends stand, the source first: every pair that is known.

    Examples
    --------
    >>> end_pairs(("date", "payer_id", "payee_id", "amount")), end_pairs(("a", "b"))
    ([(1, 2)], [])
    """
    plain = _plain(names)
    return [(i, j) for i, a in enumerate(plain) for j, b in enumerate(plain) if (a, b) in _KNOWN]


def only_pair(names: Sequence[str]) -> tuple[int, int] | None:
    """Return the one pair of ends that names tell; None where there are none or several, or a third of their kind.

    Examples
    --------
    >>> only_pair(("from", "to", "n")), only_pair(("id1", "id2", "id3"))
    ((0, 1), None)
    """
    pairs, plain = end_pairs(names), _plain(names)
    if len(pairs) != 1:
        return None
    i, j = pairs[0]
    third = plain[j][:-1] + {"2": "3", "b": "c"}.get(plain[j][-1:], "\n")
    return None if third in plain else (i, j)


def _plain(names: Sequence[str]) -> list[str]:
    return ["".join(char for char in name.lower() if char.isalnum()) for name in names]


def different_kinds(one: str, two: str) -> bool:
    """Whether two names are of different kinds of things.

    Examples
    --------
    >>> different_kinds("userId", "movieId"), different_kinds("user", "friend")
    (True, False)
    """
    kinds = [({*(part & _THINGS)}, bool(part & _PEOPLE)) for part in (_parts(one), _parts(two))]
    (things, person), (others, other_person) = kinds
    return bool(
        (things and others and not things & others) or (things and other_person) or (person and others)
    )


def of_one_kind(values: Sequence[str]) -> str | None:
    """Name the kind of values that are hardly ids: dates, times, decimals, signs; None for all others.

    Missing ones are left out.
    """
    values = present(values)
    for kind, pattern in _KINDS:
        if values and all(map(pattern.fullmatch, values)):
            return None if kind == "decimals" and all(map(_WHOLE.fullmatch, values)) else kind
    return None
