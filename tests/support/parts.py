"""What is mutated, part by part, and the files of tests that each part is tried by."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PARTS", "Part"]


class Part(NamedTuple):
    """Files of the package, by patterns, and the stems of files of tests: of the first tier what needs no server."""

    files: tuple[str, ...]
    tests: str


def _of(folder: str, names: str) -> tuple[str, ...]:
    return tuple(f"edgedp/{folder}/{name}.py" for name in names.split())


PARTS = {
    "debit": Part(
        (*_of("ledger/debits", "debiting"), *_of("ledger", "script")),
        "debit_scripts script debiting shares",
    ),
    "prices": Part(
        (*_of("words/amounts", "*"), *_of("release/plan", "base joint nodes numbers arcs arc_numbers")),
        "epsilon written rho plan kinds options_kept cut_arcs samplers arcs joint numbers percentile planning "
        "number_formulas until_sure protect strengths",
    ),
    "draw": Part(_of("release", "draw"), "draw kinds joint cut_arcs until_sure projection percentile"),
    "laws": Part(
        _of("mechanisms", "grid joint laws ranks samplers units values"),
        "laws samplers joint mechanisms percentile cut_arcs steps rho kinds number_laws strengths options",
    ),
    "scores": Part(
        _of("mechanisms/scores", "*"),
        "steps dampening smooth select admissibility mechanisms motkin samplers checks containers",
    ),
    "pareto": Part(
        _of("mechanisms/pareto", "profile rounds score"), "pareto_profile motkin admissibility draw"
    ),
    "adaptive": Part(
        _of("mechanisms/adaptive", "closed purchases top_k until_sure vectors arcs"),
        "adaptive coupling coupling_rows cut_theorem cuts cut_arcs until_sure reached joint arcs strengths",
    ),
    "selection": Part(
        _of("mechanisms/selection", "percentiles picking questions"),
        "percentile select kinds options_kept plan options containers number_formulas smooth",
    ),
    "numbers": Part(
        _of("mechanisms/numbers", "*"),
        "number_laws number_formulas number_papers numbers claims kinds coupling pace error_bars",
    ),
    "metrics": Part(
        _of("mechanisms/metrics", "*"),
        "metrics betweenness2 claims reached admissibility options_kept igraph_engine pareto_profile",
    ),
    "counts": Part(
        _of("mechanisms/counts", "*"),
        "counts number_formulas number_papers reached claims numbers error_bars",
    ),
    "sampling": Part(
        _of("mechanisms/sampling", "*"),
        "sampling_geometric sampling_late sampling_noise sampling_refine sampling_select sampling_words samplers "
        "select number_laws until_sure",
    ),
}
"""In the order that they are tried in. What follows from released values alone (choices, fits, estimates), what is kept
for speed, and pages are left out. A part is tried by files of tests of its own: what they miss others may see, which
then belong here."""
