"""Edges at an address that Spark reads: a Parquet or text file or folder, and how its columns are taken.

The curator registers the address once, with what is public of the graph; every release reads it again as it was
registered (`Place`). Whether a release can read it is found out before its debit.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgedp.graph.reading.options import Column, Ids, ReadingOptions, checked_options
from edgedp.graph.reading.sources.folders import is_pattern
from edgedp.graph.reading.sources.places import CATALOGUED, canonical, is_catalogued, overlap, same_place
from edgedp.spark.dates import check_dated, date_column, within
from edgedp.spark.edges import Edges, Figures, figures_of
from edgedp.spark.filters import column_types, holding
from edgedp.spark.frames import column_named, edges_of, kind_of_ids, pick
from edgedp.spark.session import open_session
from edgedp.spark.tables import checked, found_table, log_rows, read_anew, table_rows
from edgedp.words.errors import EdgeDPError, EngineError, GraphFormatError, ParameterError, StoreError
from edgedp.words.shown import address_shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

    from edgedp.graph.loading.addresses import Address
    from edgedp.release.conditions import Condition
    from edgedp.words.dates.calendar import Span

__all__ = [
    "Place",
    "canonical",
    "detected",
    "located",
    "opened",
    "overlap",
    "same_place",
    "surveyed",
    "types_of",
]

_TEXT = re.compile(r"\.(csv|tsv|tab|txt|edges|edgelist)(\.(gz|bz2|zst|xz|lz4|snappy))?$", re.IGNORECASE)
_UNNAMED = re.compile("_c[0-9]+")
"""What Spark calls a column without a name."""
_WHOLE = r"^[+-]?[0-9]{1,18}$"
_UNSIGNED = "decimal(20,0)"
"""What Spark makes of unsigned integers of 64 bits in Parquet."""

_CANONICAL = r"^(0|-?[1-9][0-9]{0,17})$"


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the edges of a graph are, and how they are read.

    Parameters
    ----------
    edges, nodes : str
        Addresses; without nodes, those of the edges are all. Nodes may be a table of a catalogue (``table:``).
    source, target : str or int or None
        Columns of the ends.
    header, nodes_header : bool or None
        Of texts.
    separator, comment : str or None
        Of texts.
    ids : {"integer", "text"} or None
    directed : bool
        Whether the rows are arcs, from source to target.
    date, date_unit : str or int, and str or None
        The column of dates, and what its numbers count.
    table : str or None
        The name, in full, of the table of a catalogue whose files are at `edges`.
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
    directed: bool = False
    date: Column | None = None
    date_unit: str | None = None
    table: str | None = None

    @classmethod
    def asked(cls, edges: Any, nodes: Any, options: ReadingOptions) -> Place:
        """Return what a curator asks for, with addresses that mean the same from any folder.

        The name of a table stays as it is until a session says what it means (`located`).
        """
        signs = options.comments
        if signs is not None and len(signs) > 1:
            raise ParameterError(
                "comments are several signs, must be one for Spark; give the one that is used"
            )
        made = cls(
            edges=edges if is_catalogued(edges) else canonical(edges, "edges"),
            nodes=nodes if nodes is None or is_catalogued(nodes) else canonical(nodes, "nodes"),
            source=options.source,
            target=options.target,
            header=options.header,
            nodes_header=options.nodes_header,
            separator=options.separator,
            comment="#" if signs is None else "".join(sign.decode() for sign in signs) or None,
            ids=options.ids,
            directed=options.directed,
            date=options.date,
            date_unit=options.date_unit,
        )
        if odd := made._dropped_of(options):
            raise ParameterError(f"{odd} has no effect, for Spark takes it for texts only; ask without it")
        return made

    def _dropped_of(self, options: ReadingOptions) -> str | None:
        """Return an option that holds for texts, and of what is no text would be dropped."""
        edges, nodes = self.is_text("edges"), self.is_text("nodes")
        return (
            (None if edges else options.given("header"))
            or (None if nodes else options.given("nodes_header"))
            or (None if edges or nodes else options.given("separator", "comments"))
        )

    @classmethod
    def of(cls, address: Address) -> Place:
        """Return how Spark reads what this process was registered to read.

        Raises
        ------
        EngineError
            It does not.
        """
        options = checked_options(**address.options)
        text, listed = (bool(_TEXT.search(each or "")) for each in (address.place, address.nodes))
        of_texts = (*(() if text else ("header", "separator")), *(() if listed else ("nodes_header",)))
        odd = options.given("table", "query", "bipartite", "labels", *of_texts)
        odd = odd or ("a pattern" if is_pattern(address.edges) else None)
        if odd or (text and options.header is None) or address.place.startswith("http"):
            raise EngineError(
                f"engine is 'spark', which does not read an address with {odd or 'this format'}; leave the engine out"
            )
        return replace(
            cls.asked(address.place, address.nodes, options),
            separator=options.separator or address.separator if text else None,
            ids="integer" if address.integers else "text",
        )

    def to_json(self) -> str:
        """Return it as the registry keeps it, without the address of the edges, which has a column of its own."""
        told = {name: value for name, value in asdict(self).items() if name != "edges"}
        # What is not said is left out: so every program of before reads it.
        new = {"directed": self.directed, "date": self.date, "date_unit": self.date_unit, "table": self.table}
        return json.dumps({key: value for key, value in told.items() if key not in new or value})

    def is_text(self, what: str) -> bool:
        """Return whether the ``edges`` or the ``nodes`` are texts, by the ending of their address."""
        address = self.edges if what == "edges" else self.nodes
        if address is None or is_catalogued(address) or (what == "edges" and self.table is not None):
            return False
        return _TEXT.search(address) is not None

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


def located(place: Place) -> Place:
    """Return a place with what the names of its tables mean in the session: in full, and where the edges' files are.

    Raises
    ------
    StoreError
        A name means no table that has rows of its own.
    """
    if is_catalogued(place.edges):
        table = found_table(open_session(), place.edges, "edges")
        place = replace(place, edges=table.place, table=table.name)
    if is_catalogued(place.nodes):
        place = replace(place, nodes=CATALOGUED + found_table(open_session(), str(place.nodes), "nodes").name)
    return place


def opened(
    place: Place,
    session: SparkSession | None = None,
    span: Span | None = None,
    where: tuple[Condition, ...] = (),
) -> Edges:
    """Return the edges of a place, of which nothing but the columns is read yet.

    Parameters
    ----------
    span : Span, optional
        The windows whose rows are the edges. Where the dates are a partition column, only its parts are read.
    where : tuple of Condition
        What the rows hold that are the edges.

    Raises
    ------
    EdgeDPError
        There is nothing to read, or its columns are not as they were registered. Nothing of the rows is told.
    """
    session = open_session() if session is None else session
    named = _listed(session, place)
    nodes = None if place.nodes is None else _read(session, place.nodes, place, named, "nodes")
    frame = _read(session, place.edges, place, place.header, "edges")
    source, target = _ends(place, frame.columns)
    if span is not None:
        frame = within(frame, place.date, place.date_unit, span)
    if where:
        frame = holding(frame, (source, target), where, text=place.is_text("edges"))
    return edges_of(
        _typed(frame.select(column_named(source), column_named(target)), place, "edges"),
        None if nodes is None else _typed(nodes.select(column_named(nodes.columns[0])), place, "nodes"),
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
                f"{what} is {address_shown(address)}, which does not exist; give the address of the files, or "
                "'table:' and the name of a table of a catalogue"
            )
    session = open_session()
    header = place.header
    if place.is_text("edges") and header is None:
        if isinstance(place.source, str):
            header = True
        else:
            frame = _read(session, place.edges, replace(place, header=False), False, "edges")
            header = _first_names(frame, list(_ends(place, frame.columns)))
    found = replace(place, header=header, nodes_header=_listed(session, place))
    if place.date is not None:
        frame = _read(session, place.edges, found, header, "edges")
        check_dated(frame, place.date, place.date_unit, listed=place.nodes is not None)
    if place.ids is not None:
        return found
    return replace(found, ids="integer" if _all_whole(session, found) else "text")


def _ends(place: Place, columns: Sequence[str]) -> tuple[str, str]:
    """Return the columns of the ends: of three, those beside the dates, where none is named."""
    if place.date is not None and place.source is None and len(columns) == 3:
        dated = date_column(columns, place.date)
        columns = [each for each in columns if each != dated]
    source, target = pick(columns, place.source, place.target)
    return source, target


def types_of(place: Place, named: Sequence[str]) -> dict[str, str]:
    """Return the types of the columns that conditions compare, of those that are there: public."""
    frame = _read(open_session(), place.edges, place, place.header, "edges")
    return column_types(frame, named, text=place.is_text("edges"))


def surveyed(place: Place, where: tuple[Condition, ...] = ()) -> Figures:
    """Count the nodes and edges at a place; exact, for the curator who registers it."""
    return figures_of(opened(place, where=where).degrees())


def _read(session: SparkSession, address: str, place: Place, header: bool | None, what: str) -> DataFrame:
    from pyspark.errors import PySparkException

    text = _TEXT.search(address) if place.is_text(what) else None
    try:
        if what == "edges" and place.table is not None:
            return table_rows(session, CATALOGUED + place.table, place.edges, what)
        if is_catalogued(address):
            return table_rows(session, address, None, what)
        if text is None:
            rows = log_rows(session, address, what)
            return checked(read_anew(session).parquet(address), address, what) if rows is None else rows
        separator = place.separator or ("," if text[1].lower() == "csv" else "\t")
        options: dict[str, Any] = {
            "sep": separator,
            "header": bool(header),
            "comment": place.comment,
            "escape": '"',
            "inferSchema": False,
            "ignoreLeadingWhiteSpace": True,
            "ignoreTrailingWhiteSpace": True,
        }
        rows = read_anew(session).csv(address, **options)
        if header and len(rows.inputFiles()) > 1:
            # Columns go by their places, by the names of one of the files: so Spark compares those of the others.
            if any(_UNNAMED.fullmatch(name) for name in rows.columns):
                raise StoreError(
                    f"{what} is {address_shown(address)}, several files with a column that has no name, of which Spark "
                    "cannot say whether all have the same columns; name it"
                )
            rows = read_anew(session).csv(address, **options, enforceSchema=False)
        return checked(rows, address, what)
    except EdgeDPError:
        raise
    except (PySparkException, Exception):  # of Spark and of Java, which tell what they have read
        raise StoreError(
            f"{what} is {address_shown(address)}, which Spark cannot read as "
            f"{'text' if text else 'Parquet or a table'}; check the address, and that every executor may read it"
        ) from None


def _typed(frame: DataFrame, place: Place, what: str) -> DataFrame:
    """Return the columns as integers or as texts; what is no integer is missing, and refused with the rows.

    In files of text, blanks are no part of an id, inside of quotes neither: so all readers of these have it.
    Of other types nothing is turned into ids: 2.5 and 2.9 would become one node, as would all that is true.
    """
    from pyspark.sql import functions as sf

    for _, kind in frame.dtypes:
        if kind != _UNSIGNED:
            kind_of_ids([kind.partition(" collate ")[0]])
    text = place.is_text(what)
    match place.ids:
        case None:
            return frame
        case "integer":
            return frame.select(*(sf.col(name).try_cast("bigint").alias(name) for name in _safe(frame)))
        case "text":
            columns = {name: sf.col(name).cast("string") for name in _safe(frame)}
            blank = sf.lit(" \t")
            return frame.select(
                *((sf.btrim(each, blank) if text else each).alias(name) for name, each in columns.items())
            )


def _all_whole(session: SparkSession, place: Place) -> bool:
    """Return whether ids are integers: by the type of their columns, or because no text would change."""
    from pyspark.sql import functions as sf

    if not place.is_text("edges"):
        return opened(replace(place, ids=None), session).kind == "long"
    texts = opened(replace(place, ids="text"), session)
    odd = ~sf.col("source").rlike(_CANONICAL) | ~sf.col("target").rlike(_CANONICAL)
    if texts.frame.where(odd).limit(1).count():
        return False
    return texts.nodes is None or not texts.nodes.where(~sf.col("id").rlike(_CANONICAL)).limit(1).count()


def _listed(session: SparkSession, place: Place) -> bool | None:
    """Return whether the first line of the nodes names them, where they are a text; an address may not say it."""
    if place.nodes is None or place.nodes_header is not None or not place.is_text("nodes"):
        return place.nodes_header
    frame = _read(session, place.nodes, place, False, "nodes")
    return _first_names(frame, frame.columns[:1])


def _first_names(frame: DataFrame, columns: list[str]) -> bool:
    """Return whether the first line names the columns, where integers tell it."""
    rows = frame.select(*map(column_named, columns)).head(2)
    whole = [all(each is not None and re.match(_WHOLE, each) for each in row) for row in rows]
    if whole and whole[0]:
        return False
    if len(whole) > 1 and whole[1]:
        return True
    raise GraphFormatError(
        "the first line may name the columns or be an edge; give --header or --no-header "
        "(of the nodes: --nodes-header or --no-nodes-header)"
    )


def _safe(frame: DataFrame) -> list[str]:
    return ["`" + name.replace("`", "``") + "`" for name in frame.columns]
