"""The cases of the exhaustive audit, by kind of release, and what is asserted of its findings."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from edgedp.exact.audit import Case, Finding, Target, all_cases
from edgedp.exact.audit.arcs import ArcCase
from edgedp.exact.audit.strengths import StrengthCase
from edgedp.exact.audit.targets import NumbersCase

__all__ = ["CASES", "assert_met", "cases_of", "groups", "named", "target_named"]

CASES = list(all_cases())


def named(case: Case) -> str:
    return " ".join(word for word in (case.release, case.metrics, case.mechanism, case.details) if word)


def assert_met(findings: Iterable[Finding]) -> None:
    broken = [finding for finding in findings if not finding.met]
    assert not broken, "\n".join(f"{named(finding.case)}: {finding.to_row()}" for finding in broken)


@cache
def _grouped() -> dict[str, dict[str, list[Case]]]:
    found: dict[str, dict[str, list[Case]]] = {}
    for case in CASES:
        of_release = found.setdefault(case.release, {})
        of_release.setdefault(f"{case.metrics} {case.mechanism}", []).append(case)
    return found


def groups(release: str) -> list[str]:
    """Return ``metrics mechanism`` of all cases of a kind of release."""
    return list(_grouped()[release])


def cases_of(release: str, group: str) -> list[Case]:
    return _grouped()[release][group]


def target_named(target: Target) -> str:
    """Return how a target of the black box is called in a list of tests."""
    match target.case:
        case NumbersCase():
            by = ""
        case ArcCase() | StrengthCase():
            by = target.case.details
        case _:
            by = target.case.options.get("proxy", "")
    return (
        f"{target.case.release} {target.case.metrics} {target.case.mechanism}{by and ' ' + by} k={target.k}"
    )
