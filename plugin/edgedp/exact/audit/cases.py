"""Every way of asking for a release, for audits: all mechanisms, metrics, forms, shifts and samplers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, cycle, islice
from typing import Any, assert_never

from edgedp.mechanisms.checks import check_sampler
from edgedp.mechanisms.metrics import metric, metric_names
from edgedp.mechanisms.samplers import sampler
from edgedp.release.plan import (
    AggregatePlan,
    ArcsPlan,
    JointMotkinPlan,
    JointPlan,
    Kind,
    NodesPlan,
    ParetoPlan,
    PublicFacts,
    TopKPlan,
    of_nodes,
    plan,
)
from edgedp.words.vocabulary import PARETO_FORMS, SAMPLERS, SHIFTS

_ONES, _BOTH_SIGNS = (1.0,), (1.0, -0.5, 2.0, -1.0)
"""Weights of sums, repeated as often as there are metrics."""


@dataclass(frozen=True)
class Case:
    """One way of asking for a release, but for k, epsilon and the degree bound.

    Attributes
    ----------
    kind : {"priv_top_k", "motkin"}
    options : dict
        As `edgedp.priv_top_k` or `edgedp.motkin` take them, by name.
    vectors : bool
        Audit the noisy vectors of a joint release themselves, from which its answer is computed.
    """

    kind: Kind
    options: Mapping[str, Any] = field(hash=False)
    vectors: bool = False

    def plan(self, node_count: int, degree_bound: int, k: int, epsilon: Any) -> NodesPlan:
        """Return the plan of this case."""
        facts = PublicFacts(node_count, degree_bound, nodes_supplied=True)
        return of_nodes(plan(self.kind, {**self.options, "k": k, "epsilon": epsilon}, facts))

    @property
    def metrics(self) -> str:
        """The metrics, as one word."""
        return "+".join(self.options.get("metrics") or [self.options["metric"]])

    @property
    def release(self) -> str:
        """What kind of release it is: ``priv_top_k``, ``pareto`` or ``aggregate``."""
        planned = self._smallest
        match planned:
            case TopKPlan() | ArcsPlan() | JointPlan():
                return "priv_top_k"
            case ParetoPlan():
                return "pareto"
            case AggregatePlan():
                return "aggregate"
            case JointMotkinPlan():
                return "pareto" if planned.weights is None else "aggregate"
            case _:
                assert_never(planned)

    @property
    def mechanism(self) -> str:
        """The mechanism with its sampler, as one word; of a joint release, whether its vectors are meant."""
        planned = self._smallest
        match planned:
            case JointPlan() | JointMotkinPlan():
                return "joint (vectors)" if self.vectors else "joint"
            case TopKPlan() | ArcsPlan() | ParetoPlan() | AggregatePlan():
                picking = planned.mechanism
                if picking is None:
                    return "joint (vectors)" if self.vectors else "joint"
                usual = check_sampler(None, picking.name)
                by = "" if picking.sampler == usual else f" ({sampler(picking.sampler).mechanism})"
                return picking.name + by
            case _:
                assert_never(planned)

    @cached_property
    def _smallest(self) -> NodesPlan:
        return self.plan(2, 1, 1, 1)

    @property
    def details(self) -> str:
        """The remaining options, as words: form, shift, weights, proxy."""
        weights = self.options.get("weights")
        words = [self.options.get(name) for name in ("sensitivity_form", "shift", "proxy")]
        words += [f"{name}={self.options[name]}" for name in ("cap", "estimates") if name in self.options]
        words.append(None if weights is None else ",".join(f"{weight:g}" for weight in weights))
        return " ".join(word for word in words if word)


def all_cases() -> Iterator[Case]:
    """Yield every case: PrivTopk and joint over every metric, DP-MOTkIN over every list of metrics."""
    for name in metric_names():
        for options in _mechanisms(metric(name).forms):
            yield Case("priv_top_k", {"metric": name, **options})
    yield from _joint_cases()
    lists = [
        names for size in range(2, len(metric_names()) + 1) for names in combinations(metric_names(), size)
    ]
    for names in lists:
        near = all(metric(name).moves_near_the_edge for name in names)
        for options in _mechanisms([form for form in PARETO_FORMS if near or form != "interval+edge"]):
            yield _motkin(names, options, approach="pareto")
    for names in lists:
        forms = dict.fromkeys(form for name in names for form in metric(name).forms)
        for weights in (_ONES, _BOTH_SIGNS) if len(names) == 2 else (_BOTH_SIGNS,):
            for options in _mechanisms(forms):
                yield _motkin(
                    names, options, approach="aggregate", weights=tuple(islice(cycle(weights), len(names)))
                )
    # A sum of which a monotone metric alone is left is monotone: the factor 2 drops out.
    for options in _mechanisms(("degree",)):
        yield _motkin(("degree", "density"), options, approach="aggregate", weights=(1.0, 0.0))


def _mechanisms(forms: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield mechanism, sampler, form and shift."""
    for name in SAMPLERS:
        yield {"mechanism": sampler(name).mechanism, "sampler": name}
        for form in forms:
            local = {"sampler": name, "sensitivity_form": form}
            yield {"mechanism": "ld", **local}
            for shift in SHIFTS:
                yield {"mechanism": "sld", **local, "shift": shift}


def _motkin(names: tuple[str, ...], options: dict[str, Any], **more: Any) -> Case:
    sensitivity = "local" if "sensitivity_form" in options else "global"
    return Case("motkin", {"metrics": names, "sensitivity": sensitivity, **options, **more})


def _joint_cases() -> Iterator[Case]:
    """Yield every vector that has a law, its answers and itself, and every release that buys more than one."""
    yield Case("priv_top_k", {"metric": "degree", "mechanism": "joint"})
    yield Case("priv_top_k", {"metric": "degree", "mechanism": "joint"}, vectors=True)
    yield Case("priv_top_k", {"metric": "degree", "mechanism": "joint", "estimates": True}, vectors=True)
    for name in metric_names():
        for proxy in metric(name).proxies:
            options = {"metric": name, "mechanism": "joint", "proxy": proxy}
            match proxy:
                case "degree":
                    continue  # the metric's own
                case "betweenness2":
                    if name == proxy:
                        yield Case("priv_top_k", options)
                        yield Case("priv_top_k", options, vectors=True)
                case "both":
                    yield Case("priv_top_k", options, vectors=True)
                case "ordered":
                    yield Case("priv_top_k", options, vectors=True)
                    yield Case("priv_top_k", {**options, "cap": 2}, vectors=True)
                case "lists":
                    yield Case("priv_top_k", {**options, "cap": 2}, vectors=True)
                case _:
                    assert_never(proxy)
    for names in (("degree", "density"), ("density", "ebc"), ("degree", "betweenness2")):
        asked = {"metrics": names, "mechanism": "joint"}
        yield Case("motkin", asked, vectors=True)
        yield Case("motkin", {**asked, "approach": "aggregate", "weights": (1.0, 300.0)}, vectors=True)
