"""Strengths from their definition, one relationship after the other in exact numbers; shares no code with it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

Relationship = tuple[int, int, Any]


def steps(value: Any, cap: Any, step: Any = 1, *, signed: bool = False) -> int | None:
    """Return what one relationship weighs; None where it does not count."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        return None
    if value == 0 or (value < 0 and not signed):
        return None
    most = Fraction(str(cap))
    exact = most if value == math.inf else -most if value == -math.inf else Fraction(str(value))
    return math.floor(max(min(exact, most), -most) / Fraction(str(step)))


def slot(values: Iterable[Any], declared: dict[str, Any]) -> int:
    """Return what all relationships of a pair, or of an arc, weigh together."""
    how, signed = declared.get("aggregation", "SUM"), declared.get("signed", False)
    cap, step = declared.get("cap", 1), declared.get("step", 1)
    found = [each for each in (steps(v, cap, step, signed=signed) for v in values) if each is not None]
    if not found:
        return 0
    whole = {"SUM": sum(found), "COUNT": len(found), "MAX": max(found), "MIN": min(found)}[how]
    pair_cap = declared.get("pair_cap", declared.get("cap"))
    most = math.floor(Fraction(str(pair_cap)) / Fraction(str(step)))
    if how in ("MAX", "MIN"):
        most = min(most, math.floor(Fraction(str(cap)) / Fraction(str(step))))
    return max(min(whole, most), -most if signed else 0)


def strengths(
    n: int, relationships: Sequence[Relationship], declared: dict[str, Any], name: str
) -> list[int]:
    """Return the sums of the weights of each of the nodes ``0 .. n - 1``."""
    slots: dict[tuple[int, int], list[Any]] = {}
    for a, b, value in relationships:
        if a != b:
            ends = (a, b) if name != "strength" else (min(a, b), max(a, b))
            slots.setdefault(ends, []).append(value)
    sums = [0] * n
    for (a, b), values in slots.items():
        weight = slot(values, declared)
        if name != "in_strength":
            sums[a] += weight
        if name != "out_strength":
            sums[b] += weight
    return sums
