"""Plan: raw arguments and public facts in, canonical parameters and an integer cost out.

The first step of every release, from every face. It validates, fills the defaults by public rules
only and reads no edge; the plan it returns is what is debited, drawn from and recorded. There is one
frozen class for each kind of plan, and whoever dispatches on it does so by a ``match`` that ends in
``assert_never``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from edgedp.mechanisms import checks
from edgedp.release.options import (
    OPTIONS,
    Asked,
    CountOptions,
    DistributionOptions,
    MotkinOptions,
    PercentileOptions,
    SummaryOptions,
    TopKOptions,
)
from edgedp.release.plan.arc_numbers import (
    ARCS,
    ArcCountPlan,
    ArcDistributionPlan,
    plan_arc_count,
    plan_arc_distribution,
)
from edgedp.release.plan.arcs import ArcsPlan
from edgedp.release.plan.base import Charge, check
from edgedp.release.plan.facts import PublicFacts, reading
from edgedp.release.plan.joint import JointMotkinPlan, JointPlan
from edgedp.release.plan.nodes import (
    AggregatePlan,
    NodesPlan,
    ParetoPlan,
    TopKPlan,
    of_nodes,
    plan_motkin,
    plan_top_k,
)
from edgedp.release.plan.numbers import CountPlan, plan_count
from edgedp.release.plan.records import PercentilePlan, plan_percentile
from edgedp.release.plan.summaries import (
    DistributionPlan,
    NumbersPlan,
    SummaryPlan,
    plan_distribution,
    plan_summary,
)
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import KINDS, Kind, is_word

__all__ = [
    "AggregatePlan",
    "ArcCountPlan",
    "ArcDistributionPlan",
    "ArcsPlan",
    "Charge",
    "CountPlan",
    "DistributionPlan",
    "JointMotkinPlan",
    "JointPlan",
    "Kind",
    "NodesPlan",
    "NumbersPlan",
    "ParetoPlan",
    "PercentilePlan",
    "Plan",
    "PublicFacts",
    "SummaryPlan",
    "TopKPlan",
    "of_nodes",
    "options_from_config",
    "options_of",
    "plan",
]

Plan = NodesPlan | NumbersPlan | ArcCountPlan | ArcDistributionPlan | PercentilePlan
"""Every plan; a further kind of release joins with ``|``."""


def plan(kind: Kind, options: Mapping[str, Any], facts: PublicFacts) -> Plan:
    """Plan a release from options by their Python names.

    Parameters
    ----------
    kind : {"priv_top_k", "motkin", "count", "distribution", "summary", "percentile"}
    options : mapping
        As `edgedp.release.options` lists them; canonical parameters of a plan are options that give it again, a version
        of the release among them, which must be that of this package.
    facts : PublicFacts

    Raises
    ------
    EdgeDPError
        The kind or an option is not known, or a value is out of its domain or contradicts another one.

    Examples
    --------
    >>> plan("priv_top_k", {"metric": "ebc", "k": 2, "epsilon": "0.1"}, PublicFacts(9)).cost
    100000000
    """
    asked = options_of(kind).given({name: value for name, value in options.items() if name != "version"})
    planned = _planned(asked, reading(asked, facts))
    check(asked, planned)
    version = options.get("version")
    if version is not None and version != planned.parameters.get("version"):
        raise ParameterError(
            f"version is {version!r}, must be {planned.parameters.get('version')!r} for this release; ask without it"
        )
    return planned


def _planned(asked: Asked, facts: PublicFacts) -> Plan:
    match asked:
        case TopKOptions():
            return plan_top_k(asked, facts)
        case MotkinOptions():
            return plan_motkin(asked, facts)
        case CountOptions(of=of) if is_word(of, ARCS):
            return plan_arc_count(asked, facts)
        case CountOptions():
            return plan_count(asked, facts)
        case DistributionOptions(of=str("in_degree" | "out_degree" as of)):
            return plan_arc_distribution(of, asked, facts)
        case DistributionOptions():
            return plan_distribution(asked, facts)
        case SummaryOptions():
            return plan_summary(asked, facts)
        case PercentileOptions():
            return plan_percentile(asked, facts)
        case _:
            assert_never(asked)


def options_of(kind: Kind) -> type[Asked]:
    """Return what may be asked of a kind of release.

    Examples
    --------
    >>> "metrics" in options_of("motkin").names()
    True
    """
    found = OPTIONS.get(kind) if isinstance(kind, str) else None
    return OPTIONS[checks.check_choice(kind, "the kind of release", KINDS)] if found is None else found


def options_from_config(kind: Kind, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a procedure's configuration by their Python names.

    Raises
    ------
    UnknownNameError
        A key is not known.

    Examples
    --------
    >>> options_from_config("motkin", {"sensitivityForm": "interval"})
    {'sensitivity_form': 'interval'}
    """
    names = options_of(kind).config_keys()
    checks.check_option_names(config, names)
    return {names[key]: value for key, value in config.items()}
