"""Public cuts of neighbour lists: which neighbours a node connects, whoever its other neighbours are.

``cut(x)`` holds the first ``cap`` of the eligible neighbours of ``x`` in an order of all nodes that belongs to ``x``
and is public: by the 64-bit key `order_keys` of the two **ids**, equal keys by id. The order is total and knows
nothing of the edges, so one edge brings at most one node into ``cut(x)`` and one out of it. Eligible are all
neighbours (*lists*), or those behind ``x`` in a public ranking of all nodes (*ordered*): an edge then serves its
higher end alone.

The hash has no key and never changes: cuts are the same in every process, engine and release. Golden values are
in docs/privacy.md and in the tests.

References
----------
Steele, Lea & Flood (2014), Fast splittable pseudorandom number generators: the finalizer, with Stafford's
constants (mix 13).
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.graph import Graph

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


class CutRows(NamedTuple):
    """The cuts of all nodes in compressed rows; a cut is not symmetric."""

    indptr: Ints
    """(n + 1,)"""
    indices: NDArray[np.int32]
    """Positions of the members, ascending within a row."""


def node_words(node_ids: NDArray[Any]) -> Words:
    """Return a 64-bit word for each node id: an integer is its own, a text has BLAKE2b of its UTF-8.

    Parameters
    ----------
    node_ids : (n,) int64 or str array

    Returns
    -------
    (n,) uint64
        Distinct for integers. Two texts share a word with probability ``2**-64``.

    Examples
    --------
    >>> [hex(word) for word in node_words(np.array([7, -1])).tolist()]
    ['0x7', '0xffffffffffffffff']
    >>> hex(node_words(np.array(["ada"]))[0])
    '0x2705162143dab015'
    """
    if node_ids.dtype.kind == "U":
        digests = b"".join(
            hashlib.blake2b(text.encode(), digest_size=8).digest() for text in node_ids.tolist()
        )
        return np.frombuffer(digests, dtype="<u8").astype(np.uint64)
    return node_ids.astype(np.int64).view(np.uint64)


def row_words(words: Words) -> Words:
    """Return the words that tell the order of one node from that of another: ``mix(word + 0x9e37...)``."""
    return _mix(words + _GOLDEN)


def order_keys(row: Words, words: Words) -> Words:
    """Return the key of each member in the order of a node: ``mix(row word of the node + word of the member)``.

    Distinct members with distinct words have distinct keys, for the finalizer is a bijection.

    Parameters
    ----------
    row : (m,) uint64
        Of the nodes to whom the orders belong, from `row_words`.
    words : (m,) uint64
        Of the members, from `node_words`.

    Returns
    -------
    (m,) uint64

    Examples
    --------
    >>> words = node_words(np.array([1, 2, 3]))
    >>> [hex(key) for key in order_keys(row_words(words[[0, 0, 1]]), words[[1, 2, 0]]).tolist()]
    ['0x81a5c1377856b73', '0x22190e6f079ef17', '0xf2826f98653e9e57']
    """
    return _mix(row + words)


def cut_rows(graph: Graph, caps: Ints, ranks: Ints | None) -> CutRows:
    """Return the cuts of all nodes, by numpy alone.

    Parameters
    ----------
    graph : Graph
    caps : (n,) int64
        The most members of each cut, 0 or more; public.
    ranks : (n,) int64 or None
        Each node's place in a public ranking, all different: a node's neighbours of higher rank alone are
        eligible. None: all are.

    Returns
    -------
    CutRows

    Notes
    -----
    Time ``O(m log m)``, memory ``O(m)``. Privacy: computed from private edges; not a release.

    Examples
    --------
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 6)])
    >>> cut_rows(star, np.full(6, 2), None).indptr.tolist()
    [0, 2, 3, 4, 5, 6, 7]
    >>> cut_rows(star, np.full(6, 2), np.array([5, 0, 1, 2, 3, 4])).indptr.tolist()
    [0, 0, 1, 2, 3, 4, 5]
    """
    n = graph.node_count
    tails, heads = np.repeat(np.arange(n), graph.degrees), graph.indices.astype(np.int64)
    if ranks is not None:
        eligible = ranks[heads] > ranks[tails]
        tails, heads = tails[eligible], heads[eligible]
    tails, heads = _first(graph.node_ids, tails, heads, caps)
    members = np.sort(tails * n + heads)
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(tails, minlength=n), out=indptr[1:])
    return CutRows(indptr, (members % max(n, 1)).astype(np.int32))


def cut_votes(node_ids: NDArray[Any], voters: Ints, targets: Ints, cap: int) -> Ints:
    """Return how many cuts each node stands in, where a node's cut holds the first of its targets alone.

    Parameters
    ----------
    node_ids : (n,) int64 or str array
        Ascending.
    voters : (m,) int64
        Positions of the nodes to whom the cuts belong.
    targets : (m,) int64
        Positions of what each has an arc to; every arc once.
    cap : int
        The most members of a cut, 1 or more; public.

    Returns
    -------
    (n,) int64

    Notes
    -----
    One voter moves at most `cap` of these, by one each and in one direction; an arc of it that comes or goes moves two
    at most. Privacy: computed from private edges; not a release.

    Examples
    --------
    >>> cut_votes(np.arange(4), np.array([0, 0, 0, 1]), np.array([1, 2, 3, 2]), 2).tolist()
    [0, 0, 2, 1]
    """
    count = len(node_ids)
    many = np.bincount(voters, minlength=count)[voters] > cap
    votes = np.bincount(targets[~many], minlength=count).astype(np.int64)
    _, kept = _first(node_ids, voters[many], targets[many], np.full(count, cap))
    return votes + np.bincount(kept, minlength=count).astype(np.int64)


def _first(node_ids: NDArray[Any], tails: Ints, heads: Ints, caps: Ints) -> tuple[Ints, Ints]:
    """Return those of some arcs whose heads are the first of their tail's, in the order that belongs to it."""
    words = node_words(node_ids)
    keys = order_keys(row_words(words)[tails], words[heads])
    # Positions rise with the ids, so equal keys fall back on the id.
    in_order = np.lexsort((heads, keys, tails))
    tails, heads = tails[in_order], heads[in_order]
    kept = np.arange(len(tails)) - np.searchsorted(tails, tails) < caps[tails]
    return tails[kept], heads[kept]


def _mix(words: Words) -> Words:
    """Return the words stirred by a bijection of 64 bits; all of it in uint64, where numpy wraps around."""
    mixed = (words ^ (words >> np.uint64(30))) * _FACTORS[0]
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _FACTORS[1]
    stirred: Words = mixed ^ (mixed >> np.uint64(31))
    return stirred
