"""Mechanisms as values: a word and the options that belong to it, given together as ``mechanism=Sld(shift="up")``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias, get_args

from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import MechanismName, MetricForm, ParetoForm, Proxy, SamplerName, Shift


@dataclass(frozen=True)
class Em:
    """The exponential mechanism.

    Attributes
    ----------
    sampler : {"exponential", "permute_and_flip"}, optional

    Examples
    --------
    >>> from edgedp import select
    >>> select([1, 9], epsilon=100, global_sensitivity=1, mechanism=Em(sampler="permute_and_flip")).value
    1
    """

    WORD: ClassVar[MechanismName] = "em"

    sampler: SamplerName | None = None


@dataclass(frozen=True)
class Pf:
    """Permute-and-flip.

    Examples
    --------
    >>> from edgedp import select
    >>> select([1, 9], epsilon=100, global_sensitivity=1, mechanism=Pf()).value
    1
    """

    WORD: ClassVar[MechanismName] = "pf"


@dataclass(frozen=True)
class Ld:
    """Local dampening.

    Attributes
    ----------
    sampler : {"exponential", "permute_and_flip"}, optional
    sensitivity_form : str, optional
        As of the release.

    Examples
    --------
    >>> from edgedp.mechanisms import probabilities
    >>> probabilities(Ld(), [3, 0], 2, sensitivity=[1, 2]).round(2).tolist()
    [0.88, 0.12]
    """

    WORD: ClassVar[MechanismName] = "ld"

    sampler: SamplerName | None = None
    sensitivity_form: MetricForm | ParetoForm | None = None


@dataclass(frozen=True)
class Sld:
    """Shifted local dampening.

    Attributes
    ----------
    shift : {"up", "down"}, optional
    sampler : {"exponential", "permute_and_flip"}, optional
    sensitivity_form : str, optional
        As of the release.

    Examples
    --------
    >>> from edgedp import Graph, priv_top_k
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 30)])
    >>> priv_top_k(star, metric="degree", k=1, epsilon=40, mechanism=Sld(shift="down")).nodes
    [0]
    """

    WORD: ClassVar[MechanismName] = "sld"

    shift: Shift | None = None
    sampler: SamplerName | None = None
    sensitivity_form: MetricForm | ParetoForm | None = None


@dataclass(frozen=True)
class Joint:
    """A joint release, from noisy vectors.

    Attributes
    ----------
    proxy : {"both", "degree", "betweenness2", "lists", "ordered"}, optional
    cap : int, optional

    Examples
    --------
    >>> from edgedp import Graph, priv_top_k
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 30)])
    >>> priv_top_k(star, metric="ebc", k=1, epsilon=40, mechanism=Joint(proxy="degree")).nodes
    [0]
    """

    WORD: ClassVar[MechanismName] = "joint"

    proxy: Proxy | None = None
    cap: int | None = None


Mechanism: TypeAlias = Em | Pf | Ld | Sld | Joint


def spelled(options: Mapping[str, Any], takes: Collection[str] | None = None) -> dict[str, Any]:
    """Return options with a mechanism's value as its word and the options that it holds.

    Parameters
    ----------
    options : mapping
    takes : collection of str, optional
        Which of them there are where the mechanism picks among candidates that are no nodes; default all.

    Raises
    ------
    EdgeDPError
        An option is given by the value and beside it, or has no meaning here.

    Examples
    --------
    >>> spelled({"k": 3, "mechanism": Sld(shift="up"), "sampler": None})
    {'k': 3, 'mechanism': 'sld', 'sampler': None, 'shift': 'up'}
    >>> spelled({"mechanism": "sld"})
    {'mechanism': 'sld'}
    """
    value = options.get("mechanism")
    if not isinstance(value, get_args(Mechanism)):
        return dict(options)
    found = dict(options) | {"mechanism": value.WORD}
    for each in fields(value):
        own = getattr(value, each.name)
        if own is None:
            continue
        if takes is not None and each.name not in takes:
            raise ParameterError(f"{each.name} of {value!r} has no meaning here; ask without it")
        if found.get(each.name) is not None:
            raise ParameterError(f"{each.name} is given by {value!r} and beside it; give it once")
        found[each.name] = own
    return found
