"""What Neo4j and its driver say, as one clear line; the password is in none of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edgedp.ledger.backend import half_a_character
from edgedp.words.errors import EdgeDPError, ForeignWordsError, StoreError, StoreUnavailableError


@contextmanager
def one_line_errors(address: str, database: str | None) -> Iterator[None]:
    """Turn every error of the driver into an `EdgeDPError`."""
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        yield
    except EdgeDPError:
        raise
    except UnicodeEncodeError:
        raise half_a_character() from None
    except (DriverError, Neo4jError) as error:
        raise _translated(error, address, database) from None


def _translated(error: Exception, address: str, database: str | None) -> EdgeDPError:
    from neo4j import exceptions

    code = getattr(error, "code", None) or ""
    if isinstance(error, exceptions.IncompleteCommit):
        return StoreUnavailableError(
            f"store is {address}, which went away while it was writing; budget may have been spent: "
            "look at 'edgedp budget' and 'edgedp releases' before asking again"
        )
    if isinstance(error, exceptions.AuthError):
        return StoreError(
            f"{address} refuses the user or the password, or that there is none; "
            "pass auth, or set NEO4J_USERNAME and NEO4J_PASSWORD"
        )
    if "DatabaseNotFound" in code or "Database.General" in code:
        return StoreError(
            f"database is {database!r}, must exist on {address}; set NEO4J_DATABASE, or ask without it for the default"
        )
    if isinstance(error, exceptions.Forbidden):
        return ForeignWordsError(
            f"the user may not do this on {address}; use another user (the server says: {_short(error)})"
        )
    if "ReadOnly" in code:
        return StoreError(
            f"the database on {address} is read-only, and a release is written to its ledger before it "
            "is drawn; take the database out of server.databases.read_only, or use another"
        )
    if isinstance(error, exceptions.ConstraintError):
        return StoreError("the name or the relationship type was taken by somebody else meanwhile; ask again")
    if "TransactionTimedOut" in code:
        return StoreUnavailableError(
            f"store is {address}, where the ledger was not free, or the server not done, within the lock timeout; "
            "end the transaction that holds the ledger, or ask again"
        )
    if "LockAcquisitionTimeout" in code or "LockClientStopped" in code or "DeadlockDetected" in code:
        return StoreUnavailableError(f"another transaction holds the ledger of {address}; ask again")
    if isinstance(
        error, (exceptions.ServiceUnavailable, exceptions.SessionExpired, exceptions.DatabaseUnavailable)
    ):
        return StoreUnavailableError(
            f"the Neo4j server at {address} does not answer; start it or check the address"
        )
    if isinstance(error, exceptions.ConfigurationError):
        return StoreError(f"store is {address}, which the driver refuses: {_short(error)}; check the address")
    return ForeignWordsError(f"Neo4j refused the statement; it says: {_short(error)}")


def _short(error: Exception) -> str:
    text = getattr(error, "message", None) or str(error)
    return " ".join(str(text).split())[:300]
