"""The files of a folder or of a pattern, in one order: all of them, or a refusal that names one."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, NoReturn
from urllib.parse import unquote, urlsplit

from edgedp.words.errors import GraphFormatError, UnknownNameError

TABLES = {"_delta_log": "a Delta table", ".hoodie": "a Hudi table", "metadata": "an Iceberg table"}
"""Folders that say which files of a table still count: without them removed rows would be edges."""
_REMEDIES = {
    "_delta_log": "load the whole table by its own folder, or export its present rows to Parquet and load those",
    ".hoodie": "export its present rows to Parquet and load those",
    "metadata": "name the metadata file of its present version (metadata/....metadata.json), which its catalogue "
    "names, or export its present rows to Parquet and load those",
}


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
    if (path / "_delta_log").is_dir():
        return delta_parts(path, name), 0
    if path.name.endswith(".metadata.json") and path.is_file():
        return iceberg_parts(path, name), 0
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
    folders: set[str] = set()
    for path in (*found, *files):
        _add_above(os.path.realpath(path), folders)
    for path in files:
        _add_above(os.path.dirname(path.absolute()), folders)
    for folder in sorted(folders):
        for mark, what in TABLES.items():
            log = os.path.join(folder, mark)
            # os.path, not Path: a folder that may not be searched is named when its files are read
            if os.path.isdir(log) and (mark != "metadata" or any(Path(log).glob("*.metadata.json"))):
                raise GraphFormatError(
                    f"{folder!r} is {what}, in which files of removed rows stay; {_REMEDIES[mark]}"
                )


def _add_above(path: str, folders: set[str]) -> None:
    """Add a path and all folders above it: where one is there, so are those above it."""
    while path not in folders:
        folders.add(path)
        path = os.path.dirname(path)


def _unreadable(path: Path, error: OSError) -> GraphFormatError:
    reason = error.strerror or type(error).__name__
    return GraphFormatError(f"{str(path)!r} cannot be read ({reason}); check the file and who may read it")


# -- tables whose own log says which files count: what no file alone says is refused ----------------

_PLAIN = frozenset({"deletionVectors", "timestampNtz", "v2Checkpoint", "variantType", "vacuumProtocolCheck"})
"""What a table may need of its readers, and its files alone still say, where no row of a file is taken out."""


def delta_parts(path: Path, name: str) -> tuple[Part, ...]:
    """Return the files of the present version of a Delta table.

    Raises
    ------
    GraphFormatError
        The library is missing, or the files alone do not say what the rows are.
    """
    try:
        from deltalake import DeltaTable
    except ImportError:
        _not_installed(name, "a Delta table", "deltalake")
    try:
        table = DeltaTable(str(path))
        needs = set(table.protocol().reader_features or ())
        mapped = table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none"
        removed = "deletionVectors" in needs and bool(table.deletion_vectors().read_all().num_rows)
        files = [Path(unquote(urlsplit(each).path) if "://" in each else each) for each in table.file_uris()]
    except Exception as error:  # of the library, whose words may repeat paths and values
        raise GraphFormatError(
            f"{name!r} is a Delta table, in which files of removed rows stay, and whose log cannot be read "
            f"({type(error).__name__}); export its present rows to Parquet and load those"
        ) from None
    if mapped or removed or needs - _PLAIN:
        what = "columns of other names in its files" if mapped else "rows taken out of files"
        _not_plain(name, "a Delta table", what if mapped or removed else "features that edgedp does not know")
    return _sorted(files, name)


def iceberg_parts(path: Path, name: str) -> tuple[Part, ...]:
    """Return the files of the version of an Iceberg table that a metadata file describes.

    Raises
    ------
    GraphFormatError
        As of `delta_parts`.
    """
    try:
        from pyiceberg.table import StaticTable
    except ImportError:
        _not_installed(name, "a version of an Iceberg table", "pyiceberg")
    try:
        table = StaticTable.from_metadata(str(path.absolute()))
        tasks = list(table.scan().plan_files())
        names = {field.field_id: set[str]() for schema in table.metadata.schemas for field in schema.fields}
        for schema in table.metadata.schemas:
            for field in schema.fields:
                names[field.field_id].add(field.name)
        formats = {
            str(getattr(task.file.file_format, "value", task.file.file_format)).upper() for task in tasks
        }
        files = [_local(task.file.file_path) for task in tasks]
    except Exception as error:  # of the library
        raise GraphFormatError(
            f"{name!r} describes no Iceberg table that can be read ({type(error).__name__}); export its "
            "present rows to Parquet and load those"
        ) from None
    what = (
        "columns that were renamed"
        if any(len(each) > 1 for each in names.values())
        else "rows taken out of files"
        if any(task.delete_files for task in tasks)
        else "files that are not Parquet on this machine"
        if formats - {"PARQUET"} or None in files
        else None
    )
    if what is not None:
        _not_plain(name, "a version of an Iceberg table", what)
    return _sorted([file for file in files if file is not None], name)


def _local(address: str) -> Path | None:
    scheme, mark, rest = address.partition("://")
    if not mark:
        return Path(address.removeprefix("file:"))
    return Path(unquote("/" + rest.lstrip("/"))) if scheme == "file" else None


def _sorted(files: list[Path], name: str) -> tuple[Part, ...]:
    if not files:
        raise GraphFormatError(f"{name!r} holds no row; check the table")
    with suppress(OSError):
        files = [each.resolve() for each in files]
    return tuple(Part(each, partition_of(each)) for each in sorted(files))


def _not_installed(name: str, what: str, library: str) -> NoReturn:
    raise GraphFormatError(
        f"{name!r} is {what}, in which files of removed rows stay; install {library} (edgedp[lakes]), or export its "
        "present rows to Parquet and load those"
    ) from None


def _not_plain(name: str, what: str, why: str) -> NoReturn:
    raise GraphFormatError(
        f"{name!r} is {what} with {why}, so that its files do not say its rows; export its present rows to "
        "Parquet and load those"
    )
