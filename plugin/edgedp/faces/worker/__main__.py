"""Run the worker: ``python -m edgedp.worker``, started by the Neo4j plugin.

Descriptor 0 brings requests, descriptor 1 takes answers and nothing else: whatever prints goes to
descriptor 2. When descriptor 0 closes, for whatever reason, the process ends at once, also in the
middle of a job: no worker outlives its database.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from types import TracebackType
from typing import BinaryIO

from edgedp.stores.neo4j.frames import Frame, joined, read_frame, write_frame
from edgedp.words.errors import EdgeDPError
from edgedp.words.version import __version__

_PACKAGE = "edgedp"


def main(arguments: list[str] | None = None) -> None:
    """Serve requests until standard input closes."""
    parser = argparse.ArgumentParser(prog="python -m edgedp.worker", description=__doc__)
    parser.add_argument("--frame-limit", type=int, default=2**30, metavar="BYTES")
    parser.add_argument("--memory-limit", type=int, default=0, metavar="BYTES", help="0: none")
    options = parser.parse_args(arguments)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt at the console is the server's to handle
    requests, answers = _claim_standard_streams()
    if options.memory_limit:
        _limit_memory(options.memory_limit)

    from edgedp.faces.worker.jobs import VERBS  # heavy: all that computes

    queue: SimpleQueue[Frame | BaseException] = SimpleQueue()
    threading.Thread(target=_watch, args=(requests, queue, options.frame_limit), daemon=True).start()
    python = sys.version.split()[0]
    hello = {"verb": "hello", "version": __version__, "python": python, "pid": os.getpid()}
    write_frame(answers, Frame(hello))
    sys.excepthook = _report  # graphs come from now on

    def converse(asked: Frame) -> Frame:
        write_frame(answers, asked)
        told = queue.get()
        if isinstance(told, BaseException):
            raise told
        return told

    pairs: list[Frame] = []
    while True:
        request = queue.get()
        if isinstance(request, Frame) and request.header.get("verb") == "pairs":
            pairs.append(request)  # ahead of the request that they are of
        else:
            write_frame(answers, _answer(_whole(request, pairs), VERBS, converse))
            del request


def _answer(
    request: Frame | BaseException,
    verbs: Mapping[str, Callable[..., Frame]],
    converse: Callable[[Frame], Frame],
) -> Frame:
    """Run one job; a refusal travels as its sentence, any other error as its type and place alone."""
    if isinstance(request, BaseException):
        return _failure(request)
    try:
        verb = request.header["verb"]
        result = verbs[verb](request, converse) if verb == "draw" else verbs[verb](request)
        return Frame({"answer": result.header}, result.arrays)
    except EdgeDPError as error:
        from edgedp.faces.worker.wording import in_cypher

        return Frame({"refusal": in_cypher(str(error))})
    except Exception as error:
        return _failure(error)


def _whole(request: Frame | BaseException, pairs: list[Frame]) -> Frame | BaseException:
    """Add to a request the pairs that came ahead of it."""
    if isinstance(request, BaseException) or not pairs:
        return request
    arrays = [each.arrays for each in pairs]
    pairs.clear()
    try:
        return Frame(request.header, {**request.arrays, **joined(arrays)})
    except MemoryError as error:
        return error


def _failure(error: BaseException) -> Frame:
    return Frame({"failure": {"type": type(error).__name__, "place": _place(error.__traceback__)}})


def _watch(requests: BinaryIO, queue: SimpleQueue[Frame | BaseException], limit: int) -> None:
    """Read requests ahead of the jobs, so that the end of the stream is seen while a job computes."""
    try:
        while (frame := read_frame(requests, limit=limit)) is not None:
            queue.put(frame)
            del frame  # the job owns the arrays now
    except OSError:
        pass
    except Exception as error:
        queue.put(error)  # the plugin will not use this worker again; until it lets go, wait
        while requests.read(2**16):
            pass
    os._exit(0)


def _claim_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep descriptors 0 and 1 for frames; leave nothing to read and stderr to print to in their place."""
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb", buffering=2**16)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def _limit_memory(limit: int) -> None:
    """Let an allocation beyond the limit fail here, instead of letting the system kill the database."""
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an error's type and place: its message may hold values."""
    print(f"edgedp-worker: {kind.__name__} at {_place(trace)}", file=sys.stderr, flush=True)  # noqa: T201


def _place(trace: TracebackType | None) -> str:
    """Return file and line of the innermost frame inside this package."""
    folder = f"{os.sep}{_PACKAGE}{os.sep}"
    inside = [frame for frame in traceback.extract_tb(trace) if folder in frame.filename]
    if not inside:
        return "an unknown place"
    return f"{_PACKAGE}/{inside[-1].filename.rpartition(folder)[2]}:{inside[-1].lineno}"


if __name__ == "__main__":
    main()
