"""Objects of buckets: listings by any file system of pyarrow's, the whole way by emulators of the services."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from databases import free_port
from edgedp import Graph, open_store, preview, read_graph
from edgedp.graph.loading import located
from edgedp.graph.reading.sources import buckets
from edgedp.graph.reading.sources.locating import Location
from edgedp.words.errors import EdgeDPError, GraphFormatError, ParameterError, UnknownNameError

ENDS: dict[str, Any] = {"source": "payer", "target": "payee"}
ROWS = [(7, 8), (8, 9), (9, 7), (1, 2), (2, 7), (5, 9)]


def fill(bucket: Path) -> None:
    """Six edges in three partitions, in three formats, with what writers leave beside them."""
    for form in ("parquet", "csv", "jsonl"):
        for i in range(3):
            path = bucket / form / f"month=2024-0{i + 1}" / f"part-0.{form}"
            path.parent.mkdir(parents=True)
            frame = pl.DataFrame(ROWS[2 * i : 2 * i + 2], schema=["payer", "payee"], orient="row")
            writers: dict[str, Any] = {
                "parquet": frame.write_parquet,
                "csv": frame.write_csv,
                "jsonl": frame.write_ndjson,
            }
            writers[form](path)
        (bucket / form / "_SUCCESS").write_bytes(b"")
    (bucket / "delta" / "_delta_log").mkdir(parents=True)
    (bucket / "delta" / "_delta_log" / "0.json").write_text("{}")
    shutil.copy(bucket / "csv" / "month=2024-01" / "part-0.csv", bucket / "delta" / "a.csv")


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of a service: pyarrow's file systems have one interface."""
    from pyarrow import fs

    fill(tmp_path / "bank")
    root = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    monkeypatch.setattr(buckets, "_files", lambda *_: root)
    return tmp_path / "bank"


def look(form: str, scheme: str = "s3") -> None:
    one = Graph.from_edges(ROWS)
    for source in (
        f"{scheme}://bank/{form}",
        f"{scheme}://bank/{form}/",
        f"{scheme}://bank/{form}/*/*.{form}",
        f"{scheme}://bank/{form}/**/part*",
    ):
        assert read_graph(source, **ENDS) == one
    assert read_graph(f"{scheme}://bank/{form}/month=2024-0[12]", **ENDS).edge_count == 4
    assert read_graph(f"{scheme}://bank/{form}/month=2024-01/part-0.{form}", **ENDS) == Graph.from_edges(
        ROWS[:2]
    )
    shown = preview(f"{scheme}://bank/{form}", **ENDS)
    assert shown.columns == ("payer", "payee", "month")
    assert "1 hidden files" in str(shown)


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_a_prefix_is_a_folder(local: Path, form: str) -> None:
    look(form)


@pytest.mark.parametrize("named", ["delta", "delta/*.csv", "delta/a.*"])
def test_a_table_with_a_log_is_refused(local: Path, named: str) -> None:
    with pytest.raises(GraphFormatError, match="is a Delta table"):
        read_graph(f"s3://bank/{named}", **ENDS)


def test_what_is_not_there_and_what_differs(local: Path) -> None:
    for named in ("none.csv", "none/*.csv", "csv/month=2025*"):
        with pytest.raises(UnknownNameError, match="check the bucket and the path"):
            read_graph(f"s3://bank/{named}", **ENDS)
    (local / "csv" / "month=2024-03" / "part-0.csv").write_text("payer,payee,n\n5,9,1\n")
    with pytest.raises(GraphFormatError, match=r"'s3://bank/csv/month=2024-03/part-0.csv' has other columns"):
        read_graph("s3://bank/csv", **ENDS)
    (local / "csv" / "month=2024-03" / "part-0.csv").write_text("")
    with pytest.raises(GraphFormatError, match=r"'s3://bank/csv/month=2024-03/part-0.csv' is empty"):
        read_graph("s3://bank/csv", **ENDS)


def test_objects_that_change_meanwhile_are_refused(local: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed, seen = Location.parts, []

    def and_then(where: Any) -> Any:
        seen.append(where)
        if len(seen) == 2:
            (local / "csv" / "month=2024-02" / "part-0.csv").write_text("payer,payee\n1,2\n")
        return listed(where)

    monkeypatch.setattr(Location, "parts", and_then)
    with pytest.raises(GraphFormatError, match="changed while it was read"):
        read_graph("s3://bank/csv", **ENDS)


def test_no_secret_stands_in_an_address() -> None:
    for address in (
        "s3://key:hunter2@bank/a.csv",
        "s3://bank/a.csv?secret_key=hunter2",
        "gs://u:hunter2@b/x",
        "s3://key:hunter2/more@bank/a.csv",
    ):
        with pytest.raises(ParameterError, match="credentials in the environment") as refused:
            read_graph(address)
        assert "hunter2" not in str(refused.value)
    for address in ("hdfs://u:hunter2/more@b/x", "ftp://u:hunter2?more@b/x"):
        with pytest.raises(ParameterError, match="fetch it first") as refused:
            read_graph(address)
        assert "hunter2" not in str(refused.value)
    for address in ("s3://", "s3:///a.csv", "az:///x", "gs://no bucket/x"):
        with pytest.raises(ParameterError, match="names no bucket"):
            read_graph(address)
    with pytest.raises(ParameterError, match="Azure needs the name of an account"):
        buckets.bucket_of("az://container/a.csv", {})


# -- real services ----------------------------------------------------------------------------------

AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""Of the emulator's one account, which its documents give."""
SECRETS = ("AWS_", "AZURE_", "GOOGLE_", "STORAGE_EMULATOR_HOST")


def serving(scheme: str, port: int, folder: Path) -> tuple[list[str], dict[str, str]]:
    """Return how an emulator is started, and what its clients find in the environment; skip where there is none."""
    if scheme == "s3":
        pytest.importorskip("moto", reason="moto is not installed: pip install 'moto[server,s3]'")
        return (
            [sys.executable, "-c", "from moto.server import main; main()", "-H", "127.0.0.1", "-p", str(port)],
            {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1",
             "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_EC2_METADATA_DISABLED": "true"},
        )  # fmt: skip
    program, how = {
        "gs": ("fake-gcs-server", "go install github.com/fsouza/fake-gcs-server@v1.56.1"),
        "az": ("azurite-blob", "npm install --global azurite@3.35.0"),
    }[scheme]
    found = shutil.which(program, path=os.pathsep.join([os.environ["PATH"], str(Path.home() / "go" / "bin")]))
    if found is None:
        pytest.skip(f"{program} is not installed: {how}")
    if scheme == "gs":
        return (
            [found, "-backend", "memory", "-scheme", "http", "-host", "127.0.0.1", "-port", str(port),
             "-public-host", f"127.0.0.1:{port}"],
            {"STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{port}"},
        )  # fmt: skip
    return (
        [found, "--blobHost", "127.0.0.1", "--blobPort", str(port), "-l", str(folder), "--silent",
         "--skipApiVersionCheck", "--disableTelemetry"],
        {"AZURE_STORAGE_CONNECTION_STRING": f"AccountName=devstoreaccount1;AccountKey={AZURE_KEY};"
         f"BlobEndpoint=http://127.0.0.1:{port}/devstoreaccount1"},
    )  # fmt: skip


def writing(scheme: str, port: int, given: dict[str, str]) -> Any:
    """Return a file system that may make buckets."""
    from pyarrow import fs

    if scheme == "s3":
        known: dict[str, Any] = {"access_key": "a", "secret_key": "b", "region": "us-east-1"}
        return fs.S3FileSystem(
            endpoint_override=f"127.0.0.1:{port}", scheme="http", allow_bucket_creation=True, **known
        )
    if scheme == "gs":
        return fs.GcsFileSystem(
            anonymous=True, endpoint_override=f"127.0.0.1:{port}", scheme="http", project_id="p"
        )
    return buckets._files("Azure", "bank", given)


@contextmanager
def service(scheme: str, folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, str]]]:
    """Start an emulator, and put the six edges into its bucket."""
    port = free_port()
    words, given = serving(scheme, port, folder)
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while True:
            assert process.poll() is None
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        files = writing(scheme, port, given)
        files.create_dir("bank")
        fill(folder / "bank")
        for path in sorted((folder / "bank").rglob("*")):
            if path.is_file():
                with files.open_output_stream(str(path.relative_to(folder))) as object_:
                    object_.write(path.read_bytes())
        yield process, given
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module", params=["s3", "gs", "az"])
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, dict[str, str]]]:
    with service(request.param, tmp_path_factory.mktemp("objects")) as (_, given):
        yield request.param, given


@pytest.fixture
def scheme(served: tuple[str, dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> str:
    enter(served[1], monkeypatch)
    return served[0]


def enter(given: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have only these credentials in the environment."""
    for name in [name for name in os.environ if name.startswith(SECRETS)]:
        monkeypatch.delenv(name)
    for name, value in given.items():
        monkeypatch.setenv(name, value)


@pytest.mark.wide
@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_objects_of_a_real_service_are_a_folder(scheme: str, form: str) -> None:
    look(form, scheme)


@pytest.mark.wide
def test_a_real_service_refuses_in_one_sentence(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for address, says in (("nobank/a.csv", "does not exist"), ("bank/none/", "does not exist"),
                          ("bank/delta", "Delta table"), ("nobank/*.csv", "check the bucket")):  # fmt: skip
        with pytest.raises(EdgeDPError, match=says):
            read_graph(f"{scheme}://{address}", **ENDS)
    if scheme == "az":  # the others take any credentials
        named = os.environ["AZURE_STORAGE_CONNECTION_STRING"]
        monkeypatch.setenv(
            "AZURE_STORAGE_CONNECTION_STRING", named.replace("AccountKey=Eby8", "AccountKey=AAAA")
        )
        with pytest.raises(GraphFormatError, match="refuses access") as refused:
            read_graph("az://bank/csv", **ENDS)
        assert "AAAA" not in str(refused.value)
    for name in ("AWS_ENDPOINT_URL", "STORAGE_EMULATOR_HOST", "AZURE_STORAGE_CONNECTION_STRING"):
        if value := os.environ.get(name):
            monkeypatch.setenv(name, re.sub(r"127.0.0.1:\d+", "127.0.0.1:1", value))
    with pytest.raises(GraphFormatError, match="cannot be reached"):
        read_graph(f"{scheme}://bank/csv", **ENDS)


@pytest.mark.wide
def test_a_bucket_is_an_address(scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGEDP_CACHE", str(tmp_path / "cache"))
    with open_store(tmp_path / "graphs.edgedp") as store:
        store.register_edges("pay", f"{scheme}://bank/csv", **ENDS, epsilon_budget=3)
        assert store.graph("pay").edge_count == len(ROWS)
        assert store.priv_top_k("pay", "degree", 1, 1).private
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert AZURE_KEY.encode() not in written


@pytest.mark.wide
@pytest.mark.parametrize("scheme", ["s3", "gs", "az"])
def test_a_service_that_ends_in_the_middle_is_one_sentence(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with service(scheme, tmp_path) as (process, given):
        enter(given, monkeypatch)
        read = located._refuse_other

        def and_then(*words: Any) -> None:
            process.kill()
            process.wait()
            read(*words)

        monkeypatch.setattr(located, "_refuse_other", and_then)
        for form in ("parquet", "csv"):
            with pytest.raises(GraphFormatError, match="cannot be reached, or broke off") as refused:
                read_graph(f"{scheme}://bank/{form}", **ENDS)
            assert "\n" not in str(refused.value)
