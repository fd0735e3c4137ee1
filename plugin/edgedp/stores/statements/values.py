"""Values of a property as databases keep them: integers, floats, or one plain value a node.

Whether a value is a number, missing or something else is not decided here but where it is read
(`edgedp.mechanisms.selection.domains`).
"""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Encoding = Literal["integer", "real", "text"]


@dataclass(frozen=True, eq=False)
class Column:
    """The values of a property, one a node.

    Attributes
    ----------
    encoding : {"integer", "real", "text"}
        Of int64, of float64, or of objects: None, truth values, numbers and texts.
    values : (n,) array
    """

    encoding: Encoding
    values: NDArray[Any]

    def same(self, other: NDArray[Any]) -> bool:
        """Whether an array holds these values."""
        if self.encoding == "text":
            return bool(self.values.tolist() == other.tolist())
        return self.values.dtype == other.dtype and np.array_equal(
            self.values, other, equal_nan=self.encoding == "real"
        )


def columns_of(properties: Mapping[str, NDArray[Any]]) -> dict[str, Column]:
    """Return the properties of a graph as they are kept."""
    return {name: column_of(values) for name, values in properties.items()}


def column_of(values: NDArray[Any]) -> Column:
    """Return an array of values of any type as it is kept.

    Examples
    --------
    >>> column_of(np.array([1, 2])).encoding
    'integer'
    >>> column_of(np.array([1, None, "x", [2]], dtype=object)).values.tolist()
    [1, None, 'x', '[2]']
    """
    kind = values.dtype.kind
    if kind == "i" or (kind == "u" and (not len(values) or int(values.max()) < 2**63)):
        return Column("integer", values.astype(np.int64))
    if kind in "uf":
        return Column("real", values.astype(np.float64))
    kept = np.empty(len(values), dtype=object)
    kept[:] = [plain(value) for value in values.tolist()]
    return Column("text", kept)


def plain(value: Any) -> Any:
    """Return a value as every database keeps it: None, a truth value, a number or a text.

    NaN is None; a number beyond 64 bits is a float; a list and anything else becomes a text.

    Examples
    --------
    >>> [plain(value) for value in (float("nan"), Decimal("0.5"), True, 2**70, {"a": 1})]
    [None, 0.5, True, 1.1805916207174113e+21, '{"a": 1}']
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return value
    if isinstance(value, (numbers.Real, Decimal)):
        try:
            number = float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf  # type: ignore[operator]
        except ValueError:
            return None
        return None if math.isnan(number) else number
    return json.dumps(value, default=str)
