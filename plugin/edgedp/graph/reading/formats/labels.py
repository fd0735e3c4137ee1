"""Formats that list nodes and edges, GML, GEXF, GraphML and Pajek: what nodes go by, and what is handed over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edgedp.graph.reading.options import Ids
from edgedp.graph.reading.series import ids_told, of_one_type
from edgedp.graph.reading.text.question import Question
from edgedp.graph.reading.text.result import Read
from edgedp.words.errors import GraphFormatError, UndecidedError
from edgedp.words.spoken import option


def names_of_nodes(
    ids: Sequence[str], labels: Sequence[str | None], wanted: bool | None, source: str
) -> tuple[list[str], tuple[str, ...]]:
    """Return what nodes go by, and what a report says of it.

    Parameters
    ----------
    ids, labels : of the nodes, in one order
    wanted : bool or None
        Whether they go by their labels; None is asked about where both could be meant.

    Raises
    ------
    UndecidedError
        Every node has a label of its own, and these are not the ids.
    GraphFormatError
        Labels are wanted, and some node has none, or that of another one.

    Examples
    --------
    >>> names_of_nodes(["0", "1"], ["ada", "bob"], True, "friends.gml")
    (['ada', 'bob'], ('nodes go by their labels',))
    """
    theirs = [label for label in labels if label]
    own = len(theirs) == len(ids) == len(set(theirs))
    if wanted and not own:
        raise GraphFormatError(
            f"{source!r} has nodes without a label of their own, and labels are asked for; leave "
            f"out {option('labels', True)}"
        )
    if wanted is None and own and ids and theirs != list(ids):
        raise UndecidedError(
            Question(
                source=source, what="gives each of its nodes an id and a label", names=("id", "label"),
                rows=tuple(zip(ids[:3], theirs[:3], strict=True)), candidates=(), load={"labels": True},
            )
        )  # fmt: skip
    note = (
        ("nodes go by their labels",)
        if wanted
        else (("nodes go by their ids, not labels",) if theirs else ())
    )
    return (theirs if wanted else list(ids)), note


def read_of_nodes(
    ends: list[list[str]], names: list[str], words: Sequence[str], ids: Ids | None, source: str, **found: Any
) -> Read:
    """Return what was read of edges between listed nodes, their ends and nodes by their names.

    Parameters
    ----------
    words : sequence of str
        The format, and how it was packed.
    **found
        What else a `Read` has.
    """
    columns, nodes = of_one_type(ends, names, ids, source)
    listed = columns if nodes is None else [nodes]
    name, *packed = words
    return Read(
        columns=columns,
        nodes=nodes,
        format=(name, "integer ids" if listed[0].dtype.is_integer() else "text ids", *packed),
        ids=ids_told(listed, ids),
        **found,
    )
