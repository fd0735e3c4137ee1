"""Plan: raw arguments and public facts in, canonical parameters and an integer cost out.

The first step of every release, from every face. It validates, fills the defaults by public rules
only and reads no edge; the plan it returns is what is debited, drawn from and recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from edgedp import checks
from edgedp.epsilon import epsilon_nano, format_nano, to_fraction
from edgedp.errors import ParameterError
from edgedp.metrics import metric as metric_by_name

__all__ = [
    "MOTKIN_OPTIONS",
    "PRIV_TOP_K_OPTIONS",
    "Plan",
    "PublicFacts",
    "Selector",
    "chosen",
    "plan",
    "plan_from_config",
    "plan_motkin",
    "plan_priv_top_k",
]

Selector = Literal["priv_top_k", "motkin"]

PRIV_TOP_K_OPTIONS = (
    "metric", "k", "epsilon", "mechanism", "sampler", "sensitivity_form", "shift", "proxy",
)  # fmt: skip
MOTKIN_OPTIONS = (
    "metrics", "k", "epsilon", "approach", "sensitivity", "mechanism", "sampler", "sensitivity_form", "shift",
    "weights",
)  # fmt: skip

_JOINT_METRICS = ("degree", "ebc", "betweenness2")
_PROXIES = ("both", "degree", "betweenness2")


@dataclass(frozen=True)
class PublicFacts:
    """What is public about a graph: it may be read before the debit, and shown.

    Parameters
    ----------
    node_count : int
        Number of nodes; the node set is public.
    degree_bound : int or None
        The declared degree bound; None where none was declared (then ``n - 1`` holds, which promises nothing).
    nodes_supplied : bool
        Whether the curator supplied the nodes, or they were read from the edges and declared public.
    """

    node_count: int
    degree_bound: int | None = None
    nodes_supplied: bool = False

    @property
    def effective_degree_bound(self) -> int:
        """``D``: the declared bound, at most ``n - 1``."""
        most = max(self.node_count - 1, 0)
        return most if self.degree_bound is None else min(self.degree_bound, most)

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as a release shows them."""
        return {
            "node_count": self.node_count,
            "nodes": "supplied"
            if self.nodes_supplied
            else "read from the edges, declared public by the curator",
            "degree_bound": self.effective_degree_bound,
            "degree_bound_source": (
                "declared by the curator" if self.degree_bound is not None else "the default, n - 1"
            ),
        }


@dataclass(frozen=True)
class Plan:
    """A validated release: canonical parameters, the facts it rests on and its cost.

    Attributes
    ----------
    selector : {"priv_top_k", "motkin"}
    metrics : tuple of str
        One metric for priv_top_k, two or more for motkin.
    k : int
    cost : int
        Nano-epsilon; the release is drawn with exactly this.
    mechanism, sampler, sensitivity_form, shift, proxy, approach, weights
        Filled with their defaults; None where the option does not apply.
    facts : PublicFacts
    """

    selector: Selector
    metrics: tuple[str, ...]
    k: int
    cost: int
    mechanism: str
    sampler: str
    facts: PublicFacts
    sensitivity_form: str | None = None
    shift: str | None = None
    proxy: str | None = None
    approach: str | None = None
    sensitivity: str | None = None
    weights: tuple[float, ...] | None = None

    @property
    def epsilon(self) -> Fraction:
        """The whole privacy loss, exactly what is debited."""
        return to_fraction(self.cost)

    @property
    def degree_bound(self) -> int:
        """The effective degree bound ``D``."""
        return self.facts.effective_degree_bound

    @property
    def parameters(self) -> dict[str, Any]:
        """Canonical parameters, JSON-able; asking with them again gives the same plan."""
        asked: dict[str, Any] = (
            {"metric": self.metrics[0]}
            if self.selector == "priv_top_k"
            else {"metrics": list(self.metrics), "approach": self.approach, "sensitivity": self.sensitivity}
        )
        asked |= {"k": self.k, "epsilon": format_nano(self.cost), "mechanism": self.mechanism}
        if self.mechanism != "joint":
            asked["sampler"] = self.sampler
        optional = {
            "sensitivity_form": self.sensitivity_form,
            "shift": self.shift,
            "proxy": self.proxy,
            "weights": None if self.weights is None else list(self.weights),
        }
        return asked | {name: value for name, value in optional.items() if value is not None}

    @classmethod
    def from_parameters(cls, selector: Selector, parameters: Mapping[str, Any], facts: PublicFacts) -> Plan:
        """Return the plan of canonical `parameters`."""
        return plan(selector, parameters, facts)


def plan(selector: Selector, options: Mapping[str, Any], facts: PublicFacts) -> Plan:
    """Plan a release from options by their Python names; an unknown one is refused by name.

    Examples
    --------
    >>> plan("priv_top_k", {"metric": "ebc", "k": 2, "epsilon": "0.1"}, PublicFacts(9)).cost
    100000000
    """
    if selector == "motkin":
        _require(options, ("metrics", "k", "epsilon"), MOTKIN_OPTIONS)
        return plan_motkin(facts, **options)
    _require(options, ("metric", "k", "epsilon"), PRIV_TOP_K_OPTIONS)
    return plan_priv_top_k(facts, **options)


def chosen(names: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the named options out of a function's arguments (its ``locals()``)."""
    return {name: given[name] for name in names}


def plan_from_config(selector: Selector, config: Mapping[str, Any], facts: PublicFacts) -> Plan:
    """Plan a release from a procedure's configuration, whose keys are the option names in camelCase.

    Examples
    --------
    >>> plan_from_config("priv_top_k", {"metric": "ebc", "k": 1, "epsilon": 1, "sensitivityForm": "degree"},
    ...                  PublicFacts(9)).sensitivity_form
    'degree'
    """
    names = {_camel(name): name for name in (MOTKIN_OPTIONS if selector == "motkin" else PRIV_TOP_K_OPTIONS)}
    checks.check_option_names(config, names)
    return plan(selector, {names[key]: value for key, value in config.items()}, facts)


def plan_priv_top_k(
    facts: PublicFacts,
    *,
    metric: Any,
    k: Any,
    epsilon: Any,
    mechanism: Any = None,
    sampler: Any = None,
    sensitivity_form: Any = None,
    shift: Any = None,
    proxy: Any = None,
) -> Plan:
    """Plan PrivTopk or a joint release; see `edgedp.priv_top_k` for the parameters."""
    name = checks.check_metric(metric)
    chosen = checks.check_mechanism("sld" if mechanism is None else mechanism)
    drawn_by = checks.check_sampler(sampler, chosen)
    if chosen == "joint":
        if name not in _JOINT_METRICS:
            raise ParameterError(
                f"metric is {name!r}, must be one of {', '.join(_JOINT_METRICS)} for mechanism 'joint'; "
                "use another mechanism"
            )
        _refuse("sensitivity_form", sensitivity_form, "mechanism 'joint'")
        _refuse("shift", shift, "mechanism 'joint'")
    if name == "ebc" and chosen == "joint":
        proxy = checks.check_choice("both" if proxy is None else proxy, "proxy", _PROXIES)
    else:
        _refuse("proxy", proxy, f"metric {name!r} with mechanism {chosen!r}")
    return Plan(
        selector="priv_top_k",
        metrics=(name,),
        k=checks.check_k(k, facts.node_count),
        cost=epsilon_nano(epsilon),
        mechanism=chosen,
        sampler=drawn_by,
        sensitivity_form=_metric_form(sensitivity_form, (name,), chosen),
        shift=_shift(shift, chosen, aggregate_shift((name,), (1.0,), facts.effective_degree_bound)),
        proxy=proxy,
        facts=facts,
    )


def plan_motkin(
    facts: PublicFacts,
    *,
    metrics: Any,
    k: Any,
    epsilon: Any,
    approach: Any = None,
    sensitivity: Any = None,
    mechanism: Any = None,
    sampler: Any = None,
    sensitivity_form: Any = None,
    shift: Any = None,
    weights: Any = None,
) -> Plan:
    """Plan DP-MOTkIN; see `edgedp.motkin` for the parameters."""
    names = _metric_list(metrics)
    approach = checks.check_choice(
        "pareto" if approach is None else approach, "approach", ("pareto", "aggregate")
    )
    sensitivity = checks.check_choice(
        "local" if sensitivity is None else sensitivity, "sensitivity", ("local", "global")
    )
    allowed = ("sld", "ld") if sensitivity == "local" else ("em", "pf")
    chosen = allowed[0] if mechanism is None else checks.check_mechanism(mechanism)
    if chosen not in allowed:
        raise ParameterError(
            f"mechanism is {chosen!r}, must be one of {', '.join(sorted(allowed))} for {sensitivity} sensitivity; "
            "change one of the two"
        )
    drawn_by = checks.check_sampler(sampler, chosen)
    bound = facts.effective_degree_bound
    if approach == "pareto":
        _refuse("weights", weights, "approach 'pareto'")
        summed, form = None, _pareto_form(sensitivity_form, chosen, names)
        default = pareto_shift(names)
    else:
        summed = checks.check_weights(weights, len(names))
        form = _metric_form(sensitivity_form, names, chosen)
        default = aggregate_shift(names, summed, bound)
    return Plan(
        selector="motkin",
        metrics=names,
        k=checks.check_k(k, facts.node_count),
        cost=epsilon_nano(epsilon),
        mechanism=chosen,
        sampler=drawn_by,
        sensitivity_form=form,
        shift=_shift(shift, chosen, default),
        approach=approach,
        sensitivity=sensitivity,
        weights=summed,
        facts=facts,
    )


def aggregate_shift(names: Sequence[str], weights: Sequence[float], degree_bound: int) -> str:
    """Return the default shift of a weighted sum, from metrics and weights alone (docs/privacy.md, "Shift").

    The trend of the sum in the degree is that of its dominating part, the trend of delta is rising if a
    betweenness takes part and falling if only density does; the same trend means ``up``.

    Examples
    --------
    >>> aggregate_shift(["degree", "density"], [1, 1], 10), aggregate_shift(["density"], [1], 10)
    ('down', 'up')
    """
    parts = [
        (metric_by_name(name), weight) for name, weight in zip(names, weights, strict=True) if weight != 0
    ]
    leader, weight = max(
        parts,
        key=lambda part: (part[0].dominance, abs(part[1]) * float(part[0].global_sensitivity(degree_bound))),
    )
    utility = leader.utility_trend * (1 if weight > 0 else -1)
    trends = {part.sensitivity_trend for part, _ in parts}
    delta = 1 if 1 in trends else -1 if -1 in trends else 1
    return "up" if utility == delta else "down"


def pareto_shift(names: Sequence[str]) -> str:
    """Return the default shift of a Pareto score: measured once for each kind of list, and fixed."""
    return "down"


def _metric_list(metrics: Any) -> tuple[str, ...]:
    if isinstance(metrics, str) or not isinstance(metrics, Sequence):
        raise ParameterError(f"metrics is {metrics!r}, must be a list of two or more metrics; give a list")
    names = tuple(checks.check_metric(name, "a metric") for name in metrics)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ParameterError(
            f"metrics is {', '.join(names) or 'empty'}, must be two or more different metrics; "
            "use priv_top_k for a single one"
        )
    return names


def _metric_form(form: Any, names: Sequence[str], mechanism: str) -> str | None:
    """Return the form of the metrics' sensitivities; only dampening reads one."""
    choices = {choice for name in names for choice in metric_by_name(name).forms}
    if mechanism not in ("ld", "sld"):
        _refuse("sensitivity_form", form, f"mechanism {mechanism!r}")
        return None
    return checks.check_choice(
        "degree" if form is None else form, "sensitivity_form", sorted(choices, reverse=True)
    )


def _pareto_form(form: Any, mechanism: str, names: Sequence[str]) -> str | None:
    if mechanism not in ("ld", "sld"):
        _refuse("sensitivity_form", form, f"mechanism {mechanism!r}")
        return None
    known = ("interval", "interval+edge")
    chosen_form = checks.check_choice("interval" if form is None else form, "sensitivity_form", known)
    far = [name for name in names if not metric_by_name(name).moves_near_the_edge]
    if chosen_form == "interval+edge" and far:
        raise ParameterError(
            f"sensitivity_form is 'interval+edge', must be 'interval' with {', '.join(far)}, "
            "of which one edge moves more than its ends and their common neighbours; leave it out"
        )
    return chosen_form


def _shift(shift: Any, mechanism: str, default: str) -> str | None:
    if mechanism != "sld":
        _refuse("shift", shift, f"mechanism {mechanism!r}")
        return None
    return default if shift is None else checks.check_choice(shift, "shift", ("up", "down"))


def _refuse(name: str, value: Any, where: str) -> None:
    """Refuse an option that would have no effect."""
    if value is not None:
        raise ParameterError(f"{name} is not an option of {where}, must be left out; drop it")


def _require(options: Mapping[str, Any], needed: Sequence[str], known: Sequence[str]) -> None:
    checks.check_option_names(options, known)
    for name in needed:
        if options.get(name) is None:
            raise ParameterError(f"{name} is missing, must be given; add it")


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
