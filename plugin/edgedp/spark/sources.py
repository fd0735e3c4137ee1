"""Edges at an address that Spark reads: a Parquet or text file or folder, and how its columns are taken.

The curator registers the address once, with what is public of the graph; every release reads it again as it was
registered (`Place`). Whether a release can read it is found out before its debit.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgedp.graph.reading.options import Column, Ids, ReadingOptions
from edgedp.spark.edges import Edges, Figures, figures_of
from edgedp.spark.frames import edges_of, pick
from edgedp.spark.session import open_session
from edgedp.spark.tables import check_no_table
from edgedp.words.errors import EdgeDPError, GraphFormatError, ParameterError, StoreError
from edgedp.words.shown import address_shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Place", "canonical", "detected", "opened", "overlap", "same_place", "surveyed"]

_TEXT = re.compile(r"\.(csv|tsv|tab|txt|edges|edgelist)(\.(gz|bz2|zst|xz|lz4|snappy))?$", re.IGNORECASE)
_WHOLE = r"^[+-]?[0-9]{1,18}$"
_SAME = {"s3": "s3a", "s3n": "s3a", "abfss": "abfs", "wasbs": "wasb"}
_NAMED_BEFORE_HOST = frozenset(
    {"abfs", "abfss", "wasb", "wasbs", "hdfs", "viewfs", "webhdfs", "swebhdfs", "o3fs", "ofs"}
)
_BUCKETS = frozenset({"s3", "s3a", "s3n", "gs", "oss", "cosn", "obs"})
"""Object stores, whose buckets have no port."""
_CANONICAL = r"^(0|-?[1-9][0-9]{0,17})$"


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the edges of a graph are, and how they are read.

    Parameters
    ----------
    edges, nodes : str
        Addresses; without nodes, those of the edges are all.
    source, target : str or int or None
        Columns of the ends.
    header, nodes_header : bool or None
        Of texts.
    separator, comment : str or None
        Of texts.
    ids : {"integer", "text"} or None
    """

    edges: str
    nodes: str | None = None
    source: Column | None = None
    target: Column | None = None
    header: bool | None = None
    nodes_header: bool | None = None
    separator: str | None = None
    comment: str | None = None
    ids: Ids | None = None

    @classmethod
    def asked(cls, edges: Any, nodes: Any, options: ReadingOptions) -> Place:
        """Return what a curator asks for, with addresses that mean the same from any folder."""
        signs = options.comments
        if signs is not None and len(signs) > 1:
            raise ParameterError(
                "comments are several signs, must be one for Spark; give the one that is used"
            )
        return cls(
            edges=canonical(edges, "edges"),
            nodes=None if nodes is None else canonical(nodes, "nodes"),
            source=options.source,
            target=options.target,
            header=options.header,
            nodes_header=options.nodes_header,
            separator=options.separator,
            comment="#" if signs is None else "".join(sign.decode() for sign in signs) or None,
            ids=options.ids,
        )

    def to_json(self) -> str:
        """Return it as the registry keeps it, without the address of the edges, which has a column of its own."""
        return json.dumps({name: value for name, value in asdict(self).items() if name != "edges"})

    @classmethod
    def kept(cls, edges: str, rest: str) -> Place:
        """Return the place of a row of the registry.

        Examples
        --------
        >>> place = Place(edges="s3a://lake/edges", source="payer", target="payee")
        >>> Place.kept(place.edges, place.to_json()) == place
        True
        """
        try:
            return cls(edges=edges, **json.loads(rest))
        except (TypeError, ValueError):
            raise StoreError(
                "the registry's row of the graph was edited; nothing was spent; register the edges again"
            ) from None


def canonical(address: Any, name: str) -> str:
    """Return an address as Spark and the registry have it: one of a file is whole.

    Raises
    ------
    ParameterError
        It holds a password or a query, which the registry would keep, or what Spark takes for a pattern.

    Examples
    --------
    >>> canonical("s3a://lake/edges/", "edges")
    's3a://lake/edges'
    >>> canonical("S3A://lake//payments/../edges", "edges")
    's3a://lake/edges'
    """
    if not isinstance(address, (str, os.PathLike)) or not str(address).strip():
        raise ParameterError(f"{name} is not an address; give a path, or an address that Spark reads")
    text = os.fspath(address)
    if any(ord(sign) < 32 or sign in "*?{}[]," for sign in text):
        raise ParameterError(f"{name} holds a pattern or a query, must be the address of one file or folder")
    if text[:5].lower() == "file:" and not text[5:].startswith("//"):
        text = text[5:]
    scheme, mark, rest = text.partition("://")
    if not mark:
        return "file://" + str(Path(text).expanduser().resolve())
    host, slash, path = rest.partition("/")
    if _holds_credentials(scheme.lower(), host, rest):
        raise ParameterError(
            f"{name} holds a password or a key, must be only an address; give these to Spark's settings"
        )
    if scheme.lower() == "file":
        return "file://" + str(Path(rest if host.lower() != "localhost" else slash + path).resolve())
    # As Spark itself reads it: otherwise one folder could be spelled in many ways.
    normal = posixpath.normpath("/" + path.lstrip("/")).rstrip("/") if slash else ""
    return f"{scheme.lower()}://{host}{normal}"


def _holds_credentials(scheme: str, host: str, rest: str) -> bool:
    """Return whether an address names a key or a password: in a secret a slash may stand, which ends no host.

    A container of Azure and a user of HDFS stand before an ``@`` too, and are no secret.

    Examples
    --------
    >>> _holds_credentials("s3a", "AK:SE", "AK:SE/CRET@lake/e"), _holds_credentials("s3a", "AK@lake", "AK@lake/e")
    (True, True)
    >>> _holds_credentials("abfss", "box@store", "box@store/e"), _holds_credentials("hdfs", "nn:8020", "nn:8020/a@b")
    (False, False)
    """
    user, named, _ = host.rpartition("@")
    if ":" in user or (named and scheme not in _NAMED_BEFORE_HOST):
        return True
    port = host.rpartition("@")[2].partition(":")[2]
    return "@" in rest and ":" in host and (scheme in _BUCKETS or not port.isdecimal())


def same_place(one: str, other: str) -> bool:
    """Return whether two canonical addresses are one place: hosts have no case, and ``s3a`` is ``s3``.

    Examples
    --------
    >>> same_place("hdfs://NN/e", "hdfs://nn/e"), same_place("hdfs://nn/e", "hdfs://nn/E")
    (True, False)
    """
    return _folded(one) == _folded(other)


def overlap(one: str, other: str) -> bool:
    """Return whether one canonical address is the other, or lies inside it: a folder's edges are those of its files.

    Examples
    --------
    >>> overlap("s3a://lake/e", "s3://LAKE/e/month=2024-06"), overlap("s3a://lake/e", "s3a://lake/edges")
    (True, False)
    """
    short, long = sorted((_folded(one), _folded(other)), key=len)
    return long == short or long.startswith(short.rstrip("/") + "/")


def _folded(address: str) -> str:
    scheme, mark, rest = address.partition("://")
    if not mark:
        return address
    host, slash, path = rest.partition("/")
    host = host.lower()
    if scheme == "hdfs":  # a user and the port that is the default say nothing of the place
        host = host.rpartition("@")[2].removesuffix(":8020")
    return f"{_SAME.get(scheme, scheme)}{mark}{host}{slash}{path}"


def opened(place: Place, session: SparkSession | None = None) -> Edges:
    """Return the edges of a place, of which nothing but the columns is read yet.

    Raises
    ------
    EdgeDPError
        There is nothing to read, or its columns are not as they were registered. Nothing of the rows is told.
    """
    session = open_session() if session is None else session
    nodes = None if place.nodes is None else _read(session, place.nodes, place, place.nodes_header, "nodes")
    frame = _read(session, place.edges, place, place.header, "edges")
    source, target = pick(frame.columns, place.source, place.target)
    return edges_of(
        _typed(frame.select(_named(source), _named(target)), place.ids),
        None if nodes is None else _typed(nodes.select(_named(nodes.columns[0])), place.ids),
    )


def detected(place: Place) -> Place:
    """Return a place with what was not said about its texts: the header, and whether the ids are integers.

    Raises
    ------
    GraphFormatError
        It cannot be told for sure, and which option tells.
    """
    for address, what in ((place.edges, "edges"), (place.nodes, "nodes")):
        if address is not None and address.startswith("file://") and not Path(address[7:]).exists():
            raise StoreError(
                f"{what} is {address_shown(address)}, which does not exist; give the address of the files, also for "
                "a table of a catalogue, whose name says nothing of where they are"
            )
    session = open_session()
    header = place.header
    if _TEXT.search(place.edges) and header is None:
        bare = replace(place, header=False)
        if isinstance(place.source, str):
            header = True
        else:
            frame = _read(session, place.edges, bare, False, "edges")
            header = _first_names(frame, pick(frame.columns, place.source, place.target))
    nodes_header = place.nodes_header
    if place.nodes is not None and _TEXT.search(place.nodes) and nodes_header is None:
        frame = _read(session, place.nodes, place, False, "nodes")
        nodes_header = _first_names(frame, frame.columns[:1])
    found = replace(place, header=header, nodes_header=nodes_header)
    if place.ids is not None:
        return found
    texts = opened(replace(found, ids="text"), session)
    return replace(found, ids="integer" if _all_whole(texts, session, found) else "text")


def surveyed(place: Place) -> Figures:
    """Count the nodes and edges at a place; exact, for the curator who registers it."""
    return figures_of(opened(place).degrees())


def _read(session: SparkSession, address: str, place: Place, header: bool | None, what: str) -> DataFrame:
    from pyspark.errors import PySparkException

    try:
        text = _TEXT.search(address)
        if text is None:
            check_no_table(session, address, what)
            return session.read.parquet(address)
        separator = place.separator or ("," if text[1].lower() == "csv" else "\t")
        return session.read.csv(
            address,
            sep=separator,
            header=bool(header),
            comment=place.comment,
            inferSchema=False,
            ignoreLeadingWhiteSpace=True,
            ignoreTrailingWhiteSpace=True,
        )
    except EdgeDPError:
        raise
    except (PySparkException, Exception):  # of Spark and of Java, which tell what they have read
        raise StoreError(
            f"{what} is {address_shown(address)}, which Spark cannot read as "
            f"{'text' if _TEXT.search(address) else 'Parquet'}; check the address, and that every executor may read it"
        ) from None


def _typed(frame: DataFrame, ids: Ids | None) -> DataFrame:
    """Return the columns as integers or as texts; what is no integer is missing, and refused with the rows."""
    from pyspark.sql import functions as sf

    match ids:
        case None:
            return frame
        case "integer":
            return frame.select(*(sf.col(name).try_cast("bigint").alias(name) for name in _safe(frame)))
        case "text":
            return frame.select(*(sf.col(name).cast("string").alias(name) for name in _safe(frame)))


def _all_whole(texts: Edges, session: SparkSession, place: Place) -> bool:
    """Return whether ids are integers: by the type of their columns, or because no text would change."""
    from pyspark.sql import functions as sf

    if not _TEXT.search(place.edges):
        return opened(replace(place, ids=None), session).kind == "long"
    odd = ~sf.col("source").rlike(_CANONICAL) | ~sf.col("target").rlike(_CANONICAL)
    if texts.frame.where(odd).limit(1).count():
        return False
    return texts.nodes is None or not texts.nodes.where(~sf.col("id").rlike(_CANONICAL)).limit(1).count()


def _first_names(frame: DataFrame, columns: list[str]) -> bool:
    """Return whether the first line names the columns, where integers tell it."""
    rows = frame.select(*map(_named, columns)).head(2)
    whole = [all(each is not None and re.match(_WHOLE, each) for each in row) for row in rows]
    if whole and whole[0]:
        return False
    if len(whole) > 1 and whole[1]:
        return True
    raise GraphFormatError(
        "the first line may name the columns or be an edge; give --header or --no-header "
        "(of the nodes: --nodes-header or --no-nodes-header)"
    )


def _named(name: str) -> Any:
    from pyspark.sql import functions as sf

    return sf.col("`" + name.replace("`", "``") + "`")


def _safe(frame: DataFrame) -> list[str]:
    return ["`" + name.replace("`", "``") + "`" for name in frame.columns]
