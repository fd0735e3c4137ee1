"""One part of a source that is several files, and what the names of its folders say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

__all__ = ["Part", "partition_of"]


@dataclass(frozen=True, slots=True)
class Part:
    """One file or object, the columns that the names of its folders give (``month=2024-06/``), and an object's mark."""

    path: PurePath
    partition: tuple[tuple[str, str], ...] = ()
    bucket: Any = None
    mark: tuple[int, ...] | None = None

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self.path) if self.bucket is None else self.bucket.name


def partition_of(path: PurePath) -> tuple[tuple[str, str], ...]:
    """Return the columns that the names of a file's folders give.

    Examples
    --------
    >>> partition_of(PurePath("payments/month=2024-06/part-0.csv"))
    (('month', '2024-06'),)
    """
    pairs = [name.split("=", 1) for name in path.parent.parts if "=" in name.strip("=")]
    return tuple((name, value) for name, value in pairs)
