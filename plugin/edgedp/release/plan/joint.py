"""Plans of joint releases: noise on whole vectors once, and a ranking of what was released."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, assert_never

from edgedp.mechanisms import checks
from edgedp.mechanisms.metrics import metric as metric_by_name
from edgedp.mechanisms.metrics import metric_names
from edgedp.release.options import MotkinOptions, TopKOptions
from edgedp.release.plan.base import PlanOfNodes, SeekingPlan, checked_target
from edgedp.release.plan.facts import PublicFacts
from edgedp.words.amounts import rho
from edgedp.words.amounts.epsilon import epsilon_nano, format_nano
from edgedp.words.amounts.written import shortest
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import Approach, Proxy

_CUTS = frozenset({"cut_shares"})
VERSION = 3
"""Of the releases whose purchases follow from noisy degrees. 3: a quarter of epsilon, then what these say. 2: parts
fixed beforehand; 1, of 0.1.0, rested on the degree bound. What an older one drew is shown and never drawn again."""


@dataclass(frozen=True, kw_only=True)
class JointPlan(SeekingPlan):
    """A joint release of the top k.

    Attributes
    ----------
    ranked_by : {"both", "degree", "betweenness2", "lists", "ordered"}
        What the noisy vectors hold: the metric itself, or proxies of it.
    cap : int or None
        The most neighbours that a node connects; public. None where the noisy degrees tell.
    estimates : bool
        Whether the answer shows the numbers of edges and wedges as well.
    version : int
        Of a release by both proxies, or by ordered cuts: `VERSION`, or that of a kept one.
    """

    KIND = "priv_top_k"

    metric: str
    ranked_by: Proxy
    cap: int | None = None
    estimates: bool = False
    version: int = field(default=VERSION, compare=False)

    @cached_property
    def rests_on_bound(self) -> bool:
        """Whether the noise follows the degree bound: that of `betweenness2` alone does, and that of version 1."""
        match self.ranked_by:
            case "betweenness2":
                return True
            case "both":
                return self.version == 1
            case "degree" | "lists" | "ordered":
                return False
            case _:
                assert_never(self.ranked_by)

    @property
    def ranks_by(self) -> str | None:
        """The proxy, in words; None of a metric that is its own vector."""
        if self.ranked_by == self.metric:
            return None
        match self.ranked_by:
            case "both":
                return "noisy degree and noisy betweenness2 through cuts together"
            case "lists":
                return "noisy betweenness2 through cuts"
            case "ordered":
                return "noisy degree and noisy betweenness2 through ordered cuts together"
            case "degree" | "betweenness2" as vector:
                return f"noisy {vector}"
            case _:
                assert_never(self.ranked_by)

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Canonical parameters; a metric that is its own vector has no proxy."""
        asked = {"metric": self.metric, "k": self.k, "epsilon": format_nano(self.cost), "mechanism": "joint"}
        if self.metric != "degree":
            asked |= {"proxy": self.ranked_by}
        if self.cap is not None:
            asked |= {"cap": self.cap}
        if self.estimates:
            asked |= {"estimates": True}
        if self.target_recall is not None:
            asked |= {"target_recall": shortest(self.target_recall)}
        return asked | _versioned(self.version, since={"both": 2, "ordered": 3}.get(self.ranked_by))

    @property
    def quantities(self) -> frozenset[str]:
        """What the draw asks of its projection, beside the degrees."""
        match self.ranked_by:
            case "degree":
                return frozenset()
            case "betweenness2":
                return frozenset({"betweenness2_shares"})
            case "both":
                return _CUTS | {"ordered_degrees"}
            case "lists":
                return _CUTS
            case "ordered":
                return _CUTS | {"ordered_degrees"}
            case _:
                assert_never(self.ranked_by)

    @property
    def rho_shares(self) -> int:
        """``epsilon^2 / rho`` of what is epsilon-DP as a whole."""
        return rho.PURE


@dataclass(frozen=True, kw_only=True)
class JointMotkinPlan(PlanOfNodes):
    """A joint release of nodes that are good in several metrics: Pareto front or weighted sum.

    Attributes
    ----------
    weights : tuple of float or None
        Of a sum; None for the front.
    estimates : bool
    version : int
        `VERSION`, or that of a kept release.
    """

    KIND = "motkin"

    metrics: tuple[str, ...]
    weights: tuple[float, ...] | None
    estimates: bool = False
    version: int = field(default=VERSION, compare=False)

    @property
    def ranks_by(self) -> str:
        """What stands for the other metrics, in words."""
        return "noisy degree and what noisy cuts say about the other metrics"

    @cached_property
    def rests_on_bound(self) -> bool:
        """No vector that it buys does."""
        return False

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Canonical parameters."""
        approach: Approach = "pareto" if self.weights is None else "aggregate"
        asked: dict[str, Any] = {"metrics": list(self.metrics), "approach": approach, "k": self.k}
        asked |= {"epsilon": format_nano(self.cost), "mechanism": "joint"}
        if self.weights is not None:
            asked |= {"weights": list(self.weights)}
        asked |= {"estimates": True} if self.estimates else {}
        return asked | _versioned(self.version, since=3)

    @property
    def quantities(self) -> frozenset[str]:
        """What the draw asks of its projection, beside the degrees."""
        closed = {"cut_closed_shares"} if "density" in self.metrics else set()
        connected = {"cut_shares"} if {"ebc", "betweenness2"} & set(self.metrics) else set()
        behind = set() if "degree" in self.metrics else {"ordered_degrees"}
        return frozenset(closed | connected | behind)

    @property
    def rho_shares(self) -> int:
        """``epsilon^2 / rho`` of what is epsilon-DP as a whole."""
        return rho.PURE


def _target(ranked_by: Proxy, asked: TopKOptions, facts: PublicFacts) -> Fraction | None:
    """Return the expected recall that is enough, where the release is one whose list says how sure it is."""
    if asked.target_recall is None:
        return None
    match ranked_by:
        case "both" | "degree":
            pass
        case "betweenness2" | "lists" | "ordered":
            raise ParameterError(
                f"target_recall cannot be kept with proxy {ranked_by!r}, whose noise is drawn at once; "
                "leave the proxy out, or the target"
            )
        case _:
            assert_never(ranked_by)
    checks.check_no_option("estimates", asked.estimates or None, "a release that spends until it is sure")
    return checked_target(asked.target_recall, facts)


def _versioned(version: int, since: int | None) -> dict[str, int]:
    """Return the version as it is recorded: from the first one on that releases of the kind name."""
    return {"version": version} if since is not None and version >= since else {}


def plan_joint(name: str, asked: TopKOptions, facts: PublicFacts) -> JointPlan:
    """Plan a joint release of the top k; see `edgedp.priv_top_k` for the options."""
    proxies = metric_by_name(name).proxies
    if not proxies:
        joint = sorted(each for each in metric_names() if metric_by_name(each).proxies)
        raise ParameterError(
            f"metric is {name!r}, must be one of {', '.join(joint)} for mechanism 'joint'; use another mechanism"
        )
    own = asked.proxy is None or proxies == (name,)
    ranked_by = proxies[0] if own else checks.check_choice(asked.proxy, "proxy", proxies)
    return JointPlan(
        metric=name,
        k=checks.check_k(asked.k, facts.node_count),
        cost=epsilon_nano(asked.epsilon),
        ranked_by=ranked_by,
        cap=_cap(ranked_by, asked.cap),
        estimates=asked.estimates and _buys_degrees(ranked_by),
        target_recall=_target(ranked_by, asked, facts),
        facts=facts,
    )


def plan_joint_motkin(
    names: tuple[str, ...], approach: Approach, asked: MotkinOptions, facts: PublicFacts
) -> JointMotkinPlan:
    """Plan a joint release of several metrics; see `edgedp.motkin` for the options."""
    weights: tuple[float, ...] | None
    match approach:
        case "pareto":
            weights = None
        case "aggregate":
            weights = checks.check_weights(asked.weights, len(names))
        case _:
            assert_never(approach)
    return JointMotkinPlan(
        metrics=names,
        k=checks.check_k(asked.k, facts.node_count),
        cost=epsilon_nano(asked.epsilon),
        weights=weights,
        estimates=asked.estimates,
        facts=facts,
    )


def _cap(ranked_by: Proxy, cap: Any) -> int | None:
    """Return the public cap: lists need one, ordered may have one."""
    match ranked_by:
        case "lists":
            if cap is None:
                raise ParameterError(
                    "cap is missing for proxy 'lists'; give the most neighbours that a node connects, a public number, "
                    "or take proxy 'both', which needs none"
                )
            return checks.check_cap(cap)
        case "ordered":
            return None if cap is None else checks.check_cap(cap)
        case "both" | "degree" | "betweenness2":
            return None
        case _:
            assert_never(ranked_by)


def _buys_degrees(ranked_by: Proxy) -> bool:
    """Return whether noisy degrees are bought, of which estimates are made."""
    match ranked_by:
        case "both" | "degree" | "ordered":
            return True
        case "lists" | "betweenness2":
            return False
        case _:
            assert_never(ranked_by)
