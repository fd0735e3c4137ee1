"""Cells to rows: in this process or in several, with what is finished kept and what is left told."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgedp.exact.experiments.facts import Facts
from edgedp.exact.experiments.grid import Cell
from edgedp.exact.experiments.keeping import Kept
from edgedp.words.errors import EngineError, ParameterError
from edgedp.words.progress import Progress, Silent

if TYPE_CHECKING:
    import polars as pl

    from edgedp.exact.experiments.runs import Runner

_AHEAD = 4
"""Cells that wait at a process: memory does not grow with the grid."""
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS")


def run_cells(
    facts: Facts,
    cells: Sequence[Cell],
    seed: int,
    *,
    file: Path | None = None,
    asked: dict[str, Any] | None = None,
    processes: int = 1,
    progress: Progress | None = None,
) -> pl.DataFrame:
    """Return the rows of all cells, in their order.

    Parameters
    ----------
    facts : Facts
    cells : sequence of Cell
    seed : int
    file : Path, optional
        Where the rows go; finished cells of an interrupted experiment of the same kind are taken from there.
    asked : dict, optional
        What the experiment is, JSON-able; with `file`.
    processes : int
        Beside this one when above 1.
    progress : Progress, optional
        Told the cells done, of all.
    """
    import polars as pl

    from edgedp.exact.experiments.rows import empty

    told = Silent() if progress is None else progress
    if file is None:
        frames = dict(_finished(facts, cells, seed, processes, told, 0, len(cells)))
        return pl.concat([empty(), *(frames[cell.key] for cell in cells)])
    kept = Kept(file, {"seed": seed, **(asked or {})}, private=facts.stored)
    left = [cell for cell in cells if not kept.has(cell.key)]
    for key, rows in _finished(facts, left, seed, processes, told, len(cells) - len(left), len(cells)):
        kept.keep(key, rows)
    return kept.finish([cell.key for cell in cells])


def _finished(
    facts: Facts,
    cells: Sequence[Cell],
    seed: int,
    processes: int,
    progress: Progress,
    done: int,
    total: int,
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield finished cells with their keys, as they end."""
    progress("running cells", done, total)
    source = (
        _here(facts, cells, seed)
        if processes == 1 or len(cells) < 2
        else _there(facts, cells, seed, processes)
    )
    for finished in source:
        done += 1
        progress("running cells", done, total)
        yield finished


def _here(facts: Facts, cells: Sequence[Cell], seed: int) -> Iterator[tuple[str, pl.DataFrame]]:
    from edgedp.exact.experiments.runs import Runner

    runner = Runner(facts, seed)
    for cell in cells:
        yield cell.key, runner.run(cell)


def _there(
    facts: Facts, cells: Sequence[Cell], seed: int, processes: int
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield from processes of one thread each, a few cells ahead."""
    waiting = iter(cells)
    with (
        _one_thread_each(),
        ProcessPoolExecutor(
            processes, get_context("spawn"), initializer=_begin, initargs=(facts, seed)
        ) as pool,
    ):
        running: dict[Future[pl.DataFrame], str] = {}
        try:
            while True:
                for cell in islice(waiting, _AHEAD * processes - len(running)):
                    running[pool.submit(_run, cell)] = cell.key
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    key = running.pop(future)
                    yield key, _result(future)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _result(future: Future[pl.DataFrame]) -> pl.DataFrame:
    from concurrent.futures.process import BrokenProcessPool

    try:
        return future.result()
    except BrokenProcessPool:
        raise EngineError(
            "a process of the experiment was ended from outside; ask again: with a file, what was finished is kept"
        ) from None


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Start processes that compute in one thread each; a variable that is set already stays."""
    ours = [name for name in _ONE_THREAD if name not in os.environ]
    os.environ.update(dict.fromkeys(ours, "1"))
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)


_RUNNER: list[Runner] = []
"""Of a process that runs cells: what its cells share."""


def _begin(facts: Facts, seed: int) -> None:
    from edgedp.exact.experiments.runs import Runner

    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _RUNNER[:] = [Runner(facts, seed)]


def _end_with(parent: BaseProcess) -> None:
    """End this process when the one that asked for cells is gone, killed or not."""
    parent.join()
    os._exit(1)


def _run(cell: Cell) -> pl.DataFrame:
    return _RUNNER[0].run(cell)


def check_processes(processes: Any) -> int:
    """Return a checked number of processes; None is one for each core."""
    if processes is None:
        return os.cpu_count() or 1
    if not isinstance(processes, int) or isinstance(processes, bool) or not 1 <= processes <= 256:
        raise ParameterError(f"processes is {processes!r}, must be an integer from 1 to 256; give another")
    return processes
