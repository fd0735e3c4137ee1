"""The curator's verbs: what may be registered or dropped, as scripts, and what their outcomes mean."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from edgedp.faces.worker.requests import BY, graph_of, known_config
from edgedp.faces.worker.wording import in_cypher
from edgedp.graph.titles import check_apart
from edgedp.ledger import attributes, events, ledger, placing, registry, sources
from edgedp.ledger.account import Account, account_of
from edgedp.ledger.events import Declaration, check_delta
from edgedp.ledger.pairs import projection_of
from edgedp.ledger.rows import row_to_json
from edgedp.ledger.script import Script
from edgedp.mechanisms import checks
from edgedp.mechanisms.selection.domains import declare
from edgedp.stores.calendars import declared_calendar
from edgedp.stores.neo4j import dated, places
from edgedp.stores.neo4j import schema as neo4j_schema
from edgedp.stores.neo4j.frames import Frame
from edgedp.stores.neo4j.packed import graph_of_arrays
from edgedp.words.amounts.epsilon import budget_nano
from edgedp.words.amounts.rho import delta_atto
from edgedp.words.dates.calendar import calendar_kept
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import UNITS

_PLACE = ("nodeLabel", "relationshipType", "idProperty")
_DOMAIN = ("property", "low", "high", "grid", "points", "dependsOn", "epsilonBudget")
_BUDGET, _LIMIT = "epsilonBudget", "maxEpsilonPerRelease"
_EMPTY = "allowEmpty"
_FACTS = "facts"
_UNIT = "protect"
_TITLE = "titleProperty"
_DATES, _WITHIN = "dates", "within"
_RULES = ("orientation", "where", "atLeast", "candidates", "weight")


def version(request: Frame) -> Frame:
    """Say whether the database is of this version, or refuse a newer one; ``migrate`` brings an older one to it."""
    header = request.header
    current = neo4j_schema.check_version(header["version"], old=header["old"])
    fresh = header["version"] is None and not header["old"]
    return Frame({"current": current, "fresh": fresh, "constraints": list(neo4j_schema.constraints())})


def migrate(request: Frame) -> Frame:
    """Hand out what brings the database to the present version, from what was read of it."""
    script = neo4j_schema.migration_script(request.header["rows"])
    return Frame({"before": [list(each) for each in neo4j_schema.BEFORE], "script": script.to_dict()})


def register(request: Frame) -> Frame:
    """Validate the declaration of a graph; what comes back is its row, still without a number of nodes."""
    known = [
        *_PLACE,
        *_RULES,
        _TITLE,
        _UNIT,
        _DATES,
        _WITHIN,
        "degreeBound",
        _BUDGET,
        _LIMIT,
        "delta",
        _EMPTY,
        _FACTS,
    ]
    config = known_config(request, known)
    given = {key: config[key] for key in _RULES if config.get(key) is not None}
    made = projection_of(
        config.get(_PLACE[0]),
        config.get(_PLACE[1]),
        given.get("orientation", "UNDIRECTED"),
        given.get("where"),
        given.get("atLeast", 1),
        given.get("candidates"),
        given.get("weight"),
        names=(*_PLACE[:2], _RULES[2]),
    )
    row = placing.registered_row(
        checks.check_graph_name(request.header["name"]),
        made,
        checks.check_text(config.get(_PLACE[2]), _PLACE[2]),
        checks.check_degree_bound(config.get("degreeBound")),
        None if config.get(_TITLE) is None else checks.check_text(config[_TITLE], _TITLE),
    )
    places.check_names(row)
    checks.check_no_option(
        "degreeBound", row.degree_bound if made.candidates else None, "a graph with candidates"
    )
    checks.check_facts("recorded" if config.get(_FACTS) is None else config[_FACTS])
    allowed = checks.check_switch(config.get(_EMPTY) or False, _EMPTY)
    return Frame({"graph": row_to_json(row), "declared": _declared(config), "allow_empty": allowed})


def check_graph(request: Frame) -> Frame:
    """Check that a graph can be read and keeps its bound; a curator's job, so it may count."""
    row = graph_of(request)
    places.check_survey(row, request.header["survey"])
    graph, _ = graph_of_arrays(request.arrays, row.projection)
    if row.degree_bound is not None and graph.max_degree > row.degree_bound:
        raise ParameterError(
            f"degreeBound is {row.degree_bound}, must be at least the largest degree, {graph.max_degree}; "
            "declare a larger bound"
        )
    check_delta(request.header["declared"]["delta"], graph.node_count)
    if not request.header["allow_empty"]:
        places.check_some_edge(row, graph.edge_count)
    return Frame(
        {
            "graph": row_to_json(row),
            "exact": {"edgeCount": graph.edge_count, "maxDegree": graph.max_degree},
            "warnings": [
                in_cypher(str(places.index_hint(row, label))) for label in request.header["unindexed"]
            ],
        }
    )


def register_script(request: Frame) -> Frame:
    """Hand out the script of a registration, from the account as it was read."""
    header = request.header
    row = registry.row_of(header["graph"])
    check_apart(row.title_property, attributes.declared_in(header["attributes"]), _TITLE)
    account = Account.of(header["account"]) if header["account"] else None
    declared = _declaration(header["declared"])
    found = sources.resolved(row.name, row.types, header["rows"], account)
    row = replace(row, accounts=found.accounts)
    for delta in found.deltas(declared, account):
        check_delta(delta, row.node_count)
    script = placing.register_script(
        row,
        account,
        declared,
        by=BY,
        at=ledger.now(),
        last=header["last"],
        guards=places.register_guards(row),
        sources=found,
    )
    calendar = found.calendar(declared, account or Account.of_log(row.name, header["last"]))
    hints = dated.hints(calendar, row.types, header["indexes"])
    return Frame(
        {
            "script": script.to_dict(),
            "graph": row_to_json(row),
            "warnings": [in_cypher(each) for each in hints],
        }
    )


def account_script(request: Frame) -> Frame:
    """Hand out the script that declares an account by itself, from what was read; or nothing, where it is shown."""
    header = request.header
    config = known_config(request, [_UNIT, _DATES, _WITHIN, _BUDGET, _LIMIT, "delta"])
    declared = _declaration(_declared(config, zero=True))
    graphs = [row for row in map(registry.row_of, header["graphs"]) if row.readable]
    name, kind, row = sources.account_named(
        checks.check_text(header["name"], "name"), header["rows"], graphs, of_types=True
    )
    readers = [graph for graph in graphs if name in graph.ledgers]
    told = {"account": name, "graphs": [graph.name for graph in readers]}
    if declared == Declaration():
        if row is None:
            raise ledger.unknown(name)
        return Frame(told | {"script": None})
    for nodes in [graph.node_count for graph in readers] or [0]:
        check_delta(declared.delta, nodes)
    script = events.account_script(
        name,
        kind,
        None if row is None else Account.of(row),
        declared,
        told["graphs"],
        by=BY,
        at=ledger.now(),
    )
    return Frame(told | {"script": script.to_dict()})


def set_budget(request: Frame) -> Frame:
    """Hand out the script that declares another budget, from the account as it was read."""
    header = request.header
    name, delta = account_of(header["name"], "edges"), header["delta"]
    declared = Declaration(
        budget=budget_nano(header["epsilon_budget"], _BUDGET, zero=True),
        delta=None if delta is None else delta_atto(delta),
    )
    if declared.delta is not None:
        if header["graph"] is None:
            raise ParameterError(
                f"delta is declared for {name!r}, which is not stored; register the graph first"
            )
        check_delta(declared.delta, int(header["graph"]["nodeCount"]))
    if header["graph"] is not None and not (row := registry.row_of(header["graph"])).owns:
        raise sources.no_budget(row)
    account = Account.of(header["account"])
    return Frame({"script": events.budget_script(name, account, declared, by=BY, at=ledger.now()).to_dict()})


def attribute(request: Frame) -> Frame:
    """Declare a property: hand out the script, from the attributes' account and declarations as they were read."""
    header = request.header
    config = known_config(request, _DOMAIN)
    row = registry.row_of(header["graph"])
    domain = declare(
        config.get("low"),
        config.get("high"),
        config.get("grid", "linear"),
        config.get("points"),
        config.get("dependsOn", "independent"),
    )
    named = checks.check_text(config.get("property"), "property")
    attributes.check_private(named, row)
    found = Account.of(header["account"]) if header["account"] else None
    before = attributes.declared_in(header["attributes"])
    at = ledger.now()
    script = attributes.attribute_script(
        row.name, found or Account(None, None, 0), named, domain, before, by=BY, at=at
    )
    budget = config.get(_BUDGET)
    declared = Declaration(None if budget is None else budget_nano(budget, _BUDGET))
    steps = [
        *placing.attributes_steps(row.name, found, Declaration(), by=BY, at=at),
        *script.steps,
        *events.declaration_steps(account_of(row.name, "attributes"), found, declared, by=BY, at=at),
    ]
    shown = attributes.listed({named: domain})[0]
    return Frame({"script": Script(steps).to_dict(), "declared": shown})


def drop(request: Frame) -> Frame:
    """Hand out the script that drops or forgets a graph."""
    row = registry.row_of(request.header["graph"])
    last = request.header["last"]
    script = placing.drop_script(row, last, by=BY, at=ledger.now(), retire=places.retire_steps(row))
    return Frame({"script": script.to_dict()})


def curator_refusal(request: Frame) -> Frame:
    """Refuse, in the words of an outcome of a curator's script."""
    header = request.header
    name, outcome = header["name"], header["outcome"]
    if header.get("graph") is not None:
        refusal = places.guard_refusal(outcome, registry.row_of(header["graph"]), header["rows"])
        if refusal is not None:
            raise refusal
    raise ledger.curator_refusal(outcome, name)


def _declared(config: dict[str, Any], *, zero: bool = False) -> dict[str, Any]:
    """Return the fields of a `Declaration`."""
    budget, delta, limit = config.get(_BUDGET), config.get("delta"), config.get(_LIMIT)
    if delta is not None and budget is None:
        raise ParameterError("delta is given without an epsilonBudget; declare both")
    calendar = declared_calendar(config.get(_DATES), config.get(_WITHIN))
    return {
        "budget": None if budget is None else budget_nano(budget, _BUDGET, zero=zero),
        "delta": None if delta is None else delta_atto(delta),
        "limit": None if limit is None else budget_nano(limit, _LIMIT),
        "protect": None if config.get(_UNIT) is None else checks.check_choice(config[_UNIT], _UNIT, UNITS),
        "calendar": None if calendar is None else calendar.to_dict(),
    }


def _declaration(fields: dict[str, Any]) -> Declaration:
    """Return the declaration whose fields went through the plugin as JSON."""
    kept = fields["calendar"]
    return Declaration(**fields | {"calendar": None if kept is None else calendar_kept(kept)})
