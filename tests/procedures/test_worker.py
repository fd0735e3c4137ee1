"""The worker: its protocol, its jobs, and that it ends when it should."""

from __future__ import annotations

import contextlib
import io
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

import edgedp
from edgedp import Graph
from edgedp.faces.worker.jobs import VERBS
from edgedp.ledger import sources
from edgedp.stores.neo4j import schema as neo4j_schema
from edgedp.stores.neo4j.frames import Frame, FrameError, read_frame, write_frame
from edgedp.stores.neo4j.packed import graph_of_rows
from edgedp.words import refusals

CASES = json.loads((Path(__file__).parents[1] / "conformance" / "frames.json").read_text(encoding="utf-8"))
DTYPES: dict[str, Any] = {"int32": "<i4", "int64": "<i8", "float64": "<f8", "text": np.str_}
LIMIT = 2**30
WORKER = ("-P", "-m", "edgedp.worker")

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
)
arrays = st.one_of(
    *[arrays_of.arrays(dtype, st.integers(0, 20)) for dtype in ("<i4", "<i8", "<f8")],
    st.lists(texts, max_size=9).map(lambda listed: np.array(listed, dtype=np.str_)),
)


def written(frame: Frame) -> bytes:
    stream = io.BytesIO()
    write_frame(stream, frame)
    return stream.getvalue()


def read(content: bytes, limit: int = LIMIT) -> Frame | None:
    return read_frame(io.BytesIO(content), limit=limit)


def assert_same(left: Frame | None, right: Frame) -> None:
    assert left is not None
    assert left.header == right.header
    assert list(left.arrays) == list(right.arrays)
    for name, array in right.arrays.items():
        np.testing.assert_array_equal(left.arrays[name], array)
        assert left.arrays[name].dtype.kind == array.dtype.kind


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_reads_and_writes_the_conformance_frames(case: dict[str, Any]) -> None:
    content = bytes.fromhex(case["bytes"])
    listed = {name: np.array(case["arrays"][name], DTYPES[kind]) for name, kind in case["types"].items()}
    assert_same(read(content), Frame(case["header"], listed))
    assert written(Frame(case["header"], listed)) == content


@given(
    st.dictionaries(texts.filter(lambda key: key != "arrays"), values, max_size=4),
    st.lists(arrays, max_size=4),
)
def test_a_frame_survives_the_pipe(header: dict[str, Any], sent: list[Any]) -> None:
    frame = Frame(header, {f"array {i}": array for i, array in enumerate(sent)})
    assert_same(read(written(frame)), frame)


@given(st.binary(max_size=200))
def test_no_bytes_do_more_than_refuse(content: bytes) -> None:
    with contextlib.suppress(FrameError):
        assert read(content) is None or content[:6] == b"edgedp"


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_frame_with_a_wrong_byte_is_read_or_refused(where: int, byte: int) -> None:
    content = bytearray(bytes.fromhex(CASES[5]["bytes"]))
    content[where % len(content)] = byte
    with contextlib.suppress(FrameError):
        read(bytes(content), limit=10_000)


def test_the_limit_is_checked_before_memory_is_taken() -> None:
    content = written(Frame({}, {"ids": np.arange(100)}))
    assert read(content, limit=len(content) - 20) is not None
    with pytest.raises(FrameError, match=r"raise worker\.frame\.limit"):
        read(content, limit=len(content) - 21)
    with pytest.raises(FrameError, match="must have at most"):
        read(content[:12] + (2**62).to_bytes(8, "little"))


def test_a_frame_of_another_version_is_refused_by_number() -> None:
    content = written(Frame({}))
    with pytest.raises(FrameError, match="the protocol version is 7, must be 2"):
        read(content[:6] + (7).to_bytes(2, "little") + content[8:])


@given(st.permutations(range(6)), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=20))
def test_rows_in_any_order_are_the_same_graph(order: list[int], pairs: list[tuple[int, int]]) -> None:
    ids = np.array(order) * 10
    ends = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    graph, rows = graph_of_rows(ids, ends[:, 0], ends[:, 1])
    assert graph == Graph.from_edges([(ids[a], ids[b]) for a, b in pairs], nodes=ids)
    np.testing.assert_array_equal(ids[rows], graph.node_ids)


class Worker:
    """A worker process, and the plugin's end of its pipes."""

    def __init__(self, *command: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *(command or WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            self.hello = self.read().header
        except BaseException:
            self.end()
            raise

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exception: object) -> None:
        self.end()

    def read(self) -> Frame:
        frame = read_frame(self.process.stdout, limit=LIMIT)  # type: ignore[arg-type]
        assert frame is not None
        return frame

    def ask(self, verb: str, arrays: dict[str, Any] | None = None, **header: Any) -> Frame:
        write_frame(self.process.stdin, Frame({"verb": verb, **header}, arrays or {}))  # type: ignore[arg-type]
        return self.read()

    def answer(self, verb: str, arrays: dict[str, Any] | None = None, **header: Any) -> dict[str, Any]:
        reply: dict[str, Any] = self.ask(verb, arrays, **header).header
        assert set(reply) == {"answer"}, reply
        return reply["answer"]

    def let_go(self) -> int:
        """Close its standard input and return its exit status."""
        self.process.stdin.close()  # type: ignore[union-attr]
        return self.process.wait(60)

    def end(self) -> None:
        self.process.kill()
        with self.process:
            pass


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker() as started:
        yield started


EDGES = [(7, 3), (3, 9), (9, 7), (7, 1)]
GRAPH = {
    "name": "people", "version": 11, "nodeLabel": "Person", "relationshipType": "KNOWS", "idProperty": "id",
    "nodeCount": 4, "degreeBound": None, "nodesSupplied": True, "loaded": False, "digest": None,
}  # fmt: skip
SURVEY = {
    "nodes": 4,
    "identified": 4,
    "distinctIds": 4,
    "empty": 0,
    "types": ["INTEGER NOT NULL"],
    "ours": 0,
    "candidates": 4,
}
PROJECTION = {
    "ids": np.array([7, 3, 9, 1]),
    "sources": np.array([0, 1, 1, 2, 0], dtype=np.int32),
    "targets": np.array([1, 0, 2, 0, 3], dtype=np.int32),
}


def job(verb: str, arrays: dict[str, Any] | None = None, **header: Any) -> Frame:
    """Run a job in this process, with a header as it comes out of JSON."""
    done = VERBS[verb](Frame(json.loads(json.dumps(header)), arrays or {}))
    return Frame(json.loads(json.dumps(done.header)), done.arrays)


def asked(
    *,
    graph: Any = None,
    survey: Any = None,
    account: Any = None,
    writes: bool = False,
    before: Any = (),
    **config: Any,
) -> dict[str, Any]:
    return {
        "kind": "priv_top_k", "graph": GRAPH | (graph or {}), "survey": SURVEY | (survey or {}), "writes": writes,
        "asked_before": list(before), "account": [account or ACCOUNT],
        "config": {"metric": "degree", "k": 2, "epsilon": 0.1} | config,
    }  # fmt: skip


def test_the_worker_says_who_it_is(worker: Worker) -> None:
    assert worker.hello["version"] == edgedp.__version__
    assert worker.hello["pid"] == worker.process.pid
    assert worker.answer("about")["version"] == edgedp.__version__


def test_a_plan_prices_a_float_as_its_shortest_decimal() -> None:
    plan = job("plan", **asked(requestId="r")).header
    steps = {step["statement"]: step["parameters"] for step in plan["script"]["steps"]}
    assert steps["account_debit"]["cost"] == 100_000_000
    assert steps["request_find"]["requestId"] == plan["request_id"] == "r"
    assert steps["graph_current"]["version"] == 11
    assert plan["plan"]["parameters"]["epsilon"] == "0.1"
    assert json.loads(steps["log_debit"]["body"])["public"]["degree_bound"] == 3
    assert plan["script"]["done"] == "debited"


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"requestID": "x"}, "did you mean 'requestId'?"),
        ({"sensitivity_form": "degree"}, "did you mean 'sensitivityForm'?"),
        ({"epsilon": "<LocalDate>"}, "epsilon is '<LocalDate>'"),
        ({"requestId": 5}, "requestId is 5"),
        ({"requestId": "x" * 201}, "at most 200"),
        ({"writeProperty": "rank"}, "there is no option 'writeProperty'"),
        ({"survey": {"nodes": 3}}, "has no id"),
        ({"survey": {"ours": 1}}, "label of edgedp's own"),
        ({"graph": {"nodeLabel": "EdgeDPAccount"}}, "somebody edited it"),
        ({"graph": {"loaded": True}}, "somebody edited it"),
        ({"writes": True}, "writeProperty is None"),
        ({"writes": True, "writeProperty": "id"}, "must not be the property of the ids"),
        ({"writes": True, "writeProperty": "_x"}, "not start with '_'"),
        ({"writes": True, "writeProperty": "x", "overwrite": 1}, "must be true or false"),
        ({"overwrite": True}, "there is no option 'overwrite'"),
    ],
)
def test_a_plan_refuses_in_one_sentence(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(edgedp.EdgeDPError, match=re.escape(says)) as refused:
        job("plan", **asked(**changed))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("verb", ["plan", "register", "exact", "sensitivity"])
def test_a_null_configuration_is_a_refusal_and_no_failure(verb: str) -> None:
    with pytest.raises(edgedp.ParameterError, match="the configuration is null"):
        job(verb, PROJECTION, **(asked() | {"name": "people", "config": None}))


def test_a_property_of_somebody_else_is_refused_unless_it_may_be_overwritten() -> None:
    plan = job("plan", **asked(writes=True, writeProperty="email")).header
    assert "which some node has and no release of 'people' wrote" in plan["write"]["if_there"]
    plan = job("plan", **asked(writes=True, writeProperty="email", overwrite=True)).header
    assert plan["write"] == {"property": "email", "if_there": None}


def drawn(planned: dict[str, Any], arrays: dict[str, Any]) -> Frame:
    return job("draw", arrays, name="people", release_id="a", plan=planned["plan"], graph=GRAPH)


def test_a_draw_names_rows_of_the_plugins_order_and_the_script_that_keeps_it() -> None:
    reply = drawn(job("plan", **asked(k=4, epsilon=1000)).header, PROJECTION)
    ids = PROJECTION["ids"][reply.arrays["rows"]].tolist()
    assert reply.header["answer"] == {"nodes": ids}
    steps = {step["statement"]: step["parameters"] for step in reply.header["script"]["steps"]}
    assert json.loads(steps["log_answer"]["body"]) == {"nodes": ids}
    assert ids[0] == 7
    assert sorted(ids) == [1, 3, 7, 9]


def test_a_draw_refuses_a_graph_that_is_not_the_planned_one_in_constant_words() -> None:
    plan = job("plan", **asked(k=1)).header
    bounded = job("plan", **asked(k=1, mechanism="em", graph={"degreeBound": 2})).header
    without_ids = {key: array for key, array in PROJECTION.items() if key != "ids"}
    fewer = PROJECTION | {"ids": np.array([7, 3, 9, 1, 2])}
    twice = PROJECTION | {"ids": np.array([7, 3, 7, 1])}
    for planned, arrays, says in (
        (plan, fewer, refusals.NODES_CHANGED),
        (plan, without_ids, refusals.IDS_BROKEN),
        (plan, twice, refusals.IDS_BROKEN),
        (bounded, PROJECTION, refusals.BOUND_BROKEN),
    ):
        with pytest.raises(edgedp.EdgeDPError) as refused:
            drawn(planned, arrays)
        assert str(refused.value) == says


@pytest.mark.parametrize("allowed", [0, 1, 3])
def test_a_worker_draws_no_step_that_the_plugin_did_not_debit(allowed: int) -> None:
    """Each further script says all that was debited before it, for a limit of one release is for all of them."""
    count = 300
    pairs = [(hub, leaf) for hub in range(12) for leaf in range(12 + hub, count, 1 + hub)]
    sources, targets = np.array(pairs, dtype=np.int32).T.copy()
    survey = {"nodes": count, "identified": count, "distinctIds": count, "empty": 0, "candidates": count}
    rich = ACCOUNT | {"declared": 10**10, "budget": 10**10}
    options = {"k": 5, "epsilon": 6, "targetRecall": "0.999"}
    planned = job("plan", **asked(graph={"nodeCount": count}, survey=survey, account=rich, **options)).header
    debited = [amounts_of(planned["script"])["cost"]]

    def converse(frame: Frame) -> Frame:
        amounts = amounts_of(frame.header["pay"])
        assert amounts["whole"] == sum(debited) + amounts["cost"]
        paid = len(debited) <= allowed
        debited.extend([amounts["cost"]] if paid else [])
        return Frame({"paid": paid})

    header = {"name": "people", "release_id": "a", "plan": planned["plan"], "graph": GRAPH, "survey": SURVEY}
    arrays = {"ids": np.arange(count), "sources": sources, "targets": targets}
    reply = VERBS["draw"](Frame(json.loads(json.dumps(header)), arrays), converse)
    assert len(debited) == 1 + allowed
    assert reply.header["epsilon"] == sum(debited) / 10**9
    assert reply.header["answer"]["steps"] == 1 + allowed


def amounts_of(script: dict[str, Any]) -> dict[str, Any]:
    (found,) = (step["parameters"] for step in script["steps"] if step["statement"] == "account_debit")
    return dict(found)


ACCOUNT = {
    "name": "people", "delta": None, "declared": 10**9, "budget": 10**9, "spent": 5, "maxPerRelease": None,
    "relationshipType": "KNOWS", "entries": 0, "terms": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("depends_on", "debited"),
    [("independent", ["people\tattributes"]), ("degree", ["people", "people\tattributes"])],
)
def test_the_lease_of_a_percentile_is_that_of_the_account_which_keeps_its_answer(
    depends_on: str, debited: list[str]
) -> None:
    declared = {
        "property": "age",
        "low": 0,
        "high": 9,
        "grid": "linear",
        "points": 10,
        "depends_on": depends_on,
    }
    header = asked() | {
        "kind": "percentile",
        "config": {"property": "age", "q": 0.5, "epsilon": 0.1},
        "attributes": [{"body": json.dumps(declared)}],
    }
    plan = job("plan", **header).header
    steps = plan["script"]["steps"]
    assert [each["parameters"]["name"] for each in steps if each["statement"] == "log_debit"] == debited
    (put,) = (each["parameters"] for each in steps if each["statement"] == "lease_put")
    (renew,), (end,) = (plan["lease"][which]["steps"] for which in ("renew", "end"))
    assert (renew["statement"], end["statement"]) == ("lease_renew", "lease_end")
    for each in (put, renew["parameters"], end["parameters"]):
        assert (each["name"], each["releaseId"]) == ("people\tattributes", plan["release_id"])
    assert put["seconds"] == renew["parameters"]["seconds"] > 2 * plan["lease"]["seconds"]


def test_a_kept_release_is_judged_under_the_facts_that_it_was_drawn_under() -> None:
    first = job("plan", **asked(k=4, requestId="r", metric="ebc", mechanism="sld")).header
    (debit,) = (step["parameters"] for step in first["script"]["steps"] if step["statement"] == "log_debit")
    row = {
        "releaseId": "a",
        "at": "1",
        "cost": 1,
        "body": debit["body"],
        "answer": '{"nodes": [9]}',
        "leaseAlive": False,
    }
    again = asked(k=4, requestId="r", metric="ebc", mechanism="sld", before=[row])
    smaller = {
        "graph": {"nodeCount": 3, "degreeBound": 2},
        "survey": {"nodes": 3, "identified": 3, "distinctIds": 3, "empty": 0, "candidates": 3},
    }
    assert job("plan", **again).header["kept"] == {"nodes": [9]}
    again |= {"graph": GRAPH | smaller["graph"], "survey": SURVEY | smaller["survey"]}
    assert job("plan", **again).header["kept"] == {"nodes": [9]}, "the graph has fewer nodes than k by now"
    with pytest.raises(edgedp.ParameterError, match="must be new for another request"):
        job("plan", **asked(k=3, requestId="r", metric="ebc", before=[row]))


@pytest.mark.parametrize(
    ("outcome", "rows", "says"),
    [
        (
            "refused",
            {"account_adds_up": [ACCOUNT | {"budget": 10, "declared": 10}]},
            "what is left of the budget",
        ),
        ("replaced", {}, "changed since the release was planned"),
        ("broken", {}, "does not add up"),
        ("unknown", {}, "must have been loaded or registered"),
    ],
)
def test_an_outcome_of_a_debit_is_worded(outcome: str, rows: dict[str, Any], says: str) -> None:
    plan = job("plan", **asked()).header["plan"]
    with pytest.raises(edgedp.EdgeDPError, match=says):
        job("judge", outcome=outcome, rows=rows, name="people", plan=plan, request_id=None)


@pytest.mark.parametrize(
    ("alive", "says"), [(True, "is being drawn; ask again"), (False, "debited and lost")]
)
def test_a_request_without_an_answer_waits_or_is_lost_and_is_never_redrawn(alive: bool, says: str) -> None:
    planned = job("plan", **asked(requestId="r")).header
    (debit,) = (step["parameters"] for step in planned["script"]["steps"] if step["statement"] == "log_debit")
    row = {"releaseId": "a", "at": "1", "cost": 1, "body": debit["body"], "answer": None, "leaseAlive": alive}
    with pytest.raises(edgedp.StoreError, match=says):
        job(
            "judge",
            outcome="asked_before",
            rows={"request_find": [row]},
            name="people",
            plan=planned["plan"],
            request_id="r",
        )

    told = job("estimate", **asked(requestId="r", before=[row]), named=[], adds_up=True).header
    assert says in told["refused"], "the estimate says what the release would"
    assert not told["kept"]


def test_exact_values_come_in_the_plugins_order() -> None:
    graph = Graph.from_edges(EDGES)
    values = job("exact", PROJECTION, config={"metric": "degree"}, graph=GRAPH).arrays["values"]
    np.testing.assert_array_equal(values, edgedp.exact.degree(graph, nodes=PROJECTION["ids"]))
    values = job("sensitivity", PROJECTION, config={"metric": "ebc", "t": 1}, graph=GRAPH).arrays["values"]
    np.testing.assert_array_equal(values, edgedp.exact.sensitivity(graph, "ebc", 1, nodes=PROJECTION["ids"]))


@pytest.mark.parametrize(
    ("read", "config", "noted"),
    [
        ("exact", {"metric": "ebc"}, {"read": "exact", "metric": "ebc"}),
        ("sensitivity", {"metric": "ebc", "t": 2}, {"read": "sensitivity", "metric": "ebc", "t": 2}),
        ("adjacency", None, {"read": "graph"}),
    ],
)
def test_an_exact_read_is_noted_by_what_was_read(read: str, config: Any, noted: dict[str, Any]) -> None:
    script = job("exact_script", name="people", read=read, config=config, graph=GRAPH).header["script"]
    (row,) = (step["parameters"] for step in script["steps"] if step["statement"] == "log_append")
    assert (row["kind"], json.loads(row["body"])) == ("exact", noted)
    if config:
        with pytest.raises(edgedp.UnknownNameError):
            job("exact_script", name="people", read=read, config=config | {"metric": "ebcc"}, graph=GRAPH)


def test_a_log_comes_in_pythons_words_and_what_is_wrong_with_it_in_those_of_cypher() -> None:
    body = json.dumps({"kind": "priv_top_k", "parameters": {}, "public": {}})
    entry = {
        "name": "people", "seq": 1, "kind": "debit", "at": "1", "by": "neo4j", "releaseId": "a", "requestId": None,
        "cost": 5, "charge": 5, "body": body, "total": 5, "terms": None, "prev": None, "hash": None,
    }  # fmt: skip
    rows: dict[str, Any] = {
        "account_find": [ACCOUNT | {"entries": 1}], "account_adds_up": [{"name": "people"}], "log_list": [entry],
        "log_page": [entry], "share_list": [], "release_count": [{"releases": 1}],
        "graph_find": [],
    }  # fmt: skip
    (shown,) = job("log", name="people", rows=rows, config={}).header["entries"]
    asked = job("page", name="people", of="log", config={"limit": 3, "since": 7}).header
    assert asked == {"name": "people", "since": 6, "limit": 4}, "the row before the page is read, too"
    assert (shown["by"], shown["event"], shown["epsilon_spent"]) == ("neo4j", "debit", 5e-9)
    assert job("check", name="people", rows=rows).header["problems"] == []
    rows["account_find"] = [ACCOUNT | {"spent": 4, "entries": 1}]
    first, *_, last = job("check", name="people", rows=rows).header["problems"]
    assert "was spent, the releases cost" in first
    assert "run CALL edgedp.graph.drop('people')" in last, (
        "whoever reads it in Neo4j has procedures, and no shell"
    )


PLACE = {"nodeLabel": "Person", "relationshipType": "KNOWS", "idProperty": "id"}


def registered(account: Any = None, survey: Any = None, **config: Any) -> dict[str, Any]:
    """Take the way of a registration and return the parameters of its script's statements."""
    said = job("register", name="people", config=PLACE | config).header
    survey = SURVEY | (survey or {})
    graph = job("check_graph", PROJECTION, **said, survey=survey, unindexed=[]).header["graph"]
    script = job(
        "register_script", graph=graph, declared=said["declared"], account=account, last=[],
        attributes=[], rows={each: [] for each in sources.READS}, indexes=[],
    ).header["script"]  # fmt: skip
    return {step["statement"]: step["parameters"] for step in script["steps"]}


def test_a_registration_is_validated_then_written_out_as_a_script() -> None:
    written = registered(epsilonBudget=0.1, maxEpsilonPerRelease=0.05)
    assert written["account_set_budget"]["budget"] == 100_000_000
    assert written["account_set_limit"]["maxPerRelease"] == 50_000_000
    terms = written["account_place"].pop("terms")
    assert written["account_place"] == {"name": "people", "relationshipType": "KNOWS", "runs": None}
    assert json.loads(terms)["relationshipType"] == "KNOWS"
    assert "nodeCount" not in terms, "a registered graph may grow"
    assert written["graph_put"]["nodeCount"] == 4
    assert written["place_conflicts"]["nodeLabel"] == "Person"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"epsilonBudget": "1e-9", "account": ACCOUNT}, "must be at least what was spent"),
        ({"delta": 0.1}, "without an epsilonBudget"),
        ({"delta": "1e-6", "epsilonBudget": 1, "account": ACCOUNT}, "paid in pure epsilon"),
        ({"delta": 0.9, "epsilonBudget": 1}, "below 1 / n"),
        ({"epsilonBudget": 1, "maxEpsilonPerRelease": 2}, "must be at most the budget"),
        ({"nodeLabel": "EdgeDPAccount"}, "must not begin with EdgeDP"),
        ({"relationshipType": "EdgeDP_x"}, "must not begin with EdgeDP"),
        ({"degreeBound": 2}, "at least the largest degree, 3"),
        ({"survey": {"ours": 1}}, "edgedp wrote carry too"),
        ({"survey": {"identified": 3}}, "1 of 4 nodes lack"),
        ({"nodelabel": "x"}, "did you mean 'nodeLabel'?"),
    ],
)
def test_a_registration_refuses_what_is_taken_or_spent(given: dict[str, Any], says: str) -> None:
    with pytest.raises(edgedp.EdgeDPError, match=re.escape(says)):
        registered(**given)


def test_outcomes_of_a_curators_script_are_worded() -> None:
    rows = {"place_conflicts": [{"conflict": "type", "other": "kite"}]}
    for outcome, says in {
        "place": "that of a loaded graph",
        "changed": "by somebody else",
        "unknown": "must have been",
    }.items():
        with pytest.raises(edgedp.EdgeDPError, match=says):
            job("curator_refusal", outcome=outcome, rows=rows, name="people", graph=GRAPH)


def test_a_drop_makes_an_account_that_somebody_deleted_again_and_retires_a_loaded_version() -> None:
    loaded = GRAPH | {"loaded": True, "nodeLabel": "EdgeDP_people_b", "relationshipType": "EdgeDP_people_b"}
    for graph, statements in ((GRAPH, set()), (loaded, {"load_retire"})):
        script = job("drop", graph=graph, last=[]).header["script"]
        ran = [step["statement"] for step in script["steps"]]
        assert ran[:3] == ["account_restore", "account_restore", "account_lock"]
        assert {"graph_forget", "log_append"} | statements <= set(ran)
        assert ("load_retire" in ran) == bool(statements)


def test_the_version_of_a_database_is_judged() -> None:
    needed = {"constraints": list(neo4j_schema.constraints())}
    assert job("version", version=6, old=False).header == needed | {"current": True, "fresh": False}
    assert job("version", version=None, old=False).header == needed | {"current": False, "fresh": True}
    assert job("version", version=None, old=True).header == needed | {"current": False, "fresh": False}
    assert job("version", version=5, old=False).header == needed | {"current": False, "fresh": False}
    for version, old in ((7, False), (6, True)):
        with pytest.raises(edgedp.StoreError):
            job("version", version=version, old=old)
    read: dict[str, list[dict[str, Any]]] = {name: [] for name in neo4j_schema.OLD_READS}
    way = job("migrate", rows=read).header
    assert way["before"][0][0] == "schema_one"
    assert way["script"]["steps"][0]["statement"] == "schema_begin"
    new = job("migrate", rows={}).header["script"]["steps"]
    assert [step["statement"] for step in new] == ["schema_begin", "schema_new"]
    later = ["migration_0003", "migration_0004", "migration_0005", "migration_0006"]
    for version, statements in ((2, later), (3, later[1:]), (4, later[2:]), (5, later[3:]), (6, [])):
        steps = job("migrate", rows=read | {"schema_version": [{"version": version}]}).header["script"][
            "steps"
        ]
        assert [step["statement"] for step in steps] == statements


def test_a_misspelt_graph_is_refused_with_the_nearest() -> None:
    with pytest.raises(edgedp.UnknownNameError, match="did you mean 'people'"):
        job("unknown_graph", name="poeple", names=["people"])


def test_accounts_are_shown_in_epsilon() -> None:
    (shown,) = job("accounts", rows=[ACCOUNT]).header["accounts"]
    assert shown == {"epsilon_budget": 1.0, "epsilon_spent": 5e-9, "epsilon_remaining": 0.999999995}


def test_an_unexpected_error_travels_as_type_and_place(worker: Worker) -> None:
    reply = worker.ask("draw", PROJECTION, plan={}, name="people", release_id="a").header
    assert reply["failure"]["type"] == "KeyError"
    assert reply["failure"]["place"].startswith("edgedp/faces/worker/requests.py:")
    assert set(reply) == {"failure"}
    assert set(reply["failure"]) == {"type", "place"}


def test_a_closed_pipe_ends_the_worker_at_once() -> None:
    with Worker() as worker:
        assert worker.let_go() == 0


@pytest.mark.parametrize("job", ["while True: pass", "import time; time.sleep(60)", "compiled()"])
def test_a_closed_pipe_ends_the_worker_in_the_middle_of_a_job(tmp_path: Path, job: str) -> None:
    script = tmp_path / "run.py"
    script.write_text(
        "import ctypes, sys\n"
        "import edgedp.faces.worker.__main__ as worker, edgedp.faces.worker.jobs as jobs\n"
        "compiled = ctypes.CDLL(None).pause  # as a kernel does, it waits without the interpreter's lock\n"
        f"def busy(request):\n    print('busy', file=sys.stderr, flush=True)\n    {job}\n"
        "jobs.VERBS['about'] = busy\n"
        "worker.main([])\n"
    )
    with Worker(str(script)) as worker:
        write_frame(worker.process.stdin, Frame({"verb": "about"}))  # type: ignore[arg-type]
        assert worker.process.stderr.readline() == b"busy\n"  # type: ignore[union-attr]
        time.sleep(0.1)
        assert worker.let_go() == 0


def test_a_frame_beyond_the_limit_ends_the_conversation() -> None:
    with Worker(*WORKER, "--frame-limit=1000") as worker:
        reply = worker.ask("about", {"ids": np.arange(1000)}).header
        assert reply["failure"]["type"] == "FrameError"


def test_an_interrupt_at_the_console_is_the_servers(worker: Worker) -> None:
    worker.process.send_signal(signal.SIGINT)
    assert worker.answer("about")


def test_the_default_mechanism_follows_whether_a_delta_is_declared() -> None:
    with_delta = ACCOUNT | {"delta": 10**12, "declared": 10**9, "budget": 10**10}
    assert job("plan", **asked()).header["plan"]["parameters"]["mechanism"] == "joint"
    assert job("plan", **asked(account=with_delta)).header["plan"]["parameters"]["mechanism"] == "sld"
