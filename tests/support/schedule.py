"""Which tests run in one process, and in which order: what shares a server together, what takes longest first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

GROUPS = {
    "Neo4j, stores": (
        "cypher_metrics", "attributes", "holes", "neo4j_facts", "neo4j_promises", "numbers_stored", "pages", "people",
        "remembered", "shares_machine", "store", "debiting", "address_windows", "neo4j_store", "shares",
        "neo4j_statements", "neo4j_machine", "neo4j_unauthenticated", "neo4jserver", "neo4j_plugin_newest", "neo4j_old",
        "neo4j_campaign",
    ),
    "Neo4j with the plugin": (
        "docker", "neo4j_plugin", "neo4j_plugin_before", "neo4j_plugin_docs", "real_arcs", "neo4j_accounts",
        "neo4j_pairs", "neo4j_reading", "neo4j_weights", "protect", "neo4j_windows", "neo4j_plugin_limits",
        "neo4j_plugin_ledger", "neo4j_plugin_worker",
    ),
    "Spark, and Neo4j in the second tier": (
        "spark", "spark_arcs", "spark_filters", "spark_projection", "spark_tables", "spark_windows", "gateway",
        "gateway_faults", "docs",
    ),
    "Browser, and the library of charts": ("doctests", "report", "gateway_pages", "gateway_doors"),
}  # fmt: skip
"""Modules that share a server or a session of Spark: a second one is half a minute of starting and compiling. A module
that lacks here costs that, and no more. A second browser is a second and a half. Of the first tier two groups start a
server. They run in the order that they are named in: what changes the schema of a server, after which it compiles
every statement anew, and then what kills it, comes last."""

LONG = (
    "mutants", "sabotage", "kernel_library", "wheel", "blackbox_releases", "site", "campaign",
)  # fmt: skip
"""Modules that take long, some in the second tier only, which the end of a run would wait for."""

_ORDER = {f"test_{name}.py": place for names in GROUPS.values() for place, name in enumerate(names)}
_GROUP = {f"test_{name}.py": group for group, names in GROUPS.items() for name in names}
_PLACE = {group: place for place, group in enumerate((*GROUPS, *(f"test_{name}.py" for name in LONG)))}


def group_of(file: str) -> str:
    """Return the group of a file of tests; one that shares no server is a group by itself.

    >>> group_of("tests/stores/test_store.py"), group_of("tests/graph/test_graph.py")
    ('Neo4j, stores', 'tests/graph/test_graph.py')
    """
    return _GROUP.get(Path(file).name, file)


def in_turn(arguments: list[str], process: Mapping[str, Any]) -> list[str]:
    """Return the folders to collect, beginning with another one in each process of a whole run.

    A module of tests is compiled by the process that comes first, so three that begin elsewhere compile a third each.

    >>> in_turn(["tests/graph/test_graph.py"], {"workerid": "gw1", "workercount": 3})
    ['tests/graph/test_graph.py']
    """
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        return arguments
    folders = sorted(str(path) for path in Path(arguments[0]).iterdir() if any(path.glob("*.py")))
    first = int(process["workerid"].removeprefix("gw")) * len(folders) // process["workercount"]
    return folders[first:] + folders[:first] or arguments


def put_in_order(items: list[pytest.Item]) -> None:
    """Put first what takes longest, and else go by the names of files: alike in every process."""

    def place(item: pytest.Item) -> tuple[int, int, Path]:
        file = item.path.name
        return _PLACE.get(_GROUP.get(file, file), len(_PLACE)), _ORDER.get(file, 0), item.path

    items.sort(key=place)


def by_group(config: pytest.Config, log: Any) -> Any:
    """Return the scheduler of pytest-xdist that hands out groups in the order of their first tests."""
    from xdist.scheduler import LoadFileScheduling

    class ByGroup(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid.split("::", 1)[0])

    config.option.loadscopereorder = False
    return ByGroup(config, log)
