"""What databases write in different ways: names, the first rows, and ids of types that no integer or text is."""

from __future__ import annotations

import re

_MYSQL = ("mysql", "mariadb")
_AS_TEXTS = {"uuid", "bpchar", "citext", "inet", "cidr", "macaddr", "UUID"}
"""Types whose texts are the ids: fixed texts are without the blanks that fill them."""


def quoted(kind: str, name: str) -> str:
    """Return a name as a database of that kind has it between its quotes.

    Examples
    --------
    >>> quoted("postgresql", 'a"b'), quoted("mysql", "a`b"), quoted("mssql", "a]b")
    ('"a""b"', '`a``b`', '[a]]b]')
    """
    first, last = ("`", "`") if kind in _MYSQL else ("[", "]") if kind == "mssql" else ('"', '"')
    return first + name.replace(last, last * 2) + last


def rows_of(kind: str, table: str | None, query: str | None) -> str:
    """Return what stands after FROM: a table by its quoted name, or a query in parentheses.

    A statement of SQL Server sees what others write meanwhile, unless the rows that it has read are held.

    Examples
    --------
    >>> rows_of("postgresql", "bank.calls", None), rows_of("mssql", "calls", None)
    ('"bank"."calls"', '[calls] WITH (HOLDLOCK)')
    """
    if table is not None:
        name = ".".join(quoted(kind, step) for step in table.split("."))
        return f"{name} WITH (HOLDLOCK)" if kind == "mssql" else name
    asked = re.sub(r"[;\s]+\Z", "", query or "")
    return f"(\n{asked}\n) AS edges"


def first_rows(kind: str, there: str, count: int) -> str:
    """Return the statement of all columns of the first rows.

    Examples
    --------
    >>> first_rows("mssql", "[t]", 3), first_rows("sqlite", '"t"', 3)
    ('SELECT TOP (3) * FROM [t]', 'SELECT * FROM "t" LIMIT 3')
    """
    if kind == "mssql":
        return f"SELECT TOP ({count}) * FROM {there}"  # noqa: S608 -- names that are quoted, or the owner's query
    return f"SELECT * FROM {there} LIMIT {count}"  # noqa: S608


def views_of(kind: str, table: str) -> str:
    """Return the statement that has a row where a name is a view's or a partition's, of another table's rows.

    Examples
    --------
    >>> views_of("mssql", "calls")
    "SELECT 1 AS one WHERE OBJECT_ID('[calls]', 'U') IS NULL"
    """
    *before, last = (_literal(kind, step) for step in table.split("."))
    whole = _literal(kind, ".".join(quoted(kind, step) for step in table.split(".")))
    schema = before[-1] if before else "DATABASE()" if kind in _MYSQL else "'main'"
    match kind:
        case "sqlite":
            found = f"FROM sqlite_master WHERE type = 'view' AND lower(name) = lower({last})"
        case "duckdb":
            of = f"lower(schema_name) = lower({schema}) AND lower(view_name) = lower({last})"
            found = f"FROM duckdb_views() WHERE {of}"
        case "mysql" | "mariadb":
            of = f"(table_schema, table_name) = ({schema}, {last})"
            found = f"FROM information_schema.tables WHERE {of} AND table_type <> 'BASE TABLE'"
        case "mssql":
            found = f"WHERE OBJECT_ID({whole}, 'U') IS NULL"
        case _:
            part = "EXISTS (SELECT 1 FROM pg_inherits WHERE inhrelid = oid)"
            found = (
                f"FROM pg_class WHERE oid = to_regclass({whole}) AND (relkind NOT IN ('r', 'p') OR {part})"
            )
    return f"SELECT 1 AS one {found}"


def _literal(kind: str, text: str) -> str:
    told = text.replace("\\", "\\\\") if kind in _MYSQL else text
    return "'" + told.replace("'", "''") + "'"


def is_numeric(type_name: str) -> bool:
    """Whether a type is of decimal numbers, which are ids where they have no decimals."""
    return type_name == "numeric" or type_name.startswith("decimal")


def as_id(kind: str, name: str, type_name: str) -> str:
    """Return a column as it is selected: of some types as their texts.

    Examples
    --------
    >>> as_id("postgresql", "a", "uuid"), as_id("mysql", "a", "decimal128(38, 10)"), as_id("mssql", "a", "int64")
    ('CAST("a" AS text)', 'CAST(`a` AS char)', '[a]')
    """
    column = quoted(kind, name)
    if type_name in _AS_TEXTS or is_numeric(type_name):
        text = "char" if kind in _MYSQL else "varchar(40)" if kind == "mssql" else "text"
        return f"CAST({column} AS {text})"
    return f"CAST({column} AS bigint)" if type_name == "oid" else column
