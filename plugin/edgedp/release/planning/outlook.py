"""What a release would be like, from public facts: noise, what was measured, budgets, persons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

from edgedp.mechanisms import checks
from edgedp.mechanisms.counts import count_names
from edgedp.mechanisms.metrics import metric_names
from edgedp.release.plan import PublicFacts, of_nodes, plan
from edgedp.release.planning.measured import SOURCE, SOURCE_OF_ARCS, Measured, measured, measured_arcs
from edgedp.release.planning.noise import noise_of
from edgedp.words.amounts.epsilon import NANO, budget_nano, epsilon_nano
from edgedp.words.errors import EdgeDPError, ParameterError
from edgedp.words.vocabulary import MECHANISMS, UNITS, ArcMetricName, Unit

_BUDGETS = (1, 3, 10)
_PERSONS = (1, 10, 100)
_CAPS = (10, 20)
"""Of cuts whose noise is shown beside that of picks."""
_MOST_PICKS = 20
"""Up to here picks found more than cuts (bench/results/persons.md)."""
_NO_PROMISE = 1e6
"""From this factor on, odds say nothing any more."""
_COUNT_OF: dict[Unit, ArcMetricName] = {"source": "in_degree", "target": "out_degree"}
"""What protects all arcs that leave, or come to, one node: the counts of the nodes at their other ends."""


@dataclass(frozen=True)
class Outlook:
    """What to expect of a release.

    Attributes
    ----------
    noise : list of dict
        metric, mechanism, on, scale (or that it follows the graph), law.
    numbers : list of dict
        metric, reach: of which nodes the metric itself, released as a number, says something.
    expected : list of Measured
        At the next measured k from `k` on, and the next measured epsilon up to `epsilon`.
    budgets : list of dict
        epsilon_budget, releases: how many such releases it affords.
    person : list of dict
        edges, epsilon, odds: how far the odds about all edges of one person together may change; None is no promise.
        Empty where another unit than a pair is to be protected: `protected` says it.
    protected : dict or None
        protect, epsilon, odds: the unit that was asked for, which every release of `noise` protects when all of it is
        taken away, and how far the odds about it may change then; None where no unit was asked for, or a pair.
    source : str
        Where `expected` was measured.
    advice : str or None
        Of a unit of many arcs: which mechanism for which k.
    """

    noise: list[dict[str, Any]]
    numbers: list[dict[str, Any]]
    expected: list[Measured]
    budgets: list[dict[str, Any]]
    person: list[dict[str, Any]]
    protected: dict[str, Any] | None = None
    source: str = SOURCE
    advice: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return asdict(self)


def outlook(
    nodes: int,
    degree_bound: int | None,
    epsilon: Any,
    k: int,
    *,
    metrics: Sequence[str] | None = None,
    protect: Unit | None = None,
    edges_of_a_person: int | None = None,
    epsilon_budget: Any = None,
) -> Outlook:
    """Say what to expect of a release of the top k; reads no graph.

    Parameters
    ----------
    nodes : int
        Number of nodes; public.
    degree_bound : int or None
        Public bound on the degree; None is ``n - 1``.
    epsilon : number or decimal text
        Of one release.
    k : int
    metrics : sequence of str, optional
        Those to tell the noise of; default all, and in- and out-degrees only where they are named or `protect` is
        what they protect.
    protect : {"pair", "source", "target"}, optional
        Only releases that protect this at their epsilon: all between two nodes, all arcs that leave one, all that
        come to one.
    edges_of_a_person : int, optional
        Whose protection to tell; default some examples.
    epsilon_budget : number or decimal text, optional
        Whose releases to count; default some examples.

    Raises
    ------
    ParameterError, UnknownNameError
        As the release would refuse it.

    Examples
    --------
    >>> told = outlook(36692, 2000, "0.3", 10, metrics=["degree"], edges_of_a_person=5, epsilon_budget=3)
    >>> [(row["mechanism"], row["scale"]) for row in told.noise][-1]
    ('joint', 6.666666666666667)
    >>> told.budgets, told.person
    ([{'epsilon_budget': 3.0, 'releases': 10}], [{'edges': 5, 'epsilon': 1.5, 'odds': 4.48}])
    >>> told = outlook(36692, None, 1, 10, protect="source")
    >>> [(row["metric"], row["mechanism"], row["scale"]) for row in told.noise]
    [('in_degree', 'em', 10.0), ('in_degree', 'pf', 10.0), ('in_degree', 'joint', 10.0), ('in_degree', 'joint', 20.0)]
    >>> [row["cap"] for row in told.noise if row["mechanism"] == "joint"]
    [10, 20]
    """
    count = checks.check_whole(nodes, "nodes")
    k = checks.check_k(k, count)
    cost = epsilon_nano(epsilon)
    # Directed, so that counts of arcs are planned too; no other noise depends on it.
    facts = PublicFacts(count, checks.check_degree_bound(degree_bound), directed=True)
    unit = checks.check_choice("pair" if protect is None else protect, "protect", UNITS)
    if unit != "pair":
        checks.check_no_option("edges_of_a_person", edges_of_a_person, f"protect {unit!r}")
    people = _PERSONS if edges_of_a_person is None else (_edges(edges_of_a_person),)
    budgets = (
        [budget * NANO for budget in _BUDGETS] if epsilon_budget is None else [budget_nano(epsilon_budget)]
    )
    if metrics is not None:
        chosen: Sequence[str] = [checks.check_ranked(name, directed=True, weighted=False) for name in metrics]
    elif unit == "pair":
        chosen = metric_names()
    else:
        chosen = [_COUNT_OF[unit]]
    return Outlook(
        noise=[
            row for name in chosen for row in _noise(name, k, epsilon, replace(facts, protect=unit), unit)
        ],
        numbers=[row for name in chosen for row in _of_one_node(name, epsilon, facts)],
        expected=_expected(k, cost / NANO, measured() if unit == "pair" else measured_arcs()),
        source=SOURCE if unit == "pair" else SOURCE_OF_ARCS,
        budgets=[{"epsilon_budget": budget / NANO, "releases": budget // cost} for budget in budgets],
        person=[_protected(edges, cost) for edges in people] if unit == "pair" else [],
        protected=None if unit == "pair" else {"protect": unit} | _odds(cost),
        advice=None if unit == "pair" else _advice(k),
    )


def _advice(k: int) -> str:
    """Return which mechanism for which k, from public facts alone: noise of ``k / epsilon`` beside that of cuts."""
    if k <= _MOST_PICKS:
        return (
            f"for k up to {_MOST_PICKS}: 'pf' or 'em', whose noise is k / epsilon and which rank by all arcs; cuts of "
            "10 to 20 (--cap) for longer lists"
        )
    return (
        f"for k above {_MOST_PICKS}: 'joint' with cuts of 10 to 20 (--cap), whose noise is cap / epsilon whatever k; "
        "they rank by the arcs that count"
    )


def _noise(metric: str, k: int, epsilon: Any, facts: PublicFacts, unit: Unit) -> list[dict[str, Any]]:
    """Return the noise of every mechanism that there is for a metric, and that protects a unit at epsilon."""
    rows: list[dict[str, Any]] = []
    caps = [{}] if unit == "pair" else [{}, *({"cap": cap} for cap in _CAPS)]
    for mechanism, cut in product(MECHANISMS, caps):
        asked = {"metric": metric, "k": k, "epsilon": epsilon, "mechanism": mechanism} | cut
        try:
            planned = of_nodes(plan("priv_top_k", asked, facts))
        except EdgeDPError:
            continue  # there is no such release
        if unit in planned.units:
            rows += [
                {"metric": metric, "mechanism": mechanism} | cut | each.to_dict()
                for each in noise_of(planned)
            ]
    if not rows and unit != "pair":
        raise ParameterError(
            f"metric is {metric!r}, which protects no {unit} at its epsilon, must be {_COUNT_OF[unit]} for protect "
            f"{unit!r}; leave metric out, or protect a pair"
        )
    return rows


def _of_one_node(metric: str, epsilon: Any, facts: PublicFacts) -> list[dict[str, Any]]:
    """Return of which nodes a metric says something as a number of one node; nothing where that says it of any."""
    if metric not in count_names():
        return []
    planned = plan("count", {"of": metric, "node": 0, "epsilon": epsilon}, facts)
    return [{"metric": metric, "reach": each.reach} for each in noise_of(planned) if each.reach]


def _expected(k: int, epsilon: float, known: Sequence[Measured]) -> list[Measured]:
    """Return what was measured nearest to a question, on the side where less is found."""
    sizes = sorted({row.k for row in known})
    size = next((each for each in sizes if each >= k), sizes[-1])
    amounts = sorted({row.epsilon for row in known})
    amount = max((each for each in amounts if each <= epsilon), default=amounts[0])
    return [row for row in known if row.k == size and row.epsilon == amount]


def _protected(edges: int, cost: int) -> dict[str, Any]:
    """Return what is promised for all the edges of a person together: `edges` times epsilon."""
    return {"edges": edges} | _odds(edges * cost)


def _odds(cost: int) -> dict[str, Any]:
    """Return an epsilon and how far the odds may change at it; None where that is no promise."""
    together = cost / NANO
    odds = math.exp(together) if together < math.log(_NO_PROMISE) else None
    return {"epsilon": together, "odds": odds if odds is None else round(odds, 2)}


def _edges(value: Any) -> int:
    edges = checks.check_whole(value, "edges_of_a_person")
    if edges < 1:
        raise ParameterError(
            f"edges_of_a_person is {edges}, must be 1 or more; give the number of edges that somebody has"
        )
    return edges
