"""The rows that stores return, for type checkers: a misspelt key is found before anything runs."""

from __future__ import annotations

from typing import Any, TypedDict

from edgedp.words.vocabulary import Unit


class _Delta(TypedDict, total=False):
    delta: float
    """Where the budget is declared with one."""
    protect: Unit
    """Where the account protects all arcs of one node; never the default."""
    share: Any
    """Where an analyst asks: what they may spend of it."""
    problem: str
    """Where the account does not add up, and its amounts are None."""
    attributes: dict[str, Any]
    """The amounts of the attributes' account, once it is opened."""


class _Shared(TypedDict, total=False):
    share: Any
    """Where an analyst asks: what of the budget is theirs, a dict or None."""
    notice: str
    """Where an analyst asks and little of the share is left."""


class _Oriented(TypedDict, total=False):
    directed: bool
    """Where directions were kept; never False."""
    titles: bool
    """Where the nodes have titles; never False."""
    projection: Any
    """Where more than one label and one type make the graph, a dict: which relationships make an edge."""
    weight: Any
    """Of a loaded graph with weights, a dict: what is declared of them."""


class _Debiting(TypedDict, total=False):
    accounts: list[Any]
    """Of a graph that owns no budget those that its releases debit: names, or amounts beside them."""


class GraphFacts(_Delta, _Shared, _Oriented, _Debiting):
    """A row of `Store.graphs`: public facts."""

    name: str
    node_count: int
    degree_bound: int | None
    """None where only candidates are ranked, whose neighbours are not counted as nodes."""
    epsilon_budget: float | None
    epsilon_spent: float | None


class Balance(_Delta, _Shared, _Debiting):
    """What `Store.budget` returns."""

    epsilon_budget: float | None
    epsilon_spent: float
    epsilon_remaining: float | None
    releases: int


class _Answered(TypedDict, total=False):
    graph: str
    """Where an analyst lists releases, of more than one graph."""
    request_id: str | None
    nodes: list[Any] | None
    """Ids in the order picked; None where the release was never drawn."""
    estimates: dict[str, dict[str, int]]
    expected_recall: float
    """This and the next three: of a list that says how sure it is."""
    membership: list[float]
    near: list[list[Any]]
    degree_intervals: list[list[int]] | None
    strength_intervals: list[list[int]]
    titles: list[str | None]
    near_titles: list[str | None]
    """Beside each of `nodes`, where the graph was loaded with titles; public."""
    target_recall: float | str
    """This and the next four: of a list that was spent for until it was sure enough."""
    target_reached: bool
    steps: int
    spent: str
    ended: str
    value: int | float | None
    values: Any
    summary: dict[str, Any]


class ReleaseRow(_Answered):
    """A row of `Store.releases`."""

    release_id: str
    at: str
    epsilon: float
    account: str
    selector: str
    parameters: dict[str, Any]
    public: dict[str, Any]


class LogRow(TypedDict):
    """A row of `Store.log`."""

    seq: int
    at: str
    by: str
    event: str
    analyst: str | None
    release_id: str | None
    request_id: str | None
    epsilon: float | None
    details: dict[str, Any]
    epsilon_spent: float


class ProblemRow(TypedDict):
    """A row of `Store.check`."""

    graph: str | None
    problem: str
