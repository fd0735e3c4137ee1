"""One list of edges as a file, a folder, objects of S3 and a table: processor time and memory, in turn in one run.

    python bench/sources.py 10000000 > bench/results/sources.md

Each is read by a process of its own, three times in turn; the least processor time counts. It starts a PostgreSQL and
moto's S3 server; the rows of what is not installed are left out. `PREVIOUS` names a checkout of another version, whose
reading of the text is measured beside ours.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
ENDS = "source='payer', target='payee'"
READ = {
    "text, two columns": "read_graph('{folder}/edges.txt')",
    "Parquet, one file": f"read_graph('{{folder}}/one.parquet', {ENDS})",
    "Parquet, 100 partitions": f"read_graph('{{folder}}/many', {ENDS})",
    "JSON lines": f"read_graph('{{folder}}/edges.jsonl', {ENDS})",
    "S3, one object": f"read_graph('s3://bank/one.parquet', {ENDS})",
    "PostgreSQL": f"read_graph('{{address}}', table='payments', {ENDS})",
}
ALONE = """
from adbc_driver_postgresql import dbapi
with dbapi.connect('{address}') as connection, connection.cursor() as cursor:
    cursor.execute('SELECT payer, payee FROM payments')
    rows = sum(batch.num_rows for batch in cursor.fetch_record_batch())
"""
MEASURED = """
import resource
{begin}
before = resource.getrusage(resource.RUSAGE_SELF)
{body}
after = resource.getrusage(resource.RUSAGE_SELF)
print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss - before.ru_maxrss)
"""
IMPORTS = "import numpy, polars, pyarrow.parquet\nfrom edgedp import read_graph"


def measured(body: str, begin: str = IMPORTS, **environment: str) -> tuple[float, float]:
    """Return seconds of processor time, and how much the largest memory grew, in bytes."""
    code = MEASURED.format(begin=begin, body=body)
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True,
                           env=os.environ | environment)  # fmt: skip
    seconds, kibibytes = map(float, found.stdout.split())
    return seconds, kibibytes * 1024


def written(folder: Path, count: int) -> None:
    import polars as pl

    noise = np.random.default_rng(1)
    frame = pl.DataFrame({name: noise.integers(0, count // 10, count) for name in ("payer", "payee")})
    frame.write_parquet(folder / "one.parquet")
    frame.write_csv(folder / "edges.txt", include_header=False, separator="\t")
    frame.write_csv(folder / "edges.csv")
    frame.write_ndjson(folder / "edges.jsonl")
    for i, part in enumerate(frame.iter_slices(-(-count // 100))):
        (folder / "many" / f"part={i:02}").mkdir(parents=True)
        part.write_parquet(folder / "many" / f"part={i:02}" / "rows.parquet")


def bucket(stack: ExitStack, folder: Path) -> dict[str, str]:
    import boto3

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-c", "from moto.server import main; main()", "-H", "127.0.0.1", "-p", str(port)]
    serving = stack.enter_context(
        subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    )
    stack.callback(serving.terminate)
    while socket.socket().connect_ex(("127.0.0.1", port)):
        time.sleep(0.1)
    given = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1",
             "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_EC2_METADATA_DISABLED": "true"}  # fmt: skip
    os.environ |= given
    client = boto3.client("s3", endpoint_url=given["AWS_ENDPOINT_URL"])
    client.create_bucket(Bucket="bank")
    client.upload_file(str(folder / "one.parquet"), "bank", "one.parquet")
    return given


def main(count: int) -> None:
    rows: dict[str, list[tuple[float, float]]] = {}
    arrays = 16 * count  # two integers of 64 bits a row
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        written(folder, count)
        bodies = {name: body.format(folder=folder, address="{address}") for name, body in READ.items()}
        try:
            bucket(stack, folder)
        except ImportError:
            bodies.pop("S3, one object")
        from databases import binaries, postgresql

        if binaries() is None:
            bodies.pop("PostgreSQL")
        else:
            server = stack.enter_context(postgresql())
            server.run("CREATE UNLOGGED TABLE payments (payer bigint, payee bigint)",
                       f"\\copy payments FROM '{folder}/edges.csv' CSV HEADER")  # fmt: skip
            bodies["PostgreSQL"] = bodies["PostgreSQL"].format(address=server.address)
            bodies["PostgreSQL, ADBC alone"] = ALONE.format(address=server.address)
        if previous := os.environ.get("PREVIOUS"):
            bodies["text, the version before"] = bodies["text, two columns"]
        for _ in range(3):
            for name, body in bodies.items():
                path = {"PYTHONPATH": f"{previous}/plugin"} if name == "text, the version before" else {}
                rows.setdefault(name, []).append(measured(body, **path))
    print("# Reading one list from different places\n")
    what = "processor time of the reading, the least of three in turn, and the growth of memory beside the columns"
    print(
        f"`python bench/sources.py {count}`: {count:,} rows of two integers; {what} as integers of 64 bits.\n"
    )
    print("| source | seconds | beside one Parquet file | memory |\n|---|---|---|---|")
    least = {name: min(each) for name, each in rows.items()}
    for name, (seconds, memory) in least.items():
        ratio = seconds / least["Parquet, one file"][0]
        print(f"| {name} | {seconds:.2f} | {ratio:.2f} x | {memory / arrays:.2f} x |")


if __name__ == "__main__":
    main(int(sys.argv[1]))
