"""The package is replaced under a running process: what listens, or has debited, reads no file of it any more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
from edgedp import Graph, open_store
from edgedp.stores.releases import analyst, resident; from edgedp.stores.statements import queries

store = open_store(sys.argv[1])
graph = Graph.from_edges([(a, a % 7 + b) for a in range(20) for b in (1, 5)]).with_properties({"age": list(range(20))})
store.load(graph, "kite", epsilon_budget=99, attribute_epsilon_budget=99)
store.attribute("kite", "age", 0, 19, points=20)
before = set(sys.modules)
resident.load_everything()
assert not (sys.modules.keys() - before) & {"mcp", "mcp_types", "neo4j"}, "a start would take twice as long"

class Replaced:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("edgedp", "ladybug"):
            raise AssertionError(f"{name} is imported when it is too late")

def gone(*parts):
    raise AssertionError(f"{parts} is read when it is too late")

sys.meta_path.insert(0, Replaced())
queries.asset = gone
for metric in ("degree", "density", "ebc", "betweenness2"):
    for mechanism in ("em", "pf", "sld", None):
        store.priv_top_k("kite", metric, 2, 1, mechanism=mechanism)
for approach in ("pareto", "aggregate"):
    store.motkin("kite", k=2, epsilon=1, approach=approach)
for of in ("edges", "triangles", "wedges"):
    store.count("kite", of, 1)
store.distribution("kite", epsilon=1)
store.summary("kite", 1)
store.percentile("kite", "age", "0.5", 1)
print("all answered")
"""


def test_a_process_that_stays_reads_nothing_of_the_package_once_it_listens(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "store")], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "all answered", done.stderr[-2000:]


def test_every_statement_is_read_before_a_debit(tmp_path: Path) -> None:
    text = PROGRAM.replace("resident.load_everything()", "").replace(
        "sys.meta_path.insert(0, Replaced())", ""
    )
    begin, _, _ = text.partition("queries.asset = gone")
    program = begin + (
        "debit = analyst.AnalystStore._debit\n"
        "def late(*given):\n    queries.asset = gone\n    return debit(*given)\n"
        "analyst.AnalystStore._debit = late\n"
        "store.priv_top_k('kite', 'degree', 2, 1)\nprint('all answered')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "store")], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "all answered", done.stderr[-2000:]
