"""What an analyst asks of a store: releases, each debited before it is drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from edgedp import checks
from edgedp.errors import EngineError, StoreError
from edgedp.options import MotkinOptions, PercentileOptions, TopKOptions
from edgedp.plan import Kind, PercentilePlan, Plan, plan
from edgedp.projection import GraphProjection, records_projection
from edgedp.refusals import constant_refusals
from edgedp.release import Answer, Release, answer_from_json
from edgedp.stores import attributes, kept, ledger, registry
from edgedp.stores.account import Account, account_of
from edgedp.stores.backend import GraphRow, Row, Session
from edgedp.stores.killpoints import reach
from edgedp.stores.lease import leased
from edgedp.stores.ledger import Debit, Kept
from edgedp.stores.opened import OpenedStore
from edgedp.stores.script import run
from edgedp.stores.trial import try_engine
from edgedp.vocabulary import (
    ACCOUNTS,
    ENGINES,
    GRAPH_ENGINES,
    Approach,
    Engine,
    MechanismName,
    MetricForm,
    MetricName,
    ParetoForm,
    PercentileMechanism,
    Proxy,
    SamplerName,
    Sensitivity,
    Shift,
)

if TYPE_CHECKING:
    pass


__all__ = ["AnalystStore"]


class AnalystStore(OpenedStore):
    """Every kind of release, by the one way that all take."""

    def priv_top_k(
        self,
        name: str,
        metric: MetricName,
        k: int,
        epsilon: Any,
        mechanism: MechanismName | None = None,
        sampler: SamplerName | None = None,
        sensitivity_form: MetricForm | None = None,
        shift: Shift | None = None,
        proxy: Proxy | None = None,
        cap: int | None = None,
        estimates: bool = False,
        engine: Engine = "native",
        request_id: str | None = None,
    ) -> Release:
        """Release the k nodes of highest metric of a stored graph; parameters as for `edgedp.priv_top_k`.

        Parameters
        ----------
        engine : {"native", "igraph"}
            What computes the private data; it does not change the law.
        request_id : str, optional
            Asking again with the same identifier returns the kept release and costs nothing.

        Raises
        ------
        BudgetError
            The release does not fit the budget; says what is left. Nothing was spent.
        """
        return self._release("priv_top_k", name, TopKOptions.among(locals()), engine, request_id)

    def motkin(
        self,
        name: str,
        metrics: Sequence[MetricName] = ("degree", "density"),
        k: int = 10,
        epsilon: Any = 1.0,
        approach: Approach = "pareto",
        sensitivity: Sensitivity | None = None,
        mechanism: MechanismName | None = None,
        sampler: SamplerName | None = None,
        sensitivity_form: MetricForm | ParetoForm | None = None,
        shift: Shift | None = None,
        weights: Sequence[float] | None = None,
        estimates: bool = False,
        engine: Engine = "native",
        request_id: str | None = None,
    ) -> Release:
        """Release k nodes that are good in several metrics at once; parameters as for `edgedp.motkin`."""
        return self._release("motkin", name, MotkinOptions.among(locals()), engine, request_id)

    def percentile(
        self,
        name: str,
        property: str,
        q: Any,
        epsilon: Any,
        mechanism: PercentileMechanism = "pf",
        sampler: SamplerName | None = None,
        request_id: str | None = None,
    ) -> Release:
        """Release the percentile of a declared property of the nodes; parameters as for `edgedp.percentile`.

        Parameters
        ----------
        name : str
        property : str
            One that the curator has declared (`Store.attributes` lists them), with its range and grid.
        request_id : str, optional
            As of `priv_top_k`.

        Returns
        -------
        Release
            Its `value` is a point of the grid.

        Raises
        ------
        BudgetError
            The release does not fit the attributes' account, or, of a property that follows from the degree, the
            edges'. Nothing was spent of either.

        Notes
        -----
        Privacy: epsilon-DP where the whole record of one node is replaced, missing values included; the number of nodes
        is public. Of a property that follows from its node's own degree also 2 epsilon-edge-DP, which is debited too.
        """
        return self._release("percentile", name, PercentileOptions.among(locals()), "native", request_id)

    def _release(
        self, kind: Kind, name: str, options: dict[str, Any], engine: Engine, request_id: str | None
    ) -> Release:
        if checks.check_choice(engine, "engine", ENGINES) not in GRAPH_ENGINES:
            raise EngineError(
                "engine is 'cypher', must be native or igraph for a release: it is drawn from one reading; "
                "leave it out"
            )
        if request_id is not None:
            checks.check_request_id(request_id)
        with self._session() as session:
            if request_id is not None:
                asked_before = [
                    row
                    for account in ACCOUNTS
                    for row in session.run(
                        "request_find", name=account_of(name, account), requestId=request_id
                    )
                ]
                if asked_before:
                    return self._asked_again(session, name, asked_before[0], kind, options, request_id)
            row = registry.known(session, name)
            domains = attributes.declared(session, name) if kind == "percentile" else {}
            facts = dataclasses.replace(row.facts, domains=domains)
            planned = plan(kind, options, ledger.find(session, name).told(facts))
            try_engine(planned, engine)
            session.prepare(row)
            debited = self._debit(session, row, planned, request_id)
            if isinstance(debited, Kept):
                return _shown_again(session, name, planned, debited)
            reach("debited")
            # The debit is committed: from here on a failure costs budget, never privacy.
            try:
                with leased(self._backend, name, debited.release_id):
                    answer = self._draw(session, row, planned, engine)
                    self._record(session, _account(name, planned), debited, answer)
            except StoreError as error:
                raise type(error)(f"{error} (release {debited.release_id} is debited)") from None
        return Release(answer, planned, private=True, receipt=debited.receipt(name))

    def _debit(self, session: Session, row: GraphRow, planned: Plan, request_id: str | None) -> Debit | Kept:
        release_id = ledger.new_release_id()
        script = ledger.debit_script(
            row.name, row.version, planned, release_id=release_id, request_id=request_id, by=session.by,
            at=ledger.now(),
        )  # fmt: skip
        outcome = run(session, script)
        if outcome.name == script.done:
            return Debit(release_id, Account.of(outcome.rows["account_debit"][0]))
        return ledger.judge(outcome.name, outcome.rows, name=row.name, plan=planned, request_id=request_id)

    def _draw(self, session: Session, row: GraphRow, planned: Plan, engine: str) -> Answer:
        from edgedp.draw import draw
        from edgedp.sampling.words import SecureWords

        with constant_refusals():
            projection = self._projected(session, row, planned, engine)
            reach("read")
            answer = draw(planned, projection, SecureWords())
        reach("drawn")
        return answer

    def _projected(self, session: Session, row: GraphRow, planned: Plan, engine: str) -> GraphProjection:
        """Read what a plan rests on: the edges, or the nodes' records and no edge."""
        if not isinstance(planned, PercentilePlan):
            return GraphProjection(self._read(session, row), engine)
        values = session.records(row, planned.of_property)
        return records_projection({planned.of_property: values}, len(values))

    def _record(self, session: Session, name: str, debited: Debit, answer: Answer) -> None:
        """Keep an answer, so that a lost one can be read again; only then is it shown."""
        shown = answer.to_json()
        script = ledger.answer_script(name, debited.release_id, shown, by=session.by, at=ledger.now())
        if run(session, script).name != script.done:
            raise StoreError(ledger.ANSWER_GONE)
        reach("recorded")

    def _asked_again(
        self, session: Session, name: str, row: Row, kind: Kind, options: Mapping[str, Any], request_id: str
    ) -> Release:
        """Show the release that a request has already, whatever became of the graph since."""
        account = ledger.find(session, name)
        drawn = kept.same_question(
            row["body"], options, lambda asked, facts: plan(kind, asked, account.told(facts)), request_id,
            attributes.declared(session, name),
        )  # fmt: skip
        return _shown_again(session, name, drawn, ledger.kept_of(row, request_id))


def _account(name: str, planned: Plan) -> str:
    """Return the name of the account whose log holds a release."""
    return account_of(name, planned.charges[-1].account)


def _shown_again(session: Session, name: str, drawn: Plan, answered: Kept) -> Release:
    """Return a kept release, with the account as it stands now."""
    account = ledger.find(session, _account(name, drawn))
    receipt = {"graph": name, "release_id": answered.release_id} | account.shown()
    return Release(answer_from_json(answered.answer), drawn, private=True, receipt=receipt)
