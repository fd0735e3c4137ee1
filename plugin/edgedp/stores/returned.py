"""From a release as it is shown back to a release: what a client was sent, or a ledger lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgedp.release.plan.kept import plan_of
from edgedp.release.release import Release, answer_from_json
from edgedp.words.errors import EdgeDPError, StoreError

__all__ = ["release_of"]

_ASKED = ("selector", "parameters", "ranks_by", "public", "private", "account", "debits")
_RECEIPT = (
    "graph", "release_id", "request_id", "at", "epsilon", "analyst", "epsilon_budget", "epsilon_spent",
    "epsilon_remaining", "delta", "accounts", "share",
)  # fmt: skip


def release_of(shown: Mapping[str, Any], *, kept: bool = False) -> Release:
    """Return the release of its JSON: that of `Release.to_dict`, or a row of `Store.releases`.

    Raises
    ------
    StoreError
        It is of a kind that this version does not know, or was never drawn.

    Examples
    --------
    >>> from edgedp import Graph, priv_top_k
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 30)])
    >>> release = priv_top_k(star, metric="degree", k=1, epsilon=40)
    >>> release_of(release.to_dict()).to_dict() == release.to_dict()
    True
    """
    answer = {key: value for key, value in shown.items() if key not in (*_ASKED, *_RECEIPT)}
    try:
        return Release(
            answer_from_json(answer),
            plan_of(shown["selector"], shown["parameters"], shown["public"]),
            private=bool(shown.get("private", True)),
            receipt={key: shown[key] for key in _RECEIPT if key in shown},
            kept=kept,
        )
    except (EdgeDPError, KeyError, TypeError, ValueError):
        raise StoreError(
            "the release is of a kind that this version does not know; use a newer edgedp"
        ) from None
