"""Public facts of a graph, which every plan rests on, with the windows and the rows that are read of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from edgedp.release.conditions import Condition, check_answerable, conditions_given, where_of
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import Unit

if TYPE_CHECKING:
    from edgedp.graph.weights import Weighting
    from edgedp.mechanisms.selection.domains import Domain
    from edgedp.release.options import Options
    from edgedp.words.dates.calendar import Calendar, Span

DIRECTED = "directed"
READ_UNDIRECTED = "directed, read undirected"
"""How an answer of a directed graph was read; one of an undirected graph says nothing."""


SPANS = ("window", "windows")
"""The options that say which windows are read."""

EVERY_PAIR = "everything between two nodes"
"""What an answer protects at its epsilon, unless it says more."""


def protects_more(public: Mapping[str, Any]) -> str | None:
    """Return what an answer protects, where that is not what every answer does.

    Examples
    --------
    >>> protects_more(PublicFacts(9).to_dict()) is None
    True
    """
    said = public.get("protects")
    return None if said in (None, EVERY_PAIR) else str(said)


@dataclass(frozen=True)
class PublicFacts:
    """What is public about a graph: it may be read before the debit, and shown.

    Parameters
    ----------
    node_count : int
        Number of nodes; the node set is public.
    degree_bound : int or None
        The declared degree bound; None where none was declared (then ``n - 1`` holds, which promises nothing).
    nodes_supplied : bool
        Whether the curator supplied the nodes, or they were read from the edges and declared public.
    delta_declared : bool
        Whether the budget is declared as (epsilon, delta), where a release of k picks is cheaper than a joint one.
    domains : mapping of str to Domain
        The declared properties of the nodes.
    directed : bool
        Whether directions were kept; what asks for no in- or out-degree reads the graph undirected.
    facts : str or None
        Where relationships and nodes of a stored graph come from, as it is shown: a promise that nobody can check.
    projection : mapping or None
        Which relationships of a database make an edge, as it is shown; None: each of one type.
    protect : {"pair", "source", "target"}
        What the account protects: a release that does not protect that at its epsilon is refused.
    calendar : Calendar or None
        Which windows may be asked for; None where relationships have no dates.
    span : Span or None
        The windows that are read; None: everything, at whatever time.
    weighting : Weighting or None
        What is declared of the weights; None of a graph without.
    columns : mapping or None
        The types of the columns that are kept of the rows of a loaded graph, by their names; None where none are.
    where : tuple of Condition
        Those that the rows must hold which are read, beside those of the projection.
    """

    node_count: int
    degree_bound: int | None = None
    nodes_supplied: bool = False
    delta_declared: bool = field(default=False, repr=False, compare=False)
    domains: Mapping[str, Domain] = field(default_factory=dict, repr=False, compare=False)
    facts: str | None = field(default=None, repr=False, compare=False)
    directed: bool = field(default=False, repr=False)
    projection: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)
    protect: Unit = field(default="pair", repr=False, compare=False)
    calendar: Calendar | None = field(default=None, repr=False, compare=False)
    span: Span | None = field(default=None, repr=False)
    weighting: Weighting | None = field(default=None, repr=False)
    columns: Mapping[str, str] | None = field(default=None, repr=False, compare=False)
    where: tuple[Condition, ...] = field(default=(), repr=False, hash=False)

    @property
    def within(self) -> str:
        """What is added to whom an account protects, where it bounds what is lost within some windows alone."""
        if self.calendar is None or self.calendar.within is None:
            return ""
        many, period = self.calendar.within, self.calendar.period
        said = "one window" if many == 1 else f"any {many} consecutive windows"
        return f", dated within {said} of {period}"

    @cached_property
    def candidates(self) -> str | None:
        """The label whose nodes alone are ranked, and counted as nodes here; None where all are."""
        return None if self.projection is None else self.projection.get("candidates")

    @cached_property
    def effective_degree_bound(self) -> int:
        """``D``: the declared bound, at most ``n - 1``."""
        most = max(self.node_count - 1, 0)
        return most if self.degree_bound is None else min(self.degree_bound, most)

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as a release shows them."""
        return {
            "node_count": self.node_count,
            "nodes": "supplied"
            if self.nodes_supplied
            else "read from the edges, declared public by the curator",
            **({} if self.candidates is not None else self._bound()),
            **({} if self.facts is None else {"facts": self.facts}),
            **({"orientation": READ_UNDIRECTED} if self.directed else {}),
            **({} if self.projection is None else {"projection": dict(self.projection)}),
            **({"where": where_of(self.where)} if self.where else {}),
            **self._weight(),
            "protects": EVERY_PAIR + self.within,
            **({} if self.protect == "pair" else {"protect": self.protect}),
            **({} if self.calendar is None else {"calendar": self.calendar.to_dict()}),
            **({} if self.calendar is None else {"windows": "all" if self.span is None else self.span.shown}),
        }

    def _weight(self) -> dict[str, Any]:
        """Return what is declared of weights, as it is shown; the projection of a database shows its own."""
        alone = self.weighting is not None and (self.projection is None or "weight" not in self.projection)
        return {"weight": self.weighting.to_dict()} if self.weighting is not None and alone else {}

    def _bound(self) -> dict[str, Any]:
        """Return the bound of the degrees, as it is shown."""
        declared = self.degree_bound is not None
        return {
            "degree_bound": self.effective_degree_bound,
            "degree_bound_source": "declared by the curator" if declared else "the default, n - 1",
        }


def reading(asked: Options, facts: PublicFacts) -> PublicFacts:
    """Return public facts with the windows and the rows that are asked for.

    Raises
    ------
    ParameterError
        The graph has no calendar, or the calendar no such windows; no column is kept that a condition compares, or its
        type is another one.
    """
    where = getattr(asked, "where", None)
    found = () if where is None else conditions_given(where)
    if found and facts.columns is None:
        raise ParameterError(
            "where is for graphs that were loaded with columns into an embedded store, which this one was not; ask "
            "without it, or register a graph with these conditions"
        )
    if found:
        check_answerable(found, facts.columns or {})
    span = _span(asked, facts)
    return facts if (span, found) == (facts.span, facts.where) else replace(facts, span=span, where=found)


def _span(asked: Options, facts: PublicFacts) -> Span | None:
    """Return the windows that are asked for."""
    given = {name: getattr(asked, name, None) for name in SPANS}
    if all(value is None for value in given.values()):
        return None
    if facts.calendar is None:
        named = next(name for name in SPANS if given[name] is not None)
        raise ParameterError(
            f"{named} is {given[named]!r}, and the graph has no calendar; ask without it, or load the graph with the "
            "dates of its relationships under another name"
        )
    return facts.calendar.span(**given)
