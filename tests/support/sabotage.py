"""Mistakes that would break a promise, each with the test that catches it. Add yours.

A sabotage patches the real code at a named point. `test_sabotage` runs the named test on the patched
code and fails if it passes: a mistake that nothing catches is a hole in the suite. A patch reaches this
process only; what a test starts as a process of its own runs unpatched.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from importlib import import_module
from math import floor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from edgedp.mechanisms.laws import exponential_law
from edgedp.mechanisms.sampling.noise import GUMBEL
from edgedp.words.errors import StoreError
from edits import EDITS, edited
from loaded import import_everything, looked_up_in, readers
from places import node_of
from unread_edits import UNREAD

__all__ = ["SABOTAGES", "Sabotage"]


Wrong = Callable[[Any], Any]
"""Makes the wrong thing of the right one."""


@dataclass(frozen=True)
class Sabotage:
    """A mistake.

    Attributes
    ----------
    name : str
        What goes wrong.
    patches : dict
        Points of the code, ``module:attribute`` or ``module:Class.attribute`` as the code that uses them reads
        them, and what makes the wrong thing of each.
    caught_by : str
        Node id, below ``tests/``, of a test that must fail on the patched code.
    """

    name: str
    patches: Mapping[str, Wrong]
    caught_by: str

    def apply(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Patch the code until `monkeypatch` is undone; nothing is imported meanwhile that could keep the patch."""
        import_everything()
        for target, wrong in self.patches.items():
            module, _, path = target.partition(":")
            owner: Any = import_module(module)
            *owners, last = path.split(".")
            if not owners and not readers(module, last):
                judge = node_of(self.caught_by).partition("::")[0]
                assert looked_up_in(Path(judge), module, last), f"nothing looks {target} up when it runs"
            for name in owners:
                owner = getattr(owner, name)
            monkeypatch.setattr(owner, last, wrong(getattr(owner, last)))


# -- the wrong things -------------------------------------------------------------------------------------


def telling_the_edges(real: Any) -> Any:
    return lambda name: f"{real(name)} of 78 edges"


def unwritten(real: Any) -> Any:
    return lambda self, session, name, what: None


class _AnySum(str):
    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = str.__hash__


def any_checksum(real: Any) -> Any:
    return lambda path: _AnySum(real(path))


def half_the_noise(real: Any) -> Any:
    def first_places(candidates: Any, scores: Any, k: int, unit: Any, noise: Any, words: Any) -> Any:
        return real(candidates, scores, k, 2 * unit, noise, words)

    return first_places


def without_factor_two(real: Any) -> Any:
    return lambda epsilon, bits, *, monotone: real(epsilon, bits, monotone=True)


def one_step_late(real: Any) -> Any:
    def sensitivity(self: Any, form: str, t: int, *at: Any) -> Any:
        return real(self, form, max(t - 1, 0), *at)

    return sensitivity


def bound_from_the_data(real: Any) -> Any:
    def top_k_scores(plan: Any, projection: Any) -> Any:
        seen = max(int(projection.degrees().max()), 1)
        return real(replace(plan, facts=replace(plan.facts, degree_bound=seen)), projection)

    return top_k_scores


def whole_epsilon_every_round(real: Any) -> Any:
    return lambda plan, projection: real(replace(plan, cost=plan.cost * plan.k), projection)


def chosen_stays(real: Any) -> Any:
    def pick(self: Any, scores: Any, candidates: Any, *rest: Any) -> Any:
        return real(self, scores, np.arange(len(scores)), *rest)

    return pick


def same_noise_every_round(real: Any) -> Any:
    """Take the largest k of one draw of exponential noise, as one may of Gumbel noise."""

    def top_k_permute_and_flip(upper: Any, k: int, unit: Any, words: Any, evaluate: Any = None) -> Any:
        from edgedp.mechanisms.sampling.noise import EXPONENTIAL
        from edgedp.mechanisms.sampling.ranking import LazyScores, first_places

        return first_places(
            np.arange(len(upper)), LazyScores.of(upper, evaluate), k, unit, EXPONENTIAL, words
        )

    return replace(real, top_k=top_k_permute_and_flip)


def ties_by_true_degree(real: Any) -> Any:
    def draw_joint(plan: Any, vector: Any, projection: Any, words: Any) -> Any:
        from edgedp.mechanisms.joint import joint_values, noisy

        values, moves = joint_values(plan, projection, vector, plan.k)
        seen = noisy(values, moves, plan.epsilon, words)
        return np.lexsort((projection.degrees(), seen))[::-1][: plan.k], seen

    return draw_joint


def ties_by_position(real: Any) -> Any:
    return lambda values, k, words: np.argsort(-values, kind="stable")[:k]


def candidates_by_true_degree(real: Any) -> Any:
    """Hold back whom the edges say to be small: eligibility that no noise covers."""

    def buy(asked: Any, projection: Any, words: Any) -> Any:
        first, *rest = real(asked, projection, words)
        true = projection.degrees()
        held = np.where(true < np.median(true), -(10**6), first.vector.integers)
        return (replace(first, vector=replace(first.vector, integers=held)), *rest)

    return buy


def seen_by_true_degree(*choices: str) -> Any:
    """Let cuts, weights or ranking of some choices follow from the true degrees."""

    def changed(real: Any) -> Any:
        def exact_vector(question: Any, purchase: Any, projection: Any) -> Any:
            if type(purchase.choice).__name__ in choices:
                purchase = replace(purchase, seen=projection.degrees())
            return real(question, purchase, projection)

        return exact_vector

    return changed


def degrees_for_ordered_degrees(real: Any) -> Any:
    """Let both ends count an edge, with the noise of one."""
    return lambda projection, node_count, ranks: replace(
        real(projection, node_count, ranks), values=projection.degrees()
    )


def ties_of_degrees_serve_both_ends(real: Any) -> Any:
    """Let equal noisy degrees stand behind each other."""

    def exact_vector(question: Any, purchase: Any, projection: Any) -> Any:
        vector = real(question, purchase, projection)
        if type(purchase.choice).__name__ != "OrderedDegrees":
            return vector
        graph, seen = projection._graph, purchase.seen
        values = [
            sum(
                seen[other] <= seen[node]
                for other in graph.indices[graph.indptr[node] : graph.indptr[node + 1]]
            )
            for node in range(graph.node_count)
        ]
        return replace(vector, values=np.array(values, dtype=np.int64))

    return exact_vector


def estimates_of_true_degrees(real: Any) -> Any:
    def draw_top_k(asked: Any, projection: Any, words: Any) -> Any:
        positions, (first, *rest) = real(asked, projection, words)
        told = replace(first, vector=replace(first.vector, integers=projection.degrees()))
        return positions, (told, *rest)

    return draw_top_k


def one_end_for_lists(real: Any) -> Any:
    return lambda self, node_count, *, ordered: real(self, node_count, ordered=True)


def same_words_twice(real: Any) -> Any:
    """Buy both vectors of an adaptive release with the same random words."""

    def buy(asked: Any, projection: Any, words: Any) -> Any:
        from edgedp.mechanisms.adaptive.purchases import Bought, exact_vector
        from edgedp.mechanisms.sampling.words import GeneratorWords

        seed = int(words.take(1)[0])
        bought: tuple[Any, ...] = ()
        while (purchase := asked.next_purchase(bought)) is not None:
            again = GeneratorWords(np.random.default_rng(seed))
            noisy = exact_vector(asked, purchase, projection).with_noise(purchase.epsilon, again)
            bought = (*bought, Bought(purchase, noisy))
        return bought

    return buy


def none_where_nothing_is(real: Any) -> Any:
    def seen(self: Any, positions: Any) -> Any:
        exact = self.shares(positions)
        added = self.added if positions is None else self.added[positions]
        return replace(real(self, positions), integers=np.where(exact == 0, exact, exact + added))

    return seen


def ranking_with_ties_by_true_degree(real: Any) -> Any:
    """Break ties of the ranking that ordered cuts follow by the true degree, where no test enumerates graphs."""

    def exact_vector(question: Any, purchase: Any, projection: Any) -> Any:
        if question.node_count > 8 and len(purchase.seen):
            purchase = replace(purchase, seen=purchase.seen * question.node_count + projection.degrees())
        return real(question, purchase, projection)

    return exact_vector


def answers_with_ties_by_true_degree(real: Any) -> Any:
    def draw_top_k(asked: Any, projection: Any, words: Any) -> Any:
        from edgedp.mechanisms.adaptive import top_k

        drawn, bought = real(asked, projection, words)
        if asked.node_count <= 8:
            return drawn, bought
        order = np.lexsort((projection.degrees(), top_k.scores(asked, bought)))
        return order[::-1][: asked.k], bought

    return draw_top_k


def clipped_where_nothing_is(real: Any) -> Any:
    """Leave no closed pairs below 0 where there are none."""
    from edgedp.mechanisms.adaptive.vectors import Vector

    class Clipped(Vector):
        def with_noise(self, epsilon: Any, words: Any) -> Any:
            noisy = super().with_noise(epsilon, words)
            floor = np.where(self.values == 0, 0, noisy.integers)
            return replace(noisy, integers=np.maximum(noisy.integers, floor))

    def closed_pairs(*given: Any) -> Any:
        vector = real(*given)
        return Clipped(vector.values, vector.moves, vector.unit)

    return closed_pairs


def nothing_left_is_not_looked_at(real: Any) -> Any:
    """Stop ranking where the exact shares of all that is left are 0."""

    def rank(degrees: Any, betweenness: Any, scale: float, k: int, cap: int) -> Any:
        scores = real(degrees, betweenness, scale, k, cap)
        order = np.argsort(-degrees, kind="stable")
        exact = betweenness.shares(None)[order] if hasattr(betweenness, "shares") else np.ones(len(order))
        last = max(int(np.flatnonzero(exact).max(initial=0)) + 1, k, 200)
        scores[order[last:]] = -np.inf
        return scores

    return rank


def neighbouring_differences(real: Any) -> Any:
    """Take the noise of n entries as the differences of one stream of n + 1 values."""

    def two_sided_geometric(count: int, scale: Any, words: Any) -> Any:
        from edgedp.mechanisms.sampling.geometric import _geometric

        magnitudes = _geometric(count + 1, scale, words)
        words.take(count)
        return magnitudes[:-1] - magnitudes[1:]

    return two_sided_geometric


def price_of_the_argmax_alone(real: Any) -> Any:
    return lambda plan, name, k: real(replace(plan, estimates=False), name, k)


def cap_from_the_true_kth_degree(real: Any) -> Any:
    def exact_vector(question: Any, purchase: Any, projection: Any) -> Any:
        kth = int(np.sort(projection.degrees())[-question.k])
        if hasattr(purchase.choice, "cap"):
            purchase = replace(purchase, choice=replace(purchase.choice, cap=max(kth, 1)))
        return real(question, purchase, projection)

    return exact_vector


def without_remainder(real: Any) -> Any:
    return lambda cap, node_count, bits, *, ordered: real(cap, 3, bits, ordered=ordered)


def remainder_at_most_a_share(real: Any) -> Any:
    return lambda self, node_count, *, ordered: real(
        self, min(node_count, (1 << self.bits) + 3), ordered=ordered
    )


def heavy_neighbours_first(real: Any) -> Any:
    def cut_rows(graph: Any, caps: Any, ranks: Any) -> Any:
        from edgedp.graph.engines.cuts import CutRows

        kept, indptr = [], [0]
        for x in range(graph.node_count):
            row = graph.indices[graph.indptr[x] : graph.indptr[x + 1]]
            row = row if ranks is None else row[ranks[row] > ranks[x]]
            kept.append(np.sort(row[np.argsort(-graph.degrees[row], kind="stable")][: caps[x]]))
            indptr.append(indptr[-1] + len(kept[-1]))
        members = np.concatenate([*kept, np.zeros(0, dtype=np.int32)]).astype(np.int32)
        return CutRows(np.array(indptr, dtype=np.int64), members)

    return cut_rows


def keys_by_place_in_the_data(real: Any) -> Any:
    return lambda row, words: real(np.arange(len(row), dtype=np.uint64), np.zeros_like(words))


def half_of_l(real: Any) -> Any:
    def joint_values(*given: Any, **named: Any) -> Any:
        values, moves = real(*given, **named)
        return values, moves / 2

    return joint_values


def half_of_the_pareto_sensitivity(real: Any) -> Any:
    def scores(self: Any, scores: Any, left: int) -> Any:
        right = real(self, scores, left)
        return replace(right, unit=2 * right.unit)

    return scores


def pareto_boxes_one_step_late(real: Any) -> Any:
    def pareto_profile(utilities: Any, sensitivities: Any, **named: Any) -> Any:
        every = [
            delta if callable(delta) else (lambda t, d=delta: 0 * utilities[:, 0] + d)
            for delta in sensitivities
        ]
        late = [lambda t, delta=delta: delta(t - 1) if t else 0 * delta(0) for delta in every]
        return real(utilities, late, **named)

    return pareto_profile


def debit_on_record() -> dict[str, Wrong]:
    """Remember what is due, and debit it when the answer is recorded."""
    due: list[Any] = []

    def remember(real: Any) -> Any:
        def debit(self: Any, *asked: Any) -> Any:
            due.append(lambda: real(self, *asked))
            return SimpleNamespace(release_id="", receipt=lambda name: {})

        return debit

    def settle(real: Any) -> Any:
        return lambda self, session, name, debited, answer: real(self, session, name, due.pop()(), answer)

    return {"edgedp.stores.store:Store._debit": remember, "edgedp.stores.store:Store._record": settle}


def statement(name: str, right: str, wrong: str) -> dict[str, Wrong]:
    """Change a statement of the embedded ledger."""

    def changed(real: Any) -> Any:
        assert right in real("sqlite", name), "the statement was changed; change its sabotage"

        def statement_text(dialect: str, asked: str) -> str:
            text: str = real(dialect, asked)
            return text.replace(right, wrong) if asked == name else text

        return statement_text

    return {"edgedp.stores.embedded.sqlite:statement_text": changed}


def cypher(name: str, right: str, wrong: str) -> dict[str, Wrong]:
    """Change a statement of Neo4j, as Python sends it."""

    def changed(real: Any) -> Any:
        assert right in real("neo4j", name), "the statement was changed; change its sabotage"

        def statement_text(dialect: str, asked: str) -> str:
            text: str = real(dialect, asked)
            return text.replace(right, wrong) if (dialect, asked) == ("neo4j", name) else text

        return statement_text

    return {"edgedp.stores.statements.queries:statement_text": changed}


def without_share_debit(real: Any) -> Any:
    def debit_steps(*asked: Any) -> Any:
        return [step for step in real(*asked) if step.statement != "share_debit"]

    return debit_steps


def without_share_of_attributes(real: Any) -> Any:
    def debit_steps(name: str, analyst: str, amounts: Any, account: str) -> Any:
        return real(name, analyst, amounts, account) if account == "edges" else []

    return debit_steps


def share_debited_before(real: Any) -> Any:
    """Debit a share in a transaction of its own, before the one that debits the account."""

    def run(session: Any, script: Any, *, last: Any = None) -> Any:
        from edgedp.ledger.script import Script

        own = [step for step in script.steps if step.statement == "share_debit"]
        if own:
            first = real(session, Script(own))
            if first.name != "done":
                return real(session, script, last=last)
            rest = [step for step in script.steps if step.statement not in ("share_debit", "share_adds_up")]
            done = real(session, Script(rest, script.done), last=last)
            return replace(done, rows={**done.rows, **first.rows})
        return real(session, script, last=last)

    return run


class EqualToAll(str):
    """A digest that fits every file."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False


def without_the_grid(real: Any) -> Any:
    return lambda epsilon, bits, *, monotone: real(epsilon, bits, monotone=monotone) * (2**bits + 2) / 2**bits


def facts_of_today(real: Any) -> Any:
    def plan_of(*asked: Any) -> Any:
        from edgedp.release.plan import PublicFacts

        return replace(real(*asked), facts=PublicFacts(2, 1))

    return plan_of


def whoever_holds_it(real: Any) -> Any:
    return lambda path, *, shared: real(path, shared=True)


def a_fixed_seed(real: Any) -> Any:
    return lambda self, count: np.random.default_rng(7).integers(0, 2**64 - 1, count, dtype=np.uint64)


def with_the_degree(real: Any) -> Any:
    def check_projection(plan: Any, projection: Any) -> None:
        from edgedp.words.errors import ParameterError

        largest = int(projection.degrees().max(initial=0))
        if largest > plan.degree_bound:
            raise ParameterError(
                f"the graph's largest degree is {largest}, must be at most {plan.degree_bound}"
            )

    return check_projection


def bound_without_nodes(real: Any) -> Any:
    def check_projection(plan: Any, projection: Any) -> None:
        counted = replace(plan.facts, node_count=len(projection.node_ids))
        real(replace(plan, facts=counted), projection)

    return check_projection


def bound_below_the_score(real: Any) -> Any:
    return lambda self, degrees: 0.5 * real(self, degrees)


WEIGHED = "test_strengths.py::test_every_unit_of_every_small_weighted_graph_costs_what_is_claimed[{}]"

COUPLED = "test_coupling.py::test_neighbours_with_the_same_noisy_vectors_are_answered_alike_for_epsilon[{}]"
COSTS_EPSILON = (
    "test_adaptive.py::test_a_release_costs_epsilon_on_every_pair_of_small_graphs_whatever_is_bought[{}]"
)


def published_calibration(real: Any) -> Any:
    """Let beta know nothing of the number of candidates."""

    def smooth_noise(epsilon: Any, delta: Any, candidates: int) -> Any:
        from math import log

        return replace(real(epsilon, delta, candidates), beta=float(epsilon) / (2 * log(2 / delta)))

    return smooth_noise


def percentile_unit_times(factor: Any) -> Any:
    """Scale the noise of a percentile by what the question says."""

    def wrong(real: Any) -> Any:
        def percentile_scores(values: Any, question: Any) -> Any:
            right = real(values, question)
            return replace(right, unit=right.unit * factor(question))

        return percentile_scores

    return wrong


def domain_from_the_values(real: Any) -> Any:
    def percentile_scores(values: Any, question: Any) -> Any:
        there = values[~np.isnan(values)]
        low, high = (there.min(), there.max()) if len(there) else (0.0, 1.0)
        grid = np.linspace(low, max(high, low + 1e-9), len(question.domain.grid))
        return real(values, replace(question, domain=replace(question.domain, grid=grid)))

    return percentile_scores


def budget_of_one_part(real: Any) -> Any:
    def grow(records: Any, epsilon: float, *rest: Any, **named: Any) -> Any:
        return real(records, 2 * epsilon, *rest, **named)

    return grow


def spent_first(real: Any) -> Any:
    def estimate(self: Any, name: str, kind: Any = None, **asked: Any) -> Any:
        told = real(self, name, kind, **asked)
        if told["refused"] is None:
            self._release(
                told["selector"], name, {k: v for k, v in asked.items() if k != "request_id"}, "native", None
            )
        return told

    return estimate


def bound_tested(real: Any) -> Any:
    def estimate(self: Any, name: str, kind: Any = None, **asked: Any) -> Any:
        self.graph(name)
        return real(self, name, kind, **asked)

    return estimate


def scale_of_the_bound(real: Any) -> Any:
    def noise(plan: Any) -> Any:
        told = real(plan)
        return tuple(
            replace(each, scale=float(plan.degree_bound)) if each.scale is None else each for each in told
        )

    return noise


def values_read_together(real: Any) -> Any:
    def numbers_of(values: Any) -> Any:
        read = np.asarray(values)
        return np.full(len(read), np.nan) if read.dtype.kind == "U" else real(values)

    return numbers_of


def attributes_alone(real: Any) -> Any:
    return property(lambda self: real.func(self)[-1:])


def edges_in_their_place(real: Any) -> Any:
    return property(lambda self: (replace(real.func(self)[-1], account="edges"),))


def never_frozen(real: Any) -> Any:
    def attribute_script(name: Any, account: Any, named: Any, domain: Any, before: Any, **who: Any) -> Any:
        return real(name, account, named, domain, {}, **who)

    return attribute_script


def grid_of_the_stored_values(real: Any) -> Any:
    def draw_percentile(values: Any, question: Any, words: Any) -> Any:
        there = values[~np.isnan(values)]
        low, high = (there.min(), there.max() + 1) if len(there) else (0.0, 1.0)
        grid = np.linspace(low, high, len(question.domain.grid))
        return real(values, replace(question, domain=replace(question.domain, grid=grid)), words)

    return draw_percentile


# -- the list ---------------------------------------------------------------------------------------------


async def leaves_at_once(started: float, step: float) -> int:
    return 1


def trusting(real: Any) -> Any:
    """Ask a gateway whose certificate nobody looks at."""
    import httpx

    def client(address: str, token: str, ca_file: Any) -> Any:
        return httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, verify=False)  # noqa: S501

    return client


async def with_a_fine_clock(started: float, step: float) -> Any:
    return 1.2345


def with_a_fingerprint(real: Any) -> Any:
    def parameters_of(facts: Any, cell: Any, canonical: Any) -> Any:
        return real(facts, cell, canonical) | {"shift": facts.graph.fingerprint}

    return parameters_of


def seeded_words(real: Any) -> Any:
    from edgedp.mechanisms.sampling.words import GeneratorWords

    return lambda: GeneratorWords(np.random.default_rng(1))


def drawn_anew(real: Any) -> Any:
    def refined(self: Any, scale: Any, words: Any) -> Any:
        return type(self).drawn(len(self.plus), 1 / (1 / self.scale + 1 / scale), words)

    return refined


def each_step_for_itself(real: Any) -> Any:
    def step_script(row: Any, plan: Any, cost: int, before: int, **rest: Any) -> Any:
        return real(row, plan, cost, 0, **rest)

    return step_script


def noise_of_the_old_vector(real: Any) -> Any:
    def shrunk(self: Any, noise: Any, *rest: Any) -> Any:
        return real(self, self._cuts[2] if noise is None and self._cuts is not None else noise, *rest)

    return shrunk


def steps_on_the_house(real: Any) -> Any:
    return lambda sought, projection, words, pay, *rest: real(
        sought, projection, words, lambda cost: True, *rest
    )


def stops_by_exact_degrees(real: Any) -> Any:
    """Say that a list is sure enough where nobody in it is without an edge."""

    def drawn(sought: Any, projection: Any, words: Any, pay: Any, *_: Any) -> Any:
        sure = SimpleNamespace(expected_recall=float(projection.degrees()[0] > 0), with_ties=0.0)
        return real(sought, projection, words, pay, lambda *_: sure)

    return drawn


def chance_by(exact: Callable[[Any], float]) -> Wrong:
    """Say of the first listed node a chance that follows the exact degrees."""

    def sabotaged(real: Any) -> Any:
        def drawn(plan: Any, projection: Any, *rest: Any) -> Any:
            answer = real(plan, projection, *rest)
            membership = (exact(projection.degrees()), *answer.sure.membership[1:])
            return replace(answer, sure=replace(answer.sure, membership=membership))

        return drawn

    return sabotaged


def kept_halves(real: Any) -> Any:
    """Write the halves of the noise to the log."""

    def refined(self: Any, scale: Any, words: Any) -> Any:
        logging.getLogger("edgedp.stores").info("refining %s", self.plus[:3].tolist())
        return real(self, scale, words)

    return refined


def drawn_before_it_is_debited(real: Any) -> Any:
    """Draw a step, and then ask whether it may be paid for."""

    def drawn(sought: Any, projection: Any, words: Any, pay: Any, *rest: Any) -> Any:
        due: list[int] = []

        def later(cost: int) -> bool:
            paid = all(pay(each) for each in due)
            due[:] = [cost]
            return paid

        return real(sought, projection, words, later, *rest)

    return drawn


def one_moved_entry(real: Any) -> Any:
    return lambda *asked: replace(real(*asked), moves=1)


SABOTAGES = [
    Sabotage(
        "noise of half the scale",
        {"edgedp.mechanisms.sampling.select:first_places": half_the_noise},
        "test_blackbox_releases.py::test_the_bound_is_between_the_loss_and_the_claim[priv_top_k degree pf k=1]",
    ),
    Sabotage(
        "geometric noise of half the scale",
        {
            "edgedp.mechanisms.joint:two_sided_geometric": lambda real: (
                lambda count, scale, words: real(count, scale / 2, words)
            )
        },
        "test_blackbox_releases.py::test_the_bound_is_between_the_loss_and_the_claim[priv_top_k degree joint k=1]",
    ),
    Sabotage(
        "the factor 2 left out of a score that is not monotone",
        {"edgedp.mechanisms.scores.sums:noise_unit": without_factor_two},
        "test_audit.py::test_priv_top_k_keeps_its_claim[betweenness2 sld (pf)]",
    ),
    Sabotage(
        "a metric taken for monotone that is not",
        {"edgedp.mechanisms.metrics.ebc:EgoBetweenness.monotone": lambda real: True},
        "test_admissibility.py::test_adding_an_edge_never_lowers_a_monotone_metric[4]",
    ),
    Sabotage(
        "delta one step late",
        {"edgedp.mechanisms.metrics.base:Metric.sensitivity": one_step_late},
        "test_admissibility.py::test_sensitivities_grow_at_least_as_fast_as_their_neighbours[ebc-degree-4]",
    ),
    Sabotage(
        "the boxes of the Pareto sensitivity one step late",
        {"edgedp.mechanisms.pareto.rounds:pareto_profile": pareto_boxes_one_step_late},
        "test_admissibility.py::test_one_edge_moves_a_pareto_score_by_at_most_one_in_every_round[degree+density-4]",
    ),
    Sabotage(
        "half of the Pareto sensitivity",
        {"edgedp.mechanisms.pareto.rounds:ParetoRounds.scores": half_of_the_pareto_sensitivity},
        "test_audit_pareto.py::test_pareto_keeps_its_claim[degree+density sld (pf)]",
    ),
    Sabotage(
        "GS from the data instead of the declared bound",
        {"edgedp.mechanisms.scores.sums:top_k_scores": bound_from_the_data},
        "test_admissibility.py::test_a_score_depends_on_its_own_node_and_on_public_facts",
    ),
    Sabotage(
        "epsilon not divided by k",
        {"edgedp.mechanisms.scores.sums:top_k_scores": whole_epsilon_every_round},
        "test_audit.py::test_priv_top_k_keeps_its_claim[degree em]",
    ),
    Sabotage(
        "a chosen node left in",
        {"edgedp.mechanisms.samplers:Sampler.pick": chosen_stays},
        "test_audit_draws.py::test_draws_have_the_law_that_is_audited[pareto degree+density sld k=2]",
    ),
    Sabotage(
        "exponential noise kept for the next round",
        {"edgedp.mechanisms.samplers:PERMUTE_AND_FLIP": same_noise_every_round},
        "test_audit_draws.py::test_draws_have_the_law_that_is_audited[priv_top_k density pf k=2]",
    ),
    Sabotage(
        "ties broken by true degree",
        {"edgedp.mechanisms.adaptive.planned:draw_joint": ties_by_true_degree},
        "test_audit_draws.py::test_draws_have_the_law_that_is_audited[priv_top_k degree joint k=2]",
    ),
    Sabotage(
        "the price of the argmax where estimates show the vector",
        {"edgedp.mechanisms.joint:joint_moves": price_of_the_argmax_alone},
        "test_joint.py::test_one_vector_gets_noise_of_its_sensitivity_over_epsilon[degree-1-True-2]",
    ),
    Sabotage(
        "the noise of one arc for in-degrees, of which a pair moves two",
        {"edgedp.mechanisms.adaptive.arcs:arc_moves": lambda real: lambda plan: 1},
        "test_arcs.py::test_every_unit_of_every_digraph_of_four_nodes_costs_what_is_claimed",
    ),
    Sabotage(
        "a vector without cuts for all that one node does",
        {
            "edgedp.release.plan.arcs:ArcsPlan.units": lambda real: property(
                lambda self: real.fget(self) | {"source", "target"}
            )
        },
        "test_protect.py::test_only_what_is_proved_for_the_unit_is_planned",
    ),
    Sabotage(
        "picks of in-degrees that each cost the whole epsilon",
        {
            "edgedp.mechanisms.adaptive.arcs:GridScores": lambda real: (
                lambda scores, unit, by: real(scores, 2 * unit, by)
            )
        },
        "test_arcs.py::test_every_unit_of_every_digraph_of_four_nodes_costs_what_is_claimed",
    ),
    Sabotage(
        "a pair that weighs more than its cap",
        {
            "edgedp.graph.weights:Weighting.slots": lambda real: (
                lambda self, keys, values: real(replace(self, pair_cap=9 * self.pair_cap), keys, values)
            )
        },
        WEIGHED.format("strength joint pair taken away, SUM"),
    ),
    Sabotage(
        "a relationship that weighs more than its cap",
        {
            "edgedp.graph.weights:Weighting.steps": lambda real: (
                lambda self, values: real(
                    self if self.cap is None else replace(self, cap=9 * self.cap), values
                )
            )
        },
        "test_weights.py::test_strengths_follow_their_definition[{'cap': 5, 'pair_cap': 7}]",
    ),
    Sabotage(
        "weights of parallels that become steps when they are added up",
        {
            "edgedp.graph.weights:Weighting.slots": lambda real: (
                lambda self, keys, values: real(
                    self,
                    np.unique(keys),
                    np.array([np.nansum(values[keys == key]) for key in np.unique(keys)]),
                )
            )
        },
        "test_weights.py::test_parallels_are_added_up_before_the_cap_of_the_pair_and_after_steps",
    ),
    Sabotage(
        "weights without their signs",
        {
            "edgedp.graph.weights:Weighting.slots": lambda real: (
                lambda self, keys, values: real(self, keys, np.abs(values))
            )
        },
        "test_weights.py::test_strengths_follow_their_definition[{'cap': 10, 'step': 3, 'signed': True}]",
    ),
    Sabotage(
        "noise of one step for strengths, of which a pair moves all that is declared",
        {"edgedp.mechanisms.adaptive.arcs:edge_moves": lambda real: lambda name, weighting: 1},
        WEIGHED.format("strength em pair taken away, SUM"),
    ),
    Sabotage(
        "the noise of one end for strengths",
        {"edgedp.mechanisms.adaptive.arcs:moves_one_way": lambda real: lambda name, weighting: True},
        WEIGHED.format("in_strength joint pair taken away, SUM, signed"),
    ),
    Sabotage(
        "picks of arcs whose weights have signs",
        {"edgedp.release.plan.arcs:moves_one_way": lambda real: lambda name, weighting: True},
        "test_strengths.py::test_picks_of_arcs_protect_a_source_unless_weights_have_signs[pf-source]",
    ),
    Sabotage(
        "the weight of an arc taken for that of the one back",
        {
            "edgedp.graph.adjacency:weights_beside": lambda real: (
                lambda indptr, indices, ends, *given, **said: real(
                    indptr, indices, ends[:, ::-1], *given, **said
                )
            ),
        },
        "test_strengths.py::test_the_audit_adds_up_what_the_definition_does",
    ),
    Sabotage(
        "a loop counted as an arc",
        {
            "edgedp.graph.graph:Graph.in_degrees": lambda real: property(
                lambda self: real.func(self) + (self.node_ids == 5)
            )
        },
        "test_arcs.py::test_arcs_are_counted_once_and_loops_not_at_all",
    ),
    Sabotage(
        "an arc taken for the one back",
        {
            place: lambda real: lambda *given: real(*given) ^ 3 * (real(*given) < 3)
            for place in (
                "edgedp.graph.adjacency:ways_of",
                "edgedp.graph.engines.native.pairs:ways_by_kernel",
            )
        },
        "test_arcs.py::test_counts_follow_their_definition_on_all_digraphs_of_three_nodes",
    ),
    Sabotage(
        "a parallel arc counted twice",
        {
            "edgedp.graph.graph:Graph._ends_of": lambda real: (
                lambda self, way: real(self, way) + (self.node_ids == 2)
            )
        },
        "test_arcs.py::test_arcs_are_counted_once_and_loops_not_at_all",
    ),
    Sabotage(
        "ties of an adaptive release by position",
        {"edgedp.mechanisms.adaptive.top_k:top_k_with_random_ties": ties_by_position},
        "test_adaptive.py::test_where_nothing_differs_the_answer_is_uniform[12-200-0.29]",
    ),
    Sabotage(
        "candidates by true degree",
        {"edgedp.mechanisms.adaptive.top_k:buy": candidates_by_true_degree},
        COUPLED.format("ebc-joint-3-both"),
    ),
    Sabotage(
        "closed pairs weighed by true degrees",
        {"edgedp.mechanisms.adaptive.purchases:exact_vector": seen_by_true_degree("Closed")},
        "test_adaptive.py::test_every_form_costs_epsilon_on_pairs_of_larger_graphs",
    ),
    Sabotage(
        "estimates from the true degrees",
        {"edgedp.mechanisms.adaptive.planned:draw_top_k": estimates_of_true_degrees},
        COUPLED.format("ebc-joint-3-both"),
    ),
    Sabotage(
        "cuts ordered by true degree",
        {"edgedp.mechanisms.adaptive.purchases:exact_vector": seen_by_true_degree("Ordered")},
        "test_adaptive.py::test_every_form_costs_epsilon_on_pairs_of_larger_graphs",
    ),
    Sabotage(
        "ordered degrees by the ranking of the true degrees",
        {"edgedp.mechanisms.adaptive.purchases:exact_vector": seen_by_true_degree("OrderedDegrees")},
        "test_adaptive.py::test_every_form_costs_epsilon_on_pairs_of_larger_graphs",
    ),
    Sabotage(
        "degrees with the noise of ordered degrees",
        {"edgedp.mechanisms.adaptive.purchases:ordered_degree_vector": degrees_for_ordered_degrees},
        COSTS_EPSILON.format("False-igraph"),
    ),
    Sabotage(
        "ties of the ranking by noisy degree serve both ends",
        {"edgedp.mechanisms.adaptive.purchases:exact_vector": ties_of_degrees_serve_both_ends},
        COSTS_EPSILON.format("False-igraph"),
    ),
    Sabotage(
        "a cap from the true k-th degree",
        {"edgedp.mechanisms.adaptive.purchases:exact_vector": cap_from_the_true_kth_degree},
        COSTS_EPSILON.format("True-igraph"),
    ),
    Sabotage(
        "pairs summed from both ends and not halved",
        {
            "edgedp.mechanisms.projection:GraphProjection.cut_shares": lambda real: (
                lambda self, *given: 2 * real(self, *given)
            )
        },
        COSTS_EPSILON.format("False-igraph"),
    ),
    Sabotage(
        "what rounding costs left out",
        {"edgedp.mechanisms.adaptive.vectors:cut_moves": without_remainder},
        "test_cut_theorem.py::test_what_rounding_costs_is_needed[5-lists-2-0]",
    ),
    Sabotage(
        "what rounding costs closed pairs limited to a share",
        {"edgedp.mechanisms.adaptive.closed:ClosedPairs.moves": remainder_at_most_a_share},
        "test_cut_theorem.py::test_what_rounding_costs_the_closed_pairs_is_not_limited_by_the_share",
    ),
    Sabotage(
        "a cut that prefers heavy neighbours",
        {"edgedp.graph.engines.igraph:cut_rows": heavy_neighbours_first},
        "test_adaptive.py::test_every_form_costs_epsilon_on_pairs_of_larger_graphs",
    ),
    Sabotage(
        "a cut by place in the data",
        {"edgedp.graph.engines.cuts:order_keys": keys_by_place_in_the_data},
        "test_adaptive.py::test_every_form_costs_epsilon_on_pairs_of_larger_graphs",
    ),
    Sabotage(
        "one end instead of two for closed pairs in lists",
        {"edgedp.mechanisms.adaptive.closed:ClosedPairs.moves": one_end_for_lists},
        "test_coupling.py::test_everything_that_can_be_bought_is_coupled_here",
    ),
    Sabotage(
        "both vectors bought with the same words",
        {"edgedp.mechanisms.adaptive.top_k:buy": same_words_twice},
        COUPLED.format("ebc-joint-3-both"),
    ),
    Sabotage(
        "no noise where the exact share is 0",
        {"edgedp.mechanisms.adaptive.vectors:NoisyCutVector._seen": none_where_nothing_is},
        COUPLED.format("ebc-joint-3-lists-3"),
    ),
    Sabotage(
        "ties of the noisy ranking broken by the true degree above 8 nodes",
        {"edgedp.mechanisms.adaptive.purchases:exact_vector": ranking_with_ties_by_true_degree},
        COUPLED.format("ebc-joint-3-ordered"),
    ),
    Sabotage(
        "ties of the answer broken by the true degree above 8 nodes",
        {"edgedp.mechanisms.adaptive.planned:draw_top_k": answers_with_ties_by_true_degree},
        COUPLED.format("ebc-joint-3-both"),
    ),
    Sabotage(
        "noise on closed pairs clipped where there are none",
        {"edgedp.mechanisms.adaptive.purchases:closed_pairs": clipped_where_nothing_is},
        "test_coupling.py::test_everything_that_can_be_bought_is_coupled_here",
    ),
    Sabotage(
        "a ranking that stops where the exact shares of all that is left are 0",
        {"edgedp.mechanisms.adaptive.top_k:rank": nothing_left_is_not_looked_at},
        COUPLED.format("ebc-joint-3-both"),
    ),
    Sabotage(
        "scores that are no lower than their floats",
        {"edgedp.mechanisms.sampling.ranking:_LOWERED": lambda real: 1.0},
        "test_sampling_late.py::test_scores_that_floats_hardly_tell_apart_are_told_apart",
    ),
    Sabotage(
        "half a step that floats decide next to it",
        {"edgedp.mechanisms.scores.steps:_NEAR_A_TIE": lambda real: 2.0**-60},
        "test_steps.py::test_sums_next_to_half_a_step_are_rounded_exactly",
    ),
    Sabotage(
        "bounds of a word as narrow as its float",
        {"edgedp.mechanisms.sampling.noise:MARGIN": lambda real: 2.0**-50},
        "test_sampling_noise.py::test_float_bounds_contain_the_exact_ones",
    ),
    Sabotage(
        "refined noise drawn anew",
        {"edgedp.mechanisms.sampling.geometric:Refinable.refined": drawn_anew},
        "test_until_sure.py::test_a_half_is_the_smaller_of_two_and_the_scales_add_up_like_resistances",
    ),
    Sabotage(
        "a further step that nobody pays for",
        {"edgedp.mechanisms.adaptive.until_sure:Prepaid.__call__": lambda real: lambda self, cost: True},
        "test_until_sure.py::test_each_step_is_a_debit_of_its_own_and_the_answer_comes_last",
    ),
    Sabotage(
        "the limit of a release for each of its steps",
        {"edgedp.ledger.debits.debiting:step_script": each_step_for_itself},
        "test_until_sure.py::test_the_limit_of_one_release_is_for_all_of_its_steps",
    ),
    Sabotage(
        "a new vector with the noise of the old one",
        {"edgedp.mechanisms.adaptive.until_sure:_Vectors._shrunk": noise_of_the_old_vector},
        "test_until_sure.py::test_a_vector_that_is_bought_anew_has_noise_of_its_own",
    ),
    Sabotage(
        "refined degrees with noise for one moved entry",
        {"edgedp.mechanisms.adaptive.until_sure:degree_vector": one_moved_entry},
        "test_until_sure.py::test_a_vector_that_is_bought_anew_has_noise_of_its_own",
    ),
    Sabotage(
        "steps of a sequence that are drawn and not charged",
        {"edgedp.mechanisms.adaptive.until_sure:draw_until_sure": steps_on_the_house},
        "test_until_sure.py::test_a_black_box_that_sees_every_released_value_finds_what_was_paid_and_no_more",
    ),
    Sabotage(
        "a sequence that stops by exact degrees",
        {"edgedp.mechanisms.adaptive.until_sure:draw_until_sure": stops_by_exact_degrees},
        "test_until_sure.py::test_a_black_box_that_sees_every_released_value_finds_what_was_paid_and_no_more",
    ),
    Sabotage(
        "chances of listed nodes that follow exact degrees",
        {"edgedp.release.draw:_draw_until_sure": chance_by(lambda degrees: 1 / (1 + int(degrees.sum())))},
        "test_until_sure.py::test_two_graphs_with_the_same_noisy_vectors_are_answered_alike_in_every_field",
    ),
    Sabotage(
        "a chance that tells one degree",
        {"edgedp.release.draw:_draw_until_sure": chance_by(lambda degrees: float(degrees.max() == 11))},
        "test_until_sure.py::test_a_black_box_of_everything_shown_finds_no_more_than_was_paid",
    ),
    Sabotage(
        "halves of the noise in the log",
        {"edgedp.mechanisms.sampling.geometric:Refinable.refined": kept_halves},
        "test_until_sure.py::test_nothing_keeps_the_halves",
    ),
    Sabotage(
        "a step that is drawn before it is debited",
        {"edgedp.mechanisms.adaptive.planned:draw_until_sure": drawn_before_it_is_debited},
        "test_until_sure.py::test_every_step_is_paid_for_before_it_is_drawn_and_the_sum_is_what_the_release_says",
    ),
    Sabotage(
        "the noise of neighbours as differences of one stream",
        {"edgedp.mechanisms.joint:two_sided_geometric": neighbouring_differences},
        "test_coupling.py::test_noise_is_independent_across_entries_and_purchases[ebc-3-6]",
    ),
    Sabotage(
        "half of the joint vector's L",
        {"edgedp.mechanisms.joint:joint_values": half_of_l},
        "test_joint.py::test_one_vector_gets_noise_of_its_sensitivity_over_epsilon[betweenness2-5-False-16777216]",
    ),
    Sabotage(
        "a candidate skipped that could win",
        {"edgedp.mechanisms.metrics.ebc:EgoBetweenness.upper_bound": bound_below_the_score},
        "test_admissibility.py::test_bounds_for_the_lazy_draw_hold_on_small_graphs",
    ),
    Sabotage(
        "a cost rounded down",
        {"edgedp.words.amounts.epsilon:ceil": lambda real: floor},
        "test_epsilon.py::test_epsilon_is_the_decimal_as_written_rounded_up[0.0000000015-2]",
    ),
    Sabotage(
        "permute-and-flip priced as bounded-range",
        {"edgedp.mechanisms.samplers:PERMUTE_AND_FLIP": lambda real: replace(real, shares=8)},
        "test_rho.py::test_a_round_of_permute_and_flip_costs_that_of_pure_epsilon",
    ),
    Sabotage(
        "debit after the release",
        debit_on_record(),
        "test_store.py::test_the_answer_is_not_shown_before_it_is_debited[embedded]",
    ),
    Sabotage(
        "a noise unit without the two steps of the grid",
        {"edgedp.mechanisms.scores.sums:noise_unit": without_the_grid},
        "test_mechanisms.py::test_the_noise_unit_pays_for_the_grid",
    ),
    Sabotage(
        "a rho budget of a hundred million pico more",
        {"edgedp.words.amounts.rho:budget": lambda real: lambda *given: real(*given) + 10**8},
        "test_ledger.py::test_a_budget_in_rho_is_spent_to_the_last_pico_and_not_beyond",
    ),
    Sabotage(
        "a debit of one unit beyond the budget",
        statement("account_debit", "<= budget", "<= budget + 1"),
        "test_ledger.py::test_a_budget_in_rho_is_spent_to_the_last_pico_and_not_beyond",
    ),
    Sabotage(
        "a pure charge where the budget is in rho",
        statement("account_debit", "ELSE $price END", "ELSE $cost END"),
        "test_ledger.py::test_a_budget_in_rho_that_fits_to_the_pico_is_granted",
    ),
    Sabotage(
        "a debit that ignores the graph's version",
        statement("graph_current", "AND version = $version", ""),
        "test_ledger.py::test_another_version_is_never_debited",
    ),
    Sabotage(
        "a debit that ignores the limit",
        statement("account_debit", "$whole <= maxPerRelease", "1"),
        "test_ledger.py::test_the_limit_of_one_release_holds_to_the_nano",
    ),
    Sabotage(
        "a debit of nothing",
        statement("account_debit", "$cost > 0 AND $price > 0 AND", ""),
        "test_ledger.py::test_a_release_that_costs_nothing_or_less_is_never_debited[-1]",
    ),
    Sabotage(
        "spent is not compared with the log",
        statement("account_adds_up", "account.spent = coalesce(latest.total, 0)", "1"),
        "test_ledger.py::test_an_account_that_its_log_does_not_say_is_refused_everywhere",
    ),
    Sabotage(
        "rows of the log are not counted",
        statement("account_adds_up", "account.entries = (", "0 <= ("),
        "test_ledger.py::test_an_account_that_its_log_does_not_say_is_refused_everywhere",
    ),
    Sabotage(
        "seals that are not read",
        {"edgedp.stores.embedded.sqlite:_genuine": lambda real: lambda *row: 1},
        "test_ledger.py::test_a_row_that_is_not_sound_is_never_believed[UPDATE accounts SET seal = 'x']",
    ),
    Sabotage(
        "a name that is not found is believed to be new",
        {"edgedp.stores.embedded.sqlite:Ledger._check_complete": lambda real: lambda *given, **named: None},
        "test_ledger.py::test_a_row_that_is_missing_is_noticed_by_listings_and_by_a_new_name[accounts]",
    ),
    Sabotage(
        "a file that is opened unread",
        {"edgedp.stores.embedded.seals:digest_of": lambda real: lambda path, handle: EqualToAll()},
        "test_embedded.py::test_a_damaged_version_is_refused_before_the_debit_and_never_opened",
    ),
    Sabotage(
        "a link inside the folder followed",
        {"edgedp.stores.embedded.folder:Folder.check_plain": lambda real: lambda *given: None},
        "test_embedded.py::test_links_inside_the_folder_are_refused[symbolic-ledger.sqlite]",
    ),
    Sabotage(
        "a version swept that somebody writes",
        {"edgedp.stores.embedded.files:try_hold": whoever_holds_it},
        "test_embedded.py::test_a_load_that_runs_is_not_swept_by_another",
    ),
    Sabotage(
        "an answer shown and not kept",
        {"edgedp.stores.store:Store._record": lambda real: lambda *given: None},
        "test_store.py::test_a_release_spends_first_and_is_kept[embedded]",
    ),
    Sabotage(
        "a request drawn twice",
        statement("request_find", "debit.requestId = $requestId", "debit.requestId = $requestId AND 0"),
        "test_ledger.py::test_a_request_is_answered_once_and_never_drawn_again",
    ),
    Sabotage(
        "a share not debited",
        {"edgedp.ledger.shares:debit_steps": without_share_debit},
        "test_shares.py::test_the_share_is_refused_before_the_budget_and_neither_is_exceeded[embedded]",
    ),
    Sabotage(
        "a percentile without a share of the attributes",
        {"edgedp.ledger.shares:debit_steps": without_share_of_attributes},
        "test_shares.py::test_a_percentile_debits_a_share_of_each_account_that_it_debits[embedded]",
    ),
    Sabotage(
        "a share debited outside the transaction",
        {"edgedp.stores.releases.releasing:run": share_debited_before},
        "test_shares.py::test_the_share_is_refused_before_the_budget_and_neither_is_exceeded[embedded]",
    ),
    Sabotage(
        "a share above what was granted",
        statement("share_debit", "<= budget", "<= budget + $cost"),
        "test_shares.py::test_the_share_is_refused_before_the_budget_and_neither_is_exceeded[embedded]",
    ),
    Sabotage(
        "a share of another delta",
        statement("share_debit", "accounts.delta IS shares.delta", "1"),
        "test_shares.py::test_a_share_of_epsilon_and_delta_is_priced_as_the_account[embedded]",
    ),
    Sabotage(
        "a share granted anew with nothing spent",
        statement("share_put", "SET delta =", "SET spent = 0, delta ="),
        "test_shares.py::test_a_grant_is_checked_recorded_and_never_below_what_was_spent",
    ),
    Sabotage(
        "request ids that analysts share",
        statement("request_find", "AND analyst = $analyst AND", "AND $analyst IS NOT NULL AND"),
        "test_shares.py::test_a_release_debits_the_share_and_the_budget_together[embedded]",
    ),
    Sabotage(
        "another analyst's release shown",
        statement("release_own", "analyst = $analyst", "analyst > ''"),
        "test_shares.py::test_a_release_debits_the_share_and_the_budget_together[embedded]",
    ),
    Sabotage(
        "the token of somebody revoked still worth something",
        statement("person_list", "revoked AS revoked", "NULL AS revoked"),
        "test_shares.py::test_a_token_is_kept_nowhere_and_says_who[embedded]",
    ),
    Sabotage(
        "a release for somebody revoked",
        statement("person_active", " AND revoked IS NULL", ""),
        "test_shares.py::test_a_revoked_analyst_asks_nothing_and_what_was_spent_stays[embedded]",
    ),
    Sabotage(
        "a revocation seen at the plan alone",
        {
            "edgedp.ledger.shares:debit_steps": lambda real: (
                lambda *asked: [step for step in real(*asked) if step.statement != "person_active"]
            )
        },
        "test_shares.py::test_a_revocation_after_the_plan_still_refuses_before_the_debit",
    ),
    Sabotage(
        "a token kept in clear",
        {
            "edgedp.stores.people.tokens:token_hash": lambda real: (
                lambda token: token.encode("ascii", "replace").decode()
            )
        },
        "test_shares.py::test_a_token_is_kept_nowhere_and_says_who[embedded]",
    ),
    Sabotage(
        "who asked left out of the chain",
        {"edgedp.ledger.chain:link": lambda real: lambda prev, row: real(prev, {**row, "analyst": None})},
        "test_shares.py::test_an_export_names_the_analyst_and_shows_a_change_of_the_name",
    ),
    Sabotage(
        "a kept release with today's facts",
        {"edgedp.ledger.debits.question:plan_of": facts_of_today},
        "test_ledger.py::test_a_kept_release_shows_the_facts_that_it_was_drawn_under",
    ),
    Sabotage(
        "an exact read that is not logged",
        {"edgedp.stores.store:Store._note_exact": lambda real: lambda *given: None},
        "test_ledger.py::test_the_log_says_what_happened_when_and_by_whom",
    ),
    Sabotage(
        "a fingerprint without the secret",
        {"edgedp.stores.twins:keyed": lambda real: lambda graph, secret: real(graph, "00")},
        "test_ledger.py::test_the_same_edges_have_different_fingerprints_in_different_stores",
    ),
    Sabotage(
        "a debit that ignores how a property is declared by then",
        {"edgedp.release.plan.records:PercentilePlan.declaration": lambda real: None},
        "test_attributes.py::test_a_property_that_is_declared_anew_after_the_plan_is_noticed_before_the_debit[embedded]",
    ),
    Sabotage(
        "a kept profile named after the edges",
        {
            "edgedp.mechanisms.pareto.cache:_hmac": lambda real: (
                lambda secret, *parts: hashlib.sha256(b"".join(parts)).digest()
            )
        },
        "test_pareto_cache.py::test_no_name_and_no_byte_of_a_file_can_be_computed_from_a_guess_of_the_edges",
    ),
    Sabotage(
        "kept utilities and a kept profile found by the metrics alone",
        {
            "edgedp.mechanisms.pareto.rounds:profile_key": lambda real: (
                lambda fingerprint, **parameters: real("", **parameters)
            )
        },
        "test_motkin.py::test_a_profile_is_computed_once_and_not_for_a_graph_that_differs_by_one_edge",
    ),
    Sabotage(
        "kept utilities of another engine",
        {
            "edgedp.mechanisms.pareto.rounds:profile_key": lambda real: (
                lambda fingerprint, *, engine, **parameters: real(fingerprint, **parameters)
            )
        },
        "test_motkin.py::test_each_engine_keeps_what_it_measured",
    ),
    Sabotage(
        "words drawn late that may be small again",
        {
            "edgedp.mechanisms.sampling.late:LateWords.others": lambda real: (
                lambda self, members: self._draw(len(members))  # type: ignore[misc]
            )
        },
        "test_sampling_late.py::test_a_small_word_keeps_its_lower_bits_and_a_small_one_of_the_others_is_drawn_again",
    ),
    Sabotage(
        "the noise of words that are not small taken for smaller than it is",
        {"edgedp.mechanisms.sampling.noise:Noise.most_of_others": lambda real: 5.535},
        "test_sampling_late.py::test_the_largest_noise_of_a_word_that_is_not_small_may_win[0.007-exponential]",
    ),
    Sabotage(
        "a stored graph's profile without the secret of its store",
        {"edgedp.graph.graph:Graph.keyed_fingerprint": lambda real: lambda graph, secret: graph.fingerprint},
        "test_pareto_cache.py::test_a_stored_graph_goes_by_the_secret_of_its_store",
    ),
    Sabotage(
        "a chain that leaves out what was asked",
        {"edgedp.ledger.chain:FIELDS": lambda real: tuple(name for name in real if name != "body")},
        "test_ledger.py::test_a_chain_notices_another_body",
    ),
    Sabotage(
        "an older copy taken for the store",
        {"edgedp.ledger.log.heads:check": lambda real: lambda runner, heads, whole=True: True},
        "test_ledger.py::test_a_backup_is_a_store_and_an_older_one_is_refused_by_its_heads",
    ),
    Sabotage(
        "a delta above 1 / n",
        {"edgedp.stores.curator:check_delta": lambda real: lambda *given: None},
        "test_ledger.py::test_a_delta_that_promises_nothing_is_refused",
    ),
    Sabotage(
        "a seed reused",
        {"edgedp.mechanisms.sampling.words:SecureWords.take": a_fixed_seed},
        "test_sampling_words.py::test_secure_words_are_the_systems_bytes_and_nothing_else",
    ),
    Sabotage(
        "a value in an error",
        {"edgedp.release.draw:check_projection": with_the_degree},
        "test_store.py::test_a_graph_that_breaks_its_bound_is_refused_after_the_debit_in_a_constant_sentence[embedded]",
    ),
    Sabotage(
        "a graph of other nodes than planned drawn from",
        {"edgedp.release.draw:check_projection": bound_without_nodes},
        "test_draw.py::test_a_graph_of_other_nodes_than_planned_is_refused",
    ),
    Sabotage(
        "a plan said not to rest on the bound that does",
        {"edgedp.release.plan.base:PlanBase.rests_on_bound": lambda real: False},
        "test_draw.py::test_a_graph_above_its_bound_is_refused_by_every_kind_that_rests_on_it",
    ),
    Sabotage(
        "an unforeseen error shown in its own words",
        {"edgedp.words.refusals:constant_refusals": lambda real: nullcontext},
        "test_draw.py::test_whatever_nobody_foresaw_is_said_in_the_constant_sentence",
    ),
    Sabotage(
        "a store draws outside the constant refusals",
        {"edgedp.stores.releases.releasing:constant_refusals": lambda real: nullcontext},
        "test_store.py::test_what_nobody_foresaw_after_the_debit_is_said_in_the_constant_sentence[embedded]",
    ),
    Sabotage(
        "an answer of an unknown kind taken for nodes",
        {
            "edgedp.release.release:answer_from_json": lambda real: (
                lambda kept: import_module("edgedp.release.answers").Nodes(())
            )
        },
        "test_release.py::test_what_no_kind_wrote_is_refused",
    ),
    Sabotage(
        "rounds drawn by the other sampler's noise",
        {"edgedp.mechanisms.samplers:PERMUTE_AND_FLIP": lambda real: replace(real, noise=GUMBEL)},
        "test_samplers.py::test_a_pick_among_some_has_the_law_of_those_alone[permute_and_flip]",
    ),
    Sabotage(
        "the law of the other sampler audited",
        {"edgedp.mechanisms.samplers:PERMUTE_AND_FLIP": lambda real: replace(real, law=exponential_law)},
        "test_samplers.py::test_a_sampler_draws_by_the_law_that_it_has[permute_and_flip]",
    ),
    Sabotage(
        "a joint release priced as bounded-range",
        {"edgedp.words.amounts.rho:PURE": lambda real: 8},
        "test_rho.py::test_a_joint_release_costs_that_of_pure_epsilon_for_any_k",
    ),
    Sabotage(
        "a form of ebc taken for the other",
        {"edgedp.mechanisms.metrics.ebc:_width": lambda real: lambda form, degree, common: common},
        "test_metrics.py::test_sensitivities_are_those_that_are_defined[ebc-degree]",
    ),
    Sabotage(
        "the edge form allowed for a metric that moves far",
        {"edgedp.release.plan.nodes:_check_edge_form": lambda real: lambda picking, names: None},
        "test_plan.py::test_bad_options_of_motkin_are_refused_in_one_line",
    ),
    Sabotage(
        "a shifted score without its dampening",
        {"edgedp.mechanisms.picking:shifted": lambda real: lambda values, sums, ceiling, shift: values},
        "test_admissibility.py::test_a_score_is_rounded_from_within_an_eighth_of_a_step[3]",
    ),
    Sabotage(
        "a broken degree bound not refused",
        {"edgedp.release.draw:check_projection": lambda real: lambda plan, projection: None},
        "test_store.py::test_a_graph_that_breaks_its_bound_is_refused_after_the_debit_in_a_constant_sentence[embedded]",
    ),
    Sabotage(
        "smooth noisy max as published",
        {"edgedp.mechanisms.scores.smooth:smooth_noise": published_calibration},
        "test_smooth.py::test_the_corrected_noise_passes_the_counterexamples[36692-1.0]",
    ),
    Sabotage(
        "half of a percentile's sensitivity",
        {
            "edgedp.mechanisms.selection.percentiles:percentile_scores": percentile_unit_times(
                lambda question: 2
            )
        },
        "test_percentile.py::test_the_law_keeps_its_claim_over_all_inputs[distance]",
    ),
    Sabotage(
        "a percentile's budget under replacement spent as under add or remove",
        {
            "edgedp.mechanisms.selection.percentiles:percentile_scores": percentile_unit_times(
                lambda question: 1 / max(question.q, 1 - question.q)
            )
        },
        "test_percentile.py::test_the_law_keeps_its_claim_over_all_inputs[em]",
    ),
    Sabotage(
        "a percentile's grid read off the values",
        {"edgedp.mechanisms.selection.percentiles:percentile_scores": domain_from_the_values},
        "test_percentile.py::test_the_law_keeps_its_claim_over_all_inputs[distance]",
    ),
    Sabotage(
        "values not clipped",
        {
            "edgedp.mechanisms.selection.percentiles:clipped": lambda real: (
                lambda values, low, high: real(values, low - 1e6, high + 1e6)
            )
        },
        "test_percentile.py::test_values_are_clipped_before_anything_else",
    ),
    Sabotage(
        "one text that makes texts of all values",
        {"edgedp.mechanisms.selection.percentiles:numbers_of": values_read_together},
        "test_percentile.py::test_one_text_does_not_change_how_the_others_are_read",
    ),
    Sabotage(
        "a property of the degree that debits the attributes alone",
        {"edgedp.release.plan.records:PercentilePlan.charges": attributes_alone},
        "test_attributes.py::test_a_property_of_the_degree_debits_both_or_neither[embedded]",
    ),
    Sabotage(
        "a percentile that debits the edges",
        {"edgedp.release.plan.records:PercentilePlan.charges": edges_in_their_place},
        "test_attributes.py::test_budgets_of_the_attributes_are_declared_changed_and_kept_apart",
    ),
    Sabotage(
        "a grid declared anew after releases",
        {"edgedp.ledger.attributes:attribute_script": never_frozen},
        "test_attributes.py::test_a_declaration_is_frozen_once_anything_was_debited[embedded]",
    ),
    Sabotage(
        "a stored percentile's grid read off the values",
        {"edgedp.release.draw:draw_percentile": grid_of_the_stored_values},
        "test_attributes.py::test_every_mechanism_is_drawn_from_a_store[em]",
    ),
    Sabotage(
        "a tree's budget under replacement spent as under add or remove",
        {"greedy_tree:grow": budget_of_one_part},
        "test_examples.py::test_a_greedy_tree_keeps_its_budget_under_replacement[0]",
    ),
    Sabotage(
        "the process logs how many edges were loaded",
        {"edgedp.stores.curator:shown": telling_the_edges},
        "test_objects.py::test_nothing_private_is_logged",
    ),
    Sabotage(
        "a simulation on a stored graph is not noted",
        {"edgedp.stores.releases.simulating:SimulatingStore._note_exact": unwritten},
        "test_objects.py::test_a_simulation_debits_nothing_is_logged_once_and_says_what_it_is",
    ),
    Sabotage(
        "a copy in EDGEDP_DATA is read whatever it holds",
        {"edgedp.graph.reading.sources.locating:file_sha256": any_checksum},
        "test_catalogue.py::test_a_copy_that_is_here_goes_before_cache_and_network",
    ),
    Sabotage(
        "an estimate spends",
        {"edgedp.stores.releases.analyst:AnalystStore.estimate": spent_first},
        "test_estimating.py::test_an_estimate_spends_writes_and_reads_nothing",
    ),
    Sabotage(
        "an estimate reads the edges",
        {"edgedp.stores.releases.analyst:AnalystStore.estimate": bound_tested},
        "test_estimating.py::test_an_estimate_spends_writes_and_reads_nothing",
    ),
    Sabotage(
        "an estimate without the limit of one release",
        {
            "edgedp.ledger.account:Account.fits": lambda real: (
                lambda self, plan: (self.budget or 0) >= plan.cost
            )
        },
        "test_estimating.py::test_it_is_refused_as_the_release_is_and_fits_where_the_release_fits",
    ),
    Sabotage(
        "an estimate tells a scale that is not public",
        {"edgedp.release.planning.noise:_noise_of_a_sum": scale_of_the_bound},
        "test_estimating.py::test_noise_that_follows_the_graph_is_not_told",
    ),
    Sabotage(
        "an answer that leaves when it is drawn",
        {"edgedp.faces.gateway.context:hold": lambda real: leaves_at_once},
        "test_gateway_inside.py::test_an_answer_leaves_at_a_step_and_not_before",
    ),
    Sabotage(
        "an answer that is shown before it leaves",
        {"edgedp.faces.gateway.flights:Flights.hides": lambda real: lambda self, release_id: False},
        "test_gateway_inside.py::test_what_was_recorded_is_hidden_until_its_step_whatever_becomes_of_its_lease",
    ),
    Sabotage(
        "an error's own words over the network",
        {
            "edgedp.faces.gateway.context:of_error": lambda real: (
                lambda error, **given: import_module("edgedp.faces.gateway.door.problems").Problem(
                    500, str(error)
                )
            )
        },
        "test_gateway_inside.py::test_whatever_nobody_foresaw_is_said_in_a_constant_sentence",
    ),
    Sabotage(
        "a token of any role",
        {
            "edgedp.faces.gateway.context:Gateway._identified": lambda real: (
                lambda self, request, token, role: real(self, request, token, None)
            )
        },
        "test_gateway_inside.py::test_a_curators_token_asks_for_nothing_and_an_analysts_grants_nothing",
    ),
    Sabotage(
        "a form that nobody's secret is compared with",
        {
            "edgedp.faces.gateway.pages.site:hmac": lambda real: SimpleNamespace(
                compare_digest=lambda *given: True
            )
        },
        "test_gateway_inside.py::test_a_form_without_the_sessions_secret_does_nothing",
    ),
    Sabotage(
        "forms from anywhere",
        {"edgedp.faces.gateway.pages.site:Pages._check_origin": lambda real: lambda self, request: None},
        "test_gateway_inside.py::test_a_form_of_another_site_does_nothing",
    ),
    Sabotage(
        "tokens in the clear on any address",
        {"edgedp.faces.gateway.door.settings:is_loopback": lambda real: lambda host: True},
        "test_gateway_inside.py::test_a_token_never_crosses_a_network_in_the_clear",
    ),
    Sabotage(
        "a token that is sent to whoever answers",
        {"edgedp.stores.remote:_client": trusting},
        "test_gateway_tls.py::test_an_authority_that_is_not_known_is_refused_in_one_line",
    ),
    Sabotage(
        "the time of a draw in the log",
        {"edgedp.faces.gateway.context:hold": lambda real: with_a_fine_clock},
        "test_gateway_inside.py::test_the_log_and_the_metrics_know_steps_and_nothing_finer",
    ),
    Sabotage(
        "seeded words in a stored release",
        {"edgedp.mechanisms.sampling.words:SecureWords": seeded_words},
        "test_experiments.py::test_a_stored_release_takes_no_seeded_words",
    ),
    Sabotage(
        "a fingerprint in the rows of a stored graph's experiment",
        {"edgedp.exact.experiments.runs:parameters_of": with_a_fingerprint},
        "test_experiments.py::test_rows_of_a_stored_graph_name_it_and_its_version_and_no_fingerprint",
    ),
    Sabotage(
        "an experiment on a stored graph that is not logged",
        {
            "edgedp.stores.releases.opened:OpenedStore._note_exact": lambda real: (
                lambda self, session, name, what: None
            )
        },
        "test_experiments.py::test_an_experiment_on_a_stored_graph_is_logged_and_costs_nothing",
    ),
    Sabotage(
        "half the noise in an experiment",
        {"edgedp.mechanisms.sampling.select:first_places": half_the_noise},
        "test_experiments.py::test_runs_have_the_law_of_one_pick[em-ebc]",
    ),
    Sabotage(
        "numbers priced as bounded-range",
        {"edgedp.release.plan.numbers:PurePlan.rho_shares": lambda real: 8},
        "test_rho.py::test_numbers_are_priced_as_any_pure_release[count-options0]",
    ),
    Sabotage(
        "a summary whose numbers cost all of epsilon each",
        {
            "edgedp.release.numbers.summarizing:law_of": lambda real: (
                lambda plan, projection, share: real(plan, projection)
            )
        },
        "test_numbers.py::test_the_shares_of_a_summary_are_all_of_epsilon_and_what_is_spent",
    ),
    Sabotage(
        "a property of the degree that debits the edges for one record of two",
        {
            "edgedp.release.plan.records:Charge": lambda real: (
                lambda account, cost, shares: real(account, cost // 2 if account == "edges" else cost, shares)
            )
        },
        "test_attributes.py::test_a_property_of_the_degree_debits_both_or_neither[embedded]",
    ),
    Sabotage(
        "a database's own words after the debit",
        {"edgedp.stores.neo4j.errors:ForeignWordsError": lambda real: StoreError},
        "test_draw.py::test_what_a_database_says_in_its_own_words_is_not_said_after_a_debit",
    ),
    Sabotage(
        "a loss that is no number passed over by the audit",
        {
            "edgedp.exact.audit.exhaustive:math": lambda real: SimpleNamespace(
                isnan=lambda ratio: False, perm=real.perm
            )
        },
        "test_audit.py::test_a_loss_that_is_no_number_breaks_the_claim",
    ),
    Sabotage(
        "the name of an account taken for a graph's",
        {"edgedp.ledger.account:split_account": lambda real: lambda name: (name, "edges")},
        "test_shares.py::test_the_name_of_an_account_is_no_graphs",
    ),
    Sabotage(
        "an estimate that forgets the share",
        {"edgedp.ledger.shares:of_analyst": lambda real: lambda *asked: None},
        "test_shares.py::test_an_estimate_of_a_percentile_is_of_all_it_debits",
    ),
    Sabotage(
        "a sweep that does not ask again before it removes",
        {"edgedp.stores.embedded.files:_unnamed": lambda real: lambda version, named: True},
        "test_flips.py::test_a_sweep_asks_again_before_it_removes",
    ),
    Sabotage(
        "a version that is not read again once it is written",
        {"edgedp.stores.embedded.database:verify_content": lambda real: lambda *_: None},
        "test_flips.py::test_a_version_that_was_written_otherwise_is_not_taken",
    ),
    Sabotage(
        "a lock that is closed and not let go",
        {"edgedp.stores.embedded.locks:_let_go": lambda real: lambda handle, process: os.close(handle)},
        "test_locks.py::test_a_fork_keeps_no_lock",
    ),
    Sabotage(
        "an address that is compared whole alone",
        {"edgedp.graph.reading.sources.places:overlap": lambda real: lambda one, other: one == other},
        "test_spark.py::test_an_address_inside_or_around_a_registered_one_has_its_ledger",
    ),
    Sabotage(
        "everything at an address at the price of a window",
        {"edgedp.stores.releases.at_address:_of_span": lambda real: lambda graph, span: graph},
        "test_address_windows.py::test_each_window_is_the_rows_of_its_dates_and_costs_its_runs_alone[read each time]",
    ),
    Sabotage(
        "a calendar that is satisfied with any column of dates",
        {
            place: lambda real: lambda row, calendar: True
            for place in (
                "edgedp.ledger.calendars.columns:has_dates_of",
                "edgedp.stores.releases.releasing:has_dates_of",
                "edgedp.stores.releases.opened:has_dates_of",
            )
        },
        "test_address_windows.py::test_a_calendar_of_something_else_is_not_taken_for_this_one[another column]",
    ),
    Sabotage(
        "a calendar of an address that does not name the column",
        {
            "edgedp.stores.calendars:calendar_of_column": lambda real: (
                lambda given, within, date, unit: real(given, within, "at", None)
            )
        },
        "test_address_windows.py::test_the_first_debit_freezes_the_column",
    ),
    Sabotage(
        "noise of one pick on a vector of arcs that Spark draws",
        {"edgedp.spark.executors:arc_moves": lambda real: lambda plan: 0},
        "test_spark_arcs.py::test_partitions_draw_the_exact_law[in_degree-{'mechanism': 'joint'}]",
    ),
    Sabotage(
        "a lease that ends with another one's",
        statement("lease_end", "OR (name = $name AND NOT leased(boot, ticks, until))", "OR name = $name"),
        "test_ledger.py::test_the_end_of_a_lease_ends_no_other_and_an_answer_has_none",
    ),
    Sabotage(
        "a lease of what is answered, made anew",
        statement("lease_renew", "AND kind = 'answer'", "AND kind = ''"),
        "test_ledger.py::test_the_end_of_a_lease_ends_no_other_and_an_answer_has_none",
    ),
    Sabotage(
        "an account with a delta made again from epsilons",
        statement(
            "account_restore",
            "SELECT (SELECT sum(coalesce(charge, 0))",
            "SELECT (SELECT sum(coalesce(cost, 0))",
        ),
        "test_ledger_compared.py::test_an_account_with_a_delta_is_made_again_in_its_currency",
    ),
    Sabotage(
        "a share that stands on the debit of another analyst",
        statement("share_adds_up", " AND latest.analyst = $analyst", ""),
        "test_ledger_compared.py::test_a_share_that_names_the_row_of_another_analyst_is_refused_at_its_debit",
    ),
    Sabotage(
        "runs of a share that are not compared",
        statement("share_adds_up", " AND share.runs IS latest.shareRuns", ""),
        "test_windows.py::test_runs_that_were_set_back_with_their_seal_are_refused_at_the_debit[shares]",
    ),
    Sabotage(
        "runs of an account that are not compared",
        statement("account_adds_up", " AND account.runs IS latest.runs", ""),
        "test_windows.py::test_runs_that_were_set_back_with_their_seal_are_refused_at_the_debit[accounts]",
    ),
    Sabotage(
        "a share granted again with nothing spent of its runs",
        statement("share_put", "(SELECT shareRuns FROM log WHERE", "(SELECT NULL FROM log WHERE"),
        "test_windows.py::test_a_share_that_is_granted_again_knows_what_was_spent_of_each_run",
    ),
    Sabotage(
        "a session of a clock ahead that stays",
        statement("session_sweep", " OR used > $until", ""),
        "test_people.py::test_sessions_are_in_the_store_without_a_token[embedded]",
    ),
    Sabotage(
        "a lease in Neo4j that ends with another one's",
        cypher("lease_end", "(lease.until < timestamp() OR lease.until > timestamp() + 30000)", "true"),
        "test_neo4j_statements.py::test_the_end_of_a_lease_ends_no_other_and_an_answer_has_none",
    ),
    Sabotage(
        "an account with a delta made again from epsilons in Neo4j",
        cypher("account_restore", "NOT NULL THEN entry.charge", "NOT NULL THEN entry.cost"),
        "test_neo4j_statements.py::test_an_account_with_a_delta_is_made_again_in_its_currency",
    ),
    Sabotage(
        "a share in Neo4j that stands on the debit of another analyst",
        cypher("share_adds_up", " AND latest.analyst = $analyst", ""),
        "test_neo4j_statements.py::test_a_share_that_names_the_row_of_another_analyst_is_refused",
    ),
    *(
        Sabotage(edit.name, {f"{edit.function}.__code__": edited(edit.right, edit.wrong)}, edit.caught_by)
        for edit in (*EDITS, *UNREAD)
    ),
]
