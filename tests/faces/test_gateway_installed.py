"""The unit and the proxies' TLS as docs/operator.md has them: only addresses and files are others here."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from edgedp import Graph, open_store
from gateway_server import serve
from test_gateway_proxies import block, free

pytestmark = pytest.mark.wide

HOST = "graphs.example.org"


def unit() -> str:
    """Return the unit as the page has it."""
    return block("[Unit]")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with open_store(tmp_path / "g.edgedp") as opened:
        opened.load(Graph.from_edges([(1, 2), (2, 3)]), "star", epsilon_budget=3)
    return tmp_path / "g.edgedp"


def certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate of the page's host, as the page makes one."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with; apt-get install openssl")
    key, public = folder / "graphs.key", folder / "graphs.pem"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += ["-days", "2", "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"]
    words += ["-addext", "keyUsage=critical,digitalSignature,keyCertSign"]
    subprocess.run([*words, "-keyout", key, "-out", public], check=True, capture_output=True)
    (folder / "both.pem").write_text(public.read_text() + key.read_text())
    return key, public


def test_systemd_knows_every_line_of_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze; apt-get install systemd")
    program = tmp_path / "edgedp"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    file = tmp_path / "edgedp.service"
    file.write_text(unit().replace("/opt/edgedp/bin/edgedp", str(program)))
    checked = subprocess.run(["systemd-analyze", "verify", "--man=no", file], capture_output=True, text=True)
    said = [line for line in checked.stderr.splitlines() if "edgedp.service" in line]
    assert said == [], "a line that systemd does not know"
    file.write_text(file.read_text().replace("NoNewPrivileges", "NoNewPrivilege"))
    checked = subprocess.run(["systemd-analyze", "verify", "--man=no", file], capture_output=True, text=True)
    assert "NoNewPrivilege" in checked.stderr, "or this test could not fail"


def test_the_command_of_the_unit_serves_its_host_and_ends_as_it_is_told_to(
    store: Path, tmp_path: Path
) -> None:
    (command,) = re.findall(r"^ExecStart=(.*)$", unit(), re.MULTILINE)
    program, _, options = command.partition(" serve ")
    assert program == "/opt/edgedp/bin/edgedp --store /var/lib/edgedp/graphs.edgedp"
    with serve(store, tmp_path, *options.split(), fresh=True) as served:
        with httpx.Client(base_url=served.address, headers={"Host": HOST}) as client:
            assert client.get("/readyz").json() == {"status": "ready"}
            assert client.get("/readyz", headers={"Host": "elsewhere.example.org"}).status_code >= 400
        assert "KillSignal=SIGTERM" in unit()
        assert served.end() == 0


@pytest.mark.parametrize("name", ["nginx", "haproxy"])
def test_a_proxy_ends_tls_as_the_page_has_it(name: str, store: Path, tmp_path: Path) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"no {name}; apt-get install {'nginx-light' if name == 'nginx' else name}")
    key, public = certificate(tmp_path)
    port, file = free(), tmp_path / "configuration"
    with serve(store, tmp_path, "--behind-proxy", "--allowed-host", HOST) as served:
        if name == "haproxy":
            text = block("backend edgedp").replace("bind :443", f"bind 127.0.0.1:{port}")
            text = text.replace("/etc/ssl/graphs-and-key.pem", str(tmp_path / "both.pem"))
            file.write_text(text.replace("127.0.0.1:8750", f"127.0.0.1:{served.port}"))
            words = ["haproxy", "-db", "-f", str(file)]
        else:
            text = block("proxy_pass").replace("listen 443", f"listen 127.0.0.1:{port}")
            text = text.replace("/etc/ssl/graphs.pem", str(public)).replace("/etc/ssl/graphs.key", str(key))
            text = text.replace("127.0.0.1:8750", f"127.0.0.1:{served.port}")
            places = "".join(
                f"{each}_temp_path {tmp_path}/{each};"
                for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
            )
            file.write_text(
                f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error;\nevents {{}}\n"
                f"http {{ access_log off; {places}\n{text}}}\n"
            )
            words = ["nginx", "-p", str(tmp_path), "-e", f"{tmp_path}/error", "-c", str(file)]
        with (
            (tmp_path / "said").open("w") as said,
            subprocess.Popen(words, stdout=said, stderr=said) as proxy,
        ):
            try:
                answer = asked(public, port, proxy, tmp_path / "said")
            finally:
                proxy.terminate()
    assert answer.status_code == 200
    assert answer.json() == {"status": "ready"}


def asked(public: Path, port: int, proxy: subprocess.Popen[bytes], said: Path) -> httpx.Response:
    """Ask the proxy by its name over TLS that is checked, once it listens."""
    import ssl

    known = ssl.create_default_context(cafile=str(public))
    over = time.monotonic() + 240
    with httpx.Client(verify=known, headers={"Host": HOST}, timeout=60) as client:
        while True:
            try:
                named = {"sni_hostname": HOST}
                return client.get(f"https://127.0.0.1:{port}/readyz", extensions=named)
            except httpx.ConnectError:
                assert proxy.poll() is None, said.read_text()
                assert time.monotonic() < over
                time.sleep(0.05)
