"""The words that may be asked with: each closed list once, for type checkers and at run time.

Where privacy depends on one of them, the code is a ``match`` that ends in ``assert_never``: a word that is
added here and not handled there is a type error, and never "the other one".
"""

from __future__ import annotations

from typing import Literal, get_args

__all__ = [
    "ACCOUNTS",
    "ADDRESS_ENGINES",
    "AGGREGATIONS",
    "APPROACHES",
    "ARC_METRICS",
    "COUNTED",
    "DEPENDENCES",
    "DISTRIBUTION_FORMS",
    "ENGINES",
    "GRAPH_ENGINES",
    "KINDS",
    "MECHANISMS",
    "METRIC_FORMS",
    "NUMBER_MECHANISMS",
    "PARETO_FORMS",
    "PERCENTILE_MECHANISMS",
    "PICKING",
    "PROXIES",
    "RELEASE_ENGINES",
    "SAMPLERS",
    "SENSITIVITIES",
    "SHIFTS",
    "SPARK_KINDS",
    "STRENGTHS",
    "TALLIED",
    "UNITS",
    "VECTORS",
    "AccountName",
    "AddressEngine",
    "Aggregation",
    "Approach",
    "ArcMetricName",
    "CountName",
    "CountedName",
    "DependsOn",
    "DistributionForm",
    "Engine",
    "GraphEngine",
    "Kind",
    "MechanismName",
    "MetricForm",
    "MetricName",
    "NumberMechanismName",
    "ParetoForm",
    "PercentileMechanism",
    "PickingName",
    "Proxy",
    "ReleaseEngine",
    "SamplerName",
    "Sensitivity",
    "Shift",
    "SparkKind",
    "StrengthName",
    "TalliedName",
    "TopKMetricName",
    "UndampenedName",
    "Unit",
    "Vector",
]

Kind = Literal["priv_top_k", "motkin", "count", "distribution", "summary", "percentile"]
"""A kind of release, in the word that ledgers keep."""

MetricName = Literal["betweenness2", "degree", "density", "ebc"]
"""The metrics that type checkers know. At run time the folder is the list (`mechanisms.metrics.metric_names`)."""

ArcMetricName = Literal["in_degree", "out_degree"]
"""What is counted of the arcs of a directed graph; not a metric of the undirected one."""

CountedName = Literal["degree", ArcMetricName]
"""What counts neighbours: of all, or of one direction."""

StrengthName = Literal["in_strength", "out_strength", "strength"]
"""What adds up weights: of the arcs of a directed graph, or of the pairs of an undirected one."""

TalliedName = Literal[CountedName, StrengthName]
"""What adds something up for each neighbour: one, or the weight of what lies between."""

Aggregation = Literal["SUM", "COUNT", "MAX", "MIN"]
"""How the weights of parallel relationships become one, in the words of Neo4j's graph data science."""

TopKMetricName = Literal[MetricName, ArcMetricName, StrengthName]
"""What a top k may rank by."""

Unit = Literal["pair", "source", "target"]
"""What a release protects at its epsilon: all between two nodes, all arcs that leave one, all that come to one."""

CountName = Literal[
    MetricName,
    "arcs",
    "clustering",
    "common_neighbors",
    "edges",
    "stars",
    "triangles",
    "two_triangles",
    "wedges",
]
"""The numbers that type checkers know. At run time the folder is the list (`edgedp.mechanisms.counts.count_names`)."""

NumberMechanismName = Literal["calibrated", "geometric", "staircase", "ladder", "smooth", "nls", "lls"]
"""A mechanism that releases one number."""

DistributionForm = Literal["ccdf", "histogram"]
"""The numbers of nodes of a degree or more, or of exactly a degree."""

UndampenedName = Literal["em", "pf"]
"""A sampler on scores that are not dampened: each sampler is one of these (`edgedp.mechanisms.samplers`)."""

PickingName = Literal[UndampenedName, "ld", "sld"]
"""A mechanism that picks nodes one after the other."""

MechanismName = Literal[PickingName, "joint"]

PercentileMechanism = Literal["pf", "em", "distance", "ld", "sld"]
"""How a point of a grid is picked (`edgedp.percentile`)."""

SamplerName = Literal["exponential", "permute_and_flip"]

Shift = Literal["up", "down"]

MetricForm = Literal["degree", "common_neighbors"]
"""What a metric's sensitivity is computed from."""

ParetoForm = Literal["interval", "interval+edge"]
"""What the sensitivity of a Pareto score is computed from."""

Vector = Literal["degree", "betweenness2"]
"""An integer vector of the nodes that a joint release puts noise on."""

Proxy = Literal["both", "lists", "ordered", Vector]
"""What a joint release ranks by: both adaptively, or one vector; lists and ordered are betweenness2 through cuts."""

Approach = Literal["pareto", "aggregate"]

Sensitivity = Literal["local", "global"]

AccountName = Literal["edges", "attributes"]
"""Whose neighbours an account bounds: one edge more or less, or one node's record replaced. Never added up."""

DependsOn = Literal["independent", "degree"]
"""What a property's value is a function of: its own record alone, or its own record and its own degree."""

GraphEngine = Literal["native", "igraph"]
"""What computes on a graph in memory."""

Engine = Literal[GraphEngine, "cypher"]

ReleaseEngine = Literal[Engine, "spark"]
"""What computes a release: some kinds also Spark (`SPARK_KINDS`)."""

SparkKind = Literal["priv_top_k", "motkin", "count", "distribution"]
"""A kind of which Spark draws some releases (`edgedp.spark.drawing.check_can_draw`)."""

AddressEngine = Literal["native", "spark"]
"""What reads edges at an address."""

KINDS: tuple[Kind, ...] = get_args(Kind)
ARC_METRICS: tuple[ArcMetricName, ...] = get_args(ArcMetricName)
COUNTED: tuple[CountedName, ...] = get_args(CountedName)
STRENGTHS: tuple[StrengthName, ...] = get_args(StrengthName)
TALLIED: tuple[TalliedName, ...] = get_args(TalliedName)
AGGREGATIONS: tuple[Aggregation, ...] = get_args(Aggregation)
UNITS: tuple[Unit, ...] = get_args(Unit)
MECHANISMS: tuple[MechanismName, ...] = get_args(MechanismName)
NUMBER_MECHANISMS: tuple[NumberMechanismName, ...] = get_args(NumberMechanismName)
DISTRIBUTION_FORMS: tuple[DistributionForm, ...] = get_args(DistributionForm)
PICKING: tuple[PickingName, ...] = get_args(PickingName)
PERCENTILE_MECHANISMS: tuple[PercentileMechanism, ...] = get_args(PercentileMechanism)
SAMPLERS: tuple[SamplerName, ...] = get_args(SamplerName)
SHIFTS: tuple[Shift, ...] = get_args(Shift)
METRIC_FORMS: tuple[MetricForm, ...] = get_args(MetricForm)
PARETO_FORMS: tuple[ParetoForm, ...] = get_args(ParetoForm)
VECTORS: tuple[Vector, ...] = get_args(Vector)
PROXIES: tuple[Proxy, ...] = get_args(Proxy)
APPROACHES: tuple[Approach, ...] = get_args(Approach)
SENSITIVITIES: tuple[Sensitivity, ...] = get_args(Sensitivity)
ACCOUNTS: tuple[AccountName, ...] = get_args(AccountName)
DEPENDENCES: tuple[DependsOn, ...] = get_args(DependsOn)
GRAPH_ENGINES: tuple[GraphEngine, ...] = get_args(GraphEngine)
ENGINES: tuple[Engine, ...] = get_args(Engine)
ADDRESS_ENGINES: tuple[AddressEngine, ...] = get_args(AddressEngine)
RELEASE_ENGINES: tuple[ReleaseEngine, ...] = get_args(ReleaseEngine)
SPARK_KINDS: tuple[SparkKind, ...] = get_args(SparkKind)


def is_word(value: object, *words: str) -> bool:
    """Whether a value, which may be anything, is one of these words: an array is none, and does not compare.

    Examples
    --------
    >>> is_word("none", "none", "never"), is_word(["none"], "none")
    (True, False)
    """
    return isinstance(value, str) and value in words
