"""Tables that Spark knows by a name or by a log of their own: where their files are, and how they are read.

An account belongs to rows. So a table of a catalogue is known by the place of its files, and its name says only how
that is read: however it is spelled, and whatever names one place has, there is one ledger.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from edgedp.graph.reading.sources.folders import TABLES, is_hidden, is_pattern
from edgedp.graph.reading.sources.places import CATALOGUED, canonical, overlap, same_place
from edgedp.words.errors import StoreError
from edgedp.words.shown import address_shown, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

_FORMATS = {"_delta_log": "delta", "metadata": "iceberg"}
"""What Spark calls the tables of these logs, which a package of theirs reads."""
_PACKAGES = {"delta": "io.delta:delta-spark", "iceberg": "org.apache.iceberg:iceberg-spark-runtime"}
_OF_FILES = frozenset({"parquet", "orc", "csv", "json", "avro", "hive", *_PACKAGES})
_PATH = "org.apache.hadoop.fs.Path"
_ASIDE = "write its present rows to a folder of Parquet files and register that"


@dataclass(frozen=True)
class Table:
    """A table of a catalogue of the session.

    Attributes
    ----------
    name : str
        With its catalogue and its database, each in backticks.
    place : str
        Where its files are, as `edgedp.graph.reading.sources.places.canonical` spells it.
    format : str
        What wrote it, as Spark calls it.
    """

    name: str
    place: str
    format: str


def found_table(session: SparkSession, address: str, what: str) -> Table:
    """Return the table that a name means in this session; no row is read.

    Parameters
    ----------
    session : SparkSession
    address : str
        ``table:`` and a name.
    what : str
        ``edges`` or ``nodes``.

    Raises
    ------
    StoreError
        There is none, or it is a view, or its rows are not files that it alone has.
    """
    told = f"{what} is {shown(address)}"
    try:
        asked = session.catalog.getTable(address[len(CATALOGUED) :])
        kept = not asked.isTemporary and asked.tableType in ("MANAGED", "EXTERNAL")
        steps = [asked.catalog or "", *(asked.namespace or []), asked.name]
        properties = _properties(session, steps) if kept else {}
    except Exception:  # of Spark, of Java and of catalogues
        raise StoreError(
            f"{told}, which no catalogue of the session has; check the name, and the settings of its catalogue in "
            "spark-defaults.conf"
        ) from None
    if not kept:
        raise StoreError(
            f"{told}, a view, whose rows are those of other tables and may follow the time; register the table that "
            "it reads"
        )
    kind, place = str(properties.get("provider") or "").lower(), properties.get("location")
    if kind not in _OF_FILES or not place:
        raise StoreError(
            f"{told}, whose rows are not in files of its own; give the address of its database, or {_ASIDE}"
        )
    name = ".".join("`" + step.replace("`", "``") + "`" for step in steps)
    return Table(name, canonical(_qualified(session, place), f"the place of {what}"), kind)


def table_rows(session: SparkSession, address: str, place: str | None, what: str) -> DataFrame:
    """Return the rows of a table as they are now, of which none is read yet.

    Parameters
    ----------
    place : str or None
        Where its files were when it was registered; None: anywhere.

    Raises
    ------
    StoreError
        As of `found_table`; or the table is at another place, or its package is missing, or files of it are elsewhere.
    """
    table = found_table(session, address, what)
    if place is not None and not same_place(table.place, place):
        raise StoreError(
            f"{what} is {shown(address)}, whose files are at another place than when it was registered; "
            "register it under another name"
        )
    told = f"{what} is {shown(address)}"
    if table.format in _PACKAGES:
        _check_package(session, table.format, told)
    elif log_rows(session, table.place, what) is not None:
        raise StoreError(
            f"{told}, a second table over the files of one that has a log; give the table of that log"
        )
    rows = read_anew(session).table(table.name)
    listed = session.table(f"{table.name}.`files`") if table.format == "iceberg" else None
    check_inside(rows, listed, table.place, told)
    return rows


def read_anew(session: SparkSession) -> DataFrameReader:
    """Return a reader of the rows as they are now, all of them, whatever the session keeps and passes over.

    A frame of the caller's that is kept (`DataFrame.cache`) would stand in for a plan that equals its own, with rows of
    another time, and would hide which files they are of; no plan has the option that is drawn here.
    """
    return session.read.options(
        ignoreCorruptFiles=False, ignoreMissingFiles=False, edgedp=secrets.token_hex(8)
    )


def log_rows(session: SparkSession, address: str, what: str) -> DataFrame | None:
    """Return the rows of a folder whose own log says which files count; None: it is no such folder.

    Spark reads it as plain Parquet without a word, and rows that were removed from the table would be edges: so it is
    read by the package of its kind or not at all, and never a part of it.

    Parameters
    ----------
    session : SparkSession
    address : str
        Of `edgedp.graph.reading.sources.places.canonical`.
    what : str
        ``edges`` or ``nodes``.

    Raises
    ------
    StoreError
        It names the folder and the kind of table; nothing of the rows.
    """
    told, path_of = f"{what} is {address_shown(address)}", _java(session, _PATH)
    path = path_of(address)
    files = path.getFileSystem(session.sparkContext._jsc.hadoopConfiguration())
    folder = path
    while folder is not None:
        for mark, table in TABLES.items():
            log = path_of(folder, mark)
            if files.exists(log) and (mark != "metadata" or _is_of_iceberg(files, log)):
                of = f"{told}, in or of {table}, in which files of removed rows stay"
                kind = _FORMATS.get(mark)
                if kind is None or folder.toString() != path.toString():
                    raise StoreError(f"{of}; {'' if kind is None else 'give its own folder, or '}{_ASIDE}")
                _check_package(session, kind, of)
                rows = read_anew(session).format(kind).load(address)
                listed = (
                    read_anew(session).format(kind).load(f"{address}#files") if kind == "iceberg" else None
                )
                check_inside(rows, listed, address, told)
                return rows
        folder = folder.getParent()
    return None


def _properties(session: SparkSession, steps: list[str]) -> dict[str, str]:
    """Return what a catalogue says of a table."""
    context: Any = session.sparkContext
    namespace = context._gateway.new_array(_java(session, "java.lang.String"), len(steps) - 2)
    for at, step in enumerate(steps[1:-1]):
        namespace[at] = step
    catalogue = session._jsparkSession.sessionState().catalogManager().catalog(steps[0])
    named = _java(session, "org.apache.spark.sql.connector.catalog.Identifier").of(namespace, steps[-1])
    catalogue.invalidateTable(named)  # other processes write, too: which files it has was remembered
    return dict(catalogue.loadTable(named).properties())


def _java(session: SparkSession, name: str) -> Any:
    """Return a class of Java by its whole name: of a name by steps, each step is looked for in every jar of Spark."""
    return getattr(session.sparkContext._jvm, name)


def _qualified(session: SparkSession, place: str) -> str:
    """Return a place with its file system: where none is said it is that of the session's settings."""
    context: Any = session.sparkContext
    path = _java(session, _PATH)(place)
    return str(path.getFileSystem(context._jsc.hadoopConfiguration()).makeQualified(path).toString())


def _check_package(session: SparkSession, kind: str, told: str) -> None:
    try:
        conf = session._jsparkSession.sessionState().conf()
        _java(session, "org.apache.spark.sql.execution.datasources.DataSource").lookupDataSource(kind, conf)
    except Exception:  # of Java, which looks for a class
        raise StoreError(
            f"{told}; add the package {_PACKAGES[kind]} of this Spark to the session (spark.jars.packages), or {_ASIDE}"
        ) from None


def checked(rows: DataFrame, address: str, what: str) -> DataFrame:
    """Return the rows of an address whose files are all there, and all read.

    Raises
    ------
    StoreError
        A link leads out of the folder, to another ledger, or Spark would leave out some of its files.
    """
    told = f"{what} is {address_shown(address)}"
    _check_all_read(rows, address, told)
    if what == "edges" and address.startswith("file://"):
        check_inside(rows, None, address, told)
    return rows


def _check_all_read(rows: DataFrame, address: str, told: str) -> None:
    """Refuse a folder of which Spark leaves out files without a word: those that its parts are not named like.

    Where some folders name a value (``month=6``) it reads no file outside of these; where none does, none in a folder.
    """
    session = rows.sparkSession
    path = _java(session, _PATH)(address)
    files = path.getFileSystem(session.sparkContext._jsc.hadoopConfiguration())
    if is_pattern(address) or not files.getFileStatus(path).isDirectory():
        return
    depth = len(_steps(_qualified(session, address)))
    named = {any("=" in step for step in _steps(unquote(file))[depth:-1]) for file in rows.inputFiles()}
    inner = [] if True in named else [each for each in files.listStatus(path) if each.isDirectory()]
    if len(named) > 1 or any(_shows_file(files, each) for each in inner):
        raise StoreError(
            f"{told}, a folder of which Spark would not read all files: some are in folders and some are not, or in "
            "folders that name no value (such as month=6); " + _ASIDE
        )


def _shows_file(files: Any, found: Any) -> bool:
    """Return whether something is a file, or a folder with one, that is none of those that writers hide."""
    if is_hidden(found.getPath().getName()):
        return False
    return found.isFile() or any(_shows_file(files, each) for each in files.listStatus(found.getPath()))


def _steps(place: str) -> list[str]:
    return re.sub("^[^/:]+:/*", "", place).strip("/").split("/")


def check_inside(rows: DataFrame, listed: DataFrame | None, place: str, told: str) -> None:
    """Refuse files elsewhere (parts with a place of their own, shallow clones, links): they have another ledger.

    Raises
    ------
    StoreError
    """
    if listed is None:
        files: Iterable[str] = map(unquote, rows.inputFiles())
    else:
        files = (str(row[0]) for row in listed.select("file_path").collect())
    root = _qualified(rows.sparkSession, "/").rstrip("/")
    if not all(_is_inside(root + file if file.startswith("/") else file, place) for file in files):
        raise StoreError(
            f"{told}, some of whose rows are not in files below its own folder and may have a ledger of their own; "
            + _ASIDE
        )


def _is_inside(file: str, place: str) -> bool:
    if file.startswith("file:"):
        within = Path(re.sub("^file:/*", "/", file)).resolve()
        folder = Path(place.removeprefix("file://"))
        return place.startswith("file://") and within.is_relative_to(folder) and not within.is_dir()
    return overlap(place, file) and not same_place(place, file)


def _is_of_iceberg(files: object, folder: object) -> bool:
    listed = files.listStatus(folder)  # type: ignore[attr-defined]
    return any(str(each.getPath().getName()).endswith(".metadata.json") for each in listed)
