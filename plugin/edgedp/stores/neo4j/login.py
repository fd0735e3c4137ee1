"""Who logs in to Neo4j: from the environment, as the Neo4j tools read it, or from a file that only its owner reads."""

from __future__ import annotations

import os
from pathlib import Path

from edgedp.words.errors import ParameterError


def user_and_password() -> tuple[str, str | None]:
    """Return ``NEO4J_USERNAME`` and ``NEO4J_PASSWORD``, or what the file of ``NEO4J_AUTH_FILE`` holds.

    The file holds ``user/password``, as the one that Neo4j's own image takes. The environment's password goes first;
    it is None where neither is set.

    Raises
    ------
    ParameterError
        The file cannot be read, or holds something else; its content is not shown.
    """
    user = os.environ.get("NEO4J_USERNAME") or "neo4j"
    password, file = os.environ.get("NEO4J_PASSWORD"), os.environ.get("NEO4J_AUTH_FILE")
    if password is not None or not file:
        return user, password
    try:
        named, slash, password = Path(file).read_text(encoding="utf-8").strip().partition("/")
    except (OSError, UnicodeDecodeError):
        raise ParameterError(
            "the file of NEO4J_AUTH_FILE cannot be read; name one that holds user/password"
        ) from None
    if not (slash and named and password):
        raise ParameterError(
            "the file of NEO4J_AUTH_FILE holds no user/password; write both into it, on one line"
        )
    return named, password
