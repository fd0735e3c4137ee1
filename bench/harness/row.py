"""A row of the results: what is measured, beside whom, and what is wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

Clock = Literal["processor", "wall"]
Work = Callable[[], object]
Builder = Callable[[Any], Work]
"""Takes what the row prepared, does what is not measured, and returns the work that is."""

OURS = "edgedp"


class MissingRivalError(Exception):
    """A rival is not on this machine; the message says what lacks."""


@dataclass(frozen=True)
class Target:
    """What is wanted of ours: at most `limit`.

    Parameters
    ----------
    limit : float
        Seconds, a ratio, or bytes.
    of : {"seconds", "ratio", "memory"}
        *seconds* and *ratio* by the row's clock, the least of the runs; *ratio*: to the best rival, or to `to`.
        *memory*: beyond what the process held before.
    to : str, optional
        A column of the row, where the ratio is not to the best rival.
    """

    limit: float
    of: Literal["seconds", "ratio", "memory"] = "seconds"
    to: str | None = None


def nothing() -> None:
    """Prepare nothing."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of the results.

    Parameters
    ----------
    name : str
        Unique; for ``--only`` and for the file of its record.
    section, title : str
        Where it stands on the page, and what is measured, in a few words.
    prepare : callable
        Makes what all columns share, or a context manager of it; not measured.
    ours : Builder
        The column `OURS`.
    rivals : mapping of str to Builder
        Columns of others: the ratio is to the fastest.
    also : mapping of str to Builder
        Columns for orientation.
    wanted : tuple of Target
    reason : str
        Shown where something wanted is not reached.
    note : str
        Shown below the table, always.
    rounds : int
        Runs of each column; less for one that takes long.
    large : bool
        Minutes, or gigabytes: ``--quick`` leaves it out.
    clock : {"processor", "wall"}
    meter : callable, optional
        Makes another processor clock out of what was prepared, where a server does the work.
    group : str
        Rows of one group are measured in one process and share what `prepare` of the first made.
    """

    name: str
    section: str
    title: str
    ours: Builder
    prepare: Callable[[], Any] = nothing
    also: Mapping[str, Builder] = field(default_factory=dict)
    rivals: Mapping[str, Builder] = field(default_factory=dict)
    wanted: tuple[Target, ...] = ()
    reason: str = ""
    note: str = ""
    rounds: int = 9
    large: bool = False
    clock: Clock = "processor"
    meter: Callable[[Any], Callable[[], float]] | None = None
    group: str = ""

    @property
    def columns(self) -> dict[str, Builder]:
        """Ours first, then the other columns, by name."""
        return {OURS: self.ours, **self.also, **self.rivals}


def prepared(row: Row) -> AbstractContextManager[Any]:
    """Return what a row prepares, as a context manager."""
    made = row.prepare()
    return made if isinstance(made, AbstractContextManager) else nullcontext(made)


def rival(module: str) -> Any:
    """Import a rival, or say that it is missing."""
    name = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise MissingRivalError(f"{name} is not installed") from error
    except ImportError as error:
        raise MissingRivalError(f"{name} does not open beside the other packages that are here") from error
