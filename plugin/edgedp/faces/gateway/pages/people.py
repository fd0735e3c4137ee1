"""The curator's page of one person: tokens by their names, and sign-ins by a provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from edgedp.faces.gateway.door.observing import note_of
from edgedp.faces.gateway.door.problems import Problem
from edgedp.faces.gateway.pages.site import PageSet, first

if TYPE_CHECKING:
    from starlette.routing import Route

    from edgedp.faces.gateway.pages.site import Form, Visit
    from edgedp.stores import Store


class PersonPages(PageSet):
    """How somebody may sign in; never a token that was shown before."""

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [
            self._pages.page("/curator/people/tokens", "curator", self.tokens),
            self._pages.action("/curator/people/tokens", "curator", self.change),
        ]

    async def tokens(self, visit: Visit) -> Response:
        """Show the tokens and sign-ins of somebody."""
        return await self._tokens(visit, visit.request.query_params.get("name", ""))

    async def change(self, visit: Visit, form: Form) -> Response:
        """Make or end a token, declare or take away a sign-in; each ends in a page that may be loaded again."""
        given = {key: first(form, key) for key in ("what", "name", "token", "issuer", "subject")}
        until = first(form, "expires") or None
        name = given["name"]
        note_of(visit.request).more["changed"] = {
            key: given[key][:80] for key in ("what", "name", "token", "subject") if given[key]
        }
        try:
            made = await self._gateway.act(
                visit.request, visit.person, lambda store: _change(store, given, until)
            )
        except Problem as problem:
            if problem.status in (401, 404):
                raise
            return await self._tokens(visit, name, problem)
        if made is None:
            return RedirectResponse(f"/curator/people/tokens?name={quote(name, safe='')}", 303)
        token = made["token"]

        def kept() -> None:
            self._pages.sessions.hold(visit.session, {"name": f"{name}, {given['token']}", "token": token})

        await self._gateway.ask(kept)
        return RedirectResponse("/curator/people/token", 303)

    async def _tokens(self, visit: Visit, name: str, problem: Problem | None = None) -> Response:
        store = self._gateway.store

        def read() -> dict[str, Any]:
            own = [row for row in store.identities() if row["name"] == name]
            return {"tokens": store.tokens(name), "identities": own}

        found = await self._gateway.ask(read)
        return self._pages.show(visit, "curator/tokens.html", refused=problem,
            name=name, issuer=self._gateway.settings.oidc_issuer, **found,
        )  # fmt: skip


def _change(store: Store, given: dict[str, str], until: str | None) -> dict[str, Any] | None:
    match given["what"]:
        case "add-token":
            return store.add_token(given["name"], given["token"], until)
        case "revoke-token":
            store.revoke_token(given["name"], given["token"])
        case "add-identity":
            store.add_identity(given["name"], given["issuer"], given["subject"])
        case "remove-identity":
            store.remove_identity(given["issuer"], given["subject"])
        case _:
            raise Problem(422, "the form asks for something unknown; use the page", "ParameterError")
    return None
