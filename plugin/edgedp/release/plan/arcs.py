"""Plans of counted neighbours: in- and out-degrees of a directed graph, and the degrees of candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from edgedp.mechanisms import checks
from edgedp.mechanisms.picking import Undampened
from edgedp.mechanisms.units import PAIR_THROUGH_CUTS, moves_through_cuts
from edgedp.release.options import TopKOptions
from edgedp.release.plan.base import DIRECTED, EVERY_PAIR, PublicFacts
from edgedp.release.plan.targets import SeekingPlan, checked_target
from edgedp.words.amounts import rho
from edgedp.words.amounts.epsilon import epsilon_nano, format_nano
from edgedp.words.amounts.written import shortest
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import CountedName, Unit

__all__ = ["UNIT_SENTENCES", "ArcsPlan", "cap_of", "plan_arcs", "unit_of_counts"]

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
    metric : {"in_degree", "out_degree", "degree"}
        The last of candidates only.
    mechanism : Undampened or None
        How nodes are picked one after the other; None is ``joint``, noise on the whole vector once.
    cap : int or None
        Of joint: the most arcs of each other end that count, the first in a public order; None where all do.
    unit : {"pair", "source", "target"}
        Whom the noise on a vector through cuts has to cover: what the account protects.
    """

    KIND = "priv_top_k"
    counts_neighbors = True

    metric: CountedName
    mechanism: Undampened | None
    cap: int | None = None
    unit: Unit = "pair"

    @property
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
        return shown if self.metric == "degree" else shown | {"orientation": DIRECTED}

    @property
    def units(self) -> frozenset[Unit]:
        """A pair; picks, and noise through cuts, also protect all arcs of one node that the counts are of others'."""
        of_one = unit_of_counts(self.metric)
        if self.cap is not None and moves_through_cuts(self.cap, self.unit) < PAIR_THROUGH_CUTS:
            return frozenset() if of_one is None else frozenset({of_one})
        if of_one is None or (self.mechanism is None and self.cap is None):
            return super().units
        return super().units | {of_one}

    @property
    def _protects(self) -> str:
        of_one = unit_of_counts(self.metric)
        if of_one is None:
            return f"{EVERY_PAIR}, taken away or replaced"
        if self.mechanism is not None or self.cap is not None:
            pair = ", and all between two nodes" if "pair" in self.units else ""
            return f"{UNIT_SENTENCES[of_one]}{pair}, taken away; replaced costs twice"
        if self.k == 1 and self.target_recall is None:
            return "all arcs between two nodes, taken away; replaced costs twice"
        return "all arcs between two nodes, taken away or replaced"

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


def plan_arcs(name: CountedName, asked: TopKOptions, facts: PublicFacts) -> ArcsPlan:
    """Plan a release of the top k by in- or out-degree, or of candidates; see `edgedp.priv_top_k` for the options.

    That the graph is directed was checked with the metric's name.
    """
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


def cap_of(name: CountedName, cap: Any) -> int | None:
    """Return the most arcs of each other end that count; only arcs are cut."""
    return None if cap is None or unit_of_counts(name) is None else checks.check_cap(cap)


def unit_of_counts(name: CountedName) -> Unit | None:
    """Return the unit whose arcs each move a count by one at most: those of the nodes at the other ends.

    Examples
    --------
    >>> unit_of_counts("in_degree"), unit_of_counts("degree")
    ('source', None)
    """
    match name:
        case "in_degree":
            return "source"
        case "out_degree":
            return "target"
        case "degree":
            return None
        case _:
            assert_never(name)


def _picking(name: CountedName, asked: TopKOptions, facts: PublicFacts) -> Undampened | None:
    """Return how nodes are picked; by default joint, em where a declared delta makes that cheaper.

    Where the account protects all that one node does, pf by default: joint does not, but through cuts.
    """
    cheaper = facts.delta_declared and asked.target_recall is None
    usual = "em" if cheaper else "joint" if facts.protect == "pair" else "pf"
    if asked.cap is not None:
        usual = "joint"
    mechanism = checks.check_mechanism(usual if asked.mechanism is None else asked.mechanism)
    match mechanism:
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
