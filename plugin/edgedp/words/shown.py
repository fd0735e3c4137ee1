"""What people are shown: texts of others made fit for a terminal, and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

# Controls, what changes the direction of writing, line and paragraph separators, lone surrogates.
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def shown(text: object) -> str:
    r"""Return a text with every character that a terminal obeys, or that nobody sees, as an escape.

    Examples
    --------
    >>> shown("ada\x1b[2J\nbob"), shown(7), shown("Zoë")
    ('ada\\x1b[2J\\nbob', '7', 'Zoë')
    """
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), str(text))


def shortened(text: object, length: int = 60) -> str:
    """Return a text for a message: fit for a terminal, and not longer than a line has room for."""
    told = shown(text)
    return told if len(told) <= length else told[: length - 3] + "..."


def address_shown(address: str) -> str:
    """Return an address without what may be secret in it: user, password, query and fragment.

    Examples
    --------
    >>> address_shown("https://ada:secret@example.org:8080/a/b.csv?token=1#x")
    'https://example.org:8080/a/b.csv'

    A slash in a password ends what looks like a host; what then follows it is no port:

    >>> address_shown("https://ada:se/cret@example.org/b.csv"), address_shown("https://example.org:80/a@b.csv")
    ('https://example.org/b.csv', 'https://example.org:80/a@b.csv')
    """
    scheme, mark, rest = address.partition("://")
    if not mark:
        return shown(re.split(r"[?#]", address, maxsplit=1)[0].rpartition("@")[2])
    if re.match(r"[^@/?#\[]*:(?!\d*[/?#])[^@/?#]*[/?#]", rest):
        rest = rest.rpartition("@")[2]
    host, slash, path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    return shown(f"{scheme}://{host.rpartition('@')[2]}{slash}{path}")


def path_of(address: str) -> str:
    """Return the path of an address; the address itself where it has none."""
    from urllib.parse import urlsplit  # slow to import, and no command needs it to say how it is used

    try:
        return urlsplit(address).path
    except ValueError:
        return ""


def kind_of(value: object) -> str:
    """Name the type of a value for a message; the value itself may be private, or a page long.

    Examples
    --------
    >>> kind_of([1, 2]), kind_of(None)
    ('a list', 'None')
    """
    if value is None:
        return "None"
    kind = type(value)
    module = kind.__module__.partition(".")[0]
    name = kind.__name__ if module == "builtins" else f"{module} {kind.__name__}"
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def number(value: float) -> str:
    """Return a number as tables and sentences have it: 12 digits at most, and never an exponent.

    Examples
    --------
    >>> number(2.0), number(0.1), number(1e-9), number(954207.216270001)
    ('2', '0.1', '0.000000001', '954207.21627')
    """
    text = f"{Decimal(f'{value:.12g}'):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def amount(value: float | None) -> str:
    """Return an epsilon for people.

    Examples
    --------
    >>> amount(2.0), amount(0.1), amount(None)
    ('2', '0.1', 'none declared')
    """
    return "none declared" if value is None else number(value)


def csv_line(cells: Iterable[object]) -> str:
    r"""Return a line of CSV; a cell that breaks lines in any way is quoted, so that it begins no row of its own.

    Examples
    --------
    >>> csv_line([1, "a,b", "c\rd"])
    '1,"a,b","c\rd"\n'
    """
    import csv
    import io

    line = io.StringIO()
    # What ends a line is quoted inside a cell, and no more.
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue()[:-2] + "\n"
