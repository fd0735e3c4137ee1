"""The compose file, as far as it can be checked without a Docker engine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

DOCKER = Path(__file__).parents[1] / "docker"


def config(**environment: str) -> subprocess.CompletedProcess[str]:
    if shutil.which("docker") is None:
        pytest.skip("no docker client on this machine: the compose file was not checked")
    if subprocess.run(["docker", "compose", "version"], capture_output=True).returncode:
        pytest.skip("the docker client has no compose: the compose file was not checked")
    kept = {name: value for name, value in os.environ.items() if name != "NEO4J_PASSWORD"}
    return subprocess.run(
        ["docker", "compose", "-f", str(DOCKER / "compose.yaml"), "config", "--format", "json"],
        capture_output=True,
        text=True,
        env=kept | environment,
    )


def test_compose_is_valid_and_on_loopback() -> None:
    done = config(NEO4J_PASSWORD="a-long-one")  # noqa: S106 - no server ever sees it
    assert done.returncode == 0, done.stderr
    services = json.loads(done.stdout)["services"]
    service = services["neo4j"]
    assert "ports" not in service, "only the gateway is published"
    assert {port["host_ip"] for port in services["gateway"]["ports"]} == {"127.0.0.1"}
    assert service["environment"]["NEO4J_AUTH"] == "neo4j/a-long-one"
    assert "healthcheck" in service
    assert {volume["target"] for volume in service["volumes"]} == {"/data", "/logs"}


def test_only_the_gateway_is_published_and_it_serves_as_the_command_line_says() -> None:
    """Without Docker: what the file says, and that the command takes it."""
    import yaml
    from click.testing import CliRunner

    from edgedp.cli import edgedp

    services = yaml.safe_load((DOCKER / "compose.yaml").read_text())["services"]
    assert "ports" not in services["neo4j"]
    assert services["gateway"]["ports"] == ["127.0.0.1:8750:8750"]
    done = CliRunner().invoke(edgedp, [*services["gateway"]["command"], "--response-step", "0"])
    assert "response_step is 0" in done.output, "everything before it is understood"


def test_compose_refuses_to_run_without_a_password() -> None:
    done = config()
    assert done.returncode != 0
    assert "set NEO4J_PASSWORD" in done.stderr


def test_the_image_installs_the_plugin_as_a_server_does() -> None:
    text = (DOCKER / "Dockerfile").read_text()
    assert "FROM neo4j:5.26" in text
    assert "edgedp plugin install" in text
