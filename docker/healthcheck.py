"""Whether the container is healthy: the server answers, and so does the plugin's worker.

The password is read from the file that the server was given at its first start. Somebody may have changed it since:
then the login is refused, which shows that the server is there. It is not tried again until the file changes, for
repeated wrong logins would lock the user out; write the new password into the file, and the plugin is asked again.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import neo4j

BOLT = ("127.0.0.1", 7687)
SECRET = Path(os.environ.get("NEO4J_AUTH_FILE", "/run/secrets/neo4j_auth"))
REFUSED = Path("/tmp/edgedp-login-refused")  # noqa: S108 -- of the container, which has one user
SECONDS = 10


class UnhealthyError(Exception):
    """The container is not healthy; the message says why."""


def check(address: tuple[str, int] = BOLT, secret: Path = SECRET, refused: Path = REFUSED) -> str:
    """Return what makes the container healthy.

    Parameters
    ----------
    address : (host, port)
        Of Bolt.
    secret : pathlib.Path
        Holds ``USER/PASSWORD``.
    refused : pathlib.Path
        Remembers which state of the secret was refused.

    Raises
    ------
    UnhealthyError
        The server does not answer, has no plugin, or no worker answers.
    """
    try:
        state = str(secret.stat().st_mtime_ns)
        user, _, password = secret.read_text(encoding="utf-8").strip().partition("/")
    except OSError as error:
        raise UnhealthyError(f"{secret} cannot be read: {error.strerror}") from None
    if refused.is_file() and refused.read_text(encoding="utf-8") == state:
        return _greeted(address)
    try:
        row = _asked(address, user, password)
    except neo4j.exceptions.AuthError:
        refused.write_text(state, encoding="utf-8")
        return _greeted(address)
    except (neo4j.exceptions.Neo4jError, neo4j.exceptions.DriverError) as error:
        raise UnhealthyError(f"the plugin does not answer: {error}") from None
    if row["worker"] is None:
        raise UnhealthyError(f"no worker answers: {row['problem']}")
    return f"plugin {row['version']}, worker {row['worker']}"


def _asked(address: tuple[str, int], user: str, password: str) -> neo4j.Record:
    """Ask the plugin whether its worker answers; one try."""
    host, port = address
    with (
        neo4j.GraphDatabase.driver(
            f"bolt://{host}:{port}", auth=(user, password), connection_timeout=SECONDS,
            max_transaction_retry_time=0,
        ) as driver,
        driver.session() as session,
    ):  # fmt: skip
        return session.run("CALL edgedp.graph.plugin()").single(strict=True)


def _greeted(address: tuple[str, int]) -> str:
    """Speak the first words of Bolt, which need no login."""
    proposal = bytes.fromhex("6060b017") + bytes.fromhex("00000405") + bytes(12)
    try:
        with socket.create_connection(address, timeout=SECONDS) as connection:
            connection.sendall(proposal)
            answer = connection.recv(4)
    except OSError as error:
        raise UnhealthyError(f"the server does not answer: {error}") from None
    if len(answer) < 4 or not any(answer):
        raise UnhealthyError("the server does not speak Bolt")
    return f"the server answers, but its password is not that of {SECRET.name}: the plugin was not asked"


def main() -> int:
    """Print what was found; 0 is healthy."""
    try:
        said, status = check(), 0
    except UnhealthyError as error:
        said, status = str(error), 1
    print(said)  # noqa: T201 -- docker inspect shows it
    return status


if __name__ == "__main__":
    sys.exit(main())
