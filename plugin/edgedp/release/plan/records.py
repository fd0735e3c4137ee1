"""Plans that rest on the nodes' records, the declared properties: a percentile."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, assert_never, cast

from edgedp.mechanisms.checks import check_text, nearest
from edgedp.mechanisms.selection.domains import Domain
from edgedp.mechanisms.selection.questions import PercentileQuestion, ask_percentile
from edgedp.release.options import PercentileOptions
from edgedp.release.plan.base import Charge, PlanBase
from edgedp.release.plan.facts import PublicFacts
from edgedp.words.amounts.epsilon import format_nano
from edgedp.words.amounts.rho import PURE
from edgedp.words.amounts.written import shortest
from edgedp.words.errors import UnknownNameError
from edgedp.words.vocabulary import PercentileMechanism, SamplerName


@dataclass(frozen=True, kw_only=True)
class PercentilePlan(PlanBase):
    """A percentile of a declared property, epsilon-DP under replacement of one node's record."""

    KIND = "percentile"

    of_property: str
    q: Fraction
    mechanism: PercentileMechanism
    sampler: SamplerName
    domain: Domain = field(repr=False, compare=False)

    @property
    def question(self) -> PercentileQuestion:
        """What is asked of the values, one a node."""
        return PercentileQuestion(
            self.q, self.mechanism, self.sampler, self.cost, self.domain, self.facts.node_count
        )

    @cached_property
    def rests_on_bound(self) -> bool:
        """Never: no edge is read."""
        return False

    @cached_property
    def charges(self) -> tuple[Charge, ...]:
        """The attributes' account; of a property that follows from a node's own degree the edges' as well.

        An edge moves two degrees, which replaces two records: twice epsilon.
        """
        own = Charge("attributes", self.cost, self.rho_shares)
        match self.domain.depends_on:
            case "independent":
                return (own,)
            case "degree":
                return (Charge("edges", 2 * self.cost, PURE), own)
        assert_never(self.domain.depends_on)

    @property
    def declaration(self) -> dict[str, Any]:
        """The declaration of the property: what an answer costs of which account follows from it."""
        return self.domain.declared_for(self.of_property)

    @property
    def public(self) -> dict[str, Any]:
        """The public facts that the answer rests on."""
        shown = self.facts.to_dict()
        return {name: shown[name] for name in ("node_count", "nodes")} | self.question.public

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Canonical parameters."""
        asked: dict[str, Any] = {"property": self.of_property, "q": shortest(self.q)}
        asked |= {"epsilon": format_nano(self.cost), "mechanism": self.mechanism}
        return asked | {"sampler": self.sampler}

    @property
    def quantities(self) -> frozenset[str]:
        """Nothing of the edges."""
        return frozenset()

    @property
    def rho_shares(self) -> int:
        """``epsilon^2 / rho``: 2, as of any pure release."""
        return PURE


def plan_percentile(options: PercentileOptions, facts: PublicFacts) -> PercentilePlan:
    """Plan a percentile of a declared property.

    Raises
    ------
    EdgeDPError
        The property is not declared, or a parameter is out of its domain.
    """
    name = check_text(options.property, "property")
    domain = facts.domains.get(name)
    if domain is None:
        raise UnknownNameError(
            f"property is {name!r}, must be one that the curator has declared (edgedp attribute); "
            f"{nearest(name, facts.domains)}"
        )
    question = ask_percentile(
        domain,
        facts.node_count,
        q=options.q,
        epsilon=options.epsilon,
        mechanism=cast(str, options.mechanism),
        sampler=options.sampler,
    )
    return PercentilePlan(
        cost=question.cost,
        facts=facts,
        of_property=name,
        q=question.q,
        mechanism=question.mechanism,
        sampler=question.sampler,
        domain=domain,
    )
