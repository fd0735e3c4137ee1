"""Reading an edge list: our reader, polars by itself and DuckDB's CSV reader, each in a process of its own.

Processor time and peak memory over the same file, in one run; and what each makes of files that are no edge lists.
DuckDB is no dependency: install it beside the package to run this.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ODD = {
    "arrows": b"ada -> bob\nbob -> cyd\n",
    "HTML": b"<html>\n<body>not here</body>\n</html>\n",
    "ragged": b"1,2\n3\n4,5,6\n",
    "leading zero": b"007,7\n8,9\n",
    "semicolons, decimal commas": b"1;2,5\n2;3,5\n",
    "adjacency matrix": b"0,1,1\n1,0,1\n1,1,0\n",
    "names over texts": b"payer,payee\nada,bob\n",
    "an open quote": b'a,b\n"c,d\ne,f\n',
    "rows that begin with a hash": b"ada,bob\n#bob,cyd\n",
}


def read(how: str, path: str) -> object:
    if how == "edgedp":
        from edgedp.loading.sources import _read
        from edgedp.progress import Silent
        from edgedp.reading.locating import Location
        from edgedp.reading.options import ReadingOptions

        return len(_read(Location(path=Path(path), name="x"), 2, ReadingOptions(), Silent()).columns[0])
    if how == "polars":
        import polars as pl

        frame = pl.read_csv(path, has_header=False, separator="\t", comment_prefix="#")
        return frame.height
    import duckdb

    connection = duckdb.connect(config={"threads": 2})
    if how == "duckdb, told":
        sql = (
            f"select * from read_csv('{path}', auto_detect=false, header=false, delim='\t', comment='#', "  # noqa: S608
            "columns={'a': 'BIGINT', 'b': 'BIGINT'})"
        )
    else:
        sql = f"select * from read_csv('{path}')"  # noqa: S608
    return len(connection.sql(sql).fetchnumpy().popitem()[1])


def shown(how: str, path: str) -> str:
    try:
        if how == "edgedp":
            from edgedp import read_graph

            return str(read_graph(path).node_ids.tolist())
        if how == "polars":
            import polars as pl

            return str(pl.read_csv(path).rows())
        import duckdb

        relation = duckdb.sql(f"select * from read_csv('{path}')")  # noqa: S608
        return f"{relation.columns}: {relation.fetchall()}"
    except Exception as error:
        return f"refused: {str(error).splitlines()[0][:110].replace(path, 'FILE')}"


def child(how: str, path: str) -> None:
    if how == "nothing":
        import numpy
        import polars  # noqa: F401

        rows: object = numpy.__version__
    else:
        rows = read(how, path)
    used = resource.getrusage(resource.RUSAGE_SELF)
    # Not ru_maxrss, which a child inherits from the process that starts it.
    peak = int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) // 1024
    print(json.dumps([rows, used.ru_utime + used.ru_stime, peak]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=3_000_000)
    parser.add_argument("--child", nargs=2)
    asked = parser.parse_args()
    if asked.child:
        child(*asked.child)
        return
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "edges.txt")
        pairs = np.random.default_rng(0).integers(0, 400_000, (asked.lines, 2))
        path.write_text("# a comment\n" + "\n".join(f"{a}\t{b}" for a, b in pairs.tolist()) + "\n")
        print(f"{asked.lines:,} lines, {path.stat().st_size / 1e6:.0f} MB\n")
        print("| reader | rows | processor time, s | peak memory, MB |\n|---|---|---|---|")
        for how in ("nothing", "edgedp", "polars", "duckdb", "duckdb, told"):
            best = min(
                (
                    json.loads(subprocess.check_output([sys.executable, __file__, "--child", how, str(path)]))
                    for _ in range(3)
                ),
                key=lambda found: found[1],
            )
            print(f"| {how} | {best[0]} | {best[1]:.2f} | {best[2]} |")
        print("\n| file | reader | what it makes of it |\n|---|---|---|")
        for name, content in ODD.items():
            odd = Path(folder, "odd.dat")
            odd.write_bytes(content)
            for how in ("edgedp", "polars", "duckdb"):
                print(f"| {name} | {how} | {shown(how, str(odd)).replace('|', '/')} |")


if __name__ == "__main__":
    main()
