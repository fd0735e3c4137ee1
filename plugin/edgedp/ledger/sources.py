"""Which accounts the relationship types of a graph belong to: an account outlives graphs, and a graph owns none.

Each type has one account, and one account may be for several types, as accounts of before were. A release debits the
account of every type that it reads by the same epsilon. So what it loses of the relationships of a type is in that
type's account, whatever the graph is called and whatever it leaves out of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from edgedp.ledger import ledger
from edgedp.ledger.account import PEOPLE, UNKNOWN_AMOUNTS, Account, account_of, lost_account, split_account
from edgedp.ledger.calendars import spans
from edgedp.ledger.rows import row_of
from edgedp.mechanisms.checks import check_new_graph_name
from edgedp.words.errors import BudgetError, EdgeDPError, ParameterError, StoreError

if TYPE_CHECKING:
    from edgedp.ledger.backend import Row, Runner
    from edgedp.ledger.events import Declaration
    from edgedp.ledger.rows import GraphRow
    from edgedp.words.dates.calendar import Calendar
    from edgedp.words.vocabulary import Unit

READS = ("account_list", "account_places", "graph_places", "log_names")
"""The statements whose rows `resolved` needs."""


@dataclass(frozen=True)
class Sources:
    """The accounts of the types of a graph.

    Attributes
    ----------
    name : str or None
        The graph's; None where no graph reads them.
    there : mapping of str to dict
        Rows of ``account_list`` of the accounts that there are, by name.
    fresh : mapping of str to str
        The types that have none yet, and the name of the account that each gets.
    """

    name: str | None
    there: Mapping[str, Row]
    fresh: Mapping[str, str]

    @property
    def ledgers(self) -> tuple[str, ...]:
        """The names of all accounts, ascending."""
        return tuple(sorted({*self.there, *self.fresh.values()}))

    @property
    def accounts(self) -> tuple[str, ...] | None:
        """What the graph's row keeps of them: None where its own account is the only one, as it was before."""
        return None if self.ledgers == (self.name,) else self.ledgers

    def unit(self, declared: Declaration, own: Account | None) -> Unit:
        """Return what the accounts protect, all of them.

        Parameters
        ----------
        own : Account or None
            That of the graph's name, as it is or as its log has it.

        Raises
        ------
        BudgetError
            They protect different units, or another one than is declared now.
        """
        held = {name: Account.of(row).protect for name, row in self.there.items() if name != self.name}
        if not held:
            return declared.unit(str(self.name), own)
        if own is not None and own.spent > 0:
            held[str(self.name)] = own.protect
        if len(set(held.values())) > 1:
            told = ", ".join(f"{unit!r} ({name})" for name, unit in sorted(held.items()))
            raise BudgetError(
                f"the accounts of {self.name!r} protect {told}, must all protect the same, so that one sentence "
                "says what a release protects; register the relationship types apart, or choose another name"
            )
        found = next(iter(held.values()))
        if declared.protect not in (None, found):
            raise BudgetError(
                f"protect is {declared.protect!r}, must be {found!r}, as the account {min(held)!r} of the relationship "
                "type protects; ask without it"
            )
        return found

    def calendar(self, declared: Declaration, own: Account | None) -> Calendar | None:
        """Return the calendar of the accounts, of all of them; None where they have none.

        Raises
        ------
        BudgetError
            They have different ones, or another one than is declared now.
        """
        held = {name: Account.of(row).calendar for name, row in self.there.items() if name != self.name}
        if not held:
            return declared.dated(str(self.name), own)
        if own is not None and own.spent > 0:
            held[str(self.name)] = own.calendar
        found = next(iter(held.values()))
        if any(each != found for each in held.values()):
            raise BudgetError(
                f"the accounts of {self.name!r} have different calendars, or some none, and must all have one, for no "
                "one sentence would say what a release protects; register the relationship types apart"
            )
        if declared.calendar not in (None, found):
            raise BudgetError(
                f"dates are given, and are not those of the account {min(held)!r} of the relationship type; leave them "
                "out"
            )
        return found

    def deltas(self, declared: Declaration, own: Account | None) -> list[int | None]:
        """Return the atto-deltas that the accounts will have; each must mean something of the graph's nodes."""
        mine = [declared.settled(self.name, own)[0]] if self.name in self.ledgers else [declared.delta]
        return mine + [Account.of(row).delta for name, row in self.there.items() if name != self.name]

    def check_amounts(self, declared: Declaration) -> None:
        """Refuse to declare, with a graph, other amounts of an account that others may read, too.

        Raises
        ------
        BudgetError
        """
        for name, row in self.there.items():
            account = Account.of(row)
            if name == self.name:
                continue
            same = (
                declared.budget in (None, account.declared)
                and declared.delta in (None, account.delta)
                and (declared.limit or None) in (None, account.limit)
            )
            if not same:
                raise BudgetError(
                    f"epsilon_budget, delta or max_epsilon_per_release is given, and the relationship type "
                    f"{row['relationshipType']!r} has an account already; leave them out, or declare them of the "
                    f"account ('edgedp account {row['relationshipType']}')"
                )


def resolved(
    name: str | None, kinds: Iterable[str], rows: Mapping[str, Iterable[Row]], own: Account | None
) -> Sources:
    """Return the accounts of some types, and which types have none yet.

    Parameters
    ----------
    name : str or None
        The graph that reads them; None for the accounts by themselves.
    kinds : iterable of str
    rows : mapping
        Of `READS`.
    own : Account or None
        That of the graph's name.

    Raises
    ------
    StoreError
        The graph's own account is for other types, or that of a type is gone or edited.
    """
    asked = sorted(set(kinds))
    accounts = {row["name"]: row for row in rows["account_list"]}
    there, owner = {}, dict[str, str]()
    for row in rows["account_places"]:
        kind, of = row["relationshipType"], row["name"]
        shared = common(kind, asked)
        if of == name and not shared:
            raise StoreError(
                f"the ledger of {name!r} accounts for the relationship type {kind!r}; choose another name"
            )
        if not shared:
            continue
        if of != name and (row["lost"] or of not in accounts):
            raise StoreError(lost_account(shared[0], of))
        owner |= {each: str(of) for each in shared}
        if of in accounts:
            there[of] = accounts[of]
    for row in rows["graph_places"]:
        taken_type = common(row["relationshipType"], asked)
        if row["loaded"] and taken_type:
            raise StoreError(
                f"relationship_type is {taken_type[0]!r}, must not be that of a loaded graph, which has its own "
                "budget; use the loaded graph"
            )
    missing = [kind for kind in asked if kind not in owner]
    taken = {row["name"] for key in ("account_list", "graph_places", "log_names") for row in rows[key]}
    fresh = dict[str, str]()
    if name is not None and missing == asked and len(asked) == 1 and not _only_asked(own):
        fresh = {asked[0]: name}
    else:
        for kind in missing:
            fresh[kind] = _free(kind, {*taken, *fresh.values(), *([] if name is None else [name])})
    if name is not None and name in owner.values() and name not in there:  # deleted: its log makes it again
        there[name] = (
            {"name": name, "relationshipType": None}
            | dict.fromkeys(("declared", "budget", "maxPerRelease", "delta", "terms"), None)
            | {"spent": 0, "entries": 0}
        )
    return Sources(name, there, fresh)


def _only_asked(own: Account | None) -> bool:
    """Whether the ledger of a graph's name keeps what was asked of the accounts of others, and was no account."""
    return own is not None and own.budget is None and own.spent > 0


def _free(kind: str, taken: set[str]) -> str:
    """Return a name for the account of a type: the type, where it may be a name and is none yet."""
    try:
        check_new_graph_name(kind)
        named = kind
    except EdgeDPError:
        named = f"type {hashlib.sha256(kind.encode()).hexdigest()[:12]}"
    names = [named, f"{named} (type)", *(f"{named} (type {n})" for n in range(2, len(taken) + 3))]
    return next(each for each in names if each not in taken)


def stored(runner: Runner) -> list[GraphRow]:
    """Return the rows of all graphs; of the registry, whose rows may be edited."""
    found = (runner.run("graph_find", name=each["name"]) for each in runner.run("graph_places"))
    return [row for rows in found for row in map(row_of, rows) if row.readable]


def readers(runner: Runner, ledger_name: str) -> list[GraphRow]:
    """Return the graphs whose releases debit an account."""
    return [row for row in stored(runner) if ledger_name in row.ledgers]


def is_account(row: Mapping[str, Any], graphs: Iterable[GraphRow]) -> bool:
    """Return whether a row of ``account_list`` is an account of edges that something may be paid from."""
    name = row["name"]
    if name == PEOPLE or split_account(name)[1] != "edges":
        return False
    declared = row["budget"] is not None or row["relationshipType"] is not None
    return declared or all(graph.owns for graph in graphs if graph.name == name)


def account_named(
    name: str, rows: Mapping[str, Iterable[Row]], graphs: Sequence[GraphRow], *, of_types: bool
) -> tuple[str, str | None, Row | None]:
    """Return the ledger of the account that a name means, the type that it is opened for, and its row if it is there.

    Parameters
    ----------
    name : str
        A relationship type, a graph or an account.
    rows : mapping
        Of `READS`.
    graphs : sequence of GraphRow
    of_types : bool
        Whether the store's relationships have types.

    Raises
    ------
    EdgeDPError
        It means two accounts, one that was deleted, or a graph that owns none.
    """
    named = next((row for row in rows["account_list"] if row["name"] == name), None)
    found = resolved(None, [name], rows, None) if of_types else Sources(None, {}, {name: name})
    typed = next(iter(found.there.values()), None)
    if typed is not None:
        if named is not None and named["name"] != typed["name"] and is_account(named, graphs):
            raise ParameterError(
                f"{name!r} is a relationship type, of the account {typed['name']!r}, and the name of another account; "
                f"name {typed['name']!r}, or declare that of the graph with 'edgedp budget {name} --set E'"
            )
        return typed["name"], None, typed
    if named is not None:
        own = next((graph for graph in graphs if graph.name == name and not graph.owns), None)
        if own is not None:
            raise no_budget(own)
        account_of(name, "edges")
        return name, None, named
    if any(row["name"] == name for row in rows["log_names"]):
        raise ledger.lost(name)
    ((kind, fresh),) = found.fresh.items()
    if not of_types:
        check_new_graph_name(name)
    return fresh, kind if of_types else None, None


def told_account(row: Row, graphs: Sequence[str]) -> dict[str, Any]:
    """Return an account as it is shown by itself: public facts."""
    try:
        account = Account.of(row)
        amounts = account.shown() | spans.dated(account)
    except StoreError as error:
        amounts = {**UNKNOWN_AMOUNTS, "problem": str(error)}
    kinds = {"account": row["name"], "relationship_types": list(kinds_of(row["relationshipType"]))}
    return kinds | amounts | {"graphs": list(graphs)}


def kinds_of(kept: Any) -> tuple[str, ...]:
    """Return the types that an account is for, as it keeps them.

    Examples
    --------
    >>> kinds_of("CALLED|TEXTED"), kinds_of(None)
    (('CALLED', 'TEXTED'), ())
    """
    return tuple(kept.split("|")) if isinstance(kept, str) and "://" not in kept else ()


def common(kept: Any, asked: Iterable[str]) -> list[str]:
    """Return those of some types that an account is for.

    What somebody has edited to be no text is nobody's type: its account is refused where it is asked for.

    Examples
    --------
    >>> common("CALLED|TEXTED", ["PAID", "TEXTED"]), common("CALLED|TEXTED", ["CALL"])
    (['TEXTED'], [])
    """
    if not isinstance(kept, str):
        return []
    return [kind for kind in asked if kind == kept or kind in kept.split("|")]


def standing(runner: Runner, row: GraphRow) -> dict[str, Account]:
    """Return the accounts that a release of a graph debits, as they are now.

    Raises
    ------
    StoreError
        One is gone.
    """
    found = {}
    for name in row.ledgers:
        rows = runner.run("account_find", name=name)
        if not rows:
            raise ledger.account_gone(row.name)
        found[name] = Account.of(rows[0])
    return found


def tightest(accounts: Mapping[str, Account]) -> str:
    """Return the name of the account of which the least is left: what releases of all of them may still cost.

    Examples
    --------
    >>> tightest({"a": Account(9, 9, 5), "b": Account(7, 7, 0)})
    'a'
    """

    def left(name: str) -> tuple[int, str]:
        account = accounts[name]
        if account.declared is None:
            return -1, name
        return max(account.declared - account.spent_epsilon, 0), name

    return min(accounts, key=left)


def no_budget(row: GraphRow) -> BudgetError:
    """Return the refusal of a budget for a graph that owns none."""
    return BudgetError(
        f"the graph {row.name!r} has no budget of its own, its releases debit the accounts {', '.join(row.ledgers)}; "
        "declare theirs with 'edgedp account NAME --epsilon-budget E'"
    )


def no_records(row: GraphRow) -> BudgetError:
    """Return the refusal of what concerns properties of the nodes, of a graph of another one's rows."""
    return BudgetError(
        f"the nodes of {row.name!r} are those of {row.relationship_type!r}, whose properties have a budget; ask of "
        "that graph"
    )


def told_accounts(accounts: Mapping[str, Account]) -> list[dict[str, Any]]:
    """Return accounts as they are shown beside a graph that debits them all."""
    return [{"account": name} | account.shown() for name, account in accounts.items()]
