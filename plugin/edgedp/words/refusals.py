"""What may be refused after the debit: every sentence, constant, for some rest on private edges.

Whatever can be refused from public facts is refused by the plan, before anything is spent. What is left
is listed here and nowhere else. A sentence never varies: a count in it would be a release without noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edgedp.words.errors import EdgeDPError, EngineError, ForeignWordsError, StoreError

BOUND_BROKEN = (
    "the graph exceeds its declared degree bound; what was asked for stays spent; "
    "ask the curator to declare a larger bound"
)
"""Rests on private edges: it tells that some degree is above a public number (docs/privacy.md)."""

NODES_CHANGED = (
    "the graph's nodes changed since the release was planned; what was asked for stays spent; ask again"
)
"""Rests on the node set, which is public; a default bound or a Pareto score planned for fewer nodes would be wrong."""

IDS_BROKEN = (
    "a node of the graph has no id, shares its id with another, or has one of another type than the rest; "
    "what was asked for stays spent; ask the curator to mend the ids"
)
"""Rests on the node ids, which are public."""

RECORD_LOST = (
    "the release's row is gone from the ledger, so the answer is not shown; what was asked for stays spent"
)
"""Rests on the ledger alone."""

ENGINE_FAILED = "the release could not be computed; what was asked for stays spent; report this defect"
"""Stands for every error that nobody foresaw, whose own words could hold values."""

STORE_FAILED = "the store could not read the graph; what was asked for stays spent; its own log says why"
"""Stands for what a database says in words of its own: how much memory a reading took follows the edges."""

CALL_FAILED = (
    "the release could not be read or computed; what was asked for stays spent; the server's log says why"
)
"""Stands for every failure of a procedure's call: whether time, memory or a frame ended first follows the edges."""

ADDRESS_FAILED = (
    "the rows at the address could not be read as they were registered; what was asked for stays spent; "
    "ask the curator to preview them"
)
"""Rests on the rows: that one lacks an end, is of another type, or that files changed while they were read."""

ADDRESS_TOO_LARGE = (
    "the rows at the address need more memory than the curator allows; what was asked for stays spent; "
    "ask the curator to allow more, or for engine 'spark'"
)
"""Rests on the number of rows, which follows the edges: it tells that it is above a public number."""

AFTER_THE_DEBIT = (
    BOUND_BROKEN, NODES_CHANGED, IDS_BROKEN, RECORD_LOST, ENGINE_FAILED, STORE_FAILED, CALL_FAILED,
    ADDRESS_FAILED, ADDRESS_TOO_LARGE,
)  # fmt: skip


@contextmanager
def constant_refusals() -> Iterator[None]:
    """Let nothing out of a block of projecting and drawing but the sentences of this module.

    Also let through is what a store says of itself in words of this package (`StoreError`: the database went away);
    a database's own words are replaced by `STORE_FAILED`, and any other error by `ENGINE_FAILED`, without its cause.
    So is the panic of a library in Rust, which Python hands on beside its exceptions.
    A release that ran out of memory stays a `MemoryError`.

    Examples
    --------
    >>> with constant_refusals():
    ...     raise ValueError("node 7 has degree 12")
    Traceback (most recent call last):
    edgedp.EngineError: the release could not be computed; what was asked for stays spent; report this defect
    """
    try:
        yield
    except ForeignWordsError:
        raise StoreError(STORE_FAILED) from None
    except StoreError:
        raise
    except EdgeDPError as error:
        if str(error) in AFTER_THE_DEBIT:
            raise
        raise EngineError(ENGINE_FAILED) from None
    except MemoryError:
        raise MemoryError from None
    except BaseException as error:
        # What a library in Rust says of its own defect, with the value at hand, is no Exception.
        if isinstance(error, Exception) or type(error).__module__ == "pyo3_runtime":
            raise EngineError(ENGINE_FAILED) from None
        raise
