"""Makes a card from the ledger, the registry's public facts and what the curator states; no edge, no answer is read."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from edgedp.exact.audit.evidence import EVIDENCE, evidence
from edgedp.faces.card.hazards import HAZARDS
from edgedp.faces.card.hazards import SOURCE as HAZARDS_FROM
from edgedp.release.plan import PublicFacts
from edgedp.release.planning.measured import SOURCE as MEASURED_IN
from edgedp.release.planning.measured import measured
from edgedp.words.amounts import rho
from edgedp.words.amounts.epsilon import NANO, budget_nano
from edgedp.words.dates.calendar import calendar_kept
from edgedp.words.shown import amount
from edgedp.words.version import __version__
from edgedp.words.vocabulary import ACCOUNTS

if TYPE_CHECKING:
    from edgedp.stores.store import Store
    from edgedp.words.vocabulary import AccountName

NOT_STATED = "not stated"
"""Stands where the curator has said nothing."""

_PERSONS = (1, 5, 20, 100)
_NO_PROMISE = 1e9
_PROTECTS = {
    "pair": "everything between two nodes (one edge, or all arcs of one pair)",
    "source": "all arcs that leave one node",
    "target": "all arcs that come to one node",
}
_DECLARED = ("load", "register", "replace", "budget", "attribute")
_PUBLIC = (
    "node_count", "nodes", "degree_bound", "degree_bound_source", "facts", "orientation", "titles", "projection",
    "calendar",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Stated:
    """What a curator says of the deployment, which no ledger knows."""

    curators: Sequence[str] = ()
    intended_use: str = NOT_STATED
    region: str = NOT_STATED
    sector: str | None = None
    authors: Sequence[str] = ()
    retention: str = NOT_STATED


def card_of(store: Store, name: str, stated: Stated | None = None) -> dict[str, Any]:
    """Return the card of a stored graph.

    Parameters
    ----------
    store : Store
        Opened by the curator.
    name : str
    stated : Stated, optional

    Returns
    -------
    dict
        graph, made, edgedp, stated, promise, accounts, public, exact, releases, expected, evidence, ledger,
        retention, hazards: JSON throughout.

    Notes
    -----
    Privacy: no answer, no node's id and nothing of a private edge is in it. Parameters that name nodes are left out.

    Examples
    --------
    >>> import tempfile, edgedp
    >>> with tempfile.TemporaryDirectory() as folder, edgedp.open_store(f"{folder}/store") as store:
    ...     _ = store.load(edgedp.Graph.from_edges([(1, 2), (2, 3)]), "path", epsilon_budget=1)
    ...     card = card_of(store, "path")
    >>> card["accounts"][0]["declared"], card["releases"]
    ({'epsilon': 1.0}, [])
    """
    stated = stated or Stated()
    rows = {row["name"]: row for row in store.graphs()}
    log = store.log(name)
    facts: Mapping[str, Any] = rows.get(name, {})
    accounts = [
        _account(store, name, each, facts)
        for each in ACCOUNTS
        if each == "edges" or "attributes" in store.budget(name)
    ]
    asked = [each for account in accounts for each in _asked(store, name, account["account"])]
    return {
        "graph": name,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "edgedp": __version__,
        "stated": asdict(stated),
        "promise": _promise(accounts[0]),
        "accounts": accounts,
        "public": _public(facts, log),
        "exact": _exact(facts, log),
        "releases": asked,
        "expected": _expected(asked),
        "evidence": _evidence(asked),
        "ledger": {each["account"]: each["head"] for each in accounts},
        "first_release": next((row["at"][:10] for row in log if row["event"] == "debit"), None),
        "retention": {
            "ledger": "every debit, answer and declaration is kept for as long as the store is",
            "answers": "every answer stays in the ledger, so that a repeated request costs nothing",
            "graph": stated.retention,
        },
        "hazards": {"source": HAZARDS_FROM, "hazards": [asdict(each) for each in HAZARDS]},
    }


def _account(store: Store, name: str, account: AccountName, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return an account in the currency that it adds, and what stands in it; the debits of a release count once."""
    log = store.log(name, account)
    balance: Mapping[str, Any] = store.budget(name)
    row = balance if account == "edges" else balance["attributes"]
    if "accounts" in row:
        row = {**row, **_of_all(row["accounts"])}
    declared: dict[str, Any] = {"epsilon": row["epsilon_budget"]}
    spent: dict[str, Any] = {"epsilon": row["epsilon_spent"]}
    delta = row.get("delta")
    if delta is not None and "debits" in row:
        declared |= {"delta": delta}
        spent |= {"at_delta": delta}
    elif delta is not None and row["epsilon_budget"] is not None:
        allowed = rho.budget(budget_nano(row["epsilon_budget"]), rho.delta_atto(delta))
        declared |= {"delta": delta, "rho": allowed / rho.PICO}
        spent |= {"at_delta": delta}
    return {
        "account": account,
        "declared": declared,
        "spent": spent,
        "releases": len({_release_of(each) for each in log if each["event"] == "debit"}),
        "protects": _PROTECTS[row.get("protect", "pair")]
        + _within(balance.get("calendar", facts.get("calendar")))
        if account == "edges"
        else "the whole record of one node",
        "head": store.head(name, account),
        **({"debits": row["debits"]} if "debits" in row else {}),
    }


def _within(calendar: Mapping[str, Any] | None) -> str:
    """Return within which windows a budget bounds what is lost; nothing where it does for all time."""
    return "" if calendar is None else PublicFacts(0, calendar=calendar_kept(calendar)).within


def _of_all(accounts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the accounts of a graph's relationship types bound together: other graphs may read each alone.

    Everything between two nodes, of all types, is bounded by the sum of the budgets (Theorem 5).
    """
    declared = [each["epsilon_budget"] for each in accounts if each["epsilon_budget"] is not None]
    deltas = [each["delta"] for each in accounts if "delta" in each]
    return {
        "epsilon_budget": sum(declared) if declared else None,
        "epsilon_spent": sum(each["epsilon_spent"] for each in accounts),
        "delta": sum(deltas) if deltas else None,
        "debits": [each["account"] for each in accounts],
    }


def _promise(account: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the whole budget promises, in a sentence and for a person of m edges."""
    epsilon, protects = account["declared"]["epsilon"], str(account["protects"])
    dated = "," if ", dated within" in protects else ""
    sentence = (
        f"Whatever is released under this budget, the presence or absence of {protects}{dated} changes the probability "
        f"of any answer by at most a factor exp({amount(epsilon)})."
        if epsilon is not None
        else "No budget is declared, so nothing can be released."
    )
    if "delta" in account["declared"]:
        sentence = sentence[:-1] + f", but for a probability of at most {account['declared']['delta']:g}."
    if not protects.startswith(_PROTECTS["pair"]):
        sentence += " Where arcs are replaced by as many others, the factor counts twice."
        return {"unit": protects, "sentence": sentence, "persons": []}
    persons = []
    for edges in _PERSONS if epsilon else ():
        together = _together(account["declared"], edges)
        odds = math.exp(together) if together < math.log(_NO_PROMISE) else None
        persons.append(
            {"edges": edges, "epsilon": together, "odds": None if odds is None else round(odds, 2)}
        )
    return {"unit": protects, "sentence": sentence, "persons": persons}


def _together(declared: Mapping[str, Any], edges: int) -> float:
    """Return the epsilon for so many edges of a person together: their number times it or, with a delta, by rho.

    A rho for one edge is ``m^2 rho`` for ``m`` (Bun and Steinke 2016, groups); the delta stays as it was declared.
    """
    if "delta" not in declared:
        return float(round(edges * declared["epsilon"] * NANO) / NANO)
    allowed = round(declared["rho"] * rho.PICO)
    return rho.spent_epsilon(edges**2 * allowed, rho.delta_atto(declared["delta"])) / NANO


def _public(facts: Mapping[str, Any], log: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return each public fact with who declared it and when, by the last row of the log that says it."""
    found: dict[str, dict[str, Any]] = {}
    for row in log:
        if row["event"] in _DECLARED:
            said = {"by": row["by"], "at": row["at"][:19], "event": row["event"]}
            for key, value in row["details"].items():
                if key in _PUBLIC or row["event"] in ("budget", "attribute"):
                    found[key] = {"fact": key, "value": value, **said}
    for key in _PUBLIC:
        if key in facts and facts[key] is not None and key in found:
            found[key]["value"] = facts[key]
    return list(found.values())


def _exact(facts: Mapping[str, Any], log: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what is public as it is, and so not protected, and how often the curator read exact values."""
    public = [
        "the ids of the nodes and how many there are",
        "the declared bounds and budgets",
        "what was asked, by whom, when and at what cost",
    ]
    if facts.get("titles"):
        public.append("the titles of the nodes")
    read = sum(row["event"] == "exact" for row in log)
    return {"public": public, "exact_reads": read}


def _asked(store: Store, name: str, account: AccountName) -> list[dict[str, Any]]:
    """Return how many releases of each way of asking there were, and what they cost together; no node is named."""
    count: Counter[tuple[str, ...]] = Counter()
    cost: Counter[tuple[str, ...]] = Counter()
    paid = Counter[str]()
    for debit in store.log(name, account):
        if debit["event"] == "debit":
            paid[_release_of(debit)] += round((debit["epsilon"] or 0) * NANO)
    for row in store.asked(name, account):
        given = row["parameters"]
        what = (
            given.get("metric")
            or given.get("of")
            or given.get("property")
            or "+".join(given.get("metrics", ()))
        )
        key = (row["selector"], str(what), str(given.get("mechanism", "")), str(given.get("k", "")))
        count[key] += 1
        cost[key] += paid[row["release_id"]]
    return [
        {
            "account": account, "kind": kind, "of": what, "mechanism": mechanism, "k": int(k) if k else None,
            "releases": count[key], "epsilon": cost[key] / NANO,
            "epsilon_each": round(cost[key] / count[key]) / NANO,
        }
        for key in sorted(count)
        for kind, what, mechanism, k in [key]
    ]  # fmt: skip


def _release_of(row: Mapping[str, Any]) -> str:
    """Return the release of a debit: one that spends in steps has a debit for each, also where a kill cut it off."""
    return str(row["details"].get("part_of", row["release_id"]))


def _expected(asked: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return for each way of asking what was measured nearest to it, on graphs that could be looked at."""
    found = []
    for row in asked:
        if row["kind"] != "priv_top_k" or row["of"] != "ebc":
            told = "a number has its interval, a sure list its expected recall; nothing was measured here"
            found.append({"kind": row["kind"], "of": row["of"], "told": told, "recall": []})
            continue
        each = row["epsilon_each"]
        sizes = sorted({one.k for one in measured()})
        size = next((one for one in sizes if one >= (row["k"] or 0)), sizes[-1])
        amounts = sorted({one.epsilon for one in measured()})
        amount = max((one for one in amounts if one <= each), default=amounts[0])
        rows = [
            {"graph": one.graph, "k": one.k, "epsilon": one.epsilon, "recall": one.recall}
            for one in measured()
            if (one.k, one.epsilon) == (size, amount) and one.mechanism == row["mechanism"]
        ]
        found.append(
            {"kind": row["kind"], "of": row["of"], "told": f"mean recall, {MEASURED_IN}", "recall": rows}
        )
    return found


def _evidence(asked: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return by what each mechanism that was used is audited."""
    used = {(row["kind"], row["mechanism"]) for row in asked}
    return [
        {"kind": row["release"], "mechanism": row["mechanism"]} | {each: row[each] for each in EVIDENCE}
        for row in evidence()
        if (row["release"], row["mechanism"]) in used or (row["release"], "") in used
    ]
