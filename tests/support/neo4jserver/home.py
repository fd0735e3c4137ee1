"""The folder a Neo4j runs in: configuration, plugins and the first password."""

from __future__ import annotations

import hashlib
import secrets
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

USER = "neo4j"

SETTINGS = {
    "server.default_listen_address": "127.0.0.1",
    "server.bolt.enabled": "true",
    "server.http.enabled": "false",
    "server.https.enabled": "false",
    "dbms.security.auth_enabled": "true",
    "dbms.usage_report.enabled": "false",
    # Without it LOAD CSV 'file:///' reads absolute paths of this machine.
    "server.directories.import": "import",
    "server.memory.pagecache.size": "256m",
    "db.tx_log.rotation.retention_policy": "1 files",
    # Bolt waits twice for 5 s of silence before it closes; nobody is left to talk to a test server.
    "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",
}


def prepare(home: Path, plugins: Iterable[Path]) -> str:
    """Lay out a home, or take one that was used before as it is, and return the password of ``neo4j``."""
    for name in ("conf", "data/dbms", "import", "logs", "plugins", "run"):
        (home / name).mkdir(parents=True, exist_ok=True)
    for jar in plugins:
        shutil.copy2(jar, home / "plugins")
    kept = home / "conf" / "password"
    if not kept.exists():
        password = secrets.token_urlsafe(18)
        kept.touch(mode=0o600)
        kept.write_text(password)
        (home / "data" / "dbms" / "auth.ini").write_text(_first_password(password))
    return kept.read_text()


def configure(home: Path, port: int, extra: Mapping[str, str]) -> None:
    """Write ``neo4j.conf``."""
    settings = SETTINGS | {"server.bolt.listen_address": f"127.0.0.1:{port}"} | dict(extra)
    (home / "conf" / "neo4j.conf").write_text("".join(f"{key}={value}\n" for key, value in settings.items()))


def _first_password(password: str) -> str:
    """Return the line that ``neo4j-admin dbms set-initial-password`` writes, without a JVM."""
    salt = secrets.token_bytes(32)
    rounds = 1024
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(rounds - 1):
        digest = hashlib.sha256(digest).digest()
    return f"{USER}:SHA-256,{digest.hex()},{salt.hex()},{rounds}:\n"
