"""Containers of values: whatever library made one, each of its values is read as it was given.

A container of one type makes one type of all that it holds: numpy makes texts of 199 numbers beside one text, and
whoever reads the texts as missing has read 199 records otherwise because of one. So a container is taken where its
type is of numbers, which leave nothing of another kind in it, or of objects; every other is refused by its type.
"""

from __future__ import annotations

from array import array as typed_array
from collections.abc import Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.words.errors import ParameterError
from edgedp.words.shown import shortened


def check_container(values: Any, name: str, *, texts: bool = False) -> None:
    """Refuse a container whose own type is neither of numbers nor of objects; what has no type of its own passes.

    Parameters
    ----------
    values : object
    name : str
        Of the argument, for the message.
    texts : bool
        Whether a type of texts is taken too: of ids and labels, which are texts by right.

    Raises
    ------
    ParameterError
        The type is another one: texts, truth values, bytes, dates, categories.

    Examples
    --------
    >>> check_container(np.array([1, None]), "values")
    >>> check_container(np.array([1, "n/a"]), "values", texts=True)
    """
    kind = _type_of(values)
    if kind is not None and not (_is_plain(kind) or (texts and _is_text(kind))):
        raise ParameterError(
            f"{name} is an array of {shortened(kind)}, must be of numbers or objects; "
            "give a list, so that each value is read by itself"
        )


def values_of(values: Any, name: str) -> Any:
    """Return values as an array of numbers, an array of objects or a list; masked and null ones as None or NaN.

    Raises
    ------
    ParameterError
        It is no container of one value after the other, or one of another type.

    Examples
    --------
    >>> values_of(np.ma.array([1, 2], mask=[False, True]), "values").tolist()
    [1, None]
    """
    if not is_list(values):
        raise ParameterError(
            f"{name} is not a list, must hold one value for each record; give a list or an array"
        )
    check_container(values, name)
    if isinstance(values, np.ma.MaskedArray):
        return unmasked(values)
    listed = _listed(values)
    if listed is not None:
        return listed
    if hasattr(values, "__array__") or isinstance(values, (typed_array, memoryview)):
        made = np.asarray(values)
        check_container(made, name)  # of a library whose types are not known here
        return made
    return values if hasattr(values, "__len__") else list(values)


def labels_of(values: Any, name: str) -> Any:
    """Return ids or labels as `values_of` does; an array of texts, which they are by right, as the texts in it.

    Examples
    --------
    >>> labels_of(np.array(["a", "b"]), "nodes")
    array(['a', 'b'], dtype='<U1')
    """
    check_container(values, name, texts=True)
    if isinstance(values, np.ma.MaskedArray):
        return unmasked(values)
    listed = _listed(values)
    if listed is not None:
        return listed
    made = np.asarray(values) if _type_of(values) is not None else values
    check_container(made, name, texts=True)
    return made.astype(object) if isinstance(made, np.ndarray) and made.dtype.kind == "T" else made


def is_list(values: Any) -> bool:
    """Whether something holds one value after the other: a text, a mapping and a set do not.

    Examples
    --------
    >>> is_list([1, 1]), is_list({1: 2}), is_list("11")
    (True, False, False)
    """
    if isinstance(values, (str, bytes, bytearray, Mapping, Set)) or hasattr(values, "tocoo"):
        return False
    return getattr(values, "ndim", 1) != 0 and (hasattr(values, "__iter__") or hasattr(values, "__array__"))


def unmasked(values: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    """Return objects, None where the array is masked; numpy's own filler of objects is a question mark."""
    made = np.ma.getdata(values).astype(object)
    made[np.ma.getmaskarray(values)] = None
    return made


def _listed(values: Any) -> list[Any] | None:
    """Return what Arrow and polars hold as a list of their own making: numpy has no integers of 128 bits."""
    if _is_arrow(values):
        return list(values.to_pylist())
    if type(values).__module__.partition(".")[0] == "polars" and hasattr(values, "to_list"):
        return list(values.to_list())
    return None


def _is_arrow(values: Any) -> bool:
    return type(values).__module__.partition(".")[0] == "pyarrow" and hasattr(values, "to_pylist")


def _type_of(values: Any) -> Any:
    """Return the type that a container has for all its values, None where it has none."""
    if _is_arrow(values):
        return getattr(values, "type", None)
    if isinstance(values, (typed_array, memoryview)):
        return np.asarray(values).dtype
    return getattr(values, "dtype", None)


def _is_plain(kind: Any) -> bool:
    """Whether a type of numpy, Arrow, polars or pandas is of numbers or of objects."""
    if isinstance(kind, np.dtype):
        return kind.kind in "iufO"
    if type(kind).__module__.partition(".")[0] == "pyarrow":
        from pyarrow import types

        return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))
    if callable(getattr(kind, "is_numeric", None)):
        return bool(kind.is_numeric()) or str(kind) == "Object"
    # pandas calls each of its own types "O" that is neither of numbers nor of truth values nor of dates.
    return getattr(kind, "kind", "i") in "iuf"


def _is_text(kind: Any) -> bool:
    """Whether a type is of texts."""
    if isinstance(kind, np.dtype):
        return kind.kind in "UT"
    return str(kind).lower().startswith(("str", "large_string"))
