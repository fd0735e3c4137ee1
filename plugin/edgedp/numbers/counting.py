"""One number: canonical options, law and draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from edgedp import checks
from edgedp.amounts.epsilon import epsilon_nano, format_nano, to_fraction
from edgedp.counts import Bounds, Count, Profile, count_class, count_names
from edgedp.counts.base import profile_of
from edgedp.counts.clustering import clustering_of
from edgedp.counts.stars import check_star_size
from edgedp.errors import ParameterError
from edgedp.ids import positions_of
from edgedp.mechanisms.numbers import MECHANISMS, Amounts, NumberLaw, NumberMechanism, number_mechanism
from edgedp.numbers.answers import Number
from edgedp.numbers.error_bars import buy_bound, public_bar

if TYPE_CHECKING:
    from edgedp.plan import PublicFacts
    from edgedp.projection import NumberProjection
    from edgedp.sampling.words import Words

__all__ = ["COUNT_OPTIONS", "CountOptions", "bounds_of", "count_options", "profile_in"]

COUNT_OPTIONS = ("of", "epsilon", "mechanism", "star_size", "pair", "node", "delta", "error_bar")

_FROM_FIGURES = ("triangles", "two_triangles", "wedges", "stars", "clustering", "common_neighbors")
_WITH_NODE = ("degree", "density", "ebc", "betweenness2")
_DEFAULT_STAR_SIZE = 3


@dataclass(frozen=True)
class CountOptions:
    """A validated release of one number: canonical options, the facts it rests on and its cost.

    Attributes
    ----------
    of : str
        What is counted, one of `edgedp.counts.count_names`.
    cost : int
        Nano-epsilon; the release is drawn with exactly this.
    mechanism : str
    facts : PublicFacts
    star_size : int or None
        Of stars.
    pair : tuple of two node ids, or None
        Of common neighbours.
    node : int, str or None
        Of a metric of one node.
    delta : Fraction or None
        In memory only.
    error_bar : bool
        Whether a tenth of epsilon buys a bound of the noise.
    """

    of: str
    cost: int
    mechanism: str
    facts: PublicFacts
    star_size: int | None = None
    pair: tuple[Any, Any] | None = None
    node: Any = None
    delta: Fraction | None = None
    error_bar: bool = False

    kind: ClassVar[str] = "count"
    rests_on_bound: ClassVar[bool] = True

    @property
    def epsilon(self) -> Fraction:
        """The whole privacy loss, exactly what is debited."""
        return to_fraction(self.cost)

    @property
    def degree_bound(self) -> int:
        """The effective degree bound ``D``."""
        return self.facts.effective_degree_bound

    @property
    def quantities(self) -> frozenset[str]:
        """What the draw asks of its projection, beside the degrees."""
        asked = (
            {"figures"} if self.of in _FROM_FIGURES else {self.of} if self.of in ("density", "ebc") else set()
        )
        if self.of == "ebc":
            asked.add("max_common_neighbors")
        if self.of == "betweenness2":
            asked.add("betweenness2_shares")
        return frozenset(asked)

    @property
    def rho_shares(self) -> int:
        """``epsilon^2 / rho``: 2, as of any pure release."""
        return 2

    @property
    def parameters(self) -> dict[str, Any]:
        """Canonical parameters, JSON-able; asking with them again gives the same options."""
        asked: dict[str, Any] = {
            "of": self.of,
            "epsilon": format_nano(self.cost),
            "mechanism": self.mechanism,
            "star_size": self.star_size,
            "pair": None if self.pair is None else list(self.pair),
            "node": self.node,
            "delta": None
            if self.delta is None
            else str(Decimal(self.delta.numerator) / self.delta.denominator),
            "error_bar": True if self.error_bar else None,
        }
        return {name: value for name, value in asked.items() if value is not None}

    @property
    def bounds(self) -> Bounds:
        """The public facts that sensitivities rest on."""
        return bounds_of(self.facts)

    @property
    def rule(self) -> NumberMechanism:
        """The mechanism."""
        return number_mechanism(self.mechanism)

    def check_nodes(self, node_ids: NDArray[Any]) -> None:
        """Refuse a node that is not in the public node set: before anything is debited."""
        self._positions(node_ids)

    def count(self, node_ids: NDArray[Any]) -> Count:
        """Return what is counted, its nodes as positions."""
        options: dict[str, Any] = dict(self._positions(node_ids))
        if self.of == "stars":
            options["star_size"] = self.star_size
        return count_class(self.of)(**options)

    def parts(self) -> list[CountOptions]:
        """Return the releases that a computed number is made of; none for a number that is drawn itself."""
        return [replace(self, of=name) for name, _ in count_class(self.of).parts]

    def law(self, projection: NumberProjection, share: Fraction = Fraction(1)) -> tuple[NumberLaw, Profile]:
        """Return the law of the noisy number before it is cut, at a share of epsilon, and the profile."""
        profile = profile_in(self, projection)
        return self.rule.law(profile, Amounts(self.epsilon * share, self.delta)), profile

    def draw(self, projection: NumberProjection, words: Words) -> Number:
        """Draw the number.

        Notes
        -----
        Privacy: ``epsilon``-edge-DP for graphs that keep the degree bound, or ``(epsilon, delta)``; whoever calls has
        checked the bound.
        """
        found = count_class(self.of)
        if found.parts:
            drawn = [
                int(replace(self, of=name)._draw(projection, share, words).value)
                for name, share in found.parts
            ]
            return Number(float(clustering_of(*drawn)))
        if not self.error_bar:
            return self._draw(projection, Fraction(1), words)
        bought = buy_bound(self, projection, words)
        drawn_number = self._draw(projection, 1 - bought.share, words)
        return Number(drawn_number.value, bought.around(drawn_number.value))

    def _draw(self, projection: NumberProjection, share: Fraction, words: Words) -> Number:
        law, profile = self.law(projection, share)
        cut = min(max(law.draw(words), 0), profile.maximum)
        value = cut if profile.bits == 0 else cut / (1 << profile.bits)
        return Number(value, public_bar(self, value))

    def _positions(self, node_ids: NDArray[Any]) -> dict[str, Any]:
        if self.pair is not None:
            first, second = (_position(node_ids, node, "pair") for node in self.pair)
            return {"pair": (first, second)}
        if self.node is not None:
            return {"node": _position(node_ids, self.node, "node")}
        return {}


def count_options(facts: PublicFacts, options: Mapping[str, Any], *, stored: bool = True) -> CountOptions:
    """Return the canonical options of a release of one number; no edge is read.

    Parameters
    ----------
    facts : PublicFacts
    options : mapping
        Of `COUNT_OPTIONS`; ``of`` and ``epsilon`` are needed.
    stored : bool
        Whether the graph has a ledger: mechanisms with delta are then refused.

    Raises
    ------
    EdgeDPError
        An option is unknown, out of its domain, or contradicts another one.
    """
    checks.check_option_names(options, COUNT_OPTIONS)
    given = {name: options.get(name) for name in COUNT_OPTIONS}
    of = checks.check_choice(given["of"], "of", count_names())
    cost = epsilon_nano(given["epsilon"])
    name = given["mechanism"] or count_class(of).default_mechanism
    mechanism = number_mechanism(checks.check_choice(name, "mechanism", MECHANISMS))
    delta = _check_delta(given["delta"], mechanism, stored=stored)
    if (
        delta is not None
        and mechanism.most_epsilon is not None
        and to_fraction(cost) > mechanism.most_epsilon
    ):
        raise ParameterError(
            f"epsilon is {format_nano(cost)}, must be at most {mechanism.most_epsilon} for mechanism "
            f"{mechanism.name!r} with delta; ask for less, or for mechanism 'calibrated'"
        )
    found = count_class(of)
    if mechanism.name == "nls" and not found.bounds_to_buy:
        raise ParameterError(
            f"mechanism is 'nls', must be another one for {of!r}; nls is for triangles and two_triangles"
        )
    if delta is not None and found.parts:
        raise ParameterError(f"delta is given, must be left out for {of!r}; use mechanism 'calibrated'")
    return CountOptions(
        of,
        cost,
        mechanism.name,
        facts,
        star_size=_star_size(given["star_size"], of, facts),
        pair=_pair(given["pair"], of),
        node=_node(given["node"], of),
        delta=delta,
        error_bar=_check_error_bar(given["error_bar"], found, mechanism),
    )


def bounds_of(facts: PublicFacts) -> Bounds:
    """Return the public facts that sensitivities rest on."""
    return Bounds(facts.node_count, facts.effective_degree_bound)


def profile_in(options: CountOptions, projection: NumberProjection) -> Profile:
    """Return the number and its sensitivity profile: computed from private edges."""
    return profile_of(options.count(projection.node_ids), projection, options.bounds)


def _star_size(value: Any, of: str, facts: PublicFacts) -> int | None:
    if of != "stars":
        _refuse(value, "star_size", of, "stars")
        return None
    size = _DEFAULT_STAR_SIZE if value is None else checks.check_whole(value, "star_size")
    return check_star_size(size, bounds_of(facts))


def _pair(value: Any, of: str) -> tuple[Any, Any] | None:
    if of != "common_neighbors":
        _refuse(value, "pair", of, "common_neighbors")
        return None
    if value is None:
        raise ParameterError(
            "pair is missing, must be two node ids; name the pair whose common neighbours are counted"
        )
    ids = list(value) if isinstance(value, (list, tuple, np.ndarray)) else []
    if len(ids) != 2:
        raise ParameterError(f"pair is {value!r}, must be two node ids; name both nodes")
    first, second = (_node_id(each, "pair") for each in ids)
    if first == second:
        raise ParameterError(f"pair is {first!r} twice, must be two different nodes; name another one")
    return first, second


def _node(value: Any, of: str) -> Any:
    if of not in _WITH_NODE:
        _refuse(value, "node", of, ", ".join(_WITH_NODE))
        return None
    if value is None:
        raise ParameterError(f"node is missing, must be a node id; name the node whose {of} is asked")
    return _node_id(value, "node")


def _node_id(value: Any, name: str) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise ParameterError(f"{name} is {value!r}, must be a node id, an integer or a text; name a node")
    return value


def _position(node_ids: NDArray[Any], node: Any, what: str) -> int:
    wanted = np.array([node]) if isinstance(node, str) or -(2**63) <= node < 2**63 else np.array([str(node)])
    return int(positions_of(node_ids, wanted, what=what)[0])


def _refuse(value: Any, name: str, of: str, where: str) -> None:
    if value is not None:
        raise ParameterError(f"{name} is not an option of {of!r}, must be left out; it is one of {where}")


def _check_delta(value: Any, mechanism: NumberMechanism, *, stored: bool) -> Fraction | None:
    name = mechanism.name
    if stored and (mechanism.needs_delta or value is not None):
        raise ParameterError(
            f"mechanism is {name!r} with delta, must be a pure one for a stored graph; "
            "its ledger has no place for a delta, choose another mechanism"
        )
    if value is None:
        if mechanism.needs_delta:
            raise ParameterError(
                f"delta is missing, must be given for mechanism {name!r}; write a decimal such as 1e-6"
            )
        return None
    if not mechanism.takes_delta:
        raise ParameterError(
            f"delta is not an option of mechanism {name!r}, must be left out; the release is pure"
        )
    try:
        delta = Fraction(Decimal(str(value)))
    except (InvalidOperation, ValueError, OverflowError):
        raise ParameterError(f"delta is {value!r}, must be a number such as 1e-6; write a decimal") from None
    if not Fraction(1, 10**30) <= delta <= Fraction(1, 3):
        raise ParameterError(f"delta is {value}, must be from 1e-30 to 1/3; write a decimal such as 1e-6")
    return delta


def _check_error_bar(value: Any, count: type[Count], mechanism: NumberMechanism) -> bool:
    if value is None or value is False:
        return False
    if value is not True:
        raise ParameterError(f"error_bar is {value!r}, must be true or false; leave it out for no error bar")
    if mechanism.public_scale:
        raise ParameterError(
            f"error_bar is not an option of mechanism {mechanism.name!r}, must be left out; "
            "its interval is public and shown anyway"
        )
    if mechanism.name not in ("calibrated",) or count.parts or count.name == "density":
        raise ParameterError(
            "error_bar is asked for, must be left out here; it is for mechanism 'calibrated' and for numbers whose "
            "noise follows one figure"
        )
    return True
