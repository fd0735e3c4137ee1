"""The curator's pages: budgets, shares, who asked what, and who may ask."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from edgedp.errors import EdgeDPError
from edgedp.gateway.observing import note_of
from edgedp.gateway.pages.analyst import SHOWN, _asked, _title
from edgedp.gateway.pages.plot import spending
from edgedp.gateway.pages.site import Form, Pages, Visit
from edgedp.gateway.problems import Problem, of_error
from edgedp.gateway.wire import name_in

__all__ = ["CuratorPages"]


class CuratorPages:
    """Pages of whoever has a curator's token: public amounts and people, and no graph."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._gateway = pages.gateway

    def routes(self) -> list[Route]:
        """Return the addresses."""
        page, action = self._pages.page, self._pages.action
        return [
            page("/curator", "curator", self.overview),
            page("/curator/graphs/{name}", "curator", self.graph),
            action("/curator/graphs/{name}", "curator", self.grant),
            page("/curator/people", "curator", self.people),
            action("/curator/people", "curator", self.change),
        ]

    async def overview(self, visit: Visit) -> Response:
        """Show every graph with its budget and what was granted of it."""
        store = self._gateway.store

        def read() -> list[dict[str, Any]]:
            return [row | {"grants": store.grants(row["name"])} for row in store.graphs()]

        return self._pages.render(visit.request, "curator.html", visit, graphs=await self._gateway.ask(read))

    async def graph(self, visit: Visit) -> Response:
        """Show the shares of a graph, its spending and who asked what."""
        return await self._graph(visit)

    async def grant(self, visit: Visit, form: Form) -> Response:
        """Declare a share."""
        name, analyst = name_in(visit.request), _first(form, "analyst")
        budget, limit = _first(form, "epsilon_budget"), _first(form, "max_epsilon_per_release") or None
        note = note_of(visit.request)
        note.graph, note.more["granted"] = name, {"analyst": analyst[:80], "epsilon_budget": budget[:40]}
        try:
            await self._gateway.ask(
                lambda: self._gateway.store.grant(name, analyst, budget, max_epsilon_per_release=limit),
                missing=False,
            )
        except Problem as problem:
            return await self._graph(visit, problem)
        return RedirectResponse(f"/curator/graphs/{quote(name, safe='')}", 303)

    async def people(self, visit: Visit) -> Response:
        """Show who has or had a token."""
        return await self._people(visit)

    async def change(self, visit: Visit, form: Form) -> Response:
        """Add somebody, give another token, or revoke; a token is shown this once."""
        what, name, store = _first(form, "what"), _first(form, "name"), self._gateway.store
        note_of(visit.request).more["changed"] = {"what": what[:20], "name": name[:80]}
        made: dict[str, Any] | None = None
        try:
            match what:
                case "add-analyst":
                    made = await self._gateway.ask(lambda: store.add_analyst(name), missing=False)
                case "add-curator":
                    made = await self._gateway.ask(lambda: store.add_curator(name), missing=False)
                case "rotate":
                    made = await self._gateway.ask(lambda: store.rotate_analyst(name), missing=False)
                case "revoke":
                    await self._gateway.ask(lambda: store.revoke_analyst(name), missing=False)
                case _:
                    raise Problem(
                        422, "the form asks for nothing that there is; use the page", "ParameterError"
                    )
        except (EdgeDPError, Problem) as error:
            return await self._people(visit, of_error(error))
        if made is None:
            return RedirectResponse("/curator/people", 303)
        return self._pages.render(visit.request, "token.html", visit, name=name, token=made["token"])

    async def _graph(self, visit: Visit, problem: Problem | None = None) -> Response:
        store, name = self._gateway.store, name_in(visit.request)

        def read() -> dict[str, Any]:
            facts = next((row for row in store.graphs() if row["name"] == name), None)
            if facts is None:
                raise Problem(
                    404, "the graph must be a stored one; see the list of graphs", "UnknownNameError"
                )
            people = [
                row["name"] for row in store.analysts() if row["role"] == "analyst" and not row["revoked"]
            ]
            log = store.log(name)
            return {"graph": facts, "grants": store.grants(name), "analysts": people, "log": log}

        found = await self._gateway.ask(read)
        debits = [row for row in found.pop("log") if row["event"] == "debit"]
        asked = [
            {
                "at": row["at"],
                "who": row["analyst"] or "direct",
                "title": _title({"selector": row["details"]["kind"]}),
                "asked": _asked(row["details"]),
                "epsilon": row["epsilon"],
            }
            for row in debits[: -SHOWN - 1 : -1]
        ]
        points = [(row["at"], row["epsilon_spent"]) for row in debits]
        return self._pages.render(
            visit.request,
            "curator_graph.html",
            visit,
            status=200 if problem is None else problem.status,
            error=None if problem is None else problem.detail,
            plot=spending(points, found["graph"]["epsilon_budget"]),
            asked=asked,
            count=len(debits),
            **found,
        )

    async def _people(self, visit: Visit, problem: Problem | None = None) -> Response:
        rows = await self._gateway.ask(self._gateway.store.analysts)
        return self._pages.render(
            visit.request,
            "people.html",
            visit,
            status=200 if problem is None else problem.status,
            people=rows,
            error=None if problem is None else problem.detail,
        )


def _first(form: Form, name: str) -> str:
    return form.get(name, [""])[0].strip()
