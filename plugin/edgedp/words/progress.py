"""How work that takes long tells the caller how far it has come."""

from __future__ import annotations

from typing import Protocol

Stage = str
"""What is going on, as a participle: ``downloading``, ``reading``, ``building``."""


class Progress(Protocol):
    """A callable that is told, again and again, how far a stage has come.

    Parameters
    ----------
    stage : str
        What is going on; a new word starts a new stage.
    done, total : int
        How much is done and how much there is, in bytes of a file or cells of an experiment; `total` is None
        where it is not known.
    """

    def __call__(self, stage: Stage, done: int, total: int | None, /) -> None:
        """Take note of how far a stage has come."""


class Silent:
    """The progress of a caller who asked for none."""

    def __call__(self, stage: Stage, done: int, total: int | None, /) -> None:
        """Say nothing."""
