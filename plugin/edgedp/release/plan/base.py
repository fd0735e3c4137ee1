"""What every plan rests on and has: public facts, a cost, and what its draw asks for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, assert_never

from edgedp.release.options import DATED
from edgedp.words.amounts.epsilon import to_fraction
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import AccountName, Kind, Unit

if TYPE_CHECKING:
    from edgedp.graph.weights import Weighting
    from edgedp.mechanisms.selection.domains import Domain
    from edgedp.release.options import Options
    from edgedp.words.dates.calendar import Calendar, Span

__all__ = [
    "DIRECTED",
    "EVERY_PAIR",
    "READ_UNDIRECTED",
    "Charge",
    "PlanBase",
    "PlanOfNodes",
    "PublicFacts",
    "check_all_kept",
    "check_candidates",
    "check_protects",
    "protects_more",
    "spanned",
]


DIRECTED = "directed"
READ_UNDIRECTED = "directed, read undirected"
"""How an answer of a directed graph was read; one of an undirected graph says nothing."""


_DECIDING = frozenset({"of", "metric", "metrics", "approach", "mechanism", "proxy"})
"""The parameters that decide which options there are."""

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

    @property
    def within(self) -> str:
        """What is added to whom an account protects, where it bounds what is lost within some windows alone."""
        if self.calendar is None or self.calendar.within is None:
            return ""
        many, period = self.calendar.within, self.calendar.period
        said = "one window" if many == 1 else f"any {many} consecutive windows"
        return f", dated within {said} of {period}"

    @property
    def candidates(self) -> str | None:
        """The label whose nodes alone are ranked, and counted as nodes here; None where all are."""
        return None if self.projection is None else self.projection.get("candidates")

    @property
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


@dataclass(frozen=True)
class Charge:
    """What a release costs one account of its graph.

    Attributes
    ----------
    account : {"edges", "attributes"}
    cost : int
        Nano-epsilon, of the neighbours that the account bounds.
    rho_shares : int
        ``epsilon^2 / rho`` (`edgedp.words.amounts.rho`).
    """

    account: AccountName
    cost: int
    rho_shares: int


@dataclass(frozen=True, kw_only=True)
class PlanBase(ABC):
    """A validated release of any kind: the facts it rests on and its cost.

    Attributes
    ----------
    cost : int
        Nano-epsilon; the release is drawn with exactly this.
    facts : PublicFacts
    """

    KIND: ClassVar[Kind]

    counts_neighbors: ClassVar[bool] = False
    """Whether the draw asks for numbers of neighbours only, so that candidates may be counted alone."""

    cost: int
    facts: PublicFacts

    def __post_init__(self) -> None:
        if self.cost < 1:
            raise ParameterError(
                f"the plan of {self.kind} costs {self.cost} nano-epsilon, must be 1 or more; report this defect"
            )

    @property
    def kind(self) -> Kind:
        """The kind of release, in the word that ledgers keep."""
        return self.KIND

    @property
    def epsilon(self) -> Fraction:
        """The whole privacy loss, exactly what is debited."""
        return to_fraction(self.cost)

    @property
    def units(self) -> frozenset[Unit]:
        """What one release protects at its epsilon, taken away; one edge of an undirected graph is a pair."""
        return frozenset({"pair"})

    @property
    def ranks_by(self) -> str | None:
        """The proxy that nodes are ranked by, in words; None where it is what was asked for."""
        return None

    @property
    def degree_bound(self) -> int:
        """The effective degree bound ``D``."""
        return self.facts.effective_degree_bound

    @property
    def rests_on_bound(self) -> bool:
        """Whether the guarantee holds only for graphs that keep the degree bound."""
        return True

    @cached_property
    def charges(self) -> tuple[Charge, ...]:
        """What is debited, all of it or nothing; the account that the release is shown with comes last."""
        return (Charge("edges", self.cost, self.rho_shares),)

    @cached_property
    def first(self) -> tuple[Charge, ...]:
        """What is debited before anything is drawn: all of `charges`, but where a release spends step by step."""
        return self.charges

    @property
    def declaration(self) -> dict[str, Any] | None:
        """The declaration of a property that it rests on, as the log keeps it: a debit finds it unchanged."""
        return None

    @property
    def named(self) -> tuple[Any, ...]:
        """The node ids that the question names: public, and looked up before the debit."""
        return ()

    def naming(self, found: Collection[Any]) -> Self:
        """Return the plan with the nodes that it names as the graph has them.

        Parameters
        ----------
        found : collection of int or str
            Those of the ids that are the graph's (`edgedp.release.plan.named.meanings`).

        Raises
        ------
        UnknownNameError
            The graph has no such node.
        """
        return self

    def on(self, facts: PublicFacts) -> Self:
        """Return the smallest release of this kind and mechanism for another graph: to try an engine with."""
        return replace(self, facts=facts)

    @property
    def public(self) -> dict[str, Any]:
        """The public facts as a release shows and records them; whether it rests on the degree bound is one."""
        return self.facts.to_dict() | ({} if self.rests_on_bound else {"rests_on": "no degree bound"})

    @property
    def parameters(self) -> dict[str, Any]:
        """Canonical parameters, JSON-able; asking with them again gives the same plan."""
        return self.own_parameters | ({} if self.facts.span is None else self.facts.span.asked)

    @property
    @abstractmethod
    def own_parameters(self) -> dict[str, Any]:
        """Canonical parameters, but for the windows that are read: those of every kind of release."""

    @property
    @abstractmethod
    def quantities(self) -> frozenset[str]:
        """What the draw asks of its projection, beside the degrees."""

    @property
    @abstractmethod
    def rho_shares(self) -> int:
        """``epsilon^2 / rho`` of the release: what it costs where a delta is declared (`edgedp.words.amounts.rho`)."""


def check_all_kept(asked: Options, planned: PlanBase) -> None:
    """Refuse an option that a plan does not keep, for it would have no effect: nothing is dropped in silence.

    Every option is compared, so a plan need not refuse what it does not take, and one that is added to
    `edgedp.release.options` and forgotten by a plan is refused there.
    """
    kept = planned.parameters
    for option in asked.described():
        if option.name in DATED and planned.facts.span is not None:
            continue  # one of the two gave the span, which may be said by the other
        value = getattr(asked, option.name)
        if option.name not in kept and value is not None and value is not option.default:
            raise _not_kept(option.name, asked, planned)


def _not_kept(name: str, asked: Options, planned: PlanBase) -> ParameterError:
    """Return the refusal of an option, which names the words that decide what a release takes."""
    said, usual = [], []
    for word, value in planned.parameters.items():
        if word in _DECIDING:
            left_out = getattr(asked, word, value) is None
            said.append(f"{word} {value!r}" + (" (the default)" if left_out else ""))
            usual += [word] if left_out else []
    of = f"{planned.kind} with {' and '.join(said)}" if said else planned.kind
    instead = f", or with another {usual[0]}" if usual else ""
    return ParameterError(f"{name} is not an option of {of}; ask without it{instead}")


def spanned(asked: Options, facts: PublicFacts) -> PublicFacts:
    """Return public facts with the windows that are asked for.

    Raises
    ------
    ParameterError
        The graph has no calendar, or the calendar no such windows.
    """
    given = {name: getattr(asked, name, None) for name in DATED}
    if all(value is None for value in given.values()):
        return replace(facts, span=None)
    if facts.calendar is None:
        named = next(name for name in DATED if given[name] is not None)
        raise ParameterError(
            f"{named} is {given[named]!r}, and the graph has no calendar; ask without it, or load the graph with the "
            "dates of its relationships under another name"
        )
    return replace(facts, span=facts.calendar.span(**given))


def check_candidates(planned: PlanBase) -> None:
    """Refuse of a graph with candidates what does not count their neighbours; its records are those of all nodes.

    Raises
    ------
    ParameterError
    """
    if planned.facts.candidates is not None and not planned.counts_neighbors:
        raise ParameterError(
            f"the graph ranks the nodes labelled {planned.facts.candidates!r} only (candidates), and this release asks "
            "for more; ask for the top k by degree, in_degree or out_degree, or by a strength, by 'joint', 'em' or 'pf'"
        )


def check_protects(planned: PlanBase) -> None:
    """Refuse a release of the edges that does not protect at its epsilon what the account does.

    Raises
    ------
    ParameterError
    """
    unit = planned.facts.protect
    if unit in planned.units or all(charge.account != "edges" for charge in planned.charges):
        return
    match unit:
        case "pair":
            unsaid, counted = "everything between two nodes", "another metric"
        case "source":
            unsaid, counted = "all arcs that leave one node", "in_degree"
        case "target":
            unsaid, counted = "all arcs that come to one node", "out_degree"
        case _:
            assert_never(unit)
    raise ParameterError(
        f"the account protects {unsaid} (protect is {unit!r}), which this release does not at its epsilon; "
        f"ask for the top k by {counted} by 'em' or 'pf'; or, with a cap, by 'joint', for its distribution or for arcs"
    )


@dataclass(frozen=True, kw_only=True)
class PlanOfNodes(PlanBase):
    """A plan whose answer is k nodes."""

    k: int

    def on(self, facts: PublicFacts) -> Self:
        """Return the smallest release of this kind and mechanism for another graph: one node."""
        return replace(self, facts=facts, k=1)
