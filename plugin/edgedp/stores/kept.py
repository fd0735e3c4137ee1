"""How a release is kept in the log and comes back: the one place that knows the shape of both."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from edgedp.errors import EdgeDPError
from edgedp.plan import JointPlan, Kind, Plan, PublicFacts, plan
from edgedp.selection.domains import shown_domain
from edgedp.stores.ledger import other_request

if TYPE_CHECKING:
    from edgedp.selection.domains import Domain

__all__ = ["as_then", "facts_of", "plan_of", "same_question"]


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
        public["degree_bound"] if declared else None,
        public["nodes"] == "supplied",
        domains=domains or {},
    )


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

    A joint release by both proxies that names no version is one of 0.1.0: its first version.

    Examples
    --------
    >>> old = {"metric": "ebc", "k": 1, "epsilon": "1", "mechanism": "joint", "proxy": "both"}
    >>> plan_of("priv_top_k", old, PublicFacts(9).to_dict()).parameters == old
    True
    """
    if domains is None and "domain" in public:
        domains = {parameters["property"]: shown_domain(public["domain"])}
    planned = plan(cast(Kind, kind), parameters, facts_of(public, domains))
    if isinstance(planned, JointPlan) and "version" not in parameters:
        return replace(planned, version=1)
    return planned


def same_question(
    body: str,
    options: Mapping[str, Any],
    planner: Callable[[dict[str, Any], PublicFacts], Plan],
    request_id: str,
    domains: Mapping[str, Domain] | None = None,
) -> Plan:
    """Return the plan of the release that a request has already, if it is asked the same question again.

    Parameters
    ----------
    body : str
        The debit's, as the log keeps it.
    options : mapping
        What is asked now.
    planner : callable
        Plans options under public facts, as this caller does.
    request_id : str
    domains : mapping, optional
        As of `facts_of`.

    Raises
    ------
    ParameterError
        If it is another question, or none that can be planned.
    """
    asked = json.loads(body)
    drawn = plan_of(asked["kind"], asked["parameters"], asked["public"], domains)
    try:
        same = planner(as_then(options, drawn), drawn.facts).naming(drawn.named) == drawn
    except EdgeDPError:
        same = False
    if not same:
        raise other_request(request_id)
    return drawn
