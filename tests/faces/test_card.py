"""A card of a graph: what it says, that it says nothing else, and that the registry of deployments would take it."""

from __future__ import annotations

import json
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

from edgedp import Graph, Store, open_store, read_graph
from edgedp.faces.card.hazards import HAZARDS
from edgedp.faces.card.making import Stated, card_of
from edgedp.faces.card.showing import entry_of, to_html, to_json, to_markdown
from edgedp.faces.cli import edgedp as command_line
from edgedp.words.amounts import rho
from edgedp.words.amounts.epsilon import NANO

SCHEMA = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "deployments-registry.json").read_text(encoding="utf-8")
)
EVIL = "<img src=x onerror=alert(1)>|`*_"


def validate(entry: dict[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
    validator.validate(entry)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = open_store(tmp_path / "g.edgedp")
    edges = [(f"person-{one}", f"person-{other}") for one, other in [(1, 2), (2, 3), (3, 1), (3, 4)]]
    store.load(Graph.from_edges(edges), EVIL, epsilon_budget=2, degree_bound=3)
    return store


def test_the_card_of_enron_after_six_releases_is_an_entry_of_the_registry(tmp_path: Path) -> None:
    place = tmp_path / "g.edgedp"
    store = open_store(place)
    store.load(read_graph("email-Enron"), "email-Enron", epsilon_budget=3, degree_bound=2000)
    for epsilon in ("0.1", "0.3"):
        store.priv_top_k("email-Enron", "ebc", 10, epsilon)
    store.motkin("email-Enron", ("degree", "density"), 5, "0.2", mechanism="joint")
    store.count("email-Enron", "edges", "0.1")
    store.distribution("email-Enron", epsilon="0.1")
    store.summary("email-Enron", "0.2")
    file = tmp_path / "card.json"
    done = CliRunner().invoke(
        command_line,
        [
            "--store",
            str(place),
            "card",
            "email-Enron",
            "-o",
            str(file),
            "--curator",
            "ACME",
            "--sector",
            "Energy",
        ],
    )
    assert done.exit_code == 0, done.output
    card = json.loads(file.read_text(encoding="utf-8"))
    validate(card["registry"])
    deployment = card["registry"]["deployment"]
    assert deployment["basic"]["data_curators"] == ["ACME"]
    assert deployment["privacy_loss"]["privacy_parameters"] == {"epsilon": 3.0}
    assert deployment["dp_variant"]["variant_name"] == "Pure DP"
    (account,) = card["accounts"]
    assert (account["declared"], account["spent"], account["releases"]) == (
        {"epsilon": 3.0},
        {"epsilon": 1.0},
        6,
    )
    assert sum(row["releases"] for row in card["releases"]) == 6
    assert sum(row["epsilon"] for row in card["releases"]) == pytest.approx(1.0)
    assert card["promise"]["persons"][1] == {"edges": 5, "epsilon": 15.0, "odds": pytest.approx(3269017.37)}
    assert card["ledger"] == {"edges": store.head("email-Enron")}
    bound = next(row for row in card["public"] if row["fact"] == "degree_bound")
    assert (bound["value"], bound["event"]) == (2000, "load")
    assert any(row["recall"] for row in card["expected"])
    assert {row["kind"] for row in card["evidence"]} >= {"priv_top_k", "count"}
    with pytest.raises(jsonschema.ValidationError):
        validate(card["registry"] | {"surprise": 1})
    with pytest.raises(jsonschema.ValidationError):
        validate(card["registry"] | {"tier": 0})


def test_a_card_holds_no_answer_and_no_node(store: Store) -> None:
    store.priv_top_k(EVIL, "degree", 2, "0.5")
    store.count(EVIL, "degree", "0.5", node="person-3")
    store.count(EVIL, "common_neighbors", "0.3", pair=("person-1", "person-4"))
    card = card_of(store, EVIL)
    for text in (to_json(card), to_markdown(card), to_html(card)):
        assert "person-" not in text
    given = json.loads(to_json(card))
    assert [row["releases"] for row in given["releases"]] == [1, 1, 1]
    assert not {"nodes", "value", "numbers", "answer", "interval"} & {
        key for row in given["releases"] for key in row
    }


def test_the_unit_and_the_currency_are_those_of_the_account(tmp_path: Path) -> None:
    store = open_store(tmp_path / "g.edgedp")
    store.load(Graph.from_edges([(1, 2), (2, 3)]), "path", epsilon_budget=1, delta="1e-6")
    store.count("path", "edges", "0.1")
    card = card_of(store, "path")
    allowed = rho.budget(NANO, rho.delta_atto("1e-6")) / rho.PICO
    assert card["accounts"][0]["declared"] == {"epsilon": 1.0, "delta": 1e-6, "rho": allowed}
    entry = entry_of(card)
    validate(entry)
    assert entry["deployment"]["privacy_loss"]["privacy_parameters"] == {
        "epsilon": 1.0,
        "delta": 1e-6,
        "rho": allowed,
    }
    assert entry["deployment"]["dp_variant"]["variant_name"] == "Zero-concentrated DP"
    assert "at most 1e-06" in card["promise"]["sentence"]


def test_persons_are_promised_what_a_delta_leaves(tmp_path: Path) -> None:
    store = open_store(tmp_path / "g.edgedp")
    path = Graph.from_edges([(1, 2), (2, 3)])
    store.load(path, "path", epsilon_budget=1, delta="1e-6")
    card = card_of(store, "path")
    allowed, delta = rho.budget(NANO, rho.delta_atto("1e-6")), rho.delta_atto("1e-6")
    rows = card["promise"]["persons"]
    assert [row["epsilon"] for row in rows] == [
        rho.spent_epsilon(m * m * allowed, delta) / NANO for m in (1, 5, 20, 100)
    ]
    assert rows[0]["epsilon"] == pytest.approx(1)
    assert rows[2]["epsilon"] > 20  # of all edges together, m times epsilon is not kept at this delta
    assert "the square of their number times rho" in to_markdown(card)


def test_an_epsilon_is_written_with_every_place(tmp_path: Path) -> None:
    store = open_store(tmp_path / "g.edgedp")
    store.load(Graph.from_edges([(1, 2), (2, 3)]), "path", epsilon_budget="123456.123456789")
    store.count("path", "edges", "2.123454321")
    card = card_of(store, "path")
    assert "exp(123456.123457)" in card["promise"]["sentence"]
    assert "epsilon 2.123454321" in to_markdown(card)
    assert "epsilon 2.123454321" in entry_of(card)["deployment"]["privacy_loss"]["privacy_parameters_details"]


def test_a_list_that_was_paid_in_steps_counts_once_and_whole(tmp_path: Path) -> None:
    store = open_store(tmp_path / "g.edgedp")
    store.load(read_graph("email-Enron"), "mail", epsilon_budget=3, degree_bound=2000)
    sure = store.priv_top_k("mail", "degree", 10, "0.5", target_recall=0.6)
    store.count("mail", "edges", "0.1")
    card = card_of(store, "mail")
    assert len([row for row in store.log("mail") if row["event"] == "debit"]) > 2
    assert {row["kind"]: row["epsilon"] for row in card["releases"]} == {
        "priv_top_k": sure.epsilon_spent,
        "count": 0.1,
    }
    assert card["accounts"][0]["releases"] == 2
    assert card["accounts"][0]["spent"]["epsilon"] == pytest.approx(0.1 + sure.epsilon_spent)
    assert {row["selector"]: row["epsilon"] for row in store.asked("mail")}[
        "priv_top_k"
    ] == sure.epsilon_spent


def test_an_account_of_sources_says_what_replaced_costs(tmp_path: Path) -> None:
    store = open_store(tmp_path / "g.edgedp")
    store.load(Graph.from_edges([(1, 2), (2, 3)], directed=True), "calls", epsilon_budget=1, protect="source")
    store.priv_top_k("calls", "in_degree", 1, "0.5", mechanism="em")
    card = card_of(store, "calls")
    assert "all arcs that leave one node changes" in card["promise"]["sentence"]
    assert "the factor counts twice" in card["promise"]["sentence"]
    assert card["promise"]["persons"] == []
    validate(entry_of(card))


def test_a_budget_of_windows_promises_nothing_beyond_them(tmp_path: Path) -> None:
    dates = np.array(["2024-01-05", "2024-02-05"], dtype="datetime64[s]")
    with open_store(tmp_path / "g.edgedp") as store:
        graph = Graph.from_edges([(1, 2), (2, 3)], dates=dates, columns={"amount": [1, 2]})
        months = {"from": "2024-01-01", "period": "P1M", "are": "final"}
        store.load(graph, "dated", epsilon_budget=2, dates=months, within=1)
        store.register("large", of="dated", where={"amount": 2})
        other = Graph.from_edges([(1, 2), (1, 3)], dates=dates)
        store.load(other, "for ever", epsilon_budget=2, dates=months)
        for name in ("dated", "large"):
            card = card_of(store, name)
            assert card["promise"]["unit"].endswith(", dated within one window of P1M")
            assert ", dated within one window of P1M, changes" in card["promise"]["sentence"]
            assert card["accounts"][0]["protects"] == card["promise"]["unit"]
            assert card["promise"]["persons"][0]["epsilon"] == 2
            assert {each["fact"] for each in card["public"]} >= {"calendar"}
            entry = entry_of(card)
            validate(entry)
            assert "never resets" not in json.dumps(entry)
        assert "within" not in card_of(store, "for ever")["promise"]["sentence"]


def test_accounts_of_edges_and_of_attributes_are_never_added(store: Store) -> None:
    store.load(Graph.from_edges([(1, 2), (2, 3)]), "both", epsilon_budget=1, attribute_epsilon_budget=0.5)
    card = card_of(store, "both")
    assert [(row["account"], row["declared"]["epsilon"]) for row in card["accounts"]] == [
        ("edges", 1.0),
        ("attributes", 0.5),
    ]
    validate(entry_of(card))
    assert entry_of(card)["deployment"]["privacy_loss"]["privacy_parameters"] == {"epsilon": 1.0}


def test_exact_reads_are_counted_and_a_card_without_a_release_is_an_entry_too(store: Store) -> None:
    store.exact(EVIL, "degree")
    card = card_of(store, EVIL, Stated(curators=("ACME",), authors=("ann",)))
    assert card["exact"]["exact_reads"] == 1
    assert card["releases"] == []
    validate(entry_of(card))


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        assert not {"src", "href", "onerror"} & {name for name, _ in attributes}


def test_a_name_is_text_in_every_form(store: Store) -> None:
    card = card_of(store, EVIL, Stated(intended_use="</main><script>1</script>"))
    tags = _Tags()
    tags.feed(to_html(card))
    assert not {"img", "script"} & tags.found
    assert "\\<img src=x" in to_markdown(card)
    assert json.loads(to_json(card))["graph"] == EVIL


def test_each_hazard_says_who_sees_to_it() -> None:
    assert len({each.topic for each in HAZARDS}) == len(HAZARDS) == 23
    assert {each.handled for each in HAZARDS} == {True, False}
    assert all(each.how and each.part for each in HAZARDS)
    # The draft sets hazards apart in these of its sections, so often; both of 4.4 share a row.
    sections = [each.part.split()[0] for each in HAZARDS]
    assert sections == sorted(sections)
    assert Counter(sections) == {
        "2.2": 1, "2.3": 1, "2.4": 2, "2.5": 3, "2.6": 1, "3": 1, "3.3": 3, "3.4": 2, "3.5": 1, "3.6": 2, "3.7": 1,
        "4.1": 1, "4.2": 1, "4.3": 1, "4.4": 1, "4.5": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nobody"], "must have been loaded or registered"),
        (["x", "-o", "card.pdf"], "does not end in .json, .html or .md"),
    ],
)
def test_the_command_refuses_in_a_line(
    store: Store, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    done = CliRunner().invoke(command_line, ["--store", str(tmp_path / "g.edgedp"), "card", *arguments])
    assert done.exit_code == 1
    assert sentence in done.output


@pytest.mark.parametrize(("ending", "begins"), [(".md", "# "), (".html", "<!doctype html>"), (".json", "{")])
def test_the_ending_says_the_form(store: Store, tmp_path: Path, ending: str, begins: str) -> None:
    file = tmp_path / f"card{ending}"
    done = CliRunner().invoke(
        command_line, ["--store", str(tmp_path / "g.edgedp"), "card", EVIL, "-o", str(file)]
    )
    assert done.exit_code == 0, done.output
    assert file.read_text(encoding="utf-8").startswith(begins)
