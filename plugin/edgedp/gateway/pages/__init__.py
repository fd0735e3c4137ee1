"""The pages of a gateway: HTML made on the server, for analysts and for the curator.

They show what the API shows and ask by the same way; nothing here knows more. A signed-in browser holds a
random cookie, the process holds the token that it stands for and asks the store at every request whose it is.
"""

from __future__ import annotations

from edgedp.gateway.pages.site import Pages

__all__ = ["Pages"]
