"""Signing in at a provider: a browser goes there and comes back as somebody whom the curator declared, or as nobody."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse, Response

from edgedp.faces.gateway.door.provider import Flow, Provider
from edgedp.faces.gateway.pages.site import PageSet
from edgedp.ledger import registry

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import Route

    from edgedp.faces.gateway.pages.site import Pages


BACK = "/sign-in/back"
"""Where the provider sends a browser back to."""


class ProviderPages(PageSet):
    """Two addresses, where the gateway was started with a provider; else none."""

    def __init__(self, pages: Pages) -> None:
        super().__init__(pages)
        settings = self._gateway.settings
        self._provider = Provider(settings) if settings.oidc_issuer else None
        below = settings.root_path.replace("/", "-")
        # Lax: the browser comes back from another site, and a Strict cookie would not come with it.
        self._cookie = ("__Host-edgedp-go" if settings.secure else "edgedp-go") + below

    def routes(self) -> list[Route]:
        """Return the addresses."""
        if self._provider is None:
            return []
        return [
            self._pages.route("/sign-in/go", "GET", partial(self.go, self._provider)),
            self._pages.route(BACK, "GET", partial(self.back, self._provider)),
        ]

    async def go(self, provider: Provider, request: Request) -> Response:
        """Send a browser to the provider, and give it what it must bring back."""
        redirect = self._redirect(request)

        def begun() -> tuple[str, str]:
            flow = Flow.begin(self._secret())
            return flow.cookie, provider.begin(flow, redirect)

        cookie, address = await self._gateway.sign_in(request, begun)
        answer = RedirectResponse(address, 303)
        answer.set_cookie(
            self._cookie, cookie, max_age=600, path="/", httponly=True, samesite="lax",
            secure=self._gateway.settings.secure,
        )  # fmt: skip
        return answer

    async def back(self, provider: Provider, request: Request) -> Response:
        """Sign in the person whom the curator declared to be the provider's subject."""
        redirect = self._redirect(request)
        cookie = request.cookies.get(self._cookie, "")
        given = {key: values[0] for key in ("code", "state", "iss", "error")
                 if len(values := request.query_params.getlist(key)) == 1}  # fmt: skip

        def ended() -> str:
            return provider.end(Flow(cookie, self._secret()), redirect, given)

        subject = await self._gateway.sign_in(request, ended)
        store, sessions = self._gateway.store, self._pages.sessions
        person = await self._gateway.person(
            request, lambda: store.signed_in(provider.issuer, subject), None, nobody=_stranger(subject)
        )
        before = self._pages.cookie_of(request)

        def signed_in() -> str:
            if before:
                sessions.close(before)
            return sessions.open_signed_in(provider.issuer, subject)

        opened = await self._gateway.ask(signed_in)
        # The session's cookie is Strict: a page of our own must ask for the next one, and no redirect from elsewhere.
        answer = self._pages.render(request, "signed_in.html", name=person.name)
        self._pages.set_cookie(answer, opened)
        answer.delete_cookie(
            self._cookie, path="/", httponly=True, samesite="lax", secure=self._gateway.settings.secure
        )
        return answer

    def _redirect(self, request: Request) -> str:
        return self._pages.address(request) + BACK

    def _secret(self) -> str:
        store = self._gateway.store
        with store._session() as session:
            return registry.secret(session)


def _stranger(subject: str) -> str:
    return (
        f"nobody here is {subject!r} of this provider; send the curator this name, who declares whose it is"
    )
