"""What may be asked stands once: every face takes the same options, words and defaults."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, SupportsIndex, Unpack, get_args, get_origin, get_type_hints

import click
import numpy as np
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

import edgedp
from edgedp.faces.cli import edgedp as command_line
from edgedp.mechanisms import Em, Joint, Ld, Pf, Sld, checks
from edgedp.mechanisms.counts import count_names
from edgedp.mechanisms.metrics import metric, metric_names
from edgedp.release.options import (
    DATED,
    MotkinOptions,
    Options,
    PercentileOptions,
    TopKOptions,
    top_k_metrics,
)
from edgedp.release.plan import options_of, plan
from edgedp.release.plan.facts import PublicFacts
from edgedp.words import vocabulary
from edgedp.words.errors import ParameterError, UnknownNameError
from looped import as_one

STORED = ("self", "name", "request_id")
IN_MEMORY = ("graph", "degree_bound", "rng")
FACES: list[tuple[type[Options], Callable[..., Any], tuple[str, ...]]] = [
    (
        TopKOptions,
        edgedp.spark.priv_top_k,
        ("dataframe", "degree_bound", "rng", "nodes", "source", "target", "directed"),
    ),
    (TopKOptions, edgedp.exact.first_pick_probabilities, ("graph", "degree_bound")),
    (MotkinOptions, edgedp.exact.motkin_first_pick_probabilities, ("graph", "degree_bound")),
]
for kind in vocabulary.KINDS:
    asked_of, in_memory = options_of(kind), getattr(edgedp, kind)
    FACES.append((asked_of, getattr(edgedp.Store, kind), STORED + ("engine",) * asked_of.COMPUTES))
    if "graph" in inspect.signature(in_memory).parameters:  # a percentile in memory is of values
        FACES.append((asked_of, in_memory, IN_MEMORY + ("delta",) * (kind == "count")))
COMMANDS = [options_of(kind) for kind in vocabulary.KINDS]


def named(member: Any) -> str:
    return getattr(member, "__qualname__", str(member))


@as_one
@pytest.mark.parametrize(("asked", "function", "own"), FACES, ids=named)
def test_a_function_takes_the_options_and_what_is_its_own(
    asked: type[Options], function: Callable[..., Any], own: tuple[str, ...]
) -> None:
    """The asker of a store chooses neither noise nor bound; a graph in memory has no calendar, so no windows."""
    parameters = inspect.signature(function).parameters
    stored = "self" in own
    described = [option for option in asked.described() if stored or option.name not in DATED]
    assert set(parameters) == {*(option.name for option in described), *own}
    only_for_checkers = {"Graph": edgedp.Graph, "Release": edgedp.Release, "np": np, "DataFrame": Any}
    hints, asked_hints = get_type_hints(function, localns=only_for_checkers), get_type_hints(asked)
    for unpacked in [hint for hint in hints.values() if get_origin(hint) is Unpack]:
        hints |= get_type_hints(*get_args(unpacked))
    for option in described:
        taken = hints[option.name]
        if taken is SupportsIndex:  # an integer of numpy is one, too
            taken = int
        assert taken == asked_hints[option.name], option.name
        if not option.required:
            assert parameters[option.name].default == option.default, option.name


@as_one
@pytest.mark.parametrize("asked", COMMANDS, ids=named)
def test_a_command_takes_the_options_with_their_words(asked: type[Options]) -> None:
    command = command_line.commands[asked.COMMAND]
    options = {each.name: each for each in command.params if isinstance(each, click.Option)}
    engine = set() if asked is PercentileOptions else {"engine"}  # nothing is computed on the graph
    assert set(options) == {*asked.names(), *engine, "request_id", "dry_run", "output"}
    for option in asked.described():
        shown = options[option.name]
        assert shown.required == option.required
        assert shown.multiple == option.many
        assert shown.nargs == max(len(option.metavars), 1)
        assert shown.opts == [option.flag]
        if option.choices is not None:
            assert isinstance(shown.type, click.Choice)
            assert tuple(shown.type.choices) == option.choices


def test_every_kind_of_release_has_options_of_its_own() -> None:
    assert all(asked.described() is asked.described() for asked in COMMANDS), "types are read once a process"
    assert (
        {asked.KIND for asked in COMMANDS} == {asked.KIND for asked, _, _ in FACES} == set(vocabulary.KINDS)
    )
    assert [options_of(kind).KIND for kind in vocabulary.KINDS] == list(vocabulary.KINDS)
    for ask in (options_of, lambda kind: plan(kind, {}, PublicFacts(5))):
        with pytest.raises(UnknownNameError, match="did you mean 'priv_top_k'"):
            ask("priv_topk")
        with pytest.raises(UnknownNameError):
            ask(None)


def test_words_are_those_of_the_numbers() -> None:
    assert set(get_args(vocabulary.CountName)) == {*count_names(), "arcs"}


def test_words_are_those_of_the_metrics() -> None:
    """A type checker knows the metrics that are shipped; at run time the folder is the list."""
    assert set(get_args(vocabulary.MetricName)) <= set(metric_names())
    words = {option.name: option.choices for option in TopKOptions.described()}
    assert words["metric"] == top_k_metrics()
    assert set(top_k_metrics()) == {*metric_names(), *vocabulary.TALLIED}
    with pytest.raises(
        UnknownNameError, match=", ".join(top_k_metrics())
    ):  # in the order of every other face
        plan("priv_top_k", {"metric": "x", "k": 1, "epsilon": 1}, PublicFacts(9, 8))
    assert set(words["sensitivity_form"]) == {form for name in metric_names() for form in metric(name).forms}
    assert set(words["proxy"]) == {proxy for name in metric_names() for proxy in metric(name).proxies}


def test_none_stands_for_the_default_and_what_has_none_is_asked_for() -> None:
    given = {"metric": "ebc", "k": 1, "epsilon": 1}
    assert TopKOptions.given(given | {"mechanism": None, "shift": None}) == TopKOptions(**given)
    for name in given:
        with pytest.raises(ParameterError, match=f"{name} is missing; give it"):
            TopKOptions.given(given | {name: None})
    with pytest.raises(UnknownNameError, match="did you mean 'metric'"):
        TopKOptions.given(given | {"metrik": "ebc"})


def test_keys_of_a_configuration_are_the_names_in_camel_case() -> None:
    assert TopKOptions.config_keys()["sensitivityForm"] == "sensitivity_form"
    for asked in COMMANDS:
        assert list(asked.config_keys().values()) == list(asked.names())
        assert not any("_" in key for key in asked.config_keys())


def completed(*words: str, incomplete: str = "") -> list[str]:
    shell = ShellComplete(command_line, {}, "edgedp", "_EDGEDP_COMPLETE")
    return [item.value for item in shell.get_completions(list(words), incomplete)]


def test_the_shell_completes_words() -> None:
    assert completed("topk", "g", "--metric") == list(top_k_metrics())
    assert completed("motkin", "g", "--metric", incomplete="de") == ["degree", "density"]
    assert completed("topk", "g", "--sampler") == list(vocabulary.SAMPLERS)
    assert completed("exact", "g", "--engine") == list(vocabulary.ENGINES)
    assert completed("count", "g", "--of", incomplete="tri") == ["triangles"]
    assert completed("exact", "count", "g", "--of", incomplete="tri") == ["triangles"]
    assert "--sensitivity-form" in completed("topk", "g", incomplete="--s")


def test_a_word_that_is_missing_is_named_with_its_choices_in_one_line() -> None:
    said = CliRunner().invoke(command_line, ["topk", "any", "-k", "1", "--epsilon", "1"])
    assert said.exit_code == 2
    *_, last = said.stderr.splitlines()
    assert last == f"Error: Missing option '--metric'. Choose one of {', '.join(top_k_metrics())}"


def test_the_vocabulary_lists_what_its_types_say() -> None:
    """A list that is not that of its type would let a word through that no branch handles."""
    pairs = {
        "KINDS": "Kind", "MECHANISMS": "MechanismName", "PICKING": "PickingName", "SAMPLERS": "SamplerName",
        "SHIFTS": "Shift", "METRIC_FORMS": "MetricForm", "PARETO_FORMS": "ParetoForm", "VECTORS": "Vector",
        "PROXIES": "Proxy", "APPROACHES": "Approach", "SENSITIVITIES": "Sensitivity", "ENGINES": "Engine",
        "GRAPH_ENGINES": "GraphEngine", "NUMBER_MECHANISMS": "NumberMechanismName",
        "DISTRIBUTION_FORMS": "DistributionForm", "ACCOUNTS": "AccountName", "DEPENDENCES": "DependsOn",
        "PERCENTILE_MECHANISMS": "PercentileMechanism", "RELEASE_ENGINES": "ReleaseEngine",
        "SPARK_KINDS": "SparkKind",
        "ARC_METRICS": "ArcMetricName", "UNITS": "Unit", "COUNTED": "CountedName", "ADDRESS_ENGINES": "AddressEngine",
        "STRENGTHS": "StrengthName", "TALLIED": "TalliedName", "AGGREGATIONS": "Aggregation",
    }  # fmt: skip
    assert set(pairs) == {name for name in vocabulary.__all__ if name.isupper()}
    for listed, typed in pairs.items():
        assert getattr(vocabulary, listed) == get_args(getattr(vocabulary, typed)), listed
        for word in getattr(vocabulary, listed):
            assert checks.check_choice(word, "word", getattr(vocabulary, listed)) is word


VALUES = [
    (
        Sld(shift="down", sampler="permute_and_flip"),
        {"mechanism": "sld", "shift": "down", "sampler": "permute_and_flip"},
    ),
    (Ld(sensitivity_form="common_neighbors"), {"mechanism": "ld", "sensitivity_form": "common_neighbors"}),
    (Em(sampler="permute_and_flip"), {"mechanism": "em", "sampler": "permute_and_flip"}),
    (Pf(), {"mechanism": "pf"}),
    (Joint(proxy="lists", cap=9), {"mechanism": "joint", "proxy": "lists", "cap": 9}),
]


@pytest.mark.parametrize(("value", "words"), VALUES, ids=lambda each: type(each).__name__)
def test_a_mechanism_as_a_value_is_the_release_that_its_words_ask_for(
    value: Any, words: dict[str, Any], tmp_path: Path
) -> None:
    graph = edgedp.Graph.from_edges([(0, leaf) for leaf in range(1, 12)] + [(1, 2), (2, 3)])
    asked: dict[str, Any] = {"metric": "ebc", "k": 2, "epsilon": 3}
    rng = [np.random.default_rng(5) for _ in range(2)]
    by_value = edgedp.priv_top_k(graph, **asked, mechanism=value, rng=rng[0])
    by_words = edgedp.priv_top_k(graph, **asked, **words, rng=rng[1])
    assert by_value.to_dict() == by_words.to_dict()
    with edgedp.open_store(tmp_path / "s") as store:
        store.load(graph, "star", epsilon_budget=9)
        kept = store.priv_top_k("star", **asked, mechanism=value, request_id="q")
        again = store.priv_top_k("star", **asked, **words, request_id="q")
        assert (again.nodes, again.receipt["epsilon_spent"]) == (kept.nodes, 3.0)
        estimate = store.estimate("star", **asked, mechanism=value)
        assert estimate["parameters"] == store.estimate("star", **asked, **words)["parameters"]


def test_a_mechanism_as_a_value_stands_wherever_its_word_does() -> None:
    utilities, table = [1.0, 4.0, 2.0], [1.0, 2.0]
    law = edgedp.mechanisms.probabilities
    given: dict[str, Any] = {"global_sensitivity": 2, "sensitivity": table}
    by_words = law("sld", utilities, 1, shift="down", **given)
    assert law(Sld(shift="down"), utilities, 1, **given).tolist() == by_words.tolist()
    assert (
        edgedp.select(utilities, epsilon=90, global_sensitivity=1, mechanism=Em()).parameters["mechanism"]
        == "em"
    )
    assert (
        edgedp.percentile([1, 2, 3], q=0.5, grid=range(9), epsilon=90, mechanism=Em()).parameters["mechanism"]
        == "em"
    )
    first = edgedp.exact.first_pick_probabilities
    path = edgedp.Graph.from_edges([(0, 1), (1, 2)])
    assert first(path, "degree", 1, 1, Em()).tolist() == first(path, "degree", 1, 1, "em").tolist()
    both: dict[str, Any] = {"graph": path, "k": 1, "epsilon": 1, "rng": np.random.default_rng(1)}
    assert edgedp.motkin(**both, mechanism=Sld(shift="up")).parameters["shift"] == "up"


def test_an_option_is_given_once_and_by_what_has_it() -> None:
    path = edgedp.Graph.from_edges([(0, 1), (1, 2)])
    asked: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": 1}
    with pytest.raises(ParameterError, match="shift is given by Sld"):
        edgedp.priv_top_k(path, **asked, mechanism=Sld(shift="up"), shift="down")
    with pytest.raises(ParameterError, match="shift"):
        edgedp.priv_top_k(path, **asked, mechanism=Em(), shift="down")
    with pytest.raises(ParameterError, match="cap of Joint"):
        edgedp.select([1, 2], epsilon=1, global_sensitivity=1, mechanism=Joint(cap=3))
    with pytest.raises(ParameterError, match="sensitivity_form of Ld"):
        edgedp.percentile([1, 2], q=0.5, grid=range(9), epsilon=1, mechanism=Ld(sensitivity_form="degree"))
    with pytest.raises(UnknownNameError, match="mechanism is"):
        edgedp.select([1, 2], epsilon=1, global_sensitivity=1, mechanism=Joint())
    with pytest.raises(UnknownNameError, match="mechanism is"):
        edgedp.priv_top_k(path, **asked, mechanism=Sld)  # type: ignore[arg-type]
