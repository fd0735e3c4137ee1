"""What a gateway writes down of libraries and threads: that something went wrong and where, never their words."""

from __future__ import annotations

import io
import json
import logging
import threading
from collections.abc import Iterator

import pytest

from edgedp.faces.gateway.door.observing import Log, quiet_libraries

PRIVATE = "the degree of ann is 12"


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """Let a log take what libraries say, until the test is over."""
    loggers = [
        logging.getLogger(name)
        for name in (None, "uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi")
    ]
    before = [(each, each.handlers[:], each.level, each.propagate, each.disabled) for each in loggers]
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    written = io.StringIO()
    quiet_libraries(Log(written))
    yield written
    for each, handlers, level, propagate, disabled in before:
        each.handlers[:] = handlers
        each.setLevel(level)
        each.propagate, each.disabled = propagate, disabled


@pytest.mark.parametrize("name", ["neo4j.io", "uvicorn.error", "asyncio"])
def test_a_library_is_written_down_without_its_words(lines: io.StringIO, name: str) -> None:
    try:
        raise ValueError(PRIVATE)
    except ValueError:
        logging.getLogger(name).exception("%s, %d", PRIVATE, 12, stack_info=True)
    (line,) = lines.getvalue().splitlines()
    found = json.loads(line)
    assert (found["event"], found["logger"], found["level"]) == ("library", name, "error")
    assert found.keys() == {"at", "event", "logger", "level", "where"}
    assert found["where"] == test_a_library_is_written_down_without_its_words.__name__
    assert "ann" not in line


def test_what_is_no_warning_is_not_written_down(lines: io.StringIO) -> None:
    logging.getLogger("neo4j.io").info(PRIVATE)
    logging.getLogger("uvicorn.access").error("GET /v1/graphs/ann")
    assert lines.getvalue() == ""


def test_a_thread_that_fails_is_a_defect_without_a_word(
    lines: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> None:
        raise ValueError(PRIVATE)

    thread = threading.Thread(target=fails)
    thread.start()
    thread.join()
    found = json.loads(lines.getvalue())
    assert found.keys() == {"at", "event", "where", "error"}
    assert (found["event"], found["where"], found["error"]) == ("defect", "thread", "ValueError")
    assert capsys.readouterr() == ("", "")
