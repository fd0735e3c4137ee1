"""Titles of nodes: what people read beside an id. They are public of themselves and no mechanism reads them.

They lie with a version's nodes, by position, and are looked up for the nodes of an answer when it has been drawn.
"""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edgedp.words.errors import ParameterError

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph

LONGEST = 200
"""Characters of one title."""


class Titles(NamedTuple):
    """Titles of n nodes, packed.

    Attributes
    ----------
    ends : (n + 1,) int64
        Where each title begins and the next one does; one without characters is none.
    text : (bytes,) uint8
        UTF-8.
    """

    ends: NDArray[np.int64]
    text: NDArray[np.uint8]

    @classmethod
    def of(cls, values: Sequence[Any]) -> Titles:
        """Pack texts or numbers, in the order of the nodes; None, NaN and the empty text are no title.

        Raises
        ------
        ParameterError
            A value is neither a text nor a number, or is too long.

        Examples
        --------
        >>> Titles.of(["Ada", float("nan"), 7]).at([0, 1, 2])
        ['Ada', None, '7']
        """
        try:
            packed = [_text(value).encode() for value in values]
        except UnicodeEncodeError:
            raise ParameterError(
                "a title holds half of a character (a lone surrogate), which no store can keep; give whole ones"
            ) from None
        ends = np.concatenate([[0], np.cumsum([len(each) for each in packed], dtype=np.int64)])
        return cls(ends.astype(np.int64), np.frombuffer(b"".join(packed), dtype=np.uint8))

    def at(self, positions: Sequence[int]) -> list[str | None]:
        """Return the titles at some positions."""
        return [self.text[self.ends[i] : self.ends[i + 1]].tobytes().decode() or None for i in positions]


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):  # as frames write what is missing
        return ""
    if isinstance(value, bool | np.bool_) or not isinstance(value, str | int | float | np.number):
        raise ParameterError(f"a title is of type {type(value).__name__}, must be a text; give texts")
    text = str(value.item() if isinstance(value, np.number) else value)
    if len(text) > LONGEST:
        raise ParameterError(
            f"a title has {len(text):,} characters, must have at most {LONGEST}; give a shorter one"
        )
    return text


def taken_from(graph: Graph, title: str | None) -> tuple[Graph, Titles | None]:
    """Return a graph without the property that is its nodes' title, and the titles.

    Raises
    ------
    ParameterError
        The nodes have no such property.
    """
    if title is None:
        return graph, None
    rest = dict(graph.properties)
    if not isinstance(title, str) or title not in rest:
        raise ParameterError(
            f"title is {title!r}, must be a property of the graph's nodes; give one of: "
            f"{', '.join(rest) or 'none, for they have no property'}"
        )
    titles = Titles.of(rest.pop(title).tolist())
    return graph.with_properties(rest), titles


def check_apart(title: str | None, private: Container[str], option: str = "title") -> None:
    """Refuse a title that is a declared property of the nodes, which is private.

    Examples
    --------
    >>> check_apart("name", {"age"})
    """
    if title is not None and title in private:
        raise ParameterError(
            f"{option} is {title!r}, which is declared as a private property of the nodes; a title is public"
        )
