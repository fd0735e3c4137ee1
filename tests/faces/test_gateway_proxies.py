"""The proxies' configurations of docs/operator.md before a gateway: honest callers are served, whoever waits."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from edgedp import Graph, open_store
from gateway_server import Served, serve

pytestmark = pytest.mark.wide

PAGE = Path(__file__).parents[2] / "docs" / "operator.md"
PLACE = "/v1/graphs/star/top-k"
TOP = {"metric": "degree", "k": 1, "epsilon": "0.001"}


def block(holds: str) -> str:
    """Return the block of the page that holds a text."""
    (found,) = [each for each in re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.S) if holds in each]
    return str(found)


def free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as made:
        return int(made.getsockname()[1])


def command(name: str, port: int, behind: int, folder: Path) -> list[str]:
    """Write the page's configuration without its TLS, on free ports; return what runs it."""
    file = folder / name
    if name == "caddy":
        text = block("reverse_proxy").replace("graphs.example.org", f"http://127.0.0.1:{port}")
        file.write_text(text.replace("{\n", "{\n    admin off\n", 1).replace("8750", str(behind)))
        return ["caddy", "run", "--adapter", "caddyfile", "--config", str(file)]
    if name == "haproxy":
        text = block("backend edgedp").replace(
            "bind :443 ssl crt /etc/ssl/graphs-and-key.pem", f"bind 127.0.0.1:{port}"
        )
        file.write_text(text.replace("8750", str(behind)))
        return ["haproxy", "-db", "-f", str(file)]
    text = re.sub(r"\n *ssl_.*", "", block("proxy_pass")).replace(
        "listen 443 ssl", f"listen 127.0.0.1:{port}"
    )
    places = "".join(
        f"{each}_temp_path {folder}/{each};" for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error;\nevents {{}}\n"
        f"http {{ access_log off; {places}\n{text.replace('8750', str(behind))}}}\n"
    )
    return ["nginx", "-p", str(folder), "-e", f"{folder}/error", "-c", str(file)]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    place = tmp_path_factory.mktemp("proxies") / "g.edgedp"
    with open_store(place) as store:
        store.load(Graph.from_edges([(0, leaf) for leaf in range(1, 20)]), "star", epsilon_budget=100)
        token = store.add_analyst("ann")["token"]
        store.grant("star", "ann", epsilon_budget=50)
    return place, token


@pytest.fixture(params=["haproxy", "nginx", "caddy"])
def front(
    request: pytest.FixtureRequest, stored: tuple[Path, str], tmp_path: Path
) -> Iterator[tuple[Served, int]]:
    name = str(request.param)
    if shutil.which(name) is None:
        pytest.skip(f"no {name}; apt-get install {'nginx-light' if name == 'nginx' else name}")
    with serve(stored[0], tmp_path, "--behind-proxy", "--connections", "40") as served:
        port = free()
        said = (tmp_path / "said").open("w")
        proxy = subprocess.Popen(command(name, port, served.port, tmp_path), stdout=said, stderr=said)
        try:
            over = time.monotonic() + 240
            while time.monotonic() < over:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                assert proxy.poll() is None, (tmp_path / "said").read_text()
                time.sleep(0.05)
            yield served, port
        finally:
            proxy.terminate()
            proxy.wait(60)
            said.close()


def test_honest_callers_are_served_whoever_waits_or_never_reads(
    front: tuple[Served, int], stored: tuple[Path, str]
) -> None:
    served, port = front
    heads = (
        b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100,
        b"POST /v1/graphs/star/top-k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{",
        b"GET /healthz HT",
    )
    peers = []
    for number in range(90):
        peer = socket.socket()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.connect(("127.0.0.1", port))
        peer.setblocking(False)
        with contextlib.suppress(OSError):
            peer.send(heads[number % 3])
        peers.append(peer)
    address = f"http://127.0.0.1:{port}"
    headers = {"Authorization": f"Bearer {stored[1]}", "X-Forwarded-For": "192.0.2.1"}
    elsewhere = httpx.HTTPTransport(local_address="127.0.0.2")
    with httpx.Client(base_url=address, headers=headers, timeout=60, transport=elsewhere) as client:
        for _ in range(5):
            assert client.get("/v1/graphs").status_code == 200
        assert client.post(PLACE, json=TOP).status_code == 201
    assert served.end() == 0
    for peer in peers:
        peer.close()
    lines = [json.loads(line) for line in served.said]
    told = {line["address"] for line in lines if line.get("who") == "ann"}
    assert told == {"127.0.0.2"}, "and not what the caller wrote"


def test_no_request_is_smuggled(front: tuple[Served, int]) -> None:
    served, port = front
    inner = b"GET /v1/me HTTP/1.1\r\nHost: localhost\r\nX-Inner: 1\r\n\r\n"
    head = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n"
    head += b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=60) as peer:
        peer.sendall(head % (5 + len(inner)) + inner)
        peer.shutdown(socket.SHUT_WR)
        while peer.recv(65536):
            pass
    assert served.end() == 0
    asked = [json.loads(line) for line in served.said]
    assert not [line for line in asked if line.get("route") == "/v1/me" and line["method"] == "POST"]
    assert len([line for line in asked if line["event"] == "request"]) <= 2
