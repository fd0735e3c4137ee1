"""The audit command: claimed epsilon beside the largest privacy loss that exists on small graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from edgedp.cli.output import format_option, notice, print_rows, progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from edgedp.audit import Finding

__all__ = ["COMMANDS"]

_COLUMNS = [
    "release", "metrics", "mechanism", "options", "nodes", "degree_bound", "k", "claimed", "found", "found/claimed",
]  # fmt: skip


@click.command()
@click.option(
    "--nodes", metavar="N", type=click.IntRange(2, 6), help="Graphs of up to N nodes.  [default: 5]"
)
@click.option("--slow", is_flag=True, help="Graphs of 6 nodes too, and more values of epsilon.")
@click.option(
    "--all", "every", is_flag=True, help="A row for every form, shift and weights, not the worst of them."
)
@click.option("--metric", metavar="M", help="Only releases that read this metric.")
@click.option("--processes", metavar="N", type=click.IntRange(min=1), default=2, show_default=True)
@format_option
def audit(
    nodes: int | None, slow: bool, every: bool, metric: str | None, processes: int, output: str
) -> None:
    """Compare every claimed epsilon with the largest privacy loss over all small graphs.

    All labelled graphs of up to 5 nodes and all neighbours; every mechanism, metric, sensitivity form,
    shift and sampler; k of 1 and 2, the law of the whole ordered answer; several epsilon, every degree
    bound. The exit status is 1 if a claim is broken.
    """
    from edgedp.audit import all_cases, exhaustive_audit
    from edgedp.checks import check_metric

    name = None if metric is None else check_metric(metric)
    cases = [case for case in all_cases() if name is None or name in case.metrics.split("+")]
    findings = list(
        _watched(
            exhaustive_audit(
                cases,
                node_counts=range(2, (nodes or (6 if slow else 5)) + 1),
                epsilons=("0.01", "0.1", "1", "5", "20") if slow else ("0.1", "1", "5"),
                processes=processes,
            ),
            len(cases),
        )
    )
    shown = findings if every else _worst_of_each(findings)
    print_rows([finding.to_row() for finding in shown], output, _COLUMNS)
    broken = sum(not finding.met for finding in findings)
    worst = max(findings, key=lambda finding: finding.ratio)
    notice(
        f"{len(findings)} kinds of release audited, {broken} break their claim; "
        f"the largest loss found is {worst.ratio:.4f} of the one claimed"
    )
    if broken:
        raise SystemExit(1)


def _watched(findings: Iterable[Finding], total: int) -> Iterator[Finding]:
    with progress_bar() as progress:
        for done, finding in enumerate(findings, start=1):
            if progress is not None:
                progress("auditing", done, total)
            yield finding


def _worst_of_each(findings: Iterable[Finding]) -> list[Finding]:
    """Return the finding of the largest ratio for every release, metrics and mechanism."""
    worst: dict[tuple[str, str, str], Finding] = {}
    for finding in findings:
        key = (finding.case.release, finding.case.metrics, finding.case.mechanism)
        if key not in worst or finding.ratio > worst[key].ratio:
            worst[key] = finding
    return list(worst.values())


COMMANDS = (audit,)
