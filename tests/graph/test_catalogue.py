"""The catalogue, and what happens between a dataset's address and the cache."""

from __future__ import annotations

import gzip
import hashlib
import io
import logging
import re
import shutil
import socket
import threading
import zipfile
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import looped
from edgedp.graph.graph import Graph
from edgedp.graph.loading import read_graph, read_source
from edgedp.graph.reading.sources.catalogue import Dataset, catalogue, dataset
from edgedp.graph.reading.sources.downloads import cache_folder, fetch, file_sha256
from edgedp.words.errors import GraphFormatError, ParameterError, UnknownNameError
from edgedp.words.places import asset
from edgedp.words.progress import Silent

EDGES = gzip.compress(b"# a small graph\n1\t2\n2\t3\n", mtime=0)
EDGES_SHA256 = hashlib.sha256(EDGES).hexdigest()
OTHER = gzip.compress(b"1\t2\n", mtime=0)


# -- manifests --------------------------------------------------------------------------------------

MANIFEST = """
title = "A graph"
description = "For tests."
page = "https://example.org/graph.html"
address = "https://example.org/graph.txt.gz"
format = "SNAP"
directed = true
nodes = 3
licence = "CC0"
citation = "Nobody. Nowhere. 2020."
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A catalogue of one dataset, ``small``."""
    where = tmp_path / "loaders"
    where.mkdir()
    (where / "small.toml").write_text(MANIFEST)
    (where / "README.md").write_text("not a manifest")
    return where


def test_one_manifest_is_one_dataset(folder):
    [entry] = catalogue(folder)
    assert entry == dataset("small", folder)
    assert (entry.name, entry.title, entry.nodes, entry.edges, entry.directed) == (
        "small",
        "A graph",
        3,
        None,
        True,
    )
    assert entry.edge_list.address == "https://example.org/graph.txt.gz"
    assert (entry.edge_list.sha256, entry.edge_list.bundled, entry.node_list) == (None, None, None)
    assert not entry.bundled


def test_adding_a_dataset_is_adding_a_file(folder):
    (folder / "Another.toml").write_text(MANIFEST)
    assert [entry.name for entry in catalogue(folder)] == ["Another", "small"]


BROKEN = {
    "unknown field": ("title", "titel", "titel is not a known field, .*; did you mean 'title'"),
    "missing field": ('licence = "CC0"\n', "", "licence is missing, must be a text"),
    "no address": ('address = "https://example.org/graph.txt.gz"\n', "", "address is missing"),
    "count of text": ("nodes = 3", 'nodes = "3"', "nodes is '3', must be an integer above 0"),
    "count of 0": ("nodes = 3", "nodes = 0", "nodes is 0, must be an integer above 0"),
    "count of bool": ("nodes = 3", "nodes = true", "nodes is True, must be an integer above 0"),
    "flag of text": ("directed = true", 'directed = "yes"', "directed is 'yes', must be true or false"),
    "empty text": ('title = "A graph"', 'title = " "', "title is ' ', must be a text"),
    "address of a file": ("https://example.org/graph.txt", "file:///etc/x", "address is 'file:"),
    "short checksum": ("nodes = 3", 'sha256 = "abc"', "sha256 is 'abc', must be 64 hexadecimal digits"),
    "checksum in capitals": ("nodes = 3", f'sha256 = "{"A" * 64}"', "sha256 is 'A"),
    "bundled elsewhere": ("nodes = 3", 'bundled = "../x.gz"', "bundled is '../x.gz', must be the name"),
    "bundled absent": ("nodes = 3", 'bundled = "x.gz"', "bundled is 'x.gz', must be a file beside"),
    "a member without checksum": ("nodes = 3", 'member = "x.csv"', "member is not given with member_sha256"),
    "a short checksum of a member": ("nodes = 3", 'member = "x"\nmember_sha256 = ["a"]', "member_sha256 is"),
    "copies of no table": ("nodes = 3", "copies = 3", "copies is 3, must be a table of file names"),
    "a copy elsewhere": ("nodes = 3", f'copies = {{ "../x" = "{"a" * 64}" }}', "copies is {'../x'"),
    "a copy of no checksum": ("nodes = 3", 'copies = { "x.gz" = "a" }', "copies is {'x.gz'"),
    "nodes of no table": ("nodes = 3", "node_list = 3", "node_list is 3, must be a table"),
    "unknown field of nodes": ("nodes = 3", "[node_list]\nurl=1", "node_list.url is not a known field"),
    "nodes from nowhere": ("nodes = 3", "[node_list]\n", "node_list.address is missing"),
}


def test_a_manifest_that_is_no_toml_is_refused(folder):
    (folder / "small.toml").write_text("title A graph")
    with pytest.raises(GraphFormatError, match=r"small.toml cannot be read as TOML \(.*\); correct"):
        catalogue(folder)


@looped.as_one
@pytest.mark.parametrize(("old", "new", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_manifest_is_refused_by_file_and_field(folder, old, new, message):
    path = folder / "small.toml"
    if new.startswith("[node_list]"):
        path.write_text(MANIFEST.replace(old, "") + new)
    else:
        path.write_text(MANIFEST.replace(old, new))
    for read in (lambda: catalogue(folder), lambda: dataset("small", folder)):
        with pytest.raises(GraphFormatError, match=f"small.toml: {message}") as caught:
            read()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("email-Enrom", "email-Enron"),
        ("EMAIL-ENRON", "email-Enron"),
        ("com-dblq", "com-dblp"),
        ("musae_github", "musae-github"),
    ],
)
def test_a_misspelt_name_gets_the_nearest_one(name, near):
    with pytest.raises(UnknownNameError, match=f"dataset is '{name}', must be .*; did you mean '{near}'?"):
        dataset(name)
    with pytest.raises(UnknownNameError, match=f"source is '{name}', must be .*; did you mean '{near}'?"):
        read_graph(name)


def test_a_name_like_no_other_leads_to_the_list():
    with pytest.raises(UnknownNameError, match="see `edgedp datasets`"):
        dataset("qqqqqqqqqqqq")


# -- the catalogue of the package -------------------------------------------------------------------


def test_the_catalogue_holds_the_graphs_of_the_papers():
    entries = {entry.name: entry for entry in catalogue()}
    figures = {name: (entry.nodes, entry.edges, entry.max_degree) for name, entry in entries.items()}
    assert figures["email-Enron"] == (36_692, 183_831, 1_383)
    assert figures["musae-github"] == (37_700, 289_003, 9_458)
    assert figures["com-dblp"] == (317_080, 1_049_866, 343)
    assert {name for name, entry in entries.items() if entry.bundled} == {"email-Enron"}


@looped.as_one
@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: entry.name)
def test_every_dataset_can_be_had(entry: Dataset):
    if entry.bundled:
        assert entry.edge_list.bundled is not None
        assert file_sha256(entry.edge_list.bundled) == entry.edge_list.sha256
    else:
        assert entry.edge_list.address is not None
        assert entry.edge_list.address.startswith("https://snap.stanford.edu/data/")
        assert entry.edge_list.address.endswith(".gz" if entry.edge_list.member is None else ".zip")
    assert entry.page.startswith("https://snap.stanford.edu/data/")
    if entry.edges is not None:
        assert entry.nodes is not None
        assert entry.edges <= entry.nodes * (entry.nodes - 1) // 2
    if entry.edges is not None and entry.listed_edges is not None:
        assert entry.edges <= entry.listed_edges  # merging never adds
    if entry.max_degree is not None:
        assert entry.nodes is not None
        assert entry.max_degree < entry.nodes


def test_every_file_of_data_has_a_manifest():
    loaders = asset("loaders")
    data = {path.name for path in loaders.iterdir() if path.suffix not in (".toml", ".md")}
    assert data == {entry.edge_list.bundled.name for entry in catalogue() if entry.edge_list.bundled}


def test_a_bundled_file_that_was_altered_is_refused(folder, monkeypatch):
    (folder / "edges.txt.gz").write_bytes(EDGES)
    (folder / "small.toml").write_text(MANIFEST + f'bundled = "edges.txt.gz"\nsha256 = "{EDGES_SHA256}"\n')
    monkeypatch.setattr("edgedp.graph.reading.sources.catalogue.asset", lambda *parts: folder)
    assert read_graph("small") == Graph.from_edges([(1, 2), (2, 3)])
    (folder / "edges.txt.gz").write_bytes(OTHER)
    with pytest.raises(GraphFormatError, match=f"the sha256 of .*edges.txt.gz' is not {EDGES_SHA256}"):
        read_graph("small")


# -- downloads --------------------------------------------------------------------------------------


@dataclass
class Site:
    """A web server on this machine: what it serves, and what it was asked for."""

    pages: dict[str, bytes] = field(default_factory=dict)
    cut: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    address: str = ""

    def serve(self, path: str, content: bytes, *, cut: bool = False) -> str:
        self.pages[path] = content
        self.cut = self.cut | {path} if cut else self.cut - {path}
        return self.address + path


@pytest.fixture
def site():
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            site.asked.append(self.path)
            content = site.pages.get(self.path)
            if content is None:
                self.send_error(404)
                return
            self.send_response(200)
            if "gzip" in self.headers.get("Accept-Encoding", ""):  # as servers of texts do
                content = gzip.compress(content)
                self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if self.path in site.cut else content)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield site
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch) -> Path:
    """A cache of its own for every test, and no proxy between us and the server."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("EDGEDP_CACHE", str(folder))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("EDGEDP_DATA", raising=False)
    return folder


def small_catalogue(folder: Path, monkeypatch, address: str, more: str = "") -> None:
    """Make ``small``, at that address, the only dataset."""
    (folder / "small.toml").write_text(MANIFEST.replace("https://example.org/graph.txt.gz", address) + more)
    monkeypatch.setattr("edgedp.graph.reading.sources.catalogue.asset", lambda *parts: folder)


def test_the_cache_is_where_the_user_says(tmp_path):
    assert cache_folder({"EDGEDP_CACHE": str(tmp_path)}) == tmp_path
    assert cache_folder({"EDGEDP_CACHE": "~/x"}) == Path.home() / "x"
    assert cache_folder({}) == cache_folder({"EDGEDP_CACHE": ""})
    assert "edgedp" in cache_folder({}).parts


def test_an_address_is_fetched_once(site, cache):
    address = site.serve("/some/graph.txt.gz?v=1", EDGES)
    calls: list[tuple[str, int, int | None]] = []
    graph, report = read_source(address, progress=lambda *call: calls.append(call))
    assert graph == Graph.from_edges([(1, 2), (2, 3)])
    assert report.source == address.removesuffix("?v=1")
    assert f"sha256 {EDGES_SHA256}, recorded at the first download" in report.notes[0]
    assert ("downloading", len(EDGES), len(EDGES)) in calls
    assert read_graph(address) == graph
    assert site.asked == ["/some/graph.txt.gz?v=1"]
    assert sorted(path.suffix for path in cache.iterdir()) == [".gz", ".sha256"]


def test_a_dataset_is_fetched_once_and_checked_against_its_manifest(site, folder, monkeypatch):
    small_catalogue(folder, monkeypatch, site.serve("/graph.txt.gz", EDGES), f'sha256 = "{EDGES_SHA256}"\n')
    graph, report = read_source("small")
    assert graph == read_graph("small") == Graph.from_edges([(1, 2), (2, 3)])
    assert "as declared" in report.notes[0]
    assert len(site.asked) == 1


def test_a_dataset_unlike_its_manifest_is_reported(site, folder, monkeypatch):
    small_catalogue(folder, monkeypatch, site.serve("/graph.txt.gz", OTHER))
    _, report = read_source("small")
    assert "the catalogue declares 3 nodes, the file holds 2" in report.lines()


def test_a_dataset_with_a_list_of_nodes_supplies_them(site, folder, monkeypatch):
    nodes = site.serve("/nodes.csv", b"id,label\n1,a\n2,b\n3,c\n9,d\n")
    small_catalogue(
        folder, monkeypatch, site.serve("/graph.txt.gz", EDGES), f'[node_list]\naddress = "{nodes}"\n'
    )
    graph = read_graph("small")
    assert graph.node_ids.tolist() == [1, 2, 3, 9]
    assert graph.nodes_supplied
    assert read_graph("small", nodes=[1, 2, 3]).node_ids.tolist() == [1, 2, 3]


def test_nodes_may_be_an_address(site):
    graph = read_graph(site.serve("/e", EDGES), nodes=site.serve("/n", b"1\n2\n3\n4\n"))
    assert graph.node_ids.tolist() == [1, 2, 3, 4]


def test_what_the_server_refuses_is_one_line_and_leaves_nothing(site, cache):
    with pytest.raises(
        GraphFormatError, match=f"{site.address}/absent answered 404 Not Found; check the address"
    ):
        read_graph(f"{site.address}/absent")
    assert not list(cache.iterdir())


def test_a_server_that_is_down(cache):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(GraphFormatError, match=f"http://127.0.0.1:{port}/graph cannot be reached"):
        read_graph(f"http://127.0.0.1:{port}/graph")
    assert not list(cache.iterdir())


@pytest.mark.parametrize("address", ["http://", "http://[/x", "https:///x"])
def test_an_address_of_no_server(address):
    with pytest.raises((GraphFormatError, ParameterError), match=r"is not an address|cannot be reached"):
        read_graph(address)


def test_a_body_that_breaks_off_is_refused_and_then_fetched_again(site, cache):
    address = site.serve("/graph.txt.gz", EDGES, cut=True)
    with pytest.raises(GraphFormatError, match="broke off before the file was whole"):
        read_graph(address)
    assert not list(cache.iterdir())
    site.serve("/graph.txt.gz", EDGES)
    assert read_graph(address).edge_count == 2


def test_a_wrong_checksum_is_refused_and_leaves_nothing(site, folder, cache, monkeypatch):
    small_catalogue(folder, monkeypatch, site.serve("/graph.txt.gz", OTHER), f'sha256 = "{EDGES_SHA256}"\n')
    with pytest.raises(GraphFormatError, match=f"the sha256 of .* is not {EDGES_SHA256}"):
        read_graph("small")
    assert not list(cache.iterdir())


def test_trust_is_on_first_use(site, cache):
    address = site.serve("/graph.txt.gz", EDGES)
    graph = read_graph(address)
    [data] = cache.glob("*.gz")
    [record] = cache.glob("*.sha256")
    assert record.read_text().split() == [EDGES_SHA256, data.name]

    data.write_bytes(OTHER)  # altered in the cache: fetched again, and as it was
    assert read_graph(address) == graph
    assert len(site.asked) == 2

    data.unlink()
    site.serve("/graph.txt.gz", OTHER)  # altered at the server: refused until the record goes
    with pytest.raises(GraphFormatError, match=f"is not {EDGES_SHA256}; give --refresh to accept"):
        read_graph(address)
    assert read_graph(address, refresh=True).edge_count == 1
    assert read_graph(address).edge_count == 1


def test_a_refresh_reads_what_is_there_now(site, cache):
    address = site.serve("/graph.txt.gz", EDGES)
    _, report = read_source(address)
    assert "fetched now" in report.notes[0]
    site.serve("/graph.txt.gz", OTHER)
    _, report = read_source(address)  # a copy that is there serves, and says since when
    assert report.edge_count == 2
    assert re.search(r"fetched \d{4}-\d\d-\d\d .* UTC\); --refresh fetches it anew", report.notes[0])
    assert read_graph(address, refresh=True).edge_count == 1
    assert read_graph(address).edge_count == 1
    assert len(site.asked) == 2
    assert len(list(cache.iterdir())) == 2


@pytest.mark.parametrize("cut", [False, True])
def test_a_refresh_that_fails_keeps_what_was_there(site, cache, cut):
    address = site.serve("/graph.txt.gz", EDGES)
    graph = read_graph(address)
    if cut:
        site.serve("/graph.txt.gz", OTHER * 50, cut=True)
    else:
        del site.pages["/graph.txt.gz"]
    with pytest.raises(GraphFormatError, match=r"broke off|answered 404"):
        read_graph(address, refresh=True)
    assert read_graph(address) == graph
    assert len(list(cache.iterdir())) == 2


def test_a_refreshed_dataset_is_still_held_to_its_checksum(site, folder, cache, monkeypatch):
    small_catalogue(folder, monkeypatch, site.serve("/graph.txt.gz", EDGES), f'sha256 = "{EDGES_SHA256}"\n')
    graph = read_graph("small", refresh=True)
    site.serve("/graph.txt.gz", OTHER)
    with pytest.raises(GraphFormatError, match=r"the sha256 of .* is not"):
        read_graph("small", refresh=True)
    assert read_graph("small") == graph


def test_what_may_be_secret_in_an_address_is_not_shown(site, cache):
    address = site.serve("/graph.txt.gz?token=hunter2", EDGES).replace("://", "://ada:hunter2@")
    _, report = read_source(address)
    assert "hunter2" not in "".join(report.lines())
    assert not [path for path in cache.iterdir() if "hunter2" in path.name or "ada" in path.name]
    for path in ("/absent?token=hunter2", "/page?token=hunter2"):
        if "page" in path:
            site.serve(path, b"Not Found\n")
        with pytest.raises(GraphFormatError) as caught:
            read_graph((site.address + path).replace("://", "://ada:hunter2@"))
        assert "hunter2" not in str(caught.value)


def test_one_line_of_words_from_a_server_is_no_graph(site, cache):
    with pytest.raises(GraphFormatError, match="answered with one line of words"):
        read_graph(site.serve("/graph", b"Not Found\n"))
    assert not list(cache.iterdir())
    assert read_graph(site.serve("/graph", b"Not Found\n"), separator="space", header=False).edge_count == 1


def test_a_file_without_its_record_is_not_trusted(site, cache):
    address = site.serve("/graph.txt.gz", EDGES)
    read_graph(address)
    [record] = cache.glob("*.sha256")
    record.unlink()  # as after a kill between the file and its record
    read_graph(address)
    assert len(site.asked) == 2
    assert record.is_file()


def test_a_page_that_is_no_graph_does_not_stay_in_the_cache(site, cache):
    address = site.serve("/graph.txt.gz", b"<html>\n<body>Log in first, please</body>\n</html>\n")
    with pytest.raises(GraphFormatError):
        read_graph(address)
    assert not list(cache.iterdir())
    site.serve("/graph.txt.gz", EDGES)
    assert read_graph(address).edge_count == 2


def test_a_file_that_serves_elsewhere_stays_in_the_cache(site):
    nodes = site.serve("/nodes", b"1\n2\n3\n")
    read_graph(site.serve("/edges", EDGES), nodes=nodes)
    with pytest.raises(GraphFormatError, match="has one column"):
        read_graph(nodes)
    read_graph(f"{site.address}/edges", nodes=nodes)
    assert sorted(site.asked) == ["/edges", "/nodes"]


def test_a_file_that_was_declared_stays_in_the_cache(site, folder, monkeypatch):
    content = b"1 2\n3\n"
    declared = f'sha256 = "{hashlib.sha256(content).hexdigest()}"\n'
    small_catalogue(folder, monkeypatch, site.serve("/graph.txt.gz", content), declared)
    for _ in range(2):
        with pytest.raises(GraphFormatError, match="line 2 of 'small' is '3'"):
            read_graph("small")
    assert len(site.asked) == 1


def test_what_a_server_would_compress_on_the_way_is_asked_for_as_it_is(site, cache):
    address = site.serve("/graph.csv", b"1,2\n2,3\n")
    assert fetch(address, sha256=None, cache=cache, progress=Silent()).path.read_bytes() == b"1,2\n2,3\n"


def test_two_addresses_do_not_share_a_file(site):
    assert read_graph(site.serve("/a/graph.gz", EDGES)).edge_count == 2
    assert read_graph(site.serve("/b/graph.gz", OTHER)).edge_count == 1
    assert read_graph(f"{site.address}/a/graph.gz").edge_count == 2


def test_a_cache_that_cannot_be_written(site, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EDGEDP_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(
        GraphFormatError, match=r"the cache .* cannot be used .*; name another folder with EDGEDP_CACHE"
    ):
        read_graph(site.serve("/graph.txt.gz", EDGES))


def test_the_record_of_a_download(site, cache):
    address = site.serve("/graph.txt.gz", EDGES)
    first = fetch(address, sha256=EDGES_SHA256, cache=cache, progress=Silent())
    second = fetch(address, sha256=EDGES_SHA256, cache=cache, progress=Silent())
    assert (first.fresh, second.fresh) == (True, False)
    assert first.path == second.path
    assert first.declared
    assert first.sha256 == EDGES_SHA256 == file_sha256(first.path)


def test_pooch_says_nothing_of_its_own(site, capfd, caplog):
    import pooch

    before = pooch.get_logger().level
    with caplog.at_level(logging.INFO):
        read_graph(site.serve("/graph.txt.gz", EDGES))
    assert pooch.get_logger().level == before
    assert capfd.readouterr() == ("", "")


def test_a_copy_of_the_loaders_reads_the_same(tmp_path):
    copied = shutil.copytree(asset("loaders"), tmp_path / "copy")
    assert [entry.name for entry in catalogue(copied)] == [entry.name for entry in catalogue()]


# -- an archive, and a copy that is here ------------------------------------------------------------


def zipped(**members: bytes) -> bytes:
    """Return a zip archive with files of these names, ``_`` for the dot, in a folder."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"folder/{name.replace('_', '.')}", data)
    return content.getvalue()


PLAIN = b"a,b\n1,2\n2,3\n"
PLAIN_SHA256 = hashlib.sha256(PLAIN).hexdigest()
NO_MEMBER = "is not a zip archive with a readable 'folder/edges.csv'; check the address"
MEMBER = f'member = "folder/edges.csv"\nmember_sha256 = ["{PLAIN_SHA256}"]\n'


def test_one_file_is_read_out_of_an_archive_and_fetched_once(site, folder, cache, monkeypatch):
    address = site.serve("/all.zip", zipped(edges_csv=PLAIN, nodes_csv=b"no list\n"))
    small_catalogue(folder, monkeypatch, address, MEMBER)
    graph, report = read_source("small")
    assert graph == read_graph("small") == Graph.from_edges([(1, 2), (2, 3)])
    assert f"sha256 {PLAIN_SHA256}, as declared" in report.notes[0]
    [kept] = cache.glob("*.unzip/*")
    assert kept.read_bytes() == PLAIN
    kept.write_bytes(OTHER)  # altered in the cache: taken out of the archive again
    assert read_graph("small") == graph
    assert len(site.asked) == 1
    assert read_graph("small", refresh=True) == graph
    assert len(site.asked) == 2


@pytest.mark.parametrize(
    ("served", "says"),
    [
        (
            zipped(edges_csv=b"1,3\n"),
            f"has 'folder/edges.csv' with the sha256 [0-9a-f]{{64}}, must be {PLAIN_SHA256}",
        ),
        (zipped(other_csv=PLAIN), NO_MEMBER),
        (b"<html>no archive</html>", NO_MEMBER),
        (zipped(edges_csv=PLAIN)[:60], NO_MEMBER),
    ],
    ids=["another list", "no such file", "no archive", "half an archive"],
)
def test_an_archive_of_something_else_is_refused_and_leaves_nothing(
    served, says, site, folder, cache, monkeypatch
):
    small_catalogue(folder, monkeypatch, site.serve("/all.zip", served), MEMBER)
    with pytest.raises(GraphFormatError, match=says) as caught:
        read_graph("small")
    assert "\n" not in str(caught.value)
    assert not [path for path in cache.rglob("*") if path.is_file()]
    site.serve("/all.zip", zipped(edges_csv=PLAIN))
    assert read_graph("small").edge_count == 2


def test_a_copy_that_is_here_goes_before_cache_and_network(site, folder, tmp_path, monkeypatch):
    copies = tmp_path / "data"
    copies.mkdir()
    (copies / "graph.gz").write_bytes(EDGES)
    more = MEMBER + f'copies = {{ "graph.gz" = "{EDGES_SHA256}" }}\ncopies_note = "an older one"\n'
    small_catalogue(folder, monkeypatch, site.address + "/all.zip", more)
    monkeypatch.setenv("EDGEDP_DATA", str(copies))
    graph, report = read_source("small")
    assert graph == Graph.from_edges([(1, 2), (2, 3)])
    assert report.notes == (f"read from {copies / 'graph.gz'} (the sha256 is as declared)", "an older one")
    assert not site.asked

    (copies / "graph.gz").write_bytes(OTHER)  # refused, not passed over
    with pytest.raises(GraphFormatError, match=f"the sha256 of .*graph.gz' is not {EDGES_SHA256}"):
        read_graph("small")
    (copies / "graph.gz").unlink()
    with pytest.raises(GraphFormatError, match="answered 404"):
        read_graph("small")
    monkeypatch.setenv("EDGEDP_DATA", str(copies / "absent"))
    with pytest.raises(GraphFormatError, match=r"EDGEDP_DATA is .*, must be a folder"):
        read_graph("small")
