"""What a release shows: the answer, what was asked and what was public. Never a score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, assert_never

from edgedp.release.answers import Answer, Nodes, Point, answer_from_json
from edgedp.release.numbers.answers import Distribution, Number, Summary
from edgedp.release.plan import PercentilePlan, Plan
from edgedp.release.sure import Sought, Sure, named_nodes
from edgedp.words.amounts.epsilon import NANO
from edgedp.words.errors import ParameterError
from edgedp.words.shown import shortened

if TYPE_CHECKING:
    import polars

    from edgedp.words.notebook import Picture

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


_RECEIPT = (
    "graph", "release_id", "epsilon_budget", "epsilon_spent", "epsilon_remaining", "delta", "accounts", "share",
)  # fmt: skip


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
        """For each of `nodes` the chance that it belongs to the true top k; None as for `expected_recall`.

        Nodes of equal value share the places that are left for them: of ten that tie for two places each has .2.
        """
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
    def strength_intervals(self) -> list[tuple[int, int]] | None:
        """For each of `nodes` an interval of its strength in steps (90 %); None of other lists."""
        intervals = None if self._sure is None else self._sure.strength_intervals
        return None if intervals is None else list(intervals)

    @property
    def titles(self) -> tuple[str | None, ...] | None:
        """Beside each of `nodes` its title, where the stored graph's nodes have titles; public facts."""
        return self.answer.titles if isinstance(self.answer, Nodes) else None

    @property
    def near_titles(self) -> tuple[str | None, ...] | None:
        """Beside each of `near` its title, as `titles`."""
        return self.answer.near_titles if isinstance(self.answer, Nodes) else None

    @property
    def _sought(self) -> Sought | None:
        return self.answer.sought if isinstance(self.answer, Nodes) else None

    @property
    def epsilon_spent(self) -> float:
        """What the release cost: `epsilon`, or less where it spent step by step until its list was sure enough."""
        return self.epsilon if self._sought is None else self._sought.spent / NANO

    @property
    def steps(self) -> int | None:
        """In how many steps it spent; None where it was drawn at once."""
        return None if self._sought is None else self._sought.steps

    @property
    def target_reached(self) -> bool | None:
        """Whether the list is expected to be as good as was asked for; None where no target was given."""
        return None if self._sought is None else self._sought.ended == "reached"

    @property
    def sentences(self) -> list[str]:
        """What people are told of how sure the list is, a line each; none where nothing is known."""
        return self.answer.sentences() if isinstance(self.answer, Nodes) else []

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
        from edgedp.release.plan.kept import plan_shown

        refusal = ParameterError("shown is not a release; give the whole of what Release.to_dict returned")
        try:
            planned = plan_shown(shown)
            private = shown["private"]
            receipt = {name: shown[name] for name in _RECEIPT if name in shown and "graph" in shown}
            known = {
                "selector",
                "parameters",
                "ranks_by",
                "public",
                "private",
                "account",
                "debits",
                *_RECEIPT,
            }
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
        from edgedp.words.notebook import facts_html, rows_html

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
        return deepcopy(self.plan.parameters)

    @property
    def public(self) -> dict[str, Any]:
        """The public facts, and whether the release rests on the degree bound."""
        return self.plan.public

    @property
    def ranks_by(self) -> str | None:
        """The proxy that the nodes are ranked by, where it is not the metric itself."""
        return self.plan.ranks_by

    def to_dict(self) -> dict[str, Any]:
        """Return everything that is shown, JSON-able; it holds no score."""
        shown: dict[str, Any] = {"selector": self.plan.kind, "parameters": self.parameters}
        if self.ranks_by is not None:
            shown["ranks_by"] = self.ranks_by
        shown |= self.answer.to_json()
        shown |= {"public": self.public, "private": self.private} | self.receipt
        if not self.receipt:
            return shown if self._sought is None else shown | {"epsilon_spent": self.epsilon_spent}
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
        """Return the answer as a picture.

        Of a list: how sure each node is, and under them those that may have been left out. Of a summary: which part of
        all nodes has at least a degree.

        Returns
        -------
        Picture
            An SVG that notebooks show; ``picture.svg`` is its text.

        Raises
        ------
        EdgeDPError
            The release is another number, or a list that says nothing of how sure it is.

        Examples
        --------
        >>> from edgedp import Graph, summary
        >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 30)])
        >>> summary(star, epsilon=100).plot().svg.count("degree from")
        5
        """
        from edgedp.words.notebook import bars_picture

        if isinstance(self.answer, Summary):
            nodes = self.plan.facts.node_count
            parts = [
                (f"degree from {least:,}", round(count / nodes, 5)) for least, count in self.answer.tail()
            ]
            return bars_picture(f"degrees of {nodes:,} nodes", [("part of all nodes", parts)])
        if self._sure is None:
            raise ParameterError(
                "the release does not say how sure it is, so it has no plot; take mechanism 'joint', or read its nodes"
            )
        listed = zip(named_nodes(self.nodes, self.titles), self._sure.membership, strict=True)
        left = named_nodes([node for node, _ in self._sure.near], self.near_titles)
        near = zip(left, (chance for _, chance in self._sure.near), strict=True)
        return bars_picture(self.sentences[0], [("listed", list(listed)), ("near", list(near))])


def _told(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def debits(plan: Plan) -> list[dict[str, Any]]:
    """Return which accounts a release debits, and how much of each: they bound different neighbours.

    Examples
    --------
    >>> from edgedp.release.plan import PublicFacts, plan
    >>> debits(plan("priv_top_k", {"metric": "ebc", "k": 2, "epsilon": "0.1"}, PublicFacts(9)))
    [{'account': 'edges', 'epsilon': 0.1}]
    """
    return [{"account": charge.account, "epsilon": charge.cost / NANO} for charge in reversed(plan.charges)]
