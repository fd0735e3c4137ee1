"""What nodes go by in formats that give each an id and a label: GML, GEXF, GraphML and Pajek."""

from __future__ import annotations

from collections.abc import Sequence

from edgedp.graph.reading.text.question import Question
from edgedp.words.errors import GraphFormatError, UndecidedError
from edgedp.words.spoken import option

__all__ = ["names_of_nodes"]


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
