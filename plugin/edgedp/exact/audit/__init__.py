"""Audits: the claimed privacy loss against the one that exists.

============= =====================================================================================
`arcs`        the same of in- and out-degrees, over all digraphs of four nodes
`exhaustive`  the largest loss of exact laws, over all neighbouring graphs of a few nodes
`sequences`   of releases that spend until their list is sure enough, after every step, against what was debited
`blackbox`    a lower confidence bound on epsilon, from many releases of the real path
============= =====================================================================================

The first is a proof by cases for small graphs, as good as the code that computes laws. The second
trusts nothing but the releases, and can only disprove: it shows that the claimed epsilon is not
exceeded by more than it could see, and that it would have seen a mistake (tests/support/sabotage.py).
"""

from __future__ import annotations

from edgedp.exact.audit.arcs import ArcCase, ArcFinding, arc_cases, audit_arcs
from edgedp.exact.audit.blackbox import BlackBoxFinding, black_box_audit
from edgedp.exact.audit.cases import Case, all_cases
from edgedp.exact.audit.exhaustive import Finding, exhaustive_audit, largest_loss, log_ratios
from edgedp.exact.audit.sequences import SequenceFinding, audit_sequences
from edgedp.exact.audit.strengths import StrengthCase, StrengthFinding, audit_strengths, strength_cases
from edgedp.exact.audit.targets import TARGETS, Target

__all__ = [
    "TARGETS",
    "ArcCase",
    "ArcFinding",
    "BlackBoxFinding",
    "Case",
    "Finding",
    "SequenceFinding",
    "StrengthCase",
    "StrengthFinding",
    "Target",
    "all_cases",
    "arc_cases",
    "audit_arcs",
    "audit_sequences",
    "audit_strengths",
    "black_box_audit",
    "exhaustive_audit",
    "largest_loss",
    "log_ratios",
    "strength_cases",
]
