"""A graph that changed behind its store's back, as one in Neo4j may: the ledger is whole, the edges are others."""

from __future__ import annotations

from dataclasses import replace

from edgedp import Store
from edgedp.ledger import ledger, placing, registry
from edgedp.ledger.events import event_steps
from edgedp.ledger.script import Script, run


def declare_bound(store: Store, name: str, bound: int) -> None:
    """Put a degree bound into the registry and the ledger that nobody compares with the edges."""
    with store._backend.session() as session:
        row = replace(registry.known(session, name), degree_bound=bound)
        noted = event_steps(name, "replace", row.facts.to_dict(), by="nobody", at=ledger.now())
        assert run(session, Script([*placing.place_steps(row), *noted])).name == "done"
