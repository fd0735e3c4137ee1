"""``python tests/neo4jserver run``: a Neo4j to play with, until Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from neo4jserver import AssemblyError, MissingToolError, StartError, start
from neo4jserver.server import DEFAULT_VERSION


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
    parser.add_argument("--home", type=Path, help="a folder to keep; default: a temporary one")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with start(
            arguments.version, plugins=arguments.plugin, home=arguments.home, short_lived=False
        ) as server:
            if arguments.command == "run":
                print(f"export NEO4J_URI={server.uri}")
                print(f"export NEO4J_USERNAME={server.user}")
                print(f"export NEO4J_PASSWORD={server.password}")
                print(f"# Neo4j {server.version} runs in {server.home}; Ctrl-C stops it", flush=True)
                signal.pause()
    except KeyboardInterrupt:
        return 0
    except (AssemblyError, MissingToolError, StartError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
