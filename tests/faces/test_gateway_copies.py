"""What the pages offer for copying: the command is one that the command line takes, and asks the same."""

from __future__ import annotations

import shlex
from typing import Any

import click
import pytest

from edgedp import ParameterError
from edgedp.faces.cli import edgedp as command_line
from edgedp.faces.gateway.kinds import ReleaseKind, kind_at, release_kinds
from edgedp.faces.gateway.pages.copies import copies
from edgedp.faces.gateway.pages.forms import options_in
from edgedp.mechanisms.selection.domains import declare
from edgedp.release.conditions import conditions_given
from edgedp.release.plan import PublicFacts, plan
from edgedp.release.plan.named import TypedId, meanings

ADDRESS = "https://gateway.example.org:8750"
COLUMNS = {"amount": "INTEGER", "kind": "BY VALUE", "at": "MOMENT"}
FACTS = PublicFacts(100, 50, domains={"age": declare(0, 120, points=121)}, columns=COLUMNS)
PRICED = PublicFacts(100, 50, delta_declared=True, domains=FACTS.domains, columns=COLUMNS)
WHERE = {
    "where": {
        "amount": {"gte": -5, "lt": 2.5},
        "kind": {"in": ["o'b", "7", True]},
        "at": {"gte": {"date": "2024-01-01"}},
    }
}

MORE: dict[str, list[dict[str, Any]]] = {
    "priv_top_k": [
        {"mechanism": "joint", "estimates": True}, {"mechanism": "joint", "proxy": "lists", "cap": 20},
        {"mechanism": "sld", "shift": "up"},
        {"mechanism": "em", "sampler": "permute_and_flip"}, {"metric": "density"}, WHERE,
        {"where": ["amount>=1000", "kind=call me"]},
    ],
    "motkin": [{"approach": "aggregate", "weights": [0.5, -2]}, {"mechanism": "joint", "estimates": True}],
    "count": [
        {"of": "common_neighbors", "pair": [1, 2]}, {"of": "common_neighbors", "pair": ["-a", "o'b"]},
        {"of": "degree", "node": -7}, {"of": "stars", "star_size": 4}, {"error_bar": True},
    ],
    "distribution": [{"form": "histogram"}, WHERE],
    "summary": [WHERE],
    "percentile": [{"q": "1/3", "mechanism": "em"}],
}  # fmt: skip


def parsed(command: str) -> dict[str, Any]:
    """Return what the command line makes of a command, which is not run."""
    words = shlex.split(command)
    assert words[0] == "edgedp"
    with command_line.make_context("edgedp", words[1:]) as context:
        name, inner, rest = command_line.resolve_command(context, [*context._protected_args, *context.args])
        assert inner is not None
        with inner.make_context(name, rest, parent=context) as found:
            return dict(found.params)


@pytest.mark.parametrize("graph", ["email-Enron", "it's \"one\" of 'em", "--help"])
@pytest.mark.parametrize("kind", release_kinds(), ids=lambda kind: kind.path)
def test_every_command_that_a_page_offers_is_taken(kind: ReleaseKind, graph: str) -> None:
    for more in ({}, *MORE[kind.kind]):
        asked = kind.example() | more
        for facts in (FACTS, PRICED):
            planned = plan(kind.kind, asked, facts)
            for options in (
                asked,
                {key: planned.parameters[key] for key in planned.parameters if key != "version"},
            ):
                command = dict(copies(kind, ADDRESS, graph, options))["Command"]
                try:
                    given = parsed(command)
                except (click.ClickException, click.exceptions.Exit) as error:
                    pytest.fail(f"{command}: {error}")
                assert given["name"] == graph, command
                again = {name: given[name] for name in kind.options.names() if given[name] != ()}
                assert told(plan(kind.kind, again, facts)) == told(planned), command


def test_there_is_no_command_where_none_says_the_conditions() -> None:
    kind = kind_at("summary")
    asked = kind.example() | {"where": {"it's": {"in": ['a",b', 1]}}}
    with pytest.raises(ParameterError, match="give a map"):
        kind.options.flags(asked)
    offered = dict(copies(kind, ADDRESS, "g", asked))
    assert "Command" not in offered
    assert "where: {`it's`: {in: ['a\",b', 1]}}" in offered["Cypher"]


def test_a_comma_of_a_text_stays_in_it_in_the_command_of_a_page() -> None:
    kind = kind_at("summary")
    asked = kind.example() | {"where": {"it's": {"in": ["a,b", 1]}}}
    given = parsed(dict(copies(kind, ADDRESS, "g", asked))["Command"])
    assert conditions_given(given["where"]) == conditions_given(asked["where"])


@pytest.mark.parametrize(
    ("written", "pair"),
    [("1 2", ["1", "2"]), (" o'b,  -7", ["o'b", "-7"]), ("ann lee; a,b", ["ann lee", "a,b"])],
)
def test_a_pair_is_written_into_one_field_of_the_form(written: str, pair: list[str]) -> None:
    form = {"of": ["common_neighbors"], "pair": [written], "epsilon": ["0.5"]}
    options = options_in(kind_at("count"), form)
    assert options["pair"] == pair
    assert meanings(options["pair"]) == meanings(map(TypedId, pair)), "as on a command line"
    assert plan("count", options, FACTS).parameters["pair"] == pair


def told(planned: Any) -> dict[str, Any]:
    """Return what was asked, ids as text: the command line has nothing else, and the store reads them."""
    return {
        name: [str(each) for each in value] if name == "pair" else str(value) if name == "node" else value
        for name, value in planned.parameters.items()
    }
