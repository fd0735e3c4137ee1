"""Releases that spend step by step until their list is sure enough: what their plans share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from edgedp.mechanisms import checks
from edgedp.mechanisms.sure import FEWEST
from edgedp.release.plan.base import Charge, PlanOfNodes, PublicFacts
from edgedp.words.amounts.rungs import rungs
from edgedp.words.errors import ParameterError

__all__ = ["SeekingPlan", "checked_target"]


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
