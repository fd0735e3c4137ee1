"""Reading graphs: every form of edge list gives the same graph, every broken one a single clear line."""

from __future__ import annotations

import csv
import gzip
import io
import re
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import looped
from edgedp.graph.graph import Graph
from edgedp.graph.loading import LoadReport, read_graph, read_source
from edgedp.graph.reading.options import ReadingOptions, checked_options
from edgedp.graph.reading.text.layout import detect_layout
from edgedp.graph.reading.text.table import _read_block, _read_lines, _without_comments
from edgedp.words.errors import EdgeDPError, GraphFormatError, ParameterError, UnknownNameError

TRIANGLE_AND_TAIL = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 10)])


@pytest.fixture
def file(tmp_path: Path):
    """Write bytes or text to a file whose suffix says nothing."""

    def write(content: bytes | str, name: str = "graph.data") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


# -- formats ----------------------------------------------------------------------------------------

ONE_GRAPH = {
    "snap with tabs": "# Undirected graph\n# FromNodeId\tToNodeId\n1\t2\n2\t3\n3\t1\n3\t10\n",
    "snap with spaces": "# a comment\n1 2\n2 3\n3 1\n3 10\n",
    "runs of spaces and tabs": "  1   2\n2 \t3  \n3 1\n\n3\t10\n",
    "csv": "1,2\n2,3\n3,1\n3,10\n",
    "csv with a header": "id_1,id_2\n1,2\n2,3\n3,1\n3,10\n",
    "csv with any header": "payer,payee\n1,2\n2,3\n3,1\n3,10\n",
    "csv with a quoted header": '"payer","payee"\n1,2\n2,3\n3,1\n3,10\n',
    "tsv with a header": "source\ttarget\n1\t2\n2\t3\n3\t1\n3\t10\n",
    "semicolons": "u;v\n1;2\n2;3\n3;1\n3;10\n",
    "konect": "% sym unweighted\n% 4 4 4\n1 2 \n2 3 \n3 1 \n3 10 \n",
    "blanks around fields": "1, 2\n2 ,3\n 3,1\n3,10\n",
    "quoted integers": '"1","2"\n"2","3"\n"3","1"\n"3","10"\n',
    "no final newline": "1,2\n2,3\n3,1\n3,10",
    "CRLF": "1,2\r\n2,3\r\n3,1\r\n3,10\r\n",
    "CRLF, no final newline": "# c\r\n1 2\r\n2 3\r\n3 1\r\n3 10",
    "old Mac line ends": "1,2\r2,3\r3,1\r3,10\r",
    "byte order mark": "\ufeff1,2\n2,3\n3,1\n3,10\n",
    "byte order mark and header": "\ufeffsource,target\n1,2\n2,3\n3,1\n3,10\n",
    "blank lines": "\n\n1,2\n\n2,3\n   \n3,1\n3,10\n\n\n",
    "comments between": "1,2\n# half\n2,3\n3,1\n# end\n3,10\n",
    "a comment that names columns": "#source,target\n1,2\n2,3\n3,1\n3,10\n",
    "weights and times": "source,target,weight,time\n1,2,0.5,x\n2,3,1,\n3,1,,y z\n3,10,7,\n",
    "both directions and parallels": "1 2\n2 1\n2 3\n2 3\n3 1\n1 3\n10 3\n3 10\n",
}


@looped.as_one
@pytest.mark.parametrize("text", ONE_GRAPH.values(), ids=ONE_GRAPH.keys())
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress], ids=["plain", "gz", "zst"])
def test_every_format_gives_the_same_graph(file, text, pack):
    graph = read_graph(file(pack(text.encode())))
    assert graph == TRIANGLE_AND_TAIL
    assert graph.node_ids.dtype == np.int64
    assert not graph.nodes_supplied


@pytest.mark.parametrize("name", ["graph.gz", "graph.csv", "graph.txt", "graph.zst", "graph"])
def test_the_suffix_says_nothing(file, name):
    assert read_graph(file(gzip.compress(b"1\t2\n2\t3\n3\t1\n3\t10\n"), name)) == TRIANGLE_AND_TAIL
    assert read_graph(file(b"1;2\n2;3\n3;1\n3;10\n", name)) == TRIANGLE_AND_TAIL


def test_a_path_may_be_text_or_path_or_file_address(file):
    path = file("1 2\n2 3\n3 1\n3 10\n", "with space.txt")
    assert read_graph(str(path)) == read_graph(path) == read_graph(path.as_uri()) == TRIANGLE_AND_TAIL


def test_archives_of_several_members_and_with_padding(file):
    assert read_graph(file(gzip.compress(b"1 2\n2 3\n") + gzip.compress(b"3 1\n3 10\n"))) == TRIANGLE_AND_TAIL
    assert read_graph(file(gzip.compress(b"1 2\n2 3\n3 1\n3 10\n") + bytes(512))) == TRIANGLE_AND_TAIL
    assert (
        read_graph(file(zstandard.compress(b"1 2\n2 3\n3 1\n") + zstandard.compress(b"3 10\n")))
        == TRIANGLE_AND_TAIL
    )


def test_texts_with_separators_quotes_and_other_scripts(file):
    path = file('"Smith, John","O""Neill"\n"Smith, John",Łukasz\n日本,"# no comment"\n')
    graph = read_graph(path, header=False)
    assert graph == Graph.from_edges(
        [("Smith, John", 'O"Neill'), ("Smith, John", "Łukasz"), ("日本", "# no comment")]
    )


def test_mixed_ids_are_all_texts(file):
    graph = read_graph(file("1,2\n2,b\n10,1\n"), ids="text", header=False)
    assert graph.node_ids.tolist() == ["1", "10", "2", "b"]


def test_integers_beyond_64_bits_are_texts(file):
    graph = read_graph(file(f"{2**63},1\n1,2\n"))
    assert graph.node_ids.tolist() == ["1", "2", str(2**63)]
    assert read_graph(file(f"{2**63 - 1},{-(2**63)}\n")).node_ids.tolist() == [-(2**63), 2**63 - 1]


def test_a_known_header_over_texts_is_a_header_unless_its_words_are_ids(file):
    assert read_graph(file("source,target\na,b\n")).node_ids.tolist() == ["a", "b"]
    assert read_graph(file("u,v\nv,w\n"), header=False).node_ids.tolist() == ["u", "v", "w"]
    assert read_graph(file("alice,bob\nbob,carol\n"), header=False).node_ids.tolist() == [
        "alice",
        "bob",
        "carol",
    ]


def test_far_apart_ids_and_negative_ones(file):
    graph = read_graph(file("-5,9000000000000000000\n7,-5\n"))
    assert graph == Graph.from_edges([(-5, 9_000_000_000_000_000_000), (7, -5)])


def test_a_node_of_a_self_loop_stays(file):
    graph, report = read_source(file("1 1\n1 1\n2 3\n"))
    assert graph.degrees.tolist() == [0, 1, 1]
    assert (report.self_loops, report.duplicates) == (2, 0)


def test_many_blocks_are_read_as_one(file, monkeypatch):
    monkeypatch.setattr("edgedp.graph.reading.text.lines.BLOCK", 64)
    monkeypatch.setattr("edgedp.graph.reading.sources.content.CHUNK", 100)
    edges = [(i * 7919 % 1000, i * 104729 % 997) for i in range(1500)]
    path = file("".join(f"{a} {b}\n" for a, b in edges))
    assert read_graph(path) == Graph.from_edges(edges)
    texts = [(f"n{a}", f"n{b}") for a, b in edges]
    assert read_graph(file("".join(f"{a},{b}\n" for a, b in texts)), header=False) == Graph.from_edges(texts)
    with pytest.raises(GraphFormatError, match=r"line 1501 of .* is '7'"):
        read_graph(file("".join(f"{a} {b}\n" for a, b in edges) + "7\n"))


# -- round trips ------------------------------------------------------------------------------------

NOBODY = {-1, -2, -9, -99, -999, -9999}  # these are asked about
INTEGERS = st.integers(-(2**63), 2**63 - 1).filter(lambda one: one not in NOBODY) | st.integers(0, 30)
INTEGER_EDGES = st.lists(st.tuples(INTEGERS, INTEGERS), min_size=1)
NAMES = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], include_characters="\t"),
    min_size=1,
    max_size=8,
)
TEXT_EDGES = st.lists(st.tuples(NAMES, NAMES), min_size=1)
COMPRESSIONS = st.sampled_from([bytes, gzip.compress, zstandard.compress])
EVERY_FILE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)


@EVERY_FILE
@given(
    edges=INTEGER_EDGES,
    separator=st.sampled_from(["\t", " ", ",", ";", ", ", "   "]),
    header=st.booleans(),
    extra=st.integers(0, 3),
    newline=st.sampled_from(["\n", "\r\n"]),
    final=st.booleans(),
    comments=st.lists(st.sampled_from(["# 1 2 3", "% 4,5", ""]), max_size=3),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
    compress=COMPRESSIONS,
)
def test_integers_round_trip(file, edges, separator, header, extra, newline, final, comments, mark, compress):
    rows = [[str(a), str(b), *["w"] * extra] for a, b in edges]
    if header:
        rows.insert(
            0,
            ["from here", "to there", *["w"] * extra]
            if separator.strip()
            else ["one", "two", *["w"] * extra],
        )
    lines = comments + [separator.join(row) for row in rows]
    text = newline.join(lines) + (newline if final else "")
    try:
        graph, report = read_source(
            file(compress(mark + text.encode())),
            options=checked_options(source=1, target=2, one_kind=True),
        )
    except GraphFormatError as error:  # a first line that counts what follows is asked about, and rightly
        assume("may be the numbers of nodes and edges" not in str(error))
        raise
    assert graph == Graph.from_edges(edges)
    assert report.row_count == len(edges)
    assert report.line_count == len(lines)
    assert report.extra_columns == extra
    assert bool(report.header) == header
    assert report.row_count == report.self_loops + report.duplicates + report.edge_count


@EVERY_FILE
@given(
    edges=TEXT_EDGES,
    separator=st.sampled_from(",;\t"),
    newline=st.sampled_from(["\n", "\r\n"]),
    compress=COMPRESSIONS,
)
def test_texts_round_trip(file, edges, separator, newline, compress):
    edges = [(f"q{a}q", f"q{b}q") for a, b in edges]  # no blanks at the ends, no integers
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator=newline).writerows(edges)
    assert read_graph(
        file(compress(buffer.getvalue().encode())), header=False, one_kind=True
    ) == Graph.from_edges(edges)


PIECES = [
    "a",
    "b1",
    "7",
    "-3",
    "+4",
    "08",
    "é",
    "#",
    "%",
    '"',
    '""',
    '"x"',
    '"1"',
    ",",
    ";",
    "\t",
    " ",
    "\n",
    "",
]
FIELDS = [
    *["a", "7", "-3"] * 4,
    "",
    " ",
    "é",
    "#c",
    '"x"',
    '""',
    '"p,q"',
    '"p q"',
    '"p""q"',
    'a"b',
    '" y',
    ' "y"',
]


@st.composite
def nearly_regular(draw) -> str:
    """Draw lines of equally many fields, then put up to two pieces where they may not belong."""
    separator = draw(st.sampled_from(["\t", " ", ",", ";"]))
    columns = draw(st.integers(1, 4))
    rows = draw(
        st.lists(
            st.lists(st.sampled_from(FIELDS), min_size=columns, max_size=columns), min_size=1, max_size=5
        )
    )
    text = "\n".join(map(separator.join, rows))
    for piece in draw(st.lists(st.sampled_from(PIECES), max_size=2)):
        where = draw(st.integers(0, len(text)))
        text = text[:where] + piece + text[where:]
    return text


@settings(max_examples=100)
@given(nearly_regular() | st.lists(st.sampled_from(PIECES)).map("".join), st.sampled_from([2, 1]))
def test_the_fast_way_reads_as_the_slow_way_or_not_at_all(text, width):
    data = text.encode() + b"\n"
    try:
        layout = detect_layout(data, "x", width, ReadingOptions(comments=(b"#", b"%")))
    except GraphFormatError:
        assume(False)
    rest = data[layout.start :]
    try:
        slow = [column.to_list() for column in _read_lines(rest, layout.number + layout.header, layout, "x")]
    except GraphFormatError:
        slow = None
    data, _ = _without_comments(rest, layout, layout.number + layout.header, "x")
    for ids in (None, "integer", "text"):
        fast = _read_block(data, layout, ids, texts=ids == "text")
        if fast is not None and len(fast[0]):
            assert slow is not None
            told = [column.to_list() for column in fast]
            if isinstance(told[0][0], str):
                assert told == slow
                assert ids != "integer"
            else:
                assert told == [list(map(int, column)) for column in slow]
                assert ids == "integer" or all(
                    str(int(field)) == field for column in slow for field in column
                )


LINE_BY_LINE = {"blanks around fields", "blank lines"}  # one blank too many


@looped.as_one
@pytest.mark.parametrize("name", [name for name in ONE_GRAPH if name not in LINE_BY_LINE])
def test_ordinary_files_take_the_fast_way(name, file, monkeypatch):
    monkeypatch.setattr("edgedp.graph.reading.text.table._read_lines", None)
    assert read_graph(file(ONE_GRAPH[name])) == TRIANGLE_AND_TAIL


# -- nodes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "1\n2\n3\n10\n99\n",
        "id\n1\n2\n3\n10\n99",
        "# all\n99\r\n10\r\n3\r\n2\r\n1\r\n",
        "id,name,group\n1,a b,x\n2,c,x\n3,d,y\n10,e,y\n99,f,\n",
        '"1"\n"2"\n"3"\n"10"\n"99"\n',
    ],
)
def test_a_file_of_nodes_adds_isolated_ones(file, text):
    graph, report = read_source(file("1 2\n2 3\n3 1\n3 10\n"), nodes=file(text, "nodes"))
    assert graph == Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 10)], nodes=[1, 2, 3, 10, 99])
    assert graph.nodes_supplied
    assert report.nodes_supplied
    assert "nodes supplied" in report.lines()


@pytest.mark.parametrize(
    "nodes",
    [[1, 2, 3, 10, 99], np.array([99, 1, 2, 3, 10], dtype=np.int32), (1, 1, 2, 3, 10, 99), range(100)],
)
def test_an_array_of_nodes(file, nodes):
    graph = read_graph(file("1 2\n2 3\n3 1\n3 10\n"), nodes=nodes)
    assert graph == Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 10)], nodes=list(nodes))
    assert graph.nodes_supplied


def test_nodes_with_spaces_are_one_column(file):
    edges = file("New York,Boston\n")
    assert read_graph(edges, header=False, nodes=file("New York\nBoston\nLos Angeles\n", "n")).node_ids.tolist() == [
        "Boston", "Los Angeles", "New York",
    ]  # fmt: skip


def test_nodes_that_are_texts_make_the_edges_texts(file):
    edges = file("from,to\n01,2\n")
    assert read_graph(edges, nodes=file("01\n2\nx\n", "n")).node_ids.tolist() == ["01", "2", "x"]
    assert read_graph(edges, nodes=["01", "2", "x"]).node_ids.tolist() == ["01", "2", "x"]


@pytest.mark.parametrize(("edges", "nodes", "stranger"), [
    ("1 2\n2 3\n", [1, 2], "3"),
    ("1 2\n2 5\n", [1, 2, 9], "5"),
    ("1 2\n2 -5\n", [1, 2, 9], "-5"),
    ("1 2\n2 9000000000\n", [1, 2, 10**15], "9000000000"),
    ("1 2\n2 10000000000\n", [1, 2, 5, 10**11], "10000000000"),
    ("a,b\nb,c\n", ["a", "b"], "'c'"),
    ("a,b\nb,1\n", [1, 2], "'a'"),
    ("1,2\n", [], "1"),
])  # fmt: skip
def test_an_edge_outside_the_nodes_is_refused(file, edges, nodes, stranger):
    with pytest.raises(
        UnknownNameError, match=re.escape(f"an end of an edge is {stranger}, must be one of the nodes")
    ):
        read_graph(file(edges), nodes=nodes, header=False, ids="text" if "a" in edges else None)


# -- what is refused --------------------------------------------------------------------------------

BROKEN = {
    "empty": (b"", "is empty, must hold at least one line of data"),
    "empty gz": (gzip.compress(b""), "is empty"),
    "only comments": (b"# a\n# b\n\n", "holds nothing but comments and blank lines"),
    "only a header": (b"source,target\n", "holds a header only"),
    "one column": (
        b"1\n2\n3\n",
        "has one column, must have two ids in each line; give a list of nodes as `nodes`",
    ),
    "binary": (bytes(range(256)), "is a binary file, which is not read"),
    "utf-16": ("1,2\n".encode("utf-16"), "is a text in UTF-16, which is not read; save it in UTF-8"),
    "binary in gz": (gzip.compress(bytes(range(256))), "is a binary file"),
    "zip": (b"PK\x03\x04rest", "is a truncated or broken zip archive"),
    "truncated gz": (gzip.compress(b"1 2\n" * 5000)[:-9], "is a truncated gzip file; copy"),
    "gz cut in its header": (gzip.compress(b"1 2\n")[:5], "is a truncated gzip file"),
    "gz with a wrong check": (gzip.compress(b"1 2\n")[:-8] + bytes(8), "is a broken gzip file"),
    "truncated second member": (
        gzip.compress(b"1 2\n") + gzip.compress(b"1 2\n" * 99)[:-3],
        "is a truncated gzip",
    ),
    "gz with rubbish behind": (gzip.compress(b"1 2\n") + b"rubbish", "is a broken gzip file"),
    "truncated zst": (zstandard.compress(b"1 2\n" * 5000)[:-3], "is a truncated zstandard file"),
    "broken zst": (b"\x28\xb5\x2f\xfd" + b"x" * 40, "is a broken zstandard file"),
    "ragged: fewer": (
        b"# c\n1,2,3\n4,5,6\n7,8\n9,1,1\n",
        "line 4 of {} is '7,8', must hold 3 fields as line 2 does, not 2",
    ),
    "ragged: more": (
        b"1 2\n3 4\n5 6 7\n",
        "line 3 of {} is '5 6 7', must hold 2 fields as line 1 does, not 3",
    ),
    "ragged: more, tabs": (b"1\t2\n3\t4\n5\t6\t7\n", "line 3 of {} is '5\\t6\\t7', must hold 2 fields"),
    "ragged: counts that even out": (b"1,2\n3\n4,5,6\n7,8\n", "line 2 of {} is '3', must hold 2 fields"),
    "ragged: other separator": (b"1,2\n3 4\n", "line 2 of {} is '3 4', must hold 2 fields"),
    "ragged: two spaces for a field": (
        b"1 2 3\n4 5 6\n7  8\n",
        "line 3 of {} is '7  8', must hold 3 fields as line 1",
    ),
    "ragged: two spaces for a field that is ignored": (
        b"1 2 3 4\n5 6 7 8\n9 10  12\n",
        "line 3 of {} is '9 10  12', must hold 4 fields as line 1 does, not 3",
    ),
    "ragged: a tab among spaces": (b"1 2\n3 4\t5\n", "line 2 of {} is '3 4\\t5', must hold 2 fields"),
    "ragged: a comment in a field's place": (b"1,2\n3,4 # why\n5\n", "line 3 of {} is '5', must hold 2 fields"),
    "ragged: a quote over two lines": (b'a,"b\nc",d\n', "line 1 of {} is 'a,\"b', must hold quoted fields"),
    "a quote over two lines that could be one field": (
        b'a,b\nc,"d\ne"\nf,g\n',
        "line 2 of {} is 'c,\"d', must hold quoted fields that close on their line",
    ),
    "ragged: a later quote over two lines": (
        b'a,b,c\nd,e,"f\ng,h,i",\n',
        "line 2 of {} is 'd,e,\"f', must hold quoted fields",
    ),
    "ragged: in quotes": (
        b'"a,b",c\n"d,e"\n',
        "line 2 of {} is '\"d,e\"', must hold 2 fields as line 1 does, not 1",
    ),
    "ragged: last line": (b"1,2\n2,3\n3", "line 3 of {} is '3', must hold 2 fields"),
    "ragged: after blank lines, CRLF": (b"1,2\r\n\r\n\r\n3\r\n", "line 4 of {} is '3', must hold 2 fields"),
    "empty id": (b"1,2\n3,\n", "line 2 of {} is '3,', must hold no empty id"),
    "quoted empty id": (b'a,b\n"",c\n', "line 2 of {} is '\"\",c', must hold no empty id"),
    "blank id": (b"a,b\n  ,c\n", "line 2 of {} is '  ,c', must hold no empty id"),
    "open quote": (
        b'a,b\n"c,d\ne,f\n',
        "line 2 of {} is '\"c,d', must hold quoted fields that close on their line",
    ),
    "text after a quote": (b'a,b\n"c"d,e\n', "line 2 of {} is '\"c\"d,e', must hold quoted fields"),
    "latin-1": ("a,b\nc,Zoë\n".encode("latin-1"), "line 2 of {} is 'c,Zo\\\\xeb', must be text in UTF-8; save the"),
    "latin-1 first": ("Zoë,b\n".encode("latin-1"), "line 1 of {} is 'Zo\\\\xeb,b', must be text in UTF-8"),
    "a long line": (
        b"1,2\n" + b"x" * 500 + b"\n",
        "line 2 of {} is '" + "x" * 57 + "...', must hold 2 fields",
    ),
}  # fmt: skip


@looped.as_one
@pytest.mark.parametrize(("content", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_refused_in_one_line(file, content, message):
    path = file(content)
    with pytest.raises(GraphFormatError) as caught:
        read_graph(path)
    assert message.format(repr(str(path))) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_broken_line_deep_in_a_large_file_is_named(file):
    lines = [f"{i} {i + 1}" for i in range(200_000)]
    lines[123_456] = "12 13 14"
    path = file("# head\n" + "\n".join(lines) + "\n")
    with pytest.raises(GraphFormatError, match=r"line 123458 of .* is '12 13 14'"):
        read_graph(path)


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(UnknownNameError, match="does not exist; check the path"):
        read_graph(tmp_path / "absent.txt")
    with pytest.raises(UnknownNameError, match="does not exist"):
        read_graph(str(tmp_path / "absent.txt"))
    with pytest.raises(UnknownNameError, match="does not exist"):
        read_graph((tmp_path / "absent.txt").as_uri())
    with pytest.raises(GraphFormatError, match="holds no file to read"):
        read_graph(tmp_path)
    with pytest.raises(UnknownNameError, match="does not exist"):
        read_graph("email-Enron", nodes=tmp_path / "absent")


@pytest.mark.parametrize("source", ["", "  ", 7, None, "ftp://example.org/a", "file://b/a", "file://a"])
def test_sources_that_name_nothing(source):
    with pytest.raises(ParameterError, match="source is"):
        read_graph(source)


@pytest.mark.parametrize("nodes", [[[1, 2]], [1.5], ["a", 1], 5, b"12"])
def test_nodes_that_are_no_ids(file, nodes):
    with pytest.raises(EdgeDPError, match="nodes"):
        read_graph(file("1 2\n"), nodes=nodes)


def test_a_broken_file_of_nodes_is_named(file):
    with pytest.raises(GraphFormatError, match=r"line 2 of '.*nodes' is .2\\t3."):
        read_graph(file("1 2\n"), nodes=file("1\n2\t3\n", "nodes"))


# -- report and progress ----------------------------------------------------------------------------


def test_the_report_counts(file):
    text = "# one\n# two\nsource,target,weight\na,b,1\nb,a,2\na,b,3\nc,c,4\nb,c,5\n"
    graph, report = read_source(str(file(gzip.compress(text.replace("\n", "\r\n").encode()))))
    assert report == LoadReport(
        source=report.source, format="commas, text ids, gzip, CRLF", line_count=8, row_count=5, self_loops=1,
        duplicates=2, extra_columns=1, header=("source", "target", "weight"), node_count=3, edge_count=2,
        max_degree=2, nodes_supplied=False, first_edge=("a", "b"), first_number=4, columns=(1, 2),
        first_line="names of columns", comments="2 lines that begin with # or %", ids="texts; 'a' is not an integer",
    )  # fmt: skip
    assert report.source.endswith("graph.data")
    assert report.edge_count == graph.edge_count
    assert report.lines()[1:] == [
        "read as commas, text ids, gzip, CRLF: 8 lines, 5 of them edges",
        "first edge as read: a - b (line 4, columns source and target)",
        "first line: names of columns (source, target, weight); comments: 2 lines that begin with # or %; "
        "ids: texts; 'a' is not an integer",
        "1 self-loop dropped, 2 duplicates merged",
        "1 other column ignored",
        "nodes read from the edges",
    ]


def test_progress_goes_through_its_stages_and_to_the_end(file):
    calls: list[tuple[str, int, int | None]] = []
    read_source(file(gzip.compress(b"1 2\n2 3\n")), progress=lambda *call: calls.append(call))
    assert [stage for stage, _, _ in calls] == ["reading", "building"]
    assert all(done == total for stage, done, total in calls if stage != "building")


# -- the bundled graphs -----------------------------------------------------------------------------


def test_the_bundled_graph_is_what_it_declares():
    graph, report = read_source("email-Enron")
    assert (graph.node_count, graph.edge_count, graph.max_degree) == (36_692, 183_831, 1_383)
    assert graph.node_ids.tolist() == list(range(graph.node_count))
    assert report.notes == ()
    assert report.source == "email-Enron"


def test_the_copy_of_github_is_what_it_declares(github):
    graph, report = read_source("musae-github")
    assert graph == github
    assert (graph.node_count, graph.edge_count, graph.max_degree) == (37_700, 289_003, 9_458)
    assert graph.node_ids.tolist() == list(range(graph.node_count))
    assert report.source == "musae-github"
    assert report.notes[0].startswith("read from ")
    assert "has the edge 1-3 where the published list has 1-34526" in report.notes[1]


def test_enron_lists_every_edge_twice():
    _, report = read_source("email-Enron")
    assert (report.row_count, report.duplicates, report.self_loops) == (367_662, 183_831, 0)
    assert report.format == "tabs, integer ids, gzip"


@pytest.mark.parametrize(
    ("rows", "ids"),
    [
        (["1 2", "3 4", "5 3000000000"], [1, 2, 3, 4, 5, 3000000000]),
        (["3000000000 1", "1 2", "2 3"], [1, 2, 3, 3000000000]),
        (["1 -2147483648", "-2147483649 2", "2 2147483647"], [-2147483649, -2147483648, 1, 2, 2147483647]),
        (["5 6", "6 7", "7 5"], [5, 6, 7]),
        (["1 2", "2 3", "3 x"], ["1", "2", "3", "x"]),
        (["1 2", "2 3", "3 04"], ["04", "1", "2", "3"]),
    ],
    ids=["wide later", "wide first", "both signs", "close together", "a text later", "a zero later"],
)
def test_ids_are_the_same_wherever_blocks_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[str], ids: list[object]
) -> None:
    """Integers are held in 32 bits block by block, and numbered piece by piece."""
    from edgedp.graph.reading.text import lines, table

    text = tmp_path / "edges.txt"
    text.write_text("\n".join(rows) + "\n")
    told = {"header": False, "one_kind": True} | ({"ids": "text"} if "x" in text.read_text() else {})
    expected = read_graph(str(text), **told)
    assert expected.node_ids.tolist() == ids
    for block, piece in ((4, 1), (1 << 23, 1), (12, 1 << 17)):
        monkeypatch.setattr(lines, "BLOCK", block)
        monkeypatch.setattr(table, "_PIECE", piece)
        assert read_graph(str(text), **told) == expected


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_stay_whole_wherever_pieces_of_a_text_end(monkeypatch: pytest.MonkeyPatch, end: bytes) -> None:
    from edgedp.graph.reading.text import lines

    monkeypatch.setattr(lines, "BLOCK", 8)
    plain = b"1,2\n33,44\n555,6\n\n7,8888888888\n9,1\n"
    text = plain.replace(b"\n", end)
    for size in range(1, len(text) + 1):
        for whole in (text, text[: -len(end)]):
            pieces = (whole[at : at + size] for at in range(0, len(whole), size))
            blocks = list(lines.Blocks(pieces, "x"))
            assert b"".join(blocks) == plain, size
            assert all(block.endswith(b"\n") for block in blocks)
