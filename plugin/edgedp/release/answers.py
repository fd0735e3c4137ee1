"""The kinds of answers: each owns its JSON, which the ledger keeps and programs read, and its rows, which people read.

Whoever handles an answer in between (ledgers, frames, procedures) carries that JSON and does not look inside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from edgedp.release.numbers.answers import Distribution, Number, Summary
from edgedp.release.sure import Sought, Sure
from edgedp.words.errors import StoreError


@dataclass(frozen=True)
class Nodes:
    """Node ids in the order picked.

    Parameters
    ----------
    ids : tuple of int or str
    estimates : dict, optional
        ``"edges"`` and ``"wedges"``, each with ``value``, ``low`` and ``high``, where they were asked for.
    sure : Sure, optional
        How sure the list is, where it follows from noisy vectors that were released.
    sought : Sought, optional
        How a release ended that spent until the list was sure enough.
    titles, near_titles : tuple of str or None, optional
        Beside each id, and each of those that may have been left out, where the nodes of a stored graph have titles:
        public facts.

    Examples
    --------
    >>> Nodes((7, 3)).to_json(), Nodes((7, 3)).rows()
    ({'nodes': [7, 3]}, [{'rank': 1, 'id': 7}, {'rank': 2, 'id': 3}])
    """

    KEY: ClassVar[str] = "nodes"
    """Where the answer stands in its JSON; what else stands there tells its kind."""
    COLUMNS: ClassVar[tuple[str, ...]] = ("rank", "id")

    ids: tuple[Any, ...]
    estimates: dict[str, dict[str, int]] | None = None
    sure: Sure | None = None
    sought: Sought | None = None
    titles: tuple[str | None, ...] | None = None
    near_titles: tuple[str | None, ...] | None = None

    @property
    def items(self) -> tuple[Any, ...]:
        """What there is when a release is iterated over."""
        return self.ids

    @property
    def shown_ids(self) -> list[Any]:
        """Every id that the answer shows: the list, then those that may have been left out."""
        return [*self.ids, *([] if self.sure is None else (node for node, _ in self.sure.near))]

    def titled(self, titles: Sequence[str | None]) -> Nodes:
        """Return the answer with the titles of its `shown_ids`.

        Examples
        --------
        >>> Nodes((7, 3)).titled(["Ada", None]).rows()[0]
        {'rank': 1, 'id': 7, 'title': 'Ada'}
        """
        count = len(self.ids)
        near = None if self.sure is None else tuple(titles[count:])
        return replace(self, titles=tuple(titles[:count]), near_titles=near)

    def sentences(self) -> list[str]:
        """Return what people are told of how sure the list is, a line each; none where nothing is known."""
        sure = [] if self.sure is None else self.sure.sentences(self.near_titles)
        return sure if self.sought is None else [*sure, self.sought.sentence()]

    def to_json(self) -> dict[str, Any]:
        """Return what the ledger keeps and JSON shows."""
        kept: dict[str, Any] = {self.KEY: list(self.ids)}
        kept |= {} if self.titles is None else {"titles": list(self.titles)}
        kept |= {} if self.near_titles is None else {"near_titles": list(self.near_titles)}
        kept |= {} if self.estimates is None else {"estimates": self.estimates}
        kept |= {} if self.sure is None else self.sure.to_json()
        return kept if self.sought is None else kept | self.sought.to_json()

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of a table: `COLUMNS`, the title, and what is known of how sure each is."""
        return [
            {"rank": row + 1, "id": node}
            | ({} if self.titles is None else {"title": self.titles[row]})
            | ({} if self.sure is None else self.sure.columns(row))
            for row, node in enumerate(self.ids)
        ]

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Nodes:
        """Return the answer that `to_json` wrote."""
        sure = Sure.from_json(kept) if "membership" in kept else None
        sought = Sought.from_json(kept) if "steps" in kept else None
        titles, near = (tuple(kept[key]) if key in kept else None for key in ("titles", "near_titles"))
        return cls(tuple(kept[cls.KEY]), kept.get("estimates"), sure, sought, titles, near)


@dataclass(frozen=True)
class Point:
    """A point of a public grid.

    Examples
    --------
    >>> Point(38.0).to_json()
    {'value': 38.0}
    """

    KEY: ClassVar[str] = "value"
    COLUMNS: ClassVar[tuple[str, ...]] = ("value",)

    value: float

    @property
    def items(self) -> tuple[Any, ...]:
        """What there is when a release is iterated over."""
        return (self.value,)

    def to_json(self) -> dict[str, Any]:
        """Return what the ledger keeps and JSON shows."""
        return {self.KEY: self.value}

    def rows(self) -> list[dict[str, Any]]:
        """Return the one row of a table, by `COLUMNS`."""
        return [{"value": self.value}]

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Point:
        """Return the answer that `to_json` wrote."""
        return cls(kept[cls.KEY])


Answer = Nodes | Number | Distribution | Summary | Point
"""Every kind of answer; a further one joins with ``|`` and in `answer_from_json`."""


def answer_from_json(kept: Mapping[str, Any]) -> Answer:
    """Return the answer of what a ledger kept, by the key that is its kind's own.

    Raises
    ------
    StoreError
        It is of no known kind: a newer version wrote it, or it is damaged.

    Examples
    --------
    >>> answer_from_json({"nodes": ["a", "b"]})
    Nodes(ids=('a', 'b'), estimates=None, sure=None, sought=None, titles=None, near_titles=None)
    """
    match kept:
        case {"nodes": list() as nodes, **rest} if _beside_nodes(nodes, rest):
            return Nodes.from_json(kept)
        case {"value": int() | float(), "noise": str(), **rest} if not rest:
            return Number.from_json(kept)
        case {"value": int() | float(), "interval": [_, _], "confidence": float(), **rest} if rest.keys() <= {
            "scale"
        }:
            return Number.from_json(kept)
        case {"values": list(), "first_degree": int(), **rest} if not rest:
            return Distribution.from_json(kept)
        case {"summary": dict(), "shares": dict(), **rest} if not rest:
            return Summary.from_json(kept)
        case {"value": float(), **rest} if not rest:
            return Point.from_json(kept)
        case _:
            raise StoreError(
                "the ledger holds an answer of a kind that this version does not know; use the version that wrote it"
            )


def _beside_nodes(nodes: list[Any], rest: Mapping[str, Any]) -> bool:
    """Return whether what stands beside the nodes is all of what `Nodes.to_json` writes there."""
    beside = set(rest)
    if "steps" in beside:
        if (
            not beside >= set(Sought.KEYS)
            or rest["ended"] not in Sought.WHY
            or type(rest["steps"]) is not int
        ):
            return False
        beside -= set(Sought.KEYS)
    for key, of in (("titles", nodes), ("near_titles", rest.get("near"))):
        if key in beside:
            if not _are_titles(rest[key], of) or "titles" not in rest:
                return False
            beside.discard(key)
    if "estimates" in beside and not isinstance(rest["estimates"], dict):
        return False
    match rest:
        case {
            "expected_recall": float(),
            "membership": list(chances),
            "near": list(),
            "degree_intervals": intervals,
        }:
            strengths = rest.get("strength_intervals")
            each = (chances, *(beyond for beyond in (intervals, strengths) if beyond is not None))
            whole = all(isinstance(one, list) and len(one) == len(nodes) for one in each)
            return whole and beside - {"estimates", "strength_intervals"} == set(Sure.KEYS)
        case _:
            return beside <= {"estimates"}


def _are_titles(titles: Any, nodes: Any) -> bool:
    """Return whether there is a title, or none, for each node."""
    return (
        isinstance(titles, list)
        and isinstance(nodes, list)
        and len(titles) == len(nodes)
        and all(each is None or isinstance(each, str) for each in titles)
    )
