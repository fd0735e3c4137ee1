"""``python tests/support/neo4jserver run``: a Neo4j to play with, until Ctrl-C."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from neo4jserver import AssemblyError, MissingToolError, StartError, start
from neo4jserver.server import DEFAULT_VERSION

BOLT = 7687
"""The port of Bolt that documentation is written with; another one is taken where somebody has it."""


@contextlib.contextmanager
def home_of(kept: Path | None, *, with_edgedp: bool) -> Iterator[Path]:
    """Hand out the folder to run in, with the plugin put there as on any server; a temporary one goes afterwards."""
    with contextlib.ExitStack() as stack:
        temporary = tempfile.TemporaryDirectory(prefix="edgedp-neo4j-", ignore_cleanup_errors=True)
        home = Path(stack.enter_context(temporary)) if kept is None else kept.expanduser().resolve()
        if with_edgedp:
            from edgedp.stores.neo4j.plugin import install

            (home / "conf").mkdir(parents=True, exist_ok=True)
            (home / "conf" / "neo4j.conf").touch()
            install(home)
        yield home


def main() -> int:
    """Start, say how to connect, wait for Ctrl-C or SIGTERM, stop."""
    parser = argparse.ArgumentParser(prog="neo4jserver", description=__doc__)
    parser.add_argument(
        "command", choices=("assemble", "run"), help="fill the cache only, or run a server as well"
    )
    parser.add_argument("--version", default=DEFAULT_VERSION, help="of Neo4j (default: %(default)s)")
    parser.add_argument(
        "--plugin", type=Path, action="append", default=[], help="a jar for plugins/; may be repeated"
    )
    parser.add_argument(
        "--with-edgedp", action="store_true", help="install edgedp's plugin, which 'make jar' builds"
    )
    parser.add_argument("--home", type=Path, help="a folder to keep; default: a temporary one")
    parser.add_argument(
        "--port", type=int, default=BOLT, help="of Bolt, where it is free (default: %(default)s)"
    )
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with (
            home_of(arguments.home, with_edgedp=arguments.with_edgedp) as home,
            start(
                arguments.version, plugins=arguments.plugin, home=home, port=arguments.port, jvm=()
            ) as server,
        ):
            if arguments.command == "run":
                print(f"export NEO4J_URI={server.uri}")
                print(f"export NEO4J_USERNAME={server.user}")
                print(f"export NEO4J_PASSWORD={server.password}")
                kept = (
                    "is removed then"
                    if arguments.home is None
                    else f"is kept: --home {shlex.quote(str(home))}"
                )
                plugin = "with edgedp's plugin" if arguments.with_edgedp else "without edgedp's plugin"
                print(
                    f"# Neo4j {server.version} {plugin} runs in {server.home}; Ctrl-C stops it, the folder {kept}"
                )
                print(
                    "# paste the three lines into another shell, and 'edgedp graphs' asks this server",
                    flush=True,
                )
                signal.pause()
    except KeyboardInterrupt:
        return 0
    except (AssemblyError, MissingToolError, StartError, OSError, RuntimeError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
