"""Releases that spend step by step until their list is sure enough: what their plans share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from edgedp.mechanisms import checks
from edgedp.mechanisms.sure import FEWEST
from edgedp.release.plan.base import Charge, PublicFacts
from edgedp.words.amounts.rungs import rungs
from edgedp.words.errors import ParameterError

__all__ = ["checked_target", "first_charges"]


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


def first_charges(
    whole: tuple[Charge, ...], cost: int, target: Fraction | None, facts: PublicFacts
) -> tuple[Charge, ...]:
    """Return the first step alone where a release stops when it is sure, and an account adds up pure losses."""
    if target is None or facts.delta_declared:
        return whole
    return (Charge("edges", rungs(cost)[0], whole[-1].rho_shares),)
