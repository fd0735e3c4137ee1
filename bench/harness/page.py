"""RESULTS.md: tables of what was measured, beside what is wanted. A function of rows and records alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median

from bench.harness.records import Record
from bench.harness.row import OURS, Row, Target

METHOD = """\
# Results

`make bench` writes this page and its plots; nothing here is written by hand. Each row is measured in a process of its
own. Its columns take turns, every other round in the opposite order, so that what else the machine does falls on all
alike. Times are **seconds of processor time** on one processor, of all threads and of child processes, least / median
of the runs; where the clock counts instead, or a server does the work, a row has all processors. Compare within a row:
the ratio is ours to the fastest rival's, least to least. *Wanted* is what the work was to reach; a row that missed it
says why. In the last table, columns in italics are for orientation, and no rivals.
"""


def page(
    rows: Sequence[Row],
    records: Mapping[str, Record],
    sections: Mapping[str, str],
    others: Iterable[tuple[str, str]] = (),
) -> str:
    """Return the page.

    Parameters
    ----------
    rows : sequence of Row
    records : mapping of str to Record
        By the names of rows; one that lacks is shown as not measured.
    sections : mapping of str to str
        Titles in order, and what is said below each.
    others : iterable of (title, path)
        Pages of what scripts of their own measured.
    """
    parts = [METHOD, conditions(list(records.values())), summary(rows, records)]
    for title, said in sections.items():
        here = [row for row in rows if row.section == title]
        if here:
            parts.append(section(title, said, here, records))
    parts.append(everything(rows, records))
    listed = [f"- [{title}]({path})" for title, path in others]
    if listed:
        parts.append("\n".join(["## Measured by scripts of their own", "", *listed, ""]))
    return "\n".join(parts)


def conditions(records: Sequence[Record]) -> str:
    """Return what machine it was, with which versions, and for how long."""
    if not records:
        return "Nothing is measured yet.\n"
    last = max(records, key=lambda record: len(record.versions))
    loads = [record.load for record in records]
    told = [
        "; ".join(f"{name}: {value}" for name, value in last.machine.items()),
        ", ".join(f"{name} {value}" for name, value in last.versions.items()),
        f"load when a row began: {min(loads):.1f} to {max(loads):.1f}; all rows together took "
        f"{sum(record.took for record in records) / 60:.0f} minutes by the clock",
    ]
    if len({record.state for record in records}) > 1:
        told.append("**not one run**: the rows were measured on different states of the code")
    return "\n".join(f"- {line}" for line in told) + "\n"


def summary(rows: Sequence[Row], records: Mapping[str, Record]) -> str:
    """Return how many of the wanted are reached."""
    verdicts = [verdict(row, records.get(row.name), target) for row in rows for target in row.wanted]
    known = [found for found in verdicts if found is not None]
    reached = sum(known)
    return (
        f"Of {len(verdicts)} figures that are wanted, {reached} are reached, {len(known) - reached} are missed, "
        f"{len(verdicts) - len(known)} are not measured.\n"
    )


def section(title: str, said: str, rows: Sequence[Row], records: Mapping[str, Record]) -> str:
    """Return a section: what it measures, its plot and its table."""
    lines = [f"## {title}", "", said, "", f"![{title}](plots/{slug(title)}.svg)", ""]
    lines += [
        "| work | edgedp | best rival | ratio | wanted | reached |",
        "|---|---:|---:|---:|---|---|",
    ]
    lines += [line(row, records.get(row.name)) for row in rows]
    notes = [f"{row.title}: {row.note}" for row in rows if row.note]
    return "\n".join([*lines, "", *(text + "\n" for text in notes)])


def line(row: Row, record: Record | None) -> str:
    """Return the line of one row."""
    if record is None or not record.samples.get(OURS):
        why = "" if record is None else f": {record.missing.get(OURS, '')}"
        return f"| {row.title} | not measured{why} | | | {wanted(row)} | |"
    best = best_rival(row, record)
    rival = "" if best is None else f"{best}: {times(record, best, row)}"
    against = "" if best is None else f"{number(ratio(row, record, best))}"
    absent = "; ".join(f"{name}: {why}" for name, why in record.missing.items() if name in row.rivals)
    if absent:
        rival = f"{rival}<br>({absent})" if rival else f"({absent})"
    return (
        f"| {row.title} | {times(record, OURS, row)} | {rival} | {against} "
        f"| {wanted(row)} | {reached(row, record)} |"
    )


def reached(row: Row, record: Record) -> str:
    """Return whether each of the wanted is reached, and why not."""
    found = [verdict(row, record, target) for target in row.wanted]
    if not found:
        return ""
    words = {True: "yes", False: "**missed**", None: "not measured"}
    said = ", ".join(words[each] for each in found)
    if False in found:
        said += f": {row.reason}" if row.reason else ": no reason is known yet"
    return said


def verdict(row: Row, record: Record | None, target: Target) -> bool | None:
    """Return whether one target is reached; None if nobody knows."""
    if record is None or not record.samples.get(OURS):
        return None
    match target.of:
        case "seconds":
            return min(record.values(OURS, row.clock)) <= target.limit
        case "memory":
            taken = record.memory(OURS)
            return None if taken is None else taken <= target.limit
        case "ratio":
            other = target.to or best_rival(row, record)
            if other is None or not record.samples.get(other):
                return None
            return ratio(row, record, other) <= target.limit


def wanted(row: Row) -> str:
    """Return what is wanted, in words."""
    units = {
        "seconds": lambda target: f"{target.limit:g} s",
        "memory": lambda target: megabytes(target.limit),
        "ratio": lambda target: f"{target.limit:.2g} x {target.to or 'the best rival'}",
    }
    return ", ".join(units[target.of](target) for target in row.wanted)


def everything(rows: Sequence[Row], records: Mapping[str, Record]) -> str:
    """Return the table of all columns of all rows."""
    lines = [
        "## Every column",
        "",
        "Memory is the peak of the first run beyond what the process held before. *Row*: seconds by the clock that the "
        "row took, preparation included.",
        "",
        "| work | column | runs | processor, s | clock, s | memory | row |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        record = records.get(row.name)
        if record is None:
            continue
        for name in row.columns:
            if not record.samples.get(name):
                lines.append(f"| {row.title} | {name} | {record.missing.get(name, 'not measured')} | | | | |")
                continue
            samples = record.samples[name]
            taken = record.memory(name)
            shown = f"*{name}*" if name in row.also else name
            spread = " | ".join(
                least_and_median(record.values(name, clock)) for clock in ("processor", "wall")
            )
            lines.append(
                f"| {row.title} | {shown} | {len(samples)} | {spread} | {'' if taken is None else megabytes(taken)} "
                f"| {f'{record.took:.0f}' if name == OURS else ''} |"
            )
    return "\n".join([*lines, ""])


def best_rival(row: Row, record: Record) -> str | None:
    """Return the column of the fastest rival that was measured."""
    there = [name for name in row.rivals if record.samples.get(name)]
    return min(there, key=lambda name: min(record.values(name, row.clock)), default=None)


def ratio(row: Row, record: Record, other: str) -> float:
    return min(record.values(OURS, row.clock)) / max(min(record.values(other, row.clock)), 1e-9)


def times(record: Record, column: str, row: Row) -> str:
    """Return the times of a column, and its memory where that is wanted."""
    values = record.values(column, row.clock)
    parts = [least_and_median(values)] if max(values) > 0 else []
    taken = record.memory(column)
    if taken is not None and any(target.of == "memory" for target in row.wanted):
        parts.append(megabytes(taken))
    return ", ".join(parts)


def least_and_median(values: Sequence[float]) -> str:
    if len(values) == 1:
        return number(values[0])
    return f"{number(min(values))} / {number(median(values))}"


def number(value: float) -> str:
    """Return three significant figures, without an exponent."""
    if value == 0:
        return "0"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.001 else f"{value:.6f}".rstrip("0")


def megabytes(value: float) -> str:
    return f"{value / 1e6:,.0f} MB"


def slug(title: str) -> str:
    """Return a section's name as a file is called."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def pages_of(folder: Path) -> list[tuple[str, str]]:
    """Return title and path of the pages in ``results/``."""
    found = []
    for path in sorted(folder.glob("results/*.md")):
        first = path.read_text(encoding="utf-8").splitlines()[0]
        found.append((first.lstrip("# "), f"results/{path.name}"))
    return found
