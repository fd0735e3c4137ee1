"""Put the Neo4j plugin into a server's folders, take it out, and ask a server about it.

The plugin is a jar in ``plugins/`` and a few lines in ``conf/edgedp.conf``, which name the Python that
its workers run on: the one that installs it.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from edgedp.words.errors import StoreError
from edgedp.words.places import asset, expanded
from edgedp.words.version import __version__

if TYPE_CHECKING:
    from edgedp.ledger.backend import ServerPlugin
    from neo4j import Driver

_JAR_NAME = "edgedp-neo4j-{version}.jar"
_JAR_PATTERN = re.compile(r"edgedp-neo4j-(.+)\.jar")
_PYTHON_KEY = "worker.python"
_CONF_HEADER = "# Read by edgedp's Neo4j plugin; its keys are explained in docs/procedures.md.\n"


@dataclass(frozen=True)
class PluginFiles:
    """What of the plugin lies in a Neo4j home.

    Attributes
    ----------
    version : str or None
        Version of the jar in ``plugins/``; None where there is none.
    jar, conf : pathlib.Path or None
    python : str or None
        The interpreter that ``conf/edgedp.conf`` names.
    """

    version: str | None
    jar: Path | None
    conf: Path | None
    python: str | None


def plugin_jar() -> Path:
    """Return the jar of this version: from the wheel, or built in the checkout.

    Raises
    ------
    StoreError
        This installation has none.
    """
    name = _JAR_NAME.format(version=__version__)
    for folder in (asset("jar"), asset("plugin", "neo4j", "target")):
        if (folder / name).is_file():
            return folder / name
    raise StoreError(
        f"{name} is not in this installation; run 'make jar' in a checkout, which takes Maven, "
        "or install a wheel made by 'make wheel'"
    )


def install(home: str | os.PathLike[str], python: str = sys.executable) -> PluginFiles:
    """Copy the jar into a Neo4j home and name the Python of its workers; takes effect when Neo4j restarts.

    Parameters
    ----------
    home : path
        Folder of a Neo4j server, with ``conf/neo4j.conf``. Other keys of its ``conf/edgedp.conf`` stay.
    python : str
        Interpreter that has this package.

    Raises
    ------
    StoreError
        `home` is not a Neo4j home or cannot be written, or this installation has no jar.
    """
    folder = _checked_home(home)
    source = plugin_jar()
    try:
        (folder / "plugins").mkdir(exist_ok=True)
        for other in _jars(folder):
            if other.name != source.name:
                other.unlink()
        _replace(folder / "plugins" / source.name, source.read_bytes())
        conf = folder / "conf" / "edgedp.conf"
        kept = conf.read_text(encoding="utf-8") if conf.is_file() else _CONF_HEADER
        _replace(conf, _with_python(kept, python).encode())
    except OSError as error:
        raise _not_writable(folder, error) from None
    return installed_files(folder)


def uninstall(home: str | os.PathLike[str]) -> PluginFiles:
    """Remove the jar and ``conf/edgedp.conf`` from a Neo4j home; return what was there.

    Ledgers and registered graphs are in the database and stay.
    """
    folder = _checked_home(home)
    found = installed_files(folder)
    try:
        for jar in _jars(folder):
            jar.unlink()
        if found.conf is not None:
            found.conf.unlink()
    except OSError as error:
        raise _not_writable(folder, error) from None
    return found


def installed_files(home: str | os.PathLike[str]) -> PluginFiles:
    """Return what of the plugin lies in a Neo4j home."""
    folder = _checked_home(home)
    jar = next(iter(_jars(folder)), None)
    named = None if jar is None else _JAR_PATTERN.fullmatch(jar.name)
    conf = folder / "conf" / "edgedp.conf"
    if not conf.is_file():
        return PluginFiles(named and named[1], jar, None, None)
    return PluginFiles(named and named[1], jar, conf, _python_of(conf.read_text(encoding="utf-8")))


def server_plugin(driver: Driver, database: str | None = None) -> ServerPlugin:
    """Ask a running server for its plugin's version and whether its worker answers."""
    from neo4j.exceptions import ClientError

    from edgedp.ledger.backend import ServerPlugin

    try:
        row = driver.execute_query("CALL edgedp.graph.plugin()", database_=database).records[0]
    except ClientError as error:
        if error.code == "Neo.ClientError.Procedure.ProcedureNotFound":
            return ServerPlugin(None)
        raise StoreError(f"the server does not say whether it has the plugin: {error.message}") from None
    return ServerPlugin(row["version"], row["worker"], row["python"], row["problem"])


def _checked_home(home: str | os.PathLike[str]) -> Path:
    folder = expanded(home, "home")
    if not (folder / "conf" / "neo4j.conf").is_file():
        raise StoreError(
            f"the Neo4j home is {str(folder)!r}, must be a folder with conf/neo4j.conf; give the server's NEO4J_HOME"
        )
    return folder


def _jars(home: Path) -> list[Path]:
    """Return the plugin's jars of any version."""
    return sorted(jar for jar in (home / "plugins").glob("*.jar") if _JAR_PATTERN.fullmatch(jar.name))


def _replace(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; a running server keeps reading the old one."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        shutil.copymode(path, temporary) if path.exists() else os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


def _with_python(text: str, python: str) -> str:
    """Return a properties file with the interpreter's line in place of an old one."""
    lines = [line for line in text.splitlines() if _key(line) != _PYTHON_KEY]
    escaped = python.replace("\\", "\\\\")
    return "\n".join([*lines, f"{_PYTHON_KEY}={escaped}", ""])


def _python_of(text: str) -> str | None:
    for line in text.splitlines():
        if _key(line) == _PYTHON_KEY:
            return line.partition("=")[2].strip().replace("\\\\", "\\")
    return None


def _key(line: str) -> str:
    return line.partition("=")[0].strip()


def _not_writable(home: Path, error: OSError) -> StoreError:
    return StoreError(f"{home} cannot be written ({error.strerror}); run this as the user who owns it")
