"""Commands of who compares and chooses: experiment, report, advise, and the two of them that read a stored graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from edgedp.faces.cli.numerals import DECIMAL, WHOLE
from edgedp.faces.cli.once import Command, Group
from edgedp.faces.cli.opening import opened_store
from edgedp.faces.cli.options import Word
from edgedp.faces.cli.output import format_option, notice, print_rows, progress_bar, together
from edgedp.mechanisms.metrics import metric_names
from edgedp.words.vocabulary import APPROACHES, MECHANISMS, PROXIES, SAMPLERS, SHIFTS

if TYPE_CHECKING:
    from edgedp.exact.experiments.grid import Kind

_Command = TypeVar("_Command", bound=Callable[..., Any])

_NOT_PRIVATE = "note: these rows are computed from exact values with seeded words; they are not a release"
_STORED = "note: these rows are computed from private edges without a mechanism; do not publish them"

_COLUMNS = ["mechanism", "epsilon", "recall", "error", "said", "runs"]


def _many(flag: str, name: str, words: tuple[str, ...] | None, help: str) -> Callable[[_Command], _Command]:
    kind = str if words is None else Word(name, words)
    return click.option(flag, name, type=kind, multiple=True, help=help)


_EPSILON = _many("--epsilon", "epsilon", None, "Privacy loss, as often as wanted.  [default: 1e-3 to 1e4]")
_K = click.option("-k", "k", type=WHOLE, multiple=True, help="How many nodes, as often as wanted.")
_METRIC = _many("--metric", "metric", metric_names(), "What the nodes are ranked by, as often as wanted.")
_MECHANISM = _many("--mechanism", "mechanism", MECHANISMS, "As often as wanted.  [default: all]")
_SAMPLER = _many("--sampler", "sampler", SAMPLERS, "For ld and sld.  [default: exponential]")
_SHIFT = _many("--shift", "shift", SHIFTS, "For sld.  [default: by the metric]")
_PROXY = _many("--proxy", "proxy", PROXIES, "What joint ranks by.  [default: both]")
_BOUND = click.option(
    "--degree-bound", metavar="D", type=WHOLE, help="Declared.  [default: the graph's largest degree]"
)
_EXACT = click.option(
    "--exact", is_flag=True, help="The expected recall of one pick by its law, without runs."
)


_TOP_K = together(_METRIC, _K, _MECHANISM, _SAMPLER, _SHIFT, _PROXY, _EPSILON)
_running = together(
    click.option("--runs", type=WHOLE, default=100, show_default=True, help="For each cell."),
    click.option("--seed", type=WHOLE, default=1, show_default=True, help="For all runs."),
    click.option(
        "--processes", metavar="P", type=WHOLE, help="How many compute.  [default: one for each core]"
    ),
    click.option(
        "-o",
        "--output",
        "file",
        metavar="FILE",
        required=True,
        type=click.Path(path_type=Path),
        help="Parquet to write; an interrupted experiment goes on there.",
    ),
)
"""What every experiment takes."""


@click.group(cls=Group)
def experiment() -> None:
    """Repeat releases of a graph at hand many times: how good they are at which epsilon."""


@experiment.command()
@click.argument("source")
@_TOP_K
@_BOUND
@_EXACT
@_running
def topk(source: str, **asked: Any) -> None:
    """Recall of the top k."""
    _experiment(source, "topk", asked)


@experiment.command()
@click.argument("source")
@_METRIC
@_K
@click.option(
    "--approach", type=Word("approach", APPROACHES), help="Pareto score or weighted sum.  [default: pareto]"
)
@click.option(
    "--weight", "weights", type=DECIMAL, multiple=True, help="For aggregate, once for each --metric."
)
@_MECHANISM
@_SAMPLER
@_SHIFT
@_EPSILON
@_BOUND
@_running
def motkin(source: str, **asked: Any) -> None:
    """Recall and C-metric of nodes that are good in several metrics."""
    _experiment(source, "motkin", asked)


@experiment.command()
@click.argument("source")
@_many("--of", "of", None, "A number, as of count.  [default: edges, triangles, wedges]")
@_many("--mechanism", "mechanism", None, "As of count.  [default: that of each number]")
@_EPSILON
@_BOUND
@_running
def numbers(source: str, **asked: Any) -> None:
    """Relative error of private numbers."""
    _experiment(source, "numbers", asked)


@experiment.command()
@click.argument("source")
@click.option("--samples", type=WHOLE, default=10, show_default=True, help="How many samples.")
@click.option("--sample-nodes", type=WHOLE, default=50, show_default=True, help="Nodes of each.")
@_TOP_K
@_running
def samples(source: str, **asked: Any) -> None:
    """Recall of the top k on breadth-first samples of a graph."""
    _experiment(source, "samples", asked)


@experiment.command()
@click.argument("source", metavar="GENERATOR")
@click.option("--nodes", type=WHOLE, multiple=True, help="Sizes.  [default: 1,000 to 30,000]")
@_METRIC
@_running
def growth(source: str, **asked: Any) -> None:
    """Seconds of exact values and releases on clusters, co-authorship or power-law graphs of several sizes."""
    _experiment(source, "growth", asked)


def _experiment(source: str, kind: Kind, asked: dict[str, Any]) -> None:
    from edgedp.exact.experiments.asking import experiment as run

    with progress_bar() as progress:
        rows = run(source, kind, progress=progress, **_given(asked))
    click.echo(f"{rows.height:,} rows in {asked['file']}")
    notice(_NOT_PRIVATE)


def _given(asked: dict[str, Any]) -> dict[str, Any]:
    """Return arguments as Python takes them: a list that nobody gave is left to its default."""
    return {name: list(value) or None if isinstance(value, tuple) else value for name, value in asked.items()}


@click.command(cls=Command)
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "file",
    metavar="FILE",
    default="report.html",
    show_default=True,
    type=click.Path(path_type=Path),
    help="Ending in .html, .png or .svg.",
)
def report(results: tuple[Path, ...], file: Path) -> None:
    """Show results of experiments, or the lists of a stored graph over time, as one page or as a picture.

    A single name that is not a file means a stored graph: which ids came and went from window to window, from kept
    releases. A page works offline.
    """
    if len(results) == 1 and not results[0].exists() and results[0].suffix.lower() != ".parquet":
        from edgedp.faces.timeline import write_timeline

        name = str(results[0])
        with opened_store() as store:
            rows = store.releases(name)
        click.echo(f"wrote {write_timeline(name, rows, file)}")
        return
    from edgedp.exact.experiments.report import write_report

    click.echo(f"wrote {write_report(results, file)}")


_advising = together(
    click.option("-k", "k", type=WHOLE, default=10, show_default=True, help="How many nodes."),
    click.option("--target", type=DECIMAL, default=0.9, show_default=True, help="Mean recall to reach."),
    click.option("--metric", type=Word("metric", metric_names()), default="ebc", show_default=True,
                 help="What the nodes are ranked by."),
    _MECHANISM,
    click.option("--runs", type=WHOLE, default=20, show_default=True, help="For each epsilon."),
    click.option("--seed", type=WHOLE, default=1, show_default=True, help="For all runs."),
    format_option,
)  # fmt: skip
"""What advice takes on any graph."""


@click.command(cls=Command)
@click.option("--like", metavar="G", required=True, help="A public graph: a dataset, a file, or a generator.")
@click.option(
    "--nodes", metavar="N", type=WHOLE, help="For a generator; a graph is filled up.  [default: 10,000]"
)
@click.option("--degree-bound", metavar="D", type=WHOLE, help="As it will be declared.  [default: nodes - 1]")
@_advising
def advise(output: str, **asked: Any) -> None:
    """Say which mechanism needs which epsilon, tried on a public graph that is like the private one."""
    from edgedp.exact.experiments.advice import advise as tried

    with progress_bar() as progress:
        rows = tried(progress=progress, **_given(asked))
    _print_advice(rows, output)
    notice(f"tried on {asked['like']}, which is public: choosing by it reveals nothing of private edges")


def _print_advice(rows: list[dict[str, Any]], output: str) -> None:
    if output == "table":
        shown = ("recall", "error", "said")
        rows = [row | {name: f"{row[name]:.3f}" for name in shown if row[name] is not None} for row in rows]
    print_rows(rows, output, _COLUMNS)


@click.command(name="advise", cls=Command)
@click.argument("name")
@_advising
def exact_advise(name: str, output: str, **asked: Any) -> None:
    """Say which mechanism needs which epsilon on a stored graph. Not private; logged."""
    from edgedp.exact.experiments.advice import OUTSIDE

    with opened_store() as store:
        rows = store.exact_advice(name, **_given(asked))
    notice(_STORED, always=True)
    notice(f"note: {OUTSIDE}", always=True)
    _print_advice(rows, output)


@click.command(name="experiment", cls=Command)
@click.argument("name")
@click.option("--kind", type=click.Choice(["topk", "motkin", "numbers"]), default="topk", show_default=True,
              help="What to repeat.")  # fmt: skip
@_METRIC
@_K
@_many("--of", "of", None, "For numbers.  [default: edges, triangles, wedges]")
@_many("--mechanism", "mechanism", None, "As often as wanted.  [default: all]")
@_SAMPLER
@_SHIFT
@_PROXY
@_EPSILON
@_EXACT
@_running
def exact_experiment(name: str, **asked: Any) -> None:
    """Repeat releases of a stored graph. Not private; logged, nothing is debited."""
    from edgedp.exact.experiments.running import check_processes

    given = _given(asked)
    given["processes"] = check_processes(given["processes"])
    with opened_store() as store, progress_bar() as progress:
        rows = store.exact_experiment(name, progress=progress, **given)
    click.echo(f"{rows.height:,} rows in {asked['file']}")
    notice(_STORED, always=True)


@click.command(name="limit", cls=Command)
@click.argument("name")
@click.option(
    "--metric",
    type=Word("metric", ("degree", "ebc")),
    default="ebc",
    show_default=True,
    help="What the nodes are ranked by.",
)
@click.option("-k", "k", type=WHOLE, required=True, help="How many nodes.")
@click.option("--epsilon", "epsilon", required=True, multiple=True, help="For a release; as often as wanted.")
@format_option
def exact_limit(name: str, metric: str, k: int, epsilon: tuple[str, ...], output: str) -> None:
    """Bound the recall of every private list that is as good on neighbouring graphs. Not private; logged."""
    with opened_store() as store:
        rows = store.exact_limit(name, metric, k, epsilon)
    print_rows(rows, output, ["metric", "k", "epsilon", "limit"])
    notice(_STORED, always=True)


COMMANDS = (experiment, report, advise)
STORED = (exact_experiment, exact_advise, exact_limit)
"""Below ``exact``: they read private edges."""
