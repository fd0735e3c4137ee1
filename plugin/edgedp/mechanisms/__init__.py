"""Mechanisms as laws: scores, sensitivities, samplers, draws. Nothing here knows a plan, a ledger or a store.

`probabilities` works on plain arrays, without a graph; `edgedp.exact.first_pick_probabilities` gives
the law of a graph's release. Both compute scores, grid and unit of noise by the functions that the
draw uses. `Em`, `Pf`, `Ld`, `Sld` and `Joint` are mechanisms with the options that belong to
them, to be given as ``mechanism=`` wherever its word is. `smooth_beta` is what
a smooth bound for `edgedp.select` has to keep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from edgedp.mechanisms.values import Em, Joint, Ld, Pf, Sld

__all__ = ["Em", "Joint", "Ld", "Pf", "Sld", "probabilities", "smooth_beta"]

if TYPE_CHECKING:
    from edgedp.mechanisms.scores.single import probabilities
    from edgedp.mechanisms.scores.smooth import smooth_beta


if not TYPE_CHECKING:  # a type checker knows every name from above, and none besides

    def __getattr__(name: str) -> Any:
        if name == "probabilities":
            from edgedp.mechanisms.scores.single import probabilities

            return probabilities
        if name == "smooth_beta":
            from edgedp.mechanisms.scores.smooth import smooth_beta

            return smooth_beta
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
