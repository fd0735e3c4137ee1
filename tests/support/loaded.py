"""What a process has loaded: every module of the package, what is kept in memory, and who looks a name up when it runs.

A patch of a name reaches what looks the name up when it runs. A module that has imported the name keeps what it got:
the right thing where it was imported before the patch, and the wrong one for ever where it was imported under it.
"""

from __future__ import annotations

import dis
import functools
import gc
import pkgutil
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

__all__ = ["import_everything", "kept_results", "looked_up_in", "readers"]


def kept_results() -> list[Any]:
    """Return everything that keeps results of functions in memory, also what the collector was told to pass over."""
    frozen = gc.get_freeze_count() > 0
    gc.unfreeze()
    found = [each for each in gc.get_objects() if isinstance(each, functools._lru_cache_wrapper)]
    if frozen:
        gc.freeze()
    return found


@cache
def import_everything() -> None:
    """Import every module of the package, so that none is imported while something is patched."""
    package = import_module("edgedp")  # here: `mutated.py` imports another copy of it
    for found in pkgutil.walk_packages(package.__path__, "edgedp."):
        if not found.name.endswith(".__main__"):
            with suppress(ImportError):  # of what is not installed here, which nothing here can run
                import_module(found.name)


def readers(module: str, name: str) -> set[str]:
    """Return the modules that look up a name of a module whenever they run: of the package, and the module itself.

    >>> readers("edgedp.mechanisms.adaptive.planned", "draw_until_sure")
    {'edgedp.mechanisms.adaptive.planned'}
    >>> readers("edgedp.mechanisms.adaptive.until_sure", "draw_until_sure")
    set()
    """
    named = [*_named().get(name, ()), *((module, code) for code in _own(module))]
    return {
        reader for reader, code in named if _looks_up(code, vars(sys.modules[reader]), reader, module, name)
    }


def _own(module: str) -> Iterator[CodeType]:
    """Yield the code of a module of tests; that of the package's is known by its names."""
    file = sys.modules[module].__file__
    if module.partition(".")[0] != "edgedp" and file is not None:
        yield from _inside(compile(Path(file).read_bytes(), file, "exec"))


def looked_up_in(path: Path, module: str, name: str) -> bool:
    """Whether a file of tests looks up a name of a module, through the module, in one of its functions."""
    short = {module.rpartition(".")[2]: sys.modules[module]}
    code = compile(path.read_bytes(), str(path), "exec")
    return any(_looks_up(each, short, "", module, name) for each in _inside(code))


@cache
def _named() -> dict[str, list[tuple[str, CodeType]]]:
    """Return the code of every function of the package, and its module, by each name in it."""
    import_everything()
    found: dict[str, list[tuple[str, CodeType]]] = defaultdict(list)
    for name, module in list(sys.modules.items()):
        loader: Any = getattr(module, "__loader__", None)
        if name.partition(".")[0] == "edgedp" and hasattr(loader, "get_code"):
            for code in _inside(loader.get_code(module.__name__)):  # `edgedp.quality` is another's module
                for each in code.co_names:
                    found[each].append((name, code))
    return found


def _looks_up(code: CodeType, scope: Mapping[str, object], reader: str, module: str, name: str) -> bool:
    modules = {each: found.__name__ for each, found in scope.items() if isinstance(found, ModuleType)}
    before = package = ""
    for each in dis.get_instructions(code):
        match each.opname:
            case "IMPORT_NAME":
                package = each.argval
            case "IMPORT_FROM":
                if (package, each.argval) == (module, name):
                    return True
                modules[each.argval] = f"{package}.{each.argval}"
            case "LOAD_GLOBAL" if (reader, name) == (module, each.argval):
                return True
            case "LOAD_ATTR" | "LOAD_METHOD" if name == each.argval and modules.get(before) == module:
                return True
            case _:
                pass
        before = str(each.argval)
    return False


def _inside(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of every function, but of the module itself and of the bodies of its classes."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if each.co_flags & 2:  # with variables of its own: a function's
                yield each
            yield from _inside(each)
