"""Kept lists in the order of their windows, one sequence for each question; from kept releases alone.

Reading a release again is post-processing, so this costs nothing and tells nothing that the lists do not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from edgedp.words.dates.calendar import calendar_kept
from edgedp.words.errors import ParameterError

_OF_ONE = ("window", "windows", "epsilon", "target_recall", "version")
"""Parameters in which lists of one sequence may differ."""


@dataclass(frozen=True)
class Listed:
    """A list of some windows.

    Attributes
    ----------
    windows : str
        Their names.
    first, last : int
        Their numbers.
    nodes : tuple
        Ids, in the order picked.
    epsilon : float
        What it cost.
    release_id : str
    """

    windows: str
    first: int
    last: int
    nodes: tuple[Any, ...]
    epsilon: float
    release_id: str

    def came(self, before: Listed | None) -> tuple[Any, ...]:
        """Return the nodes that the list before did not have; none of a first list."""
        return () if before is None else tuple(node for node in self.nodes if node not in before.nodes)

    def went(self, before: Listed | None) -> tuple[Any, ...]:
        """Return the nodes that this list has no more."""
        return () if before is None else tuple(node for node in before.nodes if node not in self.nodes)


@dataclass(frozen=True)
class Sequence:
    """Lists that answer one question, of windows of one length.

    Attributes
    ----------
    question : str
        What was asked, without the windows.
    lists : tuple of Listed
        In the order of their windows, one for each.
    titles : dict
        Of nodes that have one, by their id.
    """

    question: str
    lists: tuple[Listed, ...]
    titles: Mapping[Any, str]

    @property
    def size(self) -> int:
        """The longest list."""
        return max(len(each.nodes) for each in self.lists)

    @property
    def nodes(self) -> list[Any]:
        """All nodes, those that stand in most lists first, then by their best rank."""
        places: dict[Any, list[int]] = {}
        for each in self.lists:
            for rank, node in enumerate(each.nodes, 1):
                places.setdefault(node, []).append(rank)
        return sorted(places, key=lambda node: (-len(places[node]), min(places[node]), str(node)))

    def named(self, node: Any) -> str:
        """Return what a node is called: its id, and its title where it has one."""
        title = self.titles.get(node)
        return str(node) if title is None else f"{node} ({title})"


def sequences(releases: Iterable[Mapping[str, Any]]) -> list[Sequence]:
    """Return the sequences of a graph's kept lists; those with most windows first.

    Parameters
    ----------
    releases : iterable of mapping
        Rows of `Store.releases`, oldest first. Of two lists of the same windows the later one counts.

    Raises
    ------
    ParameterError
        None of them is a list of nodes of some windows.
    """
    found: dict[str, dict[int, Listed]] = {}
    titles: dict[str, dict[Any, str]] = {}
    for row in releases:
        listed = _listed(row)
        if listed is None:
            continue
        asked = {key: value for key, value in row["parameters"].items() if key not in _OF_ONE}
        key = json.dumps([row["selector"], asked, listed.last - listed.first], sort_keys=True)
        found.setdefault(key, {})[listed.first] = listed
        told = zip(row["nodes"], row.get("titles") or (), strict=False)
        titles.setdefault(key, {}).update({node: title for node, title in told if title})
    if not found:
        raise ParameterError(
            "no list of nodes of a window was released; ask for one with --window, each month or week"
        )
    made = [
        Sequence(_question(key), tuple(lists[at] for at in sorted(lists)), titles.get(key, {}))
        for key, lists in found.items()
    ]
    return sorted(made, key=lambda each: -len(each.lists))


def _listed(row: Mapping[str, Any]) -> Listed | None:
    public, nodes = row.get("public") or {}, row.get("nodes")
    asked = {key: row["parameters"][key] for key in ("window", "windows") if key in row["parameters"]}
    if not asked or not nodes or "calendar" not in public:
        return None
    span = calendar_kept(public["calendar"]).span(**asked)
    if span is None:
        return None
    return Listed(span.shown, span.first, span.last, tuple(nodes), float(row["epsilon"]), row["release_id"])


def _question(key: str) -> str:
    selector, asked, more = json.loads(key)
    told = ", ".join(f"{name}={value}" for name, value in asked.items())
    length = "one window" if more == 0 else f"{more + 1} windows"
    return f"{selector} ({told}), of {length} each"
