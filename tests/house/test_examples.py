"""The examples run, and what they say of themselves holds over all small inputs."""

from __future__ import annotations

import csv
import inspect
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dp_moet
import edgedp
import genetic_trees
import greedy_tree
import median_node
import private_id3
import random_forest
from edgedp.mechanisms import probabilities
from edgedp.mechanisms.sampling import geometric
from records import Records, encode, folds, read_csv, table_of

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"


def survey(n: int = 4000, seed: int = 2) -> dict[str, list[str]]:
    """Return binary columns like those of a survey of disabilities: a common cause, sixteen answers."""
    rng = np.random.default_rng(seed)
    cause = rng.random(n) < 0.45
    weights = np.linspace(0.35, 0.85, 16)
    answers = (rng.random((n, 16)) < np.where(cause[:, None], weights, 0.08)).astype(int)
    return {str(i): answers[:, i].astype(str).tolist() for i in range(16)}


def binary(columns: dict[str, Any], label: str = "15") -> Records:
    return encode(columns, {name: ["0", "1"] for name in columns}, label)


@pytest.fixture(scope="module")
def split() -> tuple[Records, Records]:
    return next(folds(binary(survey()), 4, np.random.default_rng(1)))


# -- they run --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 150


@pytest.mark.parametrize("name", ["greedy_tree", "private_id3", "random_forest", "dp_moet"])
def test_an_example_runs_on_a_file_as_its_page_says(name: str, tmp_path: Path) -> None:
    columns = survey(300)
    with (tmp_path / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([columns.keys(), *zip(*columns.values(), strict=True)])
    command = [sys.executable, EXAMPLES / f"{name}.py", "table.csv", "15", "0,1", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip()
    assert read_csv(tmp_path / "table.csv") == columns
    assert table_of([str(tmp_path / "table.csv"), "15", "0,1", "7"])[1] == ["7"]


def test_the_median_node_runs_as_its_page_says() -> None:
    command = [sys.executable, EXAMPLES / "median_node.py", "1", "2", "9", "10"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) in (0, 1, 2)


def test_an_example_runs_on_properties_of_a_graph_in_memory_and_stored(tmp_path: Path) -> None:
    """What the examples take is records; those of a stored graph are those that were loaded."""
    columns, n = survey(200), 200
    graph = edgedp.Graph.from_edges([(0, 1)], nodes=range(n), properties=columns)
    store = edgedp.open_store(tmp_path / "graphs.edgedp")
    store.load(graph, "survey")
    for held in (graph, store.graph("survey")):
        table = binary(dict(held.properties))
        assert np.array_equal(table.attributes, binary(columns).attributes)
        assert np.array_equal(table.labels, binary(columns).labels)
        assert isinstance(greedy_tree.grow(table, 1.0, 2), greedy_tree.Node)


def test_the_page_runs() -> None:
    text = (EXAMPLES.parent / "selection.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        exec(block, names)  # noqa: S102 -- our own page
    assert set(re.findall(r"examples/(\w+)\.py\)", text)) >= {"greedy_tree", "private_id3", "random_forest"}


def test_values_that_were_not_declared_are_values_too() -> None:
    table = encode({"a": ["0", "2", None], "b": ["1", "x", "0"]}, {"a": ["0", "1"], "b": ["0", "1"]}, "b")
    assert table.attributes[:, 0].tolist() == [0, 2, 3]
    assert table.labels.tolist() == [1, 0, 0]
    assert table.sizes == (4,)


def test_with_budget_enough_they_learn(split: tuple[Records, Records]) -> None:
    train, test = split
    rng = np.random.default_rng(4)
    guess = max(np.bincount(test.labels)) / len(test.labels)
    assert greedy_tree.accuracy(greedy_tree.grow(train, 50, 2, rng=rng), test) > guess + 0.03
    for mechanism in ("em", "ld", "sld"):
        tree = greedy_tree.grow(train, 50, 2, "information", mechanism, rng)
        assert greedy_tree.accuracy(tree, test) > guess + 0.03
        tree = private_id3.grow(train, 100, 2, mechanism, rng)
        assert greedy_tree.accuracy(tree, test) > guess + 0.03
    for score in ("counts", "majority"):
        assert random_forest.accuracy(random_forest.plant(train, 50, 8, 4, rng, score), test) > guess + 0.02
    for approach, sensitivity in product(("aggregate", "pareto"), ("local", "global")):
        (tree,) = dp_moet.evolve(train, 5000, 1, approach, sensitivity, 40, 3, 6, rng=rng)
        right = (genetic_trees.predict(tree, test.attributes) == test.labels).mean()
        assert right > (guess if (approach, sensitivity) != ("pareto", "global") else 0.4)
    assert genetic_trees.pruned((0, 0, (1, 0, 0, 1), 1), 1, rng)[2] in (0, 1)


# -- the budget of a tree, exactly -----------------------------------------------------------------------


class Script:
    """Answers of `edgedp.select` that are enumerated, with the probability of each way through."""

    def __init__(self) -> None:
        self.path: list[int] = []
        self.widths: list[int] = []
        self.chance = 1.0
        self.laws: dict[Any, np.ndarray] = {}

    def select(
        self, utilities: Any, *, epsilon: Any, candidates: Any = None, rng: Any = None, **options: Any
    ) -> Any:
        listed = tuple(np.asarray(utilities, dtype=float).tolist())
        key = (listed, epsilon, tuple(options.items()))
        if key not in self.laws:
            mechanism = options.pop("mechanism", "pf")
            self.laws[key] = probabilities(mechanism, listed, epsilon, **options)
        if len(self.widths) == len(self.path):
            self.path.append(0)
        choice = self.path[len(self.widths)]
        self.widths.append(len(listed))
        self.chance *= float(self.laws[key][choice])
        return SimpleNamespace(value=choice if candidates is None else candidates[choice])

    def ways(self, run: Any) -> Iterator[tuple[Any, float]]:
        self.path = []
        while True:
            self.widths, self.chance = [], 1.0
            yield run(), self.chance
            while self.path and self.path[-1] + 1 == self.widths[len(self.path) - 1]:
                self.path.pop()
            if not self.path:
                return
            self.path[-1] += 1


@pytest.mark.parametrize("depth", [0, 1])
def test_a_greedy_tree_keeps_its_budget_under_replacement(
    depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exact law of the whole tree, all inputs of two records of two attributes and a class."""
    script, epsilon = Script(), 1.5
    monkeypatch.setattr(edgedp, "select", script.select)
    kinds = list(product((0, 1), repeat=3))

    def law(rows: tuple[tuple[int, ...], ...]) -> dict[Any, float]:
        data = np.asarray(rows)
        table = Records(data[:, :2], (2, 2), data[:, 2], 2, len(rows))
        return dict(script.ways(lambda: greedy_tree.grow(table, epsilon, depth)))

    laws: dict[tuple[tuple[int, ...], ...], dict[Any, float]]
    laws = {rows: law(rows) for rows in combinations_with_replacement(kinds, 2)}
    worst = 0.0
    for (kept, gone), here in laws.items():
        assert sum(here.values()) == pytest.approx(1)
        for one, other in ((kept, gone), (gone, kept)):
            for new in kinds:
                there = laws[tuple(sorted((one, new)))]
                assert other in kinds
                worst = max(worst, max(abs(math.log(here[tree] / there[tree])) for tree in here))
    assert epsilon * 0.45 < worst <= epsilon * (1 + 1e-9)


def test_a_forest_leaf_keeps_its_budget_under_replacement() -> None:
    """A record that leaves a leaf for another, and one whose class changes within a leaf."""
    laws = {
        counts: probabilities("pf", counts, 0.75, global_sensitivity=1, monotone=True)
        for counts in product(range(5), repeat=2)
    }
    for (a, b), here in laws.items():
        for there in ((a + 1, b), (a, b + 1)):
            if there in laws:
                assert np.abs(np.log(here / laws[there])).max() <= 0.75 * (1 + 1e-9)
        if a and (a - 1, b + 1) in laws:
            assert np.abs(np.log(here / laws[a - 1, b + 1])).max() <= 1.5 * (1 + 1e-9)


def test_noisy_counts_of_id3_have_the_scale_of_one_record(monkeypatch: pytest.MonkeyPatch) -> None:
    scales = []
    real = geometric.two_sided_geometric

    def recording(n: int, scale: Any, words: Any) -> Any:
        scales.append(scale)
        return real(n, scale, words)

    monkeypatch.setattr(private_id3, "two_sided_geometric", recording)
    private_id3.grow(binary(survey(100)), 3.0, 2)
    assert {float(scale) for scale in scales} == {4.0}  # e' = 3 / (4 * 3)


# -- information gain and the max operator -----------------------------------------------------------------


@cache
def information(table: tuple[int, ...]) -> float:
    return greedy_tree.information(np.reshape(table, (2, 2)))


def tables(n: int) -> Iterator[tuple[int, ...]]:
    return (table for table in product(range(n + 1), repeat=4) if sum(table) == n)


def one_more(table: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for cell in range(4):
        yield (*table[:cell], table[cell] + 1, *table[cell + 1 :])


def test_the_sensitivity_of_the_information_gain_is_admissible() -> None:
    """All two by two tables of up to 7 records, one record more or less, no part above 7."""
    most = 7
    delta = {
        table: greedy_tree.information_sensitivity(np.reshape(table, (2, 2)), most)
        for n in range(most + 1)
        for table in tables(n)
    }
    for table, row in delta.items():
        assert (np.diff(row) >= 0).all()
        assert row[-1] == greedy_tree.growth(most - 1)
        for other in one_more(table):
            if other in delta:
                moved = abs(information(table) - information(other))
                assert moved <= min(row[0], delta[other][0]) + 1e-12
                assert (row[1:] >= delta[other][:-1] - 1e-12).all()
                assert (delta[other][1:] >= row[:-1] - 1e-12).all()


def test_the_extreme_numbers_gone_are_the_worst() -> None:
    """Only d = 0 and the largest d are looked at; here all are."""
    for a, b, t, most in product(range(9), range(9), range(9), (8, 12)):
        if b > a or a > most:
            continue
        row = greedy_tree.information_sensitivity(np.array([[b, a - b]]), most, t + 1)
        largest = 0.0
        for cell in (b, a - b):
            for d in range(min(t, cell) + 1):
                whole, part = min(a + t - 2 * d, most), cell - d
                largest = max(
                    largest, float(greedy_tree.growth(min(whole, most - 1)) - greedy_tree.growth(part))
                )
        if t < most:
            assert row[t] >= largest - 1e-12


def test_one_record_moves_the_max_operator_up_by_at_most_one() -> None:
    for n in range(6):
        for table in tables(n):
            value = greedy_tree.max_operator(np.reshape(table, (2, 2)))
            for other in one_more(table):
                assert 0 <= greedy_tree.max_operator(np.reshape(other, (2, 2))) - value <= 1


def test_the_published_cap_of_the_information_gain_is_not_admissible() -> None:
    """The empty table: after one record has come the next one moves it by 2; capped by what is there, by nothing."""
    assert information((1, 1, 0, 0)) - information((1, 0, 0, 0)) == -2
    assert greedy_tree.information_sensitivity(np.zeros((2, 2), dtype=int), 7)[1] >= 2


def test_the_argmax_of_the_max_operator_can_change_one_step_before_the_published_lemma_says() -> None:
    """Lemma 6.3 has sensitivity 0 before distance k, the gap; one record makes a tie of a gap of 1."""
    best, second = np.array([[2, 0], [0, 1]]), np.array([[1, 1], [1, 0]])
    gap = greedy_tree.max_operator(best) - greedy_tree.max_operator(second)
    assert gap == 1
    more_best, more_second = np.array([[2, 1], [0, 1]]), np.array([[1, 2], [1, 0]])
    assert greedy_tree.max_operator(more_best) == greedy_tree.max_operator(more_second)


def test_the_worked_example_of_two_attributes() -> None:
    """Golden: five records, Outlook and Wind, under replacement (GS = F(4))."""
    outlook, wind = np.array([[1, 2], [1, 1]]), np.array([[2, 1], [0, 2]])
    utilities = [greedy_tree.information(outlook), greedy_tree.information(wind)]
    assert np.allclose(utilities, [-4.755, -2.755], atol=5e-4)
    assert [greedy_tree.max_operator(outlook), greedy_tree.max_operator(wind)] == [3, 4]
    ceiling = float(greedy_tree.growth(4))
    table = [[2.755, 3.245, 3.610]] * 2
    assert ceiling == pytest.approx(3.610, abs=5e-4)
    law = probabilities("ld", utilities, 2, sensitivity=table)
    assert np.allclose(law, [0.351, 0.649], atol=5e-4)
    assert np.allclose(
        probabilities("em", utilities, 2, global_sensitivity=ceiling), [0.365, 0.635], atol=5e-4
    )
    assert np.allclose(probabilities("pf", [3, 4], 2, global_sensitivity=1), [0.184, 0.816], atol=5e-4)


# -- the median's label ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 4])
def test_the_sensitivity_of_the_median_node_is_exact_at_first_and_admissible(n: int) -> None:
    top, m = 3, (n + 1) // 2
    seen = {}
    for values in product(range(top + 1), repeat=n):
        array = np.asarray(values, dtype=float)
        seen[values] = (median_node.utilities(array, m), median_node.sensitivity(array, m, top))
    for values, (utilities, delta) in seen.items():
        moved = np.zeros(n)
        for place, value in product(range(n), range(top + 1)):
            others, far = seen[(*values[:place], value, *values[place + 1 :])]
            moved = np.maximum(moved, np.abs(utilities - others))
            steps = max(delta.shape[1], far.shape[1]) + 1
            ours, theirs = (np.pad(d, ((0, 0), (0, steps - d.shape[1])), mode="edge") for d in (delta, far))
            assert (ours[:, 1:] >= theirs[:, :-1]).all()
        assert np.array_equal(moved, delta[:, 0])


def test_the_worked_example_of_the_median_node() -> None:
    """Golden: x = 0, 0, 1 up to 4, the first: 3, then 4, where Algorithm 2 has 3."""
    delta = median_node.sensitivity(np.array([0.0, 0, 1]), 2, 4)
    assert delta[0].tolist() == [3, 4]


def test_gaps_need_not_be_looked_at() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        x = np.concatenate([np.zeros(8), np.sort(rng.random(7)), np.ones(8)])
        m = 8 + int(rng.integers(7))
        for t in range(6):
            gap = max(x[m + a] - x[m + a - t - 1] for a in range(t + 2))
            assert gap <= x[m + t + 1]


def test_the_published_lemma_on_percentiles_fails_off_the_median() -> None:
    """Lemma 5.3: 88 values below, 9 equal, 8 above, p = 90; j = 3 claims distance 7, the value changes at 4."""

    def value(above: int) -> int:
        n = 88 + 9 + above
        return int(np.repeat([0, 1, 2], [88, 9, above])[90 * n // 100 - 1])

    assert [value(8 + more) for more in range(5)] == [1, 1, 1, 1, 2]


# -- rates -------------------------------------------------------------------------------------------------


def test_the_sensitivity_of_a_rate_is_exact_under_replacement() -> None:
    """All numbers of a class among 6 records, and of those that are right."""
    n = 6
    states = [(p, tp, right) for p in range(n + 1) for tp in range(p + 1) for right in range(n - p + 1)]

    def rate(state: tuple[int, int, int]) -> float:
        return state[1] / state[0] if state[0] else 0.0

    def neighbors(state: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
        p, tp, other = state
        for out in ((-1, -1, 0), (-1, 0, 0), (0, 0, -1), (0, 0, 0)):
            for back in ((1, 1, 0), (1, 0, 0), (0, 0, 1), (0, 0, 0)):
                if (out == (0, 0, 0)) is (back == (0, 0, 0)) or (sum(out[:1]) == 0) or (sum(back[:1]) == 0):
                    new = tuple(s + o + b for s, o, b in zip((p, tp, other), out, back, strict=True))
                    if new in known:
                        yield new

    known = set(states)
    reached = dict.fromkeys(range(n + 1), 0.0)
    for state in states:
        delta = dp_moet.rate_sensitivity(state[0])
        for new in neighbors(state):
            if abs(new[0] - state[0]) > 1:
                continue
            moved = abs(rate(state) - rate(new))
            assert moved <= delta[0] + 1e-12
            reached[state[0]] = max(reached[state[0]], moved)
            later = dp_moet.rate_sensitivity(new[0])
            for t in range(n):
                assert delta[min(t + 1, len(delta) - 1)] >= later[min(t, len(later) - 1)]
    assert all(reached[p] == pytest.approx(dp_moet.rate_sensitivity(p)[0]) for p in range(1, n + 1))


def test_the_sensitivity_of_pareto_scores_is_admissible() -> None:
    """All inputs of three records: a class, and whether each of three trees is right about it."""
    kinds = list(product((0, 1), repeat=4))

    def profile(rows: tuple[tuple[int, ...], ...]) -> tuple[np.ndarray, np.ndarray]:
        data = np.asarray(rows)
        right, labels = data[:, 1:], data[:, 0]
        sides = [right[labels == label] for label in (1, 0)]
        rates = np.column_stack([side.sum(axis=0) / max(len(side), 1) for side in sides])
        deltas = [dp_moet.rate_sensitivity(len(side)) for side in sides]
        return dp_moet.pareto_scores(rates), dp_moet.pareto_sensitivity(rates, deltas)

    seen: dict[tuple[tuple[int, ...], ...], tuple[np.ndarray, np.ndarray]]
    seen = {rows: profile(rows) for rows in combinations_with_replacement(kinds, 3)}
    for rows, (scores, delta) in seen.items():
        for place, new in product(range(3), kinds):
            there, later = seen[tuple(sorted((*rows[:place], new, *rows[place + 1 :])))]
            assert (np.abs(scores - there) <= delta[:, 0]).all()
            for t in range(4):
                assert (
                    delta[:, min(t + 1, delta.shape[1] - 1)] >= later[:, min(t, later.shape[1] - 1)]
                ).all()


def test_a_generation_and_the_last_pick_share_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    real = edgedp.select_top_k

    def recording(*given: Any, **named: Any) -> Any:
        asked.append((named["epsilon"], named["k"]))
        return real(*given, **named)

    monkeypatch.setattr(edgedp, "select_top_k", recording)
    dp_moet.evolve(binary(survey(60)), 6.0, 2, population=12, generations=2, parents=4)
    assert asked == [(2.0, 4), (2.0, 4), (2.0, 2)]


def test_the_examples_ask_for_nothing_but_what_is_public() -> None:
    """Every draw of an example goes through the product's mechanisms: no example adds noise of its own."""
    for path in EXAMPLES.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not any(word in text for word in (".laplace(", ".gumbel(", ".exponential(", ".geometric("))
    assert inspect.getdoc(greedy_tree)
