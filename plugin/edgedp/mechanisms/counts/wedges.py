"""Wedges: paths of length two."""

from __future__ import annotations

from dataclasses import dataclass

from edgedp.mechanisms.counts.stars import Stars


@dataclass(frozen=True)
class Wedges(Stars):
    """``sum over nodes of C(d, 2)``: stars of size two. ``I_t = min(max (x + y) + t, 2 m)``."""

    star_size: int = 2

    name = "wedges"


COUNT = Wedges
