"""Shares and who asked for more of them; and the store as an analyst sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from edgedp.ledger import events, ledger, shares
from edgedp.ledger.account import Account, account_of
from edgedp.ledger.backend import Session
from edgedp.ledger.events import Declaration, limit_nano
from edgedp.ledger.log import people_log
from edgedp.ledger.log.people_state import MoreAsked, People
from edgedp.ledger.script import Script, Step, run
from edgedp.ledger.shares import ANALYST
from edgedp.mechanisms import checks
from edgedp.mechanisms.checks import check_choice
from edgedp.stores.people import more
from edgedp.stores.people.asker import Asker
from edgedp.stores.people.curating import NOT_CURATOR, Change
from edgedp.stores.people.revoking import RevokingStore, no_share, owners_of, spent_before
from edgedp.stores.people.tokens import Person, nobody, token_hash
from edgedp.words.amounts.epsilon import budget_nano, epsilon_nano, format_nano
from edgedp.words.errors import (
    AccessError,
    BudgetError,
    ParameterError,
    StoreError,
    StoreStateError,
    UnknownNameError,
)
from edgedp.words.vocabulary import ACCOUNTS, AccountName

__all__ = ["PeopleStore", "Person", "token_hash"]

_TRIES = 20


class _Grant(NamedTuple):
    """A share as it is declared, checked."""

    graph: str
    analyst: str
    account: AccountName
    declared: Declaration
    agent: shares.Agent | None
    filters: bool | None = None

    @classmethod
    def of(
        cls,
        graph: str,
        analyst: Any,
        account: Any,
        budget: Any,
        limit: Any = None,
        agent: Any = None,
        least: Any = None,
        filters: Any = None,
    ) -> _Grant:
        """Check what was given."""
        if filters is not None:
            checks.check_switch(filters, "filters")
            if account != shares.EDGES:
                raise ParameterError(
                    "filters is for a share of the edges, whose rows it filters; grant without it"
                )
        check_choice(account, "account", ACCOUNTS)
        return cls(
            graph,
            checks.check_text(analyst, "analyst"),
            account,
            Declaration(budget_nano(budget, zero=True), None, limit_nano(limit)),
            _agent(agent, least),
            filters,
        )


class PeopleStore(RevokingStore):
    """Analysts, curators, their tokens and shares; for the curator."""

    def grant(
        self,
        graph: str,
        analyst: str,
        epsilon_budget: Any,
        max_epsilon_per_release: Any = None,
        account: AccountName = shares.EDGES,
        *,
        agent: bool | None = None,
        min_epsilon_per_release: Any = None,
        filters: bool | None = None,
    ) -> dict[str, Any]:
        """Declare, or change, how much of a graph's account an analyst may spend; of several accounts, of each.

        Parameters
        ----------
        graph : str
        analyst : str
            Added and not revoked.
        epsilon_budget : number or decimal text
            In all, what was spent included; not below what was spent. 0 is allowed: nothing. Where the graph's budget
            has a delta, it is this epsilon at that delta, and releases are priced for both by one integer.
        max_epsilon_per_release : number or decimal text, optional
            ``"none"`` removes the limit. Default: as it is.
        account : {"edges", "attributes"}
            Which of the graph's accounts; a release that debits both needs a share of each.
        agent : bool, optional
            Whether a program asks that decides by itself: each of its releases must name the plan that told its
            cost (`estimate`), and costs between a smallest and a largest epsilon. Default: as it is.
        min_epsilon_per_release : number or decimal text, optional
            Of an agent. Default: as it is, else a hundredth of the share; the largest is else a tenth of it.
        filters : bool, optional
            Whether the analyst may write conditions of their own (`Store.register` with `of`): every release still
            debits this account in full, so a filter never makes one cheaper. Off at first. Default: as it is.

        Returns
        -------
        dict
            The share's row of `grants`.

        Raises
        ------
        BudgetError
            More was spent, or the limit is above the share.
        UnknownNameError
            There is no such analyst, or one who was revoked, or the graph has no account.
        """
        given = _Grant.of(
            graph,
            analyst,
            account,
            epsilon_budget,
            max_epsilon_per_release,
            agent,
            min_epsilon_per_release,
            filters,
        )
        if given.filters and not self._backend.keeps_columns:
            raise StoreError(
                "filters is for graphs that are loaded into an embedded store, whose rows conditions choose; "
                "grant without it"
            )
        with self._session() as session:
            self._granted(session, given)
        return self.share(graph, analyst, account)

    def _granted(
        self,
        session: Session,
        given: _Grant,
        beside: Sequence[Step] = (),
        guards: Mapping[str, int] | None = None,
        more: int | None = None,
    ) -> str:
        """Declare a share, with other steps in the same transaction; return ``done``, or ``changed`` by a guard.

        Parameters
        ----------
        guards : mapping, optional
            How many rows the logs of some accounts must have.
        more : int, optional
            Nano-epsilon by which each share becomes larger, in place of what is declared.
        """
        graph, analyst, account = given.graph, given.analyst, given.account
        if not session.run("person_active", name=analyst, role=ANALYST):
            raise nobody(analyst)
        by, at = self._by(session), ledger.now()
        locks, granted, anew = [], [], []
        for owner in owners_of(session, graph, account):
            known, before = _opened(session, owner, account), shares.find(session, owner, analyst, account)
            named, declared = account_of(owner, account), given.declared
            anew += [named] if before is None else []
            if more is not None:
                declared = Declaration(_declared(before) + more, None, None)
            steps, body = shares.grant_steps(
                owner, analyst, account, declared, known, before, given.agent, given.filters
            )
            locks += [
                Step("account_lock", {"name": named}, on_none="unknown"),
                Step("account_adds_up", {"name": named}, on_none="broken"),
            ]
            if guards is not None:
                locks.append(
                    Step("account_at", {"name": named, "entries": guards.get(named, -1)}, on_none="changed")
                )
            granted += [*steps, *events.event_steps(named, "grant", body, by=by, at=at)]
        active = Step("person_active", {"name": analyst, "role": ANALYST}, on_none="revoked")
        outcome = run(session, script := Script([*self._allowed(), *locks, active, *granted, *beside]))
        if outcome.name == "revoked":
            raise nobody(analyst)
        if outcome.name == NOT_CURATOR:
            raise self._no_curator()
        if outcome.name == "share" and anew and spent_before(session, anew, analyst):
            raise BudgetError(
                f"more than that was spent by {analyst!r} of a share of {graph!r} that was taken away, which counts; "
                f"grant a larger one, see 'edgedp log {graph}'"
            )
        if outcome.name not in (script.done, "changed"):
            raise ledger.curator_refusal(outcome.name, graph)
        return outcome.name

    # -- asked for more ---------------------------------------------------------------------------

    def asked_more(self, graph: str | None = None) -> list[dict[str, Any]]:
        """Return who asked for a larger share, of one graph or of all, oldest first, with what was answered.

        Returns
        -------
        list of dict
            id, at, graph, account, analyst, epsilon (how much more), reason, state (``open``, ``granted``,
            ``declined``), answer, answered.
        """
        with self._session(reading=True) as session:
            found = self._people(session).asked
        return [each.shown() for each in found if graph in (None, each.graph)]

    def ask_more(
        self, name: str, epsilon: Any, reason: str, account: AccountName = shares.EDGES
    ) -> dict[str, Any]:
        """Refuse: who has opened the store spends from the budget, and has no share to ask more of.

        Through a gateway (`edgedp.open_store` of its address) an analyst asks; parameters there: name, epsilon (how
        much more), reason (a sentence), account.
        """
        raise AccessError(
            "asking for more is for an analyst behind a gateway; you have opened the store: change a share with "
            "'edgedp grant'"
        )

    def answer_more(
        self, id: str, *, grant: bool, answer: str | None = None, epsilon_budget: Any = None
    ) -> dict[str, Any]:
        """Grant or decline what an analyst asked for; the analyst sees the answer.

        Parameters
        ----------
        id : str
            Of `asked_more`.
        grant : bool
            Whether the share becomes larger, in the same transaction.
        answer : str, optional
            A sentence for the analyst; needed where it is declined.
        epsilon_budget : number or decimal text, optional
            The whole share from then on. Default: the present one and what was asked for.

        Returns
        -------
        dict
            As of `asked_more`.

        Raises
        ------
        UnknownNameError, StoreStateError
            Nobody asked that, or it was answered already.
        """
        said = more.check_answer(answer, needed=not checks.check_switch(grant, "grant"))
        if not grant and epsilon_budget is not None:
            raise ParameterError(
                "epsilon_budget goes with a grant, and this declines; leave epsilon_budget out"
            )
        with self._session() as session:
            if grant:
                self._grant_more(session, id, epsilon_budget, said)
            else:
                self._changed(session, lambda people: _declined(people, id, said))
            answered = self._people(session).more(id)
        if answered is None:
            raise more.unknown(id)
        return answered.shown()

    def _grant_more(self, session: Session, id_: str, whole: Any, said: str) -> None:
        """Grant a larger share and note the answer, both or neither, once nothing changes meanwhile."""
        for _ in range(_TRIES):
            people = self._people(session)
            asked = more.open_one(people, id_)
            account: AccountName = check_choice(asked.account, "account", ACCOUNTS)
            owners = owners_of(session, asked.graph, account)
            guards = {
                account_of(owner, account): _opened(session, owner, account).entries for owner in owners
            }
            present = shares.least(shares.find(session, owner, asked.analyst, account) for owner in owners)
            more_nano = epsilon_nano(asked.epsilon) if whole is None else None
            budget = whole if more_nano is None else format_nano(_declared(present) + more_nano)
            given = _Grant.of(asked.graph, asked.analyst, account, budget)
            noted = _answer(asked, said) | {"epsilon_budget": format_nano(given.declared.budget or 0)}
            by, at = self._by(session), ledger.now()
            steps = people_log.noting_steps("grant", noted, people.entries, by=by, at=at)
            if self._granted(session, given, steps, guards, more_nano) != "changed":
                return
        raise StoreStateError("somebody else keeps writing to the ledgers; answer again")

    def grants(self, graph: str) -> list[dict[str, Any]]:
        """Return the shares of a graph.

        Returns
        -------
        list of dict
            analyst, account, epsilon_budget, epsilon_spent, epsilon_remaining, max_epsilon_per_release (or None),
            min_epsilon_per_release of an agent, filters where the analyst may write conditions, and delta where the
            graph's budget has one; of, the account of a relationship type, where it is not the graph's own.
        """
        with self._session(reading=True) as session:
            ledger.find(session, account_of(graph, "edges"))
            return [
                {"analyst": row["analyst"]} | shares.listed(row) | ({} if owner == graph else {"of": owner})
                for account in ACCOUNTS
                for owner in owners_of(session, graph, account)
                for row in session.run("share_list", name=account_of(owner, account))
            ]

    def share(self, graph: str, analyst: str, account: AccountName = shares.EDGES) -> dict[str, Any]:
        """Return the row of `grants` of one analyst.

        Raises
        ------
        UnknownNameError
            The graph has no account, or the analyst no share of it.
        """
        check_choice(account, "account", ACCOUNTS)
        analyst = checks.check_text(analyst, "analyst")
        with self._session(reading=True) as session:
            owners = owners_of(session, graph, account)
            for owner in owners:
                _opened(session, owner, account)
            share = shares.least(shares.find(session, owner, analyst, account) for owner in owners)
        if share is None:
            raise no_share(graph, analyst)
        return {"analyst": analyst} | share.shown()

    def asking_as(self, analyst: str) -> Asker:
        """Return the store as an analyst sees it, who is checked at every call.

        Privacy: the way of a release is that of `Store`; beside the graph's account it debits the analyst's share, in
        the same transaction.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from edgedp import Graph, open_store
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = open_store(pathlib.Path(folder) / "graphs.edgedp")
        ...     _ = store.load(Graph.from_edges([(1, 2), (2, 3)]), name="path", epsilon_budget=1)
        ...     _ = store.add_analyst("ann"), store.grant("path", "ann", epsilon_budget=0.5)
        ...     ann = store.asking_as("ann")
        ...     _ = ann.priv_top_k("path", metric="degree", k=1, epsilon=0.2)
        ...     ann.budget("path")["share"]["epsilon_remaining"], ann.budget("path")["epsilon_remaining"]
        (0.3, 0.8)
        """
        return Asker(self, checks.check_person_name(analyst))


def _opened(session: Session, graph: str, account: AccountName) -> Account:
    """Return an account of a graph; one of the attributes that was never opened is refused."""
    edges = ledger.find(session, account_of(graph, "edges"))
    if account == shares.EDGES:
        return edges
    found = ledger.found_account(session, account_of(graph, account))
    if found is None:
        raise UnknownNameError(
            f"the graph {graph!r} has no budget of its {account}; declare one with "
            f"'edgedp budget {graph} --{account} --set E'"
        )
    return found


def _agent(agent: Any, least: Any) -> shares.Agent | None:
    """Return what is declared of an agent, or None where nothing is."""
    if agent is None and least is None:
        return None
    is_one = True if agent is None else checks.check_switch(agent, "agent")
    if not is_one and least is not None:
        raise ParameterError(
            "min_epsilon_per_release is only for an agent's share; grant without it, or declare an agent"
        )
    return shares.Agent(is_one, None if least is None else budget_nano(least, "min_epsilon_per_release"))


def _declared(share: shares.Share | None) -> int:
    return 0 if share is None else share.amounts.declared or 0


def _declined(people: People, id_: str, said: str) -> Change:
    return Change([], "decline", _answer(more.open_one(people, id_), said))


def _answer(asked: MoreAsked, said: str) -> dict[str, Any]:
    return {"person": asked.analyst, "id": asked.id, "graph": asked.graph, "answer": said}
