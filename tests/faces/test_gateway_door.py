"""Who comes to the gateway's door, and nobody shuts out the others: floods, rotations, ends, and callers that wait."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from edgedp import Graph, open_store
from edgedp.faces.cli import edgedp as command_line
from edgedp.faces.gateway.door.connections import Connection, Connections
from gateway_server import Served, serve
from test_gateway_tls import certified

PLACE = "/v1/graphs/star/top-k"
TOP = {"metric": "degree", "k": 1, "epsilon": "0.001"}
WAITS = """
import os, time
from edgedp.stores.releases.analyst import AnalystStore
real = AnalystStore._draw
def waits(*given):
    while not os.path.exists({gate!r}):
        time.sleep(0.01)
    return real(*given)
AnalystStore._draw = waits
"""
"""Draws wait for a file, so that a test says when they end."""


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    place = tmp_path_factory.mktemp("door") / "g.edgedp"
    store = open_store(place)
    store.load(Graph.from_edges([(0, leaf) for leaf in range(1, 20)]), "star", epsilon_budget=1000)
    tokens = {}
    for name in ("ann", "bob", "eve"):
        tokens[name] = store.add_analyst(name)["token"]
        store.grant("star", name, epsilon_budget=300)
    yield SimpleNamespace(place=place, store=store, tokens=tokens)
    store.close()


@pytest.fixture(scope="module")
def shared(room: SimpleNamespace, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(room.place, tmp_path_factory.mktemp("shared")) as served:
        yield served


def until(true: Callable[[], Any], seconds: float = 240) -> None:
    """Wait for something that comes in the end."""
    over = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < over, "it did not come"
        time.sleep(0.02)


def own(room: SimpleNamespace, who: str, prefix: str) -> list[dict[str, Any]]:
    rows = room.store.asking_as(who).releases("star")
    return [row for row in rows if str(row["request_id"]).startswith(prefix)]


def connected(served: Served, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", served.port), timeout=60, source_address=(source, 0))


def answered(peer: socket.socket) -> bytes:
    found = b""
    try:
        while chunk := peer.recv(65536):
            found += chunk
    except ConnectionResetError:
        pass
    return found


# -- who draws ---------------------------------------------------------------------------------


@pytest.mark.parametrize("callers", [18, pytest.param(72, marks=pytest.mark.wide)])
def test_one_analyst_who_floods_shuts_out_nobody(room: SimpleNamespace, tmp_path: Path, callers: int) -> None:
    """The issue's flood: threads of one analyst, twice what the queue holds or more, and another one is served."""
    found: Counter[int] = Counter()
    over, guard = threading.Event(), threading.Lock()
    with serve(room.place, tmp_path, "--workers", "2", "--queue", "8") as served:

        def flood(_number: int) -> None:
            with served.client(room.tokens["ann"]) as client:
                asked = {"metrics": ["degree", "density"], "k": 5, "epsilon": "0.0001"}
                while not over.is_set():
                    status = client.post("/v1/graphs/star/motkin", json=asked).status_code
                    with guard:
                        found[status] += 1

        with ThreadPoolExecutor(callers) as threads:
            flooding = [threads.submit(flood, number) for number in range(callers)]
            try:
                until(lambda: found[503] and found[201])
                with served.client(room.tokens["bob"]) as other:
                    statuses = [other.post(PLACE, json=TOP).status_code for _ in range(5)]
            finally:
                over.set()
            for each in flooding:
                each.result()
        assert statuses == [201] * 5
        assert set(found) <= {201, 503}


def test_a_release_that_costs_next_to_nothing_is_refused_before_the_debit(
    room: SimpleNamespace, tmp_path: Path, shared: Served
) -> None:
    with shared.client(room.tokens["eve"]) as client:
        before = room.store.budget("star")
        little = TOP | {"epsilon": "0.000000003"}
        answer = client.post(PLACE, json=little)
        assert answer.status_code == 422
        sentence = "epsilon is 0.000000003, must be at least 0.0001 at this gateway; give a larger one"
        assert answer.json()["detail"] == sentence
        assert client.post(f"{PLACE}/estimate", json=little).json()["refused"] == sentence
        assert room.store.budget("star") == before
        assert client.post(PLACE, json=TOP | {"epsilon": "0.0001"}).status_code == 201
    room.store.load(Graph.from_edges([(0, 1)]), "a=b", epsilon_budget=1)
    room.store.grant("a=b", "eve", epsilon_budget=1)
    least = ("--min-epsilon", "0.005", "--min-epsilon", "star=0.01", "--min-epsilon", "a=b=0.02")
    with serve(room.place, tmp_path, *least) as served, served.client(room.tokens["eve"]) as client:
        for place, refused, granted in (
            (PLACE, "0.009", "0.01"),
            (PLACE.replace("star", "a=b"), "0.01", "0.02"),
        ):
            assert client.post(place, json=TOP | {"epsilon": refused}).status_code == 422
            assert client.post(place, json=TOP | {"epsilon": granted}).status_code == 201


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("0.1", "0.2"), "min_epsilon is given twice"),
        (("star=0.1", "star=0.2"), "min_epsilon is given twice"),
        (("moon=0.1",), "the graph is 'moon', must have been loaded or registered"),
        (("star=1_0",), "min_epsilon is"),
    ],
)
def test_a_smallest_epsilon_that_is_of_no_graph_starts_no_gateway(
    room: SimpleNamespace, words: tuple[str, ...], says: str
) -> None:
    options = [part for each in words for part in ("--min-epsilon", each)]
    done = CliRunner().invoke(command_line, ["--store", str(room.place), "serve", *options])
    assert done.exit_code != 0
    assert says in done.output


def test_a_token_that_is_rotated_in_mid_queue_spends_and_reads_nothing(
    room: SimpleNamespace, tmp_path: Path
) -> None:
    """Eight releases of a token, one of which is being drawn: seven are not debited, and that one is not shown."""
    gate = tmp_path / "gate"
    token = room.store.add_analyst("rita")["token"]
    room.store.grant("star", "rita", epsilon_budget=10)
    with serve(room.place, tmp_path, "--workers", "2", first=WAITS.format(gate=str(gate))) as served:

        def ask(number: int) -> int:
            with served.client(token) as client:
                return client.post(PLACE, json=TOP, headers={"Idempotency-Key": f"r{number}"}).status_code

        with ThreadPoolExecutor(8) as threads:
            asked = [threads.submit(ask, number) for number in range(8)]
            try:
                until(lambda: own(room, "rita", "r"))
                with served.client(token) as client:
                    assert client.get("/v1/me").status_code == 200
                fresh = room.store.rotate_analyst("rita")["token"]
            finally:
                gate.touch()
            assert [each.result() for each in asked] == [401] * 8
        rows = own(room, "rita", "r")
        assert len(rows) == 1
        assert room.store.share("star", "rita")["epsilon_spent"] == 0.001
        with served.client(fresh) as client:  # what was debited is not lost
            assert client.get(f"/v1/releases/{rows[0]['release_id']}").json()["nodes"]


def test_sigterm_refuses_what_waits_and_lets_what_runs_end(room: SimpleNamespace, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with serve(room.place, tmp_path, "--workers", "2", first=WAITS.format(gate=str(gate))) as served:

        def ask(number: int) -> tuple[int, str | None]:
            with served.client(room.tokens["ann"]) as client:
                answer = client.post(PLACE, json=TOP, headers={"Idempotency-Key": f"end{number}"})
                return answer.status_code, answer.headers.get("retry-after")

        with ThreadPoolExecutor(13) as threads:
            asked = [threads.submit(ask, number) for number in range(6)]
            try:
                until(lambda: own(room, "ann", "end"))
                with served.client(room.tokens["ann"]) as client:
                    for _ in range(8):
                        assert client.get("/v1/me").status_code == 200
                ended = threads.submit(served.end, signal.SIGTERM)
                until(lambda: sum(each.done() for each in asked) >= 5)
            finally:
                gate.touch()
            found = Counter(each.result() for each in asked)
            assert ended.result() == 0
        assert found == {(201, None): 1, (503, "5"): 5}
        assert [bool(row["nodes"]) for row in own(room, "ann", "end")] == [True]


def test_a_release_holds_the_files_that_it_needs_before_it_is_debited(
    room: SimpleNamespace, tmp_path: Path
) -> None:
    """Nothing is left for a ledger or a record: it is refused, and nothing was spent."""
    gate = tmp_path / "gate"
    first = _FULL.format(gate=str(gate))
    with serve(room.place, tmp_path, first=first) as served, served.client(room.tokens["eve"]) as client:
        assert client.post(PLACE, json=TOP).status_code == 201
        before = room.store.budget("star")
        gate.touch()
        answer = client.post(PLACE, json=TOP)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert room.store.budget("star") == before


_FULL = """
import os, resource
import edgedp.faces.gateway.context as context
real = context.held
def nearly_full():
    if os.path.exists({gate!r}):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 8, hard))
    return real()
context.held = nearly_full
"""
"""Once a file is there, eight more files may be opened when a release begins."""


# -- who connects ------------------------------------------------------------------------------


def test_connections_without_a_token_shut_out_nobody(room: SimpleNamespace, tmp_path: Path) -> None:
    """As 520 with one byte of body, or with nothing at all, against the default of 256.

    Nor do more in one moment than twice the limit: a gateway that stood still finds them all at once, and in the
    middle one of another address that asks.
    """
    with serve(room.place, tmp_path, "--connections", "24") as served:
        head = b"POST /v1/graphs/star/top-k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"
        for part in (head, b"GET /healthz HT", b""):
            peers = [connected(served) for _ in range(60)]
            for peer in peers:
                try:
                    peer.sendall(part)
                except OSError:
                    continue
            for _ in range(3):
                with served.client(room.tokens["bob"]) as client:
                    assert client.get("/v1/graphs").status_code == 200
            for peer in peers:
                peer.close()
        token = room.tokens["bob"]
        asked = f"GET /v1/graphs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"
        os.kill(served.process.pid, signal.SIGSTOP)
        peers = [connected(served) for _ in range(2 * 24)]
        bob = connected(served, "127.0.0.2")
        bob.sendall(asked.encode())
        peers += [connected(served) for _ in range(100)]
        os.kill(served.process.pid, signal.SIGCONT)
        assert bob.recv(65536).startswith(b"HTTP/1.1 200")
        for peer in (*peers, bob):
            peer.close()
        assert served.end(signal.SIGINT) == 0


@pytest.mark.skipif(not Path("/usr/bin/openssl").exists(), reason="no openssl; apt-get install openssl")
def test_connections_that_never_shake_hands_shut_out_nobody(room: SimpleNamespace, tmp_path: Path) -> None:
    certificate, key = certified(tmp_path, "own")
    trusted = ssl.create_default_context(cafile=certificate)
    options = ("--tls-certificate", str(certificate), "--tls-key", str(key), "--connections", "24")
    with serve(room.place, tmp_path, *options) as served:
        peers = [connected(served) for _ in range(100)]
        with served.client(room.tokens["bob"], verify=trusted) as client:
            assert client.get("/v1/graphs").status_code == 200
            assert client.post(PLACE, json=TOP).status_code == 201
        # The kernel has sockets of its own; those of the process are what is bounded.
        assert len(os.listdir(f"/proc/{served.process.pid}/fd")) < 2 * 24 + 60
        for peer in peers:
            peer.close()
        assert served.end() == 0


def test_callers_that_never_read_shut_out_nobody_and_hold_up_no_end(
    room: SimpleNamespace, tmp_path: Path
) -> None:
    with serve(room.place, tmp_path, "--connections", "40") as served:
        asked = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200
        peers = []
        for _ in range(30):
            peer = socket.socket()
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            peer.settimeout(60)
            peer.connect(("127.0.0.1", served.port))
            peer.setblocking(False)
            peer.send(asked)
            peers.append(peer)
        with served.client(room.tokens["bob"]) as client:
            for _ in range(5):
                assert client.get("/v1/graphs").status_code == 200
            assert client.post(PLACE, json=TOP).status_code == 201
        ended = served.end(signal.SIGTERM)
        for peer in peers:
            peer.close()
        assert ended == 0


ENDED_AT_ONCE = """
import os, signal
from edgedp.faces.gateway import server
real = server._run
def run(*given):
    os.kill(os.getpid(), signal.{signal})
    real(*given)
server._run = run
"""


@pytest.mark.parametrize("by", ["SIGTERM", "SIGINT"])
def test_a_signal_as_soon_as_it_says_that_it_listens_ends_it_in_order(
    room: SimpleNamespace, tmp_path: Path, by: str
) -> None:
    with serve(room.place, tmp_path, first=ENDED_AT_ONCE.format(signal=by)) as served:
        assert served.process.wait(120) == 0, served.errors()
        served._reader.join(60)
        assert json.loads(served.said[-1])["event"] == "ended"


def test_requests_sent_ahead_are_answered_a_few_and_cut(shared: Served) -> None:
    with connected(shared) as peer:
        peer.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 500)
        assert 2 <= answered(peer).count(b"HTTP/1.1 200") <= 12
    with shared.client() as client:
        assert all(client.get("/healthz").status_code == 200 for _ in range(30))


def test_one_address_has_half_of_the_connections(room: SimpleNamespace, tmp_path: Path) -> None:
    with serve(room.place, tmp_path, "--connections", "8") as served:
        waiting = [connected(served, "127.0.0.9") for _ in range(2)]
        with served.client() as client:  # so that both were accepted
            assert client.get("/healthz").status_code == 200
        flood = [connected(served) for _ in range(30)]
        with served.client() as client:
            assert client.get("/healthz").status_code == 200
        for peer in waiting:
            peer.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert answered(peer).startswith(b"HTTP/1.1 200")
        for peer in [*waiting, *flood]:
            peer.close()


def test_answers_leave_without_delay(room: SimpleNamespace, tmp_path: Path) -> None:
    from edgedp.faces.gateway.door.connections import Connections, Listening

    made = socket.create_server(("127.0.0.1", 0))
    listening = Listening(made.family, made.type, made.proto, fileno=made.detach())
    listening.connections = Connections(4, 4)
    with socket.create_connection(listening.getsockname()):
        peer, _ = listening.accept()
        assert peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert len(listening.connections) == 1
        peer.close()
    assert len(listening.connections) == 0
    listening.close()


def test_who_is_cut_has_the_most_connections_and_one_too_many_is_heard_when_there_is_room() -> None:
    """Those in use count, too: an address of which most are in use loses the one that waits."""
    held = Connections(4, 4)
    with contextlib.ExitStack() as ends:

        def accepted(address: str) -> Connection:
            peer, other = (ends.enter_context(each) for each in socket.socketpair())
            ends.enter_context(other)
            held.accepted(peer, address)
            found = held.of(peer.fileno())
            assert found is not None
            return found

        few = [accepted("192.0.2.1")]
        many = [accepted("192.0.2.2") for _ in range(3)]
        for each, person in zip(many[:2], ("ann", "bob"), strict=True):
            each.belongs(person)
        third = accepted("192.0.2.3")
        assert [each.cut for each in (*few, *many)] == [False, False, False, True]
        held.closed(many[2].peer.fileno())
        for each, person in ((few[0], "cid"), (third, "dan")):
            each.belongs(person)
        late = accepted("192.0.2.4")
        assert late.crowded
        assert not late.asked("192.0.2.4")
        few[0].answered()
        held.closed(few[0].peer.fileno())
        assert late.asked("192.0.2.4")


def test_it_refuses_to_start_where_its_connections_cannot_be_served(
    room: SimpleNamespace, tmp_path: Path
) -> None:
    limited = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({}, {}))"
    code = limited.format(400, 400) + "\nfrom edgedp.faces.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--store", str(room.place), "serve", "--port", "0", "--workers", "2"],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(
        "Error: connections is 256, must be at most 64 where 400 files may be open;"
    )
    assert done.stderr.count("\n") == 1
    with serve(room.place, tmp_path, first=limited.format(200, 4000)) as served:
        limits = Path(f"/proc/{served.process.pid}/limits").read_text()
        assert int(next(line for line in limits.splitlines() if "open files" in line).split()[3]) >= 512


def test_the_metrics_take_a_few_connections(shared: Served) -> None:
    before = len(os.listdir(f"/proc/{shared.process.pid}/fd"))
    peers = [socket.create_connection(("127.0.0.1", shared.metrics_port)) for _ in range(60)]
    with shared.client() as client:
        assert client.get("/healthz").status_code == 200
    until(lambda: len(os.listdir(f"/proc/{shared.process.pid}/fd")) < before + 20)
    for peer in peers:
        peer.close()
    until(lambda: b"edgedp_requests" in _metrics(shared))


def _metrics(served: Served) -> bytes:
    try:
        return served.metrics().encode()
    except httpx.HTTPError:
        return b""


# -- what is sent ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "head",
    [
        b"POST /v1/graphs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n",
        b"POST /sign-in HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n",
    ],
)
def test_two_lengths_of_one_body_end_the_connection(head: bytes, shared: Served) -> None:
    with connected(shared) as peer:
        peer.sendall(head + b"\r\n0\r\n\r\nGET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
        found = answered(peer)
    assert found.startswith(b"HTTP/1.1 400")
    assert found.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\x01\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nno colon\r\n\r\n",
        b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_not_http_is_answered_as_every_other_problem(sent: bytes, shared: Served) -> None:
    said = len(shared.said)
    with connected(shared) as peer:
        with contextlib.suppress(OSError):
            peer.sendall(sent)
        found = answered(peer)
    head, _, body = found.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400")
    assert b"application/problem+json" in head
    assert b"content-security-policy" in head.lower()
    assert json.loads(body)["status"] == 400
    until(lambda: any('"status": 400' in line and "127.0.0.1" in line for line in shared.said[said:]))


def test_a_body_that_breaks_off_is_answered_once(room: SimpleNamespace, shared: Served) -> None:
    head = f"POST {PLACE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {room.tokens['bob']}\r\n"
    head += "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    with connected(shared) as peer:
        peer.sendall(head.encode() + b'5\r\n{"a":\r\nnot a length\r\n')
        found = answered(peer)
    assert found.startswith(b"HTTP/1.1 400")
    assert found.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 30_000,
        b'{"k":' * 10_000 + b"1" + b"}" * 10_000,
        b'{"metric": "degree", "k": 1, "epsilon": NaN}',
        b'{"metric": "degree", "k": 1, "epsilon": -Infinity}',
        b'{"metric": "degree", "k": 1, "k": 2, "epsilon": 1}',
        b'{"metric": "degree", "k": ' + b"9" * 5_000 + b', "epsilon": 1}',
        b'{"metric": "degree", "k": 1e400, "epsilon": 1}',
        b'{"metric": "degree", "k": 1, "epsilon": 1e-400}',
        b'{"metric": "degree", "k": 1, "epsilon": "1e999999999"}',
        b'{"metric": "degree", "k": 1, "epsilon": "1e-999999999"}',
        b'{"metric": ' + b"[" * 900 + b"]" * 900 + b', "k": 1, "epsilon": 1}',
        b'{"metric": "degree", "k": {"a": {"b": [1]}}, "epsilon": [[[1]]]}',
        b"\xff\xfe{",
        b"",
    ],
)
def test_crooked_json_is_one_problem(body: bytes, room: SimpleNamespace, shared: Served) -> None:
    with shared.client(room.tokens["eve"]) as client:
        before = room.store.budget("star")
        answer = client.post(PLACE, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 422)
        assert answer.headers["content-type"] == "application/problem+json"
        assert len(answer.json()["detail"]) < 4000
        assert room.store.budget("star") == before


# -- what is written down ----------------------------------------------------------------------


def test_a_log_that_nobody_reads_holds_up_nobody_and_is_counted(
    room: SimpleNamespace, tmp_path: Path
) -> None:
    few = "import edgedp.faces.gateway.door.outlet as o; o.Outlet.__init__.__defaults__ = (50,)"
    with serve(room.place, tmp_path, first=f"{few}\n{_NARROW}") as served:
        served.stop_reading()
        with served.client() as client:
            for _ in range(300):
                assert client.get("/healthz").status_code == 200
        found = served.metrics()
        dropped = [line for line in found.splitlines() if line.startswith("edgedp_log_lines_dropped_total")]
        assert float(dropped[0].split()[1]) > 0
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(120) == 0


_NARROW = "import fcntl; fcntl.fcntl(1, 1031, 4096)"
"""A pipe of one page (F_SETPIPE_SZ)."""


def test_the_address_of_the_caller_stands_in_the_log(
    room: SimpleNamespace, tmp_path: Path, shared: Served
) -> None:
    def addresses(served: Served, forwarded: str) -> set[str]:
        said = len(served.said)
        with served.client() as client:
            client.get("/healthz", headers={"X-Forwarded-For": forwarded})
        until(lambda: len(served.said) > said)
        return {json.loads(line).get("address") for line in served.said[said:]}

    assert addresses(shared, "192.0.2.7") == {"127.0.0.1"}, "nobody is believed who is no trusted proxy"
    with serve(room.place, tmp_path, "--behind-proxy") as served:
        assert addresses(served, "198.51.100.1, 192.0.2.7") == {"192.0.2.7"}, (
            "what the proxy added, not its caller"
        )
        assert addresses(served, "x" * 900) == {"unknown"}
    with serve(room.place, tmp_path, "--behind-proxy", "--trusted-proxy", "192.0.2.0/24") as served:
        assert addresses(served, "192.0.2.9") == {"127.0.0.1"}
