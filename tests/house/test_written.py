"""Numbers as texts: one rule in every face."""

from __future__ import annotations

import re
from decimal import Context, Decimal, Inexact, Rounded, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import looped
from edgedp import Graph, open_store, read_graph
from edgedp.faces.cli import edgedp as command_line
from edgedp.faces.gateway.kinds import release_kinds
from edgedp.faces.gateway.pages.forms import options_in
from edgedp.graph.reading.options import checked_options
from edgedp.ledger.chain import Head
from edgedp.mechanisms.checks import part_of_one
from edgedp.mechanisms.selection.domains import declare
from edgedp.words.amounts.epsilon import budget_nano, epsilon_nano
from edgedp.words.amounts.rho import delta_atto
from edgedp.words.amounts.written import (
    bytes_of,
    decimal_of,
    fraction_of,
    shortest,
    strict_json,
    whole_of,
)
from edgedp.words.errors import EdgeDPError, ParameterError, StoreError, UnknownNameError

ODD = (
    "1_0", "1e5_0", "\u0663", "\uff11", "0.\u0665", " 1", "1 ", "1\n", "1 0", "\u00a01", "0x1", "infinity", "nan",
    "inf", "1,5", "1.2.3", "1e", "e5", ".", "+", "", "1e1e1", "--1", "1e99999999999", "1/3/5",
)  # fmt: skip


@looped.as_one
@pytest.mark.parametrize("text", ODD)
def test_no_text_of_another_kind_is_a_number(text: str) -> None:
    assert (decimal_of(text), fraction_of(text), whole_of(text)) == (None, None, None)
    for read in (epsilon_nano, budget_nano, delta_atto):
        with pytest.raises(ParameterError):
            read(text)
    assert part_of_one(text) is None


def test_fractions_have_no_other_digits_either() -> None:
    assert part_of_one("1/3") == Fraction(1, 3)
    for text in ("1_0/30", "1/3_0", "\u0661/3", "1 / 3", "1/3\n", "-1/-3"):
        assert part_of_one(text) is None


def test_an_exponent_costs_no_time() -> None:
    for text in ("1e-999999999", "1e999999999", Decimal("1e-999999999")):
        assert part_of_one(text) is None


def test_a_text_of_a_number_has_a_longest_one_and_a_fraction_a_largest_exponent() -> None:
    assert decimal_of(4000 * "1") == Decimal(4000 * "1")
    assert decimal_of(4001 * "1") is None
    assert fraction_of("1e8000") == 10**8000
    assert fraction_of("1e-8000") == Fraction(1, 10**8000)
    assert fraction_of("1e8001") is None
    assert fraction_of("1e-8001") is None
    assert fraction_of(float("inf")) is None
    assert fraction_of("3/0") is None
    assert fraction_of("3/4") == fraction_of(0.75) == fraction_of(Fraction(3, 4)) == Fraction(3, 4)
    assert fraction_of(b"1") is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1kB", 1000), ("1 KiB", 1024), ("2.5MB", 2_500_000), ("1.5 mib", 3 << 19), ("3 GB", 3 * 10**9),
        ("2TiB", 2 << 40), (" 7TB ", 7 * 10**12), ("4096", 4096), (4096, 4096), (1, 1), ("1", 1),
    ],
)  # fmt: skip
def test_an_amount_of_memory_is_what_its_unit_says(text: Any, found: int) -> None:
    assert bytes_of(text) == found


@pytest.mark.parametrize("text", ["0", 0, -1, "0GB", "GB", "1XB", "1.2345GB", "1e3", True, None, 1.5, ""])
def test_what_is_no_amount_of_memory_is_refused(text: Any) -> None:
    with pytest.raises(ParameterError, match=r"^memory is .*; give one$"):
        bytes_of(text)


def test_a_fraction_is_shown_as_a_float_where_that_is_exact() -> None:
    assert shortest(Fraction(9, 10)) == 0.9
    assert shortest(Fraction(1, 3)) == "1/3"
    assert shortest(Fraction(10**17 + 1)) == "100000000000000001"


@pytest.mark.parametrize(
    ("text", "nano"),
    [("1", 10**9), ("0.5", 5 * 10**8), (".5", 5 * 10**8), ("1.", 10**9), ("+1e-1", 10**8), ("1E1", 10**10)],
)
def test_what_is_a_number_stays_one(text: str, nano: int) -> None:
    assert epsilon_nano(text) == nano


def test_the_pattern_of_openapi_is_the_rule() -> None:
    (pattern,) = {
        each["pattern"]
        for kind in release_kinds()
        for each in kind.schema()["properties"].get("epsilon", {}).get("anyOf", ())
        if "pattern" in each
    }
    texts = [*ODD, "1", "+1", "0.5", ".5", "5.", "1e3", "1e-3", "1E+3"]
    for text in texts:
        assert (re.search(pattern.replace("$", r"\Z"), text) is not None) == (decimal_of(text) is not None), (
            text
        )


@pytest.mark.parametrize(
    "words",
    [
        ("topk", "kite", "--metric", "degree", "-k", "{}", "--epsilon", "1"),
        ("topk", "kite", "--metric", "degree", "-k", "1", "--epsilon", "{}"),
        ("count", "kite", "--of", "stars", "--star-size", "{}", "--epsilon", "1"),
        ("budget", "kite", "--set", "{}"),
        ("exact", "values", "kite", "--metric", "degree", "--top", "{}"),
        ("serve", "--port", "{}"),
        ("serve", "--request-seconds", "{}"),
        ("attribute", "kite", "--property", "age", "--low", "{}", "--high", "90"),
        ("attribute", "kite", "--property", "age", "--low", "0", "--high", "90", "--points", "{}"),
    ],
)
def test_the_command_line_takes_no_other_digits(words: tuple[str, ...], tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    with open_store(store) as opened:
        opened.load(Graph.from_edges([(1, 2), (2, 3)]), "kite", epsilon_budget=100)
        for odd in ("1_0", "\u0663"):
            done = CliRunner().invoke(command_line, ["--store", store, *(word.format(odd) for word in words)])
            assert done.exit_code != 0, done.output
        assert opened.budget("kite")["epsilon_spent"] == 0


def test_a_form_takes_no_other_digits() -> None:
    kind = next(each for each in release_kinds() if each.path == "top-k")
    for odd in ("1_0", "\u0663"):
        with pytest.raises(ParameterError, match="must be a number"):
            options_in(kind, {"k": [odd]})


def test_columns_grids_and_files_take_no_other_digits(tmp_path: Path) -> None:
    assert (
        checked_options(source="\u0661", target="b").source == "\u0661"
    )  # the name of a column, which no number turns into
    with pytest.raises(ParameterError):
        declare(0, 100, ["1_0", "20"])
    with pytest.raises(ParameterError):
        declare(0, 100, np.array(["10", "20"]))
    with pytest.raises(ParameterError):
        Head.parse("\u0663:" + "ab" * 32)
    file = tmp_path / "eleven.graph"
    file.write_text("11 1\n1_1\n" + "\n" * 9 + "1\n")
    with pytest.raises(EdgeDPError, match="not an integer"):
        read_graph(file)


@pytest.mark.parametrize("kind", [ParameterError, StoreError, UnknownNameError])
def test_a_message_repeats_no_long_value(kind: Any) -> None:
    long = "x" * 10**6
    for message in (
        f"k is {long!r}, must be whole; ask",
        f"the graph {long!r} is not there",
        f"k is {long}, must not be",
    ):
        assert len(str(kind(message))) <= 300
    with pytest.raises(ParameterError) as refused:
        epsilon_nano("9" * 10_000)
    assert len(str(refused.value)) < 300


def test_json_has_no_key_twice_and_no_number_without_end() -> None:
    """Of two epsilons of one question it must not be left to the reader which one is meant."""
    assert strict_json('{"epsilon": 1, "k": [2.5, null], "of": {"epsilon": "3"}}') == {
        "epsilon": 1, "k": [2.5, None], "of": {"epsilon": "3"}
    }  # fmt: skip
    for odd in ('{"a": 1, "a": 1}', '{"b": {"a": 1, "a": 2}}', "[NaN]", "Infinity", '{"a": -Infinity}', "{"):
        with pytest.raises(ValueError, match=r".*"):
            strict_json(odd)


ROUGH = Context(prec=1, Emax=9, Emin=-9, traps=[Inexact, Rounded])
"""A caller's decimals: every sum of two digits would be rounded, and is refused."""


def test_the_decimals_of_the_caller_round_nothing(tmp_path: Path) -> None:
    """Neither what is declared and spent, nor what a release says of itself, nor what is refused."""
    graph = Graph.from_edges([(a, b) for a in range(9) for b in range(a + 1, 9)])

    def life(folder: Path) -> list[Any]:
        with open_store(folder) as store:
            limits = {"max_epsilon_per_release": "1.234567891", "delta": "0.000012345"}
            store.load(graph, name="kite", epsilon_budget="12.345678912", **limits)
            asked = {"metric": "ebc", "k": 2, "epsilon": "0.123456789"}
            told: list[Any] = [store.estimate("kite", "priv_top_k", **asked)]
            store.priv_top_k("kite", **asked, mechanism="sld")
            bar = store.count("kite", of="triangles", epsilon=0.7654321, error_bar=True)
            told += [bar.plan.parameters, (bar.receipt or {}) | {"release_id": ""}, store.budget("kite")]
            told += [row["parameters"] | {"paid": row["epsilon"]} for row in store.releases("kite")]
            with pytest.raises(EdgeDPError) as refused:
                store.priv_top_k("kite", **asked | {"epsilon": "1.234567892"})
        return [
            told,
            str(refused.value),
            bytes_of("1.55 GiB"),
            fraction_of("0.123"),
            shortest(Fraction(9, 80)),
        ]

    expected = life(tmp_path / "smooth")
    with localcontext(ROUGH):
        assert life(tmp_path / "rough") == expected
