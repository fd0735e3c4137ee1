"""From refusals to answers: a status and problem details (RFC 9457) with the sentence of the command line."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse

from edgedp.words.errors import (
    AccessError,
    BeingDrawnError,
    BudgetError,
    EdgeDPError,
    EngineError,
    GraphChangedError,
    LostReleaseError,
    ParameterError,
    RequestConflictError,
    StoreError,
    StoreStateError,
    StoreUnavailableError,
    UnknownNameError,
)
from edgedp.words.refusals import (
    ADDRESS_FAILED,
    ADDRESS_TOO_LARGE,
    BOUND_BROKEN,
    ENGINE_FAILED,
    IDS_BROKEN,
    NODES_CHANGED,
    RECORD_LOST,
    STORE_FAILED,
)
from edgedp.words.shown import shown

TITLES = {
    400: "Bad request",
    401: "No valid token",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    408: "Request too slow",
    409: "Conflict",
    410: "Gone",
    413: "Body too large",
    415: "Wrong type of body",
    421: "Wrong host",
    422: "Not a valid request",
    429: "Too many requests",
    500: "Internal error",
    503: "Not available",
}

UNFORESEEN = "the request could not be answered; report this defect"
"""Stands for every error that nobody foresaw, whose own words could hold values."""

STORE_AWAY = "the store does not answer now; ask again, with the same Idempotency-Key if the request had one"
"""Stands for what names the place of a store that is away, busy or full; an analyst is not told where it is."""

STORE_BROKEN = "the store cannot answer; ask the curator, whose log says why"
"""Stands for every other error of a store, whose sentence is for whoever runs it."""

_TYPE = "urn:edgedp:problem:"

_AFTER = {
    BOUND_BROKEN: 409, NODES_CHANGED: 409, IDS_BROKEN: 409, RECORD_LOST: 500, ENGINE_FAILED: 500, STORE_FAILED: 500,
    ADDRESS_FAILED: 409, ADDRESS_TOO_LARGE: 409,
}  # fmt: skip
"""The refusals after the debit; the state of the graph is in the way of some."""


class Problem(Exception):  # noqa: N818 - an answer, and no defect
    """An answer that is a problem.

    Parameters
    ----------
    status : int
    detail : str
        The sentence.
    kind : str
        The name of the error in Python, which a client raises again.
    headers : dict, optional
    cause : str, optional
        What the operator's log says, where `detail` is a constant sentence that stands for it.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        kind: str = "EdgeDPError",
        headers: dict[str, str] | None = None,
        cause: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.kind, self.headers = status, shown(detail), kind, headers or {}
        self.cause = None if cause is None else shown(cause)

    def body(self) -> dict[str, Any]:
        """Return the problem details."""
        return {
            "type": _TYPE + self.kind,
            "title": TITLES[self.status],
            "status": self.status,
            "detail": self.detail,
        }

    def response(self) -> JSONResponse:
        """Return the answer."""
        return JSONResponse(
            self.body(), self.status, headers=self.headers, media_type="application/problem+json"
        )


def of_error(error: Exception, *, missing: bool = False) -> Problem:
    """Return the answer to a refusal.

    Parameters
    ----------
    error : Exception
    missing : bool
        Whether an unknown name is that of what was asked for, and no word in the question.

    Examples
    --------
    >>> of_error(StoreError("store is /srv/graphs, whose ledger is damaged")).detail
    'the store cannot answer; ask the curator, whose log says why'
    >>> of_error(BudgetError("epsilon is 2, must be at most 1")).status, of_error(KeyError("degree 12")).detail
    (403, 'the request could not be answered; report this defect')
    """
    if isinstance(error, Problem):
        return error
    if not isinstance(error, EdgeDPError):
        return Problem(500, UNFORESEEN, "EngineError")
    sentence = str(error)
    for constant, status in _AFTER.items():
        if sentence.startswith(constant):
            return Problem(status, sentence, _public_name(error))
    match error:
        case BeingDrawnError() | GraphChangedError() | LostReleaseError() | StoreStateError():
            cause = None
        case StoreUnavailableError():
            sentence, cause = STORE_AWAY, sentence
        case StoreError():
            sentence, cause = STORE_BROKEN, sentence
        case _:
            cause = None
    status, headers = _status(error, missing)
    return Problem(status, sentence, _public_name(error), headers, cause)


def _status(error: EdgeDPError, missing: bool) -> tuple[int, dict[str, str]]:
    match error:
        case AccessError() | BudgetError():
            return 403, {}
        case RequestConflictError():
            return 409, {}
        case BeingDrawnError() | GraphChangedError():
            return 409, {"Retry-After": "1"}
        case LostReleaseError():
            return 410, {}
        case StoreStateError():
            return 409, {}
        case StoreUnavailableError():
            return 503, {"Retry-After": "5"}
        case UnknownNameError():
            return 404 if missing else 422, {}
        case ParameterError() | EngineError():
            return 422, {}
        case StoreError():
            return 500, {}
        case _:
            return 422, {}


def _public_name(error: EdgeDPError) -> str:
    """Return the nearest class that a client knows."""
    from edgedp.words import errors

    return next(kind.__name__ for kind in type(error).__mro__ if hasattr(errors, kind.__name__))
