"""What may be asked of each kind of release: its options, once.

A kind of release has one frozen class here. Its fields are the option names of Python, their types say
what a type checker lets through and which words there are, and ``None`` stands for "by the public rule of the
plan". Planning, commands, configurations of procedures and the gateway read it. Where a kind has many options, the
functions of Python take those that follow the first few as ``**``: a typed dictionary beside the class names them for
type checkers, with the same types.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypedDict, get_args

from edgedp.mechanisms.counts import count_names
from edgedp.mechanisms.metrics import metric_names
from edgedp.mechanisms.values import Mechanism
from edgedp.release.option import DATED, About, DatedOptions, Option, Options, Windows
from edgedp.words.vocabulary import (
    ARC_METRICS,
    STRENGTHS,
    Approach,
    CountedName,
    CountName,
    DistributionForm,
    Kind,
    MechanismName,
    MetricForm,
    MetricName,
    NumberMechanismName,
    ParetoForm,
    PercentileMechanism,
    Proxy,
    SamplerName,
    Sensitivity,
    Shift,
    TopKMetricName,
)

__all__ = [
    "DATED",
    "OPTIONS",
    "About",
    "Asked",
    "CountOptions",
    "CountWords",
    "DatedOptions",
    "DistributionOptions",
    "MotkinOptions",
    "MotkinWords",
    "Option",
    "Options",
    "PercentileOptions",
    "StoredCountWords",
    "StoredMotkinWords",
    "StoredTopKWords",
    "SummaryOptions",
    "TopKOptions",
    "TopKWords",
    "Windows",
]


def top_k_metrics() -> tuple[str, ...]:
    """Return what a top k may rank by: the metrics, counts of arcs, and strengths."""
    return tuple(sorted((*metric_names(), *ARC_METRICS, *STRENGTHS)))


def counted_names() -> tuple[str, ...]:
    """Return what may be counted: of undirected graphs, and arcs."""
    return tuple(sorted((*count_names(), "arcs")))


@dataclass(frozen=True, kw_only=True)
class TopKOptions(DatedOptions):
    """The options of `edgedp.priv_top_k`."""

    KIND = "priv_top_k"
    COMMAND = "topk"
    TITLE = "Top k"
    SAYS = "Release the k nodes of highest metric."
    EXAMPLE: ClassVar = {"metric": "ebc", "k": 10, "epsilon": "0.5"}

    metric: Annotated[
        TopKMetricName,
        About(
            "What the nodes are ranked by: ebc, ego-betweenness (how many pairs of its neighbours a node "
            "connects); density of the ego network; in_degree and out_degree of a directed graph; strength, or "
            "in_strength and out_strength, of weights.",
            choices=top_k_metrics,
        ),
    ]
    k: Annotated[int, About("How many nodes.", flag="-k")]
    epsilon: Annotated[Any, About("Privacy loss of the whole release.")]
    mechanism: Annotated[
        MechanismName | Mechanism | None,
        About("How nodes are picked.  [default: joint; density, and where a delta is declared: sld]"),
    ] = None
    sampler: Annotated[SamplerName | None, About("For em, ld and sld.  [default: exponential]")] = None
    sensitivity_form: Annotated[MetricForm | None, About("For ld and sld.  [default: degree]")] = None
    shift: Annotated[Shift | None, About("For sld.  [default: by the metric]")] = None
    proxy: Annotated[Proxy | None, About("What joint ranks ebc and betweenness2 by.  [default: both]")] = None
    cap: Annotated[
        int | None,
        About(
            "With lists and ordered: how many neighbours a node connects at most; for in- and out-degrees: how many "
            "arcs of each node count at most. Public."
        ),
    ] = None
    estimates: Annotated[
        bool, About("For joint: show what the same noise says about the numbers of edges and wedges.")
    ] = False
    target_recall: Annotated[
        Any, About("Spend until so much of the list is expected to be right; epsilon is then the most.")
    ] = None


class TopKWords(TypedDict, total=False):
    """The options of the top k that follow its mechanism, as keywords."""

    sampler: SamplerName | None
    sensitivity_form: MetricForm | None
    shift: Shift | None
    proxy: Proxy | None
    cap: int | None
    estimates: bool
    target_recall: Any


class StoredTopKWords(TopKWords, Windows, total=False):
    """Those of a stored graph, which may have a calendar."""


@dataclass(frozen=True, kw_only=True)
class MotkinOptions(DatedOptions):
    """The options of `edgedp.motkin`."""

    KIND = COMMAND = "motkin"
    TITLE = "Several metrics (MOTkIN)"
    SAYS = "Release k nodes that are good in several metrics at once."
    EXAMPLE: ClassVar = {"metrics": ["degree", "density"], "k": 10, "epsilon": "0.5"}

    metrics: Annotated[
        Sequence[MetricName], About("What the nodes are ranked by; twice or more.", "--metric", metric_names)
    ]
    k: Annotated[int, About("How many nodes.", flag="-k")]
    epsilon: Annotated[Any, About("Privacy loss of the whole release.")]
    approach: Annotated[Approach, About("A Pareto score, or a weighted sum.")] = "pareto"
    sensitivity: Annotated[
        Sensitivity | None, About("What the noise is scaled to; not of joint.  [default: local]")
    ] = None
    mechanism: Annotated[
        MechanismName | Mechanism | None,
        About("Local: sld or ld; global: em or pf; or joint.  [default: sld; em]"),
    ] = None
    sampler: Annotated[SamplerName | None, About("For em, ld and sld.  [default: exponential]")] = None
    sensitivity_form: Annotated[
        MetricForm | ParetoForm | None, About("For ld and sld.  [default: interval; aggregate: degree]")
    ] = None
    shift: Annotated[Shift | None, About("For sld.  [default: by metrics and weights]")] = None
    weights: Annotated[
        Sequence[float] | None,
        About("For aggregate, once for each --metric.  [default: 1 each]", "--weight"),
    ] = None
    estimates: Annotated[
        bool, About("For joint: show what the same noise says about the numbers of edges and wedges.")
    ] = False


class MotkinWords(TypedDict, total=False):
    """The options of several metrics that follow the mechanism, as keywords."""

    sampler: SamplerName | None
    sensitivity_form: MetricForm | ParetoForm | None
    shift: Shift | None
    weights: Sequence[float] | None
    estimates: bool


class StoredMotkinWords(MotkinWords, Windows, total=False):
    """Those of a stored graph, which may have a calendar."""


@dataclass(frozen=True, kw_only=True)
class CountOptions(DatedOptions):
    """The options of `edgedp.count` but for delta, which is of graphs in memory."""

    KIND = COMMAND = "count"
    TITLE = "Count"
    SAYS = "Release one number: edges, triangles, stars, a node's degree."
    EXAMPLE: ClassVar = {"of": "triangles", "epsilon": "0.5"}

    of: Annotated[CountName, About("What is counted.", choices=counted_names)]
    epsilon: Annotated[Any, About("Privacy loss of the whole release.")]
    mechanism: Annotated[
        NumberMechanismName | None,
        About(
            "What noise; nls and lls in memory only.  [default: geometric where an edge moves 1; calibrated]"
        ),
    ] = None
    star_size: Annotated[int | None, About("For stars: how many neighbours.  [default: 3]")] = None
    pair: Annotated[Any, About("For common_neighbors: two node ids.", metavars=("U", "V"))] = None
    node: Annotated[Any, About("For a metric: the node's id.", metavars=("V",))] = None
    error_bar: Annotated[
        bool, About("For calibrated: a tenth of epsilon buys an interval around the number.")
    ] = False
    cap: Annotated[int | None, About("For arcs: how many arcs of each node count at most; public.")] = None


class CountWords(TypedDict, total=False):
    """The options of a count that follow its mechanism, as keywords."""

    star_size: int | None
    pair: Any
    node: Any
    error_bar: bool
    cap: int | None


class StoredCountWords(CountWords, Windows, total=False):
    """Those of a stored graph, which may have a calendar."""


@dataclass(frozen=True, kw_only=True)
class DistributionOptions(DatedOptions):
    """The options of `edgedp.distribution`."""

    KIND = COMMAND = "distribution"
    TITLE = "Distribution"
    SAYS = "Release how the degrees are spread."
    EXAMPLE: ClassVar = {"of": "degree", "epsilon": "0.5"}

    of: Annotated[CountedName, About("What is distributed.")] = "degree"
    epsilon: Annotated[Any, About("Privacy loss of the whole release.")]
    form: Annotated[
        DistributionForm, About("Nodes of degree k or more, k = 1 to the bound, or of exactly k.")
    ] = "ccdf"
    cap: Annotated[
        int | None, About("For in- and out-degrees: how many arcs of each other end count at most; public.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class SummaryOptions(DatedOptions):
    """The options of `edgedp.summary`."""

    KIND = COMMAND = "summary"
    TITLE = "Summary"
    SAYS = "Release what an owner publishes about a graph, for one debit."
    EXAMPLE: ClassVar = {"epsilon": "0.5"}

    epsilon: Annotated[Any, About("Privacy loss of all of it.")]


@dataclass(frozen=True, kw_only=True)
class PercentileOptions(Options):
    """The options of a percentile of a property of a stored graph's nodes."""

    KIND = COMMAND = "percentile"
    TITLE = "Percentile"
    SAYS = "Release a percentile of a declared property of the nodes."
    PROTECTS = (
        "It protects the whole record of one node, and debits the attributes' account. A property that follows from "
        "its node's own degree debits the edges too."
    )
    EXAMPLE: ClassVar = {"property": "age", "q": "0.5", "epsilon": "0.5"}
    COMPUTES = False

    property: Annotated[str, About("A property that the curator has declared.")]
    q: Annotated[Any, About("Above 0 and below 1, 0.5 for the median; a third is 1/3.")]
    epsilon: Annotated[Any, About("Privacy loss, of the attributes' account.")]
    mechanism: Annotated[
        PercentileMechanism | Mechanism,
        About("How a point of the grid is picked: by ranks, records or values."),
    ] = "pf"
    sampler: Annotated[
        SamplerName | None,
        About("For em, distance, ld and sld.  [default: exponential; distance: permute_and_flip]"),
    ] = None


Asked = TopKOptions | MotkinOptions | CountOptions | DistributionOptions | SummaryOptions | PercentileOptions
"""What is asked of any kind of release."""

OPTIONS: dict[Kind, type[Asked]] = {each.KIND: each for each in get_args(Asked)}
"""What may be asked of each kind of release; read without anything that computes."""
