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


def whole_name(kind: str, table: str) -> str:
    """Return the name of a table with the schema that its address says, where a server would look for one by itself.

    Examples
    --------
    >>> whole_name("postgresql", "calls"), whole_name("mssql", "calls"), whole_name("duckdb", "calls")
    ('public.calls', 'dbo.calls', 'calls')
    """
    schema = {"postgresql": "public", "postgres": "public", "mssql": "dbo"}.get(kind)
    return table if schema is None or "." in table else f"{schema}.{table}"


def own_rows_of(kind: str, table: str) -> str:
    """Return the statement that has a row where a name is that of a table with rows of its own, and of no other.

    A view, a partition, a virtual or a foreign table has those of another one; so may what is not known here. The row
    is the last steps of the name as the database has them: it may take several spellings for one.

    Examples
    --------
    >>> own_rows_of("mssql", "calls").partition(" FROM ")[2]
    "sys.tables WHERE object_id = OBJECT_ID(N'[dbo].[calls]', 'U') AND is_external = 0"
    >>> own_rows_of("mssql", "bank.dbo.calls").partition(" WHERE")[0].partition(" AS base, ")[2]
    "OBJECT_SCHEMA_NAME(object_id, DB_ID(N'bank')) AS aside, name AS one FROM [bank].sys.tables"
    """
    *before, last = (_literal(kind, step) for step in whole_name(kind, table).split("."))
    schema = before[-1] if before else "DATABASE()" if kind in _MYSQL else "'main'"
    if len(before) > 1 and kind != "mssql":
        # It names a database, too, which may be another than the address's.
        return "SELECT 1 AS one FROM (SELECT 1 AS one) AS none WHERE 1 = 0"
    match kind:
        case "mssql":
            steps = [quoted(kind, step) for step in whole_name(kind, table).split(".")]
            listed = ".".join([*steps[:-2], "sys.tables"])  # of the database that the name says
            of = f"object_id = OBJECT_ID({_literal(kind, '.'.join(steps))}, 'U')"
            base = f"DB_ID({before[-2] if len(before) > 1 else ''})"
            names = f"DB_NAME({base}) AS base, OBJECT_SCHEMA_NAME(object_id, {base}) AS aside, name"
            found = f"FROM {listed} WHERE {of} AND is_external = 0"
        case "sqlite":  # what has no page of its own is a view, or a virtual table
            of, names = f"lower({schema}) = 'main' AND lower(name) = lower({last})", "name"
            found = f"FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND {of}"
        case "duckdb":
            of = f"lower(schema_name) = lower({schema}) AND lower(table_name) = lower({last})"
            names = "table_name"
            found = f"FROM duckdb_tables() WHERE database_name = current_database() AND {of}"
        case "mysql" | "mariadb":
            of, names = f"(table_schema, table_name) = ({schema}, {last})", "table_schema AS base, table_name"
            own = f"table_type IN ('BASE TABLE', 'SYSTEM VERSIONED') AND lower(engine) IN ({_OWN_ENGINES})"
            found = f"FROM information_schema.tables WHERE {of} AND {own}"
        case _:
            return _OWN_ROWS_OF_POSTGRESQL.format(schema=schema, name=last)
    return f"SELECT {names} AS one {found}"


_OWN_ENGINES = ", ".join(
    f"'{each}'"
    for each in (
        "innodb", "myisam", "aria", "memory", "archive", "csv", "rocksdb", "tokudb", "columnstore", "ndbcluster", "s3",
    )
)  # fmt: skip
"""What keeps rows of its own in MySQL and MariaDB; others merge tables, or read servers and files elsewhere."""

_OWN_ROWS_OF_POSTGRESQL = (
    "WITH RECURSIVE parts AS (SELECT c.oid, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace "
    "WHERE nspname::text = {schema} AND relname::text = {name} AND NOT EXISTS (SELECT FROM pg_inherits WHERE "
    "inhrelid = c.oid) UNION SELECT c.oid, c.relkind FROM parts JOIN pg_inherits ON inhparent = parts.oid "
    "JOIN pg_class c ON c.oid = inhrelid) SELECT CAST({name} AS text) AS one FROM parts HAVING count(*) > 0 AND "
    "bool_and(relkind IN ('r', 'p'))"
)
"""No part of another table, and every part of it a table; a name is compared whole, and not cut as names are."""


def _literal(kind: str, text: str) -> str:
    told = text.replace("\\", "\\\\") if kind in _MYSQL else text
    return ("N'" if kind == "mssql" else "'") + told.replace("'", "''") + "'"


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


def as_kept(kind: str, name: str, type_name: str) -> str:
    """Return a column beside the ends as it is selected: what the driver of PostgreSQL takes for something else.

    It has no decimal numbers, and makes a moment of the past of one that is infinite.

    Examples
    --------
    >>> as_kept("postgresql", "a", "numeric"), as_kept("mysql", "a", "decimal128(38, 10)")
    ('CAST("a" AS double precision)', '`a`')
    """
    column = quoted(kind, name)
    if type_name in ("timestamp", "timestamptz", "date"):
        return (
            f"CASE WHEN {column} > '294246-01-01' THEN '294246-01-01' "
            f"WHEN {column} = '-infinity' THEN '4713-01-01 BC' ELSE {column} END"
        )
    return f"CAST({column} AS double precision)" if type_name == "numeric" else column
