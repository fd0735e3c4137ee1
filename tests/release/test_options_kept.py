"""An option that is given is refused or stands in the parameters of the plan: nothing is dropped in silence."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import pytest

import edgedp
from edgedp.graph.weights import weighting_of
from edgedp.mechanisms.metrics import metric_names
from edgedp.mechanisms.scores.picks import MECHANISMS
from edgedp.mechanisms.selection.domains import declare
from edgedp.release import plan as plans
from edgedp.release.options import DATED, OPTIONS, About, Option, TopKOptions
from edgedp.release.plan import PublicFacts, options_of, plan
from edgedp.words.amounts.epsilon import epsilon_nano, format_nano
from edgedp.words.dates.calendar import calendar_of
from edgedp.words.errors import EdgeDPError, ParameterError, UnknownNameError
from edgedp.words.vocabulary import KINDS, Kind
from looped import as_one

FACTS = PublicFacts(
    50,
    20,
    nodes_supplied=True,
    domains={"age": declare(0, 99)},
    directed=True,
    weighting=weighting_of({"cap": 3}),
)
EXAMPLES: dict[str, list[Any]] = {
    "metrics": [("degree", "density"), ("ebc", "betweenness2")],
    "epsilon": ["0.5"],
    "weights": [(1.0, -2.5)],
    "pair": [(3, "u")],
    "node": [3],
    "property": ["age"],
    "q": ["1/3"],
    "target_recall": [0.9],
}
"""What is neither a word, a number nor a switch."""


def values_of(option: Option) -> list[Any]:
    """Return what to give an option: every word, a number, a switch turned on."""
    if option.name in EXAMPLES:
        return EXAMPLES[option.name]
    if option.choices is not None:
        return [word for word in option.choices if word != option.default]
    return [True] if option.number is bool else [3] if option.number is int else ["a text"]


def every_question(kind: Kind) -> Iterator[dict[str, Any]]:
    """Yield a kind's questions: every combination of the options' values, each given or left out, but for windows."""
    options = undated(kind)
    choices = [[*([] if option.required else [None]), *values_of(option)] for option in options]
    for values in itertools.product(*choices):
        yield dict(zip([option.name for option in options], values, strict=True))


def undated(kind: Kind) -> list[Option]:
    """Return the options that do not say which windows are read."""
    return [option for option in options_of(kind).described() if option.name not in DATED]


def shown(name: str, value: Any) -> Any:
    """Return a value as parameters show it."""
    return format_nano(epsilon_nano(value)) if name == "epsilon" else json.loads(json.dumps(value))


@pytest.mark.parametrize("delta", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_given_is_refused_or_stands_in_the_parameters(kind: Kind, delta: bool) -> None:
    """With a delta, which only its price depends on, a fifth of what a list may be asked."""
    arcs = replace(FACTS, delta_declared=delta)
    kept: set[tuple[str, Any]] = set()
    step = 5 if delta and kind == "priv_top_k" else 1
    for number, question in enumerate(itertools.islice(every_question(kind), 0, None, step)):
        facts = replace(arcs, directed=False) if question.get("metric") == "strength" else arcs
        try:
            parameters = plan(kind, question, facts).parameters
        except EdgeDPError:
            continue
        for name, value in question.items():
            if value is not None:
                assert parameters[name] == shown(name, value), question
                kept.add((name, str(value)))
        if number % 5 == 0 or number < 1_000:
            assert plan(kind, json.loads(json.dumps(parameters)), facts).parameters == parameters
    offered = {(each.name, str(value)) for each in undated(kind) for value in values_of(each)}
    needs_delta = {("mechanism", "nls"), ("mechanism", "lls")}  # of graphs in memory
    assert kept == offered - needs_delta, "a value that nothing takes was not tried"


@as_one
@pytest.mark.parametrize("kind", KINDS)
def test_windows_that_are_asked_for_are_refused_or_stand_in_the_parameters(kind: Kind) -> None:
    question = next(
        each
        for each in every_question(kind)
        if set(each.items()) >= {("metric", "degree"), ("mechanism", None)} or "metric" not in each
    )
    dated = replace(FACTS, calendar=calendar_of("2023-01-01", "P1M", within=3, dates="final"))
    plan(kind, question, dated)
    taken = set(DATED) & set(options_of(kind).names())
    for name, windows in (("window", "2024-06"), ("windows", "2024-01..2024-03")):
        if name not in taken:
            with pytest.raises(UnknownNameError):
                plan(kind, question | {name: windows}, dated)
            continue
        parameters = plan(kind, question | {name: windows}, dated).parameters
        assert parameters[name] == windows
        assert plan(kind, json.loads(json.dumps(parameters)), dated).parameters == parameters
        with pytest.raises(ParameterError, match="the graph has no calendar"):
            plan(kind, question | {name: windows}, FACTS)
    assert taken in (set(), set(DATED))


@dataclass(frozen=True, kw_only=True)
class _Purposeful(TopKOptions):
    """The options of the top k with one that no plan knows."""

    purpose: Annotated[str | None, About("What it is for.")] = None


@as_one
@pytest.mark.parametrize("metric", metric_names())
@pytest.mark.parametrize("mechanism", [None, "joint", "em", "pf", "ld", "sld"])
def test_a_new_option_that_a_plan_forgets_is_refused(
    metric: str, mechanism: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As somebody adds it who follows the recipe but for one of the plans."""
    if (metric, mechanism) == ("density", "joint"):
        return
    monkeypatch.setitem(OPTIONS, "priv_top_k", _Purposeful)  # type: ignore[arg-type]
    question = {"metric": metric, "k": 1, "epsilon": 1, "mechanism": mechanism}
    plan("priv_top_k", question, FACTS)
    with pytest.raises(ParameterError, match="purpose is not an option of priv_top_k"):
        plan("priv_top_k", question | {"purpose": "a paper"}, FACTS)


def test_a_graph_in_memory_drops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its counts take a delta, so they are planned on a way of their own."""
    graph = edgedp.Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    asked: dict[str, Any] = {"of": "triangles", "epsilon": 1, "delta": "1e-6"}
    for mechanism in ("nls", "lls", "smooth"):
        parameters = edgedp.count(graph, mechanism=mechanism, **asked).parameters  # type: ignore[arg-type]
        assert (parameters["mechanism"], parameters["delta"]) == (mechanism, "0.000001")
    parameters_of = plans.CountPlan.parameters.func  # type: ignore[attr-defined]
    forgetful = property(lambda self: {n: v for n, v in parameters_of(self).items() if n != "error_bar"})
    monkeypatch.setattr(plans.CountPlan, "parameters", forgetful)
    with pytest.raises(ParameterError, match="error_bar is not an option of count"):
        edgedp.count(graph, of="triangles", epsilon=1, error_bar=True)


# -- picks from plain arrays, whose tables are private and so are not shown --------------------------------

PICKS: dict[str, list[Any]] = {
    "sampler": ["exponential", "permute_and_flip"],
    "shift": ["up", "down"],
    "monotone": [True],
    "delta": ["1e-3"],
    "noise": ["exponential"],
    "global_sensitivity": [2],
    "sensitivity": [[1.0, 2.0]],
    "smooth": [0.25],
}
HIDDEN = {"sensitivity", "smooth", "noise"}
"""Tables may be private, and ``exponential`` is the one noise that there is."""
NEEDED_OF = {"sensitivity": {"ld", "sld", "snm"}, "smooth": {"snm"}, "noise": {"snm"}}


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_what_is_given_to_a_pick_is_refused_or_shown(mechanism: str) -> None:
    taken = 0
    for size in range(5):
        for names in itertools.combinations(PICKS, size):
            for values in itertools.product(*(PICKS[name] for name in names)):
                asked = dict(zip(names, values, strict=True))
                rng = np.random.default_rng(1)
                try:
                    parameters = edgedp.select(
                        [3.0, 1.0, 0.0], epsilon=1, mechanism=mechanism, rng=rng, **asked
                    ).parameters
                except EdgeDPError:
                    continue
                taken += 1
                for name, value in asked.items():
                    if name in HIDDEN:
                        assert mechanism in NEEDED_OF[name], asked
                    else:
                        assert parameters[name] == (float(value) if name == "delta" else value), asked
    assert taken > 1
