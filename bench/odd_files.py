"""What our reader, polars and DuckDB make of files that are no plain edge lists.

    python bench/odd_files.py > bench/results/odd_files.md

DuckDB is no dependency: install it beside the package to run this.
"""

from __future__ import annotations

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
        assert relation is not None
        return f"{relation.columns}: {relation.fetchall()}"
    except Exception as error:
        return f"refused: {str(error).splitlines()[0][:110].replace(path, 'FILE')}"


def main() -> None:
    print("# Files that are no plain edge lists\n")
    print("`python bench/odd_files.py`: what each reader makes of them, without an option.\n")
    print("| file | reader | what it makes of it |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, content in ODD.items():
            odd = Path(folder, "odd.dat")
            odd.write_bytes(content)
            for how in ("edgedp", "polars", "duckdb"):
                print(f"| {name} | {how} | {shown(how, str(odd)).replace('|', '/')} |")


if __name__ == "__main__":
    main()
