"""The door to the C kernels: what it refuses, what it does without the library, and the kernels' own memory."""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import edgedp
from edgedp import Graph
from edgedp.faces.cli import edgedp as command_line
from edgedp.graph.engines import native
from edgedp.graph.engines.native import build
from edgedp.graph.engines.native.library import (
    LEVELS,
    Forward,
    Given,
    Rows,
    Scratch,
    Taken,
    call,
    level_name,
)
from edgedp.graph.reading.sources.downloads import cache_folder
from edgedp.words.errors import EngineError, GraphFormatError

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
GCC = shutil.which("gcc")


def path_graph() -> tuple[np.ndarray, np.ndarray]:
    return np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32)


# -- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (np.zeros(4, dtype=np.int32), "nodes is of type int32, must be int64; convert the array"),
        ([0, 0, 0, 0], "nodes is of type list, must be int64; convert the array"),
        (np.zeros(4, dtype=">i8"), "nodes is of type >i8, must be int64; convert the array"),
        (np.zeros(8, dtype=np.int64)[::2], "nodes is not contiguous or not aligned; copy the array first"),
        (np.zeros((2, 4), dtype=np.int64).T, "nodes has length 8, must be 4; check the array"),
        (np.zeros(5, dtype=np.int64), "nodes has length 5, must be 4; check the array"),
        (np.array([0, 1, 2, 9]), "nodes holds an index out of range, must be from 0 to 8; check the array"),
        (np.array([0, -1, 2, 3]), "nodes holds an index out of range, must be from 0 to 8; check the array"),
    ],
)
def test_malformed_arrays_are_refused_in_one_line(array: np.ndarray, sentence: str) -> None:
    with pytest.raises(EngineError) as refused:
        Given(array, np.int64, 4, "nodes", within=9).checked()
    assert str(refused.value) == sentence


def test_what_is_written_must_be_writable() -> None:
    array = np.zeros(3)
    array.flags.writeable = False
    with pytest.raises(EngineError, match="counts is read-only, must be writable"):
        Taken(array, np.float64, 3, "counts").checked()


def test_more_edges_or_nodes_than_the_kernels_count_are_refused() -> None:
    many = np.broadcast_to(np.int32(0), 1 << 32)  # no memory behind it
    with pytest.raises(EngineError, match="the number of edges is 2147483648, must be below 2"):
        Rows.checked(np.zeros(2, dtype=np.int64), many, Scratch())
    with pytest.raises(EngineError, match="the number of nodes is 2147483648, must be from 0 to"):
        Rows.checked(np.broadcast_to(np.int64(0), (1 << 31) + 1), np.zeros(0, dtype=np.int32), Scratch())


@pytest.mark.parametrize(
    ("indptr", "indices"),
    [
        ([0, 1, 2], [1, 5]),  # out of range
        ([0, 1, 2], [1, -1]),
        ([0, 1, 2], [0, 1]),  # loops
        ([0, 2, 4], [1, 1, 0, 0]),  # parallels
        ([0, 2, 3, 4], [2, 1, 0, 0]),  # not ascending
        ([0, 1, 2, 3], [1, 2, 0]),  # in one row only
        ([0, 1, 2, 3, 4, 5], [4, 0, 1, 2, 3]),
        ([0, 2, 1, 2], [1, 2]),  # offsets that fall
        ([1, 2], [0]),
        ([0, 1, 3], [1, 0]),  # beyond the end
    ],
)
def test_rows_that_are_no_simple_graph_are_refused_before_they_are_used(
    indptr: list[int], indices: list[int]
) -> None:
    graph = Graph(np.arange(len(indptr) - 1), np.array(indptr), np.array(indices, dtype=np.int32))
    for quantity in (native.triangles, native.ebc, native.max_common_neighbors):
        with pytest.raises(GraphFormatError, match="the rows are not those of a simple undirected graph"):
            quantity(graph)


@pytest.mark.parametrize("positions", [[7], [-1], [0, 3]])
def test_positions_out_of_range_are_refused(positions: list[int]) -> None:
    graph = Graph(np.arange(3), *path_graph())
    for quantity in (native.triangles, native.ebc, native.betweenness2, native.max_common_neighbors):
        with pytest.raises(EngineError, match="positions holds an index out of range, must be from 0 to 2"):
            quantity(graph, np.array(positions))


@pytest.mark.parametrize("end", [3, -1, 1 << 32])
def test_pairs_out_of_range_are_refused(end: int) -> None:
    with pytest.raises(GraphFormatError, match="a position is out of range, must be from 0 to 2"):
        Graph.from_positions(np.arange(3), np.array([[0, 1], [1, end]]), nodes_supplied=True)


def test_an_order_that_is_no_permutation_is_refused() -> None:
    memory = Scratch()
    rows = Rows.checked(*path_graph(), memory)
    new = Rows(3, np.empty(4, dtype=np.int64), np.empty(4, dtype=np.int32))
    order = Given(np.array([0, 0, 1], dtype=np.int32), np.int32, 3, "order", within=3)
    with pytest.raises(GraphFormatError):
        call("relabel", memory, rows, order, *new.addresses[1:], Forward.room(rows))


def test_what_is_kept_with_a_graph_is_neither_copied_nor_writable() -> None:
    graph = Graph(np.arange(3), *path_graph())
    native.triangles(graph)[:] = 7
    assert native.triangles(graph).tolist() == [0, 0, 0]
    assert "triangles" in graph.kept
    other = pickle.loads(pickle.dumps(graph))  # noqa: S301 -- our own
    assert other == graph
    assert not other.kept


# -- the library -------------------------------------------------------------------------------------


def run(code: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        env=os.environ | {"PYTHONPATH": str(TESTS / "support")} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


ELSEWHERE = """
import pathlib, sys
from edgedp.graph.engines.native import library
library.FOLDER = pathlib.Path(sys.argv[1])
"""
RELEASE = """
import edgedp
from edgedp import exact
graph = edgedp.Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3), (3, 3), (2, 1)])
print(exact.ebc(graph).tolist(), exact.density(graph).round(2).tolist(), exact.top(graph, "ebc", 1))
print(len(edgedp.priv_top_k(graph, "ebc", k=2, epsilon=1).nodes), len(edgedp.motkin(graph, k=2, epsilon=1).nodes))
"""


COMMANDS = """
from edgedp.faces.cli import main
store = ["--store", sys.argv[2]]
for words in (["--version"], [*store, "exact", "edges", "--metric", "ebc"]):
    sys.argv = ["edgedp", *words]
    try:
        main()
    except SystemExit as ended:
        print("ended with", ended.code or 0)
"""


def test_the_library_is_opened_at_the_first_use_only() -> None:
    code = "import ctypes; ctypes.CDLL = None; import edgedp.graph.engines.native, edgedp.exact, edgedp.faces.cli"
    assert run(code).returncode == 0


def test_without_the_library_igraph_serves_and_one_line_says_so(tmp_path: Path) -> None:
    ended = run(ELSEWHERE + RELEASE, str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == ("[0.0, 0.0, 2.0, 0.0] [1.0, 1.0, 0.33, 0.0] (array([2]), array([2.]))\n2 2\n")
    assert ended.stderr.count("KernelWarning: igraph computes in place of the compiled kernels") == 1


def test_the_commands_say_in_one_line_that_the_library_is_missing(tmp_path: Path) -> None:
    here = CliRunner().invoke(command_line, ["--version"])
    assert here.output.endswith(f" (compiled kernels: {level_name()})\n")
    store = str(tmp_path / "store")
    with edgedp.open_store(store) as opened:
        opened.load(Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4)]), "edges", epsilon_budget=1)
    ended = run(ELSEWHERE + COMMANDS, str(tmp_path), store)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[0].endswith(
        " (no compiled kernels: they are not installed; igraph serves)"
    )
    assert ended.stdout.splitlines().count("ended with 0") == 2
    of_kernels = [line for line in ended.stderr.splitlines() if "kernels" in line]
    assert of_kernels == [
        "Warning: igraph computes in place of the compiled kernels (they are not installed): "
        "the same results, more slowly"
    ]


def test_a_damaged_library_is_as_a_missing_one(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / build.LIBRARY).write_bytes(b"no library")
    ended = run(ELSEWHERE + "print(library.missing())", str(tmp_path))
    assert ended.stdout.startswith("they cannot be opened: ")


def test_asking_a_kernel_without_the_library_is_one_clear_line(tmp_path: Path) -> None:
    code = ELSEWHERE + "from edgedp import Graph\nfrom edgedp.graph.engines import native\n"
    ended = run(code + "native.ebc(Graph.from_edges([(0, 1)]))", str(tmp_path))
    assert ended.stderr.splitlines()[-1] == (
        "edgedp.EngineError: the engine 'native' needs the compiled kernels, but they are not installed; "
        "install a wheel that holds them or use engine='igraph'"
    )


def test_a_library_older_than_its_sources_is_refused(tmp_path: Path) -> None:
    shutil.copytree(build.FOLDER, tmp_path / "native")
    code = (
        ELSEWHERE
        + "library.sources_digest = lambda: 'of other sources'\nfrom edgedp.graph.engines import serving\n"
    )
    ended = run(code + "serving('native')", str(tmp_path / "native"))
    assert ended.stderr.splitlines()[-1] == (
        "edgedp.EngineError: the compiled kernels are older than their sources; run 'make .venv/.ready-dev'"
    )


def test_a_changed_source_changes_the_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = build.sources_digest()
    shutil.copytree(build.FOLDER, tmp_path / "native")
    monkeypatch.setattr(build, "FOLDER", tmp_path / "native")
    assert build.sources_digest() == before
    with (tmp_path / "native" / "kernels" / "ebc.c").open("a") as file:
        file.write("\n")
    assert build.sources_digest() != before


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
@pytest.mark.parametrize(
    "source",
    [
        "hatch_build.py",
        *[
            f"plugin/edgedp/graph/engines/native/{name}"
            for name in ("kernels/ebc.c", "kernels/kernels.h", "build.py")
        ],
    ],
)
def test_make_installs_again_when_a_source_changed(source: str) -> None:
    done = subprocess.run(
        ["make", "-n", "-W", source, ".venv/.ready"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "pip install" in done.stdout


def test_every_level_of_this_processor_was_compiled() -> None:
    flags = Path("/proc/cpuinfo")
    if not flags.is_file() or build.Target.here().machine != "x86_64":
        pytest.skip("needs an x86-64 processor that Linux describes")
    known = set(flags.read_text().split())
    expected = "baseline"
    if {"avx2", "bmi1", "bmi2", "abm", "popcnt"} <= known:
        expected = "avx2"
        if {"avx512bw", "avx512_vbmi2", "avx512_bitalg", "avx512_vpopcntdq"} <= known:
            expected = "avx512"
    assert level_name() == expected
    assert expected in LEVELS


# -- the kernels' memory -----------------------------------------------------------------------------


SANITIZED = [
    "-Og",
    "-g1",  # lines are named; variables would take a third of the compiling
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-DLAST_BASE=8",  # counters are cleared where they would overflow: of graphs of a test, too
]


@pytest.fixture(scope="module")
def sanitized() -> Path:
    """Compile the kernels with the address and the undefined behaviour sanitizer, once for the same sources."""
    if GCC is None or sys.platform != "linux":
        pytest.skip("needs gcc on Linux")
    compiler = subprocess.run([GCC, "--version"], capture_output=True, text=True, check=True).stdout
    of = f"{build.sources_digest()} {SANITIZED} {compiler}"
    folder = cache_folder() / f"sanitized-{hashlib.sha256(of.encode()).hexdigest()[:16]}"
    library = folder / build.LIBRARY
    if not library.exists():
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CC", GCC)
            build.compile_library(library, "cc", flags=SANITIZED)
    return folder


def run_sanitized(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    found = subprocess.run(
        [str(GCC), "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    )
    return run(
        ELSEWHERE + code,
        str(folder),
        LD_PRELOAD=found.stdout.strip(),
        ASAN_OPTIONS="detect_leaks=0:abort_on_error=0",
        OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
    )


@pytest.mark.parametrize("largest", [4, pytest.param(5, marks=pytest.mark.wide)])
def test_no_kernel_leaves_its_arrays(sanitized: Path, largest: int) -> None:
    ended = run_sanitized(sanitized, f"import kernel_exercise\nkernel_exercise.main({largest})")
    assert ended.returncode == 0, ended.stderr[-4000:]
    assert ended.stdout == "done\n"


def test_the_sanitizer_sees_an_array_that_is_left(sanitized: Path) -> None:
    code = (
        "import numpy as np\n"
        "from edgedp.graph.engines.native.library import Rows, Scratch, Taken, call\n"
        "rows = Rows.checked(np.array([0, 1, 2]), np.array([1, 0], dtype=np.int32), Scratch())\n"
        "short = np.zeros(1, dtype=np.int32)\n"
        "call('order_by_degree', Scratch(), *rows.addresses[:2], Taken(short, np.int32, 1, 'order'))\n"
    )
    ended = run_sanitized(sanitized, code)
    assert ended.returncode != 0
    assert "heap-buffer-overflow" in ended.stderr
    assert "rows.c:" in ended.stderr
