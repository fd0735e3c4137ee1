"""What becomes of a call, and of the ledger, when its worker fails: on a real server over Bolt."""

from __future__ import annotations

import os
import re
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import edgedp
import neo4j
from edgedp.words.refusals import CALL_FAILED, RECORD_LOST
from plugin_fixtures import (
    TOP,
    Planted,
    PluginServer,
    eventually,
    interpreter,
    is_running,
    sentence,
)

ASKED = {"metric": "degree", "k": 1, "epsilon": 1}

Sabotage = Callable[..., None]


@pytest.fixture(autouse=True)
def as_installed(neo4j_with_plugin: PluginServer) -> Iterator[None]:
    """Put the configuration right after a test, also after one that failed."""
    yield
    neo4j_with_plugin.configure()


@pytest.fixture
def sabotage(neo4j_with_plugin: PluginServer, tmp_path: Path) -> Sabotage:
    """Run the workers by an interpreter that changes something first."""

    def begin(body: str, **conf: str) -> None:
        neo4j_with_plugin.configure(worker_python=str(interpreter(tmp_path, body)), **conf)

    return begin


def drawing(started: Path, then: str) -> str:
    """Return a body whose draws note their process and then do something."""
    return f"""
        def draw(request, converse):
            open({str(started)!r} + ".part", "w").write(str(os.getpid()))
            os.rename({str(started)!r} + ".part", {str(started)!r})
            {then}
        jobs.VERBS["draw"] = draw
    """


def waiting(drawn: Path, go: Path) -> str:
    """Return a body whose draws note that they are done, and answer when they may."""
    return f"""
        whole = jobs.VERBS["draw"]
        def draw(request, *more):
            answer = whole(request, *more)
            open({str(drawn)!r}, "w").close()
            while not os.path.exists({str(go)!r}):
                time.sleep(0.01)
            return answer
        jobs.VERBS["draw"] = draw
    """


class Asking:
    """A release that is asked for beside the test."""

    def __init__(self, planted: Planted, **config: Any) -> None:
        self._planted = planted
        self._config = config
        self.outcome: Any = None
        self._thread = threading.Thread(target=self._ask)
        self._thread.start()

    def _ask(self) -> None:
        try:
            self.outcome = self._planted.top(**self._config)
        except neo4j.exceptions.Neo4jError as error:
            self.outcome = error

    def end(self, seconds: float = 60) -> Any:
        self._thread.join(seconds)
        assert not self._thread.is_alive()
        return self.outcome


def pid_of_draw(started: Path) -> int:
    assert eventually(started.exists, 240)
    return int(started.read_text())


def assert_heals(on: PluginServer, planted: Planted) -> None:
    """The next release is drawn by a new worker."""
    on.configure()
    assert len(planted.top()) == 1


def assert_constant(said: str) -> None:
    """Which part failed first, time, memory or a frame, follows the number of relationships: it is not said."""
    assert re.search(rf"{re.escape(CALL_FAILED)} \(release [0-9a-f]{{32}} is debited; ", said), said


def test_a_server_that_starts_has_a_worker_before_anybody_calls(plugin_of_the_run: PluginServer) -> None:
    """The first call finds it: what a cold server takes longer for is paid once, beside its start."""
    assert len(plugin_of_the_run.before_a_call) == 1
    assert plugin_of_the_run.after_a_call == plugin_of_the_run.before_a_call


def test_a_worker_killed_in_the_middle(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage, tmp_path: Path
) -> None:
    planted = neo4j_with_plugin.plant()
    sabotage(drawing(tmp_path / "started", "time.sleep(600)"))
    asking = Asking(planted)
    os.kill(pid_of_draw(tmp_path / "started"), signal.SIGKILL)
    assert_constant(sentence(asking.end()))
    assert eventually(lambda: "ended before it answered (exit status 137)" in neo4j_with_plugin.logs(), 240)
    assert planted.spent == 1.0
    assert neo4j_with_plugin.ask("CALL edgedp.releases($name)", name=planted.name)[0]["ids"] is None
    assert_heals(neo4j_with_plugin, planted)
    assert planted.spent == 2.0


def test_a_worker_killed_while_idle_is_replaced_unseen(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    workers = neo4j_with_plugin.workers()
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    # Its pipes are closed when the last of its threads has ended: until the server has reaped it they may be open.
    assert eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers), 240)
    assert len(planted.top()) == 1


def test_a_stopped_worker_meets_its_limit_and_is_killed(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage, tmp_path: Path
) -> None:
    planted = neo4j_with_plugin.plant()
    sabotage(drawing(tmp_path / "started", "os.kill(os.getpid(), 19)"), worker_job_timeout="6s")
    assert_constant(sentence(Asking(planted).end()))
    assert eventually(lambda: "did not answer within 6 s" in neo4j_with_plugin.logs(), 240)
    assert eventually(lambda: not is_running(pid_of_draw(tmp_path / "started")), 240)
    assert planted.spent == 1.0
    assert_heals(neo4j_with_plugin, planted)


def test_a_stopped_worker_with_a_full_pipe(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant([], range(200), allowEmpty=True)
    neo4j_with_plugin.ask(
        f"MATCH (a:`{planted.label}`), (b:`{planted.label}`) WHERE a.id < b.id CREATE (a)-[:`{planted.kind}`]->(b)"
    )
    neo4j_with_plugin.configure(worker_job_timeout="6s", worker_count="1")
    planted.top()
    (pid,) = neo4j_with_plugin.workers()
    os.kill(pid, signal.SIGSTOP)
    call = "CALL edgedp.exact.stream($name, {metric: 'degree'})"  # its frame of 160 kB does not fit the pipe
    assert "did not answer within 6 s" in neo4j_with_plugin.refusal(call, name=planted.name)
    assert eventually(lambda: not is_running(pid), 240)


def test_a_terminated_query_ends_its_job(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage, tmp_path: Path
) -> None:
    planted = neo4j_with_plugin.plant()
    sabotage(drawing(tmp_path / "started", "time.sleep(600)"))
    asking = Asking(planted)
    pid = pid_of_draw(tmp_path / "started")
    rows = neo4j_with_plugin.ask(
        "SHOW TRANSACTIONS YIELD transactionId, currentQuery WHERE currentQuery STARTS WITH 'CALL edgedp' "
        "RETURN transactionId AS id"
    )
    for row in rows:
        neo4j_with_plugin.ask("TERMINATE TRANSACTION $id", id=row["id"])
    outcome = asking.end()
    assert isinstance(outcome, neo4j.exceptions.Neo4jError)
    assert "Terminated" in str(outcome.code)
    assert eventually(lambda: not is_running(pid), 240)
    assert planted.spent == 1.0


def test_an_answer_that_the_ledger_does_not_keep_is_not_shown(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage, tmp_path: Path
) -> None:
    """Somebody deletes the row of the debit while it is drawn: the answer has no place in the log."""
    planted = neo4j_with_plugin.plant()
    sabotage(waiting(tmp_path / "started", tmp_path / "go"))
    asking = Asking(planted)
    assert eventually((tmp_path / "started").exists, 240)
    neo4j_with_plugin.ask("MATCH (e:EdgeDPEntry {name: $name, kind: 'debit'}) DELETE e", name=planted.name)
    (tmp_path / "go").touch()
    assert sentence(asking.end()).startswith(f"{RECORD_LOST} (release ")


def test_a_draw_that_dies_after_a_further_debit_is_not_begun_anew(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage, tmp_path: Path
) -> None:
    """Another worker would draw, and debit, all steps again."""
    planted = neo4j_with_plugin.plant(nodes=range(200))
    draws = tmp_path / "draws"
    sabotage(f"""
        whole, write = jobs.VERBS["draw"], worker.write_frame
        def draw(request, *more):
            open({str(draws)!r}, "a").write("x")
            return whole(request, *more)
        def write_frame(answers, frame):
            write(answers, frame)
            if "pay" in frame.header:
                os._exit(1)
        jobs.VERBS["draw"], worker.write_frame = draw, write_frame
    """)
    planted.top()  # a worker waits for work
    asked = {"metric": "degree", "k": 5, "epsilon": 6, "targetRecall": "0.999"}
    assert_constant(neo4j_with_plugin.refusal(TOP, name=planted.name, config=asked))
    assert draws.read_text() == "xx"


def test_what_fails_in_the_server_after_the_debit_is_logged_by_its_type(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage
) -> None:
    planted = neo4j_with_plugin.plant()
    sabotage("""
        whole = jobs.VERBS["draw"]
        def draw(request, *more):
            answer = whole(request, *more)
            return type(answer)(answer.header, {"rows": np.array([777777])})
        jobs.VERBS["draw"] = draw
    """)
    assert_constant(neo4j_with_plugin.refusal(TOP, name=planted.name, config=ASKED))
    assert eventually(lambda: "java.lang.ArrayIndexOutOfBoundsException" in neo4j_with_plugin.logs(), 240)
    assert "777777" not in neo4j_with_plugin.logs()


def test_a_worker_has_no_password_of_the_server(neo4j_with_plugin: PluginServer) -> None:
    neo4j_with_plugin.ask("CALL edgedp.graph.plugin()")
    (worker, *_) = neo4j_with_plugin.workers()
    assert b"NEO4J_" in Path(f"/proc/{neo4j_with_plugin.server.pid}/environ").read_bytes()
    assert b"NEO4J_" not in Path(f"/proc/{worker}/environ").read_bytes()


@pytest.mark.parametrize(
    "change", ["CREATE (:`{label}` {{id: 99}})", "MATCH (n:`{label}` {{id: 5}}) DELETE n"]
)
def test_nodes_that_change_after_the_plan_are_those_of_the_plan(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage, tmp_path: Path, change: str
) -> None:
    planted = neo4j_with_plugin.plant()
    planned, go = tmp_path / "planned", tmp_path / "go"
    sabotage(f"""
        whole = jobs.VERBS["plan"]
        def plan(request):
            answer = whole(request)
            open({str(planned)!r}, "w").close()
            while not os.path.exists({str(go)!r}):
                time.sleep(0.01)
            return answer
        jobs.VERBS["plan"] = plan
    """)
    asking = Asking(planted, k=6)
    assert eventually(planned.exists, 240)
    assert planted.spent == 0.0
    neo4j_with_plugin.ask(change.format(label=planted.label))
    go.touch()
    assert {row["id"] for row in asking.end()} == set(planted.nodes)
    assert planted.spent == 1.0


def test_a_node_that_is_deleted_while_the_answer_is_drawn_is_shown_by_its_id_only(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage, tmp_path: Path
) -> None:
    """What the database calls a node is looked up for those that are shown, when they are: never an old name."""
    planted = neo4j_with_plugin.plant()
    go = tmp_path / "go"
    sabotage(waiting(tmp_path / "started", go))
    asking = Asking(planted, k=6)
    assert eventually((tmp_path / "started").exists, 240)
    neo4j_with_plugin.ask(f"MATCH (n:`{planted.label}` {{id: 5}}) DELETE n")
    neo4j_with_plugin.ask(f"MATCH (n:`{planted.label}` {{id: 4}}) SET n.id = 44")
    go.touch()
    shown = {row["id"]: row["nodeId"] for row in asking.end()}
    there = neo4j_with_plugin.ask(f"MATCH (n:`{planted.label}`) RETURN n.id AS id, elementId(n) AS nodeId")
    expected = {row["id"]: row["nodeId"] for row in there if row["id"] != 44}
    assert shown == expected | {4: None, 5: None}


def test_memory_that_does_not_suffice(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage, tmp_path: Path
) -> None:
    planted = neo4j_with_plugin.plant()
    then = "np.ones(2**28)"  # 2 GiB
    sabotage(drawing(tmp_path / "started", then), worker_memory_limit="1g")
    assert_constant(sentence(Asking(planted).end()))
    assert eventually(lambda: "failed with MemoryError" in neo4j_with_plugin.logs(), 240)
    assert eventually(lambda: not is_running(pid_of_draw(tmp_path / "started")), 240)
    assert_heals(neo4j_with_plugin, planted)


def test_prints_and_messages_of_errors_stay_inside(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage, tmp_path: Path
) -> None:
    planted = neo4j_with_plugin.plant()
    then = (
        "print('degree 4711', flush=True); os.write(1, b'degree 4711\\n'); os.write(2, b'degree 4711\\n'); "
        "raise ValueError('degree 4711')"
    )
    sabotage(drawing(tmp_path / "started", then))
    assert_constant(sentence(Asking(planted).end()))
    assert eventually(lambda: "ValueError at " in neo4j_with_plugin.logs(), 240)
    # The whole phrase: the logs are full of numbers, ports and times among them.
    assert "degree 4711" not in neo4j_with_plugin.logs()


def test_an_error_beside_the_job_reaches_the_log_by_type_and_place(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage
) -> None:
    planted = neo4j_with_plugin.plant()
    sabotage(
        """
        def answer(request, verbs, converse):
            from edgedp.mechanisms import checks
            checks.check_k(4712, 4711)
        worker._answer = answer
        """
    )
    assert "ended before it answered (exit status 1)" in sentence(Asking(planted).end())
    assert eventually(
        lambda: "ParameterError at edgedp/mechanisms/checks.py:" in neo4j_with_plugin.logs(), 120
    )
    assert "k is 4712" not in neo4j_with_plugin.logs()
    assert planted.spent == 0.0


@pytest.mark.parametrize(
    ("python", "says"),
    [
        ("/nowhere/python", "worker.python is /nowhere/python"),
        ("/bin/true", "ended before it answered (exit status 0)"),
        ("/bin/cat", "ended before it answered (exit status 1)"),
    ],
)
def test_an_interpreter_that_is_none(neo4j_with_plugin: PluginServer, python: str, says: str) -> None:
    planted = neo4j_with_plugin.plant()
    neo4j_with_plugin.configure(worker_python=python)
    assert says in neo4j_with_plugin.refusal(TOP, name=planted.name, config=ASKED)
    (about,) = neo4j_with_plugin.ask("CALL edgedp.graph.plugin()")
    assert about["worker"] is None
    assert says in about["problem"]
    assert_heals(neo4j_with_plugin, planted)
    assert planted.spent == 1.0


def test_a_python_without_the_package_says_so(neo4j_with_plugin: PluginServer, tmp_path: Path) -> None:
    planted = neo4j_with_plugin.plant()
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    script.chmod(0o755)
    neo4j_with_plugin.configure(worker_python=str(script))
    said = neo4j_with_plugin.refusal(TOP, name=planted.name, config=ASKED)
    assert "No module named" in said


def test_a_worker_of_another_version_is_refused_by_name(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage
) -> None:
    planted = neo4j_with_plugin.plant()
    sabotage("worker.__version__ = '0.0.7'")
    said = neo4j_with_plugin.refusal(TOP, name=planted.name, config=ASKED)
    assert f"the worker is edgedp 0.0.7, must be {edgedp.__version__}" in said
    sabotage("import edgedp.stores.neo4j.frames as protocol\nprotocol.PROTOCOL_VERSION = 9")
    said = neo4j_with_plugin.refusal(TOP, name=planted.name, config=ASKED)
    assert "protocol is of version 9" in said
    assert planted.spent == 0.0


def test_waiting_for_a_worker_does_not_count_against_the_job(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage, tmp_path: Path
) -> None:
    planted = neo4j_with_plugin.plant()
    body = """
        original = jobs.VERBS["draw"]
        def draw(request, converse):
            time.sleep(2.5)
            return original(request, converse)
        jobs.VERBS["draw"] = draw
    """
    sabotage(body, worker_count="1", worker_job_timeout="7s")
    planted.top()
    asking = [Asking(planted) for _ in range(4)]
    assert [len(each.end()) for each in asking] == [1] * 4
    assert len(neo4j_with_plugin.workers()) == 1


def test_a_slow_worker_is_not_taken_for_a_ledger_that_is_held(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage
) -> None:
    """No question is asked of a worker under a lock: its time is not that of the lock."""
    body = """
        for verb in ("plan", "register", "check_graph", "register_script", "judge", "draw"):
            def slowly(request, *converse, job=jobs.VERBS[verb]):
                time.sleep(1.5)
                return job(request, *converse)
            jobs.VERBS[verb] = slowly
    """
    sabotage(body, worker_count="1", ledger_lock_timeout="1s")
    planted = neo4j_with_plugin.plant()
    assert len(planted.top(requestId="r")) == 1
    assert len(planted.top(requestId="r")) == 1


def test_a_release_that_is_being_drawn_is_not_drawn_twice(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage, tmp_path: Path
) -> None:
    planted = neo4j_with_plugin.plant()
    sabotage(drawing(tmp_path / "started", "time.sleep(600)"))
    asking = Asking(planted, requestId="r")
    pid = pid_of_draw(tmp_path / "started")
    said = neo4j_with_plugin.refusal(TOP, name=planted.name, config=ASKED | {"requestId": "r"})
    assert "is being drawn; ask again" in said
    os.kill(pid, signal.SIGKILL)
    assert "is debited" in sentence(asking.end())
    neo4j_with_plugin.configure()
    said = neo4j_with_plugin.refusal(TOP, name=planted.name, config=ASKED | {"requestId": "r"})
    assert "debited and lost" in said
    assert planted.spent == 1.0


def test_the_lease_of_a_percentile_is_renewed_until_its_draw_ends(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage, tmp_path: Path
) -> None:
    on = neo4j_with_plugin
    planted = on.plant()
    on.ask(f"MATCH (node:`{planted.label}`) SET node.age = 5")
    declared = {
        "property": "age",
        "low": 0,
        "high": 9,
        "points": 10,
        "dependsOn": "degree",
        "epsilonBudget": 9,
    }
    on.ask("CALL edgedp.graph.attribute($name, $config)", name=planted.name, config=declared)
    asked = {"property": "age", "q": 0.5, "epsilon": 1, "requestId": "r"}
    ask = "CALL edgedp.percentile.stream($name, $config)"
    soon = """
        from edgedp.ledger import ledger
        ledger.LEASE_RENEWAL = 1
    """
    sabotage(textwrap.dedent(soon) + textwrap.dedent(drawing(tmp_path / "started", "time.sleep(600)")))
    ended: list[str] = []
    asking = threading.Thread(target=lambda: ended.append(on.refusal(ask, name=planted.name, config=asked)))
    asking.start()
    pid = pid_of_draw(tmp_path / "started")
    leases = "MATCH (lease:EdgeDPLease) WHERE lease.name STARTS WITH $name RETURN lease.name AS name"
    own = [{"name": f"{planted.name}\tattributes"}]
    assert on.ask(leases, name=planted.name) == own
    on.ask("MATCH (lease:EdgeDPLease) WHERE lease.name STARTS WITH $name DELETE lease", name=planted.name)
    assert eventually(lambda: on.ask(leases, name=planted.name) == own, 240), (
        "a living draw, swept, says so again"
    )
    assert "is being drawn; ask again" in on.refusal(ask, name=planted.name, config=asked)
    os.kill(pid, signal.SIGKILL)
    asking.join(60)
    assert "is debited" in ended[0]
    assert on.ask(leases, name=planted.name) == []
    on.configure()
    assert "debited and lost" in on.refusal(ask, name=planted.name, config=asked)
    assert planted.spent == 2.0


def test_a_graph_beyond_the_frame_limit(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant([(a, b) for a in range(60) for b in range(a)], range(60))
    less = neo4j_with_plugin.plant([(a, b) for a in range(60) for b in range(a // 2)], range(60))
    neo4j_with_plugin.configure(worker_frame_limit="4k")
    said = neo4j_with_plugin.refusal("CALL edgedp.exact.stream($name, {metric: 'degree'})", name=planted.name)
    assert "raise worker.frame.limit" in said
    assert_constant(neo4j_with_plugin.refusal(TOP, name=planted.name, config=ASKED))
    assert_constant(neo4j_with_plugin.refusal(TOP, name=less.name, config=ASKED))
    assert eventually(lambda: "raise worker.frame.limit" in neo4j_with_plugin.logs(), 240)
    assert planted.spent == 1.0


@pytest.mark.parametrize(
    ("conf", "says"),
    [
        ({"worker_pythn": "x"}, "the key worker.pythn"),
        ({"worker_count": "many"}, "worker.count is many"),
        ({"worker_job_timeout": "-"}, "worker.job.timeout is -"),
        ({"worker_count": "0"}, "worker.count is 0"),
    ],
)
def test_a_wrong_configuration_is_told_at_the_call(
    neo4j_with_plugin: PluginServer, conf: dict[str, str], says: str
) -> None:
    neo4j_with_plugin.configure(**conf)
    assert says in neo4j_with_plugin.refusal("CALL edgedp.graph.list()")


@pytest.mark.parametrize("how", ["killed", pytest.param("stopped", marks=pytest.mark.wide)])
def test_no_worker_outlives_its_server(
    neo4j_with_plugin: PluginServer, sabotage: Sabotage, tmp_path: Path, how: str
) -> None:
    """The last test of the shared server, which it ends; the worker is in a job that never ends."""
    server = neo4j_with_plugin.server
    planted = neo4j_with_plugin.plant()
    started = tmp_path / "started"
    sabotage(drawing(started, "while True: pass"))
    outcome: list[BaseException] = []

    def ask() -> None:
        try:
            planted.top()
        except neo4j.exceptions.Neo4jError as error:
            outcome.append(error)
        except neo4j.exceptions.DriverError as error:
            outcome.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    pid = pid_of_draw(started)
    if how == "killed":
        server.kill()
    else:
        server.stop()
    begun = time.monotonic()
    assert eventually(lambda: not is_running(pid), 240), time.monotonic() - begun
    thread.join(240)
    assert outcome
