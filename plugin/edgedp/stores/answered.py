"""What a gateway answered, as this process takes it: an object, an error of the same name, or when to ask again."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any

from edgedp.words import errors
from edgedp.words.errors import EdgeDPError, StoreError, StoreUnavailableError

if TYPE_CHECKING:
    import httpx

__all__ = ["asked_to_wait", "object_of", "refusal_of", "unreachable"]


def object_of(answer: httpx.Response) -> dict[str, Any]:
    """Return the JSON object of an answer."""
    try:
        found = answer.json()
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise StoreError("the answer is not a gateway's; check the address of the store")
    return found


def refusal_of(answer: httpx.Response) -> EdgeDPError:
    """Return the error that the gateway's problem details name."""
    try:
        told = answer.json()
        name, sentence = str(told["type"]).rpartition(":")[2], str(told["detail"])
    except (ValueError, KeyError, TypeError):
        name, sentence = "StoreUnavailableError", f"the gateway answered with status {answer.status_code}"
    kind = getattr(errors, name, StoreError)
    return (kind if isinstance(kind, type) and issubclass(kind, EdgeDPError) else StoreError)(sentence)


def asked_to_wait(answer: httpx.Response) -> float | None:
    """Return after how many seconds the gateway says to ask again; None where it does not."""
    told = answer.headers.get("retry-after", "")
    return float(told) if told.isdigit() and answer.status_code in (409, 429, 503) else None


def unreachable(address: str, error: BaseException) -> StoreUnavailableError:
    """Return the refusal of a gateway that was not reached."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return StoreUnavailableError(
            f"the certificate of the gateway at {address} is not trusted here ({cause.verify_message.rstrip('.')}); "
            "give the certificate of its authority as ca_file, or name that file in SSL_CERT_FILE"
        )
    if isinstance(cause, ssl.SSLError):
        return StoreUnavailableError(
            f"the gateway at {address} cannot be reached by TLS; check the address, the port and its certificate"
        )
    return StoreUnavailableError(
        f"the gateway at {address} cannot be reached ({type(error).__name__}); check the address and that it runs"
    )
