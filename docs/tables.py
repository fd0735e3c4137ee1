"""Write the tables of the reference that follow from the code: ``make docs``; a test holds them to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, fields
from pathlib import Path

from edgedp.exact.audit.evidence import evidence as judged
from edgedp.mechanisms.metrics import metric, metric_names
from edgedp.release.options import Option
from edgedp.release.plan import options_of
from edgedp.release.planning.measured import SOURCE, SOURCE_OF_ARCS, Measured
from edgedp.words.vocabulary import KINDS

REFERENCE = Path(__file__).with_name("reference.md")
PRIVACY = REFERENCE.with_name("privacy.md")
ROOT = REFERENCE.parents[1]
RECALL = ROOT / "plugin" / "edgedp" / "release" / "planning" / "recall.csv"
ARCS = RECALL.with_name("arcs.csv")
_METHODS = {"both, no bound": "joint", "SLD, largest degree declared": "sld"}
"""The rows of the page that are told, by the mechanism that they are of."""


def metrics() -> Iterator[list[str]]:
    """Yield a row for each metric."""
    yield ["metric", "what it says of a node", "sensitivity_form", "joint, by", "Pareto by interval+edge"]
    for name in metric_names():
        found = metric(name)
        joint = _words(found.proxies) or "no"
        yield [
            f"`{name}`",
            found.summary,
            _words(found.forms),
            joint,
            "yes" if found.moves_near_the_edge else "no",
        ]


def options() -> Iterator[list[str]]:
    """Yield a row for each option of each kind of release."""
    yield ["option", "of", "command line", "procedures", "values"]
    kinds: dict[tuple[str, ...], list[str]] = {}
    for kind in KINDS:
        for option in options_of(kind).described():
            values = _words(option.choices) if option.choices else _kind_of(option)
            row = (f"`{option.name}`", f"`{option.flag}`", f"`{option.key}`", values)
            kinds.setdefault(row, []).append(kind)
    for (name, flag, key, values), of in kinds.items():
        yield [name, _words(of), flag, key, values]


def evidence() -> Iterator[list[str]]:
    """Yield a row for each kind of release: how many ways of asking for it each kind of evidence has judged."""
    rows = list(judged())
    yield list(rows[0])
    for row in rows:
        yield [
            f"`{value}`" if isinstance(value, str) and value else f"{value or ''}" for value in row.values()
        ]


TABLES: dict[str, Callable[[], Iterator[list[str]]]] = {"metrics": metrics, "options": options}
OF_PRIVACY: dict[str, Callable[[], Iterator[list[str]]]] = {"evidence": evidence}


def written(text: str, tables: Mapping[str, Callable[[], Iterator[list[str]]]] = TABLES) -> str:
    """Return a page with its tables as they are now; each stands below its mark, up to the next empty line."""
    for name, rows in tables.items():
        head, *rest = rows()
        lines = [head, ["---"] * len(head), *rest]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        text, found = re.subn(
            rf"(?<=<!-- table: {name} -->\n)(\|.*\n)*", lambda _, table=table: table + "\n", text
        )
        if found != 1:
            raise ValueError(f"the page has {found} marks of the table {name}, must have one")
    return text


def recall() -> str:
    """Return what `edgedp plan` tells of measured recall, from the page that the benchmark wrote."""
    return _csv(_rows_of_page((ROOT / SOURCE).read_text(encoding="utf-8")))


def recall_of_arcs() -> str:
    """Return what it tells of lists that protect a source."""
    return _csv(_arcs_of_page((ROOT / SOURCE_OF_ARCS).read_text(encoding="utf-8")))


def _rows_of_page(page: str) -> Iterator[Measured]:
    """Read the figures off the text of `SOURCE`: what ``recall.csv`` must hold."""
    graph, nodes, degree = "", 0, 0
    epsilons: list[float] = []
    for line in page.partition("## Several metrics")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("**"):
            name, _, figures = line.partition(":")
            words = figures.replace(",", "").split()
            graph = name.strip("*")
            nodes, degree = int(words[0]), int(words[words.index("largest") + 2])
        elif cells[0] == "k" and len(cells) > 4:
            epsilons = [float(cell) for cell in cells[3:]]
        elif len(cells) > 4 and cells[2] in _METHODS:
            for epsilon, recall in zip(epsilons, cells[3:], strict=True):
                yield Measured(
                    graph, nodes, degree, int(cells[0]), _METHODS[cells[2]], epsilon, float(recall)
                )


def _arcs_of_page(page: str) -> Iterator[Measured]:
    """Read the figures of in-degrees off the text of `SOURCE_OF_ARCS`: what ``arcs.csv`` must hold."""
    about: dict[str, tuple[int, int]] = {}
    head: list[str] = []
    for line in page.partition("## What directions cost")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        match cells:
            case [name, nodes, most] if nodes[:1].isdigit():
                about[name] = int(nodes.replace(",", "")), int(most.replace(",", ""))
            case ["graph", "k", "epsilon", *ways]:
                head = ways
            case [name, k, epsilon, *found] if name in about:
                for way, recall in zip(head, found, strict=True):
                    if not way.startswith("joint"):  # which protects a pair
                        yield Measured(name, *about[name], int(k), way, float(epsilon), float(recall))


def _csv(rows: Iterable[Measured]) -> str:
    lines = [",".join(f"{value}" for value in astuple(row)) for row in rows]
    return "\n".join([",".join(field.name for field in fields(Measured)), *lines, ""])


def _words(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _kind_of(option: Option) -> str:
    if option.metavars:
        return "a node id" if len(option.metavars) == 1 else "two node ids"
    if option.name == "where":
        return "conditions on columns"
    kinds = {None: "a decimal", int: "a whole number", float: "a number", bool: "`true` or `false`"}
    return f"{kinds[option.number]} for each metric" if option.many else kinds[option.number]


if __name__ == "__main__":
    RECALL.write_text(recall(), encoding="utf-8")
    ARCS.write_text(recall_of_arcs(), encoding="utf-8")
    for page, tables in ((REFERENCE, TABLES), (PRIVACY, OF_PRIVACY)):
        page.write_text(written(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
