"""The image and the compose file, as far as they can be checked without a Docker engine; the health check for real."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from neo4jserver import Server
from plugin_fixtures import PluginServer

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
DOCKERFILE = (DOCKER / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))
SERVICE, GATEWAY = COMPOSE["services"]["neo4j"], COMPOSE["services"]["gateway"]
GIGA = {"g": 1.0, "m": 1 / 1024}


def gigabytes(text: str) -> float:
    return float(text[:-1]) * GIGA[text[-1]]


def config(**environment: str) -> subprocess.CompletedProcess[str]:
    if shutil.which("docker") is None:
        pytest.skip("no docker client on this machine: the compose file was not checked by it")
    if subprocess.run(["docker", "compose", "version"], capture_output=True).returncode:
        pytest.skip("the docker client has no compose: the compose file was not checked by it")
    kept = {name: value for name, value in os.environ.items() if name != "NEO4J_AUTH_FILE"}
    return subprocess.run(
        ["docker", "compose", "-f", str(DOCKER / "compose.yaml"), "config", "--format", "json"],
        capture_output=True,
        text=True,
        env=kept | environment,
    )


def test_compose_is_valid(tmp_path: Path) -> None:
    done = config(NEO4J_AUTH_FILE=str(tmp_path / "auth.txt"))
    assert done.returncode == 0, done.stderr
    services = json.loads(done.stdout)["services"]
    service = services["neo4j"]
    assert "ports" not in service, "only the gateway is published"
    assert {port["host_ip"] for port in services["gateway"]["ports"]} == {"127.0.0.1"}
    assert "healthcheck" in service
    assert {volume["target"] for volume in service["volumes"]} == {"/data", "/logs"}


def test_only_the_gateway_is_published_and_it_serves_as_the_command_line_says() -> None:
    """Without Docker: what the file says, and that the command takes it."""
    from click.testing import CliRunner

    from edgedp.faces.cli import edgedp

    services = yaml.safe_load((DOCKER / "compose.yaml").read_text())["services"]
    assert "ports" not in services["neo4j"]
    assert services["gateway"]["ports"] == ["127.0.0.1:8750:8750"]
    done = CliRunner().invoke(edgedp, [*services["gateway"]["command"], "--response-step", "0"])
    assert "response_step is 0" in done.output, "everything before it is understood"


def test_compose_refuses_to_run_without_a_password_file() -> None:
    done = config()
    assert done.returncode != 0
    assert "NEO4J_AUTH_FILE" in done.stderr


def test_the_service_is_on_loopback_keeps_its_data_and_hides_no_jar() -> None:
    assert all(port.startswith("127.0.0.1:") for port in GATEWAY["ports"])
    assert {volume.partition(":")[2] for volume in SERVICE["volumes"]} == {"/data", "/logs"}


def test_no_password_stands_in_the_environment() -> None:
    for service in (SERVICE, GATEWAY):
        assert service["environment"]["NEO4J_AUTH_FILE"] == "/run/secrets/neo4j_auth"
        assert not {"NEO4J_AUTH", "NEO4J_PASSWORD"} & set(service["environment"])
        assert service["secrets"] == ["neo4j_auth"]
    assert COMPOSE["secrets"]["neo4j_auth"]["file"].startswith("${NEO4J_AUTH_FILE:?")


def test_heap_page_cache_and_workers_fit_the_limit_of_the_container() -> None:
    memory = {
        key.rpartition("memory_")[2]: gigabytes(value)
        for key, value in SERVICE["environment"].items()
        if "_memory_" in key
    }
    assert memory["heap_initial__size"] == memory["heap_max__size"]
    workers = int(re.findall(r"worker\.count=(\d+)", DOCKERFILE)[0])
    each = gigabytes(re.findall(r"worker\.memory\.limit=(\w+?)\\n", DOCKERFILE)[0])
    room = (
        gigabytes(SERVICE["mem_limit"]) - memory["heap_max__size"] - memory["pagecache_size"] - workers * each
    )
    assert room >= 1, "the rest of the JVM needs about 1 GB"


def test_the_base_image_is_named_by_version_and_digest() -> None:
    (base,) = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert re.fullmatch(r"neo4j:5\.26\.\d+-community-trixie@sha256:[0-9a-f]{64}", base)


def test_the_image_installs_the_plugin_as_a_server_does() -> None:
    assert "edgedp plugin install" in DOCKERFILE
    assert "--require-hashes" in DOCKERFILE


def test_only_what_is_copied_is_sent_to_the_builder() -> None:
    lines = [
        line
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    copied = {source for source, _ in re.findall(r"^COPY (\S+) (\S+)$", DOCKERFILE, re.MULTILINE)}
    assert lines[0] == "*"
    assert {line.removeprefix("!") for line in lines[1:]} == copied


def test_the_lock_file_holds_every_dependency_in_a_version_that_is_allowed() -> None:
    """Otherwise make it anew: docker/README.md."""
    text = (DOCKER / "requirements.txt").read_text(encoding="utf-8")
    entries = [entry for entry in re.split(r"\n(?=[a-z])", text) if not entry.startswith("#")]
    locked: dict[str, list[str]] = {}
    for entry in entries:
        name, _, version = entry.split()[0].partition("==")
        locked.setdefault(name, []).append(version)
        assert "--hash=sha256:" in entry, name
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for wanted in map(Requirement, project["dependencies"]):
        assert wanted.name in locked, f"{wanted.name} is not in the lock file"
        assert all(wanted.specifier.contains(version) for version in locked[wanted.name]), wanted


def test_hadolint_finds_nothing() -> None:
    linter = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")
    if linter is None:
        pytest.skip("no hadolint for this machine: the Dockerfile was not linted")
    done = subprocess.run([linter, str(DOCKER / "Dockerfile")], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    broken = subprocess.run([linter, "-"], input="FROM neo4j:latest\n", capture_output=True, text=True)
    assert "DL3007" in broken.stdout


# -- the health check -------------------------------------------------------------------------------------

CHECK: dict[str, Any] = runpy.run_path(str(DOCKER / "healthcheck.py"))


@pytest.fixture
def asked(tmp_path: Path) -> Callable[[Server, str], str]:
    def check(server: Server, password: str) -> str:
        secret = tmp_path / "auth.txt"
        said = f"{server.user}/{password}"
        if not secret.exists() or secret.read_text() != said:
            secret.write_text(said)
        address = ("127.0.0.1", int(server.uri.rpartition(":")[2]))
        answer: str = CHECK["check"](address, secret, tmp_path / "refused")
        return answer

    return check


def test_a_server_with_a_worker_is_healthy_also_after_its_password_was_changed(
    neo4j_with_plugin: PluginServer, asked: Callable[[Server, str], str], tmp_path: Path
) -> None:
    server = neo4j_with_plugin.server
    assert asked(server, server.password).startswith("plugin ")
    for _ in range(5):  # three wrong logins would lock the user out
        assert "the plugin was not asked" in asked(server, "another-than-it-is")
    assert neo4j_with_plugin.ask("RETURN 1 AS one") == [{"one": 1}]
    assert asked(server, server.password).startswith("plugin ")


def test_a_worker_that_does_not_answer_is_not_healthy(
    neo4j_with_plugin: PluginServer, asked: Callable[[Server, str], str]
) -> None:
    server = neo4j_with_plugin.server
    neo4j_with_plugin.configure(worker_python="/nowhere/python")
    try:
        with pytest.raises(CHECK["UnhealthyError"], match="no worker answers"):
            asked(server, server.password)
    finally:
        neo4j_with_plugin.configure()


def test_a_server_that_is_not_there_is_not_healthy(tmp_path: Path) -> None:
    secret = tmp_path / "auth.txt"
    with pytest.raises(CHECK["UnhealthyError"], match="cannot be read"):
        CHECK["check"](("127.0.0.1", 1), secret, tmp_path / "refused")
    secret.write_text("neo4j/whatever")
    with pytest.raises(CHECK["UnhealthyError"], match="does not answer"):
        CHECK["check"](("127.0.0.1", 1), secret, tmp_path / "refused")
    (tmp_path / "refused").write_text(str(secret.stat().st_mtime_ns))
    with pytest.raises(CHECK["UnhealthyError"], match="the server does not answer"):
        CHECK["check"](("127.0.0.1", 1), secret, tmp_path / "refused")
