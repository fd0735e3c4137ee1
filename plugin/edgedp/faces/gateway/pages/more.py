"""The pages of asking for more: an analyst says how much and why, the curator grants or declines it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from edgedp.faces.gateway.api.wire import name_in
from edgedp.faces.gateway.door.observing import note_of
from edgedp.faces.gateway.door.problems import Problem
from edgedp.faces.gateway.pages.site import PageSet, first
from edgedp.mechanisms.checks import check_choice
from edgedp.words.vocabulary import ACCOUNTS

if TYPE_CHECKING:
    from starlette.routing import Route

    from edgedp.faces.gateway.pages.site import Form, Visit
    from edgedp.words.vocabulary import AccountName


class MorePages(PageSet):
    """Who asks for more, and what is answered: an analyst's own, and for the curator everybody's."""

    def routes(self) -> list[Route]:
        """Return the addresses."""
        page, action = self._pages.page, self._pages.action
        return [
            page("/more", "analyst", self.own),
            action("/graphs/{name}/more", "analyst", self.ask),
            page("/curator/more", "curator", self.all),
            action("/curator/more", "curator", self.answer),
        ]

    async def own(self, visit: Visit) -> Response:
        """Show what the analyst asked for, and what was answered."""
        return await self._own(visit)

    async def ask(self, visit: Visit, form: Form) -> Response:
        """Ask for a larger share of a graph."""
        name, asking = name_in(visit.request), self._gateway.asking(visit.person)
        account = cast("AccountName", first(form, "account") or "edges")

        def asked() -> object:
            check_choice(account, "account", ACCOUNTS)
            return asking.ask_more(name, first(form, "epsilon"), first(form, "reason"), account)

        try:
            await self._gateway.again(visit.request, visit.person, asked)
        except Problem as problem:
            if problem.status in (401, 404, 429):
                raise
            return await self._own(visit, problem)
        note_of(visit.request).graph = name
        return RedirectResponse("/more", 303)

    async def all(self, visit: Visit) -> Response:
        """Show the curator who asked for more."""
        return await self._all(visit)

    async def answer(self, visit: Visit, form: Form) -> Response:
        """Grant or decline."""
        what, id_ = first(form, "what"), first(form, "id")
        said, budget = first(form, "answer"), first(form, "epsilon_budget") or None
        if what not in ("grant", "decline"):
            raise Problem(422, "the form asks for something unknown; use the page", "ParameterError")
        granted = what == "grant"
        note_of(visit.request).more["changed"] = {"what": what, "id": id_[:40]}
        try:
            await self._gateway.act(
                visit.request,
                visit.person,
                lambda store: store.answer_more(
                    id_, grant=granted, answer=said, epsilon_budget=budget if granted else None
                ),
            )
        except Problem as problem:
            if problem.status == 401:
                raise
            return await self._all(visit, problem)
        return RedirectResponse(f"/curator/more?answered={quote(id_, safe='')}", 303)

    async def _own(self, visit: Visit, problem: Problem | None = None) -> Response:
        rows = await self._gateway.ask(self._gateway.asking(visit.person).asked_more)
        return self._pages.show(visit, "more.html", refused=problem,
            asked=rows[::-1],
        )  # fmt: skip

    async def _all(self, visit: Visit, problem: Problem | None = None) -> Response:
        rows = await self._gateway.ask(self._gateway.store.asked_more)
        return self._pages.show(visit, "curator/more.html", refused=problem,
            open=[row for row in rows if row["state"] == "open"],
            answered=[row for row in rows if row["state"] != "open"][::-1],
        )  # fmt: skip
