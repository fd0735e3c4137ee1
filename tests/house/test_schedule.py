"""Which tests run in one process: the lists name modules that there are, and all that ask for a shared server."""

from __future__ import annotations

import re

from places import TESTS, files_of_tests
from schedule import GROUPS, LONG, group_of, in_turn

GROUPED = {name for names in GROUPS.values() for name in names}


def test_every_name_is_a_module() -> None:
    assert {name for name in (*GROUPED, *LONG) if f"test_{name}.py" not in files_of_tests()} == set()
    assert not GROUPED & set(LONG)


def test_what_asks_for_a_shared_server_is_in_a_group() -> None:
    asks = re.compile(r"\b(open_any|(any|bare|empty)_neo4j(_server)?|neo4j_server|neo4j_with_plugin): ")
    found = {
        file.stem.removeprefix("test_") for file in files_of_tests().values() if asks.search(file.read_text())
    }
    assert found - GROUPED == set()


def test_what_asks_for_spark_is_in_one_group() -> None:
    asks = re.compile(r"\bspark: Any\b")
    found = {name for name, file in files_of_tests().items() if asks.search(file.read_text(encoding="utf-8"))}
    assert len({group_of(name) for name in found}) == 1


def test_processes_of_a_whole_run_begin_elsewhere_and_collect_the_same() -> None:
    folders = [in_turn([str(TESTS)], {"workerid": f"gw{each}", "workercount": 3}) for each in range(3)]
    assert len({first for first, *_ in folders}) == 3
    assert {tuple(sorted(each)) for each in folders} == {tuple(sorted(folders[0]))}
    assert {str(file.parent) for file in files_of_tests().values()} <= set(folders[0])
