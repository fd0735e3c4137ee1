"""A question about a graph, with what is public about it: a release, its estimate and a kept release begin with one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from edgedp.ledger import attributes, ledger, sources
from edgedp.ledger.account import Account, account_of
from edgedp.ledger.chain import body_of
from edgedp.ledger.rows import row_named
from edgedp.release.plan import Kind, Plan, PublicFacts, plan
from edgedp.release.plan.kept import as_then, plan_of
from edgedp.words.errors import EdgeDPError
from edgedp.words.vocabulary import ACCOUNTS

if TYPE_CHECKING:
    from edgedp.ledger.rows import GraphRow
    from edgedp.ledger.script import Row, Runner
    from edgedp.mechanisms.selection.domains import Domain


def asked_before(runner: Runner, name: str, analyst: str, request_id: str) -> Row | None:
    """Return the debit that a caller's request has already, of either of the graph's accounts; None where it is new."""
    for account in ACCOUNTS:
        found = runner.run(
            "request_find", name=account_of(name, account), analyst=analyst, requestId=request_id
        )
        if found:
            return found[0]
    return None


@dataclass(frozen=True)
class Question:
    """What is asked of a graph, and what its ledger says.

    Attributes
    ----------
    kind : str
        Of the release.
    options : mapping
        By their Python names, as they were given.
    account : Account
        Of the graph's edges: it says what is protected, and whether a delta is declared.
    domains : mapping of str to Domain
        The declared properties of the nodes.
    request_id : str or None
    before : dict or None
        The row of the debit that the request has already.
    beside : sequence of Account, optional
        All accounts of the graph's edges, where they are not its own: whether a delta is declared is theirs to say.
    """

    kind: Kind
    options: Mapping[str, Any]
    account: Account
    domains: Mapping[str, Domain]
    request_id: str | None = None
    before: Row | None = None
    beside: Sequence[Account] | None = None

    @classmethod
    def read(
        cls,
        runner: Runner,
        name: str,
        kind: Kind,
        options: Mapping[str, Any],
        request_id: str | None,
        before: Row | None,
        row: GraphRow | None,
    ) -> Self:
        """Read what the ledger says of a graph by its name; the declared properties where they may matter.

        Parameters
        ----------
        row : GraphRow or None
            The graph's; None where it was not looked for, and may be gone.
        """
        account = ledger.find(runner, name)
        needed = kind == "percentile" or before is not None
        domains = attributes.declared(runner, name) if needed else {}
        found = row or row_named(runner, name)
        several = found is not None and found.accounts is not None
        beside = list(sources.standing(runner, found).values()) if found is not None and several else None
        return cls(kind, options, account, domains, request_id, before, beside)

    def told(self, facts: PublicFacts) -> PublicFacts:
        """Return public facts with what the accounts say of them."""
        found = self.account.told(facts)
        if self.beside is None:
            return found
        return replace(found, delta_declared=any(each.delta is not None for each in self.beside))

    def plan(self, facts: PublicFacts) -> Plan:
        """Plan the release of a graph with these public facts.

        Raises
        ------
        EdgeDPError
            The options are refused.
        """
        return plan(self.kind, self.options, self.told(replace(facts, domains=self.domains)))

    def again(self) -> Plan:
        """Return the plan of the release that the request has already, if it is asked the same question again.

        Raises
        ------
        RequestConflictError
            It is another question, or none that can be planned.
        """
        asked = body_of({"body": None if self.before is None else self.before["body"]})
        drawn = plan_of(asked["kind"], asked["parameters"], asked["public"], self.domains)
        try:
            then = plan(self.kind, as_then(self.options, drawn), self.told(drawn.facts))
            same = then.naming(drawn.named) == drawn
        except EdgeDPError:
            same = False
        if not same:
            raise ledger.other_request(str(self.request_id))
        return drawn
