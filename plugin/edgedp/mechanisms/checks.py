"""All parameter checks: each returns the canonical value or refuses it in one line."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeVar, assert_never, cast

from edgedp.words.amounts.written import fraction_of
from edgedp.words.errors import ParameterError, UnknownNameError
from edgedp.words.shown import kind_of, shortened, shown
from edgedp.words.vocabulary import (
    ARC_METRICS,
    MECHANISMS,
    SAMPLERS,
    STRENGTHS,
    MechanismName,
    MetricForm,
    MetricName,
    PickingName,
    SamplerName,
    StrengthName,
    TopKMetricName,
    is_word,
)

_Name = TypeVar("_Name", bound=str)

_LARGEST_KEPT = 2**63 - 1
"""Of a store's whole numbers; no graph has as many nodes, so that a larger bound of a degree says the same."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ``"did you mean 'x'?"`` for a misspelt name, or the list of known ones.

    Examples
    --------
    >>> nearest("densty", ["degree", "density"])
    "did you mean 'density'?"
    """
    known = sorted(known)
    close = difflib.get_close_matches(str(name).lower(), known, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"choose one of {', '.join(known)}" if known else "there is none yet"


def check_choice(value: Any, name: str, choices: Sequence[_Name]) -> _Name:
    """Return the one of the choices that `value` is."""
    if not isinstance(value, str) or value not in choices:
        close = nearest(str(value), choices)
        hint = close if close.startswith("did you mean") else "choose one of these"
        raise UnknownNameError(f"{name} is {value!r}, must be one of {', '.join(choices)}; {hint}")
    return choices[choices.index(cast(_Name, value))]


def check_facts(value: Any) -> None:
    """Refuse a graph whose facts are not promised to be recorded.

    Examples
    --------
    >>> check_facts("recorded")
    """
    if is_word(value, "computed"):
        raise ParameterError(
            "facts is 'computed', must be 'recorded'; one relationship changes many that are computed from it, "
            "and no noise covers that, so register the relationships that they are computed from, with a label "
            "that no relationship decides"
        )
    check_choice(value, "facts", ("recorded",))


def check_metric(value: Any, name: str = "metric") -> MetricName:
    """Return the name of a metric."""
    from edgedp.mechanisms.metrics import metric_names

    return cast(MetricName, check_choice(value, name, metric_names()))


def check_form(value: Any, metric: str) -> MetricForm:
    """Return the form of a metric's sensitivity; the default is its first."""
    from edgedp.mechanisms.metrics import metric as metric_by_name

    forms = metric_by_name(metric).forms
    return forms[0] if value is None else check_choice(value, "form", forms)


def check_sensitivity(value: Any) -> None:
    """Refuse what has no local sensitivity that follows from the graph: counts of arcs."""
    if isinstance(value, str) and value in STRENGTHS:
        raise ParameterError(
            f"metric is {value!r}, which one pair changes by what is declared, so there is no sensitivity to look at; "
            "ask for the values, or for another metric"
        )
    if isinstance(value, str) and value in ARC_METRICS:
        raise ParameterError(
            f"metric is {value!r}, which one arc changes by 1 in every graph, so there is no sensitivity to look at; "
            "ask for the values, or for another metric"
        )


def check_ranked(value: Any, *, directed: bool, weighted: bool, name: str = "metric") -> TopKMetricName:
    """Return the name of what a node can be ranked by: a metric, of a directed graph a count of arcs, or a strength."""
    if isinstance(value, str) and value in STRENGTHS:
        return _check_strength(
            check_choice(value, name, STRENGTHS), directed=directed, weighted=weighted, name=name
        )
    if isinstance(value, str) and value in ARC_METRICS:
        if not directed:
            raise ParameterError(
                f"{name} is {value!r}, which needs a graph whose directions were kept; read or load it with directed "
                "(--directed), or take 'degree'"
            )
        return check_choice(value, name, ARC_METRICS)
    from edgedp.mechanisms.metrics import metric_names

    return cast(
        TopKMetricName, check_choice(value, name, sorted((*metric_names(), *ARC_METRICS, *STRENGTHS)))
    )


def _check_strength(value: StrengthName, *, directed: bool, weighted: bool, name: str) -> StrengthName:
    """Refuse a strength of a graph without weights, or without the directions that it adds up."""
    if not weighted:
        raise ParameterError(
            f"{name} is {value!r}, which needs a graph with weights, whose cap is declared; make, load or register it "
            "with weight (--weight, --weight-cap), or take 'degree'"
        )
    match value:
        case "strength" if directed:
            raise ParameterError(
                f"{name} is 'strength', which adds up pairs, and the graph has directions; take 'in_strength' or "
                "'out_strength', or make the graph without directions"
            )
        case "in_strength" | "out_strength" if not directed:
            raise ParameterError(
                f"{name} is {value!r}, which needs a graph whose directions were kept; make, load or register it with "
                "them, or take 'strength'"
            )
    return value


def check_graph(value: Any) -> None:
    """Refuse what is no `Graph`, by its type; the value itself may hold private edges and is not shown."""
    from edgedp.graph.graph import Graph

    if type(value).__module__.partition(".")[0] == "pyspark":
        raise ParameterError(
            f"graph is {kind_of(value)}, must be an edgedp.Graph; ask edgedp.spark.priv_top_k for a list of it; "
            "for numbers write it to files and register these (Store.register_edges), or convert it by toPandas() and "
            "Graph.from_frame"
        )
    if not isinstance(value, Graph):
        raise ParameterError(
            f"graph is {kind_of(value)}, must be an edgedp.Graph; convert it by Graph.from_networkx, from_igraph, "
            "from_scipy, from_frame or from_edges, or read it by edgedp.read_graph"
        )


def check_mechanism(value: Any) -> MechanismName:
    """Return the name of a mechanism."""
    return check_choice(value, "mechanism", MECHANISMS)


def check_sampler(value: Any, mechanism: PickingName) -> SamplerName:
    """Return the sampler of a mechanism; ``pf`` is ``em`` with ``permute_and_flip``.

    Examples
    --------
    >>> check_sampler(None, "pf"), check_sampler(None, "sld")
    ('permute_and_flip', 'exponential')
    """
    sampler = None if value is None else check_choice(value, "sampler", SAMPLERS)
    match mechanism:
        case "em" | "ld" | "sld":
            return "exponential" if sampler is None else sampler
        case "pf":
            if sampler not in (None, "permute_and_flip"):
                raise ParameterError(
                    f"sampler is {sampler!r}, must be 'permute_and_flip' for mechanism 'pf'; use mechanism 'em'"
                )
            return "permute_and_flip"
        case _:
            assert_never(mechanism)


def check_no_option(name: str, value: Any, of: str) -> None:
    """Refuse an option that would have no effect."""
    if value is not None:
        raise ParameterError(f"{name} is not an option of {of}; ask without it")


def check_whole(value: Any, name: str) -> int:
    """Return a whole number; a bool, a fraction or a text is refused."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        if isinstance(value, float) and value.is_integer():
            return int(value)
        raise ParameterError(f"{name} is {value!r}, must be a whole number; write it without a fraction")
    return int(value)


def check_k(value: Any, node_count: int) -> int:
    """Return ``k``: a whole number from 1 to the number of nodes."""
    k = check_whole(value, "k")
    if not 1 <= k <= node_count:
        raise ParameterError(
            f"k is {k}, must be from 1 to the number of nodes, {node_count}; ask for another number of nodes"
        )
    return k


def check_limit(value: Any) -> int | None:
    """Return how many rows a page has at most: a whole number, 1 or more; None for all of them."""
    if value is None:
        return None
    limit = check_whole(value, "limit")
    if limit < 1:
        raise ParameterError(f"limit is {limit}, must be 1 or more; ask without it for all rows")
    return min(limit, 2**62)


def check_row_number(value: Any) -> int:
    """Return the number of a row of a log: a whole number that a log can have, or 0 for before the first."""
    number = check_whole(value, "since")
    if not 0 <= number < 2**62:
        raise ParameterError(f"since is {number}, must be the seq of a row of the log; take one from it")
    return number


def check_degree_bound(value: Any) -> int | None:
    """Return a declared degree bound, or None where none is declared."""
    if value is None:
        return None
    bound = check_whole(value, "degree_bound")
    if bound < 0:
        raise ParameterError(
            f"degree_bound is {bound}, must be 0 or more; declare the largest degree a node may have"
        )
    return min(bound, _LARGEST_KEPT)


def check_cap(value: Any) -> int:
    """Return the cap of the cuts of neighbour lists: a whole number, 1 or more, whose noise floats can tell."""
    cap = check_whole(value, "cap")
    if cap < 1:
        raise ParameterError(
            f"cap is {cap}, must be 1 or more; give the most neighbours that a node connects"
        )
    if cap > 2**62:
        raise ParameterError("cap is above 2^62, which no node has neighbours for; give a smaller one")
    return cap


def check_switch(value: Any, name: str) -> bool:
    """Return a switch: true or false; nothing that merely counts as one of them is taken."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name} is {value!r}, must be true or false; give one of the two")
    return value


def check_distance(value: Any) -> int:
    """Return a distance ``t`` in edges."""
    t = check_whole(value, "t")
    if t < 0:
        raise ParameterError(f"t is {t}, must be 0 or more; give a distance in edges")
    return t


def part_of_one(value: Any) -> Fraction | None:
    """Return a number or decimal text exactly as written, or None if it does not lie above 0 and below 1.

    Examples
    --------
    >>> part_of_one("1/3"), part_of_one(0.1), part_of_one(1), part_of_one("much")
    (Fraction(1, 3), Fraction(1, 10), None, None)
    """
    part = fraction_of(value)
    return part if part is not None and 0 < part < 1 else None


def check_part(value: Any, name: str) -> Fraction:
    """Return a part of one exactly as it was written: a decimal, a fraction or a text of either."""
    part = part_of_one(value)
    if part is None:
        raise ParameterError(
            f"{name} is {shortened(repr(value))}, must be above 0 and below 1; give one such as 0.9"
        )
    return part


def check_text(value: Any, name: str) -> str:
    """Return a non-empty text without control characters; one of a type of its own, as an enum's, as a plain text."""
    odd = isinstance(value, str) and any(
        ord(c) < 32 or ord(c) == 127 or 0xD800 <= ord(c) < 0xE000 for c in value
    )
    if not isinstance(value, str) or not value.strip() or odd:
        raise ParameterError(
            f"{name} is {value!r}, must be a non-empty text of printable characters; choose another"
        )
    return str.__str__(value)


def check_request_id(value: Any, name: str = "request_id") -> str:
    """Return an asker's identifier of a request: a text of at most 200 characters."""
    text = check_text(value, name)
    if len(text) > 200:
        raise ParameterError(
            f"{name} has {len(text)} characters, must have at most 200; choose a shorter one"
        )
    return text


def check_graph_name(value: Any) -> str:
    """Return the name of a stored graph: printable, at most 200 characters."""
    name = check_text(value, "name")
    if len(name) > 200:
        raise ParameterError(f"name has {len(name)} characters, must have at most 200; choose a shorter one")
    if name != name.strip():
        raise ParameterError(f"name is {name!r}, with space around it; leave the space out")
    return name


def check_new_graph_name(name: str) -> None:
    """Refuse a name that no graph had before and that a face cannot carry: names that are there go on working.

    A slash in an address is taken apart by proxies, a dash before a name is an option of a command, dots are folders,
    and what nobody sees makes two names look alike.

    Examples
    --------
    >>> for name in ("email-Enron", "Q3 2026 (EU)", "Zoë's graph"):
    ...     check_new_graph_name(name)
    """
    trouble = None
    if "/" in name or "\\" in name:
        trouble = "without / and \\, which addresses and folders are made of"
    elif name.startswith("-"):
        trouble = "without a dash before it, which is that of an option"
    elif not name.strip("."):
        trouble = "of more than dots"
    elif shown(name) != name:
        trouble = "without characters that nobody sees"
    if trouble is not None:
        raise ParameterError(f"name is {shortened(repr(name))}, must be {trouble}; choose another name")


def check_person_name(value: Any, what: str = "name") -> str:
    """Return the name of an analyst, a curator or a token: printable, at most 200 characters, no space around it."""
    name = check_text(value, what)
    if len(name) > 200 or name != name.strip():
        raise ParameterError(
            f"{what} is {name[:40]!r}, must have at most 200 characters and no space around it; choose another"
        )
    return name


def check_weights(value: Any, count: int) -> tuple[float, ...]:
    """Return the weights of an aggregate: as many as metrics, finite, not all 0; default all 1."""
    if value is None:
        return (1.0,) * count
    from edgedp.words.containers import is_list, values_of  # numpy is not needed before a question is asked

    listed: list[Any] = list(values_of(value, "weights")) if is_list(value) else [None]
    if not all(isinstance(each, (numbers.Real, Decimal)) and not isinstance(each, bool) for each in listed):
        raise ParameterError(
            f"weights is {shortened(value)}, must be a list of numbers; give one for each metric"
        )
    try:
        weights = tuple(float(weight) for weight in listed)
    except OverflowError:
        raise ParameterError("weights holds a number beyond the floats; give other weights") from None
    if len(weights) != count:
        raise ParameterError(f"weights has length {len(weights)}, must be {count}; give one for each metric")
    if not all(math.isfinite(weight) for weight in weights):
        raise ParameterError(f"weights is {list(weights)}, must be finite; give other weights")
    if all(weight == 0 for weight in weights):
        raise ParameterError(f"weights is {list(weights)}, must not be all 0; give at least one other weight")
    return weights


def check_option_names(given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse the first option that is not known, with the nearest known one."""
    known = list(known)
    for name in given:
        if name not in known:
            close = nearest(name, known) if known else "ask without it, because it has no meaning here"
            raise UnknownNameError(f"there is no option {name!r}; {close}")
