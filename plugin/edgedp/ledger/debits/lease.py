"""The lease of a debit that is being drawn, renewed by its drawer for as long as it lives."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from edgedp.ledger import ledger
from edgedp.ledger.script import run
from edgedp.words.errors import EdgeDPError

if TYPE_CHECKING:
    from edgedp.ledger.backend import Backend

__all__ = ["leased"]

PATIENCE = 30.0
"""Seconds."""


@contextmanager
def leased(backend: Backend, name: str, release_id: str, *, ends: bool = True) -> Iterator[None]:
    """Renew a lease from a thread until the context ends; end it at once where the draw failed, if `ends`.

    A renewal that is under way is waited for, so that nobody closes the store under it; not for ever, should the
    database have gone away.
    """
    over = threading.Event()
    thread = threading.Thread(target=_renew, args=(backend, name, release_id, over), daemon=True)
    thread.start()

    def stop() -> None:
        over.set()
        thread.join(PATIENCE)

    try:
        yield
    except BaseException:
        stop()  # a renewal after the end would make the lease anew
        if ends:
            with suppress(EdgeDPError), backend.session() as session:
                run(session, ledger.lease_end_script(name, release_id))
        raise
    stop()


def _renew(backend: Backend, name: str, release_id: str, over: threading.Event) -> None:
    while not over.wait(ledger.LEASE_RENEWAL):
        with suppress(EdgeDPError), backend.session() as session:
            run(session, ledger.lease_renewal_script(name, release_id))
