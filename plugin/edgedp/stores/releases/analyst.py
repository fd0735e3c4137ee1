"""What an analyst asks of a store: releases, each debited before it is drawn."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, SupportsIndex, Unpack, cast

from edgedp.ledger import ledger, shares
from edgedp.ledger.account import Account, account_of
from edgedp.ledger.debits.question import Question, asked_before
from edgedp.mechanisms import checks
from edgedp.mechanisms.values import Mechanism
from edgedp.release.option import Windows, spelled_out
from edgedp.release.options import (
    CountOptions,
    DistributionOptions,
    MotkinOptions,
    StoredCountWords,
    StoredMotkinWords,
    StoredTopKWords,
    SummaryOptions,
    TopKOptions,
)
from edgedp.release.plan import Plan
from edgedp.release.release import Release
from edgedp.stores.releases import batch
from edgedp.stores.releases.estimating import estimate_of, kind_of_options
from edgedp.stores.releases.releasing import ReleasingStore, named_in
from edgedp.stores.releases.trial import check_engine
from edgedp.words.errors import EdgeDPError
from edgedp.words.vocabulary import (
    ACCOUNTS,
    AccountName,
    Approach,
    CountedName,
    CountName,
    DistributionForm,
    Engine,
    MechanismName,
    MetricName,
    NumberMechanismName,
    PercentileMechanism,
    ReleaseEngine,
    SamplerName,
    Sensitivity,
    TopKMetricName,
)

if TYPE_CHECKING:
    from edgedp.ledger.backend import Row, Session
    from edgedp.ledger.script import Runner
    from edgedp.ledger.shares import Share
    from edgedp.stores.releases.estimating import Estimate

_log = logging.getLogger("edgedp.stores")


class AnalystStore(ReleasingStore):
    """Every kind of release, by the one way that all take."""

    @spelled_out(TopKOptions, StoredTopKWords)
    def priv_top_k(
        self,
        name: str,
        metric: TopKMetricName,
        k: SupportsIndex,
        epsilon: Any,
        mechanism: MechanismName | Mechanism | None = None,
        *,
        engine: ReleaseEngine = "native",
        request_id: str | None = None,
        **options: Unpack[StoredTopKWords],
    ) -> Release:
        """Release the k nodes of highest metric of a stored graph; parameters as for `edgedp.priv_top_k`.

        Parameters
        ----------
        engine : {"native", "igraph", "spark"}
            What computes the private data; it does not change the law. Of edges at an address (`register_edges`), whose
            address stands for the name too, it is Spark; what that draws: `edgedp.spark.priv_top_k`.
        request_id : str, optional
            Asking again with the same identifier returns the kept release and costs nothing.
        window, windows : str, optional
            Of a graph with a calendar (docs/windows.md): the one window, or the windows from the first to the last
            (``"2024-01..2024-12"``, or both), that are read. Default: everything, at whatever time, which costs every
            window. A window may be asked for once it is over and its grace has passed.

        Raises
        ------
        BudgetError
            The release does not fit the budget; says what is left. Nothing was spent.
        """
        asked = {"metric": metric, "k": k, "epsilon": epsilon, "mechanism": mechanism, **options}
        return self._release("priv_top_k", name, asked, engine, request_id)

    @spelled_out(MotkinOptions, StoredMotkinWords)
    def motkin(
        self,
        name: str,
        metrics: Sequence[MetricName] = ("degree", "density"),
        k: SupportsIndex = 10,
        epsilon: Any = 1.0,
        approach: Approach = "pareto",
        sensitivity: Sensitivity | None = None,
        mechanism: MechanismName | Mechanism | None = None,
        *,
        engine: ReleaseEngine = "native",
        request_id: str | None = None,
        **options: Unpack[StoredMotkinWords],
    ) -> Release:
        """Release k nodes that are good in several metrics at once; parameters as for `edgedp.motkin`."""
        asked = {
            "metrics": metrics,
            "k": k,
            "epsilon": epsilon,
            "approach": approach,
            "sensitivity": sensitivity,
        }
        return self._release("motkin", name, asked | {"mechanism": mechanism, **options}, engine, request_id)

    @spelled_out(CountOptions, StoredCountWords)
    def count(
        self,
        name: str,
        of: CountName,
        epsilon: Any,
        mechanism: NumberMechanismName | None = None,
        *,
        engine: ReleaseEngine = "native",
        request_id: str | None = None,
        **options: Unpack[StoredCountWords],
    ) -> Release:
        """Release one number of a stored graph; parameters as for `edgedp.count`, engine as for `priv_top_k`.

        A mechanism that needs a delta is refused: a ledger adds pure losses, or rho, and such a release has neither.
        """
        asked = {"of": of, "epsilon": epsilon, "mechanism": mechanism, **options}
        return self._release("count", name, asked, engine, request_id)

    @spelled_out(DistributionOptions, Windows)
    def distribution(
        self,
        name: str,
        of: CountedName = "degree",
        *,
        epsilon: Any,
        form: DistributionForm = "ccdf",
        cap: int | None = None,
        engine: ReleaseEngine = "native",
        request_id: str | None = None,
        **windows: Unpack[Windows],
    ) -> Release:
        """Release how the degrees of a stored graph are spread; parameters as for `edgedp.distribution`."""
        asked = {"of": of, "epsilon": epsilon, "form": form, "cap": cap, **windows}
        return self._release("distribution", name, asked, engine, request_id)

    @spelled_out(SummaryOptions, Windows)
    def summary(
        self,
        name: str,
        epsilon: Any,
        engine: Engine = "native",
        request_id: str | None = None,
        **windows: Unpack[Windows],
    ) -> Release:
        """Release what an owner publishes about a stored graph, for one debit; parameters as for `edgedp.summary`."""
        return self._release("summary", name, {"epsilon": epsilon, **windows}, engine, request_id)

    def percentile(
        self,
        name: str,
        property: str,
        q: Any,
        epsilon: Any,
        mechanism: PercentileMechanism | Mechanism = "pf",
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
        asked = {"property": property, "q": q, "epsilon": epsilon, "mechanism": mechanism, "sampler": sampler}
        return self._release("percentile", name, asked, "native", request_id)

    def estimate(
        self,
        name: str,
        kind: str | None = None,
        *,
        engine: ReleaseEngine = "native",
        request_id: str | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Tell what a release would cost and whether it would be refused; nothing is spent, written or read of edges.

        Parameters
        ----------
        name : str
        kind : str, optional
            The kind of release by its name or its command (``priv_top_k`` or ``topk``, ``motkin``, ...); it may be left
            out where the options tell.
        engine, request_id
            As of the release.
        **options
            Those of the release.

        Returns
        -------
        dict
            epsilon (what it costs), epsilon_remaining, epsilon_remaining_after, releases_left (how many like it fit the
            account, and an analyst's share),
            refused (why the release would be refused, or None), noise (a list: on what, and its scale where that is
            public), parameters, public, and the account.

        Raises
        ------
        UnknownNameError
            There is no such graph or kind of release. What is wrong with the options stands in ``refused``.

        Notes
        -----
        Privacy: it rests on public facts alone, so it never tells whether the graph keeps its degree bound.

        Examples
        --------
        >>> import tempfile, edgedp
        >>> with tempfile.TemporaryDirectory() as folder, edgedp.open_store(f"{folder}/store") as store:
        ...     _ = store.load(edgedp.Graph.from_edges([(1, 2), (2, 3)]), "path", epsilon_budget=1)
        ...     told = store.estimate("path", metric="degree", k=1, epsilon=0.3)
        >>> told["epsilon"], told["epsilon_remaining_after"], told["releases_left"], told["refused"]
        (0.3, 0.7, 3, None)
        """
        with self._session(reading=True) as session:
            told, share = self._estimated(session, session, name, kind, engine, request_id, options)
        return told.to_dict() | ({} if share is None else {"share": share.shown()})

    def plan_batch(self, releases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Tell what several releases would cost, asked in their order, and which would be refused; nothing is spent.

        Parameters
        ----------
        releases : list of mapping
            Each with ``graph``, ``kind`` (as of `estimate`), the options of its kind and, where wanted, ``request_id``
            and ``engine``.

        Returns
        -------
        dict
            releases: each with epsilon (the most that it would cost), kept, refused (why, or None) and
            epsilon_remaining_after; accounts: the sum of each account that they debit; refused: how many are.

        Raises
        ------
        EdgeDPError
            The list is none, a request id stands twice, or a graph or kind of release is not known.

        Notes
        -----
        Privacy: as of `estimate`. A release that would be refused pays nothing, and those after it are estimated
        without it.

        Examples
        --------
        >>> import tempfile, edgedp
        >>> asked = {"graph": "path", "kind": "topk", "metric": "degree", "k": 1, "epsilon": "0.6"}
        >>> with tempfile.TemporaryDirectory() as folder, edgedp.open_store(f"{folder}/store") as store:
        ...     _ = store.load(edgedp.Graph.from_edges([(1, 2), (2, 3)]), "path", epsilon_budget=1)
        ...     told = store.plan_batch([asked, asked])
        >>> [each["refused"] is None for each in told["releases"]], told["accounts"][0]["epsilon"]
        ([True, False], 0.6)
        """
        asked = batch.checked(releases)
        with self._session(reading=True) as session:
            seen, found = batch.AsIf(session, self._analyst), []
            for each in asked:
                options = {key: value for key, value in each.items() if key not in batch.OWN}
                request_id, engine = (
                    each.get("request_id"),
                    cast(ReleaseEngine, "native" if each.get("engine") is None else each["engine"]),
                )
                try:
                    told, _ = self._estimated(
                        session, seen, each["graph"], each.get("kind"), engine, request_id, options
                    )
                except EdgeDPError as error:
                    raise type(error)(f"{batch.which(asked, each)}: {error}") from None
                seen.pay(told)
                found.append((each, told))
        return batch.planned(found)

    def _estimated(
        self,
        session: Session,
        seen: Runner,
        name: str,
        kind: str | None,
        engine: ReleaseEngine,
        request_id: str | None,
        options: Mapping[str, Any],
    ) -> tuple[Estimate, Share | None]:
        """Return an estimate, from accounts and shares as `seen` has them, and the caller's share."""
        if request_id is not None:
            checks.check_request_id(request_id)
        asked_kind = kind_of_options(kind, options)
        check_engine(engine, asked_kind)
        name, there = self._asked_of(session, name, engine, asked_kind, options)
        row = self._row_of_graph(session, name, there)
        before = None if request_id is None else asked_before(session, name, self._analyst, request_id)
        asked = Question.read(seen, name, asked_kind, options, request_id, before, row)

        def planned() -> Plan:
            if before is None:
                return named_in(session, row, asked.plan(row.facts))
            same = asked.again()
            self._kept(asked)  # refuses one that was debited and has no answer
            return same

        def check(planned: Plan) -> None:
            self._prepare(session, row, planned, engine)
            shares.check_affords(seen, row, self._analyst, planned)

        rows, sound = {}, True
        for each in ACCOUNTS:
            for found in seen.run("account_find", name=account_of(name, each)):
                rows[each] = found
                sound = sound and bool(session.run("account_adds_up", name=account_of(name, each)))
        beside = None
        if row.accounts is not None:
            beside = [found for named in row.ledgers for found in seen.run("account_find", name=named)]
            if len(beside) < len(row.ledgers):
                raise ledger.account_gone(name)
            sound = sound and all(session.run("account_adds_up", name=each["name"]) for each in beside)
        own = shares.of_analyst(seen, name, self._analyst, None if row.accounts is None else row.ledgers)
        amounts = None if own is None else _in_currency(own, (*rows.values(), *(beside or ())))
        told = estimate_of(
            name, asked_kind, rows, planned, check,
            adds_up=sound, kept=before is not None, shares=amounts, beside=beside,
        )  # fmt: skip
        share = None if own is None else own.get(told.main)
        return replace(told, row=row), share


def _in_currency(own: Mapping[AccountName, Share], rows: Iterable[Row]) -> dict[AccountName, Account]:
    """Return what shares have of accounts; one that was declared before its account's delta changed has nothing."""
    deltas = {row["name"]: Account.of(row).delta for row in rows}
    return {
        each: share.amounts
        for each, share in own.items()
        if share.amounts.delta == deltas.get(account_of(share.name, each), share.amounts.delta)
    }
