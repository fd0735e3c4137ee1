"""Every sabotage must be caught by the test it names, which must pass without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sabotage import SABOTAGES, Sabotage

HERE = Path(__file__).parent


class Outcomes:
    """What became of the tests of a run inside this one."""

    def __init__(self) -> None:
        self.passed: list[str] = []
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            (self.passed if report.passed else self.failed).append(report.nodeid)


def run(*node_ids: str) -> Outcomes:
    """Run tests in this process, so that what is patched is patched for them too."""
    outcomes = Outcomes()
    pytest.main(
        ["-q", "--no-header", "-p", "no:cacheprovider", *(str(HERE / node_id) for node_id in node_ids)],
        plugins=[outcomes],
    )
    return outcomes


@pytest.fixture(scope="module", autouse=True)
def table(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """Collect who was caught, and print it when all are done."""
    caught: dict[str, str] = {}
    yield caught
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    capture = request.config.pluginmanager.get_plugin("capturemanager")
    if reporter is not None and capture is not None:
        with capture.global_and_fixture_disabled():
            reporter.write_line("")
            for name, by in caught.items():
                reporter.write_line(f"{name:56} {by}")


@pytest.mark.parametrize("sabotage", SABOTAGES, ids=lambda sabotage: sabotage.name)
def test_every_sabotage_is_caught(
    sabotage: Sabotage, table: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sabotage.apply(monkeypatch)
    outcomes = run(sabotage.caught_by)
    assert outcomes.failed, f"nothing catches {sabotage.name!r}: {sabotage.caught_by} passes, or is no test"
    table[sabotage.name] = f"caught by {sabotage.caught_by}"


def test_what_catches_them_passes_without_them() -> None:
    wanted = sorted({sabotage.caught_by for sabotage in SABOTAGES})
    outcomes = run(*wanted)
    assert not outcomes.failed
    assert len(outcomes.passed) == len(wanted)


def test_names_are_unique() -> None:
    assert len({sabotage.name for sabotage in SABOTAGES}) == len(SABOTAGES)


def test_a_sabotage_that_nothing_catches_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness itself: a harmless patch is not reported as caught."""
    harmless = Sabotage(
        "harmless", {"edgedp.epsilon:NANO": lambda real: real}, "test_epsilon.py::test_budgets_round_down"
    )
    harmless.apply(monkeypatch)
    assert not run(harmless.caught_by).failed
    assert not run("test_epsilon.py::test_that_is_not_there").failed
