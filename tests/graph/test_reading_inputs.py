"""What users bring, one entry each: what it is read as, or the one line with which it is refused.

None loads silently wrong: an entry gives its ids and edges, or a refusal that says what to do.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import sys
import tarfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import zstandard
from pyarrow import feather, ipc, orc, parquet

import looped
from edgedp.graph.graph import Graph
from edgedp.graph.loading import read_graph, read_source
from edgedp.graph.reading import checked_options
from edgedp.words.errors import (
    EdgeDPError,
    GraphFormatError,
    ParameterError,
    UndecidedError,
    UnknownNameError,
)
from edgedp.words.spoken import FACE


@dataclass(frozen=True)
class Input:
    """A file, the options it is read with, and what comes of it: edges by their ids, or the words of a refusal."""

    content: bytes | str
    edges: list[tuple[Any, Any]] | None = None
    refused: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    name: str = "graph.dat"
    nodes: bytes | str | None = None
    alone: tuple[Any, ...] = ()  # nodes without edges
    told: str = ""  # words of the report


def zipped(*members: tuple[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        info = tarfile.TarInfo("edges.csv")
        info.size = 4
        archive.addfile(info, io.BytesIO(b"1,2\n"))
    return buffer.getvalue()


def written(write: Any, table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    write(table, buffer)
    return buffer.getvalue()


def streamed(table: pa.Table, kind: Any) -> bytes:
    buffer = io.BytesIO()
    with kind(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def tabular(**columns: Any) -> pa.Table:
    return pa.table(columns)


PAYMENTS = tabular(day=["mon", "tue"], payer=["ada", "bob"], payee=["bob", "cyd"], amount=[1.5, 2.0])
TWO = [("ada", "bob"), ("bob", "cyd")]
GRAPHML = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    '<graph edgedefault="directed"><node id="ada"/><node id="bob"/><node id="cyd"/><node id="dan"/>'
    '<edge source="ada" target="bob"><data key="w">1</data></edge><edge source="bob" target="cyd"/></graph></graphml>'
)
NAMED = (
    '<graphml><key id="v_name" for="node" attr.name="name" attr.type="string"/><graph edgedefault="undirected">'
    '<node id="n0"><data key="v_name">ada</data></node><node id="n1"><data key="v_name">bob</data></node>'
    '<edge source="n0" target="n1"/></graph></graphml>'
)
GEXF = (
    '<gexf xmlns="http://gexf.net/1.3"><graph><nodes><node id="0" label="ada"/><node id="1" label="bob"/>'
    '<node id="2" label="c"/></nodes><edges><edge id="0" source="0" target="1"/></edges></graph></gexf>'
)
GML = (
    'Creator "somebody"\ngraph [\n  directed 0\n  node [ id 1 label "ada" ]\n  node [ id 2 label "bob" ]\n'
    '  node [ id 5 label "x" ]\n  edge [ source 1 target 2 weight 0.5 ]\n]\n'
)
PAJEK = '*Vertices 4\n1 "ada"\n2 "bob"\n3 "cyd"\n4 "dan"\n*Arcs\n1 2 1.0\n*Edges\n2 3\n'
MATRIX = "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n5 5 3\n2 1 1.0\n3 2 0.5\n4 3 0\n"
METIS = "% triangle and tail\n4 4\n2 3\n1 3\n1 2 4\n3\n"
PETERSEN = "3 3\n2 3\n1 3\n1 2\n"

INPUTS = {
    # -- the first line
    "a header of words": Input(
        "payer,payee\nada,bob\nbob,cyd\n", TWO, told="names of columns (payer, payee)"
    ),
    "a header over integers": Input("left,right\n1,2\n2,3\n", [(1, 2), (2, 3)]),
    "a header of no known word over integers": Input(
        "ada,bob\n1,2\n2,3\n", refused="--header or --no-header"
    ),
    "the same, told to be a header": Input("ada,bob\n1,2\n", [(1, 2)], options={"header": True}),
    "the same, told to be an edge": Input(
        "ada,bob\n1,2\n", [("ada", "bob"), ("1", "2")], options={"header": False}
    ),
    "words that are no names": Input("alice,bob\nbob,carol\n", [("alice", "bob"), ("bob", "carol")]),
    "one word of two is a name": Input("customer,ada\nbob,cyd\n", refused="could be ids"),
    "names that are ids further down": Input("from,to\nto,fr\nfr,de\n", refused="could be ids"),
    "numbered words that are ids": Input(
        "user1,user2\nuser3,user4\n",
        [("user1", "user2"), ("user3", "user4")],
        told="first edge as read: user1",
    ),
    "names above a column of amounts": Input(
        "zahler,empfaenger,betrag\nada,bob,10\nbob,cyd,20\n", refused="'betrag' above numbers"
    ),
    "a header that stands again": Input(
        "id_1,id_2\n1,2\nid_1,id_2\n3,4\n", refused="stands again further down"
    ),
    "one of no known word that stands again": Input("x1y,zz\n1,2\nx1y,zz\n3,4\n", refused="stands again"),
    "a header only": Input("payer,payee\n", refused="holds a header only"),
    "a header in the list of nodes": Input(
        "ada,bob\n",
        [("ada", "bob")],
        nodes="customer\nada\nbob\neve\n",
        alone=("eve",),
        told="names of columns",
    ),
    "a list of nodes without one": Input(
        "ada,bob\n", [("ada", "bob")], nodes="ada\nbob\neve\n", alone=("eve",)
    ),
    "a list of nodes told to have one": Input(
        "ada,bob\n", [("ada", "bob")], nodes="kunde\nada\nbob\n", options={"nodes_header": True}
    ),
    "a first line of nodes without their file": Input(
        "1,2\n", refused="nodes_header is given without a file of nodes", options={"nodes_header": False}
    ),
    "a list of nodes with a word over integers": Input("1,2\n", [(1, 2)], nodes="kunde\n1\n2\n"),
    "a list of nodes whose ids are not first": Input(
        "1,2\n", nodes="amount,id\n3,1\n4,2\n", refused="must hold the ids in its first column"
    ),
    # -- the columns
    "dates first, with names": Input("date,payer,payee,amount\n2024-01-31,ada,bob,10\n", TWO[:1]),
    "dates first, chosen by name": Input(
        "date,payer,payee,amount\n2024-01-31,ada,bob,10\n2024-01-31,bob,cyd,10\n",
        TWO,
        options={"source": "payer", "target": "payee"},
        told="columns payer and payee",
    ),
    "chosen by number, the other way round": Input(
        "x;ada;bob\ny;bob;cyd\n",
        TWO,
        options={"source": 3, "target": "2"},
        told="first edge as read: bob - ada",
    ),
    "dates first, without names": Input(
        "2024-01-31,ada,bob\n2024-02-01,bob,cyd\n", refused="dates in column 1"
    ),
    "times first": Input("1289241911,5,7\n1289241915,5,9\n", refused="what look like times"),
    "seconds third, as SNAP has them": Input("5 7 1289241911\n5 9 1289241915\n", [(5, 7), (5, 9)]),
    "amounts second": Input("ada,0.5\nbob,0.7\n", refused="decimals in column 2"),
    "amounts first": Input("0.5,ada,bob\n0.7,bob,cyd\n", refused="decimals in column 1"),
    "an index first, as pandas writes it": Input(",source,target\n0,ada,bob\n1,bob,cyd\n", TWO),
    "an index first, of texts": Input("0,ada,bob\n1,bob,cyd\n", refused="integers in its first column"),
    "an index first, of integers": Input("0,5,7\n1,5,9\n2,7,9\n3,9,11\n", refused="number its lines"),
    "an id of the edge first": Input("id,source,target\n1,5,6\n2,6,7\n", [(5, 6), (6, 7)]),
    "statements of three words": Input("ada,knows,bob\nbob,knows,cyd\n", refused="first three columns"),
    "edges with a type": Input("ada,bob,friend\nbob,cyd,friend\n", TWO),
    "edges with a weight": Input("1 2 0.5\n2 3 0.5\n", [(1, 2), (2, 3)], told="1 other column ignored"),
    "a column that is not there": Input(
        "a,b\n", refused="must be at most 2", options={"source": 1, "target": 3}
    ),
    "a name that is not there": Input(
        "payer,payee\na,b\n", refused="must be one of the names", options={"source": "payer", "target": "to"}
    ),
    # -- separators
    "semicolons with decimal commas": Input("1;2,5\n2;3,5\n", refused="--separator ';'"),
    "the same, told": Input("1;2;0,5\n2;3;0,5\n", [(1, 2), (2, 3)], options={"separator": ";"}),
    "blanks with decimal commas": Input("1 2,5\n2 3,5\n", refused="--separator space"),
    "semicolons, and commas in some names": Input(
        "Smith, J;Lee\nLee;Doe\n", [("Smith, J", "Lee"), ("Lee", "Doe")]
    ),
    "bars": Input("1|2\n2|3\n", refused="--separator '|'"),
    "bars, told": Input("1|2\n2|3\n", [(1, 2), (2, 3)], options={"separator": "|"}),
    "two colons": Input("1::2::5\n", refused="write a comma in place of '::'"),
    "arrows": Input("ada -> bob\nbob -> cyd\n", refused="signs in column 2"),
    "arrows, columns told": Input("ada -> bob\nbob -> cyd\n", TWO, options={"source": 1, "target": 3}),
    "an adjacency matrix": Input("0,1,1\n1,0,1\n1,1,0\n", refused="adjacency matrix (3 rows, 3 columns)"),
    "one with names": Input("ada bob cyd\n0 1 1\n1 0 1\n1 1 0\n", refused="adjacency matrix"),
    "one with weights": Input("0\t2.5\t1\n2.5\t0\t3\n1\t3\t0\n", refused="adjacency matrix"),
    "one with directions and weights": Input("0 2 1\n3 0 5\n0 4 0\n", refused="adjacency matrix"),
    "one with names before its rows": Input("a 0 1 1\nb 1 0 1\nc 1 1 0\n", refused="adjacency matrix"),
    "one with names before and above": Input(
        "x a b c\na 0 1 1\nb 1 0 1\nc 1 1 0\n", refused="adjacency matrix"
    ),
    "a wide one": Input(
        "\n".join(" ".join(str(i * j % 7) for j in range(40)) for i in range(40)), refused="adjacency matrix"
    ),
    "lists of neighbours": Input("1 2 3\n2 1 3\n3 1 2\n", refused="number its lines"),
    "one with names on both sides": Input(",a,b,c\na,0,1,1\nb,1,0,1\nc,1,1,0\n", refused="without a name"),
    "one that is a list": Input(
        "0,1,1\n1,0,1\n1,1,0\n", [(0, 1)], options={"source": 1, "target": 2}, alone=()
    ),
    "a matrix of two sides": Input("0 1 0 1\n1 0 0 1\n", refused="adjacency matrix"),
    # -- ids
    "a leading zero": Input(
        "007,7\n8,9\n", [("007", "7"), ("8", "9")], told="'007' would change as a number"
    ),
    "a leading zero, as a number": Input("007,8\n8,9\n", [(7, 8), (8, 9)], options={"ids": "integer"}),
    "a leading zero late": Input("1,2\n" * 3 + "1,02\n", [("1", "2"), ("1", "02")], told="'02' would change"),
    "a leading zero behind a blank": Input("1, 02\n2, 3\n", [("1", "02"), ("2", "3")]),
    "a plus": Input("+49,50\n50,51\n", [("+49", "50"), ("50", "51")], told="'+49' would change"),
    "a minus zero": Input("-0,1\n", [("-0", "1")]),
    "a text among integers": Input("1,2\n2,b\n", [("1", "2"), ("2", "b")], told="texts, as asked"),
    "a text where integers were asked for": Input("1,2\n2,b\n", refused="line 2", options={"ids": "integer"}),
    "beyond 64 bits where integers were asked for": Input(
        f"1,2\n1,{2**63}\n", refused="integers of 64 bits", options={"ids": "integer"}
    ),
    "integers kept as texts": Input("1,2\n", [("1", "2")], options={"ids": "text"}, told="texts, as asked"),
    "hexadecimal": Input("0x1F,0x2\n0x2,0x3\n", refused="--ids text"),
    "hexadecimal, as texts": Input("0x1F,0x2\n", [("0x1F", "0x2")], options={"ids": "text"}),
    "addresses of a ledger": Input(f"0x{'ab' * 20},0x{'cd' * 20}\n", [(f"0x{'ab' * 20}", f"0x{'cd' * 20}")]),
    "floats of pandas": Input("1.0,2.0\n2.0,3.0\n", [(1, 2), (2, 3)], told="integers, written as floats"),
    "missing values of a database": Input("ada,bob\nada,NULL\n", refused="'NULL' as an id in 1 rows"),
    "missing values of pandas": Input("1.0,2.0\n2.0,3.0\n3.0,nan\n", refused="must hold no missing values"),
    "a country that looks like one": Input("NA,ZA\n", [("NA", "ZA")], options={"ids": "text"}),
    "telephone numbers from a spreadsheet": Input("4.91512E+11,4.91513E+11\n", refused="has lost digits"),
    "one letter in two forms": Input(
        "Zo\u00eb,bob\nZoe\u0308,bob\n",
        [("Zo\u00eb", "bob"), ("Zoe\u0308", "bob")],
        told="otherwise in Unicode",
    ),
    "a NUL": Input("a,b\na\0,c\n", refused="is a binary file"),
    "a blank that is none": Input(
        "ada\u00a0,bob\nada,bob\n", told="nobody sees", edges=[("ada\u00a0", "bob"), ("ada", "bob")]
    ),
    "an escape": Input("a\x1b[2J,b\n", [("a\x1b[2J", "b")], told="a\\x1b[2J - b"),
    # -- comments
    "ids that begin with a hash": Input("ada,bob\n#bob,cyd\n", refused="--comments '#' or --comments none"),
    "the same, first": Input("#ada,#bob\nbob,cyd\n", refused="line 1"),
    "the same, all of them": Input("#ada,#bob\n", refused="--comments none"),
    "the same, read": Input(
        "#ada,#bob\nbob,cyd\n", [("#ada", "#bob"), ("bob", "cyd")], options={"comments": "none"}
    ),
    "rows that are switched off": Input("1,2\n#7,8\n", refused="line 2"),
    "rows that are switched off, told": Input("1,2\n#7,8\n", [(1, 2)], options={"comments": "#"}),
    "ids with percent signs": Input("%a %b\nc d\n", refused="which may be a comment or a row"),
    "a tag between rows": Input(
        "source,target\na,b\n#tag,user\nb,a\n", refused="which may be a comment or a row"
    ),
    "names between rows": Input(
        "#source,target\na,b\nb,c\n#source,target\nc,a\n", [("a", "b"), ("b", "c"), ("a", "c")]
    ),
    "comments behind rows": Input(
        "1,2\n3,4 # why\n5,6\n", refused="must have comments on lines of their own"
    ),
    "another sign": Input("! a b\na b\n", [("a", "b")], options={"comments": "!"}),
    "a list of nodes with hashes": Input("1,2\n", nodes="1\n#2\n2\n", refused="line 2"),
    # -- formats that are named and not read
    "HTML": Input("<!DOCTYPE html>\n<html><body>503</body></html>\n", refused="an HTML page"),
    "JSON": Input('{"nodes": [1, 2]}\n', refused="is JSON"),
    "JSON lines of unknown names": Input(
        '{"a": 1, "b": 2}\n{"a": 2, "b": 3}\n', refused="--source a --target b"
    ),
    "DOT": Input("// made by hand\ndigraph G {\n a -> b;\n}\n", refused="is DOT"),
    "DOT, undirected": Input("graph {\n a -- b\n}\n", refused="is DOT"),
    "XML": Input(
        '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>\n', refused="XML of another kind"
    ),
    "N-Triples": Input("<http://a> <http://k> <http://b> .\n", refused="N-Triples"),
    "Turtle": Input("@prefix a: <http://x> .\na:b a:k a:c .\n", refused="Turtle"),
    "SQL": Input("INSERT INTO edges VALUES (1,2);\n", refused="is SQL"),
    "YAML": Input("edges:\n  - a b\n", refused="is YAML"),
    "DIMACS": Input("c a graph\np edge 3 2\ne 1 2\ne 2 3\n", refused="is DIMACS"),
    "GDF": Input("nodedef>name VARCHAR\nada\nedgedef>node1,node2\nada,bob\n", refused="is GDF"),
    "UCINET": Input("dl n=3 format=edgelist1\ndata:\n1 2\n", refused="UCINET"),
    "TGF": Input("1 First\n2 Second\n#\n1 2\n", refused="Trivial Graph Format"),
    "METIS by another name": Input(PETERSEN, refused="METIS"),
    "UTF-16": Input("1,2\n".encode("utf-16"), refused="UTF-16"),
    "SQLite": Input(b"SQLite format 3\0", refused="SQLite"),
    "HDF5": Input(b"\x89HDF\r\n\x1a\n", refused="HDF5"),
    "a tar archive": Input(tarred(), refused="tar archive"),
    "a tar archive, packed": Input(gzip.compress(tarred()), refused="tar archive"),
    "a workbook": Input(zipped(("[Content_Types].xml", b"<x/>")), refused="Office document"),
    "a pickle": Input(b"\x80\x04\x95\x00", refused="a pickle"),
    "ORC": Input(
        written(lambda table, where: orc.write_table(table, where), PAYMENTS), refused="an ORC file"
    ),
    "NetCDF": Input(b"CDF\x01\0\0\0\0", refused="a NetCDF file"),
    "NetCDF of large files": Input(b"CDF\x05\0\0\0\0", refused="a NetCDF file"),
    "R data": Input(b"RDX3\nX\n\0\0\0\x03", refused="an R data file"),
    "rar": Input(b"Rar!\x1a\x07\x01\0", refused="a rar archive"),
    "lzip": Input(b"LZIP\x01\x0c", refused="an lzip file"),
    "Feather of version 1": Input(b"FEA1\0\0\0\0", refused="Feather"),
    # -- texts whose first word begins as a binary file does
    "a text that begins as ORC does": Input("ORC1,CDF2\nCDF2,ORC3\n", [("ORC1", "CDF2"), ("CDF2", "ORC3")]),
    "as NetCDF": Input("CDF1 CDF2\nCDF2 CDF3\n", [("CDF1", "CDF2"), ("CDF2", "CDF3")]),
    "as bzip2": Input("BZhang,Bo\nBo,Cy\n", [("BZhang", "Bo"), ("Bo", "Cy")]),
    "as bzip2, with a level": Input("BZh1,BZh2\nBZh2,BZh3\n", [("BZh1", "BZh2"), ("BZh2", "BZh3")]),
    "as bzip2, packed": Input(gzip.compress(b"BZh1,BZh2\n"), [("BZh1", "BZh2")], told="gzip"),
    "as R data": Input("RDX2,RDX3\n", [("RDX2", "RDX3")]),
    "as Parquet": Input("PAR1,PAR2\nPAR2,PAR3\n", [("PAR1", "PAR2"), ("PAR2", "PAR3")]),
    "as Arrow": Input("ARROW1,ARROW2\n", [("ARROW1", "ARROW2")]),
    "as rar": Input("Rar!,b\n", [("Rar!", "b")]),
    "as lzip": Input("LZIP,zip\n", [("LZIP", "zip")]),
    "as Feather": Input("FEA1,FEA2\n", [("FEA1", "FEA2")]),
    "as MATLAB": Input("MATLAB 5.0,MATLAB 7.3\n", [("MATLAB 5.0", "MATLAB 7.3")]),
    "as SQLite": Input("SQLite format 3,b\n", [("SQLite format 3", "b")]),
    # -- packings
    "bzip2": Input(bz2.compress(b"1 2\n2 3\n"), [(1, 2), (2, 3)], told="bzip2"),
    "bzip2 in gzip": Input(
        gzip.compress(bz2.compress(b"1 2\n")), refused="a bzip2 file inside another archive"
    ),
    "bzip2 of nothing": Input(bz2.compress(b""), refused="is empty"),
    "bzip2, its head alone": Input(bz2.compress(b"1 2\n")[:10], refused="truncated bzip2"),
    "bzip2, a broken block": Input(b"BZh9" + bytes(6) + b"rest", refused="broken bzip2"),
    "bzip2, truncated": Input(bz2.compress(b"1 2\n" * 9999)[:-5], refused="truncated bzip2"),
    "xz": Input(lzma.compress(b"1 2\n2 3\n"), [(1, 2), (2, 3)], told="xz"),
    "xz of two streams": Input(lzma.compress(b"1 2\n") + lzma.compress(b"2 3\n"), [(1, 2), (2, 3)]),
    "xz, truncated": Input(lzma.compress(b"1 2\n" * 9999)[:-20], refused="truncated xz"),
    "zip": Input(zipped(("folder/", b""), ("edges.csv", b"1,2\n2,3\n")), [(1, 2), (2, 3)], told="zip"),
    "zip of two files": Input(zipped(("a", b"1,2\n"), ("b", b"1,2\n")), refused="zip archive of 2 files"),
    "zip with what a Mac adds": Input(
        zipped(("a.csv", b"1,2\n"), ("__MACOSX/._a.csv", b"x"), (".DS_Store", b"x")), [(1, 2)]
    ),
    "zip, truncated": Input(zipped(("a", b"1,2\n"))[:-30], refused="broken zip"),
    "gzip in zip": Input(
        zipped(("a.gz", gzip.compress(b"1,2\n"))), refused="a gzip file inside another archive"
    ),
    # -- other formats
    "Parquet": Input(
        written(lambda table, where: parquet.write_table(table, where), PAYMENTS),
        TWO,
        options={"source": "payer", "target": "payee"},
        told="read as Parquet, text ids: 2 rows",
    ),
    "Parquet, a time after the year 9999": Input(
        written(parquet.write_table, tabular(u=[1], v=[2], w=pa.array([2**59], pa.timestamp("us")))), [(1, 2)]
    ),
    "Parquet, columns not told": Input(written(parquet.write_table, PAYMENTS), TWO),
    "Parquet of two columns": Input(
        written(parquet.write_table, tabular(a=[1, 2], b=[2, 3])), [(1, 2), (2, 3)]
    ),
    "Parquet, packed": Input(
        gzip.compress(written(parquet.write_table, tabular(u=[1], v=[2], w=[0.5]))), [(1, 2)], told="gzip"
    ),
    "Parquet with a missing id": Input(
        written(parquet.write_table, tabular(a=[1, None], b=[2, 3])), refused="missing"
    ),
    "Parquet with floats": Input(
        written(parquet.write_table, tabular(a=[1.0], b=[2.0])), [(1, 2)], told="written as floats"
    ),
    "Parquet with two types": Input(
        written(parquet.write_table, tabular(a=[1], b=["x"])), refused="one type"
    ),
    "Parquet, truncated": Input(written(parquet.write_table, PAYMENTS)[:-9], refused="broken Parquet"),
    "Parquet with a separator": Input(
        written(parquet.write_table, PAYMENTS),
        refused="header is not an option of a Parquet file",
        options={"header": True},
    ),
    "Arrow": Input(streamed(tabular(source=[1], target=[2]), ipc.new_file), [(1, 2)], told="Arrow"),
    "Arrow, a stream": Input(streamed(tabular(source=["a"], target=["b"]), ipc.new_stream), [("a", "b")]),
    "Feather": Input(
        written(lambda table, where: feather.write_feather(table, where), tabular(u=["a"], v=["b"])),
        [("a", "b")],
    ),
    "Arrow beyond 64 bits": Input(
        streamed(tabular(u=pa.array([2**63], pa.uint64()), v=pa.array([1], pa.uint64())), ipc.new_file),
        refused="beyond 64 bits",
    ),
    "GraphML": Input(GRAPHML, TWO, alone=("dan",), told="read as GraphML"),
    "GraphML, packed": Input(gzip.compress(GRAPHML.encode()), TWO, alone=("dan",)),
    "GraphML with entities": Input(
        GRAPHML.replace("<graphml", '<!DOCTYPE graphml [<!ENTITY a "b">]><graphml', 1), refused="DOCTYPE"
    ),
    "GraphML, truncated": Input(GRAPHML[:-30], refused="breaks at line 2"),
    "GraphML with a stranger": Input(GRAPHML.replace('target="cyd"', 'target="eve"'), refused="'eve'"),
    "GraphML with a node twice": Input(GRAPHML.replace('id="dan"', 'id="ada"'), refused="twice"),
    "GraphML with columns": Input(
        GRAPHML, refused="source has no effect", options={"source": 1, "target": 2}
    ),
    "JSON lines": Input(
        '{"source": "a", "target": "b"}\n\n{"target": "c", "source": "b"}\n', [("a", "b"), ("b", "c")]
    ),
    "JSON lines of whole floats": Input(
        '{"source": 1.0, "target": 2}\n', [(1, 2)], told="floats such as 1.0"
    ),
    "JSON lines, ends by name": Input(
        '{"x": 1, "y": 2, "z": "w"}\n', [(1, 2)], options={"source": "x", "target": "y"}
    ),
    "JSON lines, types that differ": Input(
        '{"source": 1, "target": 2}\n{"source": "1", "target": 3}\n', refused="line 2"
    ),
    "JSON lines without a key": Input(
        '{"source": 1, "target": 2}\n{"source": 2}\n', refused="must hold an integer"
    ),
    "JSON lines with a key twice": Input(
        '{"source": 1, "target": 2}\n{"source": 2, "source": 3}\n', refused="all differ"
    ),
    "JSON lines, two objects a line": Input(
        '{"source": 1, "target": 2}\n{"a":1}{"a":2}\n', refused="one object of JSON"
    ),
    "JSON lines, cut short": Input('{"source": 1, "target": 2}\n{"source": 2, "tar', refused="line 2"),
    "JSON lines beyond 64 bits": Input('{"source": 1, "target": 9223372036854775808}\n', refused="64 bits"),
    "JSON lines, a truth value": Input(
        '{"source": true, "target": 2}\n', refused="is a truth value in line 1"
    ),
    "JSON lines, a list": Input(
        '{"source": 1, "target": [2]}\n{"source": 1, "target": [2]}\n', refused="has one column"
    ),
    "JSON lines with a separator": Input(
        '{"source": 1, "target": 2}\n', refused="line", options={"header": True}
    ),
    "GEXF": Input(GEXF, refused="--labels (or --no-labels)"),
    "GEXF by ids": Input(GEXF, [(0, 1)], alone=(2,), told="not labels", options={"labels": False}),
    "GEXF by labels": Input(GEXF, [("ada", "bob")], alone=("c",), options={"labels": True}),
    "GML": Input(GML, refused="gives each of its nodes an id and a label"),
    "GML by ids": Input(GML, [(1, 2)], alone=(5,), told="GML, integer ids", options={"labels": False}),
    "GML by labels": Input(
        GML, [("ada", "bob")], alone=("x",), told="by their labels", options={"labels": True}
    ),
    "GML with a label twice": Input(GML.replace('"x"', '"ada"'), [(1, 2)], alone=(5,), told="not labels"),
    "GML with a label twice, by labels": Input(
        GML.replace('"x"', '"ada"'), refused="without a label of their own", options={"labels": True}
    ),
    "GraphML of igraph": Input(NAMED, refused="n0 | ada"),
    "GraphML of igraph by labels": Input(NAMED, [("ada", "bob")], options={"labels": True}),
    "labels of a text": Input("1,2\n", refused="labels has no effect for text", options={"labels": True}),
    "Pajek by numbers": Input(
        PAJEK, [(1, 2), (2, 3)], alone=(4,), told="not labels", options={"labels": False}
    ),
    "GML with an id that floats cannot hold": Input(GML.replace("id 5", f"id {2**53 + 1}"), refused="2^53"),
    "GML of two graphs": Input(GML + GML, refused="holds more than one graph"),
    "GML with a graph in a graph": Input(
        GML.replace("graph [", "graph [ graph [ node [ id 7 ] ]"), refused="more than one graph"
    ),
    "GML with an edge behind it": Input(GML + "Edge [ source 1 target 5 ]\n", refused="edges outside of it"),
    "GML with words that only look like it": Input(
        GML.replace("directed 0", 'directed 0\n# graph [\ncomment "graph [ ]"').replace(
            "id 5", "subgraph [ w 1 ] id 5"
        ),
        [(1, 2)],
        alone=(5,),
        options={"labels": False},
    ),
    "GML, truncated": Input(GML[:-40], refused="broken or cut short"),
    "GML with a node twice": Input(GML.replace("id 5", "id 1"), refused="GML"),
    "Pajek": Input(PAJEK, TWO, alone=("dan",), told="labels"),
    "Pajek without labels": Input("*Vertices 3\n*Edges\n1 2\n", [(1, 2)], alone=(3,), told="numbers"),
    "Pajek with a label twice": Input(PAJEK.replace("dan", "ada"), refused="the same id or label"),
    "Pajek of two networks": Input(PAJEK + PAJEK, refused="more than one network"),
    "Matrix Market": Input(MATRIX, [(1, 2), (2, 3)], alone=(4, 5), told="1 entries that are 0 are no edges"),
    "Matrix Market, a pattern": Input(
        "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 1\n", [(1, 2)], alone=(3,)
    ),
    "Matrix Market, not square": Input(MATRIX.replace("5 5 3", "5 6 3"), refused="must be square"),
    "Matrix Market, truncated": Input(MATRIX[:-6], refused="must hold 3 as its line of sizes says"),
    "Matrix Market, dense": Input("%%MatrixMarket matrix array real general\n1 1\n0\n", refused="is dense"),
    "METIS": Input(METIS, [(1, 2), (1, 3), (2, 3), (3, 4)], name="graph.metis", told="read as METIS"),
    "METIS, weighted": Input("2 1 11\n7 2 5\n8 1 5\n", [(1, 2)], name="x.graph"),
    "METIS, one side only": Input(
        METIS.replace("\n3\n", "\n\n"), refused="at both of its ends", name="a.metis"
    ),
    "an edge list by the name of METIS": Input(
        "ada bob\n", refused="name an edge list .txt", name="friends.graph"
    ),
    "the same, told to have blanks": Input(
        "ada bob\n", [("ada", "bob")], name="friends.graph", options={"separator": "space"}
    ),
}


@looped.as_one
@pytest.mark.parametrize("given", INPUTS.values(), ids=INPUTS.keys())
def test_no_input_loads_silently_wrong(given: Input, tmp_path: Path) -> None:
    path = tmp_path / given.name
    path.write_bytes(given.content.encode() if isinstance(given.content, str) else given.content)
    nodes = None
    if given.nodes is not None:
        nodes = tmp_path / "nodes"
        nodes.write_bytes(given.nodes.encode() if isinstance(given.nodes, str) else given.nodes)
    if given.refused is not None:
        face = FACE.set("command")
        try:
            with pytest.raises(EdgeDPError) as caught:
                read_graph(path, nodes, **given.options)
        finally:
            FACE.reset(face)
        asked = isinstance(caught.value, UndecidedError)
        assert asked or re.sub(r"[^a-z0-9 ]", "", given.refused) in re.sub(
            r"[^a-z0-9 ]", "", str(caught.value)
        )
        assert "\n" not in str(caught.value)
        return
    options = given.options
    for _ in range(2):  # what is asked loads by the options of the question
        try:
            graph, report = read_source(path, nodes, checked_options(**options))
            break
        except UndecidedError as error:
            load = dict(error.question.load)
            options = (
                load
                | ({"header": False} if "header" in load else {})
                | {"bipartite": None, "one_kind": True}
                | options
            )
    expected = given.edges or []
    ids = {end for edge in expected for end in edge} | set(given.alone)
    assert graph.node_ids.tolist() == sorted(ids)
    assert graph == Graph.from_edges(expected, nodes=sorted(ids))
    told = "\n".join(report.lines())
    assert given.told in told
    assert "first edge as read: " in told
    assert "ids: " in told


def test_the_table_is_long_enough() -> None:
    assert len(INPUTS) >= 40


# -- standard input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"1,2\n2,3\n", gzip.compress(b"1,2\n2,3\n"), zstandard.compress(b"1,2\n2,3\n"), zipped(("a", b"1,2\n2,3\n")),
     written(parquet.write_table, tabular(u=[1, 2], v=[2, 3]))],
    ids=["plain", "gzip", "zstandard", "zip", "Parquet"],
)  # fmt: skip
def test_standard_input(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert read_graph("-") == Graph.from_edges([(1, 2), (2, 3)])


def test_standard_input_serves_once() -> None:
    with pytest.raises(ParameterError, match="both standard input"):
        read_graph("-", nodes="-")


# -- options ----------------------------------------------------------------------------------------


@looped.as_one
@pytest.mark.parametrize(("options", "says"), [
    ({"source": "a"}, "source is given without target"),
    ({"target": 2}, "target is given without source"),
    ({"source": 0, "target": 1}, "source is 0, must be at least 1"),
    ({"source": 2, "target": "2"}, "must be another column than source"),
    ({"source": "a", "target": "b", "header": False}, "must be numbers"),
    ({"source": [1], "target": 2}, "source is a list"),
    ({"separator": "::"}, "separator is '::', must be one character"),
    ({"separator": "a"}, "must be one character"),
    ({"ids": "number"}, "ids is 'number', must be 'integer' or 'text'"),
    ({"comments": "rem"}, "comments is 'rem'"),
    ({"comments": 7}, "comments is an int"),
    ({"header": "yes"}, "header is a str, must be True, False or None"),
    ({"refresh": "yes"}, "refresh is a str"),
])  # fmt: skip
def test_options_that_mean_nothing(options: dict[str, Any], says: str, tmp_path: Path) -> None:
    (tmp_path / "graph").write_text("1,2\n")
    with pytest.raises(ParameterError, match=re.escape(says)):
        read_graph(tmp_path / "graph", **options)


def test_options_of_texts_are_refused_or_used_with_every_kind_of_list_of_nodes(tmp_path: Path) -> None:
    """What is said of comments may be said of the edges only; nothing is said of a first line that is not read."""
    edges = tmp_path / "edges.csv"
    edges.write_text("; no edge\n1,2\n")
    listed = {kind: tmp_path / f"nodes.{kind}" for kind in ("csv", "parquet", "arrow", "jsonl")}
    listed["csv"].write_text("id\n1\n2\n3\n")
    listed["jsonl"].write_text('{"id":1}\n{"id":2}\n{"id":3}\n')
    parquet.write_table(pa.table({"id": [1, 2, 3]}), listed["parquet"])
    feather.write_feather(pa.table({"id": [1, 2, 3]}), listed["arrow"])
    for kind, nodes in listed.items():
        assert read_graph(edges, nodes, comments=";").node_count == 3, kind
        if kind != "csv":
            with pytest.raises(ParameterError, match="nodes_header is not an option of"):
                read_graph(edges, nodes, comments=";", nodes_header=True)
    for none in (None, [1, 2, 3], np.array([1, 2, 3])):
        with pytest.raises(ParameterError, match="nodes_header is given without a file of nodes"):
            read_graph(edges, none, comments=";", nodes_header=True)


def test_no_error_shows_an_object() -> None:
    secret = tabular(payer=["secret-ada"], payee=["secret-bob"])
    for call in (
        lambda: read_graph(secret),  # type: ignore[arg-type]
        lambda: read_graph("email-Enron", ids=secret),  # type: ignore[arg-type]
        lambda: Graph.from_edges(secret),  # type: ignore[arg-type]
        lambda: Graph.from_networkx(secret),
        lambda: Graph.from_igraph(secret),
        lambda: Graph.from_scipy(secret),
        lambda: Graph.from_frame(["secret-ada"]),
        lambda: Graph.from_frame({"a": ["secret-ada", 1], "b": [1, 2]}),
        lambda: Graph.from_arrow({"a": ["secret-ada"]}),
    ):
        with pytest.raises(EdgeDPError) as caught:
            call()
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_comment_or_a_broken_line_far_down_is_named_by_its_number(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("edgedp.graph.reading.text.lines.BLOCK", 4096)
    lines = [f"n{i},n{i + 1}" for i in range(5000)]
    lines[4321] = "#bob,cyd"
    (tmp_path / "graph").write_text("\n".join(lines))
    with pytest.raises(GraphFormatError, match="line 4322 of"):
        read_graph(tmp_path / "graph", header=False)
    lines[4321] = "007,8"
    lines = [line.replace("n", "") for line in lines]
    (tmp_path / "graph").write_text("\n".join(lines))
    graph = read_graph(tmp_path / "graph")
    assert "007" in graph.node_ids
    assert "4320" in graph.node_ids
    assert read_graph(tmp_path / "graph", ids="integer").node_ids.dtype == np.int64


def test_a_stranger_of_a_file_that_lists_its_nodes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "graph").write_text(GRAPHML)
    with pytest.raises(UnknownNameError, match="'dan'"):
        read_graph(tmp_path / "graph", nodes=["ada", "bob", "cyd"])
    assert read_graph(tmp_path / "graph", nodes=["ada", "bob", "cyd", "dan", "eve"]).node_count == 5
