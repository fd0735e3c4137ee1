"""What a release of numbers shows: the numbers, what was asked, what was public; never the size of private noise.

`Number`, `Distribution` and `Summary` are kinds of answer as `edgedp.release` describes them: each owns its
JSON and its rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

NOISE_IS_PRIVATE = "the noise follows the graph; its size is private"
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """An interval that holds the exact number with a probability of at least 95 %.

    Attributes
    ----------
    low, high : int or float
    scale : float or None
        Of noise whose scale is public: its sensitivity over epsilon.
    """

    low: int | float
    high: int | float
    scale: float | None = None


@dataclass(frozen=True)
class Number:
    """A noisy number, and how far off it may be where that is public or was bought.

    Parameters
    ----------
    value : int or float
        Between 0 and the largest that is possible.
    interval : Interval, optional

    Examples
    --------
    >>> Number(7).to_json()
    {'value': 7, 'noise': 'the noise follows the graph; its size is private'}
    >>> Number(7, Interval(3, 11, 1.0)).to_json()
    {'value': 7, 'scale': 1.0, 'interval': [3, 11], 'confidence': 0.95}
    """

    KEY: ClassVar[str] = "value"
    COLUMNS: ClassVar[tuple[str, ...]] = ("value", "low", "high")

    value: int | float
    interval: Interval | None = None

    @property
    def items(self) -> tuple[Any, ...]:
        """What there is when a release is iterated over: the number."""
        return (self.value,)

    def to_json(self) -> dict[str, Any]:
        """Return what the ledger keeps and JSON shows."""
        kept: dict[str, Any] = {self.KEY: self.value}
        if self.interval is None:
            return kept | {"noise": NOISE_IS_PRIVATE}
        if self.interval.scale is not None:
            kept["scale"] = self.interval.scale
        return kept | {"interval": [self.interval.low, self.interval.high], "confidence": CONFIDENCE}

    def rows(self) -> list[dict[str, Any]]:
        """Return the one row of a table, by `COLUMNS`."""
        low, high = (None, None) if self.interval is None else (self.interval.low, self.interval.high)
        return [{"value": self.value, "low": low, "high": high}]

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Number:
        """Return the answer that `to_json` wrote."""
        if "interval" not in kept:
            return cls(kept[cls.KEY])
        low, high = kept["interval"]
        return cls(kept[cls.KEY], Interval(low, high, kept.get("scale")))


@dataclass(frozen=True)
class Distribution:
    """The numbers of nodes by degree.

    Parameters
    ----------
    values : tuple of int
        ``N_{>=k}`` for ``k = 1 .. D``, or ``N_k`` for ``k = 0 .. D``.
    first : int
        The degree that the first value is of: 1 or 0.

    Examples
    --------
    >>> Distribution((3, 1), 1).rows()
    [{'degree': 1, 'nodes': 3}, {'degree': 2, 'nodes': 1}]
    """

    KEY: ClassVar[str] = "values"
    COLUMNS: ClassVar[tuple[str, ...]] = ("degree", "nodes")

    values: tuple[int, ...]
    first: int

    @property
    def items(self) -> tuple[Any, ...]:
        """What there is when a release is iterated over: the numbers of nodes."""
        return self.values

    def to_json(self) -> dict[str, Any]:
        """Return what the ledger keeps and JSON shows."""
        return {self.KEY: list(self.values), "first_degree": self.first}

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of a table, by `COLUMNS`."""
        return [{"degree": degree, "nodes": nodes} for degree, nodes in enumerate(self.values, self.first)]

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Distribution:
        """Return the answer that `to_json` wrote."""
        return cls(tuple(kept[cls.KEY]), kept["first_degree"])


@dataclass(frozen=True)
class Summary:
    """The numbers of a page about a graph, by name.

    Parameters
    ----------
    numbers : dict
        What was bought and what is computed from it.
    shares : dict
        Of epsilon, for what was bought; they add up to 1.
    """

    KEY: ClassVar[str] = "summary"
    COLUMNS: ClassVar[tuple[str, ...]] = ("number", "value")
    LONG: ClassVar[tuple[str, ...]] = ("degree_quantiles", "degree_ccdf")
    """What is not a single number."""

    numbers: dict[str, Any]
    shares: dict[str, float]

    @property
    def items(self) -> tuple[Any, ...]:
        """What there is when a release is iterated over: names and numbers."""
        return tuple(self.numbers.items())

    def to_json(self) -> dict[str, Any]:
        """Return what the ledger keeps and JSON shows."""
        return {self.KEY: self.numbers, "shares": self.shares}

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of a table, by `COLUMNS`: each single number, and the quantiles."""
        single = [
            {"number": name, "value": self.numbers[name]} for name in self.numbers if name not in self.LONG
        ]
        quantiles = self.numbers["degree_quantiles"].items()
        return single + [{"number": f"degree_quantile_{q}", "value": degree} for q, degree in quantiles]

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Summary:
        """Return the answer that `to_json` wrote."""
        return cls(dict(kept[cls.KEY]), dict(kept["shares"]))

    def tail(self) -> list[tuple[int, int]]:
        """Return how many nodes have at least a degree, for the degrees 1, 2, 4, 8 ...

        Examples
        --------
        >>> Summary({"degree_ccdf": [9, 5, 2, 1, 1]}, {}).tail()
        [(1, 9), (2, 5), (4, 1)]
        """
        kept = self.numbers["degree_ccdf"]
        return [(2**i, kept[2**i - 1]) for i in range(len(kept).bit_length())]

    def to_text(self) -> str:
        """Return the page as text."""
        numbers = self.numbers
        lines = [
            f"{name.replace('_', ' '):22}{_shown(numbers[name])}" for name in numbers if name not in self.LONG
        ]
        quantiles = ", ".join(f"{share}: {degree:,}" for share, degree in numbers["degree_quantiles"].items())
        lines.append(f"{'degree quantiles':22}{quantiles}")
        at_least = ", ".join(f"{degree}: {count:,}" for degree, count in self.tail())
        lines.append(f"{'nodes of degree from':22}{at_least or 'none'}")
        return "\n".join(lines)


def _shown(value: int | float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
