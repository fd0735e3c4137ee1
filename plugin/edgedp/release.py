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
from edgedp.errors import ParameterError, StoreError
from edgedp.numbers.answers import Distribution, Number, Summary
from edgedp.plan import (
    AggregatePlan,
    CountPlan,
    DistributionPlan,
    JointMotkinPlan,
    JointPlan,
    ParetoPlan,
    PercentilePlan,
    Plan,
    SummaryPlan,
    TopKPlan,
)
from edgedp.shown import shortened

if TYPE_CHECKING:
    import polars

__all__ = [
    "Answer",
    "Distribution",
    "Nodes",
    "Number",
    "Point",
    "Release",
    "Summary",
    "answer_from_json",
    "debits",
]


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
    """Where the answer stands in its JSON; what else stands there tells its kind."""
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
    Nodes(ids=('a', 'b'), estimates=None)
    """
    match kept:
        case {"nodes": list(), "estimates": dict(), **rest} if not rest:
            return Nodes.from_json(kept)
        case {"nodes": list(), **rest} if not rest:
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


_RECEIPT = ("graph", "release_id", "epsilon_budget", "epsilon_spent", "epsilon_remaining", "delta", "share")


@dataclass(frozen=True, repr=False)
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
    kept : bool
        Whether it was drawn before and is shown again, which costs nothing.
    """

    answer: Answer
    plan: Plan
    private: bool
    receipt: dict[str, Any] = field(default_factory=dict)
    kept: bool = field(default=False, compare=False, repr=False)

    @property
    def nodes(self) -> list[Any]:
        """Node ids in the order picked."""
        if isinstance(self.answer, Nodes):
            return list(self.answer.ids)
        raise AttributeError(f"the release has no nodes; read its {self._told}")

    @property
    def estimates(self) -> dict[str, dict[str, int]] | None:
        """Estimates of ``"edges"`` and ``"wedges"`` with their intervals (95 %), where they were asked for."""
        return self.answer.estimates if isinstance(self.answer, Nodes) else None

    @property
    def value(self) -> int | float:
        """The noisy number, of a count; the point of the grid, of a percentile."""
        if isinstance(self.answer, Number | Point):
            return self.answer.value
        raise AttributeError(f"the release has no value; read its {self._told}")

    @property
    def values(self) -> Any:
        """Of a distribution the numbers of nodes, int64; of a summary the numbers by name."""
        match self.answer:
            case Distribution(values):
                import numpy as np

                return np.array(values, dtype=np.int64)
            case Summary(numbers):
                return numbers
            case Nodes() | Number() | Point():
                raise AttributeError(f"the release has no values; read its {self._told}")
            case _:
                assert_never(self.answer)

    def to_text(self) -> str:
        """Return a summary's page as text."""
        if isinstance(self.answer, Summary):
            return self.answer.to_text()
        raise AttributeError(f"only a summary is a page of text; read the release's {self._told}")

    @property
    def _told(self) -> str:
        """The attribute that holds the answer."""
        return "values" if isinstance(self.answer, Summary) else self.answer.KEY

    @property
    def epsilon(self) -> float:
        """The whole privacy loss of the release; ``parameters["epsilon"]`` is its exact decimal."""
        return float(self.plan.epsilon)

    @classmethod
    def from_dict(cls, shown: Mapping[str, Any]) -> Release:
        """Return the release that `to_dict` wrote, in this process or another one.

        Raises
        ------
        EdgeDPError
            It is not what `to_dict` writes: something is missing, changed or of a newer version.

        Examples
        --------
        >>> from edgedp import Graph, priv_top_k
        >>> release = priv_top_k(Graph.from_edges([(1, 2), (2, 3)]), metric="degree", k=1, epsilon=1)
        >>> Release.from_dict(release.to_dict()) == release
        True
        """
        from edgedp.plan.kept import plan_of

        refusal = ParameterError("shown is not a release; give the whole of what Release.to_dict returned")
        try:
            planned = plan_of(shown["selector"], shown["parameters"], shown["public"])
            private = shown["private"]
            receipt = {name: shown[name] for name in _RECEIPT if name in shown}
            known = {"selector", "parameters", "ranks_by", "public", "private", "account", "debits", *receipt}
            answer = answer_from_json({name: shown[name] for name in shown if name not in known})
        except (KeyError, TypeError, AttributeError, ValueError):
            raise refusal from None
        release = cls(answer, planned, private=private, receipt=receipt)
        if type(private) is not bool or release.to_dict() != dict(shown):
            raise refusal
        return release

    def __repr__(self) -> str:
        items = [shortened(repr(item), 24) for item in self.answer.items[:3]]
        some = ", ".join([*items, "..."] if len(self) > 3 else items)
        kind = "" if self.private else ", a simulation"
        return f"<Release: {self.plan.kind}, epsilon {self.epsilon:g}, {self.answer.KEY} [{some}]{kind}>"

    def _repr_html_(self) -> str:
        from edgedp.notebook import facts_html, rows_html

        facts: dict[str, Any] = {
            "asked": ", ".join(f"{name}={_told(v)}" for name, v in self.parameters.items())
        }
        if self.ranks_by is not None:
            facts["ranked by a proxy"] = self.ranks_by
        facts["public"] = ", ".join(f"{name}={value}" for name, value in self.public.items())
        if self.receipt:
            facts |= self.receipt
        if not self.private:
            facts["private"] = "no: the caller chose the randomness"
        return rows_html(self.plan.kind, self.answer.COLUMNS, self.answer.rows()) + facts_html(facts)

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
            case CountPlan() | DistributionPlan() | SummaryPlan():
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
        """Return the answer as a table of its rows: ``rank`` and ``id`` for nodes, ``value`` and more for numbers.

        Examples
        --------
        >>> from edgedp import Graph, priv_top_k
        >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 30)])
        >>> priv_top_k(star, metric="degree", k=1, epsilon=40).to_frame().to_dicts()
        [{'rank': 1, 'id': 0}]
        """
        import polars

        return polars.DataFrame(self.answer.rows(), schema=list(self.answer.COLUMNS), strict=False)


def _told(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def debits(plan: Plan) -> list[dict[str, Any]]:
    """Return which accounts a release debits, and how much of each: they bound different neighbours.

    Examples
    --------
    >>> from edgedp.plan import PublicFacts, plan
    >>> debits(plan("priv_top_k", {"metric": "ebc", "k": 2, "epsilon": "0.1"}, PublicFacts(9)))
    [{'account': 'edges', 'epsilon': 0.1}]
    """
    return [{"account": charge.account, "epsilon": charge.cost / NANO} for charge in reversed(plan.charges)]
