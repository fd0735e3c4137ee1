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

    from edgedp.notebook import Picture

__all__ = [
    "Answer",
    "Distribution",
    "Nodes",
    "Number",
    "Point",
    "Release",
    "Summary",
    "Sure",
    "answer_from_json",
    "debits",
]


@dataclass(frozen=True)
class Sure:
    """What a list says of itself: post-processing of the noisy vectors that were released for it.

    Attributes
    ----------
    expected_recall : float
        The mean of `membership`: what part of the list is right, as far as the noisy vectors say.
    membership : tuple of float
        For each listed node the chance that it belongs to the true top k.
    near : tuple of (int or str, float)
        Ids that may have been left out, with their chance, the likeliest first.
    degree_intervals : tuple of (int, int), optional
        For each listed node an interval that holds its degree with a chance of 90 %; None where no degrees were bought.
    """

    KEYS: ClassVar[tuple[str, ...]] = ("expected_recall", "membership", "near", "degree_intervals")

    expected_recall: float
    membership: tuple[float, ...]
    near: tuple[tuple[Any, float], ...]
    degree_intervals: tuple[tuple[int, int], ...] | None

    def to_json(self) -> dict[str, Any]:
        """Return what the ledger keeps and JSON shows."""
        intervals = self.degree_intervals
        return {
            "expected_recall": self.expected_recall,
            "membership": list(self.membership),
            "near": [list(each) for each in self.near],
            "degree_intervals": None if intervals is None else [list(each) for each in intervals],
        }

    def columns(self, row: int) -> dict[str, Any]:
        """Return what stands beside one listed node in a table."""
        beside: dict[str, Any] = {"membership": self.membership[row]}
        if self.degree_intervals is None:
            return beside
        low, high = self.degree_intervals[row]
        return beside | {"degree_low": low, "degree_high": high}

    def sentences(self) -> list[str]:
        """Return what people are told below the table.

        Examples
        --------
        >>> Sure(0.87, (0.99, 0.75), ((4, 0.2),), None).sentences()
        ['about 1.7 of these 2 are among the true 2', 'may have been left out: 4 (0.2)']
        """
        count = len(self.membership)
        right = self.expected_recall * count
        told = f"{right:.0f}" if count >= 10 else f"{right:.1f}"
        sentences = [f"about {told} of these {count} are among the true {count}"]
        if self.near:
            left = ", ".join(f"{node} ({chance:g})" for node, chance in self.near[:10])
            more = len(self.near) - 10
            sentences.append(f"may have been left out: {left}" + (f" and {more} more" if more > 0 else ""))
        return sentences

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Sure:
        """Return what `to_json` wrote."""
        intervals = kept["degree_intervals"]
        return cls(
            kept["expected_recall"],
            tuple(kept["membership"]),
            tuple((node, chance) for node, chance in kept["near"]),
            None if intervals is None else tuple((low, high) for low, high in intervals),
        )


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

    @property
    def items(self) -> tuple[Any, ...]:
        """What there is when a release is iterated over."""
        return self.ids

    def to_json(self) -> dict[str, Any]:
        """Return what the ledger keeps and JSON shows."""
        kept: dict[str, Any] = {self.KEY: list(self.ids)}
        kept |= {} if self.estimates is None else {"estimates": self.estimates}
        return kept if self.sure is None else kept | self.sure.to_json()

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of a table: `COLUMNS`, and what is known of how sure each is."""
        return [
            {"rank": row + 1, "id": node} | ({} if self.sure is None else self.sure.columns(row))
            for row, node in enumerate(self.ids)
        ]

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Nodes:
        """Return the answer that `to_json` wrote."""
        sure = Sure.from_json(kept) if "membership" in kept else None
        return cls(tuple(kept[cls.KEY]), kept.get("estimates"), sure)


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
    Nodes(ids=('a', 'b'), estimates=None, sure=None)
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
    if "estimates" in beside and not isinstance(rest["estimates"], dict):
        return False
    match rest:
        case {
            "expected_recall": float(),
            "membership": list(chances),
            "near": list(),
            "degree_intervals": intervals,
        }:
            whole = len(chances) == len(nodes) and (intervals is None or len(intervals) == len(nodes))
            return whole and beside - {"estimates"} == set(Sure.KEYS)
        case _:
            return beside <= {"estimates"}


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
    def _sure(self) -> Sure | None:
        return self.answer.sure if isinstance(self.answer, Nodes) else None

    @property
    def expected_recall(self) -> float | None:
        """What part of the list is right, as its own noisy vectors say; None where it is not made of any.

        Notes
        -----
        Privacy: post-processing of released noisy vectors; it costs nothing and holds nothing new of the graph.
        """
        return None if self._sure is None else self._sure.expected_recall

    @property
    def membership(self) -> tuple[float, ...] | None:
        """For each of `nodes` the chance that it belongs to the true top k; None as for `expected_recall`."""
        return None if self._sure is None else self._sure.membership

    @property
    def near(self) -> list[tuple[Any, float]] | None:
        """Ids that may have been left out with their chance, .1 or more; None as for `expected_recall`."""
        return None if self._sure is None else list(self._sure.near)

    @property
    def degree_intervals(self) -> list[tuple[int, int]] | None:
        """For each of `nodes` an interval of its degree (90 %); None where no degrees were bought."""
        intervals = None if self._sure is None else self._sure.degree_intervals
        return None if intervals is None else list(intervals)

    @property
    def sentences(self) -> list[str]:
        """What people are told of how sure the list is, a line each; none where nothing is known."""
        return [] if self._sure is None else self._sure.sentences()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the answer's rows."""
        rows = self.answer.rows()
        return tuple(rows[0]) if rows else self.answer.COLUMNS

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
        if self.sentences:
            facts = {"how sure": "; ".join(self.sentences)} | facts
        return rows_html(self.plan.kind, self.columns, self.answer.rows()) + facts_html(facts)

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

        Where the list says how sure it is, ``membership``, ``degree_low`` and ``degree_high`` stand beside each node.

        Examples
        --------
        >>> from edgedp import Graph, priv_top_k
        >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 30)])
        >>> priv_top_k(star, metric="degree", k=1, epsilon=40).to_frame().to_dicts()
        [{'rank': 1, 'id': 0}]
        """
        import polars

        return polars.DataFrame(self.answer.rows(), schema=list(self.columns), strict=False)

    def plot(self) -> Picture:
        """Return the list as a picture: how sure each node is, and under them those that may have been left out.

        Returns
        -------
        Picture
            An SVG that notebooks show; ``picture.svg`` is its text.

        Raises
        ------
        EdgeDPError
            The release says nothing of how sure it is.
        """
        from edgedp.notebook import bars_picture

        if self._sure is None:
            raise ParameterError(
                "the release does not say how sure it is, so it has no plot; take mechanism 'joint', or read its nodes"
            )
        listed = list(zip(self.nodes, self._sure.membership, strict=True))
        return bars_picture(self.sentences[0], [("listed", listed), ("near", list(self._sure.near))])


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
