"""From a release as it is shown back to a release: what a client was sent, or a ledger lists."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from edgedp.release.plan.kept import plan_of
from edgedp.release.release import Release, answer_from_json
from edgedp.words import errors
from edgedp.words.errors import EdgeDPError, StoreError, StoreUnavailableError

if TYPE_CHECKING:
    import httpx

_ASKED = ("selector", "parameters", "ranks_by", "public", "private", "account", "debits")
_RECEIPT = (
    "graph", "release_id", "request_id", "at", "epsilon", "analyst", "epsilon_budget", "epsilon_spent",
    "epsilon_remaining", "delta", "accounts", "share",
)  # fmt: skip


def release_of(shown: Mapping[str, Any], *, kept: bool = False) -> Release:
    """Return the release of its JSON: that of `Release.to_dict`, or a row of `Store.releases`.

    Raises
    ------
    StoreError
        It is of a kind that this version does not know, or was never drawn.

    Examples
    --------
    >>> from edgedp import Graph, priv_top_k
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 30)])
    >>> release = priv_top_k(star, metric="degree", k=1, epsilon=40)
    >>> release_of(release.to_dict()).to_dict() == release.to_dict()
    True
    """
    answer = {key: value for key, value in shown.items() if key not in (*_ASKED, *_RECEIPT)}
    try:
        return Release(
            answer_from_json(answer),
            plan_of(shown["selector"], shown["parameters"], shown["public"]),
            private=bool(shown.get("private", True)),
            receipt={key: shown[key] for key in _RECEIPT if key in shown},
            kept=kept,
        )
    except (EdgeDPError, KeyError, TypeError, ValueError):
        raise StoreError(
            "the release is of a kind that this version does not know; use a newer edgedp"
        ) from None


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
    refused = (kind if isinstance(kind, type) and issubclass(kind, EdgeDPError) else StoreError)(sentence)
    refused.status = answer.status_code
    return refused


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
