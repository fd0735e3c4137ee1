"""The plan of a release that was kept: from what a log, or a release as JSON, holds of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from edgedp.graph.columns import BY_VALUE
from edgedp.graph.weights import Weighting, weighting_of
from edgedp.mechanisms.checks import check_choice
from edgedp.mechanisms.selection.domains import shown_domain
from edgedp.release.options import CountOptions
from edgedp.release.plan import JointMotkinPlan, JointPlan, Kind, Plan, PublicFacts, plan
from edgedp.release.plan.joint import VERSION
from edgedp.release.plan.numbers import plan_count
from edgedp.words.dates.calendar import calendar_kept
from edgedp.words.vocabulary import UNITS

if TYPE_CHECKING:
    from edgedp.mechanisms.selection.domains import Domain


def facts_of(public: Mapping[str, Any], domains: Mapping[str, Domain] | None = None) -> PublicFacts:
    """Return the public facts that a release was drawn under.

    Parameters
    ----------
    public : mapping
        As it was kept.
    domains : mapping, optional
        The declared properties, which no declaration changes once anything was debited for them.

    Examples
    --------
    >>> facts_of(PublicFacts(9, 4).to_dict())
    PublicFacts(node_count=9, degree_bound=4, nodes_supplied=False)
    """
    declared = str(public.get("degree_bound_source", "")).startswith("declared")
    return PublicFacts(
        public["node_count"],
        public.get("degree_bound") if declared else None,
        public["nodes"] == "supplied",
        domains=domains or {},
        facts=public.get("facts"),
        directed="orientation" in public,
        projection=public.get("projection"),
        # Of before it was kept, only picks were drawn for another unit, which are the same plan for any.
        protect=check_choice(public.get("protect", "pair"), "protect", UNITS),
        calendar=calendar_kept(public["calendar"]) if "calendar" in public else None,
        weighting=weighting_shown(public),
        # Of which types they were is no matter any more.
        columns=dict.fromkeys(public["where"], BY_VALUE) if "where" in public else None,
    )


def weighting_shown(public: Mapping[str, Any]) -> Weighting | None:
    """Return what is declared of weights, from public facts as they are shown; None of a graph without.

    Examples
    --------
    >>> weighting_shown({"projection": {"weight": {"property": "amount", "cap": 9}}}).most, weighting_shown({})
    (9, None)
    """
    weight = public.get("weight") or (public.get("projection") or {}).get("weight")
    return None if weight is None else weighting_of(weight)


def as_then(options: Mapping[str, Any], drawn: Plan) -> dict[str, Any]:
    """Return options with the mechanism of a kept release where they name none: the default may have been another.

    Examples
    --------
    >>> drawn = plan("priv_top_k", {"metric": "ebc", "k": 1, "epsilon": 1, "mechanism": "sld"}, PublicFacts(9))
    >>> plan("priv_top_k", as_then({"metric": "ebc", "k": 1, "epsilon": 1}, drawn), PublicFacts(9)) == drawn
    True
    """
    given = {name: value for name, value in options.items() if value is not None}
    then = {name: drawn.parameters[name] for name in ("mechanism",) if name in drawn.parameters}
    return then | given


def plan_of(
    kind: str,
    parameters: Mapping[str, Any],
    public: Mapping[str, Any],
    domains: Mapping[str, Domain] | None = None,
) -> Plan:
    """Return the plan of a kept release.

    A joint release that names no version is of an older one, which is shown and never drawn again.

    Examples
    --------
    >>> old = {"metric": "ebc", "k": 1, "epsilon": "1", "mechanism": "joint", "proxy": "both"}
    >>> plan_of("priv_top_k", old, PublicFacts(9).to_dict()).parameters == old
    True
    """
    if domains is None and "domain" in public:
        domains = {parameters["property"]: shown_domain(public["domain"])}
    version = parameters.get("version", 1)
    if type(version) is int and 0 < version <= VERSION:
        parameters = {name: value for name, value in parameters.items() if name != "version"}
    planned = plan(cast(Kind, kind), parameters, facts_of(public, domains))
    return replace(planned, version=version) if isinstance(planned, JointPlan | JointMotkinPlan) else planned


def plan_shown(shown: Mapping[str, Any]) -> Plan:
    """Return the plan of a release as JSON; a number of a graph in memory may have a delta, which no ledger has.

    Examples
    --------
    >>> asked = {"of": "triangles", "epsilon": "1", "mechanism": "nls", "delta": "0.000001"}
    >>> plan_shown({"selector": "count", "parameters": asked, "public": PublicFacts(9).to_dict()}).parameters == asked
    True
    """
    asked = dict(shown["parameters"])
    if shown["selector"] != "count" or "delta" not in asked or "graph" in shown:
        return plan_of(shown["selector"], shown["parameters"], shown["public"])
    delta = asked.pop("delta")
    return plan_count(CountOptions.given(asked), facts_of(shown["public"]), delta=delta, stored=False)
