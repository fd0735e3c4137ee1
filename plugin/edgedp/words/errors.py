"""The errors that edgedp raises: one base class, leaves that are also the built-in kind.

    EdgeDPError
    ├── ParameterError (ValueError)
    │   └── RequestConflictError
    ├── UnknownNameError (LookupError)
    ├── GraphFormatError (ValueError)
    │   └── UndecidedError
    ├── AccessError (PermissionError)
    │   └── ExpiredTokenError
    ├── BudgetError (RuntimeError)
    ├── EngineError (RuntimeError)
    └── StoreError (RuntimeError)
        ├── BeingDrawnError
        ├── GraphChangedError
        ├── LostReleaseError
        ├── StoreStateError
        ├── StoreUnavailableError (ConnectionError)
        └── ForeignWordsError

All are public, as ``edgedp.BeingDrawnError``; docs/errors.md says of each whether to ask again.

A message is one line: "<name> is <value>, must be <condition>; <what to do>" where there is a condition,
else a plain sentence and what to do. No message on the way of a release holds a value that depends on
private edges; only loading, which is the curator's, may count.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = [
    "AccessError",
    "BeingDrawnError",
    "BudgetError",
    "EdgeDPError",
    "EngineError",
    "ExpiredTokenError",
    "ForeignWordsError",
    "GraphChangedError",
    "GraphFormatError",
    "KernelWarning",
    "LostReleaseError",
    "ParameterError",
    "RequestConflictError",
    "StoreError",
    "StoreStateError",
    "StoreUnavailableError",
    "UndecidedError",
    "UnknownNameError",
]


MOST_ECHOED = 200
"""Characters of what somebody gave that a message repeats."""

_VALUE = re.compile(f"(?<= is )[^\n]{{{MOST_ECHOED + 1},}}(?=, must )", re.DOTALL)
_QUOTED = re.compile(rf"(?<![\w])(?P<sign>['\"])(?P<text>[^'\"]{{{MOST_ECHOED + 1},}})(?P=sign)")


class EdgeDPError(Exception):
    """Base class of every refusal of this package; its message repeats no long value whole.

    Attributes
    ----------
    status : int or None
        With which a gateway answered, where the refusal is one's.

    Examples
    --------
    >>> len(str(ParameterError(f"k is {'9' * 10**6}, must be a whole number; write one"))) < 250
    True
    """

    status: int | None = None

    def __init__(self, *args: Any) -> None:
        super().__init__(
            *(_shortened(_in_one_line(each)) if isinstance(each, str) else each for each in args)
        )


def _in_one_line(message: str) -> str:
    r"""Return a message as one line: what somebody gave may write itself in several, as an array does.

    Examples
    --------
    >>> _in_one_line("k is [[1]\n     [2]], must be a number")
    'k is [[1] [2]], must be a number'
    """
    return " ".join(line.strip() for line in message.splitlines()) if "\n" in message else message


def _shortened(message: str) -> str:
    if len(message) <= MOST_ECHOED:
        return message
    cut = _VALUE.sub(lambda found: found[0][: MOST_ECHOED - 3] + "...", message)
    return _QUOTED.sub(
        lambda found: f"{found['sign']}{found['text'][: MOST_ECHOED - 3]}...{found['sign']}", cut
    )


class ParameterError(EdgeDPError, ValueError):
    """A parameter is out of its domain or contradicts another one."""


class UnknownNameError(EdgeDPError, LookupError):
    """A name (graph, metric, mechanism, node, option) is not known."""

    def __str__(self) -> str:  # LookupError subclasses such as KeyError quote their argument
        return str(self.args[0]) if self.args else ""


class GraphFormatError(EdgeDPError, ValueError):
    """A source of edges or nodes cannot be read as what it claims to be."""


class UndecidedError(GraphFormatError):
    """A source of edges that could be read in several ways.

    Attributes
    ----------
    question : edgedp.graph.reading.text.question.Question
        What was seen, and the options that would load it.
    """

    question: Any

    def __init__(self, question: Any) -> None:
        super().__init__(question if isinstance(question, str) else "")
        if not isinstance(question, str):  # a gateway's client knows its sentence only
            self.question = question
            self.args = (question.sentence(),)  # its fields are short, and its options are shown whole

    def __reduce__(self) -> tuple[type[UndecidedError], tuple[Any]]:
        return UndecidedError, (getattr(self, "question", str(self)),)


class AccessError(EdgeDPError, PermissionError):
    """Who asks may not: unknown, revoked, or without the role that is asked for."""

    def __str__(self) -> str:  # OSError would look for a number and a file
        return str(self.args[0]) if self.args else ""


class ExpiredTokenError(AccessError):
    """A token was good and is over: its bearer learns what to do, and reads nothing."""


class BudgetError(EdgeDPError, RuntimeError):
    """The privacy budget does not allow the release."""


class StoreError(EdgeDPError, RuntimeError):
    """A stored graph or its ledger is in a state that refuses the operation."""


class RequestConflictError(ParameterError):
    """An identifier of a request is that of another request."""


class BeingDrawnError(StoreError):
    """The release of a request is being drawn by somebody else; asking again later shows it."""


class LostReleaseError(StoreError):
    """The release of a request was debited and never kept; it is never drawn again."""


class GraphChangedError(StoreError):
    """The graph was loaded anew between the plan and the debit; nothing was spent, asking again is right."""


class StoreStateError(StoreError):
    """What is declared in the store refuses the operation; the sentence says so in names that the asker gave."""


class StoreUnavailableError(StoreError, ConnectionError):
    """The database cannot be reached, is locked by another process, or went away."""


class ForeignWordsError(StoreError):
    """A database refused in words of its own, which may hold figures: they are shown before a debit alone."""


class EngineError(EdgeDPError, RuntimeError):
    """An engine cannot do what was asked of it on this machine or this store."""


class KernelWarning(UserWarning):
    """The compiled kernels are missing, and igraph computes in their place."""


for _error in list(globals().values()):
    if isinstance(_error, type) and issubclass(_error, (EdgeDPError, KernelWarning)):
        _error.__module__ = "edgedp"  # as users import them, and as a traceback names them
