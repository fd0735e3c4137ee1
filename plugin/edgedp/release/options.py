"""What may be asked of each kind of release: its options, once.

A kind of release has one frozen class here. Its fields are the option names of Python, their types say
what a type checker lets through and which words there are, and ``None`` stands for "by the public rule of the
plan". Planning, commands, configurations of procedures and the tests of the typed functions read it.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

from edgedp.mechanisms import checks
from edgedp.mechanisms.counts import count_names
from edgedp.mechanisms.metrics import metric_names
from edgedp.mechanisms.values import Mechanism, spelled
from edgedp.words.errors import ParameterError
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
    "CountOptions",
    "DatedOptions",
    "DistributionOptions",
    "MotkinOptions",
    "Option",
    "Options",
    "PercentileOptions",
    "SummaryOptions",
    "TopKOptions",
]


def top_k_metrics() -> tuple[str, ...]:
    """Return what a top k may rank by: the metrics, counts of arcs, and strengths."""
    return tuple(sorted((*metric_names(), *ARC_METRICS, *STRENGTHS)))


def counted_names() -> tuple[str, ...]:
    """Return what may be counted: of undirected graphs, and arcs."""
    return tuple(sorted((*count_names(), "arcs")))


@dataclass(frozen=True)
class Option:
    """One option of a kind of release, as faces need it.

    Attributes
    ----------
    name : str
        In Python.
    flag : str
        On the command line.
    required : bool
    default : object
        None where a public rule of the plan gives it.
    choices : tuple of str, optional
        The words that there are; None where it is no word.
    many : bool
        Whether it is a list.
    number : type, optional
        ``int`` or ``float`` where it is such a number; an epsilon is a decimal as it was written, so a text.
        ``bool`` where it is a switch.
    help : str
    metavars : tuple of str
        What stands for its values in the help, where they are several at once, as the two of a pair.
    """

    name: str
    flag: str
    required: bool
    default: Any
    choices: tuple[str, ...] | None
    many: bool
    number: type | None
    help: str
    metavars: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The name in a procedure's configuration: in camelCase."""
        head, *rest = self.name.split("_")
        return head + "".join(part.capitalize() for part in rest)


@dataclass(frozen=True)
class _About:
    """What stands beside the type of an option; the flag is made of the name, and words come from the type."""

    help: str
    flag: str | None = None
    choices: Callable[[], tuple[str, ...]] | None = None
    metavars: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a kind of release, as they were asked for."""

    KIND: ClassVar[Kind]
    COMPUTES: ClassVar[bool] = True
    """Whether an engine computes anything on the graph; where none does, there is none to choose."""

    @classmethod
    @cache  # reading types is slow, and a plan is made at every request
    def described(cls) -> tuple[Option, ...]:
        """Return what there is to know of every option, in order."""
        hints = get_type_hints(cls, include_extras=True)
        return tuple(
            _described(name, hints[name], default)
            for name, default in ((each.name, each.default) for each in cls._ordered())
        )

    @classmethod
    def _ordered(cls) -> tuple[Field[Any], ...]:
        """Return the fields, those that are a class's own before those of every kind."""
        return tuple(sorted(fields(cls), key=lambda each: each.name in DATED))

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names in Python.

        Examples
        --------
        >>> TopKOptions.names()[:3]
        ('metric', 'k', 'epsilon')
        """
        return tuple(each.name for each in cls._ordered())

    @classmethod
    def config_keys(cls) -> dict[str, str]:
        """Return the names in Python by the keys of a procedure's configuration.

        Examples
        --------
        >>> TopKOptions.config_keys()["sensitivityForm"]
        'sensitivity_form'
        """
        return {option.key: option.name for option in cls.described()}

    @classmethod
    def given(cls, given: Mapping[str, Any]) -> Self:
        """Return the options given by their names; None is the default.

        Raises
        ------
        EdgeDPError
            An option is not known, or one without a default is missing.

        Examples
        --------
        >>> TopKOptions.given({"metric": "ebc", "k": 1, "epsilon": "0.1", "mechanism": None}).mechanism is None
        True
        """
        given = spelled(given)
        checks.check_option_names(given, cls.names())
        asked = {name: value for name, value in given.items() if value is not None}
        for option in cls.described():
            if option.required and option.name not in asked:
                raise ParameterError(f"{option.name} is missing; give it")
            if option.number is bool and option.name in asked:
                checks.check_switch(asked[option.name], option.name)
        return cls(**asked)

    @classmethod
    def among(cls, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options out of all the arguments of a function (its ``locals()``), a mechanism by its word.

        A function of a graph in memory, which has no calendar, asks for no windows.
        """
        return spelled(
            {name: arguments[name] for name in cls.names() if name in arguments or name not in DATED}
        )


@dataclass(frozen=True, kw_only=True)
class DatedOptions(Options):
    """The options of every release of edges: which windows of a calendar it reads."""

    window: Annotated[
        str | None, _About("For a graph with a calendar: the one window that is read, such as 2024-06.")
    ] = None
    windows: Annotated[
        str | Sequence[str] | None,
        _About("The windows that are read, A..B.  [default: everything, at whatever time]"),
    ] = None


DATED = tuple(each.name for each in fields(DatedOptions))
"""The options that say which windows are read."""


@dataclass(frozen=True, kw_only=True)
class TopKOptions(DatedOptions):
    """The options of `edgedp.priv_top_k`."""

    KIND = "priv_top_k"

    metric: Annotated[
        TopKMetricName,
        _About(
            "What the nodes are ranked by: ebc, ego-betweenness (how many pairs of its neighbours a node "
            "connects); density of the ego network; in_degree and out_degree of a directed graph; strength, or "
            "in_strength and out_strength, of weights.",
            choices=top_k_metrics,
        ),
    ]
    k: Annotated[int, _About("How many nodes.", flag="-k")]
    epsilon: Annotated[Any, _About("Privacy loss of the whole release.")]
    mechanism: Annotated[
        MechanismName | Mechanism | None,
        _About("How nodes are picked.  [default: joint; density, and where a delta is declared: sld]"),
    ] = None
    sampler: Annotated[SamplerName | None, _About("For em, ld and sld.  [default: exponential]")] = None
    sensitivity_form: Annotated[MetricForm | None, _About("For ld and sld.  [default: degree]")] = None
    shift: Annotated[Shift | None, _About("For sld.  [default: by the metric]")] = None
    proxy: Annotated[Proxy | None, _About("What joint ranks ebc and betweenness2 by.  [default: both]")] = (
        None
    )
    cap: Annotated[
        int | None,
        _About("Public: the most neighbours that a node connects, of lists and ordered; or arcs of a node."),
    ] = None
    estimates: Annotated[
        bool, _About("For joint: show what the same noise says about the numbers of edges and wedges.")
    ] = False
    target_recall: Annotated[
        Any, _About("Spend until so much of the list is expected to be right; epsilon is then the most.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class MotkinOptions(DatedOptions):
    """The options of `edgedp.motkin`."""

    KIND = "motkin"

    metrics: Annotated[
        Sequence[MetricName], _About("What the nodes are ranked by; twice or more.", "--metric", metric_names)
    ]
    k: Annotated[int, _About("How many nodes.", flag="-k")]
    epsilon: Annotated[Any, _About("Privacy loss of the whole release.")]
    approach: Annotated[Approach, _About("A Pareto score, or a weighted sum.")] = "pareto"
    sensitivity: Annotated[
        Sensitivity | None, _About("What the noise is scaled to; not of joint.  [default: local]")
    ] = None
    mechanism: Annotated[
        MechanismName | Mechanism | None,
        _About("Local: sld or ld; global: em or pf; or joint.  [default: sld; em]"),
    ] = None
    sampler: Annotated[SamplerName | None, _About("For em, ld and sld.  [default: exponential]")] = None
    sensitivity_form: Annotated[
        MetricForm | ParetoForm | None, _About("For ld and sld.  [default: interval; aggregate: degree]")
    ] = None
    shift: Annotated[Shift | None, _About("For sld.  [default: by metrics and weights]")] = None
    weights: Annotated[
        Sequence[float] | None,
        _About("For aggregate, once for each --metric.  [default: 1 each]", "--weight"),
    ] = None
    estimates: Annotated[
        bool, _About("For joint: show what the same noise says about the numbers of edges and wedges.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class CountOptions(DatedOptions):
    """The options of `edgedp.count` but for delta, which is of graphs in memory."""

    KIND = "count"

    of: Annotated[CountName, _About("What is counted.", choices=counted_names)]
    epsilon: Annotated[Any, _About("Privacy loss of the whole release.")]
    mechanism: Annotated[
        NumberMechanismName | None,
        _About(
            "What noise; nls and lls in memory only.  [default: geometric where an edge moves 1; calibrated]"
        ),
    ] = None
    star_size: Annotated[int | None, _About("For stars: how many neighbours.  [default: 3]")] = None
    pair: Annotated[Any, _About("For common_neighbors: two node ids.", metavars=("U", "V"))] = None
    node: Annotated[Any, _About("For a metric: the node's id.", metavars=("V",))] = None
    error_bar: Annotated[
        bool, _About("For calibrated: a tenth of epsilon buys an interval around the number.")
    ] = False
    cap: Annotated[int | None, _About("For arcs, public: the most of each node that count.")] = None


@dataclass(frozen=True, kw_only=True)
class DistributionOptions(DatedOptions):
    """The options of `edgedp.distribution`."""

    KIND = "distribution"

    of: Annotated[CountedName, _About("What is distributed.")] = "degree"
    epsilon: Annotated[Any, _About("Privacy loss of the whole release.")]
    form: Annotated[
        DistributionForm, _About("Nodes of degree k or more, k = 1 to the bound, or of exactly k.")
    ] = "ccdf"
    cap: Annotated[
        int | None, _About("For in- and out-degrees, public: the most arcs of each other end that count.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class SummaryOptions(DatedOptions):
    """The options of `edgedp.summary`."""

    KIND = "summary"

    epsilon: Annotated[Any, _About("Privacy loss of all of it.")]


@dataclass(frozen=True, kw_only=True)
class PercentileOptions(Options):
    """The options of a percentile of a property of a stored graph's nodes."""

    KIND = "percentile"
    COMPUTES = False

    property: Annotated[str, _About("A property that the curator has declared.")]
    q: Annotated[Any, _About("Above 0 and below 1, 0.5 for the median; a third is 1/3.")]
    epsilon: Annotated[Any, _About("Privacy loss, of the attributes' account.")]
    mechanism: Annotated[
        PercentileMechanism | Mechanism,
        _About("How a point of the grid is picked: by ranks, records or values."),
    ] = "pf"
    sampler: Annotated[
        SamplerName | None,
        _About("For em, distance, ld and sld.  [default: exponential; distance: permute_and_flip]"),
    ] = None


def _described(name: str, hint: Any, default: Any) -> Option:
    typed, about = get_args(hint)
    many, words, number = _shape(typed)
    required = default is MISSING
    return Option(
        name=name,
        flag=about.flag or f"--{name.replace('_', '-')}",
        required=required,
        default=None if required else default,
        choices=about.choices() if about.choices is not None else words,
        many=many,
        number=number,
        help=about.help,
        metavars=about.metavars,
    )


def _shape(hint: Any) -> tuple[bool, tuple[str, ...] | None, type | None]:
    """Return whether a type is a list, which words it allows, and which number it is."""
    if get_origin(hint) in (Union, types.UnionType):
        parts = [_shape(part) for part in get_args(hint) if part is not types.NoneType]
        return parts[0][0], _joined(words for _, words, _ in parts), parts[0][2]
    if get_origin(hint) is Sequence:
        (item,) = get_args(hint)
        return (True, *_shape(item)[1:])
    if get_origin(hint) is Literal:
        return False, get_args(hint), None
    return False, None, hint if hint in (int, float, bool) else None


def _joined(words: Iterable[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    found = [part for part in words if part is not None]
    return tuple(word for part in found for word in part) if found else None
