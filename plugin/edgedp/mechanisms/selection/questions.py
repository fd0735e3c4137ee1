"""What is asked of a percentile: checked and canonical, from public facts alone, before any value is read."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, assert_never

from edgedp.mechanisms.checks import check_choice, check_sampler, part_of_one
from edgedp.mechanisms.selection.domains import Domain
from edgedp.words.amounts.epsilon import epsilon_nano, format_nano, to_fraction
from edgedp.words.amounts.written import shortest
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import PERCENTILE_MECHANISMS, SAMPLERS, PercentileMechanism, SamplerName

__all__ = ["PERCENTILE_MECHANISMS", "PercentileQuestion", "ask_percentile", "check_q"]


@dataclass(frozen=True)
class PercentileQuestion:
    """A checked question with the public facts that it rests on.

    Attributes
    ----------
    q : Fraction
        Above 0 and below 1.
    mechanism : {"pf", "em", "distance", "ld", "sld"}
    sampler : {"exponential", "permute_and_flip"}
    cost : int
        Nano-epsilon.
    domain : Domain
    records : int
        Number of records, missing values included: public, for neighbours replace one.
    """

    q: Fraction
    mechanism: PercentileMechanism
    sampler: SamplerName
    cost: int
    domain: Domain
    records: int

    @property
    def epsilon(self) -> Fraction:
        """The epsilon that is drawn with: exactly what is debited."""
        return to_fraction(self.cost)

    @property
    def parameters(self) -> dict[str, Any]:
        """What was asked, canonically."""
        shown: dict[str, Any] = {"q": shortest(self.q), "epsilon": float(format_nano(self.cost))}
        return shown | {"mechanism": self.mechanism, "sampler": self.sampler}

    @property
    def public(self) -> dict[str, Any]:
        """The public facts."""
        return {"records": self.records, "domain": self.domain.to_dict(), "neighbors": "one record replaced"}


def ask_percentile(
    domain: Domain, records: int, *, q: Any, epsilon: Any, mechanism: str = "pf", sampler: str | None = None
) -> PercentileQuestion:
    """Check a question.

    Raises
    ------
    EdgeDPError
        A parameter is out of its domain or contradicts another one.

    Examples
    --------
    >>> from edgedp.mechanisms.selection.domains import declare
    >>> ask_percentile(declare(0, 9), 50, q="0.9", epsilon=0.1).parameters
    {'q': 0.9, 'epsilon': 0.1, 'mechanism': 'pf', 'sampler': 'permute_and_flip'}
    """
    name = check_choice(mechanism, "mechanism", PERCENTILE_MECHANISMS)
    asked = check_q(q)
    if asked.denominator * max(records, 1) >= 1 << 61:
        raise ParameterError(
            f"q is {q}, must be a fraction of small numbers; write it with fewer decimals, or as '1/3'"
        )
    return PercentileQuestion(asked, name, _drawn_by(sampler, name), epsilon_nano(epsilon), domain, records)


def _drawn_by(sampler: Any, mechanism: PercentileMechanism) -> SamplerName:
    """Return the sampler of a mechanism: ``distance`` is permute-and-flip unless asked otherwise."""
    match mechanism:
        case "distance":
            return "permute_and_flip" if sampler is None else check_choice(sampler, "sampler", SAMPLERS)
        case "pf" | "em" | "ld" | "sld":
            return check_sampler(sampler, mechanism)
        case _:
            assert_never(mechanism)


def check_q(value: Any) -> Fraction:
    """Return q exactly as it was written: a decimal, a fraction or a text of either.

    Examples
    --------
    >>> check_q(0.1), check_q("1/3")
    (Fraction(1, 10), Fraction(1, 3))
    """
    q = part_of_one(value)
    if q is None:
        raise ParameterError(
            f"q is {value!r}, must be above 0 and below 1; 0.5 is the median (at 0 and 1, all points lie on one side)"
        )
    return q
