"""Results on disk: finished cells are kept as they end, and become one Parquet file when all are done."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from edgedp.exact.experiments.rows import COLUMNS, completed, empty, schema
from edgedp.words.errors import ParameterError

if TYPE_CHECKING:
    import polars as pl


class Kept:
    """The finished cells of one experiment, in a folder beside its file.

    Parameters
    ----------
    file : Path
        The Parquet file to come; the folder is ``<file>.partial``.
    asked : mapping
        What the experiment is; a folder of another one is refused.
    private : bool
        Whether the rows are of a stored graph: files are then for their owner alone.

    Raises
    ------
    ParameterError
        The file is there already, or the folder holds the beginning of another experiment.
    """

    def __init__(self, file: Path, asked: dict[str, Any], *, private: bool = False) -> None:
        self.file, self._private = file, private
        self.folder = file.with_name(f"{file.name}.partial")
        if file.exists():
            raise ParameterError(f"{file} exists already; remove it, or give another file")
        told = json.dumps(asked, sort_keys=True, indent=1)
        note = self.folder / "experiment.json"
        self._make_folder()
        if note.exists():
            if note.read_text(encoding="utf-8") != told:
                raise ParameterError(
                    f"{self.folder} holds the beginning of another experiment; "
                    "ask for the same again to go on, remove the folder, or give another file"
                )
            return
        with replacing(note, private=private) as out:
            out.write(told.encode())

    def has(self, key: str) -> bool:
        """Return whether a cell is finished."""
        return self._part(key).exists()

    def keep(self, key: str, rows: pl.DataFrame) -> None:
        """Keep a finished cell: whole or not at all."""
        with replacing(self._part(key), private=self._private) as out:
            rows.write_parquet(out)

    def finish(self, keys: Sequence[str]) -> pl.DataFrame:
        """Write the file from all cells in the order of the plan, and drop the folder."""
        import polars as pl

        rows = pl.concat([empty(), *(completed(pl.read_parquet(self._part(key))) for key in keys)])
        write_results(rows, self.file, private=self._private)
        shutil.rmtree(self.folder)
        return rows

    def _part(self, key: str) -> Path:
        return self.folder / f"{hashlib.blake2b(key.encode(), digest_size=12).hexdigest()}.parquet"

    def _make_folder(self) -> None:
        """Make the folder; one that is there may have been open to others."""
        self.folder.mkdir(mode=0o700 if self._private else 0o777, parents=True, exist_ok=True)
        if self.folder.is_symlink():
            raise ParameterError(f"{self.folder} is a link; remove it, or give another file")
        if self._private:
            self.folder.chmod(0o700)


@contextmanager
def replacing(file: Path, *, private: bool) -> Iterator[BinaryIO]:
    """Write a file beside its place and move it there: whole or not at all, its owner's from the first byte."""
    made = file.with_name(f".{file.name}.{secrets.token_hex(8)}.new")  # of this writer alone
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(made, flags, 0o600 if private else 0o666), "wb") as out:
            yield out
        made.replace(file)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def write_results(rows: pl.DataFrame, file: Path, *, private: bool = False) -> None:
    """Write rows as Parquet, whole or not at all."""
    with replacing(file, private=private) as out:
        rows.write_parquet(out)


def read_results(files: Iterable[str | Path]) -> pl.DataFrame:
    """Return the rows of result files, one below the other.

    Raises
    ------
    ParameterError
        A file is no Parquet file, or none of an experiment.
    """
    import polars as pl

    frames = [empty()]
    for file in files:
        try:
            rows = completed(pl.read_parquet(file))
        except OSError:
            raise
        except Exception as error:
            raise ParameterError(
                f"{file} is not a Parquet file; give what edgedp experiment wrote"
            ) from error
        if list(rows.columns) != list(COLUMNS) or dict(rows.schema) != schema():
            raise ParameterError(
                f"{file} has other columns than the results of an experiment; give what edgedp experiment wrote"
            )
        frames.append(rows)
    joined = pl.concat(frames)
    if joined.height == 0:
        raise ParameterError("the results hold no row; run an experiment first")
    return joined
