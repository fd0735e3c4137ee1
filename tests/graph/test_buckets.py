"""Objects of buckets: listings by any file system of pyarrow's, and the whole way by a real S3 server on loopback."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from edgedp import Graph, preview, read_graph
from edgedp.graph.loading import joining
from edgedp.graph.reading.sources import buckets
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


def look(form: str) -> None:
    one = Graph.from_edges(ROWS)
    for source in (
        f"s3://bank/{form}",
        f"s3://bank/{form}/",
        f"s3://bank/{form}/*/*.{form}",
        f"s3://bank/{form}/**/part*",
    ):
        assert read_graph(source, **ENDS) == one
    assert read_graph(f"s3://bank/{form}/month=2024-0[12]", **ENDS).edge_count == 4
    assert read_graph(f"s3://bank/{form}/month=2024-01/part-0.{form}", **ENDS) == Graph.from_edges(ROWS[:2])
    shown = preview(f"s3://bank/{form}", **ENDS)
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
    listed, seen = joining._listed, []

    def and_then(where: Any) -> Any:
        seen.append(where)
        if len(seen) == 2:
            (local / "csv" / "month=2024-02" / "part-0.csv").write_text("payer,payee\n1,2\n")
        return listed(where)

    monkeypatch.setattr(joining, "_listed", and_then)
    with pytest.raises(GraphFormatError, match="changed while it was read"):
        read_graph("s3://bank/csv", **ENDS)


def test_no_secret_stands_in_an_address() -> None:
    for address in (
        "s3://key:hunter2@bank/a.csv",
        "s3://bank/a.csv?secret_key=hunter2",
        "gs://u:hunter2@b/x",
    ):
        with pytest.raises(ParameterError, match="credentials in the environment") as refused:
            read_graph(address)
        assert "hunter2" not in str(refused.value)
    for address in ("s3://", "s3:///a.csv", "az:///x"):
        with pytest.raises(ParameterError, match="names no bucket"):
            read_graph(address)
    with pytest.raises(ParameterError, match="Azure needs the name of an account"):
        buckets.bucket_of("az://container/a.csv", {})


# -- a real server ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("moto", reason="moto is not installed: pip install 'moto[server,s3]' boto3")
    boto3 = pytest.importorskip("boto3")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-c", "from moto.server import main; main()", "-H", "127.0.0.1", "-p", str(port)]
    serving = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(1200):
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        client = boto3.client(
            "s3",
            endpoint_url=address,
            region_name="us-east-1",
            aws_access_key_id="a",
            aws_secret_access_key="b",  # noqa: S106 -- of a server of this test
        )
        client.create_bucket(Bucket="bank")
        folder = tmp_path_factory.mktemp("objects") / "bank"
        fill(folder)
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                client.put_object(Bucket="bank", Key=str(path.relative_to(folder)), Body=path.read_bytes())
        yield address
    finally:
        serving.terminate()
        serving.wait()


@pytest.fixture
def credentials(service: str, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    given = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1",
             "AWS_ENDPOINT_URL": service, "AWS_EC2_METADATA_DISABLED": "true"}  # fmt: skip
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return service


@pytest.mark.wide
@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_objects_of_a_real_service_are_a_folder(credentials: str, form: str) -> None:
    look(form)


@pytest.mark.wide
def test_a_real_service_refuses_in_one_sentence(credentials: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for address, says in (("s3://nobank/a.csv", "does not exist"), ("s3://bank/none/", "does not exist"),
                          ("s3://bank/delta", "Delta table"), ("s3://nobank/*.csv", "check the bucket")):  # fmt: skip
        with pytest.raises(EdgeDPError, match=says):
            read_graph(address, **ENDS)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    with pytest.raises(GraphFormatError, match="cannot be reached"):
        read_graph("s3://bank/csv", **ENDS)
