"""The one door to the C kernels: the shared library, and the checks of everything that goes into it.

A kernel believes its arguments; so every array passes here, once, where its type, contiguity, length and range are
checked. Rows of neighbours are checked as a whole when a `Rows` is made of them and are believed afterwards: they
are read-only. Calls release the interpreter's lock, so threads are Python's.

Privacy: everything here is computed from private edges and is not a release.
"""

from __future__ import annotations

import ctypes
import warnings
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.native.build import FOLDER, LEVELS, LIBRARY, SOURCES, sources_digest
from edgedp.words.errors import EngineError, GraphFormatError, KernelWarning

Ints = NDArray[np.int64]
Labels = NDArray[np.int32]

MOST_EDGES = (1 << 31) - 1
_NO_MEMORY, _REFUSED = -1, -2


# -- the library -------------------------------------------------------------------------------------


class _Library:
    """The loaded library and the level that calls go to."""

    def __init__(self) -> None:
        self.functions = ctypes.CDLL(str(FOLDER / LIBRARY))
        self.functions.edgedp_sources.restype = ctypes.c_char_p
        self.functions.edgedp_levels.restype = ctypes.c_int64
        self.functions.edgedp_scratch_new.restype = ctypes.c_void_p
        self.functions.edgedp_scratch_free.argtypes = [ctypes.c_void_p]
        self.levels = int(self.functions.edgedp_levels())
        self.level = self.levels - 1
        self._kernels: dict[tuple[str, int], Any] = {}

    def kernel(self, name: str) -> Any:
        """Return a kernel at the level in use."""
        found = self._kernels.get((name, self.level))
        if found is None:
            found = self.functions[f"edgedp_{name}_{self.level}"]
            found.restype = ctypes.c_int64
            self._kernels[name, self.level] = found
        return found


@cache
def _opened() -> _Library | str:
    """Return the library, or why there is none; refuse one that is older than the sources beside it."""
    try:
        library = _Library()
    except (OSError, AttributeError) as error:
        where = FOLDER / LIBRARY
        return "they are not installed" if not where.is_file() else f"they cannot be opened: {error}"
    if (
        any((FOLDER / SOURCES).glob("*.c"))
        and library.functions.edgedp_sources().decode() != sources_digest()
    ):
        raise EngineError("the compiled kernels are older than their sources; run 'make .venv/.ready-dev'")
    return library


def missing() -> str | None:
    """Return why the kernels are not at hand, or None; a library older than its sources is refused.

    Raises
    ------
    EngineError
        In a checkout: the library was made of other sources.
    """
    found = _opened()
    return found if isinstance(found, str) else None


def _library() -> _Library:
    found = _opened()
    if isinstance(found, str):
        raise EngineError(
            f"the engine 'native' needs the compiled kernels, but {found}; "
            "install a wheel that holds them or use engine='igraph'"
        )
    return found


@cache
def warn_once() -> None:
    """Say once that igraph serves in the kernels' place."""
    warnings.warn(
        f"igraph computes in place of the compiled kernels ({missing()}): the same results, more slowly",
        KernelWarning,
        stacklevel=3,
    )


def level_name() -> str:
    """Return the instruction level in use.

    Examples
    --------
    >>> level_name() in LEVELS
    True
    """
    return LEVELS[_library().level]


@contextmanager
def instruction_level(name: str) -> Iterator[None]:
    """Let calls go to another instruction level, for tests and benchmarks; one that does not run here is refused."""
    library = _library()
    level = LEVELS.index(name)
    if level >= library.levels:
        raise EngineError(
            f"the instruction level is {name!r}, must be one of {LEVELS[: library.levels]} on this processor"
        )
    before, library.level = library.level, level
    try:
        yield
    finally:
        library.level = before


# -- what goes in ------------------------------------------------------------------------------------


class Scratch:
    """Memory that kernels keep from call to call; of one thread at a time."""

    def __init__(self) -> None:
        functions = _library().functions
        pointer = functions.edgedp_scratch_new()
        if not pointer:
            raise MemoryError("no memory for the kernels' scratch")
        self.pointer = ctypes.c_void_p(pointer)
        self._freed = weakref.finalize(self, functions.edgedp_scratch_free, self.pointer)

    def free(self) -> None:
        """Let go of the memory; it also goes with the object."""
        self._freed()


class Address(ctypes.c_void_p):
    """Where an array is; holds on to it."""

    array: NDArray[Any]

    @classmethod
    def of(cls, array: NDArray[Any]) -> Address:
        """Return the address of an array that was checked."""
        address = cls(array.ctypes.data)
        address.array = array
        return address


class Given(NamedTuple):
    """An argument that a kernel reads: an array of a type and a length, whose entries are in ``0 .. within - 1``."""

    array: NDArray[Any]
    dtype: type[np.generic]
    length: int
    name: str
    within: int | None = None

    def checked(self) -> Address:
        """Return the address of the array; one that is not as promised is refused."""
        array, within = self.array, self.within
        _check(array, self.dtype, self.length, self.name)
        if within is not None and self.length and not (int(array.min()) >= 0 and int(array.max()) < within):
            raise EngineError(
                f"{self.name} holds an index out of range, must be from 0 to {within - 1}; check the array"
            )
        return Address.of(array)


class Taken(NamedTuple):
    """An argument that a kernel writes: an array of a type and a length."""

    array: NDArray[Any]
    dtype: type[np.generic]
    length: int
    name: str

    def checked(self) -> Address:
        """Return the address of the array; one that is not as promised, or read-only, is refused."""
        _check(self.array, self.dtype, self.length, self.name)
        if not self.array.flags.writeable:
            raise EngineError(f"{self.name} is read-only, must be writable; give an array of its own")
        return Address.of(self.array)


def _check(array: NDArray[Any], dtype: type[np.generic], length: int, name: str) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != np.dtype(dtype):
        found = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        raise EngineError(f"{name} is of type {found}, must be {np.dtype(dtype)}; convert the array")
    if array.size != length:
        raise EngineError(f"{name} has length {array.size}, must be {length}; check the array")
    if not array.flags.c_contiguous or not array.flags.aligned:
        raise EngineError(f"{name} is not contiguous or not aligned; copy the array first")


class Rows(NamedTuple):
    """Rows of neighbours that were checked as a whole; made by `checked` only."""

    n: int
    indptr: Ints
    indices: Labels

    @classmethod
    def checked(cls, indptr: Ints, indices: Labels, memory: Scratch, *, trusted: bool = False) -> Rows:
        """Check types, lengths and, unless a kernel just made them, that they are rows of a simple graph.

        Raises
        ------
        EngineError, GraphFormatError
            They are not.
        """
        n = len(indptr) - 1
        if n < 0 or n > np.iinfo(np.int32).max:
            raise EngineError(f"the number of nodes is {n}, must be from 0 to 2^31 - 1; split the graph")
        if indices.size // 2 > MOST_EDGES:
            raise EngineError(
                f"the number of edges is {indices.size // 2}, must be below 2^31; split the graph"
            )
        start = Given(indptr, np.int64, n + 1, "indptr").checked()
        row = Given(indices, np.int32, indices.size, "indices").checked()
        if not trusted:
            call("check_rows", memory, n, indices.size, start, row)
        return cls(n, indptr, indices)

    @property
    def addresses(self) -> tuple[int, Address, Address]:
        """What kernels take first: n, indptr, indices."""
        return self.n, Address.of(self.indptr), Address.of(self.indices)


class Forward(NamedTuple):
    """Start and length of each forward row, and the rows: each edge once; made by kernels only."""

    spans: NDArray[np.uint32]
    """(n, 2)"""
    indices: Labels
    """(m,)"""

    @classmethod
    def room(cls, rows: Rows) -> Forward:
        """Return arrays for a kernel to fill."""
        return cls(np.empty((rows.n, 2), dtype=np.uint32), np.empty(rows.indices.size // 2, dtype=np.int32))


Argument = Given | Taken | Rows | Forward | Address | int | float
"""Of a kernel. `Rows` stand for their number, indptr and indices, `Forward` for spans and indices."""


def call(name: str, memory: Scratch, *arguments: Argument) -> None:
    """Call a kernel; every array among its arguments is checked here.

    Raises
    ------
    EngineError
        An array is not as promised.
    MemoryError
        The kernel found no memory.
    GraphFormatError
        The kernel found arrays that contradict each other.
    """
    passed = [each for argument in arguments for each in _passed(argument)]
    status = _library().kernel(name)(memory.pointer, *passed)
    if status == _NO_MEMORY:
        raise MemoryError(f"no memory for the kernel {name}")
    if status == _REFUSED:
        raise GraphFormatError(
            "the rows are not those of a simple undirected graph: sorted, without loops and parallels, every edge in "
            "both of its rows; build the graph with Graph.from_edges"
        )


def _passed(argument: Argument) -> tuple[Any, ...]:
    """Return what stands for an argument in the call of a function of C."""
    match argument:
        case int():
            return (ctypes.c_int64(argument),)
        case float():
            return (ctypes.c_double(argument),)
        case Rows():
            n, *rows = argument.addresses
            return (ctypes.c_int64(n), *rows)
        case Forward():
            return (Address.of(argument.spans), Address.of(argument.indices))
        case Given() | Taken():
            return (argument.checked(),)
        case Address():
            return (argument,)
        case _:
            assert_never(argument)
