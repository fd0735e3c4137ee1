"""Nodes that a question names: their ids are public, and matched with the graph's before anything is debited."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import product
from typing import Any

from edgedp.words.errors import UnknownNameError

_INTEGERS = range(-(2**63), 2**63)


class TypedId(str):
    """An id as somebody typed it: it names the node whose id is written so, be that a text or an integer."""

    __slots__ = ()


def meanings(ids: Iterable[Any]) -> list[Any]:
    """Return the node ids that some ids may stand for: for a typed one also the integer that is written so.

    Examples
    --------
    >>> meanings([7, "7", TypedId("7"), TypedId("007"), 2**70])
    [7, '7', '7', 7, '007']
    """
    meant: list[Any] = []
    for each in ids:
        if isinstance(each, int):
            meant += [each] if each in _INTEGERS else []
            continue
        meant.append(str(each))
        if isinstance(each, TypedId) and (number := _integer(each)) is not None:
            meant.append(number)
    return meant


def readings(asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return options in every way in which their typed ids may be meant; one way where no id is typed.

    Examples
    --------
    >>> [each["node"] for each in readings({"of": "degree", "node": TypedId("7")})]
    ['7', 7]
    """
    node, pair = asked.get("node"), asked.get("pair")
    if isinstance(node, TypedId):
        return [{**asked, "node": meant} for meant in meanings([node])]
    if isinstance(pair, (list, tuple)) and any(isinstance(each, TypedId) for each in pair):
        return [{**asked, "pair": meant} for meant in product(*(meanings([each]) for each in pair))]
    return [dict(asked)]


def resolved(named: Any, found: Collection[Any], what: str) -> Any:
    """Return the node id that is meant, out of those that the graph has.

    Parameters
    ----------
    named : int, str or TypedId
    found : collection of int or str
        Those of its `meanings` that are ids of the graph.
    what : str
        The option that names it.

    Raises
    ------
    UnknownNameError
        The graph has none of them.

    Examples
    --------
    >>> resolved(TypedId("7"), [7, 9], "node")
    7
    """
    for meant in meanings([named]):
        if meant in found:
            return meant
    raise UnknownNameError(
        f"{what} is {_plain(named)!r}, must be a node of the graph; check the id and its type"
    )


def _integer(text: str) -> int | None:
    try:
        number = int(text)
    except ValueError:
        return None
    return number if str(number) == text and number in _INTEGERS else None


def _plain(named: Any) -> Any:
    return str(named) if isinstance(named, str) else named
