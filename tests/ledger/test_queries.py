"""Every Cypher file: a header that is true, values as parameters, names as quoted placeholders, and a use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgedp.ledger.chain import FURTHER
from edgedp.mechanisms.metrics import metric, metric_names
from edgedp.release.conditions import COMPARISONS
from edgedp.stores.statements.queries import (
    fill,
    query,
    quote_identifier,
    statement_names,
    statement_of_sensitivity,
)
from edgedp.words.errors import ParameterError, UnknownNameError
from edgedp.words.places import asset
from looped import each

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("embedded", "neo4j")
FILES = sorted(asset("queries").rglob("*.cypher"))
LEDGER = {
    path.stem: path
    for path in (asset("queries") / "sqlite").glob("*.sql")
    if not path.stem.startswith("migrat")
}
ONLY_SQLITE = {"complete", "log_complete"}
HANDED = {"address_conflicts": {"apart"}}
"""What Neo4j is handed and SQLite asks this process for: which addresses are other places."""
PLACEHOLDERS = {
    "candidate_label",
    "node_label", "relationship_type", "id_property", "display_label", "constraint_name", "property", "table",
}  # fmt: skip

each_file = each(FILES, name=lambda path: f"{path.parent.name}/{path.stem}")


def header_of(path: Path) -> list[str]:
    """Return the lines of comment that a file begins with, without their slashes."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith(("//", "--")):
            break
        lines.append(line[2:].removeprefix(" "))
    return lines


def statement_of(path: Path) -> str:
    """Return a file without its comments."""
    text = "\n".join(
        line for line in path.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("//")
    )
    return re.sub(r" // .*$", "", text, flags=re.MULTILINE)


def section(path: Path, name: str) -> list[str]:
    """Return what a header says under ``name:``, one entry a line; an entry may go on below it."""
    header = header_of(path)
    start = next(i for i, line in enumerate(header) if re.match(rf"{name}:", line))
    rest = header[start].removeprefix(f"{name}:").strip()
    if rest:
        return [] if rest == "none" else [rest]
    entries: list[str] = []
    for line in header[start + 1 :]:
        if not line.startswith("  "):
            break
        if entries and entries[-1].endswith((" in", ",")):
            entries[-1] += " " + line.strip()
        else:
            entries.append(line.strip())
    return entries


def names_in(entries: list[str]) -> set[str]:
    """Return the names before the colons of a header's entries, or of entries that are names alone."""
    names: set[str] = set()
    for entry in entries:
        if not re.match(r"^\w+( \([^)]*\))?(, \w+( \([^)]*\))?)*(:|$)", entry):
            continue
        names |= set(re.findall(r"\w+", re.sub(r"\([^)]*\)", "", entry.partition(":")[0])))
    return names


@each_file
def test_the_header_has_summary_parameters_columns_and_cost(path: Path) -> None:
    header = header_of(path)
    assert " ".join(header[: header.index("")]).endswith("."), "a summary is a sentence"
    where = [
        next(i for i, line in enumerate(header) if line.startswith(f"{name}:"))
        for name in ("parameters", "columns", "cost")
    ]
    assert where == sorted(where)
    assert header[where[2]].removeprefix("cost:").strip()


@each_file
def test_the_parameters_of_the_header_are_those_of_the_statement(path: Path) -> None:
    used = set(re.findall(r"\$(\w+)", statement_of(path)))
    # All sensitivities are called alike, also the one that is the same at every distance.
    unread = {"t"} if path.stem == "sensitivity_degree" else set()
    assert names_in(section(path, "parameters")) - unread == used


@each_file
def test_the_columns_of_the_header_are_returned(path: Path) -> None:
    # The last RETURN that begins a line (or follows the one CALL); those of subqueries stand inside braces.
    clauses = re.split(r"^(?:CALL \w+\(\) )?RETURN ", statement_of(path), flags=re.MULTILINE)[1:]
    returned: set[str] = set()
    if clauses:
        clause = clauses[-1].partition("ORDER BY")[0].strip()
        plain = re.fullmatch(r"\w+(, \w+)*", clause)
        returned = set(clause.split(", ")) if plain else set(re.findall(r"\bAS (\w+)", clause))
    assert names_in(section(path, "columns")) == returned


@each_file
def test_placeholders_are_known_and_stand_where_a_name_does(path: Path) -> None:
    statement = statement_of(path)
    for match in re.finditer(r"\{\{(\w+)\}\}", statement):
        assert match[1] in PLACEHOLDERS
        before = statement[: match.start()].rstrip(" {")
        # A label or type follows a colon, a property a point or a brace, a table or constraint a keyword.
        assert before.endswith(
            (":", ".", "TABLE", "COPY", "CONSTRAINT", "FROM", "TO", "node", "a:", "b:")
        ) or re.search(r":\w*\}\}$|\}\}$", before), statement[max(0, match.start() - 30) : match.end()]


KINDS = {"debit", "answer", "exact", "attribute"}
CONFLICTS = {
    "account",
    "lost_account",
    "escaped_account",
    "own_account",
    "type",
    "unfinished_type",
    "label",
    "registered_label",
}


@each_file
def test_no_value_is_written_into_a_statement(path: Path) -> None:
    """Values are parameters; the only texts are of Neo4j's own vocabulary and the name of our procedure."""
    texts = set(re.findall(r"'([^']*)'|\"([^\"]*)\"", statement_of(path)))
    known = {
        "NODE",
        "RELATIONSHIP",
        "RANGE",
        "ONLINE",
        "edgedp.exact.adjacency",
        "edgedp.",
        "entry",
        "EdgeDP",
        "",
    }
    known |= {" for "}
    known |= {FURTHER}  # of a further debit of a release
    known |= {"Z", "microsecond"}  # of moments that conditions compare
    known |= {"unauthenticated"}  # who asks where nobody signs in
    known |= {"://", "/", "s3", "s3a", "s3n"}  # of addresses that Spark reads
    known |= {'"part_of": "', '", "graph": ', '"'}  # what the body of a further debit holds
    known |= {r"\\u", r".*\\\\u[0-9a-fA-F]{4}.*"}  # of a type that holds an escape
    known |= {"[0,0]", "[", "]", ","}  # of what was spent within every run of windows, as text
    known |= {"|", *COMPARISONS}  # of several labels or types, and of conditions
    assert {a or b for a, b in texts} <= known | KINDS | CONFLICTS


@each_file
def test_a_file_holds_one_statement_and_needs_no_other_language(path: Path) -> None:
    statement = statement_of(path).strip()
    assert statement
    assert ";" not in statement
    assert "`" not in statement, "identifiers are quoted when they are filled in"


def sources() -> str:
    """Return the text of everything that may name a statement."""
    files = [*(ROOT / "plugin").rglob("*.py"), *(ROOT / "plugin").rglob("*.java")]
    return "".join(path.read_text(encoding="utf-8") for path in files if "target" not in path.parts)


def named_by_a_metric() -> set[str]:
    """Return the statements that `CypherProjection` names after metrics and their forms."""
    of_forms = {
        statement_of_sensitivity(name, form) for name in metric_names() for form in metric(name).forms
    }
    return {*metric_names(), *of_forms}


def test_every_statement_is_used() -> None:
    text, by_metric = sources(), named_by_a_metric()
    unused = [
        f"{path.parent.name}/{path.stem}"
        for path in FILES
        if path.stem not in by_metric and not re.search(rf'"(?:neo4j/)?{path.stem}"', text)
    ]
    assert not unused


def test_a_statement_of_a_metrics_name_computes_the_metric() -> None:
    """A metric need not have one, nor one of a sensitivity; what is called like it must not be another statement."""
    assert statement_names("neo4j") == {path.stem for path in FILES if path.parent.name == "neo4j"}
    assert set(metric_names()) & statement_names("neo4j"), "the four that are shipped have"
    for path in FILES:
        if path.parent.name == "neo4j" and path.stem in named_by_a_metric():
            assert names_in(section(path, "columns")) == {"id", "value"}, path.stem
            assert "nodes" in names_in(section(path, "parameters")), path.stem


def test_the_folders_are_known() -> None:
    assert {path.parent.name for path in FILES} == set(FOLDERS)


@each(sorted(LEDGER.keys() - ONLY_SQLITE))
def test_a_ledger_is_the_same_in_sqlite_and_in_neo4j(stem: str) -> None:
    sqlite, neo4j = LEDGER[stem], asset("queries") / "neo4j" / f"{stem}.cypher"
    for name, handed in (("parameters", HANDED.get(stem, set())), ("columns", set())):
        assert names_in(section(sqlite, name)) | handed == names_in(section(neo4j, name)), name


def test_a_statement_comes_without_its_comments_and_with_its_names_filled() -> None:
    text = query("neo4j", "node_count", candidate_label="Odd `label")
    assert text == "MATCH (node:`Odd ``label`)\nRETURN count(node) AS nodes"


@each_file
def test_every_file_is_filled_whole(path: Path) -> None:
    filled = query(path.parent.name, path.stem, **dict.fromkeys(PLACEHOLDERS, "x"))
    assert "{{" not in filled
    assert not filled.startswith("//")


def test_an_unknown_statement_and_a_missing_name_are_mistakes() -> None:
    with pytest.raises(UnknownNameError, match="no_such_statement"):
        query("neo4j", "no_such_statement")
    with pytest.raises(KeyError):
        query("neo4j", "node_count")


def as_neo4j_reads(text: str) -> str:
    """Return an identifier as the server takes it: escapes first, then doubled backticks."""
    assert text[0] == text[-1] == "`"
    inside = re.sub(r"(?<!\\)\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text[1:-1])
    assert not re.search(r"(?<!`)(?:``)*`(?!`)", inside), (
        "no backtick stands alone: the identifier would end there"
    )
    return inside.replace("``", "`")


names = st.text(
    alphabet=st.one_of(
        st.sampled_from("`\\u0056c3 {}$'\"\n;/"),
        st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"),
    ),
    min_size=1,
)


@given(names)
def test_a_quoted_identifier_is_one_identifier(name: str) -> None:
    assert as_neo4j_reads(quote_identifier(name)) == name


@given(names)
def test_nothing_that_a_name_holds_is_filled_again(name: str) -> None:
    filled = fill("MATCH (node:{{node_label}}) RETURN node", node_label=name)
    assert filled == f"MATCH (node:{quote_identifier(name)}) RETURN node"


@given(names, names)
def test_different_names_stay_different(one: str, other: str) -> None:
    if one != other:
        assert quote_identifier(one) != quote_identifier(other)


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_no_name_at_all_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="must be a non-empty text without NUL"):
        quote_identifier(name)
