"""The files of a folder or of a pattern, in one order: all of them, or a refusal that names one."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from edgedp.graph.reading.sources.parts import Part, partition_of
from edgedp.words.errors import GraphFormatError, UnknownNameError

__all__ = ["TABLES", "Part", "is_hidden", "is_pattern", "marks_of", "partition_of", "parts_of"]

TABLES = {"_delta_log": "a Delta table", ".hoodie": "a Hudi table", "metadata": "an Iceberg table"}
"""Folders that say which files of a table still count: without them removed rows would be edges."""
_REMEDIES = {
    "_delta_log": "load the whole table by its own folder, or export its present rows to Parquet and load those",
    ".hoodie": "export its present rows to Parquet and load those",
    "metadata": "name the metadata file of its present version (metadata/....metadata.json), which its catalogue "
    "names, or export its present rows to Parquet and load those",
}


def is_pattern(name: str) -> bool:
    """Whether a path that does not exist is meant as a pattern of several.

    Examples
    --------
    >>> is_pattern("payments/*.parquet"), is_pattern("payments.parquet")
    (True, False)
    """
    return glob.has_magic(name)


def parts_of(path: Path, name: str) -> tuple[tuple[Part, ...], int]:
    """Return the files of a folder or a pattern, sorted, and how many hidden ones are left out.

    Raises
    ------
    UnknownNameError
        The pattern matches nothing.
    GraphFormatError
        There is no file, something that is no file, a link to a folder, an unreadable folder, or a table whose own log
        says which files count.
    """
    from edgedp.graph.reading.sources import lakes

    if lakes.is_delta(path):
        return lakes.delta_parts(path, name), 0
    if lakes.is_iceberg(path) and path.is_file():
        return lakes.iceberg_parts(path, name), 0
    found = [path] if os.path.isdir(path) else [Path(each) for each in glob.glob(str(path), recursive=True)]
    if not found:
        raise UnknownNameError(f"{name!r} matches no file; check the pattern")
    files: set[Path] = set()
    hidden = 0
    for each in found:
        if os.path.isdir(each):
            inside, left_out = _walked(each)
            files.update(inside)
            hidden += left_out
        elif is_hidden(each.name):
            hidden += 1
        else:
            files.add(each)
    _refuse_tables(found, files)
    if not files:
        raise GraphFormatError(f"{name!r} holds no file to read; check the folder")
    return tuple(Part(file, partition_of(file)) for file in sorted(files)), hidden


def marks_of(parts: Sequence[Part]) -> list[tuple[int, ...]]:
    """Return what changes when one of the files does: device, inode, size, and times of the last changes.

    Raises
    ------
    GraphFormatError
        One is no readable file.
    """
    marks = []
    for part in parts:
        if part.mark is not None:
            marks.append(part.mark)
            continue
        path = Path(part.path)
        try:
            found = path.stat()
        except OSError as error:
            raise _unreadable(path, error) from None
        if not stat.S_ISREG(found.st_mode):
            raise GraphFormatError(f"{str(part.path)!r} is not a file; take it out of the folder")
        marks.append((found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns))
    return marks


def _walked(folder: Path) -> tuple[list[Path], int]:
    files, hidden = [], 0

    def refuse(error: OSError) -> None:
        raise _unreadable(Path(error.filename or folder), error)

    for here, folders, names in os.walk(folder, onerror=refuse):
        for name in folders:
            if not is_hidden(name) and (Path(here) / name).is_symlink():
                raise GraphFormatError(
                    f"{str(Path(here) / name)!r} is a link to a folder, which is not followed; name that folder itself"
                )
        hidden += sum(map(is_hidden, [*folders, *names]))
        folders[:] = [name for name in folders if not is_hidden(name)]
        files += [Path(here) / name for name in names if not is_hidden(name)]
    return files, hidden


def is_hidden(name: str) -> bool:
    """Whether writers of tables mean a file as none of the rows (``_SUCCESS``, ``.crc``)."""
    return name.startswith((".", "_"))


def _refuse_tables(found: Iterable[Path], files: Iterable[Path]) -> None:
    """Refuse a table by the folder that its log is in, above or beside what was named or inside of it."""
    real = [Path(os.path.realpath(path)) for path in (*found, *files)]
    folders = {folder for path in real for folder in (path, *path.parents)}
    folders |= {folder for path in files for folder in path.absolute().parents}
    for folder in sorted(folders):
        for mark, what in TABLES.items():
            log = (
                folder / mark
            )  # os.path, not Path: a folder that may not be searched is named when its files are read
            if os.path.isdir(log) and (mark != "metadata" or any(log.glob("*.metadata.json"))):
                raise GraphFormatError(
                    f"{str(folder)!r} is {what}, in which files of removed rows stay; {_REMEDIES[mark]}"
                )


def _unreadable(path: Path, error: OSError) -> GraphFormatError:
    reason = error.strerror or type(error).__name__
    return GraphFormatError(f"{str(path)!r} cannot be read ({reason}); check the file and who may read it")
