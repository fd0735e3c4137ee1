"""The audit command: claimed epsilon beside the privacy loss that exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

from edgedp.faces.cli.numerals import WholeRange
from edgedp.faces.cli.once import Command
from edgedp.faces.cli.options import Word
from edgedp.faces.cli.output import format_option, notice, print_rows, progress_bar
from edgedp.release.options import top_k_metrics

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from edgedp.exact.audit import ArcFinding, Finding, SequenceFinding, StrengthFinding

_Item = TypeVar("_Item")


@click.command(cls=Command)
@click.option(
    "--nodes", metavar="N", type=WholeRange(2, 6), help="All graphs of up to N nodes.  [default: 5]"
)
@click.option("--slow", is_flag=True, help="Up to 6 nodes, and more values of epsilon.")
@click.option("--metric", type=Word("metric", top_k_metrics()), help="Only releases that read this metric.")
@click.option(
    "--all", "every", is_flag=True, help="A row for every form, shift and weights, not the worst of them."
)
@click.option("--black-box", is_flag=True, help="Bound epsilon from below by many releases instead.")
@click.option(
    "--evidence", "kinds", is_flag=True, help="Say what each kind of release is audited by; audit nothing."
)
@click.option(
    "--processes",
    metavar="N",
    type=WholeRange(min=1),
    default=2,
    show_default=True,
    help="How many compute.",
)
@format_option
def audit(
    nodes: int | None,
    slow: bool,
    metric: str | None,
    every: bool,
    black_box: bool,
    kinds: bool,
    processes: int,
    output: str,
) -> None:
    """Compare every claimed epsilon with the largest privacy loss over all small graphs.

    All labelled graphs of up to 5 nodes and all neighbours; every mechanism, metric, sensitivity form,
    shift and sampler; k of 1 and 2, the law of the whole ordered answer; several epsilon, every degree
    bound. The exit status is 1 if a claim is broken.
    """
    if kinds:
        from edgedp.exact.audit.evidence import evidence

        rows = list(evidence())
        print_rows(rows, output, list(rows[0]))
    elif black_box:
        _print_black_box(output)
    else:
        _print_exhaustive(
            nodes or (6 if slow else 5), metric, slow=slow, every=every, processes=processes, output=output
        )


def _print_exhaustive(
    nodes: int, metric: str | None, *, slow: bool, every: bool, processes: int, output: str
) -> None:
    from edgedp.exact.audit import (
        all_cases,
        arc_cases,
        audit_arcs,
        audit_sequences,
        audit_strengths,
        exhaustive_audit,
        strength_cases,
    )

    cases = [case for case in all_cases() if metric is None or metric in case.metrics.split("+")]
    audited = exhaustive_audit(
        cases,
        node_counts=range(2, nodes + 1),
        epsilons=("0.01", "0.1", "1", "5", "20") if slow else ("0.1", "1", "5"),
        processes=processes,
    )
    of_arcs = [case for case in arc_cases() if metric is None or metric == case.metric]
    findings = list(_watched(audited, len(cases)))
    counted = list(audit_arcs(of_arcs, node_count=min(nodes, 4)))
    of_weights = [case for case in strength_cases() if metric is None or metric == case.metric]
    weighed = list(audit_strengths(of_weights, node_count=min(nodes, 4)))
    of_steps = [name for name in ("degree", "ebc") if metric in (None, name)]
    steps = list(audit_sequences(of_steps, node_count=min(nodes, 4)))
    judged: list[Finding | ArcFinding | StrengthFinding | SequenceFinding] = [
        *findings,
        *counted,
        *weighed,
        *steps,
    ]
    shown = findings if every else _worst_of_each(findings)
    listed: list[Finding | ArcFinding | StrengthFinding | SequenceFinding] = [
        *shown,
        *counted,
        *weighed,
        *steps,
    ]
    rows = [finding.to_row() for finding in listed]
    print_rows(rows, output, list(rows[0]))
    broken = sum(not finding.met for finding in judged)
    vectors = sum(finding.case.vectors for finding in findings)
    notice(
        f"{len(findings)} kinds of release audited, {broken} break their claim ({len(findings) - vectors} by the exact "
        f"law of the answer, {vectors} by enumerated vectors, whose draws it does not judge), and {len(counted)} of "
        f"in- and out-degrees over all digraphs, {len(weighed)} of strengths over graphs with small weights, and "
        f"{len(steps)} that spend step by step; the largest loss found is "
        f"{max(finding.ratio for finding in judged):.4f} of the one claimed"
    )
    if broken:
        raise SystemExit(1)


def _print_black_box(output: str) -> None:
    from edgedp.exact.audit import TARGETS, black_box_audit

    findings = list(_watched(map(black_box_audit, TARGETS), len(TARGETS)))
    rows = [finding.to_row() for finding in findings]
    print_rows(rows, output, list(rows[0]))
    if not all(finding.met for finding in findings):
        raise SystemExit(1)


def _watched(items: Iterable[_Item], total: int) -> Iterator[_Item]:
    """Yield the items, saying how many there are so far."""
    with progress_bar() as progress:
        for done, item in enumerate(items, start=1):
            if progress is not None:
                progress("auditing", done, total)
            yield item


def _worst_of_each(findings: Iterable[Finding]) -> list[Finding]:
    """Return the finding of the largest ratio for every release, metrics and mechanism."""
    worst: dict[tuple[str, str, str], Finding] = {}
    for finding in findings:
        key = (finding.case.release, finding.case.metrics, finding.case.mechanism)
        if key not in worst or (not finding.met, finding.ratio) > (not worst[key].met, worst[key].ratio):
            worst[key] = finding
    return list(worst.values())


COMMANDS = (audit,)
