"""What the black-box audit releases: a way of asking, and two neighbouring graphs on which its loss is seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.exact.audit.arcs import ArcCase
from edgedp.exact.audit.cases import Case
from edgedp.exact.audit.strengths import StrengthCase
from edgedp.exact.numbers import count_probabilities
from edgedp.graph.graph import Graph
from edgedp.release.in_memory.numbers import count, distribution, summary
from edgedp.release.options import CountOptions
from edgedp.release.plan import PublicFacts
from edgedp.release.plan.numbers import plan_count

Outcome = tuple[int, ...]
"""The nodes of an answer, or the numbers of one."""

Law = NDArray[np.float64]


@dataclass(frozen=True)
class NumbersCase:
    """A release of numbers.

    Attributes
    ----------
    release : {"count", "distribution", "summary"}
    options : dict
        As of the function of that name.
    """

    release: Literal["count", "distribution", "summary"]
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def metrics(self) -> str:
        """What is looked at."""
        return {"summary": "+".join(_LOOKED_AT), "distribution": "degree"}.get(
            self.release, str(self.options.get("of"))
        )

    @property
    def mechanism(self) -> str:
        """What noise; that of a summary and of a distribution is fixed."""
        return str({"summary": "shares", "distribution": "geometric"}.get(
            self.release, self.options.get("mechanism")
        ))  # fmt: skip

    @property
    def details(self) -> str:
        """The remaining options, as words."""
        return " ".join(str(value) for name, value in self.options.items() if name not in ("of", "mechanism"))

    def draw(self, target: Target, graph: Graph) -> Outcome:
        """Draw one release with the secure source."""
        asked: dict[str, Any] = {"epsilon": target.epsilon, "degree_bound": target.degree_bound}
        match self.release:
            case "count":
                return (int(count(graph, **self.options, **asked).value),)
            case "distribution":
                return tuple(map(int, distribution(graph, **self.options, **asked).values))
            case "summary":
                page = summary(graph, **self.options, **asked).values
                return tuple(page[name] for name in _LOOKED_AT)
            case _:
                assert_never(self.release)

    def laws(self, target: Target, graphs: list[Graph]) -> tuple[list[Outcome], list[Law]] | None:
        """Return every outcome with its probabilities on the graphs, or None where no law of the whole is known."""
        if self.release != "count":
            return None
        facts = PublicFacts(target.node_count, target.degree_bound)
        planned = plan_count(CountOptions.given({**self.options, "epsilon": target.epsilon}), facts)
        values = range(planned.shape.maximum(planned.bounds) + 1)
        laws = [
            count_probabilities(
                graph, epsilon=target.epsilon, values=values, degree_bound=target.degree_bound, **self.options
            )
            for graph in graphs
        ]
        return [(value,) for value in values], laws


_LOOKED_AT = ("edges", "triangles", "wedges", "degree_at_most")
"""Of a summary."""


@dataclass(frozen=True)
class Target:
    """A release and two neighbouring graphs, on which its loss is large and seen in few releases.

    Attributes
    ----------
    case : Case, NumbersCase, ArcCase or StrengthCase
    masks : (int, int)
        Two graphs that differ in one edge, as `graph_of_mask` takes them; of arcs two that differ in all that the unit
        has, as `digraph_of_mask` takes them, and of weights as `weighted_graph` does.
    node_count, degree_bound, k : int
    epsilon : str
    trials : int
        Releases on each graph with which the bound at confidence 0.9999 falls below 0.8 of the exact loss
        less than once in a million audits.
    """

    case: Case | NumbersCase | ArcCase | StrengthCase
    node_count: int
    degree_bound: int
    k: int
    epsilon: str
    masks: tuple[int, int]
    trials: int


TARGETS = (
    Target(Case("priv_top_k", {"metric": "degree", "mechanism": "pf"}), 5, 4, 1, "3", (183, 191), 5_200),
    Target(Case("priv_top_k", {"metric": "degree", "mechanism": "em"}), 3, 2, 2, "6", (1, 3), 11_000),
    Target(Case("priv_top_k", {"metric": "degree", "mechanism": "joint"}), 5, 4, 1, "4", (183, 191), 6_000),
    Target(Case("priv_top_k", {"metric": "ebc", "mechanism": "sld"}), 3, 2, 1, "6", (3, 7), 6_000),
    Target(
        Case("motkin", {"metrics": ("degree", "density"), "sampler": "permute_and_flip"}),
        5, 4, 1, "8", (185, 249), 7_500,
    ),
    Target(Case("priv_top_k", {"metric": "ebc", "mechanism": "joint"}), 5, 4, 1, "8", (185, 249), 700),
    Target(
        Case("priv_top_k", {"metric": "ebc", "mechanism": "joint", "proxy": "lists", "cap": 2}),
        4, 3, 1, "10", (23, 55), 6_000,
    ),
    Target(
        Case("priv_top_k", {"metric": "ebc", "mechanism": "joint", "proxy": "ordered"}),
        5, 4, 1, "4", (183, 191), 1_000,
    ),
    Target(
        Case("motkin", {"metrics": ("degree", "density"), "mechanism": "joint"}), 5, 4, 1, "4", (183, 191), 1_000
    ),
    Target(NumbersCase("summary"), 5, 4, 1, "8", (183, 191), 1_000),
    Target(NumbersCase("distribution"), 5, 4, 1, "8", (183, 191), 1_000),
    Target(NumbersCase("distribution", {"form": "histogram"}), 5, 4, 1, "12", (183, 191), 1_000),
    Target(NumbersCase("count", {"of": "edges", "mechanism": "geometric"}), 5, 4, 1, "3", (0, 1), 3_000),
    Target(NumbersCase("count", {"of": "triangles", "mechanism": "calibrated"}), 5, 4, 1, "3", (511, 1023), 5_000),
    Target(StrengthCase("strength", "pair", "em"), 3, 2, 1, "3", (2, 0), 13_000),
    Target(StrengthCase("strength", "pair", "pf"), 3, 2, 1, "3", (2, 0), 13_000),
    Target(StrengthCase("strength", "pair", "joint"), 3, 2, 1, "4", (2, 0), 13_000),
    Target(StrengthCase("in_strength", "source", "pf"), 3, 2, 1, "3", (8, 0), 13_000),
    Target(ArcCase("in_degree", "pair", "em"), 3, 2, 2, "6", (58, 18), 13_000),
    Target(ArcCase("in_degree", "pair", "pf"), 3, 2, 1, "3", (63, 23), 9_000),
    Target(ArcCase("in_degree", "pair", "joint"), 3, 2, 1, "4", (63, 23), 9_000),
    Target(ArcCase("in_degree", "pair", "joint", cap=1), 3, 2, 2, "8", (44, 4), 6_000),
    Target(ArcCase("in_degree", "source", "em"), 3, 2, 2, "6", (60, 12), 13_000),
    Target(ArcCase("in_degree", "source", "pf"), 3, 2, 1, "3", (63, 15), 9_000),
    Target(ArcCase("in_degree", "source", "joint", cap=2), 3, 2, 1, "8", (63, 15), 9_000),
)  # fmt: skip
"""One for each kind of noise and of path: permute-and-flip, Gumbel over two picks, geometric, lazy scores, rounds,
lists, the adaptive releases as a whole, several numbers of one answer, and one number; of in-degrees all arcs of one
pair and of one source, taken away. Where no law is known, the event comes from other releases, drawn before."""
