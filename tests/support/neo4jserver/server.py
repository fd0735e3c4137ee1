"""Start, stop, kill and restart a Neo4j Community server."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import neo4j.exceptions

import neo4j
from neo4jserver import home as server_home
from neo4jserver.assembly import cache_folder, exclusively, library
from neo4jserver.toolchain import Java, java_for

DEFAULT_VERSION = "5.26.30"
NEWEST_VERSION = "2026.08.1"

START_SECONDS = 180
STOP_SECONDS = 40
ARCHIVE_SECONDS = 600
"""What a server that archives its classes may take to end: where it is killed, every start would try anew."""

WATCHDOG = Path(__file__).with_name("watchdog.py")
# A test's server lives for minutes: the second compiler, and threads that collect garbage, cost more than they give.
# With one compiler the JVM has 48 MB for compiled code, which the planner fills: it is thrown away and compiled again.
SHORT_LIVED = (
    "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
    "-XX:ReservedCodeCacheSize=240m", "-XX:CompileThresholdScaling=0.2",
)  # fmt: skip
# A statement is planned once in a server that many tests share, though every test puts another graph into the server
# and calls it by a name of another length.
SHARED_CONF = {"dbms.cypher.min_replan_interval": "1d", "internal.cypher.use_parameter_size": "false"}
OPENED_MODULES = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent", "java.lang")

# What a load and a read make the server's classes do.
TRAINING = (
    "CREATE CONSTRAINT FOR (n:N) REQUIRE n.id IS UNIQUE",
    "UNWIND range(1, 100) AS i CREATE (:N {id: i})",
    "UNWIND range(2, 100) AS i MATCH (a:N {id: i}), (b:N {id: i / 2}) MERGE (a)-[:R]->(b)",
    "MATCH (a:N) OPTIONAL MATCH (a)-[:R]-(b) RETURN a.id, collect(DISTINCT b.id), count { (a)--() }",
    "MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 50 ROWS",
)

_LISTED = """
SHOW INDEXES YIELD name, type, owningConstraint WHERE type <> 'LOOKUP'
RETURN name, owningConstraint IS NOT NULL
"""


class StartError(RuntimeError):
    """The server ended, or did not answer, while it was being started."""


class Server:
    """A Neo4j server of this process; it ends with it, whichever way that ends.

    Attributes
    ----------
    version, uri, user, password : str
        What a driver needs.
    home : pathlib.Path
        The folder with ``conf``, ``data``, ``import``, ``logs`` and ``plugins``.
    pid : int
        Process id of the JVM; a new one after a restart.
    """

    def __init__(
        self,
        version: str,
        home: Path,
        *,
        temporary: bool,
        plugins: Iterable[Path],
        conf: Mapping[str, str],
        jvm: Sequence[str] = SHORT_LIVED,
        port: int | None = None,
        patience: float = STOP_SECONDS,
    ):
        self.version = version
        self.home = home
        self.user = server_home.USER
        self.password = server_home.prepare(home, plugins)
        self.pid = 0
        self._temporary = temporary
        self._conf = dict(conf)
        self._jvm = tuple(jvm)
        self._patience = patience
        self._port = _free_port() if port is None or not _is_free(port) else port
        self._watchdog: subprocess.Popen[str] | None = None
        self._own: neo4j.Driver | None = None

    @property
    def uri(self) -> str:
        return f"neo4j://127.0.0.1:{self._port}"

    @property
    def auth(self) -> tuple[str, str]:
        return (self.user, self.password)

    @property
    def running(self) -> bool:
        return self._watchdog is not None and self._watchdog.poll() is None

    def driver(self, **settings: object) -> neo4j.Driver:
        """Return a driver of this server, to be closed by the caller."""
        return neo4j.GraphDatabase.driver(self.uri, auth=self.auth, **settings)

    def wipe(self, *, keep: Container[str] = (), spare: str = "false") -> None:
        """Delete every node, relationship, constraint and index.

        Constraints and indexes of these names stay, and nodes ``n`` of this Cypher predicate: after a
        change of schema the server compiles every statement again, which is most of a small test's time.
        """
        with self.session() as session:
            for name, of_constraint in session.run(_LISTED).values():
                if name not in keep:
                    session.run(f"DROP {'CONSTRAINT' if of_constraint else 'INDEX'} `{name}`").consume()
            clear = f"MATCH (n) WHERE NOT ({spare}) WITH n LIMIT 20000 DETACH DELETE n RETURN count(n)"
            while session.run(clear).single(strict=True).value() == 20_000:
                pass

    @contextlib.contextmanager
    def session(self) -> Iterator[neo4j.Session]:
        """Open a session of a driver that lives as long as the JVM: what is done between tests asks for no new one."""
        if self._own is None:
            self._own = self.driver(notifications_min_severity="OFF")
        with self._own.session() as session:
            yield session

    def restart(self, **conf: str) -> None:
        """Stop the server if it runs, and start it on the same home and port, with these settings added.

        A double underscore in a keyword is a dot: ``server__databases__read_only="neo4j"``.
        """
        self._end()
        self._conf |= {key.replace("__", "."): value for key, value in conf.items()}
        self._begin(_class_archive(self.version))

    def kill(self) -> None:
        """End the server as a power cut would (SIGKILL); :meth:`restart` brings it back."""
        if self.running:
            os.kill(self.pid, signal.SIGKILL)
        self._end()

    def stop(self) -> None:
        """End the server (SIGTERM, and SIGKILL should it not follow) and remove a temporary home."""
        self._end()
        if self._temporary:
            shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _begin(self, class_archive: Sequence[str]) -> None:
        """Launch the JVM under its watchdog and wait until Bolt answers."""
        server_home.configure(self.home, self._port, self._conf)
        log = self.home / "logs" / "neo4j.log"
        log.write_bytes(b"")  # a line of an earlier start would be taken for this one's
        console = self.home / "logs" / "console.log"
        command = [sys.executable, "-I", str(WATCHDOG), str(self._patience), str(console)]
        self._watchdog = subprocess.Popen(
            command + _java_command(self.version, self.home, [*self._jvm, *class_archive]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for the starter, who then stops the server in order
        )
        assert self._watchdog.stdout is not None
        self.pid = int(self._watchdog.stdout.readline())
        try:
            self._wait_until_it_answers(log, console)
        except BaseException:
            self._end()
            raise

    def _wait_until_it_answers(self, log: Path, console: Path) -> None:
        deadline = time.monotonic() + START_SECONDS
        while self.running and time.monotonic() < deadline:
            if "Started." in log.read_text() and self._answers():
                return
            time.sleep(0.05)
        state = "silent" if self.running else "ended"
        said = "\n".join((log.read_text() + console.read_text()).strip().splitlines()[-15:])
        raise StartError(
            f"Neo4j {self.version} is {state} while starting, must answer over Bolt; its last words:\n{said}"
        )

    def _answers(self) -> bool:
        """Ask once, without the driver's own retries."""
        try:
            with self.driver() as driver, driver.session() as session:
                session.run("RETURN 1").consume()
        except (neo4j.exceptions.ServiceUnavailable, neo4j.exceptions.TransientError):
            return False
        return True

    def _end(self) -> None:
        """Close the watchdog's pipe and wait until both are gone."""
        if self._own is not None:
            self._own.close()
            self._own = None
        if self._watchdog is not None:
            assert self._watchdog.stdin is not None
            assert self._watchdog.stdout is not None
            self._watchdog.stdin.close()
            self._watchdog.wait()
            self._watchdog.stdout.close()
            self._watchdog = None


def start(
    version: str = DEFAULT_VERSION,
    plugins: Iterable[Path] = (),
    extra_conf: Mapping[str, str] | None = None,
    home: Path | None = None,
    port: int | None = None,
    *,
    jvm: Sequence[str] = SHORT_LIVED,
) -> Server:
    """Start a Neo4j on a free loopback port, with auth on, and return when it answers over Bolt.

    Parameters
    ----------
    version : str
        A version of ``org.neo4j.app:neo4j-server``; assembled into the cache on first use.
    plugins : iterable of pathlib.Path
        Jars to copy into ``plugins/``.
    extra_conf : mapping, optional
        Lines of ``neo4j.conf``, over the defaults.
    home : pathlib.Path, optional
        A folder to run in and to keep; by default a temporary one that :meth:`Server.stop` removes.
    port : int, optional
        The port of Bolt, where it is free; by default any free one.
    jvm : sequence of str
        Options: `SHORT_LIVED` is best for minutes; none for benchmarks.

    Raises
    ------
    MissingToolError
        No Java, or no Maven; the message says what to install.
    AssemblyError, StartError
        What Maven or Neo4j said.
    """
    class_archive = _class_archive(version)
    return _start(version, plugins, extra_conf or {}, home, class_archive, port, jvm=jvm)


def _start(
    version: str,
    plugins: Iterable[Path],
    conf: Mapping[str, str],
    home: Path | None,
    class_archive: Sequence[str],
    port: int | None = None,
    *,
    jvm: Sequence[str] = SHORT_LIVED,
    patience: float = STOP_SECONDS,
) -> Server:
    folder = home if home is not None else Path(tempfile.mkdtemp(prefix="edgedp-neo4j-"))
    server = Server(
        version,
        folder,
        temporary=home is None,
        plugins=plugins,
        conf=conf,
        port=port,
        jvm=jvm,
        patience=patience,
    )
    try:
        server._begin(class_archive)
    except BaseException:
        server.stop()
        raise
    return server


def _java_command(version: str, home: Path, options: Sequence[str]) -> list[str]:
    """Name every jar in a fixed order, plugins last: a class archive holds for one class path only."""
    jars = sorted(library(version).glob("*.jar")) + sorted((home / "plugins").glob("*.jar"))
    main = "CommunityEntryPoint" if version.startswith("5.") else "Neo4jCommunity"
    opened = [f"--add-opens=java.base/{module}=ALL-UNNAMED" for module in OPENED_MODULES]
    return [
        str(java_for(version).executable),
        "-Xms256m",
        "-Xmx1g",
        *options,
        *opened,
        "-Dfile.encoding=UTF-8",
        "-classpath",
        os.pathsep.join(map(str, jars)),
        f"org.neo4j.server.{main}",
        f"--home-dir={home}",
        f"--config-dir={home / 'conf'}",
    ]


def _class_archive(version: str) -> list[str]:
    """Return the JVM options of the AppCDS archive; make it first if it is not there."""
    library(version)
    archive = cache_folder(version) / f"{library(version).name}-{_fingerprint(java_for(version))}.jsa"
    if not archive.exists():
        with exclusively(version):
            if not archive.exists():
                _train(version, archive)
    return [f"-XX:SharedArchiveFile={archive}", "-Xshare:auto", "-Xlog:disable", "-Xlog:all=error:stderr"]


def _train(version: str, archive: Path) -> None:
    """Run what every start runs, and what Cypher loads on its first statements, and archive the classes."""
    partial = archive.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    options = [f"-XX:ArchiveClassesAtExit={partial}", "-Xlog:disable"]
    with (
        _start(version, (), {}, None, options, patience=ARCHIVE_SECONDS) as server,
        server.driver() as driver,
        driver.session() as session,
    ):
        for statement in TRAINING:
            session.run(statement).consume()
    if partial.exists():  # a JVM without class data sharing starts slowly, and starts
        partial.rename(archive)


def _free_port() -> int:
    """Return a port that nobody listens on now (Neo4j, told 0, does not say which one it took)."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_free(port: int) -> bool:
    """Whether nobody listens on a port of this machine now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _fingerprint(java: Java) -> str:
    """Return a name for the runtime that the archive is good for."""
    return hashlib.sha256(f"{java.home}{java.version}".encode()).hexdigest()[:12]
