"""By what kind of evidence each kind of release is audited: counted from the cases, and not written by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from edgedp.exact.audit.arcs import arc_cases
from edgedp.exact.audit.cases import all_cases
from edgedp.exact.audit.strengths import strength_cases
from edgedp.exact.audit.targets import TARGETS
from edgedp.words.vocabulary import KINDS, NUMBER_MECHANISMS

EVIDENCE = ("exact law", "enumerated vectors", "black box", "proof only")
"""The law of the whole answer over all small graphs; what one edge moves the noisy vectors by, over the same graphs,
and no draw; many releases of the real path; and no audit, only a proof and the tests."""


def evidence() -> Iterator[dict[str, Any]]:
    """Yield a row for each kind of release and mechanism: how many ways of asking each kind of evidence has judged.

    Examples
    --------
    >>> [row["mechanism"] for row in evidence() if row["release"] == "count" and row["proof only"]]
    ['staircase', 'ladder', 'smooth', 'nls', 'lls']
    """
    found: dict[tuple[str, str], Counter[str]] = {}
    for case in all_cases():
        kind = "enumerated vectors" if case.vectors else "exact law"
        found.setdefault((case.release, case.mechanism.removesuffix(" (vectors)")), Counter())[kind] += 1
    # Of arcs each way of asking once, whoever is protected; of one pick by joint there is a law, too.
    for _, _, name in dict.fromkeys((case.metric, case.cap, case.mechanism) for case in arc_cases()):
        kind = "enumerated vectors" if name == "joint" else "exact law"
        found.setdefault(("priv_top_k", name), Counter())[kind] += 1
    for _, _, name in dict.fromkeys(
        (each.metric, each.weighting, each.mechanism) for each in strength_cases()
    ):
        kind = "enumerated vectors" if name == "joint" else "exact law"
        found.setdefault(("priv_top_k", name), Counter())[kind] += 1
    for target in TARGETS:
        found.setdefault((target.case.release, target.case.mechanism), Counter())["black box"] += 1
    for number in NUMBER_MECHANISMS:
        found.setdefault(("count", number), Counter({"proof only": 1}))
    for name in KINDS:
        if name != "motkin" and not any(release == name for release, _ in found):
            found[name, ""] = Counter({"proof only": 1})
    for (release, mechanism), counts in found.items():
        yield {"release": release, "mechanism": mechanism, **{kind: counts[kind] for kind in EVIDENCE}}
