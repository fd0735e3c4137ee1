"""The curator's pages: budgets, shares, who asked what, and who may ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from edgedp.faces.card.making import card_of
from edgedp.faces.card.showing import sections as card_sections
from edgedp.faces.gateway.api.wire import name_in
from edgedp.faces.gateway.door.observing import note_of
from edgedp.faces.gateway.door.problems import Problem, of_error
from edgedp.faces.gateway.pages.analyst import SHOWN, _asked, _title
from edgedp.faces.gateway.pages.plot import spending
from edgedp.faces.gateway.pages.site import Form, PageSet, Visit, first
from edgedp.stores.people.sessions import Session
from edgedp.words.errors import EdgeDPError
from edgedp.words.vocabulary import AccountName

if TYPE_CHECKING:
    from edgedp.stores import Store


class CuratorPages(PageSet):
    """Pages of whoever has a curator's token: public amounts and people, and no graph."""

    def routes(self) -> list[Route]:
        """Return the addresses."""
        page, action = self._pages.page, self._pages.action
        return [
            page("/curator", "curator", self.overview),
            page("/curator/graphs/{name}", "curator", self.graph),
            action("/curator/graphs/{name}", "curator", self.grant),
            page("/curator/graphs/{name}/card", "curator", self.card),
            page("/curator/people", "curator", self.people),
            page("/curator/people/log", "curator", self.log),
            page("/curator/people/revoke", "curator", self.revocation),
            page("/curator/people/token", "curator", self.token),
            action("/curator/people", "curator", self.change),
        ]

    async def overview(self, visit: Visit) -> Response:
        """Show every graph with its budget and what was granted of it."""
        store = self._gateway.store

        def read() -> list[dict[str, Any]]:
            return [{**row, "accounts": _accounts(row, store.grants(row["name"]))} for row in store.graphs()]

        return self._pages.show(visit, "curator/graphs.html", graphs=await self._gateway.ask(read))

    async def graph(self, visit: Visit) -> Response:
        """Show the shares of a graph, its spending and who asked what."""
        return await self._graph(visit)

    async def card(self, visit: Visit) -> Response:
        """Show what was promised and spent of a graph, for people outside; no answer and nothing of an edge."""
        name = name_in(visit.request)
        note_of(visit.request).graph = name
        made = await self._gateway.ask(lambda: card_of(self._gateway.store, name))
        return self._pages.show(
            visit, "curator/card.html", graph={"name": name}, sections=card_sections(made)
        )

    async def grant(self, visit: Visit, form: Form) -> Response:
        """Declare a share."""
        name, analyst = name_in(visit.request), first(form, "analyst")
        budget, limit = first(form, "epsilon_budget"), first(form, "max_epsilon_per_release") or None
        if first(form, "no_limit"):
            limit = "none"
        account = cast(AccountName, first(form, "account") or "edges")
        note = note_of(visit.request)
        note.graph = name
        if first(form, "what") == "revoke":
            return await self._revoke_share(visit, name, analyst)
        note.more["granted"] = {
            "analyst": analyst[:80],
            "account": account[:20],
            "epsilon_budget": budget[:40],
            "max_epsilon_per_release": (limit or "as it is")[:40],
        }
        try:
            await self._gateway.act(
                visit.request, visit.person, lambda store: store.grant(name, analyst, budget, limit, account)
            )
        except Problem as problem:
            return await self._graph(visit, problem)
        return RedirectResponse(f"/curator/graphs/{quote(name, safe='')}", 303)

    async def _revoke_share(self, visit: Visit, name: str, analyst: str) -> Response:
        note_of(visit.request).more["revoked"] = {"analyst": analyst[:80]}
        try:
            await self._gateway.act(
                visit.request, visit.person, lambda store: store.revoke_share(name, analyst)
            )
        except Problem as problem:
            return await self._graph(visit, problem)
        return RedirectResponse(f"/curator/graphs/{quote(name, safe='')}", 303)

    async def people(self, visit: Visit) -> Response:
        """Show who has or had a token."""
        return await self._people(visit)

    async def log(self, visit: Visit) -> Response:
        """Show who was added, given another token or revoked, when and by whom."""
        rows = await self._gateway.ask(self._gateway.store.people_log)
        return self._pages.show(
            visit, "curator/people_log.html", events=rows[: -SHOWN - 1 : -1], count=len(rows)
        )

    async def revocation(self, visit: Visit) -> Response:
        """Ask whether somebody is to be revoked for good."""
        name = visit.request.query_params.get("name", "")
        rows = await self._gateway.ask(self._gateway.store.analysts)
        if not any(row["name"] == name and not row["revoked"] for row in rows):
            raise Problem(
                404, "the person must have a valid token; see the list of people", "UnknownNameError"
            )
        curators = [row["name"] for row in rows if row["role"] == "curator" and not row["revoked"]]
        return self._pages.show(
            visit,
            "curator/revoke.html",
            name=name,
            own=name == visit.person.name,
            last=curators == [name],
        )

    async def token(self, visit: Visit) -> Response:
        """Show a new token, once: it is taken out of the session by this page."""
        made = await self._gateway.ask(lambda: self._pages.sessions.take(visit.session))
        if made is None:
            return RedirectResponse("/curator/people", 303)
        return self._pages.show(visit, "curator/token.html", name=made["name"], token=made["token"])

    async def change(self, visit: Visit, form: Form) -> Response:
        """Add somebody, give another token, or revoke; every change ends in a page that may be loaded again."""
        what, name, until = first(form, "what"), first(form, "name"), first(form, "expires") or None
        note_of(visit.request).more["changed"] = {"what": what[:20], "name": name[:80]}
        if what == "revoke" and first(form, "confirmed") != name:
            return RedirectResponse(f"/curator/people/revoke?name={quote(name, safe='')}", 303)
        try:
            made = await self._gateway.act(
                visit.request, visit.person, lambda store: _change(store, what, name, until)
            )
        except (EdgeDPError, Problem) as error:
            problem = of_error(error)
            if problem.status == 401:
                raise problem from None
            return await self._people(visit, problem)
        if made is None:
            return RedirectResponse("/curator/people", 303)
        answer = RedirectResponse("/curator/people/token", 303)
        sessions, session, token = self._pages.sessions, visit.session, made["token"]

        def kept() -> str | None:
            cookie = None
            shown_in = session
            if name == visit.person.name:  # this browser goes on with the new token
                sessions.close(session.cookie)
                cookie = sessions.open(token)
                shown_in = Session(cookie)
            sessions.hold(shown_in, {"name": name, "token": token})
            return cookie

        if (cookie := await self._gateway.ask(kept)) is not None:
            self._pages.set_cookie(answer, cookie)
        return answer

    async def _graph(self, visit: Visit, problem: Problem | None = None) -> Response:
        store, name = self._gateway.store, name_in(visit.request)
        query = visit.request.query_params
        paged, before = query.get("of", "edges"), query.get("before") or None

        def read() -> dict[str, Any]:
            facts = next((row for row in store.graphs() if row["name"] == name), None)
            if facts is None:
                raise Problem(
                    404, "the graph must be a stored one; see the list of graphs", "UnknownNameError"
                )
            people = [
                row["name"] for row in store.analysts() if row["role"] == "analyst" and not row["revoked"]
            ]
            accounts = _accounts(facts, store.grants(name))
            for account in accounts:
                at = before if account["name"] == paged else None
                found = store.asked(name, account["name"], SHOWN + 1, at)
                account["asked"] = [
                    row | {"title": _title(row), "asked": _asked(row)} for row in found[:SHOWN]
                ]
                account["before"] = found[SHOWN - 1]["release_id"] if len(found) > SHOWN else None
                account["first"] = at is None
            return {"graph": facts, "accounts": accounts, "analysts": people}

        found = await self._gateway.ask(read)
        for account in found["accounts"]:
            points = [(row["at"], row["epsilon_spent"]) for row in reversed(account["asked"])]
            account["plot"] = spending(points, account["epsilon_budget"])
        return self._pages.show(
            visit,
            "curator/graph.html",
            refused=problem,
            **found,
        )

    async def _people(self, visit: Visit, problem: Problem | None = None) -> Response:
        store = self._gateway.store

        def read() -> list[dict[str, Any]]:
            states = _states(store.tokens())
            return [row | {"state": states.get(row["name"], "no token")} for row in store.analysts()]

        rows = await self._gateway.ask(read)
        return self._pages.show(
            visit,
            "curator/people.html",
            refused=problem,
            people=rows,
        )


def _accounts(facts: Mapping[str, Any], grants: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the accounts of a graph, each with its amounts and shares; their epsilons are never added."""
    amounts: dict[AccountName, Any] = {"edges": facts}
    if "attributes" in facts:
        amounts["attributes"] = facts["attributes"]
    return [
        {
            "name": account,
            "epsilon_budget": found["epsilon_budget"],
            "epsilon_spent": found["epsilon_spent"],
            "problem": found.get("problem"),
            "grants": [row for row in grants if row["account"] == account],
        }
        for account, found in amounts.items()
    ]


def _states(tokens: list[dict[str, Any]]) -> dict[str, str]:
    """Return of everybody whether a token is good, and how many are; else that the last one expired."""
    good = Counter(row["name"] for row in tokens if row["state"] == "valid")
    over = {row["name"]: "expired" for row in tokens if row["state"] == "expired"}
    return over | {name: "valid" if count == 1 else f"{count} valid" for name, count in good.items()}


def _change(store: Store, what: str, name: str, until: str | None) -> dict[str, Any] | None:
    """Change a person; return what holds a new token."""
    match what:
        case "add-analyst":
            return store.add_analyst(name, until)
        case "add-curator":
            return store.add_curator(name, until)
        case "rotate":
            return store.rotate_analyst(name) if until is None else store.rotate_analyst(name, until)
        case "revoke":
            store.revoke_analyst(name)
            return None
        case _:
            raise Problem(422, "the form asks for something unknown; use the page", "ParameterError")
