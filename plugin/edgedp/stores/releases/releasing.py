"""The one way that every release takes: plan, debit, project, draw, record, show."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from edgedp.ledger import ledger, registry, shares, sources
from edgedp.ledger.account import Account, account_of
from edgedp.ledger.backend import Row, Session
from edgedp.ledger.calendars.columns import has_dates_of
from edgedp.ledger.debits import debiting
from edgedp.ledger.debits.question import Question, asked_before
from edgedp.ledger.ledger import Debit, Kept, leased
from edgedp.ledger.rows import GraphRow, row_named
from edgedp.ledger.script import Outcome, Script, run
from edgedp.ledger.shares import DIRECT, Share
from edgedp.mechanisms import checks
from edgedp.release.plan import Kind, Plan
from edgedp.release.plan.named import meanings
from edgedp.release.release import Answer, Nodes, Release, answer_from_json
from edgedp.stores.releases import on_spark
from edgedp.stores.releases.opened import OpenedStore, nodes_named
from edgedp.stores.releases.resident import load_statements
from edgedp.stores.releases.trial import check_closed, check_engine, try_engine
from edgedp.words.errors import ParameterError, StoreError
from edgedp.words.refusals import constant_refusals
from edgedp.words.shown import shown
from edgedp.words.vocabulary import ReleaseEngine

if TYPE_CHECKING:
    from edgedp.mechanisms.adaptive.until_sure import Looked, Pay

WINDOW_OF_ADDRESS = (
    "a window is asked for, and the rows at the address have no dates of this calendar; ask without it, or drop the "
    "graph and register it with the column of its dates"
)
"""Before the debit: everything would be read at the price of a window."""

_log = logging.getLogger("edgedp.stores")


class ReleasingStore(OpenedStore):
    """What draws: each step of a release, from its options to what is shown."""

    _analyst: str = DIRECT
    """Who asks: whoever has opened the store, or the analyst of `edgedp.stores.people.asker.Asker`."""

    looked: Looked | None = None
    """Is told, while a release spends step by step, what was spent and how much of its list is expected to be right."""

    _ends_leases: bool = True
    """Whether a lease ends with its draw; a gateway ends it when the answer leaves."""

    def _release(
        self, kind: Kind, name: str, options: dict[str, Any], engine: ReleaseEngine, request_id: str | None
    ) -> Release:
        check_engine(engine, kind)
        if request_id is not None:
            checks.check_request_id(request_id)
        with self._session() as session:
            name, found = self._asked_of(session, name, engine, kind, options)
            before = None if request_id is None else asked_before(session, name, self._analyst, request_id)
            # A kept release is shown whatever became of the graph since.
            row = None if before else self._row_of_graph(session, name, found)
            asked = Question.read(session, name, kind, options, request_id, before, row)
            if row is None:
                return self._shown_again(session, name, asked.again(), self._kept(asked))
            planned = asked.plan(row.facts)
            self._prepare(session, row, planned, engine)
            planned = named_in(session, row, planned)
            debited = self._debit(session, row, planned, request_id)
            if isinstance(debited, Kept):
                return self._shown_again(session, name, planned, debited)
            account = account_of(name, planned.charges[-1].account)
            _log.info("debited release %s of %s", debited.release_id, shown(name))
            sys.audit("edgedp.reached", "debited")
            # The debit is committed: from here on a failure costs budget, never privacy.
            try:
                with leased(self._backend, account, debited.release_id, ends=self._ends_leases):
                    spending = Spending(self, session, row, planned, debited)
                    answer = self._draw(session, row, planned, engine, spending.further)
                    self._record(session, account, debited, answer)
            except StoreError as error:
                raise type(error)(f"{error} (release {debited.release_id} is debited)") from None
        _log.info("kept release %s of %s", debited.release_id, shown(name))
        return Release(answer, planned, private=True, receipt=spending.debited.receipt(name))

    def _asked_of(
        self, session: Session, name: str, engine: ReleaseEngine, kind: Kind, options: Mapping[str, Any]
    ) -> tuple[str, GraphRow | None]:
        """Refuse who may not ask of a graph; return its name, which may have been its address, and its row if read."""
        row = row_named(session, name)
        return (name if row else on_spark.name_at(session, name, engine, kind, options)), row

    def _row_of_graph(self, session: Session, name: str, found: GraphRow | None = None) -> GraphRow:
        """Return the row of a graph, as it was found; a refusal names none that the caller may not see."""
        return registry.known(session, name, found, anywhere=True)

    def _debit(self, session: Session, row: GraphRow, planned: Plan, request_id: str | None) -> Debit | Kept:
        release_id = ledger.new_release_id()
        script = debiting.debit_script(
            row, planned, release_id=release_id, request_id=request_id, by=session.by,
            at=ledger.now(), analyst=self._analyst,
        )  # fmt: skip
        outcome = self._run_debit(session, script)
        if outcome.name == script.done:
            return self._as_debited(session, row, planned, release_id, outcome)
        return ledger.judge(
            outcome.name, outcome.rows, name=row.name, plan=planned, request_id=request_id,
            analyst=self._analyst,
        )  # fmt: skip

    def _run_debit(self, session: Session, script: Script) -> Outcome:
        """Run the script of a debit; the ledgers that it finds go on from what this process has seen of them."""
        outcome = run(session, script, last=partial(self._remembered.compare, names=script.ledgers))
        if outcome.name == script.done:
            self._remembered.keep(outcome.last)
        return outcome

    def _debit_step(
        self, session: Session, row: GraphRow, planned: Plan, cost: int, before: int, release_id: str
    ) -> Debit | None:
        """Debit a further step of a release; None where it is refused, for whatever reason."""
        script = debiting.step_script(
            row,
            planned,
            cost,
            before,
            release_id=release_id,
            by=session.by,
            at=ledger.now(),
            analyst=self._analyst,
        )
        outcome = self._run_debit(session, script)
        return (
            self._as_debited(session, row, planned, release_id, outcome)
            if outcome.name == script.done
            else None
        )

    def _as_debited(
        self, session: Session, row: GraphRow, planned: Plan, release_id: str, outcome: Outcome
    ) -> Debit:
        """Return a committed debit; of several accounts the one of which the least is left stands for all."""
        if row.accounts is not None and planned.charges[-1].account == "edges":
            return Debit(release_id, *self._standing(session, row))
        share = outcome.rows.get("share_debit")
        account = Account.of(outcome.rows["account_debit"][0])
        return Debit(release_id, account, None if share is None else Share.of(share[0]))

    def _standing(
        self, session: Session, row: GraphRow
    ) -> tuple[Account, Share | None, tuple[dict[str, Any], ...]]:
        """Return the account of a graph of which the least is left, the caller's least share, and all accounts."""
        accounts = sources.standing(session, row)
        found = shares.of_analyst(session, row.name, self._analyst, row.ledgers) or {}
        told = tuple(sources.told_accounts(accounts))
        return accounts[sources.tightest(accounts)], found.get("edges"), told

    def _prepare(self, session: Session, row: GraphRow, planned: Plan, engine: ReleaseEngine) -> None:
        """Refuse, before a debit, what cannot be drawn here; no edge is told of."""
        check_closed(planned)
        if row.of is not None and any(each.account == "attributes" for each in planned.charges):
            raise sources.no_records(row)
        span = planned.facts.span
        if row.at_address and span is not None and not has_dates_of(row, span.calendar):
            raise ParameterError(WINDOW_OF_ADDRESS)
        load_statements()
        if row.at_address:
            on_spark.check_place(row, engine)
        if engine == "spark":
            self._check_affords(session, row, planned)  # before a session of Spark, whose start takes seconds
            on_spark.try_spark(planned, row)
        else:
            try_engine(planned, engine)
        if not row.at_address:
            session.prepare(row)
        elif engine != "spark":
            from edgedp.stores.releases.at_address import check_there

            check_there(row)

    def _check_affords(self, session: Session, row: GraphRow, planned: Plan) -> None:
        """Refuse what the debit would refuse now for its amount, of the share first."""
        shares.check_affords(session, row, self._analyst, planned)
        for charge in planned.first:
            several = charge.account == "edges" and row.accounts is not None
            names = row.ledgers if several else (account_of(row.name, charge.account),)
            found = [each for name in names for each in session.run("account_find", name=name)]
            ledger.check_fits(row.name, planned, charge, found)

    def _draw(self, session: Session, row: GraphRow, planned: Plan, engine: str, pay: Pay) -> Answer:
        from edgedp.mechanisms.sampling.words import SecureWords
        from edgedp.release.draw import draw

        with constant_refusals():
            if engine == "spark":
                answer: Answer = on_spark.draw(
                    planned,
                    row,
                    lambda: self._read(session, row, planned.facts.span, planned.facts.where),
                    pay,
                    self.looked,
                )
            else:
                with _reading(row):
                    projection = self._projected(session, row, planned, engine)
                sys.audit("edgedp.reached", "read")
                answer = draw(planned, projection, SecureWords(), pay, self.looked)
            answer = _titled(session, row, answer)
        sys.audit("edgedp.reached", "drawn")
        return answer

    def _record(self, session: Session, name: str, debited: Debit, answer: Answer) -> None:
        """Keep an answer, so that a lost one can be read again; only then is it shown."""
        kept_as = answer.to_json()
        script = ledger.answer_script(
            name, debited.release_id, kept_as, by=session.by, at=ledger.now(), ends_lease=self._ends_leases
        )
        if run(session, script).name != script.done:
            raise StoreError(ledger.ANSWER_GONE)
        sys.audit("edgedp.reached", "recorded")

    def _seen(self, row: Row) -> Row:
        """Return a debit's row as the caller may see it."""
        return row

    def _kept(self, asked: Question) -> Kept:
        """Return the release that a request has already, as the caller may see it."""
        return ledger.kept_of(self._seen(asked.before or {}), str(asked.request_id))

    def _shown_again(self, session: Session, name: str, drawn: Plan, answered: Kept) -> Release:
        """Return a kept release, with the account and the share as they stand now."""
        which = drawn.charges[-1].account
        row = row_named(session, name)
        beside: tuple[dict[str, Any], ...] = ()
        if row is None or row.accounts is None or which != "edges":
            account = ledger.find(session, account_of(name, which))
            share = shares.find(session, name, self._analyst, which)
        else:
            account, share, beside = self._standing(session, row)
        self._remembered.look(session, [account_of(name, which)])
        receipt = ledger.receipt(name, answered.release_id, account, share, beside)
        return Release(answer_from_json(answered.answer), drawn, private=True, receipt=receipt, kept=True)


def _reading(row: GraphRow) -> AbstractContextManager[None]:
    """Return what stands around the reading of a graph: at an address it may fail for what the rows are."""
    if not row.at_address:
        return nullcontext()
    from edgedp.stores.releases.at_address import refusals

    return refusals()


def _titled(session: Session, row: GraphRow, answer: Answer) -> Answer:
    """Return a drawn answer with the titles of the nodes that it lists, where the graph has titles: public facts."""
    if not isinstance(answer, Nodes) or not row.titled:
        return answer
    return answer.titled(session.titles(row, answer.shown_ids))


class Spending:
    """What a release that is being drawn has debited, and how it debits more.

    Attributes
    ----------
    debited : Debit
        The last one, with the account as it left it.
    """

    def __init__(
        self, store: ReleasingStore, session: Session, row: GraphRow, planned: Plan, debited: Debit
    ) -> None:
        self._store, self._session, self._row, self._planned = store, session, row, planned
        self._spent = planned.first[-1].cost
        self.debited = debited

    def further(self, cost: int) -> bool:
        """Debit a further step, committed before it is drawn; False where it is refused: what is paid for is shown."""
        found = self._store._debit_step(
            self._session, self._row, self._planned, cost, self._spent, self.debited.release_id
        )
        if found is None:
            return False
        self.debited, self._spent = found, self._spent + cost
        sys.audit("edgedp.reached", "stepped")
        return True


def named_in(session: Session, row: GraphRow, planned: Plan) -> Plan:
    """Return a plan with the nodes that it names as the graph has them."""
    if not planned.named:
        return planned
    return planned.naming(nodes_named(session, row, meanings(planned.named)))
