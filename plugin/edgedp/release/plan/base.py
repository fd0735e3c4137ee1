"""What every plan has: a cost, canonical parameters, and what its draw asks for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, assert_never

from edgedp.mechanisms import checks
from edgedp.mechanisms.sure import FEWEST
from edgedp.release.conditions import where_of
from edgedp.release.plan.facts import SPANS, PublicFacts
from edgedp.words.amounts.epsilon import to_fraction
from edgedp.words.amounts.rungs import rungs
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import AccountName, Kind, Unit

if TYPE_CHECKING:
    from edgedp.release.options import Options

_DECIDING = frozenset({"of", "metric", "metrics", "approach", "mechanism", "proxy"})
"""The parameters that decide which options there are."""


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

    @cached_property
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

    @cached_property
    def degree_bound(self) -> int:
        """The effective degree bound ``D``."""
        return self.facts.effective_degree_bound

    @cached_property
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

    @cached_property
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

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Canonical parameters, JSON-able; asking with them again gives the same plan."""
        read = {} if self.facts.span is None else self.facts.span.asked
        return (
            self.own_parameters | read | ({"where": where_of(self.facts.where)} if self.facts.where else {})
        )

    @property
    def recorded(self) -> dict[str, Any]:
        """What the log keeps of it in every row of a debit."""
        return {"kind": self.KIND, "parameters": self.parameters, "public": self.public}

    @property
    @abstractmethod
    def own_parameters(self) -> dict[str, Any]:
        """Canonical parameters, but for the windows and the rows that are read: those of every kind of release."""

    @property
    @abstractmethod
    def quantities(self) -> frozenset[str]:
        """What the draw asks of its projection, beside the degrees."""

    @property
    @abstractmethod
    def rho_shares(self) -> int:
        """``epsilon^2 / rho`` of the release: what it costs where a delta is declared (`edgedp.words.amounts.rho`)."""


def check(asked: Options, planned: PlanBase) -> None:
    """Refuse what no plan of a kind looks at: options without effect, candidates, and what an account protects."""
    check_all_kept(asked, planned)
    check_candidates(planned)
    check_protects(planned)


def check_all_kept(asked: Options, planned: PlanBase) -> None:
    """Refuse an option that a plan does not keep, for it would have no effect: nothing is dropped in silence.

    Every option is compared, so a plan need not refuse what it does not take, and one that is added to
    `edgedp.release.options` and forgotten by a plan is refused there.
    """
    kept = planned.parameters
    for option in asked.described():
        if option.name in SPANS and planned.facts.span is not None:
            continue  # one of the two gave the span, which may be said by the other
        value = getattr(asked, option.name)
        if option.name == "where" and not value:
            continue
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
        f"the account protects {unsaid} (protect is {unit!r}), and this release would not, at its epsilon; "
        f"ask for the top k by {counted} with 'em' or 'pf', or give a cap and ask with 'joint', for the distribution, "
        "or for arcs"
    )


@dataclass(frozen=True, kw_only=True)
class PlanOfNodes(PlanBase):
    """A plan whose answer is k nodes."""

    k: int

    def on(self, facts: PublicFacts) -> Self:
        """Return the smallest release of this kind and mechanism for another graph: one node."""
        return replace(self, facts=facts, k=1)


def checked_target(target_recall: Any, facts: PublicFacts) -> Fraction | None:
    """Return the expected recall that is enough, of a list that can say how sure it is; None where none is asked."""
    if target_recall is None:
        return None
    target = checks.check_part(target_recall, "target_recall")
    if facts.node_count < FEWEST:
        raise ParameterError(
            f"target_recall needs a graph of {FEWEST} nodes or more, and this one has {facts.node_count}: "
            "a list of so few nodes cannot say how sure it is; leave the target out"
        )
    return target


@dataclass(frozen=True, kw_only=True)
class SeekingPlan(PlanOfNodes):
    """A plan of nodes that may be drawn step by step until its list is sure enough.

    Attributes
    ----------
    target_recall : Fraction or None
        Spend step by step until this part of the list is expected to be right; `cost` is then the most.
    """

    target_recall: Fraction | None = None

    @cached_property
    def first(self) -> tuple[Charge, ...]:
        """The first step alone where the release stops when it is sure, and an account adds up pure losses."""
        if self.target_recall is None or self.facts.delta_declared:
            return self.charges
        return (Charge("edges", rungs(self.cost)[0], self.charges[-1].rho_shares),)

    def on(self, facts: PublicFacts) -> Self:
        """Return the smallest release for another graph: one node, drawn at once, for few nodes say nothing."""
        return replace(super().on(facts), target_recall=None)
