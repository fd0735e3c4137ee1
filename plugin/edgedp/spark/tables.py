"""Tables that keep a log of their own, by which some files at an address no longer count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edgedp.graph.reading.sources.folders import TABLES
from edgedp.words.errors import StoreError
from edgedp.words.shown import address_shown

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["check_no_table"]


def check_no_table(session: SparkSession, address: str, what: str) -> None:
    """Refuse a folder whose own log says which files count, and everything below such a folder.

    Spark reads it as plain Parquet without a word, and rows that were removed from the table would be edges.

    Parameters
    ----------
    session : SparkSession
    address : str
        Of `edgedp.spark.sources.canonical`.
    what : str
        ``edges`` or ``nodes``.

    Raises
    ------
    StoreError
        It names the folder and the kind of table; nothing of the rows.
    """
    jvm = session.sparkContext._jvm
    if jvm is None:
        return
    path = jvm.org.apache.hadoop.fs.Path(address)
    files = path.getFileSystem(session.sparkContext._jsc.hadoopConfiguration())
    folder = path
    while folder is not None:
        for mark, table in TABLES.items():
            log = jvm.org.apache.hadoop.fs.Path(folder, mark)
            if files.exists(log) and (mark != "metadata" or _is_of_iceberg(files, log)):
                raise StoreError(
                    f"{what} is {address_shown(address)}, in or of {table}, in which files of removed rows stay; "
                    "write its present rows to a folder of Parquet files and register that"
                )
        folder = folder.getParent()


def _is_of_iceberg(files: object, folder: object) -> bool:
    listed = files.listStatus(folder)  # type: ignore[attr-defined]
    return any(str(each.getPath().getName()).endswith(".metadata.json") for each in listed)
