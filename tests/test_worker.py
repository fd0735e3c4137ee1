"""The worker: its protocol, its jobs, and that it ends when it should."""

from __future__ import annotations

import contextlib
import io
import json
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
from edgedp.worker.projected import graph_of_rows
from edgedp.worker.protocol import Frame, FrameError, read_frame, write_frame

CASES = json.loads((Path(__file__).parent / "conformance" / "frames.json").read_text(encoding="utf-8"))
DTYPES = {"int32": "<i4", "int64": "<i8", "float64": "<f8", "text": np.str_}
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
    with pytest.raises(FrameError, match="must be at most"):
        read(content[:12] + (2**62).to_bytes(8, "little"))


def test_a_frame_of_another_version_is_refused_by_number() -> None:
    content = written(Frame({}))
    with pytest.raises(FrameError, match="the protocol version is 7, must be 1"):
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
        return self.process.wait(5)

    def end(self) -> None:
        self.process.kill()
        with self.process:
            pass


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker() as started:
        yield started


EDGES = [(7, 3), (3, 9), (9, 7), (7, 1)]
FACTS = {"node_count": 4, "degree_bound": None, "nodes_supplied": True}
PROJECTION = {
    "ids": np.array([7, 3, 9, 1]),
    "sources": np.array([0, 1, 1, 2, 0], dtype=np.int32),
    "targets": np.array([1, 0, 2, 0, 3], dtype=np.int32),
}


def asked(**config: Any) -> dict[str, Any]:
    return {
        "selector": "priv_top_k", "facts": FACTS, "writes": False, "id_property": "id",
        "config": {"metric": "degree", "k": 2, "epsilon": 0.1} | config,
    }  # fmt: skip


def test_the_worker_says_who_it_is(worker: Worker) -> None:
    assert worker.hello["version"] == edgedp.__version__
    assert worker.hello["pid"] == worker.process.pid
    assert worker.answer("about")["version"] == edgedp.__version__


def test_a_plan_prices_a_float_as_its_shortest_decimal(worker: Worker) -> None:
    plan = worker.answer("plan", **asked(requestId="r"))
    assert plan["cost"] == 100_000_000
    assert json.loads(plan["parameters"])["epsilon"] == "0.1"
    assert plan["request_id"] == "r"
    assert json.loads(plan["public"])["degree_bound"] == 3


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"requestID": "x"}, "did you mean 'requestId'?"),
        ({"sensitivity_form": "degree"}, "did you mean 'sensitivityForm'?"),
        ({"epsilon": "<LocalDate>"}, "epsilon is '<LocalDate>'"),
        ({"requestId": 5}, "requestId is 5"),
        ({"writeProperty": "rank"}, "must be a known one"),
    ],
)
def test_a_plan_refuses_in_one_sentence(worker: Worker, changed: dict[str, Any], says: str) -> None:
    reply = worker.ask("plan", **asked(**changed)).header
    assert says in reply["refusal"]


def test_a_draw_names_rows_of_the_plugins_order(worker: Worker) -> None:
    plan = worker.answer("plan", **asked(k=4, epsilon=1000))
    header = {"selector": "priv_top_k", "parameters": plan["parameters"], "facts": FACTS}
    reply = worker.ask("draw", PROJECTION, **header)
    ids = PROJECTION["ids"][reply.arrays["rows"]].tolist()
    assert json.loads(reply.header["answer"]["nodes"]) == ids
    assert ids[0] == 7
    assert sorted(ids) == [1, 3, 7, 9]


def test_a_draw_refuses_a_graph_that_is_not_the_planned_one(worker: Worker) -> None:
    plan = worker.answer("plan", **asked())
    header = {"selector": "priv_top_k", "parameters": plan["parameters"]}
    said = worker.ask("draw", PROJECTION, **header, facts=FACTS | {"node_count": 5}).header["refusal"]
    assert "the number of nodes is 4, must be 5" in said
    said = worker.ask("draw", PROJECTION, **header, facts=FACTS | {"degree_bound": 2}).header["refusal"]
    assert "breaks its declared degree bound" in said


def test_exact_values_come_in_the_plugins_order(worker: Worker) -> None:
    graph = Graph.from_edges(EDGES)
    values = worker.ask("exact", PROJECTION, config={"metric": "degree"}).arrays["values"]
    np.testing.assert_array_equal(values, edgedp.exact.degree(graph, nodes=PROJECTION["ids"]))
    values = worker.ask("sensitivity", PROJECTION, config={"metric": "ebc", "t": 1}).arrays["values"]
    np.testing.assert_array_equal(values, edgedp.exact.sensitivity(graph, "ebc", 1, nodes=PROJECTION["ids"]))


PLACE = {"nodeLabel": "Person", "relationshipType": "KNOWS", "idProperty": "id"}
LEDGER = {
    "budget": None, "spent": 5, "maxPerRelease": None, "delta": None, "declared": None, "budgetRho": None,
    "spentRho": None, "relationshipType": None,
}  # fmt: skip
READ: dict[str, list[Any]] = {
    "graph_find": [],
    "ledger_find": [LEDGER],
    "ledger_places": [],
    "graph_places": [],
}


def test_a_registration_is_validated_then_written_out_as_statements(worker: Worker) -> None:
    declaration = worker.answer("register", name="people", config=PLACE | {"epsilonBudget": 0.1})
    assert declaration["epsilonBudget"] == 100_000_000
    answer = worker.answer("declare", declaration=declaration, node_count=4, rows=READ)
    written = {each["statement"]: each["parameters"] for each in answer["statements"]}
    assert written["ledger_set_budget"]["budget"] == 100_000_000
    assert written["ledger_place"] == {"name": "people", "relationshipType": "KNOWS"}
    assert written["graph_put"]["nodeCount"] == 4
    assert written["graph_put"]["version"] == declaration["version"]


@pytest.mark.parametrize(
    ("config", "rows", "says"),
    [
        ({"epsilonBudget": "1e-9"}, {}, "must be at least what was spent"),
        ({}, {"ledger_places": [{"name": "us", "relationshipType": "KNOWS"}]}, "kept under the name 'us'"),
        ({"delta": 0.1}, {}, "without an epsilonBudget"),
        ({"delta": 0.1, "epsilonBudget": 1}, {}, "paid in pure epsilon"),
    ],
)
def test_a_registration_refuses_what_is_taken_or_spent(
    worker: Worker, config: dict[str, Any], rows: dict[str, Any], says: str
) -> None:
    reply = worker.ask("register", name="people", config=PLACE | config).header
    if "answer" in reply:
        reply = worker.ask("declare", declaration=reply["answer"], node_count=4, rows=READ | rows).header
    assert says in reply["refusal"]


def test_an_unexpected_error_travels_as_type_and_place(worker: Worker) -> None:
    reply = worker.ask("draw", PROJECTION, selector="priv_top_k", parameters="{", facts=FACTS).header
    assert reply["failure"]["type"] == "JSONDecodeError"
    assert reply["failure"]["place"].startswith("edgedp/worker/jobs.py:")
    assert set(reply) == {"failure"}
    assert set(reply["failure"]) == {"type", "place"}


def test_a_closed_pipe_ends_the_worker_at_once() -> None:
    with Worker() as worker:
        assert worker.let_go() == 0


@pytest.mark.parametrize("job", ["while True: pass", "import time; time.sleep(60)", "compiled()"])
def test_a_closed_pipe_ends_the_worker_in_the_middle_of_a_job(tmp_path: Path, job: str) -> None:
    script = tmp_path / "run.py"
    script.write_text(
        "import numba, sys\n"
        "import edgedp.worker.__main__ as worker, edgedp.worker.jobs as jobs\n"
        "@numba.njit(nogil=True)\n"
        "def compiled():\n"
        "    total = 0\n"
        "    while total >= 0:\n"
        "        total = (total + 1) % 1000\n"
        f"def busy(request):\n    print('busy', file=sys.stderr, flush=True)\n    {job}\n"
        "jobs.VERBS['about'] = busy\n"
        "worker.main([])\n"
    )
    with Worker(str(script)) as worker:
        write_frame(worker.process.stdin, Frame({"verb": "about"}))  # type: ignore[arg-type]
        assert worker.process.stderr.readline() == b"busy\n"  # type: ignore[union-attr]
        time.sleep(1)
        assert worker.let_go() == 0


def test_a_frame_beyond_the_limit_ends_the_conversation() -> None:
    with Worker(*WORKER, "--frame-limit=1000") as worker:
        reply = worker.ask("about", {"ids": np.arange(1000)}).header
        assert reply["failure"]["type"] == "FrameError"


def test_an_interrupt_at_the_console_is_the_servers(worker: Worker) -> None:
    worker.process.send_signal(signal.SIGINT)
    assert worker.answer("about")
