"""What a release shows: the nodes, what was asked and what was public. Never a score."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edgedp.plan import Plan

__all__ = ["Release"]


@dataclass(frozen=True)
class Release:
    """A drawn release.

    Attributes
    ----------
    nodes : list of int or str
        Node ids in the order picked.
    parameters : dict
        What was asked, canonically, with every default filled in.
    public : dict
        The public facts that it rests on.
    private : bool
        False when the caller chose the randomness: such a release is a simulation.
    receipt : dict
        For a stored graph: its name, the release id and the budget after the release.
    """

    nodes: list[Any]
    plan: Plan
    private: bool
    receipt: dict[str, Any] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, Any]:
        """What was asked, canonically."""
        return self.plan.parameters

    @property
    def public(self) -> dict[str, Any]:
        """The public facts that the release rests on."""
        return self.plan.facts.to_dict()

    @property
    def ranks_by(self) -> str | None:
        """The proxy that the nodes are ranked by, where it is not the metric itself."""
        proxies = {"degree": "noisy degree", "betweenness2": "noisy betweenness2"}
        if self.plan.proxy is None:
            return None
        return proxies.get(self.plan.proxy, "noisy degree and noisy betweenness2 together")

    def to_dict(self) -> dict[str, Any]:
        """Return everything that is shown, JSON-able; it holds no score."""
        shown: dict[str, Any] = {"selector": self.plan.selector, "parameters": self.parameters}
        if self.ranks_by is not None:
            shown["ranks_by"] = self.ranks_by
        return (
            shown | {"nodes": list(self.nodes), "public": self.public, "private": self.private} | self.receipt
        )
