"""The store: stored graphs, their ledgers and releases, over any backend."""

from __future__ import annotations

from edgedp.stores.accounts import AccountStore
from edgedp.stores.addresses.addressed import AddressStore
from edgedp.stores.exact import ExactStore
from edgedp.stores.people.people import PeopleStore
from edgedp.stores.records import StoreRecords
from edgedp.stores.refreshing import RefreshingStore
from edgedp.stores.registering import RegisteringStore
from edgedp.stores.releases.analyst import AnalystStore
from edgedp.stores.releases.simulating import SimulatingStore


class Store(
    RefreshingStore,
    RegisteringStore,
    AddressStore,
    AccountStore,
    ExactStore,
    PeopleStore,
    SimulatingStore,
    AnalystStore,
    StoreRecords,
):
    """Graphs in a database with a privacy ledger each; made by `edgedp.open_store`.

    Whoever asks for a release chooses neither the noise nor the degree bound. A release spends its budget
    first, in a committed transaction, and is only then drawn; what was drawn is kept in the ledger.
    """
