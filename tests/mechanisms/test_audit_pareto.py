"""The exhaustive audit of the Pareto releases: every claimed epsilon is met."""

from __future__ import annotations

import pytest

from audit_cases import assert_met, cases_of, groups
from edgedp.exact.audit import exhaustive_audit, largest_loss


@pytest.mark.parametrize("group", groups("pareto"))
def test_pareto_keeps_its_claim(group: str) -> None:
    """All graphs of up to 4 nodes; the audit command goes on to 5, and to 6 with --slow."""
    assert_met(exhaustive_audit(cases_of("pareto", group), node_counts=(2, 3, 4), epsilons=["1"]))


@pytest.mark.parametrize(
    "group",
    [each for each in groups("pareto") if each.startswith("degree+density ") and "joint" not in each],
)
def test_pareto_of_degree_and_density_keeps_its_claim_on_five_nodes(group: str) -> None:
    cases = cases_of("pareto", group)
    assert_met(largest_loss(case, 5, 4, k, "1") for case in cases for k in (1, 2))
