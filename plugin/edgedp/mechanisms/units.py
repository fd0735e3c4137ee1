"""What a unit of many arcs moves a vector by: from public facts alone, read by plans and draws.

Through *cuts* only the first `cap` arcs of each node count, in an order that is the node's own and public
(`edgedp.graph.engines.cuts`).

*A source*: its arcs taken away, at most `cap` entries fall by one each; cuts of other nodes stay. Replaced, it is twice
that.

*A pair*: an arc that comes or goes may push another of its source out, or let one in. So each of two arcs moves two
entries at most, taken away or replaced.
"""

from __future__ import annotations

from typing import assert_never

from edgedp.words.vocabulary import Unit

__all__ = ["PAIR_THROUGH_CUTS", "moves_through_cuts"]

PAIR_THROUGH_CUTS = 4
"""What all between two nodes moves a vector through cuts by, in L1."""


def moves_through_cuts(cap: int, unit: Unit, pair: int = PAIR_THROUGH_CUTS) -> int:
    """Return what a unit moves a vector through cuts by in L1, taken away; that of a pair covers one node, too.

    Parameters
    ----------
    cap : int
    unit : {"pair", "source", "target"}
        What the account protects.
    pair : int
        What all between two nodes moves; less where sums are released and not entries.

    Examples
    --------
    >>> moves_through_cuts(10, "source"), moves_through_cuts(2, "source"), moves_through_cuts(2, "pair")
    (10, 2, 4)
    """
    match unit:
        case "source" | "target":
            return cap
        case "pair":
            return max(cap, pair)
        case _:
            assert_never(unit)
