"""The engines: two implementations of the exact quantities, by our own kernels and by igraph.

`serving` says which of them answers: igraph stands in where the compiled kernels are missing.
"""

from __future__ import annotations

from edgedp.words.errors import EngineError
from edgedp.words.vocabulary import GraphEngine

__all__ = ["kernels", "serving"]


def serving(engine: GraphEngine) -> GraphEngine:
    """Return the engine that serves for the one asked for; to be called before anything is spent.

    ``native`` without its compiled kernels is served by ``igraph``, with one `KernelWarning`: the quantities are
    the same, and so is the law of a release.

    Raises
    ------
    EngineError
        In a checkout: the kernels were compiled from other sources.

    Examples
    --------
    >>> serving("igraph")
    'igraph'
    """
    if engine != "native":
        return engine
    from edgedp.graph.engines.native.library import missing, warn_once

    if missing() is None:
        return engine
    warn_once()
    return "igraph"


def kernels() -> str:
    """Say in a few words which kernels are at hand: their instruction level, or why there are none.

    Examples
    --------
    >>> kernels().startswith("compiled kernels: ")
    True
    """
    from edgedp.graph.engines.native.library import level_name, missing

    try:
        reason = missing()
    except EngineError as error:
        return str(error)
    return (
        f"compiled kernels: {level_name()}"
        if reason is None
        else f"no compiled kernels: {reason}; igraph serves"
    )
