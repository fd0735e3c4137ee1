"""`edgedp.experiment`: from what is asked for to checked cells, and from these to a frame."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never, get_args

from edgedp.exact.experiments.facts import Facts
from edgedp.exact.experiments.grid import (
    EPSILONS,
    KINDS,
    Cell,
    Kind,
    cells_of,
    check_runs,
    check_samplers,
    check_samples,
    check_seed,
    listed,
    plain,
)
from edgedp.exact.experiments.samples import SAMPLE_NODES
from edgedp.mechanisms.checks import (
    check_choice,
    check_degree_bound,
    check_graph,
    check_switch,
    check_text,
    check_whole,
)
from edgedp.mechanisms.values import Mechanism, spelled
from edgedp.release.plan.nodes import scaled_to
from edgedp.words.containers import is_list, values_of
from edgedp.words.errors import ParameterError
from edgedp.words.places import expanded
from edgedp.words.vocabulary import MECHANISMS, PICKING, is_word

if TYPE_CHECKING:
    import polars as pl

    from edgedp.graph.graph import Graph
    from edgedp.words.progress import Progress


def experiment(
    source: Graph | str,
    kind: Kind = "topk",
    *,
    metric: Any = None,
    k: Any = None,
    epsilon: Any = None,
    mechanism: Any = None,
    sampler: Any = None,
    sensitivity_form: str | None = None,
    shift: Any = None,
    proxy: Any = None,
    approach: str | None = None,
    weights: Sequence[float] | None = None,
    of: Any = None,
    samples: int = 10,
    sample_nodes: int = SAMPLE_NODES,
    nodes: Any = None,
    runs: int = 100,
    seed: int = 1,
    exact: bool = False,
    degree_bound: int | None = None,
    name: str | None = None,
    file: str | Path | None = None,
    processes: int | None = 1,
    progress: Progress | None = None,
) -> pl.DataFrame:
    """Repeat releases of a graph many times, and say how good each was: the papers' experiments.

    Every parameter that may be a list is tried with each of its values; the grid is their product.

    Parameters
    ----------
    source : Graph or str
        A graph, or a catalogue name, a file or an address as for `edgedp.read_graph`; for ``growth`` a generator:
        ``clusters``, ``co-authorship`` or ``power-law``.
    kind : {"topk", "motkin", "numbers", "samples", "growth"}
        ``samples``: top k on breadth-first samples; ``growth``: seconds on graphs of several sizes.
    metric : str or list of str, optional
        Default ``ebc``. For ``motkin`` the list of metrics, default degree and density.
    k : int or list of int, optional
        Default 5, 10 and 20; 10 for motkin, 1 to 3 for samples.
    epsilon : number, text or list, optional
        Default 1e-3 to 1e4 in half decades.
    mechanism : str, list of str or a value of `edgedp.mechanisms`, optional
        Default em, pf, ld, sld, and joint where the metric has it. For numbers: the default of each number.
    sampler : str or list of str, optional
        Of ld and sld; em and pf have their own. Default ``exponential``.
    sensitivity_form, proxy, approach, weights
        As of `edgedp.priv_top_k` and `edgedp.motkin`.
    shift : str or list of str, optional
    of : str or list of str, optional
        Numbers, as of `edgedp.count`: default edges, triangles and wedges.
    samples, sample_nodes : int
        Of the kind ``samples``.
    nodes : int or list of int, optional
        Sizes, of the kind ``growth``.
    runs : int
        Of each cell.
    seed : int
        The runs of a cell have seeds of their own that follow from it.
    exact : bool
        The expected recall by the exact law in place of runs: of one pick, where the law is known; by default of all
        mechanisms but joint.
    degree_bound : int, optional
        Declared to every release; default the graph's largest degree, as in the papers.
    name : str, optional
        Of the graph in the rows.
    file : path, optional
        Parquet to write. An interrupted experiment continues where it stopped when it is asked for again.
    processes : int, optional
        How many compute; None: one for each core. Above 1 a script needs its ``if __name__ == "__main__":``.
    progress : Progress, optional

    Returns
    -------
    polars.DataFrame
        One row a run, with every parameter, the run's seed and the versions; ``recall``, ``c_random`` and
        ``c_front``, ``relative_error`` or ``seconds``. A run is repeated by the public function of its kind with
        ``rng=numpy.random.default_rng(seed)``.

    Raises
    ------
    EdgeDPError
        What a release would refuse, before anything runs.

    Notes
    -----
    Privacy: not a release. Quality is computed from exact values, and the words are seeded.

    Examples
    --------
    >>> from edgedp import Graph
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 30)])
    >>> frame = experiment(star, metric="degree", k=1, epsilon=[1, 40], mechanism="em", runs=5)
    >>> frame.height, frame.filter(frame["epsilon"] == 40)["recall"].mean()
    (10, 1.0)
    >>> law = experiment(star, metric="degree", k=1, epsilon=1, mechanism="pf", exact=True)
    >>> law["recall"].round(6).to_list(), law["run"].to_list()
    ([1.0], [None])

    References
    ----------
    Farias et al. (2021), Local dampening, PVLDB 14(4); Farias et al., Differentially private multi-objective
    selection.
    """
    asked = locals()
    given = {each: asked[each] for each in AXES}
    return run_experiment(
        _facts(source, kind, name, degree_bound, sample_nodes),
        kind,
        given,
        runs=runs,
        seed=seed,
        exact=exact,
        file=file,
        processes=processes,
        progress=progress,
    )


AXES = (
    "metric",
    "k",
    "epsilon",
    "mechanism",
    "sampler",
    "sensitivity_form",
    "shift",
    "proxy",
    "approach",
    "weights",
    "of",
    "samples",
    "nodes",
)


def run_experiment(
    facts: Facts | str,
    kind: Kind,
    given: dict[str, Any],
    *,
    runs: int,
    seed: int,
    exact: bool,
    file: str | Path | None,
    processes: int | None,
    progress: Progress | None,
) -> pl.DataFrame:
    """Run an experiment on the facts of a graph, or of a generator by its name; parameters as of `experiment`."""
    from edgedp.exact.experiments.growth import measure_growth
    from edgedp.exact.experiments.keeping import write_results
    from edgedp.exact.experiments.running import check_processes, run_cells

    check_choice(kind, "the kind of experiment", KINDS)
    check_switch(exact, "exact")
    runs, seed, count = check_runs(runs), check_seed(seed), check_processes(processes)
    given = {name: given.get(name) for name in AXES} | {"samples": check_samples(given.get("samples"))}
    path = None if file is None else expanded(file, "file")
    if isinstance(facts, str):
        if path is not None and path.exists():
            raise ParameterError(f"{path} exists already; remove it, or give another file")
        sizes = listed(given["nodes"], "nodes", (1_000, 3_000, 10_000, 30_000))
        metric = listed(given["metric"], "metric", ("ebc",))
        rows = measure_growth(facts, sizes, metric[0], runs, seed, progress)
        if path is not None:
            write_results(rows, path)
        return rows
    cells = planned_cells(facts, kind, given, 0 if exact else runs)
    told = {"graph": facts.name, "version": facts.version, "bound": facts.public.effective_degree_bound}
    return run_cells(
        facts,
        cells,
        seed,
        file=path,
        asked=told | {"cells": [cell.key for cell in cells], "sample_nodes": facts.sample_nodes},
        processes=count,
        progress=progress,
    )


def planned_cells(facts: Facts, kind: Kind, given: dict[str, Any], runs: int) -> list[Cell]:
    """Return the cells of an experiment, each planned once: what a release would refuse is refused here."""
    from edgedp.exact.experiments.runs import check_cell

    given = spelled(given, takes=AXES)
    for each in listed(given["mechanism"], "mechanism"):
        if isinstance(each, get_args(Mechanism)):
            raise ParameterError(
                f"mechanism is a list with {each!r}, must be a list of words; "
                "give the value by itself, or words with the options beside them"
            )
    match kind:
        case "topk":
            picks = (5, 10, 20) if runs else (1,)
            cells = list(cells_of("topk", _top_k_axes(given, picks, law=runs == 0), runs))
        case "motkin":
            cells = [cell for axes in _motkin_axes(given) for cell in cells_of("motkin", axes, runs)]
        case "numbers":
            cells = list(cells_of("numbers", _number_axes(given), runs))
        case "samples":
            made = list(cells_of("topk", _top_k_axes(given, (1, 2, 3)), runs))
            cells = [Cell("samples", c.options, runs, i) for i in range(given["samples"]) for c in made]
        case "growth":
            raise ParameterError("the source of growth is a graph, must be the name of a generator; give one")
        case _:
            assert_never(kind)
    for cell in cells:
        check_cell(facts, cell)
    return cells


def _epsilons(given: dict[str, Any]) -> list[str]:
    """Return every epsilon as the text of its decimal, so that equal ones are one."""
    from edgedp.words.amounts.epsilon import epsilon_nano, format_nano

    return list(
        dict.fromkeys(
            format_nano(epsilon_nano(each)) for each in listed(given["epsilon"], "epsilon", EPSILONS)
        )
    )


def _top_k_axes(
    given: dict[str, Any], picks: tuple[int, ...], *, law: bool = False
) -> dict[str, Sequence[Any]]:
    """Return the axes; by default joint takes part where the metric has it, and where no law is asked for."""
    from edgedp.mechanisms.checks import check_metric
    from edgedp.mechanisms.metrics import metric as metric_by_name

    metrics = listed(given["metric"], "metric", ("ebc",))

    joint = not law and all(metric_by_name(check_metric(name)).proxies for name in metrics)
    return {
        "metric": metrics,
        "k": listed(given["k"], "k", picks),
        "mechanism": listed(given["mechanism"], "mechanism", MECHANISMS if joint else PICKING),
        "sampler": check_samplers(given["sampler"]),
        "sensitivity_form": [plain(given["sensitivity_form"], "sensitivity_form")],
        "shift": listed(given["shift"], "shift", (None,)),
        "proxy": listed(given["proxy"], "proxy", (None,)),
        "epsilon": _epsilons(given),
    }


def _motkin_axes(given: dict[str, Any]) -> list[dict[str, Sequence[Any]]]:
    """Return the axes of each mechanism: what a mechanism does not take is left out."""
    shared: dict[str, Sequence[Any]] = {
        "metrics": [listed(given["metric"], "metric", ("degree", "density"))],
        "k": listed(given["k"], "k", (10,)),
        "approach": listed(given["approach"], "approach", ("pareto",)),
        "weights": [_weights(given["weights"])],
    }
    made = []
    for mechanism in listed(given["mechanism"], "mechanism", MECHANISMS):
        sensitivity = scaled_to(mechanism) if mechanism in PICKING else None
        shifts = listed(given["shift"], "shift", (None,)) if mechanism == "sld" else [None]
        form = [plain(given["sensitivity_form"], "sensitivity_form")] if sensitivity == "local" else [None]
        made.append(
            shared
            | {
                "mechanism": [mechanism],
                "sensitivity": [sensitivity],
                "sampler": check_samplers(given["sampler"]),
                "sensitivity_form": form,
                "shift": shifts,
                "epsilon": _epsilons(given),
            }
        )
    return made


def _weights(given: Any) -> list[float] | None:
    """Return the weights of whatever list; how many there must be is for the plan to say."""
    if given is None:
        return None
    return [plain(each, "weights") for each in (values_of(given, "weights") if is_list(given) else [given])]


def _number_axes(given: dict[str, Any]) -> dict[str, Sequence[Any]]:
    return {
        "of": listed(given["of"], "of", ("edges", "triangles", "wedges")),
        "mechanism": listed(given["mechanism"], "mechanism", (None,)),
        "epsilon": _epsilons(given),
    }


def _facts(
    source: Any, kind: Kind, name: str | None, degree_bound: int | None, sample_nodes: int
) -> Facts | str:
    """Return the facts of a source; of growth its generator's name."""
    from edgedp.graph.graph import Graph
    from edgedp.graph.loading import read_graph

    name = None if name is None else check_text(name, "name")
    if is_word(kind, "growth"):
        if not isinstance(source, str):
            raise ParameterError("the source of growth is a graph, must be the name of a generator; give one")
        return source
    degree_bound = check_degree_bound(degree_bound)
    sample_nodes = check_whole(sample_nodes, "sample_nodes")
    if isinstance(source, Graph):
        return Facts(name or "graph", source, degree_bound, sample_nodes=sample_nodes)
    if not isinstance(source, str):
        check_graph(source)
    told = name or Path(source).name.partition(".")[0]
    return Facts(told, read_graph(source), degree_bound, sample_nodes=sample_nodes)
