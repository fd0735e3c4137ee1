"""Who may ask over the network, and how much: people with tokens, and their shares of a graph's account."""

from __future__ import annotations

import copy
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Any, Self

from edgedp.ledger import events, ledger, registry, shares
from edgedp.ledger.account import Account, Declaration, account_of, limit_nano
from edgedp.ledger.backend import Session
from edgedp.ledger.log import people_log
from edgedp.ledger.script import Script, Step, run
from edgedp.ledger.shares import ANALYST, CURATOR, Role
from edgedp.mechanisms import checks
from edgedp.mechanisms.checks import check_choice
from edgedp.stores.people.asker import Asker
from edgedp.stores.releases.opened import OpenedStore
from edgedp.words.amounts.epsilon import budget_nano
from edgedp.words.errors import AccessError, ParameterError, StoreStateError, UnknownNameError
from edgedp.words.vocabulary import ACCOUNTS, AccountName

__all__ = ["PeopleStore", "Person", "token_hash"]

_TOKEN_BYTES = 32
_PREFIXES: dict[Role, str] = {ANALYST: "edgedp_a_", CURATOR: "edgedp_c_"}
_LONGEST_TOKEN = 200

_NOT_CURATOR = "not curator"
"""How a script ends where the curator who acts is none any more."""


@dataclass(frozen=True)
class Person:
    """Whose token it is.

    Attributes
    ----------
    name : str
    role : {"analyst", "curator"}
    """

    name: str
    role: Role


class PeopleStore(OpenedStore):
    """Analysts, curators, their tokens and shares; for the curator."""

    def add_analyst(self, name: str) -> dict[str, Any]:
        """Add an analyst, who then may ask for releases out of the shares that `grant` declares.

        Parameters
        ----------
        name : str
            A new one: the name of somebody who was revoked stays taken, too.

        Returns
        -------
        dict
            analyst, and token: 256 random bits as text. It is shown this once; the store keeps its SHA-256 alone.
        """
        return {"analyst": name, "token": self._add(name, ANALYST)}

    def add_curator(self, name: str) -> dict[str, Any]:
        """Add a curator, whose token may do over the network what the curator's pages offer.

        Returns
        -------
        dict
            curator, and token, as `add_analyst`.
        """
        return {"curator": name, "token": self._add(name, CURATOR)}

    def analysts(self) -> list[dict[str, Any]]:
        """Return everybody who has or had a token: name, role, added, revoked (None, or when); never a token."""
        with self._session(reading=True) as session:
            rows = session.run("person_list")
        return [{key: row[key] for key in ("name", "role", "added", "revoked")} for row in rows]

    def rotate_analyst(self, name: str) -> dict[str, Any]:
        """Give an analyst or curator another token; the one before is worth nothing from then on.

        Returns
        -------
        dict
            As `add_analyst` or `add_curator` of the person's role.

        Raises
        ------
        UnknownNameError
            There is no such person, or one who was revoked.
        """
        with self._session() as session:
            role = next((row["role"] for row in session.run("person_list") if row["name"] == name), ANALYST)
            token = _new_token(role)
            hashed = token_hash(token)
            change = [
                Step("person_active", {"name": name, "role": role}, on_none="nobody"),
                Step("person_token", {"name": name, "tokenHash": hashed}, on_none="nobody"),
            ]
            noted = {"person": name, "role": role, "token_sha256": hashed}
            if self._changed(session, change, "rotate", noted) != "done":
                raise _nobody(name)
        return {role: name, "token": token}

    def revoke_analyst(self, name: str) -> None:
        """Revoke an analyst or curator for good; shares and what was spent of them stay as they are.

        Raises
        ------
        UnknownNameError
            There is no such person, or one who was revoked.
        """
        with self._session() as session:
            at = ledger.now()
            gone = Step("person_revoke", {"name": name, "revoked": at}, on_none="nobody")
            if self._changed(session, [gone], "revoke", {"person": name, "revoked": at}) != "done":
                raise _nobody(name)

    def identify(self, token: str) -> Person | None:
        """Return whose token it is; None for an unknown one and for one of somebody who was revoked.

        It is compared with every kept SHA-256, each in constant time, whichever fits.
        """
        if not isinstance(token, str) or len(token) > _LONGEST_TOKEN:
            return None
        return self._whose(token_hash(token))

    def _whose(self, hashed: str) -> Person | None:
        """Return whose token it is by its SHA-256, hex, as `identify` does; for a session, which has no token."""
        given, found = hashed, None
        with self._session() as session:
            rows = session.run("person_list")
        for row in rows:
            kept = str(row["tokenHash"]).encode()  # whatever somebody may have made of it in the database
            same = hmac.compare_digest(given.encode(), kept)
            if same and row["revoked"] is None:
                found = Person(row["name"], row["role"])
        return found

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
        check_choice(account, "account", ACCOUNTS)
        analyst = checks.check_text(analyst, "analyst")
        declared = Declaration(
            budget_nano(epsilon_budget, zero=True),
            None,
            limit_nano(max_epsilon_per_release),
        )
        declared_agent = _agent(agent, min_epsilon_per_release)
        with self._session() as session:
            if not session.run("person_active", name=analyst, role=ANALYST):
                raise _nobody(analyst)
            by, at = self._by(session), ledger.now()
            locks, granted = [], []
            for owner in _owners(session, graph, account):
                known, before = (
                    _opened(session, owner, account),
                    shares.find(session, owner, analyst, account),
                )
                named = account_of(owner, account)
                steps, body = shares.grant_steps(
                    owner, analyst, account, declared, known, before, declared_agent
                )
                locks += [
                    Step("account_lock", {"name": named}, on_none="unknown"),
                    Step("account_adds_up", {"name": named}, on_none="broken"),
                ]
                granted += [*steps, *events.event_steps(named, "grant", body, by=by, at=at)]
            active = Step("person_active", {"name": analyst, "role": ANALYST}, on_none="revoked")
            outcome = run(session, script := Script([*self._allowed(), *locks, active, *granted]))
            if outcome.name == "revoked":
                raise _nobody(analyst)
            if outcome.name == _NOT_CURATOR:
                raise self._no_curator()
            if outcome.name != script.done:
                raise events.curator_refusal(outcome.name, graph)
        return self.share(graph, analyst, account)

    def grants(self, graph: str) -> list[dict[str, Any]]:
        """Return the shares of a graph.

        Returns
        -------
        list of dict
            analyst, account, epsilon_budget, epsilon_spent, epsilon_remaining, max_epsilon_per_release (or None),
            min_epsilon_per_release of an agent, and delta where the graph's budget has one; of, the account of a
            relationship type, where it is not the graph's own.
        """
        with self._session(reading=True) as session:
            ledger.find(session, account_of(graph, "edges"))
            return [
                {"analyst": row["analyst"]} | shares.listed(row) | ({} if owner == graph else {"of": owner})
                for account in ACCOUNTS
                for owner in _owners(session, graph, account)
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
        with self._session(reading=True) as session:
            owners = _owners(session, graph, account)
            for owner in owners:
                _opened(session, owner, account)
            share = shares.least(shares.find(session, owner, analyst, account) for owner in owners)
        if share is None:
            raise UnknownNameError(
                f"the analyst {analyst!r} has no share of {graph!r}; see 'edgedp grants {graph}'"
            )
        return {"analyst": analyst} | share.shown()

    def people_log(self) -> list[dict[str, Any]]:
        """Return what happened to people and their tokens, oldest first; never a token.

        Returns
        -------
        list of dict
            seq, at (UTC), by (the store's user, and the curator for whom a gateway acted), event (``add``, ``rotate``,
            ``revoke``; ``begin`` names those who were there before this log began), person, role.
        """
        with self._session() as session:
            return people_log.shown(session)

    def people_head(self) -> str:
        """Return the head of the people's log, ``SEQ:HASH``: kept elsewhere, it shows an older or changed log."""
        with self._session() as session:
            return str(people_log.head(session))

    def curating_as(self, curator: str) -> Self:
        """Return the store as a curator with a token uses it: what is written names that curator.

        The connections are those of this store, which is the one to close.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from edgedp import Graph, open_store
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = open_store(pathlib.Path(folder) / "graphs.edgedp")
        ...     _ = store.load(Graph.from_edges([(1, 2), (2, 3)]), name="path", epsilon_budget=1)
        ...     _ = store.add_curator("cora"), store.curating_as("cora").add_analyst("ann")
        ...     store.people_log()[-1]["by"].partition(" for ")[2]
        'curator cora'
        """
        view = copy.copy(self)
        view._curator = checks.check_person_name(curator)
        return view

    def _allowed(self) -> list[Step]:
        """Return the steps that refuse a curator who was revoked meanwhile; none for the store's own user."""
        if self._curator is None:
            return []
        return [Step("person_active", {"name": self._curator, "role": CURATOR}, on_none=_NOT_CURATOR)]

    def _no_curator(self) -> AccessError:
        return AccessError(
            f"the curator {self._curator!r} was never added, or was revoked; use another token"
        )

    def _changed(self, session: Session, change: list[Step], event: str, noted: dict[str, Any]) -> str:
        """Change a person and note it, in one transaction; return ``done``, or ``nobody`` where it was refused."""
        outcome = people_log.changed(
            session, [*self._allowed(), *change], event, noted, by=self._by(session), at=ledger.now()
        )
        if outcome == _NOT_CURATOR:
            raise self._no_curator()
        if outcome in ("unknown", "broken"):
            raise people_log.broken()
        return outcome

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

    def _add(self, name: str, role: Role) -> str:
        name, token = checks.check_person_name(name), _new_token(role)
        row = {"name": name, "role": role, "tokenHash": token_hash(token), "added": ledger.now()}
        with self._session() as session:
            self._backend.settle(session)
            noted = {"person": name, "role": role, "added": row["added"], "token_sha256": row["tokenHash"]}
            change = [Step("person_put", row, on_none="nobody")]
            if self._changed(session, change, "add", noted) != "done":
                raise StoreStateError(
                    f"the name {name!r} is taken, and stays so after a revocation; choose another, or give its bearer "
                    f"another token with 'edgedp analyst rotate {name}'"
                )
        return token


def _new_token(role: Role) -> str:
    return _PREFIXES[role] + secrets.token_urlsafe(_TOKEN_BYTES)


def token_hash(token: str) -> str:
    """Return what the store keeps: 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _owners(session: Session, graph: str, account: AccountName) -> tuple[str, ...]:
    """Return whose accounts of a kind a release of a graph debits: of its edges those of its types."""
    account_of(graph, account)  # refuses what is no graph's name
    row = registry.find(session, graph) if account == shares.EDGES else None
    return (graph,) if row is None else row.ledgers


def _opened(session: Session, graph: str, account: AccountName) -> Account:
    """Return an account of a graph; one of the attributes that was never opened is refused."""
    edges = ledger.find(session, account_of(graph, "edges"))
    if account == shares.EDGES:
        return edges
    rows = session.run("account_find", name=account_of(graph, account))
    if not rows:
        raise UnknownNameError(
            f"the graph {graph!r} has no budget of its {account}; declare one with "
            f"'edgedp budget {graph} --{account} --set E'"
        )
    return Account.of(rows[0])


def _agent(agent: Any, least: Any) -> shares.Agent | None:
    """Return what is declared of an agent, or None where nothing is."""
    if agent is None and least is None:
        return None
    is_one = True if agent is None else checks.check_switch(agent, "agent")
    if not is_one and least is not None:
        raise ParameterError(
            "min_epsilon_per_release is of an agent's share; grant without it, or declare an agent"
        )
    return shares.Agent(is_one, None if least is None else budget_nano(least, "min_epsilon_per_release"))


def _nobody(name: str) -> UnknownNameError:
    return UnknownNameError(
        f"{name!r} was never added, was revoked, or has another role; see 'edgedp analyst list'"
    )
