"""What a release shows: the answer, what was asked and what was public. Never a score.

An answer is a sum type. Each kind owns its JSON, which the ledger keeps and programs read, and its
rows, which people read. Whoever handles an answer in between (ledgers, frames, procedures) carries
that JSON and does not look inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, assert_never

from edgedp.amounts.epsilon import NANO
from edgedp.errors import StoreError
from edgedp.plan import (
    AggregatePlan,
    JointMotkinPlan,
    JointPlan,
    ParetoPlan,
    PercentilePlan,
    Plan,
    TopKPlan,
)

if TYPE_CHECKING:
    import polars

__all__ = ["Answer", "Nodes", "Point", "Release", "answer_from_json", "debits"]


@dataclass(frozen=True)
class Nodes:
    """Node ids in the order picked.

    Parameters
    ----------
    ids : tuple of int or str
    estimates : dict, optional
        ``"edges"`` and ``"wedges"``, each with ``value``, ``low`` and ``high``, where they were asked for.

    Examples
    --------
    >>> Nodes((7, 3)).to_json(), Nodes((7, 3)).rows()
    ({'nodes': [7, 3]}, [{'rank': 1, 'id': 7}, {'rank': 2, 'id': 3}])
    """

    KEY: ClassVar[str] = "nodes"
    """What stands in the JSON of this kind of answer and of no other."""
    COLUMNS: ClassVar[tuple[str, ...]] = ("rank", "id")

    ids: tuple[Any, ...]
    estimates: dict[str, dict[str, int]] | None = None

    @property
    def items(self) -> tuple[Any, ...]:
        """What there is when a release is iterated over."""
        return self.ids

    def to_json(self) -> dict[str, Any]:
        """Return what the ledger keeps and JSON shows."""
        kept: dict[str, Any] = {self.KEY: list(self.ids)}
        return kept if self.estimates is None else kept | {"estimates": self.estimates}

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of a table, by `COLUMNS`."""
        return [{"rank": rank, "id": node} for rank, node in enumerate(self.ids, start=1)]

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Nodes:
        """Return the answer that `to_json` wrote."""
        return cls(tuple(kept[cls.KEY]), kept.get("estimates"))


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


Answer = Nodes | Point
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
    Nodes(ids=('a', 'b'), estimates=None)
    """
    match kept:
        case {"nodes": list(), "estimates": dict(), **rest} if not rest:
            return Nodes.from_json(kept)
        case {"nodes": list(), **rest} if not rest:
            return Nodes.from_json(kept)
        case {"value": float(), **rest} if not rest:
            return Point.from_json(kept)
        case _:
            raise StoreError(
                "the ledger holds an answer of a kind that this version does not know; use the version that wrote it"
            )


@dataclass(frozen=True)
class Release:
    """A drawn release.

    Attributes
    ----------
    answer : Answer
        What was drawn.
    plan : Plan
        What was asked, canonically, with every default filled in, and the public facts.
    private : bool
        False when the caller chose the randomness: such a release is a simulation.
    receipt : dict
        For a stored graph: its name, the release id and the budget after the release.
    """

    answer: Answer
    plan: Plan
    private: bool
    receipt: dict[str, Any] = field(default_factory=dict)

    @property
    def nodes(self) -> list[Any]:
        """Node ids in the order picked."""
        if isinstance(self.answer, Nodes):
            return list(self.answer.ids)
        raise AttributeError(f"the release has no nodes; read its {self.answer.KEY}")

    @property
    def estimates(self) -> dict[str, dict[str, int]] | None:
        """Estimates of ``"edges"`` and ``"wedges"`` with their intervals (95 %), where they were asked for."""
        return self.answer.estimates if isinstance(self.answer, Nodes) else None

    @property
    def value(self) -> float:
        """The point of the grid, of a percentile."""
        if isinstance(self.answer, Point):
            return self.answer.value
        raise AttributeError(f"the release has no one value; read its {self.answer.KEY}")

    def __len__(self) -> int:
        return len(self.answer.items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.answer.items)

    @property
    def parameters(self) -> dict[str, Any]:
        """What was asked, canonically."""
        return self.plan.parameters

    @property
    def public(self) -> dict[str, Any]:
        """The public facts, and whether the release rests on the degree bound."""
        return self.plan.public

    @property
    def ranks_by(self) -> str | None:
        """The proxy that the nodes are ranked by, where it is not the metric itself."""
        match self.plan:
            case TopKPlan() | ParetoPlan() | AggregatePlan() | PercentilePlan():
                return None
            case JointMotkinPlan():
                return "noisy degree and what noisy cuts tell of the other metrics"
            case JointPlan():
                pass
            case _:
                assert_never(self.plan)
        if self.plan.ranked_by == self.plan.metric:
            return None
        match self.plan.ranked_by:
            case "both":
                return "noisy degree and noisy betweenness2 through cuts together"
            case "lists":
                return "noisy betweenness2 through cuts"
            case "ordered":
                return "noisy degree and noisy betweenness2 through ordered cuts together"
            case "degree" | "betweenness2" as vector:
                return f"noisy {vector}"
            case _:
                assert_never(self.plan.ranked_by)

    def to_dict(self) -> dict[str, Any]:
        """Return everything that is shown, JSON-able; it holds no score."""
        shown: dict[str, Any] = {"selector": self.plan.kind, "parameters": self.parameters}
        if self.ranks_by is not None:
            shown["ranks_by"] = self.ranks_by
        shown |= self.answer.to_json()
        shown |= {"public": self.public, "private": self.private} | self.receipt
        if not self.receipt:
            return shown
        shown["account"] = self.plan.charges[-1].account
        return shown | {"debits": debits(self.plan)} if isinstance(self.plan, PercentilePlan) else shown

    def to_frame(self) -> polars.DataFrame:
        """Return the answer as a table of its rows: ``rank`` and ``id`` for nodes, ``value`` for a percentile.

        Examples
        --------
        >>> from edgedp import Graph, priv_top_k
        >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 30)])
        >>> priv_top_k(star, metric="degree", k=1, epsilon=40).to_frame().to_dicts()
        [{'rank': 1, 'id': 0}]
        """
        import polars

        return polars.DataFrame(self.answer.rows(), schema=list(self.answer.COLUMNS))


def debits(plan: Plan) -> list[dict[str, Any]]:
    """Return which accounts a release debits, and how much of each: they bound different neighbours.

    Examples
    --------
    >>> from edgedp.plan import PublicFacts, plan
    >>> debits(plan("priv_top_k", {"metric": "ebc", "k": 2, "epsilon": "0.1"}, PublicFacts(9)))
    [{'account': 'edges', 'epsilon': 0.1}]
    """
    return [{"account": charge.account, "epsilon": charge.cost / NANO} for charge in reversed(plan.charges)]
