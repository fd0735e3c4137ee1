"""What one pair moves a score by, and a unit of many arcs a vector: from public facts alone, read by plans and draws.

Through *cuts* only the first `cap` arcs of each node count, in an order that is the node's own and public
(`edgedp.graph.engines.cuts`).

*A source*: its arcs taken away, at most `cap` entries fall by one each; cuts of other nodes stay. Replaced, it is twice
that.

*A pair*: an arc that comes or goes may push another of its source out, or let one in. So each of two arcs moves two
entries at most, taken away or replaced. Where *candidates* are ranked, one of the two ends is a candidate: one arc
counts, and moves two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from edgedp.words.vocabulary import TalliedName, Unit

if TYPE_CHECKING:
    from edgedp.graph.weights import Weighting

PAIR_THROUGH_CUTS = 4
"""What all between two nodes moves a vector through cuts by, in L1."""


def pair_through_cuts(candidates: str | None) -> int:
    """Return the same, or what it moves the vector of candidates by.

    Examples
    --------
    >>> pair_through_cuts(None), pair_through_cuts("Page")
    (4, 2)
    """
    return PAIR_THROUGH_CUTS if candidates is None else PAIR_THROUGH_CUTS // 2


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


def edge_moves(name: TalliedName, weighting: Weighting | None) -> int:
    """Return what one pair, of a directed graph one arc, moves a single score by at most.

    Examples
    --------
    >>> edge_moves("in_degree", None)
    1
    """
    match name:
        case "degree" | "in_degree" | "out_degree":
            return 1
        case "strength" | "in_strength" | "out_strength":
            if weighting is None:
                raise AssertionError("that the graph has weights was checked")
            return weighting.most
        case _:
            assert_never(name)


def moves_one_way(name: TalliedName, weighting: Weighting | None) -> bool:
    """Return whether a pair that is taken away moves no two scores into opposite directions."""
    match name:
        case "degree" | "in_degree" | "out_degree" | "strength":
            return True
        case "in_strength" | "out_strength":
            return weighting is not None and not weighting.signed
        case _:
            assert_never(name)
