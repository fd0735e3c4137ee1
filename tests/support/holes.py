"""What a hostile reading of 0.1.0 found, tried on whichever edgedp is on the path.

``python holes.py FOLDER [ADDRESS]``: every function tries one hole, by what 0.1.0 and later versions have in common,
and says whether it is open. A folder is for embedded stores; with an address the others are tried on that Neo4j. Prints
JSON, ``{name: true where open}``.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from edgedp import EdgeDPError, Graph, open_store

NODES = 7
KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 6), (6, 7)])
ASKED: dict[str, Any] = {"metric": "degree", "k": 1, "mechanism": "sld"}
PRESENT = find_spec("edgedp.words") is not None
"""Whether the package has its rooms; 0.1.0 has other places for the same names."""
DRAWING: Any = import_module("edgedp.release.draw" if PRESENT else "edgedp.draw")
TRIED: dict[str, Callable[[Any], bool]] = {}
ON_NEO4J: dict[str, Callable[[Any], bool]] = {}


def hole(work: Callable[[Any], bool]) -> Callable[[Any], bool]:
    TRIED[work.__name__] = work
    return work


def hole_of_neo4j(work: Callable[[Any], bool]) -> Callable[[Any], bool]:
    ON_NEO4J[work.__name__] = work
    return work


def forked(work: Callable[[], object]) -> None:
    """Do something in a fork, whatever becomes of it."""
    process = os.fork()
    if process == 0:
        try:
            with contextlib.suppress(EdgeDPError):
                work()
        finally:
            os._exit(0)
    os.waitpid(process, 0)


def shown(store: Any, epsilon: Any, most: int, **more: Any) -> int:
    """Ask again and again; return how many releases were shown."""
    count = 0
    for _ in range(most):
        try:
            store.priv_top_k("kite", **ASKED, epsilon=epsilon, **more)
            count += 1
        except EdgeDPError:
            break
    return count


def refused(work: Callable[[], object]) -> bool:
    try:
        work()
    except EdgeDPError:
        return True
    return False


@contextlib.contextmanager
def in_draw(work: Callable[[], object]) -> Iterator[None]:
    """Do something whenever a release of the kite is drawn, after its debit."""
    real, came = DRAWING.draw, []

    def drawn(planned: Any, projection: Any, *asked: Any) -> Any:
        if len(projection.node_ids) == NODES:  # not the graph that is tried before the debit
            came.append(True)
            work()
        return real(planned, projection, *asked)

    DRAWING.draw = drawn
    try:
        yield
    finally:
        DRAWING.draw = real
    assert came, "nothing was drawn: the hole was not tried"


@contextlib.contextmanager
def in_reading(work: Callable[[], object]) -> Iterator[None]:
    """Do something whenever an embedded store reads a graph for a release, after its debit."""
    try:
        from edgedp.stores.embedded.backend import EmbeddedSession
    except ImportError:
        from edgedp.stores.embedded import EmbeddedSession  # type: ignore[attr-defined,no-redef]
    real, came = EmbeddedSession.graph, []

    def read(session: Any, *asked: Any) -> Any:
        came.append(True)
        work()
        return real(session, *asked)

    EmbeddedSession.graph = read  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        EmbeddedSession.graph = real  # type: ignore[method-assign]
    assert came, "no graph was read: the hole was not tried"


def made(path: Path, budget: Any = 1, **more: Any) -> Any:
    store = open_store(path)
    store.load(KITE, "kite", epsilon_budget=budget, **more)
    return store


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


# -- the embedded store -----------------------------------------------------------------------------------


@hole
def a_second_path_and_a_kill_reset_the_ledger(folder: Path) -> bool:
    path, link = folder / "graphs.edgedp", folder / "link.edgedp"
    forked(lambda: made(path, 10))
    link.symlink_to(path.name)

    def killed() -> None:
        with in_reading(die):
            shown(open_store(link), 5, 1)

    forked(killed)
    return shown(open_store(path), 5, 3) + shown(open_store(link), 5, 3) > 2


@hole
def a_load_is_not_all_or_nothing(folder: Path) -> bool:
    larger = Graph.from_edges([(i, i + 1) for i in range(20_000)])
    for most in (100_000, 1_000_000):
        path = folder / str(most) / "graphs.edgedp"
        path.parent.mkdir()
        forked(lambda at=path: made(at))  # type: ignore[misc]
        limit = (path.stat().st_size if path.is_file() else 0) + most

        def cramped(at: Path = path, limit: int = limit) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            open_store(at).load(larger, "kite", replace=True)

        forked(cramped)
        store = open_store(path)
        try:
            named, there = store.graphs()[0]["node_count"], store.graph("kite").node_count
        except EdgeDPError:
            return True
        if named != there:
            return True
    return False


@hole
def a_flipped_bit_changes_the_budget(folder: Path) -> bool:
    budget, path = 1234567, folder / "graphs.edgedp"
    forked(lambda: made(path, budget))
    for file in [path] if path.is_file() else sorted(path.iterdir()):
        content = file.read_bytes()
        for order in ("little", "big"):
            at = content.find((budget * 10**9).to_bytes(8, order))  # type: ignore[arg-type]
            while at >= 0:
                changed = bytearray(content)
                changed[at + (3 if order == "little" else 4)] ^= 1
                file.chmod(0o600)
                file.write_bytes(changed)
                try:
                    if open_store(path).budget("kite")["epsilon_budget"] != budget:
                        return True
                except EdgeDPError:
                    pass
                file.write_bytes(content)
                at = content.find((budget * 10**9).to_bytes(8, order), at + 1)  # type: ignore[arg-type]
    return False


@hole
def the_ledger_is_locked_while_a_graph_is_read(folder: Path) -> bool:
    store, failed = made(folder / "graphs.edgedp"), []

    def beside() -> None:
        other = open_store(folder / "graphs.edgedp", lock_timeout=1)
        failed.append(refused(lambda: other.budget("kite")))

    with in_reading(beside):
        store.priv_top_k("kite", **ASKED, epsilon="0.25")
    return any(failed)


@hole
def an_empty_file_is_a_store(folder: Path) -> bool:
    (folder / "graphs.edgedp").touch()
    return not refused(lambda: open_store(folder / "graphs.edgedp").graphs())


@hole
def a_store_has_no_version(folder: Path) -> bool:
    path = folder / "graphs.edgedp"
    forked(lambda: made(path))
    return path.is_file()


@hole
def an_engine_that_is_missing_is_paid_for(folder: Path) -> bool:
    store = made(folder / "graphs.edgedp")
    sys.modules["numba"] = None  # type: ignore[assignment]
    try:
        store.priv_top_k("kite", metric="ebc", k=1, epsilon="0.25", mechanism="sld")
    except Exception:
        return bool(store.budget("kite")["epsilon_spent"] > 0)
    return False


@hole
def a_kept_release_is_shown_with_the_facts_of_today(folder: Path) -> bool:
    store = made(folder / "graphs.edgedp")
    asked = ASKED | {"epsilon": "0.25", "request_id": "monday"}
    before = store.priv_top_k("kite", **asked).to_dict()["public"]
    store.load(Graph.from_edges([(1, 2)]), "kite", replace=True)
    return bool(store.priv_top_k("kite", **asked).to_dict()["public"] != before)


@hole
def an_unknown_word_is_another_mechanism(folder: Path) -> bool:
    planning: Any = import_module("edgedp.release.plan" if PRESENT else "edgedp.plan")

    asked = {"metric": "degree", "k": 1, "epsilon": "0.1"}
    return not refused(lambda: planning.plan("priv_top_q", asked, planning.PublicFacts(9)))


@hole
def a_delta_that_promises_nothing_is_taken(folder: Path) -> bool:
    return not refused(lambda: made(folder / "graphs.edgedp", delta="0.9"))


@hole
def a_limit_above_the_budget_is_taken(folder: Path) -> bool:
    return not refused(lambda: made(folder / "graphs.edgedp", max_epsilon_per_release=2))


@hole
def a_request_id_has_no_end(folder: Path) -> bool:
    return shown(made(folder / "graphs.edgedp"), "0.25", 1, request_id="x" * 524_288) > 0


@hole
def who_did_what_is_not_told(folder: Path) -> bool:
    return not hasattr(made(folder / "graphs.edgedp"), "log")


@hole
def an_older_copy_is_taken_for_the_ledger(folder: Path) -> bool:
    return not hasattr(made(folder / "graphs.edgedp"), "backup")


def uncompiled(*given: Any, **_: Any) -> Any:
    return given[0] if given and callable(given[0]) else lambda function: function


@hole
def what_is_kept_is_named_by_a_hash_of_the_edges(folder: Path) -> bool:
    """A name that two stores of the same edges have in common can be computed by who guesses the edges."""
    # The kernels of 0.1.0, uncompiled: what they compute is the same.
    sys.modules["numba"] = SimpleNamespace(njit=uncompiled, prange=range)  # type: ignore[assignment]
    kept = []
    for each in ("one", "two"):
        os.environ["EDGEDP_CACHE"] = str(folder / each)
        made(folder / f"{each}.edgedp").motkin("kite", k=1, epsilon="0.25", engine="igraph")
        kept.append({path.name for path in (folder / each).rglob("*.profile")})
    assert all(kept), "profiles are kept"
    return bool(kept[0] & kept[1])


# -- Neo4j ------------------------------------------------------------------------------------------------

PEOPLE = """
UNWIND range(1, 7) AS ssn CREATE (:Person {ssn: ssn})
WITH count(*) AS made
UNWIND [[1, 2], [2, 3], [3, 1], [3, 4], [4, 5]] AS pair
MATCH (a:Person {ssn: pair[0]}), (b:Person {ssn: pair[1]}) CREATE (a)-[:LINKED_TO]->(b)
"""


class Database:
    """A database with people that the store did not write."""

    def __init__(self, address: str) -> None:
        import neo4j

        self.address = address
        user, password = os.environ["NEO4J_USERNAME"], os.environ["NEO4J_PASSWORD"]
        self.driver = neo4j.GraphDatabase.driver(
            address, auth=(user, password), notifications_min_severity="OFF"
        )

    def ask(self, statement: str) -> list[dict[str, Any]]:
        with self.driver.session() as session:
            return session.run(statement).data()

    def store(self) -> Any:
        return open_store(self.address, lock_timeout=20)

    def fresh(self) -> None:
        self.ask("MATCH (n) WHERE NOT n:EdgeDPSchema DETACH DELETE n")
        self.ask("CREATE CONSTRAINT person IF NOT EXISTS FOR (p:Person) REQUIRE p.ssn IS UNIQUE")
        self.ask(PEOPLE)

    def registered(self, budget: Any = 1) -> Any:
        store = self.store()
        store.register("kite", "Person", "LINKED_TO", "ssn", epsilon_budget=budget)
        return store

    def loaded(self, budget: Any = 1) -> Any:
        store = self.store()
        store.load(KITE, "kite", epsilon_budget=budget)
        return store


@hole_of_neo4j
def a_load_writes_into_a_registered_graph(database: Database) -> bool:
    store = database.registered()
    count = "MATCH ()-[r:LINKED_TO]->() RETURN count(r) AS n"
    before = database.ask(count)
    with contextlib.suppress(EdgeDPError):
        store.load(Graph.from_edges([(1, 5), (2, 5)]), "other", epsilon_budget=50, node_label="Person")
    return database.ask(count) != before


@hole_of_neo4j
def what_a_load_left_is_registered_afresh(database: Database) -> bool:
    """The process that drops a graph dies before it has removed the edges: here it only fails to do so."""
    backend: Any = import_module("edgedp.stores.neo4j.backend" if PRESENT else "edgedp.stores.neo4j")

    store = database.store()
    store.load(KITE, "kite", epsilon_budget=1, node_label="Kite", relationship_type="OWN")
    kept = backend.Neo4jSession.sweep
    backend.Neo4jSession.sweep = lambda *_: None
    try:
        store.drop("kite")
    finally:
        backend.Neo4jSession.sweep = kept
    database.ask("CREATE CONSTRAINT kite IF NOT EXISTS FOR (k:Kite) REQUIRE k.id IS UNIQUE")
    try:
        return not refused(lambda: store.register("fresh", "Kite", "OWN", "id", epsilon_budget=50))
    finally:
        database.ask("DROP CONSTRAINT kite")


@hole_of_neo4j
def nodes_that_were_added_are_not_noticed(database: Database) -> bool:
    store = database.loaded()
    (labels,) = database.ask("MATCH (n {id: 1}) WHERE NOT n:Person RETURN labels(n) AS l LIMIT 1")
    database.ask(f"UNWIND [8, 9] AS id CREATE (n:{':'.join(f'`{each}`' for each in labels['l'])} {{id: id}})")
    return shown(store, "0.25", 1) > 0


@hole_of_neo4j
def a_release_is_drawn_from_several_readings(database: Database) -> bool:
    return shown(database.loaded(), "0.25", 1, engine="cypher") > 0


@hole_of_neo4j
def a_node_without_an_id_drains_the_budget(database: Database) -> bool:
    store = database.registered()
    database.ask("CREATE (:Person)")
    with contextlib.suppress(Exception):
        store.priv_top_k("kite", **ASKED, epsilon="0.25")
    return bool(store.budget("kite")["epsilon_spent"] > 0)


@hole_of_neo4j
def its_own_ledger_can_be_registered(database: Database) -> bool:
    store = database.loaded()
    labels = {each for row in database.ask("MATCH (n) RETURN labels(n) AS l") for each in row["l"]}
    ledger = "EdgeDPLedger" if "EdgeDPLedger" in labels else "EdgeDPAccount"
    with contextlib.suppress(Exception):
        database.ask(f"CREATE (a:{ledger} {{name: 'x'}})-[:ANY]->(:{ledger} {{name: 'y'}})")
    return not refused(lambda: store.register("own", ledger, "ANY", "name", epsilon_budget=1))


@hole_of_neo4j
def a_ledger_that_was_edited_is_obeyed(database: Database) -> bool:
    store = database.loaded()
    assert shown(store, "0.75", 1) == 1
    database.ask("MATCH (n) WHERE n.spent = 750000000 SET n.spent = 0")
    return shown(store, "0.75", 1) > 0


@hole_of_neo4j
def a_release_that_is_being_drawn_is_told_to_be_lost(database: Database) -> bool:
    store = database.loaded()
    said: list[str] = []

    def beside() -> None:
        if said:
            return
        said.append("")
        try:
            with database.store() as other:
                other.priv_top_k("kite", **ASKED, epsilon="0.25", request_id="monday")
        except EdgeDPError as error:
            said.append(str(error))

    with in_draw(beside):
        store.priv_top_k("kite", **ASKED, epsilon="0.25", request_id="monday")
    return "being drawn" not in said[-1]


def main() -> None:
    warnings.simplefilter("ignore")
    folder, *addresses = sys.argv[1:]
    told: dict[str, Any] = {}

    def tell(name: str, work: Callable[[Any], bool], place: Any) -> None:
        try:
            told[name] = work(place)
        except Exception:
            told[name] = traceback.format_exc()[-800:]

    if not addresses:
        for name, work in TRIED.items():
            place = Path(folder) / name
            place.mkdir()
            tell(name, work, place)
    else:
        database = Database(addresses[0])
        for name, work in ON_NEO4J.items():
            database.fresh()
            tell(name, work, database)
    print(json.dumps(told))


if __name__ == "__main__":
    main()
