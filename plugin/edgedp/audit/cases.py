"""Every way of asking for a release, for audits: all mechanisms, metrics, forms, shifts and samplers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from edgedp.checks import SAMPLERS
from edgedp.metrics import metric, metric_names
from edgedp.plan import Plan, PublicFacts, Selector, plan

__all__ = ["Case", "all_cases"]

_SHIFTS = ("up", "down")
_WEIGHTS = ((1.0, 1.0, 1.0, 1.0), (1.0, -0.5, 2.0, -1.0))
"""Of sums: as many as there are metrics are taken from the front."""


@dataclass(frozen=True)
class Case:
    """One way of asking for a release, but for k, epsilon and the degree bound.

    Attributes
    ----------
    selector : {"priv_top_k", "motkin"}
    options : dict
        As `edgedp.priv_top_k` or `edgedp.motkin` take them, by name.
    vectors : bool
        Audit the noisy vectors of a joint release themselves, from which its answer is computed.
    """

    selector: Selector
    options: Mapping[str, Any] = field(hash=False)
    vectors: bool = False

    def plan(self, node_count: int, degree_bound: int, k: int, epsilon: Any) -> Plan:
        """Return the plan of this case."""
        facts = PublicFacts(node_count, degree_bound, nodes_supplied=True)
        return plan(self.selector, {**self.options, "k": k, "epsilon": epsilon}, facts)

    @property
    def metrics(self) -> str:
        """The metrics, as one word."""
        return "+".join(self.options.get("metrics") or [self.options["metric"]])

    @property
    def release(self) -> str:
        """What kind of release it is: ``priv_top_k``, ``pareto`` or ``aggregate``."""
        return self.plan(2, 1, 1, 1).approach or "priv_top_k"

    @property
    def mechanism(self) -> str:
        """The mechanism with its sampler, as one word; of a joint release, whether its vectors are meant."""
        chosen = self.plan(2, 1, 1, 1)
        if chosen.mechanism == "joint":
            return "joint (vectors)" if self.vectors else "joint"
        drawn_otherwise = chosen.mechanism != "pf" and chosen.sampler == "permute_and_flip"
        return f"{chosen.mechanism} (pf)" if drawn_otherwise else chosen.mechanism

    @property
    def details(self) -> str:
        """The remaining options, as words: form, shift, weights, proxy."""
        weights = self.options.get("weights")
        words = [self.options.get(name) for name in ("sensitivity_form", "shift", "proxy")]
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
        # One edge moves the length-2 betweenness of more than its ends and their common neighbours.
        for options in _mechanisms(
            ("interval",) if "betweenness2" in names else ("interval", "interval+edge")
        ):
            yield _motkin(names, options, approach="pareto")
    for names in lists:
        forms = metric("ebc").forms if "ebc" in names else ("degree",)
        for weights in _WEIGHTS if len(names) == 2 else _WEIGHTS[1:]:
            for options in _mechanisms(forms):
                yield _motkin(names, options, approach="aggregate", weights=weights[: len(names)])
    # A sum of which the degree alone is left is monotone: the factor 2 drops out.
    for options in _mechanisms(("degree",)):
        yield _motkin(("degree", "density"), options, approach="aggregate", weights=(1.0, 0.0))


def _mechanisms(forms: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield mechanism, sampler, form and shift; em with permute-and-flip is pf."""
    for sampler in SAMPLERS:
        yield {"mechanism": "em" if sampler == "exponential" else "pf", "sampler": sampler}
        for form in forms:
            local = {"sampler": sampler, "sensitivity_form": form}
            yield {"mechanism": "ld", **local}
            for shift in _SHIFTS:
                yield {"mechanism": "sld", **local, "shift": shift}


def _motkin(names: tuple[str, ...], options: dict[str, Any], **more: Any) -> Case:
    sensitivity = "local" if options["mechanism"] in ("ld", "sld") else "global"
    return Case("motkin", {"metrics": names, "sensitivity": sensitivity, **options, **more})


def _joint_cases() -> Iterator[Case]:
    for name in ("degree", "betweenness2"):
        options = {"metric": name, "mechanism": "joint"}
        yield Case("priv_top_k", options)
        yield Case("priv_top_k", options, vectors=True)
    yield Case("priv_top_k", {"metric": "ebc", "mechanism": "joint", "proxy": "both"}, vectors=True)
