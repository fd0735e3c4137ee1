"""A gateway that ends TLS itself, with a certificate of an authority that nobody else knows."""

from __future__ import annotations

import json
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from click.testing import CliRunner

import edgedp
from edgedp import Graph, open_store
from edgedp.faces.cli import edgedp as command_line
from gateway_server import serve

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="no openssl to make a certificate with; apt-get install openssl"
)

ASKED = {"metric": "degree", "k": 1, "epsilon": 4}


def certified(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a certificate of 127.0.0.1 that signs itself; return it and its key."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1",
            "-addext", "keyUsage=critical,digitalSignature,keyCertSign", "-keyout", str(key), "-out", str(certificate),
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, key


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    folder = tmp_path_factory.mktemp("tls")
    store = open_store(folder / "g.edgedp")
    store.load(Graph.from_edges([(0, leaf) for leaf in range(1, 30)]), "star", epsilon_budget=100)
    token = store.add_analyst("ann")["token"]
    store.grant("star", "ann", epsilon_budget=100)
    certificate, key = certified(folder, "own")
    options = ("--tls-certificate", str(certificate), "--tls-key", str(key))
    with serve(folder / "g.edgedp", folder, *options) as served:
        yield SimpleNamespace(
            served=served, token=token, ca=certificate, other=certified(folder, "other")[0], store=store
        )
        assert served.end() == 0


def test_an_analyst_with_the_authority_gets_a_release(room: SimpleNamespace) -> None:
    assert room.served.address.startswith("https://")
    with open_store(room.served.address, token=room.token, ca_file=room.ca) as remote:
        assert remote.priv_top_k("star", **ASKED).nodes == [0]
        assert [row["name"] for row in remote.graphs()] == ["star"]


def test_the_command_line_reads_the_authority_from_the_environment(
    room: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDGEDP_TOKEN", room.token)
    words = ["--store", room.served.address, "graphs", "--format", "json"]
    monkeypatch.setenv("SSL_CERT_FILE", str(room.ca))
    assert json.loads(CliRunner().invoke(command_line, words).stdout)[0]["name"] == "star"
    for file, why in (
        (room.other, "is not trusted here"),
        ("no/such/file", "SSL_CERT_FILE must be a PEM file"),
    ):
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        refused = CliRunner().invoke(command_line, words)
        assert refused.exit_code == 1
        assert why in refused.output
        assert refused.output.count("\n") == 1


def test_an_authority_that_is_not_known_is_refused_in_one_line(room: SimpleNamespace) -> None:
    by_name = room.served.address.replace("127.0.0.1", "localhost")
    for address, ca, why in (
        (room.served.address, None, r"is not trusted here \(self-signed certificate\); give"),
        (room.served.address, room.other, "is not trusted here"),
        (by_name, room.ca, r"is not trusted here \(Hostname mismatch"),
        (f"https://127.0.0.1:{room.served.metrics_port}", room.ca, "cannot be reached by TLS"),
    ):
        with (
            open_store(address, token=room.token, ca_file=ca) as remote,
            pytest.raises(edgedp.StoreUnavailableError, match=why) as caught,
        ):
            remote.priv_top_k("star", **ASKED)
        assert "\n" not in str(caught.value)
        assert room.token not in str(caught.value)


def test_an_authority_goes_with_https_and_is_a_certificate(room: SimpleNamespace, tmp_path: Path) -> None:
    crooked = tmp_path / "ca.pem"
    crooked.write_text("none")
    for address, ca, why in (
        (room.served.address, crooked, "ca_file must be a PEM file"),
        (room.served.address, tmp_path / "missing.pem", "ca_file must be a PEM file"),
        ("http://127.0.0.1:9", room.ca, "a ca_file goes with"),
        ("neo4j://localhost:7687", room.ca, "a ca_file goes with"),
        (str(tmp_path / "g.edgedp"), room.ca, "a ca_file goes with"),
    ):
        token = room.token if address.startswith("http") else None
        with pytest.raises(edgedp.ParameterError, match=why):
            open_store(address, token=token, ca_file=ca)


def test_cookies_are_secure_and_browsers_are_told_to_stay(room: SimpleNamespace) -> None:
    trusted = ssl.create_default_context(cafile=room.ca)
    with httpx.Client(base_url=room.served.address, verify=trusted, timeout=120) as browser:
        answer = browser.post("/sign-in", data={"token": room.token})
        assert answer.status_code == 303
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("__Host-edgedp=")
        for part in ("Secure", "HttpOnly", "SameSite=strict", "Path=/"):
            assert part in cookie
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
        page = browser.get("/graphs/star").text
        assert "star" in page


def test_nothing_is_answered_without_tls(room: SimpleNamespace) -> None:
    with httpx.Client(timeout=120) as client, pytest.raises(httpx.HTTPError):
        client.get(f"http://127.0.0.1:{room.served.port}/healthz")
