"""The pages of a gateway: HTML made on the server, for analysts and for the curator.

They show what the API shows and ask by the same way; nothing here knows more. A signed-in browser holds a
random cookie, the process holds the token that it stands for and asks the store at every request whose it is.
"""

from __future__ import annotations

from starlette.routing import Route

from edgedp.faces.gateway.pages.analyst import AnalystPages
from edgedp.faces.gateway.pages.curator import CuratorPages
from edgedp.faces.gateway.pages.more import MorePages
from edgedp.faces.gateway.pages.people import PersonPages
from edgedp.faces.gateway.pages.provider import ProviderPages
from edgedp.faces.gateway.pages.site import Pages

__all__ = ["Pages", "routes"]


def routes(pages: Pages) -> list[Route]:
    """Return the addresses of all pages."""
    parts = (
        pages,
        AnalystPages(pages),
        CuratorPages(pages),
        PersonPages(pages),
        MorePages(pages),
        ProviderPages(pages),
    )
    return [route for part in parts for route in part.routes()]
