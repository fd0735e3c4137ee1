"""docs/procedures.md against a running server: signatures, keys, and every example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from edgedp.release.options import (
    CountOptions,
    DistributionOptions,
    MotkinOptions,
    Options,
    PercentileOptions,
    SummaryOptions,
    TopKOptions,
)
from plugin_fixtures import ROOT, PluginServer

PAGE = (ROOT / "docs" / "procedures.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### (edgedp\.\S+)\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL))
EXAMPLES = re.findall(r"```cypher\n(.*?)```", PAGE, re.DOTALL)


def keys_of(section: str) -> list[str]:
    """Return the first column of a section's table."""
    return re.findall(r"^\| `([\w.]+)` \|", section, re.MULTILINE)


def camel(name: str) -> str:
    return re.sub("_(.)", lambda match: match[1].upper(), name)


def test_every_procedure_is_documented_with_its_signature(neo4j_with_plugin: PluginServer) -> None:
    rows = neo4j_with_plugin.ask(
        "SHOW PROCEDURES YIELD name, signature WHERE name STARTS WITH 'edgedp.' RETURN name, signature"
    )
    documented = {name: re.search(r"^`([^`]*)`$", text, re.MULTILINE) for name, text in SECTIONS.items()}
    assert {name: found and found[1].replace("\n", " ") for name, found in documented.items()} == {
        row["name"]: row["signature"] for row in rows
    }


def test_each_procedure_has_an_example() -> None:
    assert {name for example in EXAMPLES for name in re.findall(r"CALL (edgedp[\w.]+)", example)} == set(
        SECTIONS
    )


@pytest.mark.wide
def test_every_example_runs(neo4j_with_plugin: PluginServer) -> None:
    for example in EXAMPLES:
        rows = neo4j_with_plugin.ask(example)
        assert rows or "CALL" not in example, example


def test_the_page_of_projections_runs(neo4j_with_plugin: PluginServer) -> None:
    page = (ROOT / "docs" / "projections.md").read_text(encoding="utf-8")
    examples = re.findall(r"```cypher\n(.*?)```", page, re.DOTALL)
    answers = [rows for example in examples if (rows := neo4j_with_plugin.ask(example))]
    assert len(answers) == 11
    registered = {each["name"]: each["exact"] for (each,) in answers if "exact" in each}
    assert registered == {
        "contacts": {"edgeCount": 3, "maxDegree": 3},
        "shop": {"edgeCount": 4, "maxDegree": 3},
        "big payments": {"edgeCount": 4, "maxDegree": 3},
        "minutes": {"edgeCount": 3, "maxDegree": 3},
        "mails": {"edgeCount": 1, "maxDegree": 1},
    }


@pytest.mark.parametrize("word", ["topK", "concurrency", "nodeLabels", "aggregation", "mutateProperty"])
def test_words_of_gds_are_answered_with_what_to_write(neo4j_with_plugin: PluginServer, word: str) -> None:
    planted = neo4j_with_plugin.plant()
    for call in (
        f"CALL edgedp.privTopk.stream($name, {{metric: 'degree', k: 1, epsilon: 1.0, {word}: 1}})",
        f"CALL edgedp.graph.register($name, {{nodeLabel: 'N', relationshipType: 'R', idProperty: 'id', {word}: 1}})",
    ):
        said = neo4j_with_plugin.refusal(call, name=planted.name)
        assert said.startswith(f"there is no option '{word}' here: ")
    assert planted.spent == 0


@pytest.mark.parametrize(
    ("procedure", "options"),
    [("edgedp.privTopk", TopKOptions.names()), ("edgedp.motkin", MotkinOptions.names())],
)
def test_every_key_of_a_release_is_documented(procedure: str, options: tuple[str, ...]) -> None:
    assert keys_of(SECTIONS[f"{procedure}.stream"]) == [*map(camel, options), "requestId"]
    assert keys_of(SECTIONS[f"{procedure}.write"]) == ["writeProperty", "overwrite"]


@pytest.mark.parametrize("asked", [CountOptions, DistributionOptions, SummaryOptions, PercentileOptions])
def test_every_key_of_a_release_of_numbers_is_documented(asked: type[Options]) -> None:
    assert keys_of(SECTIONS[f"edgedp.{asked.KIND}.stream"]) == [*map(camel, asked.names()), "requestId"]


@pytest.mark.parametrize(
    "procedure",
    ["edgedp.graph.register", "edgedp.graph.attribute", "edgedp.exact.stream", "edgedp.exact.sensitivity"],
)
def test_every_key_of_the_other_procedures_is_documented(
    neo4j_with_plugin: PluginServer, procedure: str
) -> None:
    planted = neo4j_with_plugin.plant()
    said = neo4j_with_plugin.refusal(f"CALL {procedure}($name, {{qqqq: 1}})", name=planted.name)
    assert sorted(keys_of(SECTIONS[procedure])) == sorted(said.partition("choose one of ")[2].split(", "))


def test_a_key_that_is_twice_in_the_configuration_file_is_refused(neo4j_with_plugin: PluginServer) -> None:
    with (neo4j_with_plugin.server.home / "conf" / "edgedp.conf").open("a") as file:
        file.write("worker.count=1\nworker.count=4\n")
    try:
        said = neo4j_with_plugin.refusal("CALL edgedp.graph.list()")
    finally:
        neo4j_with_plugin.configure()
    assert "the key worker.count is twice in " in said
    assert neo4j_with_plugin.ask("CALL edgedp.graph.list()") == []


def test_every_key_of_the_configuration_file_is_documented(neo4j_with_plugin: PluginServer) -> None:
    neo4j_with_plugin.configure(qqqq="1")
    try:
        said = neo4j_with_plugin.refusal("CALL edgedp.graph.list()")
    finally:
        neo4j_with_plugin.configure()
    listed = said.partition("must be one of ")[2].partition(";")[0].split(", ")
    assert sorted(keys_of(PAGE[: PAGE.index("## Register")])) == listed


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)", PAGE):
        assert (Path("docs") / target).exists() or (ROOT / "docs" / target).exists()
