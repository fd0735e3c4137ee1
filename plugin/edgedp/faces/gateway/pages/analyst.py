"""The analyst's pages: graphs, asking, one's own releases."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, assert_never
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from edgedp.faces.gateway.api.wire import name_in
from edgedp.faces.gateway.door.problems import Problem, of_error
from edgedp.faces.gateway.kinds import ReleaseKind, kind_at, release_kinds
from edgedp.faces.gateway.pages.copies import copies
from edgedp.faces.gateway.pages.forms import fields, options_in
from edgedp.faces.gateway.pages.site import Form, PageSet, Visit, first, told
from edgedp.faces.timeline.made import Sequence as Lists
from edgedp.faces.timeline.made import sequences
from edgedp.faces.timeline.showing import picture
from edgedp.ledger import shares
from edgedp.release.plan import PublicFacts, plan
from edgedp.release.plan.facts import protects_more
from edgedp.release.plan.kept import weighting_shown
from edgedp.stores.people import plan_ids
from edgedp.stores.returned import release_of
from edgedp.words.amounts.epsilon import NANO
from edgedp.words.dates.calendar import calendar_kept
from edgedp.words.errors import EdgeDPError, StoreError
from edgedp.words.shown import csv_line
from edgedp.words.vocabulary import ACCOUNTS, AccountName

if TYPE_CHECKING:
    from edgedp.release.release import Release

SHOWN = 200
"""Releases that a page lists; a link leads to those before."""

_HIDDEN = ("version",)

_REVIEWED_BEFORE = (
    "what was shown has changed since, or was shown more than 15 minutes ago, and nothing was spent; see again what "
    "it costs"
)

_BEING_DRAWN = "this release is paid for and is being drawn; look for it among your releases"

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a text begins with that a spreadsheet would run or read as something else."""


class AnalystPages(PageSet):
    """Pages of whoever has an analyst's token."""

    def routes(self) -> list[Route]:
        """Return the addresses."""
        page, action = self._pages.page, self._pages.action
        return [
            page("/graphs", "analyst", self.graphs),
            page("/graphs/{name}", "analyst", self.graph),
            action("/graphs/{name}", "analyst", self.ask),
            page("/graphs/{name}/over-time", "analyst", self.over_time),
            page("/releases", "analyst", self.releases),
            page("/releases/{release_id}", "analyst", self.release),
            page("/releases/{release_id}/json", "analyst", self.as_json),
            page("/releases/{release_id}/csv", "analyst", self.as_csv),
        ]

    async def graphs(self, visit: Visit) -> Response:
        """Show all graphs, and the share of each."""
        asking = self._gateway.asking(visit.person)
        rows = await self._gateway.ask(asking.graphs)
        rows.sort(key=lambda row: (row["share"] is None, row["name"]))
        return self._pages.show(visit, "graphs.html", graphs=rows)

    async def graph(self, visit: Visit) -> Response:
        """Show a graph and the form to ask with."""
        given = {key: visit.request.query_params.getlist(key) for key in visit.request.query_params}
        kind = _kind_of(given)
        return await self._asking(visit, kind, {key: value for key, value in given.items() if key != "kind"})

    async def ask(self, visit: Visit, form: Form) -> Response:
        """Show what a request would cost, or take the release; it is the form's last button that spends."""
        kind, name = _kind_of(form), name_in(visit.request)
        try:
            options = options_in(kind, form)
            if form.get("step") != ["release"]:
                return await self._reviewed(visit, kind, name, form, options)
            request_id, plan_id = first(form, "request_id") or None, first(form, "plan_id") or None
            release = await self._gateway.release(
                visit.request, visit.person, kind, name, options, request_id, plan_id
            )
        except (EdgeDPError, Problem) as error:
            problem = of_error(error)
            if problem.status in (401, 404, 429):
                raise problem from None
            if problem.detail in plan_ids.TO_PLAN_AGAIN:
                problem = Problem(problem.status, _REVIEWED_BEFORE, problem.kind)
            elif problem.kind == "BeingDrawnError":  # the button was pressed twice
                problem = Problem(problem.status, _BEING_DRAWN, problem.kind)
            return await self._asking(visit, kind, form, problem=problem)
        return RedirectResponse(f"/releases/{quote(release.receipt['release_id'])}", 303)

    async def over_time(self, visit: Visit) -> Response:
        """Show the analyst's own lists of windows of a graph, one after the other."""
        name, asking = name_in(visit.request), self._gateway.asking(visit.person)
        rows = await self._gateway.ask(lambda: asking.releases(name))
        problem, found = None, list[dict[str, Any]]()
        try:
            found = [_over_time(each) for each in sequences(rows)]
        except EdgeDPError as error:
            problem = str(error)
        return self._pages.show(visit, "over_time.html", name=name, sequences=found, problem=problem)

    async def releases(self, visit: Visit) -> Response:
        """List the analyst's own releases by pages: graph by graph, of each the newest first."""
        asking = self._gateway.asking(visit.person)
        since = visit.request.query_params.get("before") or None
        rows = await self._gateway.ask(lambda: asking.newest(SHOWN + 1, since))
        shown = [row | {"asked": _asked(row), "title": _title(row)} for row in rows[:SHOWN]]
        before = shown[-1]["release_id"] if len(rows) > SHOWN else None
        return self._pages.show(visit, "releases.html", releases=shown, first=since is None, before=before)

    async def release(self, visit: Visit) -> Response:
        """Show one release: the answer, what was asked, what was public."""
        row, release = await self._own(visit)
        kind = next(each for each in release_kinds() if each.kind == row["selector"])
        budget = await self._gateway.ask(lambda: self._gateway.asking(visit.person).graphs())
        facts = next((each for each in budget if each["name"] == row["graph"]), None)
        share = None if facts is None else _standing(facts, kind.account)["share"]
        options = {key: value for key, value in row["parameters"].items() if key not in _HIDDEN}
        return self._pages.show(
            visit,
            "release.html",
            row=row,
            share=share,
            title=_title(row),
            columns=[] if release is None else release.columns,
            rows=[] if release is None else release.answer.rows(),
            ranks_by=None if release is None else release.ranks_by,
            estimates=None if release is None else release.estimates,
            sentences=[] if release is None else release.sentences,
            options=options,
            copies=copies(kind, self._pages.address(visit.request), row["graph"], options),
        )

    async def as_json(self, visit: Visit) -> Response:
        """Send a release as a file."""
        row, _ = await self._own(visit)
        return _file(json.dumps(row, indent=2), "application/json", f"{row['release_id']}.json")

    async def as_csv(self, visit: Visit) -> Response:
        """Send the rows of a release as a file."""
        row, release = await self._own(visit)
        text = ""
        if release is not None:
            columns, rows = release.columns, release.answer.rows()
            lines = [columns, *([_spreadsheet(each[column]) for column in columns] for each in rows)]
            text = "".join(map(csv_line, lines))
        return _file(text, "text/csv", f"{row['release_id']}.csv")

    async def _own(self, visit: Visit) -> tuple[dict[str, Any], Release | None]:
        release_id = name_in(visit.request, "release_id")
        asking = self._gateway.asking(visit.person)
        row = await self._gateway.ask(lambda: asking.release(release_id))
        try:
            return row, release_of(row)
        except StoreError:
            return row, None  # debited and never drawn

    async def _asking(
        self, visit: Visit, kind: ReleaseKind, given: Form, problem: Problem | None = None, **review: Any
    ) -> Response:
        facts, declared = await self._facts(visit, name_in(visit.request))
        properties = [row["property"] for row in declared]
        shown = fields(kind, given, properties, facts.get("node_count"))
        debits = review.get("debits", [])
        return self._pages.show(
            visit,
            "graph.html",
            refused=problem,
            graph=facts,
            properties=declared,
            needs_property=kind.kind == "percentile" and not declared,
            accounts=[
                _beside(each, _standing(facts, each), debits, kind.account == each)
                for each in ACCOUNTS
                if each == "edges" or "attributes" in facts
            ],
            kinds=release_kinds(),
            kind=kind,
            fields=[field for field in shown if not field.advanced],
            advanced=[field for field in shown if field.advanced],
            opened=any(field.values for field in shown if field.advanced),
            review=review or None,
        )

    async def _reviewed(
        self, visit: Visit, kind: ReleaseKind, name: str, form: Form, options: dict[str, Any]
    ) -> Response:
        """Plan the request, which reads no edge, and show what would be left."""
        facts, _ = await self._facts(visit, name)
        asking = self._gateway.asking(visit.person)
        public = PublicFacts(
            facts["node_count"],
            facts["degree_bound"],
            delta_declared="delta" in facts,
            directed="directed" in facts,
            protect=facts.get("protect", "pair"),
            projection=facts.get("projection"),
            calendar=calendar_kept(facts["calendar"]) if "calendar" in facts else None,
            weighting=weighting_shown(facts),
            columns=facts.get("columns"),
            domains=await self._gateway.ask(lambda: asking.domains(name)),
        )
        planned = plan(kind.kind, options, public)
        debits = [
            _debit(charge.account, charge.cost, _standing(facts, charge.account))
            for charge in reversed(planned.charges)
        ]
        # What is left of windows, which node is meant on the graph's ids, and what a gateway, an agent's share and one
        # release allow: the store's to say.
        request_id = str(uuid.uuid4())
        told = await self._gateway.ask(
            lambda: asking.estimate(name, kind.kind, request_id=request_id, **options)
        )
        if public.calendar is not None or planned.facts.where:
            debits = [
                {**each, "left": None, "graph_left": told["epsilon_remaining_after"], "refused": None}
                for each in debits
            ]
        exact = "delta" not in facts
        refused = next(filter(None, (each["refused"] for each in debits)), None) if exact else None
        shown = told["parameters"] or planned.parameters
        options |= {key: shown[key] for key in ("node", "pair") if key in options}
        return await self._asking(
            visit,
            kind,
            form,
            cost=debits[0]["cost"],
            debits=debits,
            options={key: value for key, value in shown.items() if key not in _HIDDEN},
            protects=protects_more(planned.public),
            form={key: value for key, value in form.items() if key in options},
            request_id=request_id,
            plan_id=told.get("plan_id"),
            exact=exact,
            refused=refused or told["refused"],
            copies=copies(kind, self._pages.address(visit.request), name, options),
        )

    async def _facts(self, visit: Visit, name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Return the public facts of a graph, and the declared properties of its nodes."""
        store = self._gateway.store
        asking = self._gateway.asking(visit.person)

        def read() -> tuple[dict[str, Any], list[dict[str, Any]]]:
            with store.together():
                for row in asking.graphs():
                    if row["name"] == name:
                        return {**row, "epsilon_remaining": _remaining(row)}, asking.attributes(name)
            raise Problem(404, "the graph must be a stored one; see the list of graphs", "UnknownNameError")

        return await self._gateway.ask(read)


def _kind_of(given: Form) -> ReleaseKind:
    try:
        return kind_at((given.get("kind") or [release_kinds()[0].path])[0])
    except KeyError:
        raise Problem(404, "this kind of release does not exist", "UnknownNameError") from None


def _remaining(row: Mapping[str, Any]) -> float | None:
    budget = row["epsilon_budget"]
    return None if budget is None else max(_nano(budget) - _nano(row["epsilon_spent"]), 0) / NANO


def _standing(facts: Mapping[str, Any], account: AccountName) -> Mapping[str, Any]:
    """Return the amounts of one of a graph's accounts, with the analyst's share of it."""
    match account:
        case "edges":
            return facts
        case "attributes":
            nothing = {"epsilon_budget": None, "epsilon_spent": 0.0, "share": None}
            found = facts.get("attributes", nothing)
            return {**found, "epsilon_remaining": _remaining(found)}
    assert_never(account)


def _debit(account: AccountName, cost: int, standing: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a release would debit one account, and what would be left of it."""
    share = standing["share"]
    return {
        "account": account,
        "cost": cost / NANO,
        "left": None if share is None else _after(share["epsilon_remaining"], cost),
        "graph_left": _after(standing["epsilon_remaining"], cost),
        "refused": _refused(standing, cost),
    }


def _beside(
    account: AccountName, standing: Mapping[str, Any], debits: Sequence[Mapping[str, Any]], main: bool
) -> dict[str, Any]:
    """Return an account as it stands beside the form, with what the reviewed request would take of it."""
    debit = next((each for each in debits if each["account"] == account), None)
    return {
        "name": account,
        "share": standing["share"],
        "low": standing["share"] is not None and shares.running_low(standing["share"], "") is not None,
        "main": main,
        "pays": main or debit is not None,
        "cost": 0 if debit is None else debit["cost"],
        "left": None if debit is None else debit["left"],
    }


def _nano(epsilon: float) -> int:
    return round(epsilon * NANO)


def _after(left: float | None, cost: int) -> float | None:
    return None if left is None else (_nano(left) - cost) / NANO


def _refused(facts: Mapping[str, Any], cost: int) -> str | None:
    """Return why a release would be refused, as far as public amounts say; the store has the last word."""
    share = facts["share"]
    if share is None:
        return "You have no share of this budget. Ask the curator for one."
    limit = share["max_epsilon_per_release"]
    if limit is not None and cost > _nano(limit):
        return f"One release may cost at most {limit:g}. Ask for less."
    if cost > _nano(share["epsilon_remaining"] or 0):
        return "Your share does not allow this. Ask for less, or ask the curator for more."
    if facts["epsilon_remaining"] is None or cost > _nano(facts["epsilon_remaining"]):
        return "The graph's budget does not allow this, whatever your share is."
    return None


def _asked(row: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name} {told(value)}"
        for name, value in row["parameters"].items()
        if name not in ("epsilon", *_HIDDEN)
    )


def _title(row: Mapping[str, Any]) -> str:
    return next(
        (each.title for each in release_kinds() if each.kind == row["selector"]), str(row["selector"])
    )


def _spreadsheet(cell: object) -> object:
    """Return a cell that a spreadsheet takes for text and not for a formula: a text of one has a quote before it.

    Examples
    --------
    >>> _spreadsheet("=1+1"), _spreadsheet("ann"), _spreadsheet(-1)
    ("'=1+1", 'ann', -1)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def _file(text: str, kind: str, name: str) -> Response:
    return Response(text, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _over_time(lists: Lists) -> dict[str, Any]:
    """Return a sequence of lists as the page shows it."""
    rows = [
        {
            "windows": each.windows,
            "epsilon": each.epsilon,
            "release_id": each.release_id,
            "nodes": ", ".join(map(lists.named, each.nodes)),
            "came": ", ".join(map(lists.named, each.came(before))),
            "went": ", ".join(map(lists.named, each.went(before))),
        }
        for before, each in zip([None, *lists.lists[:-1]], lists.lists, strict=True)
    ]
    return {"question": lists.question, "picture": picture([lists]), "rows": rows}
