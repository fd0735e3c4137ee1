"""edgedp: who matters in a graph, without saying who is connected to whom.

Edge-differentially-private top-k node selection on stored graphs. Everything public is named in
``__all__`` and imported on first use, so that ``import edgedp`` costs next to nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edgedp import exact, mechanisms, quality, spark
    from edgedp.exact.experiments.advice import advise
    from edgedp.exact.experiments.asking import experiment
    from edgedp.exact.experiments.report import write_report
    from edgedp.graph.graph import Graph
    from edgedp.graph.loading import preview, read_graph
    from edgedp.graph.reading import datasets
    from edgedp.mechanisms.selection.percentiles import percentile
    from edgedp.mechanisms.selection.picking import select, select_top_k
    from edgedp.release.in_memory.nodes import motkin, priv_top_k
    from edgedp.release.in_memory.numbers import count, distribution, summary
    from edgedp.release.release import Release
    from edgedp.stores import Store, open_store
    from edgedp.words.errors import (
        AccessError,
        BeingDrawnError,
        BudgetError,
        EdgeDPError,
        EngineError,
        ExpiredTokenError,
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
    from edgedp.words.version import __version__


_HOME = {
    **dict.fromkeys(
        (
            "AccessError", "BeingDrawnError", "BudgetError", "EdgeDPError", "EngineError", "ExpiredTokenError",
            "ForeignWordsError",
            "GraphChangedError", "GraphFormatError", "KernelWarning", "LostReleaseError", "ParameterError",
            "RequestConflictError", "StoreError", "StoreStateError", "StoreUnavailableError", "UndecidedError",
            "UnknownNameError",
        ),
        "words.errors",
    ),
    "__version__": "words.version",
    "Graph": "graph.graph",
    "Release": "release.release",
    "Store": "stores",
    "advise": "exact.experiments.advice",
    "count": "release.in_memory.numbers",
    "datasets": "graph.reading",
    "distribution": "release.in_memory.numbers",
    "experiment": "exact.experiments.asking",
    "motkin": "release.in_memory.nodes",
    "open_store": "stores",
    "percentile": "mechanisms.selection.percentiles",
    "preview": "graph.loading",
    "priv_top_k": "release.in_memory.nodes",
    "read_graph": "graph.loading",
    "select": "mechanisms.selection.picking",
    "select_top_k": "mechanisms.selection.picking",
    "summary": "release.in_memory.numbers",
    "write_report": "exact.experiments.report",
}  # fmt: skip
_MODULES = ("exact", "mechanisms", "quality", "spark")
_DOORS = {"experiments": "exact.experiments", "quality": "exact.quality", "worker": "faces.worker"}
"""Public modules whose code lies in a room: the plugin starts ``python -m edgedp.worker``."""

__all__ = [
    "AccessError",
    "BeingDrawnError",
    "BudgetError",
    "EdgeDPError",
    "EngineError",
    "ExpiredTokenError",
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


if not TYPE_CHECKING:  # a type checker knows every name from above, and none besides

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            return getattr(import_module(f"edgedp.{_HOME[name]}"), name)
        if name in _MODULES:
            return import_module(f"edgedp.{_DOORS.get(name, name)}")
        raise AttributeError(f"module 'edgedp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


class _Doors:
    """Finds a module of `_DOORS`, and what is below it, in its room: one module under two names, never two."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> Any:
        package, _, door = name.partition(".")
        door, _, rest = door.partition(".")
        if package != "edgedp" or door not in _DOORS:
            return None
        if rest == "__main__":  # ``python -m`` runs the file itself, which the usual finders know
            return None
        from importlib.machinery import ModuleSpec
        from importlib.util import find_spec

        room = f"edgedp.{_DOORS[door]}" + (f".{rest}" if rest else "")
        found = find_spec(room)
        if found is None:
            return None
        loader: Any = _Door()
        is_package = found.submodule_search_locations is not None
        return ModuleSpec(name, loader, origin=found.origin, loader_state=room, is_package=is_package)


class _Door:
    """Gives the module of the room for the name of the door."""

    def create_module(self, spec: Any) -> None:
        """Leave it to the import machinery; `exec_module` puts the room's module in its place."""

    def exec_module(self, module: Any) -> None:
        assert module.__spec__ is not None  # noqa: S101 - the import machinery has just set it
        sys.modules[module.__spec__.name] = import_module(module.__spec__.loader_state)


sys.meta_path.insert(0, _Doors)
