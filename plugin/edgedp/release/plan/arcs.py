"""Plans of what is added up over neighbours: in- and out-degrees, degrees of candidates, and strengths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, assert_never

from edgedp.mechanisms import checks
from edgedp.mechanisms.picking import Undampened
from edgedp.mechanisms.units import moves_one_way, moves_through_cuts, pair_through_cuts
from edgedp.release.options import TopKOptions
from edgedp.release.plan.base import SeekingPlan, checked_target
from edgedp.release.plan.facts import DIRECTED, EVERY_PAIR, PublicFacts
from edgedp.words.amounts import rho
from edgedp.words.amounts.epsilon import epsilon_nano, format_nano
from edgedp.words.amounts.written import shortest
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import STRENGTHS, TalliedName, Unit

UNIT_SENTENCES: Mapping[Unit, str] = {
    "pair": "all arcs between two nodes",
    "source": "all arcs that leave one node",
    "target": "all arcs that come to one node",
}
"""What is protected, in words."""


@dataclass(frozen=True, kw_only=True)
class ArcsPlan(SeekingPlan):
    """The k nodes with the most arcs to them, or from them; of candidates those with the most neighbours.

    Attributes
    ----------
    metric : {"in_degree", "out_degree", "degree", "strength", "in_strength", "out_strength"}
        The degree of candidates only.
    mechanism : Undampened or None
        How nodes are picked one after the other; None is ``joint``, noise on the whole vector once.
    cap : int or None
        Of joint: the most arcs of each other end that count, the first in a public order; None where all do.
    unit : {"pair", "source", "target"}
        Whom the noise on a vector through cuts has to cover: what the account protects.
    """

    KIND = "priv_top_k"
    counts_neighbors = True

    metric: TalliedName
    mechanism: Undampened | None
    cap: int | None = None
    unit: Unit = "pair"

    @cached_property
    def rests_on_bound(self) -> bool:
        """No noise follows the degree bound: one pair moves a count by one, whatever the degrees are."""
        return False

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Canonical parameters."""
        asked: dict[str, Any] = {"metric": self.metric, "k": self.k, "epsilon": format_nano(self.cost)}
        if self.target_recall is not None:
            asked |= {"target_recall": shortest(self.target_recall)}
        asked |= {"mechanism": "joint"} if self.mechanism is None else self.mechanism.parameters
        return asked if self.cap is None else asked | {"cap": self.cap}

    @property
    def public(self) -> dict[str, Any]:
        """The public facts; directions were read, and whom this answer protects at its epsilon."""
        shown = super().public | {"protects": self._protects + self.facts.within}
        return shown | {"orientation": DIRECTED} if self.facts.directed and self.metric != "degree" else shown

    @property
    def units(self) -> frozenset[Unit]:
        """A pair; picks, and noise through cuts, also protect all arcs of one node that the counts are of others'."""
        of_one, pair = unit_of_counts(self.metric), pair_through_cuts(self.facts.candidates)
        if self.cap is not None and moves_through_cuts(self.cap, self.unit, pair) < pair:
            return frozenset() if of_one is None else frozenset({of_one})
        if of_one is None or (self.mechanism is None and self.cap is None):
            return super().units
        return super().units | {of_one}

    @property
    def _protects(self) -> str:
        of_one, signed = unit_of_counts(self.metric), self._signed
        if of_one is None:
            return f"{EVERY_PAIR}, " + (
                "taken away; replaced costs twice" if signed else "taken away or replaced"
            )
        if self.mechanism is not None or self.cap is not None:
            pair = ", and all between two nodes" if "pair" in self.units else ""
            return f"{UNIT_SENTENCES[of_one]}{pair}, taken away; replaced costs twice"
        if signed or (self.k == 1 and self.target_recall is None):
            return "all arcs between two nodes, taken away; replaced costs twice"
        return "all arcs between two nodes, taken away or replaced"

    @property
    def _signed(self) -> bool:
        """Whether weights with signs are added up, which move twice as far where others take their place."""
        return self.metric in STRENGTHS and self.facts.weighting is not None and self.facts.weighting.signed

    @property
    def quantities(self) -> frozenset[str]:
        """What the draw asks of its projection, beside the degrees."""
        return frozenset({self.metric})

    @property
    def rho_shares(self) -> int:
        """``epsilon^2 / rho`` of the vector as a whole, or of k picks."""
        if self.mechanism is None:
            return rho.PURE
        from edgedp.mechanisms.samplers import sampler  # all that draws; a plan is read without it

        return sampler(self.mechanism.sampler).rho_shares(self.k)


def plan_arcs(name: TalliedName, asked: TopKOptions, facts: PublicFacts) -> ArcsPlan:
    """Plan a release of the top k by in- or out-degree, of candidates, or by strength; options as of `priv_top_k`.

    That the graph has directions, or weights, was checked with the metric's name.
    """
    if name in STRENGTHS:
        if facts.weighting is not None and facts.weighting.signed:
            of_signs = f"metric {name!r} of weights with signs, of whose sums nothing is known beforehand"
            checks.check_no_option("target_recall", asked.target_recall, of_signs)
        _check_fits(facts)
    mechanism = _picking(name, asked, facts)
    joint = mechanism is None
    cap = cap_of(name, asked.cap) if joint else None
    if cap is not None:
        checks.check_no_option("target_recall", asked.target_recall, f"metric {name!r} through cuts")
    return ArcsPlan(
        metric=name,
        k=checks.check_k(asked.k, facts.node_count),
        cost=epsilon_nano(asked.epsilon),
        mechanism=mechanism,
        target_recall=checked_target(asked.target_recall, facts) if joint else None,
        facts=facts,
        cap=cap,
        unit="pair" if cap is None else facts.protect,
    )


def cap_of(name: TalliedName, cap: Any) -> int | None:
    """Return the most arcs of each other end that count; only arcs are cut."""
    uncut = cap is None or unit_of_counts(name) is None or name in STRENGTHS
    return None if uncut else checks.check_cap(cap)


def _check_fits(facts: PublicFacts) -> None:
    """Refuse weights of which a sum may not fit into 64 bits with its noise."""
    most = 0 if facts.weighting is None else facts.weighting.most
    if most * facts.node_count >= 2**62:
        raise ParameterError(
            f"weight lets a pair weigh {most} steps, of which {facts.node_count} nodes may add up 2^62 or more; "
            "declare a smaller pair_cap, or a larger step"
        )


def unit_of_counts(name: TalliedName) -> Unit | None:
    """Return the unit whose arcs each move another node's score: those of the nodes at the other ends.

    Examples
    --------
    >>> unit_of_counts("in_degree"), unit_of_counts("degree")
    ('source', None)
    """
    match name:
        case "in_degree" | "in_strength":
            return "source"
        case "out_degree" | "out_strength":
            return "target"
        case "degree" | "strength":
            return None
        case _:
            assert_never(name)


def _picking(name: TalliedName, asked: TopKOptions, facts: PublicFacts) -> Undampened | None:
    """Return how nodes are picked; by default joint, em where a declared delta makes that cheaper.

    Where the account protects all that one node does, pf by default: joint does not, but through cuts.
    """
    cheaper = facts.delta_declared and asked.target_recall is None
    usual = "em" if cheaper else "joint" if facts.protect == "pair" else "pf"
    if asked.cap is not None:
        usual = "joint"
    one_way = moves_one_way(name, facts.weighting)
    if not one_way:
        usual = "joint"
    mechanism = checks.check_mechanism(usual if asked.mechanism is None else asked.mechanism)
    match mechanism:
        case "em" | "pf" if not one_way:
            raise ParameterError(
                f"mechanism is {mechanism!r}, must be 'joint' for {name} of weights with signs, of which a pair moves "
                "some scores up and others down; take 'joint', or declare the weights without signed"
            )
        case "em" | "pf":
            return Undampened(mechanism, checks.check_sampler(asked.sampler, mechanism))
        case "joint":
            return None
        case "ld" | "sld":
            raise ParameterError(
                f"mechanism is {mechanism!r}, must be one of em, pf, joint for {name}, whose scores one pair moves "
                "by the same everywhere; choose one of these"
            )
        case _:
            assert_never(mechanism)
