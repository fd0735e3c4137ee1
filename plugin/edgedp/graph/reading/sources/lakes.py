"""Files of the present rows of Delta and Iceberg tables, as their own logs say; what no file alone says is refused.

The files are then read as a folder's are. So a table in which a part of a file no longer counts, or whose columns have
other names in the files, is refused.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NoReturn
from urllib.parse import unquote, urlsplit

from edgedp.graph.reading.sources.parts import Part, partition_of
from edgedp.words.errors import GraphFormatError

__all__ = ["delta_parts", "iceberg_parts", "is_delta", "is_iceberg"]

_PLAIN = frozenset({"deletionVectors", "timestampNtz", "v2Checkpoint", "variantType", "vacuumProtocolCheck"})
"""What a table may need of its readers, and its files alone still say, where no row of a file is taken out."""


def is_delta(path: Path) -> bool:
    """Whether a folder is a Delta table."""
    return (path / "_delta_log").is_dir()


def is_iceberg(path: Path) -> bool:
    """Whether a file describes a version of an Iceberg table."""
    return path.name.endswith(".metadata.json")


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
