"""The ledger: what is kept, as scripts that every store runs alike. Debits: `debiting`; what is declared: `events`.

A script holds all guards of a change and all its writes; one transaction runs it under the ledger's lock.
What an outcome means is judged here, in Python, when no lock is held. The debit commits before
anything is drawn, and nothing is ever drawn a second time. The ledger outlives its graph.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from edgedp.ledger import shares
from edgedp.ledger.account import Account, attributes_refusal, refusal, split_account
from edgedp.ledger.calendars.runs import Reach
from edgedp.ledger.chain import body_of
from edgedp.ledger.script import Script, Step, run
from edgedp.ledger.shares import DIRECT, Share
from edgedp.words.amounts import rho
from edgedp.words.errors import (
    BeingDrawnError,
    BudgetError,
    EdgeDPError,
    GraphChangedError,
    LostReleaseError,
    ParameterError,
    RequestConflictError,
    StoreError,
    StoreStateError,
    UnknownNameError,
)

if TYPE_CHECKING:
    from edgedp.ledger.backend import Backend, Row, Runner, Session, Transaction
    from edgedp.ledger.rows import GraphRow
    from edgedp.release.plan import Charge, Plan

LEASE_SECONDS = 30
"""How long a release counts as being drawn after its drawer was last heard of, at most (the statements have it too)."""

LEASE_RENEWAL = 10
"""After how many seconds a drawer renews its lease."""


@dataclass(frozen=True)
class Debit:
    """A committed debit, and the account after it; the share too, where an analyst asked.

    Attributes
    ----------
    beside : sequence of mapping
        All accounts that were debited, as they are shown, where the graph has several; `account` is the one of which
        the least is left.
    """

    release_id: str
    account: Account
    share: Share | None = None
    beside: Sequence[Mapping[str, Any]] = ()

    def receipt(self, name: str) -> dict[str, Any]:
        """Return what a release shows of it."""
        return receipt(name, self.release_id, self.account, self.share, self.beside)


@dataclass(frozen=True)
class Kept:
    """A release that answers a request already: what was asked, the public facts it was drawn under, its answer.

    Attributes
    ----------
    kind, parameters, public
        As the debit's row keeps them.
    answer : dict
        As the answer's row keeps it.
    """

    release_id: str
    kind: str
    parameters: dict[str, Any]
    public: dict[str, Any]
    answer: dict[str, Any]


def receipt(
    name: str,
    release_id: str,
    account: Account,
    share: Share | None,
    beside: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return what a release shows beside its answer: the graph, the account, and an analyst's own share."""
    shown = {"graph": name, "release_id": release_id} | account.shown()
    shown |= {"accounts": [dict(each) for each in beside]} if beside else {}
    return shown if share is None else shown | {"share": share.shown()}


def now() -> str:
    """Return the time as ISO 8601 text in UTC, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def new_release_id() -> str:
    """Return a fresh identifier of a release."""
    return uuid.uuid4().hex


def judge(
    outcome: str,
    rows: Mapping[str, list[Row]],
    *,
    name: str,
    plan: Plan,
    request_id: str | None,
    analyst: str = DIRECT,
) -> Kept:
    """Say what an outcome of a debit other than ``debited`` means: a kept release, or raise the refusal.

    Parameters
    ----------
    outcome : str
    rows : mapping
        Rows of the script's statements by stem.

    Raises
    ------
    AccessError, BudgetError, ParameterError, StoreError, UnknownNameError
        In one sentence that rests on public facts alone.
    """
    match outcome:
        case "asked_before":
            return _judge_request(rows["request_find"][0], plan, str(request_id))
        case "refused":
            raise does_not_fit(name, plan, rows["account_adds_up"][0])
        case "revoked":
            raise shares.revoked(analyst)
        case "unshared" | "share_refused":
            raise shares.refused(split_account(rows["account_adds_up"][0]["name"])[0], analyst, plan, rows)
        case "lost":
            raise account_gone(name)
        case "sources":
            raise other_accounts(name)
        case "counted":
            raise does_not_fit(name, plan, rows["account_adds_up"][0])
        case "replaced":
            raise GraphChangedError(f"the graph {name!r} changed since the release was planned; ask again")
        case "broken":
            raise broken(name)
        case "unknown":
            raise unknown(name)
        case _:
            raise AssertionError(f"no debit ends as {outcome}")


def check_fits(name: str, plan: Plan, charge: Charge, rows: Iterable[Row]) -> None:
    """Refuse what a debit would refuse of accounts now; nothing is debited.

    Parameters
    ----------
    charge : Charge
        One of the plan's.
    rows : iterable of dict
        Of ``account_find``: the accounts that the charge debits.
    """
    for row in rows:
        if not Account.of(row).over(Reach.of(plan.facts, charge.account)).fits(charge):
            raise does_not_fit(name, plan, row)


def does_not_fit(name: str, plan: Plan, row: Row) -> BudgetError:
    """Return why a planned release does not fit an account; it rests on public amounts alone.

    Parameters
    ----------
    row : dict
        Of ``account_adds_up``: the account that refuses.
    """
    whose, which = split_account(row["name"])
    account = Account.of(row).over(Reach.of(plan.facts, which))
    if plan.charges[-1].account != "edges":
        charge = next(each for each in plan.first if each.account == which)
        return attributes_refusal(row["name"], charge.cost, plan.cost, account, account.affordable(charge))
    of = "" if whose == name else "the account "
    refused = refusal(whose, plan.first[-1].cost, account, account.affordable(plan), of=of)
    return refused if account.delta is None else BudgetError(f"{refused}{rho.price_named(plan.parameters)}")


def _judge_request(row: Row, plan: Plan, request_id: str) -> Kept:
    asked = body_of(row)
    if asked["kind"] != plan.kind or asked["parameters"] != plan.parameters:
        raise other_request(request_id)
    return kept_of(row, request_id)


def other_request(request_id: str) -> ParameterError:
    """Return the refusal of an identifier that another request has."""
    return RequestConflictError(
        f"request_id is {request_id!r}, must be new for another request; choose another identifier"
    )


def kept_of(row: Row, request_id: str) -> Kept:
    """Return the kept release of a row of ``request_find``; one without an answer is refused, never redrawn."""
    if row["answer"] is not None:
        asked, answer = body_of(row), body_of(row, "answer")
        return Kept(row["releaseId"], asked["kind"], asked["parameters"], asked["public"], answer)
    if row["leaseAlive"]:
        raise BeingDrawnError(
            f"the release of request_id {request_id!r} is being drawn; ask again with the same identifier"
        )
    raise LostReleaseError(
        f"the release of request_id {request_id!r} was debited and lost; "
        "ask again with another identifier (it costs again)"
    )


def answer_script(
    name: str, release_id: str, answer: Mapping[str, Any], *, by: str, at: str, ends_lease: bool = True
) -> Script:
    """Return the script that keeps what was drawn; its outcome is ``kept``, or ``gone`` where there is no debit."""
    named = {"name": name}
    row = named | {"releaseId": release_id, "at": at, "by": by, "body": json.dumps(answer)}
    return Script(
        [
            Step("account_lock", named, on_none="gone"),
            Step("account_next", named, on_none="gone"),
            Step("log_answer", row, on_none="gone"),
            *([Step("lease_end", named | {"releaseId": release_id})] if ends_lease else []),
        ],
        done="kept",
    )


HEALED_BY_DROP = (
    "run 'edgedp drop {0}', which makes it again from its log, then load or register the graph again"
)
"""What heals an account that somebody deleted, with the graph's name to be filled in."""

ANSWER_GONE = "the release's row is not in the ledger, or has an answer; what was asked for stays spent"
"""What the outcome ``gone`` of an answer means."""


def lease_renewal_script(name: str, release_id: str) -> Script:
    """Return the script that says that a release is still being drawn."""
    asked = {"name": name, "releaseId": release_id, "seconds": LEASE_SECONDS}
    return Script([Step("lease_renew", asked)])


def lease_end_script(name: str, release_id: str) -> Script:
    """Return the script that says that a release will not be drawn any more."""
    return Script([Step("lease_end", {"name": name, "releaseId": release_id})])


def other_accounts(name: str) -> StoreError:
    """Return the refusal of a graph whose accounts are others than when it was registered, or are for another unit."""
    return StoreError(
        f"the accounts that releases of {name!r} debit are not those that it was registered with, or protect something "
        "else now; nothing was spent; the curator drops the graph and registers it again"
    )


def account_gone(name: str) -> StoreError:
    """Return the refusal of a graph the account of one of whose relationship types somebody deleted."""
    return StoreError(
        f"an account of the relationship types of {name!r} is gone; the curator makes it again from its log: "
        f"'edgedp drop {name}', then register the graph again"
    )


def broken(name: str) -> StoreError:
    """Return the refusal of a ledger that does not add up."""
    graph = split_account(name)[0]
    return StoreError(f"the ledger of {graph!r} does not add up; run 'edgedp ledger check {graph}'")


def lost(graph: str) -> StoreError:
    """Return the refusal of a graph that is in the registry and whose account is gone."""
    return StoreError(f"the account of {graph!r} is gone; {HEALED_BY_DROP.format(graph)}")


def unknown(name: str) -> UnknownNameError:
    """Return the refusal of a name that has no account."""
    return UnknownNameError(
        f"the graph is {split_account(name)[0]!r}, must have been loaded or registered; see 'edgedp graphs'"
    )


def find(runner: Runner, name: str) -> Account:
    """Return an account (`edgedp.ledger.account.account_of`); one that never was is refused by name."""
    if not isinstance(name, str):
        raise unknown(name)
    rows = runner.run("account_find", name=name)
    if not rows:
        graph = split_account(name)[0]
        raise lost(graph) if runner.run("graph_find", name=graph) else unknown(name)
    return Account.of(rows[0])


def found_account(runner: Runner, name: str) -> Account | None:
    """Return the account of a ledger; None where there is none."""
    rows = runner.run("account_find", name=name)
    return Account.of(rows[0]) if rows else None


def carry_out(
    session: Session,
    script: Script,
    name: str,
    row: GraphRow | None = None,
    last: Callable[[Transaction], object] | None = None,
) -> None:
    """Run a curator's script, and refuse by what its outcome means where it was not done.

    Parameters
    ----------
    name : str
        Of the ledger that a refusal names.
    row : GraphRow, optional
        The graph whose guards, of the store's own, the script holds.
    last : callable, optional
        As of `edgedp.ledger.script.run`.
    """
    outcome = run(session, script, last=last)
    if outcome.name == script.done:
        return
    if row is not None and any(outcome.name in (step.on_row, step.on_none) for step in session.guards(row)):
        raise session.guard_refusal(outcome.name, row, outcome.rows)
    raise curator_refusal(outcome.name, name)


def curator_refusal(outcome: str, name: str) -> EdgeDPError:
    """Return what an outcome of a curator's script other than ``done`` means."""
    match outcome:
        case "unknown":
            return unknown(name)
        case "broken":
            return broken(name)
        case "budget":
            return StoreStateError(f"the account of {name!r} changed meanwhile; declare again")
        case "share":
            return StoreStateError(f"the share or the account of {name!r} changed meanwhile; grant again")
        case "changed":
            return StoreStateError(
                f"the graph {name!r} was loaded or dropped by somebody else meanwhile; ask again"
            )
        case "taken":
            return StoreStateError(
                f"a graph {name!r} is stored already; choose another name or drop it first"
            )
        case _:
            raise AssertionError(f"no script of a curator ends as {outcome}")


PATIENCE = 30.0
"""Seconds."""


@contextmanager
def leased(backend: Backend, name: str, release_id: str, *, ends: bool = True) -> Iterator[None]:
    """Renew a lease from a thread until the context ends; end it at once where the draw failed, if `ends`.

    A renewal that is under way is waited for, so that nobody closes the store under it; not for ever, should the
    database have gone away.
    """
    over = threading.Event()
    thread = threading.Thread(target=_renew, args=(backend, name, release_id, over), daemon=True)
    thread.start()

    def stop() -> None:
        over.set()
        thread.join(PATIENCE)

    try:
        yield
    except BaseException:
        stop()  # a renewal after the end would make the lease anew
        if ends:
            with suppress(EdgeDPError), backend.session() as session:
                run(session, lease_end_script(name, release_id))
        raise
    stop()


def _renew(backend: Backend, name: str, release_id: str, over: threading.Event) -> None:
    while not over.wait(LEASE_RENEWAL):
        with suppress(EdgeDPError), backend.session() as session:
            run(session, lease_renewal_script(name, release_id))
