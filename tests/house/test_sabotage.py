"""Every sabotage must be caught by the test it names, which passes without it in the ordinary run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest

from edits import edited
from loaded import import_everything, kept_results
from places import node_of
from sabotage import SABOTAGES, Sabotage, statement

# Each costs more than most tests do: garbage collected twice a run, every fixture looked at again.
NOT_NEEDED = (
    "cacheprovider",
    "unraisableexception",
    "threadexception",
    "schemathesis",
    "xdist",
    "pytest_cov",
    "anyio",
)


class Outcomes:
    """What became of the tests of a run inside this one: how many passed, and why the others did not."""

    def __init__(self) -> None:
        self.passed = 0
        self.failures: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.passed += 1
        elif report.failed:
            shown: Any = report.longrepr  # of a failed test, with the place of the crash
            self.failures.append(str(shown.reprcrash.message))

    @property
    def caught(self) -> bool:
        """Whether a test failed by what it asserts or refuses."""
        reasons = ("assert ", "AssertionError", "Failed: DID NOT RAISE", "edgedp.")
        return any(failure.startswith(reasons) for failure in self.failures)


@contextmanager
def sabotaged(sabotage: Sabotage) -> Iterator[None]:
    """Break the code, and leave nothing of it behind: whatever ran before, a test sees what it would see alone.

    A module that is imported before keeps the right thing under a patch, one that is imported under it the wrong thing
    for ever, and so does a function that keeps its results. So the package and the file of tests are imported first,
    and what is kept in memory is forgotten before and after.
    """
    import_everything()
    collect(sabotage.caught_by.partition("::")[0])
    there, kept = ours(), kept_results()
    try:
        with pytest.MonkeyPatch.context() as monkeypatch:
            sabotage.apply(monkeypatch)
            for each in kept:
                each.cache_clear()
            yield
    finally:
        for each in kept:
            each.cache_clear()
    assert ours() == there, f"imported under a patch, which they keep: {sorted(ours() - there)}"


@cache
def collect(file: str) -> None:
    """Import a file of tests, once."""
    run("--collect-only", node_of(file))


def ours() -> set[str]:
    return {name for name in sys.modules if name.partition(".")[0] in ("edgedp", "tests")}


def run(*words: str) -> Outcomes:
    """Run tests in this process, so that what is patched is patched for them too.

    They fail as they should, and nobody reads how: where these variables are set, pytest would spell out the
    difference between two long lists, which takes longer than any test may.
    """
    outcomes = Outcomes()
    with pytest.MonkeyPatch.context() as environment:
        for name in ("CI", "BUILD_NUMBER"):
            environment.delenv(name, raising=False)
        without = [f"-pno:{plugin}" for plugin in NOT_NEEDED]
        pytest.main(
            ["-q", "--no-header", *without, *(node_of(each) if "::" in each else each for each in words)],
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
            reporter.write_line(f"\n{'sabotage':54}caught by")
            for name, by in caught.items():
                reporter.write_line(f"{name:54}{by}")


@pytest.mark.wide
@pytest.mark.parametrize("sabotage", SABOTAGES, ids=lambda sabotage: sabotage.name)
def test_every_sabotage_is_caught(sabotage: Sabotage, table: dict[str, str]) -> None:
    with sabotaged(sabotage):
        outcomes = run(sabotage.caught_by)
    assert outcomes.caught, (
        f"nothing catches {sabotage.name!r}: {sabotage.caught_by} passes or is no test; {outcomes.failures}"
    )
    table[sabotage.name] = sabotage.caught_by


@pytest.mark.slow
def test_what_catches_them_passes_without_them_in_the_same_way() -> None:
    """The ordinary run of the suite says so too: every test named is part of it."""
    wanted = sorted({sabotage.caught_by for sabotage in SABOTAGES})
    outcomes = run(*wanted)
    assert not outcomes.failures
    assert outcomes.passed >= len(wanted)  # a name may stand for all cases of a test


def test_names_are_unique() -> None:
    assert len({sabotage.name for sabotage in SABOTAGES}) == len(SABOTAGES)


def test_a_sabotage_that_nothing_catches_is_noticed() -> None:
    """The harness itself: a harmless patch is not reported as caught."""
    harmless = Sabotage(
        "harmless",
        {"edgedp.words.amounts.epsilon:NANO": lambda real: real},
        "test_epsilon.py::test_budgets_round_down",
    )
    with sabotaged(harmless):
        assert not run(harmless.caught_by).caught
    assert not run("test_epsilon.py::test_that_is_not_there").caught


@pytest.mark.parametrize(
    ("target", "caught_by"),
    [
        (
            "edgedp.mechanisms.adaptive.planned:draw_until_sure",
            "test_until_sure.py::"
            "test_every_step_is_paid_for_before_it_is_drawn_and_the_sum_is_what_the_release_says[8-ebc]",
        ),
        (
            "edgedp.stores.statements.queries:asset",
            "test_queries.py::test_a_statement_comes_without_its_comments_and_with_its_names_filled",
        ),
    ],
    ids=["a module that was imported", "a result that is kept"],
)
def test_what_ran_before_hides_no_sabotage(target: str, caught_by: str) -> None:
    """One was missed after other files of tests: what it patched had been imported by then, and kept."""
    assert run(caught_by).passed
    broken = Sabotage(
        "broken", {target: lambda real: lambda *_, **__: pytest.fail("assert False")}, caught_by
    )
    with sabotaged(broken):
        assert run(caught_by).failures
    assert run(caught_by).passed


def test_no_sabotage_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every patch finds what it changes, by its name, by its line or by its words, also where nobody runs it."""
    for sabotage in SABOTAGES:
        with monkeypatch.context() as patch:
            sabotage.apply(patch)


@pytest.mark.parametrize(
    "patches",
    [
        statement("account_debit", "$cost <= maxPerRelease", "1"),
        {"edgedp.ledger.script:debit": lambda real: real},
        {"edgedp.ledger.scripts:debit": lambda real: real},
        {"edgedp.release.plan.base:checked_target.__code__": edited("if target is 1:", "if False:")},
        {"edgedp.mechanisms.adaptive.until_sure:draw_until_sure": lambda real: real},
    ],
    ids=["a statement", "a name", "a module", "a line", "a name that nobody looks up"],
)
def test_a_stale_sabotage_is_refused(patches: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """One was taken for caught once: its patch failed inside the test that it names, by an assertion."""
    with pytest.raises((AssertionError, AttributeError, ImportError)):
        Sabotage("stale", patches, "test_ledger.py::test_the_limit_of_one_release_holds_to_the_nano").apply(
            monkeypatch
        )
