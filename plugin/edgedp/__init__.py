"""edgedp: who matters in a graph, without saying who is connected to whom.

Edge-differentially-private top-k node selection on stored graphs. Everything public is named in
``__all__`` and imported on first use, so that ``import edgedp`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from edgedp.words.version import __version__

if TYPE_CHECKING:
    from edgedp import exact, mechanisms, spark
    from edgedp.exact import quality
    from edgedp.exact.experiments.advice import advise
    from edgedp.exact.experiments.asking import experiment
    from edgedp.exact.experiments.report import write_report
    from edgedp.graph.graph import Graph
    from edgedp.graph.loading import preview, read_graph
    from edgedp.graph.reading import datasets
    from edgedp.mechanisms.selection.percentiles import percentile
    from edgedp.mechanisms.selection.picking import select, select_top_k
    from edgedp.release.in_memory import count, distribution, motkin, priv_top_k, summary
    from edgedp.release.release import Release
    from edgedp.stores import Store, open_store
    from edgedp.words.errors import (
        AccessError,
        BeingDrawnError,
        BudgetError,
        EdgeDPError,
        EngineError,
        ForeignWordsError,
        GraphChangedError,
        GraphFormatError,
        KernelWarning,
        LostReleaseError,
        ParameterError,
        RequestConflictError,
        StoreError,
        StoreStateError,
        StoreUnavailableError,
        UndecidedError,
        UnknownNameError,
    )


_HOME = {
    "AccessError": "errors",
    "BeingDrawnError": "errors",
    "BudgetError": "errors",
    "EdgeDPError": "errors",
    "EngineError": "errors",
    "ForeignWordsError": "errors",
    "Graph": "graph",
    "GraphChangedError": "errors",
    "GraphFormatError": "errors",
    "KernelWarning": "errors",
    "LostReleaseError": "errors",
    "ParameterError": "errors",
    "Release": "release",
    "RequestConflictError": "errors",
    "Store": "stores",
    "StoreError": "errors",
    "StoreStateError": "errors",
    "StoreUnavailableError": "errors",
    "UndecidedError": "errors",
    "UnknownNameError": "errors",
    "advise": "experiments.advice",
    "count": "in_memory",
    "datasets": "reading",
    "distribution": "in_memory",
    "experiment": "experiments.asking",
    "motkin": "in_memory",
    "open_store": "stores",
    "percentile": "selection.percentiles",
    "preview": "loading",
    "priv_top_k": "in_memory",
    "read_graph": "loading",
    "select": "selection.picking",
    "select_top_k": "selection.picking",
    "summary": "in_memory",
    "write_report": "experiments.report",
}
_MODULES = ("exact", "mechanisms", "quality", "spark")

__all__ = [
    "AccessError",
    "BeingDrawnError",
    "BudgetError",
    "EdgeDPError",
    "EngineError",
    "ForeignWordsError",
    "Graph",
    "GraphChangedError",
    "GraphFormatError",
    "KernelWarning",
    "LostReleaseError",
    "ParameterError",
    "Release",
    "RequestConflictError",
    "Store",
    "StoreError",
    "StoreStateError",
    "StoreUnavailableError",
    "UndecidedError",
    "UnknownNameError",
    "__version__",
    "advise",
    "count",
    "datasets",
    "distribution",
    "exact",
    "experiment",
    "mechanisms",
    "motkin",
    "open_store",
    "percentile",
    "preview",
    "priv_top_k",
    "quality",
    "read_graph",
    "select",
    "select_top_k",
    "spark",
    "summary",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"edgedp.{_HOME[name]}"), name)
    if name in _MODULES:
        return import_module(f"edgedp.{name}")
    raise AttributeError(f"module 'edgedp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
