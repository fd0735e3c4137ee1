"""What all pages share: templates, sign-in, the check of every form, the assets."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from edgedp.faces.gateway.api.schema import document
from edgedp.faces.gateway.door.observing import note_of
from edgedp.faces.gateway.door.problems import Problem
from edgedp.faces.gateway.pages.forms import form_of
from edgedp.stores.people.sessions import Session, Sessions
from edgedp.words.shown import amount, shown
from edgedp.words.version import __version__

if TYPE_CHECKING:
    from edgedp.faces.gateway.context import Gateway
    from edgedp.stores.people.people import Person

_NOT_VALID = "This token is not valid. Ask the curator for one."
_ASSETS = {"site.css": "text/css", "site.js": "text/javascript", "icon.svg": "image/svg+xml"}


@dataclass(frozen=True)
class Visit:
    """A request of somebody who is signed in."""

    request: Request
    person: Person
    session: Session


Form = Mapping[str, list[str]]
Shown = Callable[[Visit], Awaitable[Response]]
Posted = Callable[[Visit, Form], Awaitable[Response]]


def first(form: Form, name: str) -> str:
    """Return what a field of a form holds, without space around it; empty where it is not there."""
    return form.get(name, [""])[0].strip()


def told(value: object) -> str:
    """Return an option as people read it.

    Examples
    --------
    >>> told(True), told(["degree", "ebc"]), told("0.5")
    ('yes', 'degree, ebc', '0.5')
    """
    if isinstance(value, (list, tuple)):
        return ", ".join(map(told, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _cell(value: object, column: str) -> str:
    """Return a cell of an answer: six digits of a fraction, a number's name in words, nothing that is obeyed unseen."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return shown(str(value).replace("_", " ") if column == "number" else value)


@cache
def _templates() -> jinja2.Environment:
    """Return the compiled templates, which are the same for every gateway of a process."""
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("edgedp.faces.gateway.pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "amount": _amount,
        "cell": _cell,
        "part": lambda text: quote(str(text), safe=""),
        "told": told,
    }
    # All at once: the package may be replaced under a gateway, and a page of another version is no answer.
    for name in found.list_templates():
        found.get_template(name)
    return found


class Pages:
    """The pages of a gateway."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.sessions = Sessions(gateway.store, gateway.settings.session_seconds)
        below = gateway.settings.root_path.replace("/", "-")  # another gateway may be below the same host
        self._cookie = ("__Host-edgedp" if gateway.settings.secure else "edgedp-session") + below
        issuer = gateway.settings.oidc_issuer
        self._provider = None if issuer is None else urlsplit(issuer).hostname
        self._templates = _templates()
        folder = files("edgedp.faces.gateway.pages").joinpath("static")
        self._files = {name: folder.joinpath(name).read_bytes() for name in _ASSETS}

    def routes(self) -> list[Route]:
        """Return the addresses that serve both roles; `edgedp.faces.gateway.pages.routes` has all."""
        return [
            self.route("/", "GET", self._home),
            self.route("/assets/{file}", "GET", self._asset),
            self.route("/api", "GET", self._api),
            self.route("/sign-in", "GET", self._sign_in_page),
            self.route("/sign-in", "POST", self._sign_in),
            self.route("/sign-out", "POST", self.posted(None, self._sign_out)),
        ]

    def page(self, path: str, role: str, show: Shown) -> Route:
        """Return the route of a page that somebody of a role may see."""

        async def shown(request: Request) -> Response:
            visit = await self._visit(request, role)
            return self._sent_to_sign_in() if visit is None else await show(visit)

        return self.route(path, "GET", shown)

    def action(self, path: str, role: str, act: Posted) -> Route:
        """Return the route of a form that somebody of a role may send."""
        return self.route(path, "POST", self.posted(role, act))

    def posted(self, role: str | None, act: Posted) -> Callable[[Request], Awaitable[Response]]:
        """Check a form before anything is done: who sent it, from where, and that it is ours."""

        async def checked(request: Request) -> Response:
            self._check_origin(request)
            visit = await self._visit(request, role)
            if visit is None:
                return self._sent_to_sign_in()
            form = await form_of(request)
            if not hmac.compare_digest(form.get("csrf", [""])[0].encode(), visit.session.csrf.encode()):
                raise Problem(403, "the form is not of this session; open the page again", "AccessError")
            return await act(visit, form)

        return checked

    def render(
        self, request: Request, template: str, visit: Visit | None = None, status: int = 200, **values: Any
    ) -> HTMLResponse:
        """Return a page."""
        text = self._templates.get_template(template).render(
            person=None if visit is None else visit.person,
            csrf="" if visit is None else visit.session.csrf,
            path=request.scope["path"],
            root=self.gateway.settings.root_path,
            version=__version__,
            **values,
        )
        return HTMLResponse(text, status)

    def show(
        self, visit: Visit, template: str, refused: Problem | None = None, **values: Any
    ) -> HTMLResponse:
        """Return a page of somebody who is signed in; with ``error`` where a form was refused."""
        status, error = (200, None) if refused is None else (refused.status, refused.detail)
        return self.render(visit.request, template, visit, status, error=error, **values)

    def of_problem(self, request: Request, problem: Problem) -> Response:
        """Return the page of a problem."""
        page = self.render(
            request,
            "problem.html",
            status=problem.status,
            title=problem.body()["title"],
            detail=problem.detail,
        )
        for name, value in problem.headers.items():
            page.headers[name] = value
        return page

    def address(self, request: Request) -> str:
        """Return this gateway's address, as the browser called it."""
        scheme = "https" if self.gateway.settings.secure else "http"
        return f"{scheme}://{request.headers.get('host', '')}{self.gateway.settings.root_path}"

    # -- signing in ------------------------------------------------------------------------------

    async def _visit(self, request: Request, role: str | None) -> Visit | None:
        cookie = self.cookie_of(request)
        if not cookie:
            return None
        found: Session | None = None

        def whose() -> Person | None:
            nonlocal found
            known = self.sessions.find(cookie)
            if known is None:
                return None
            found, person = known
            return person

        try:
            person = await self.gateway.person(request, whose, role)
        except Problem as problem:
            if problem.status != 401:
                raise
            return None  # the session is over, or its token was rotated or revoked
        return None if found is None else Visit(request, person, found)

    async def _home(self, request: Request) -> Response:
        visit = await self._visit(request, None)
        if visit is None:
            return self._sent_to_sign_in()
        return RedirectResponse("/graphs" if visit.person.role == "analyst" else "/curator", 303)

    async def _sign_in_page(self, request: Request) -> Response:
        return self.render(request, "sign_in.html", error=None, provider=self._provider)

    async def _sign_in(self, request: Request) -> Response:
        self._check_origin(request)
        form = await form_of(request)
        token = form.get("token", [""])[0].strip()
        try:
            await self.gateway.person(request, self.gateway.bearer_of(token), None)
        except Problem as problem:
            if problem.status != 401:
                raise
            over = "expired" in problem.headers.get("WWW-Authenticate", "")
            told = f"{problem.detail[0].upper()}{problem.detail[1:]}." if over else _NOT_VALID
            return self.render(request, "sign_in.html", status=401, error=told, provider=self._provider)
        before = self.cookie_of(request)

        def signed_in() -> str:
            if before:
                self.sessions.close(before)
            return self.sessions.open(token)

        answer = RedirectResponse("/", 303)
        self.set_cookie(answer, await self.gateway.ask(signed_in))
        return answer

    def cookie_of(self, request: Request) -> str | None:
        """Return the session that a browser holds."""
        return request.cookies.get(self._cookie)

    def set_cookie(self, answer: Response, cookie: str) -> None:
        """Let a browser hold a session."""
        answer.set_cookie(
            self._cookie,
            cookie,
            path="/",
            secure=self.gateway.settings.secure,
            httponly=True,
            samesite="strict",
        )

    async def _sign_out(self, visit: Visit, form: Form) -> Response:
        await self.gateway.ask(lambda: self.sessions.close(visit.session.cookie))
        answer = RedirectResponse("/sign-in", 303)
        answer.delete_cookie(
            self._cookie, path="/", secure=self.gateway.settings.secure, httponly=True, samesite="strict"
        )
        return answer

    def _sent_to_sign_in(self) -> Response:
        return RedirectResponse("/sign-in", 303)

    def _check_origin(self, request: Request) -> None:
        """Refuse a form that another site sent: browsers say where it comes from."""
        origin = request.headers.get("origin")
        site = request.headers.get("sec-fetch-site")
        foreign = (
            origin is not None and urlsplit(origin).netloc.lower() != request.headers.get("host", "").lower()
        )
        if foreign or site not in (None, "same-origin", "none"):
            raise Problem(
                403, "the form was sent by another site; use the page of this gateway", "AccessError"
            )

    # -- what needs nobody signed in -------------------------------------------------------------

    async def _asset(self, request: Request) -> Response:
        name = request.path_params["file"]
        if name not in _ASSETS:
            raise Problem(404, "there is nothing at this address", "UnknownNameError")
        return Response(
            self._files[name], media_type=_ASSETS[name], headers={"Cache-Control": "public, max-age=3600"}
        )

    async def _api(self, request: Request) -> Response:
        described = document(self.gateway.settings.root_path)
        return self.render(request, "api.html", described=described, address=self.address(request))

    def route(self, path: str, method: str, endpoint: Callable[[Request], Awaitable[Response]]) -> Route:
        """Return a route whose requests are noted by its path."""

        async def noted(request: Request) -> Response:
            note_of(request).route = path
            return await endpoint(request)

        return Route(path, noted, methods=[method])


class PageSet:
    """Some pages of a gateway, which serve one role or one subject."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._gateway = pages.gateway


def _amount(value: Any) -> str:
    """Return an epsilon in at most six figures; the ledger's own integers decide, and nothing shown here does."""
    return amount(float(f"{value:.6g}") if isinstance(value, float) else value)
