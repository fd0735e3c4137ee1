"""The Cypher of the project: one statement a file under ``queries/``, read here and nowhere else.

A file starts with a header of ``//`` lines (summary, parameters, columns, cost) and holds one
statement. Values are parameters; names of labels, types and properties, which Cypher cannot take as
parameters, are placeholders ``{{node_label}}`` that are filled with quoted identifiers.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from functools import cache
from typing import Literal, get_args

from edgedp.ledger.pairs import ALTERNATIVES
from edgedp.mechanisms.metrics import metric as metric_by_name
from edgedp.words.errors import ParameterError, UnknownNameError
from edgedp.words.places import asset

Completeness = Literal["always", "when empty", "its log", "never"]
"""When a statement of SQLite is believed only if every row is there: of the registry, the accounts, the people and the
shares, or of the log of the account that it names. A damaged index may hide rows."""

_WORDS: tuple[Completeness, ...] = get_args(Completeness)
_COMPLETE = re.compile(r"^-- complete: ([a-z ]+?)(?: \(.+\))?$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


def query(dialect: str, name: str, **identifiers: str) -> str:
    """Return a statement of a dialect (``neo4j``, ``embedded``), or the common one of that name.

    Parameters
    ----------
    dialect : str
        Folder under ``queries/`` that is looked into before ``queries/common``.
    name : str
        File name without ``.cypher``.
    **identifiers : str
        Raw label, type and property names for the placeholders; they are quoted here.

    Raises
    ------
    UnknownNameError
        No such statement (an internal mistake, or a metric that the dialect does not offer).

    Examples
    --------
    >>> "{{" in query("neo4j", "degree", node_label="N", relationship_type="R", id_property="id")
    False
    """
    return fill(statement_text(dialect, name), **identifiers)


def for_nobody(text: str) -> str:
    """Return a statement of Neo4j for a server that authenticates nobody: a fixed name is written for the user.

    Examples
    --------
    >>> "showCurrentUser" in query("neo4j", "log_append"), "showCurrentUser" in for_nobody(query("neo4j", "log_append"))
    (True, False)
    """
    asked, fixed = (query("neo4j", name).partition("\n")[0] for name in ("current_user", "no_user"))
    return text.replace(asked, fixed)


def fill(text: str, **identifiers: str) -> str:
    """Replace every placeholder by its quoted identifier; a missing one is an internal mistake.

    Names that are alternatives of each other, of which NUL stands between two, become an expression of Cypher.

    Examples
    --------
    >>> fill("MATCH (n:{{node_label}})", node_label="Person")
    'MATCH (n:`Person`)'
    >>> fill("MATCH (n:{{node_label}})", node_label="Person" + ALTERNATIVES + "Shop")
    'MATCH (n:`Person`|`Shop`)'
    """
    return _PLACEHOLDER.sub(lambda match: _quoted(identifiers[match.group(1)]), text)


def _quoted(names: str) -> str:
    return "|".join(quote_identifier(name) for name in names.split(ALTERNATIVES))


def quote_identifier(name: str) -> str:
    r"""Return a Cypher identifier in backticks, with backticks inside doubled: never an injection.

    Neo4j reads escapes such as ``\u0053`` before it parses, so a backslash is written as the escape of itself: two
    names are never read as one.

    Examples
    --------
    >>> quote_identifier("odd `name")
    '`odd ``name`'
    """
    if not name or "\0" in name:
        raise ParameterError(
            f"the identifier is {name!r}, must be a non-empty text without NUL; choose another name"
        )
    return "`" + name.replace("\\", "\\u005c").replace("`", "``") + "`"


@cache
def statement_names(dialect: str) -> frozenset[str]:
    """Return the names of a dialect's own statements: what its folder holds.

    Examples
    --------
    >>> "ebc" in statement_names("neo4j")
    True
    """
    return frozenset(path.stem for path in asset("queries", dialect).glob("*.cypher"))


def statement_of_sensitivity(metric: str, form: str) -> str:
    """Return the name of the statement of a metric's sensitivity, where there is one.

    Examples
    --------
    >>> statement_of_sensitivity("ebc", "degree"), statement_of_sensitivity("density", "degree")
    ('sensitivity_ebc_degree', 'sensitivity_density')
    """
    return (
        f"sensitivity_{metric}_{form}" if len(metric_by_name(metric).forms) > 1 else f"sensitivity_{metric}"
    )


@cache
def statement_text(dialect: str, name: str) -> str:
    """Return a statement without its header; placeholders are not filled."""
    if dialect == "sqlite":
        path = asset("queries", dialect, f"{name}.sql")
        if not path.is_file():
            raise UnknownNameError(f"the statement is {name!r}, must be one of queries/sqlite")
        lines = path.read_text(encoding="utf-8").splitlines()
        return "\n".join(line for line in lines if not line.startswith("--")).strip()
    for folder in (dialect, "common"):
        path = asset("queries", folder, f"{name}.cypher")
        if path.is_file():
            lines = path.read_text(encoding="utf-8").splitlines()
            return "\n".join(line for line in lines if not line.lstrip().startswith("//")).strip()
    raise UnknownNameError(f"the statement is {name!r}, must be one of queries/{dialect} or queries/common")


@cache
def completeness(name: str) -> Completeness:
    """Return what the header of a statement of ``queries/sqlite`` says; where it says nothing, always.

    Examples
    --------
    >>> completeness("graph_list"), completeness("graph_find"), completeness("release_count")
    ('always', 'when empty', 'never')
    """
    path = asset("queries", "sqlite", f"{name}.sql")
    found = _COMPLETE.search(path.read_text(encoding="utf-8")) if path.is_file() else None
    return next((word for word in _WORDS if found is not None and word == found[1]), "always")


def statements_in(text: str) -> Iterator[str]:
    """Split a migration at the semicolons that end a statement; those inside triggers do not."""
    waiting = ""
    for line in text.splitlines():
        if not waiting and (not line.strip() or line.startswith("--")):
            continue
        waiting += line + "\n"
        if sqlite3.complete_statement(waiting):
            yield waiting
            waiting = ""
    if waiting.strip():
        raise UnknownNameError("the migration does not end its last statement")
