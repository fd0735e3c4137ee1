"""The plan of an experiment as pure data: which releases, of which graph, how often, from which seed.

A cell is one release as the product is asked for it, with a number of runs. Nothing here reads a graph.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any, Literal, TypeVar, assert_never, get_args

import numpy as np

from edgedp.mechanisms.checks import check_choice, check_whole
from edgedp.mechanisms.values import Mechanism
from edgedp.words.errors import ParameterError
from edgedp.words.shown import kind_of
from edgedp.words.vocabulary import SAMPLERS

Kind = Literal["topk", "motkin", "numbers", "samples", "growth"]
"""What an experiment is about."""

KINDS: tuple[Kind, ...] = get_args(Kind)

EPSILONS = (*(f"{digit}e{power}" for power in range(-3, 4) for digit in (1, 3)), "1e4")
"""The papers' range, from 1e-3 to 1e4 in half decades."""

_MOST_RUNS = 1_000_000
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Cell:
    """One release, drawn `runs` times.

    Attributes
    ----------
    kind : str
    options : dict
        As the release is asked for, by Python names; JSON-able.
    runs : int
        0: the exact expectation, where the law is known.
    sample : int or None
        Which sample of the graph, of the kind ``samples``.
    """

    kind: Kind
    options: Mapping[str, Any] = field(hash=False)
    runs: int
    sample: int | None = None

    @property
    def key(self) -> str:
        """What tells this cell from others: a canonical text."""
        said = {"kind": self.kind, "runs": self.runs, "sample": self.sample, **self.options}
        return json.dumps(said, sort_keys=True, default=str)


def run_seeds(seed: int, graph: str, cell: Cell) -> list[int]:
    """Return the seed of every run of a cell: of its own, whichever cells run beside it, and how many runs.

    A run is repeated by the public function with ``rng=numpy.random.default_rng(seed)``.

    Examples
    --------
    >>> cell = Cell("topk", {"metric": "ebc", "k": 1, "epsilon": "1"}, 3)
    >>> seeds = run_seeds(7, "email-Enron", cell)
    >>> len(set(seeds)), seeds[:2] == run_seeds(7, "email-Enron", Cell("topk", cell.options, 2))
    (3, True)
    """
    said = json.dumps(
        [
            seed,
            graph,
            cell.kind,
            cell.sample,
            sorted((name, str(cell.options[name])) for name in cell.options),
        ]
    )
    return [
        int.from_bytes(hashlib.blake2b(f"{said} {run}".encode(), digest_size=8).digest(), "big") >> 1
        for run in range(cell.runs)
    ]


def cells_of(
    kind: Literal["topk", "motkin", "numbers"], axes: Mapping[str, Sequence[Any]], runs: int
) -> Iterator[Cell]:
    """Yield a cell for each combination of the axes that the product has.

    Parameters
    ----------
    kind : str
    axes : mapping of str to sequence
        Option names and what each takes in turn. ``sampler`` applies to ld and sld: em and pf have
        their own, joint has none.
    runs : int

    Examples
    --------
    >>> axes = {"mechanism": ["em", "sld", "joint"], "sampler": ["exponential", "permute_and_flip"], "k": [5]}
    >>> [(cell.options["mechanism"], cell.options.get("sampler")) for cell in cells_of("topk", axes, 1)]
    [('em', 'exponential'), ('sld', 'exponential'), ('sld', 'permute_and_flip'), ('joint', None)]
    """
    seen: set[str] = set()
    for values in product(*axes.values()):
        options = {name: value for name, value in zip(axes, values, strict=True) if value is not None}
        match kind:
            case "topk" | "motkin":
                made = _with_sampler(options)
            case "numbers":
                made = options
            case _:
                assert_never(kind)
        cell = Cell(kind, made, runs)
        if cell.key not in seen:
            seen.add(cell.key)
            yield cell


def _with_sampler(options: dict[str, Any]) -> dict[str, Any]:
    """Return options with the sampler that the mechanism takes: em and pf have their own, joint has none."""
    mechanism = options.get("mechanism")
    if mechanism == "em":
        return options | {"sampler": "exponential"}
    if mechanism == "pf":
        return options | {"sampler": "permute_and_flip"}
    if mechanism == "joint":
        return {name: value for name, value in options.items() if name not in _OF_PICKING}
    return options


_OF_PICKING = ("sampler", "sensitivity_form", "shift", "sensitivity")


def listed(value: Any, name: str, default: Sequence[_Item] = ()) -> list[Any]:
    """Return one value or many as a list without repetitions; empty is refused."""
    if value is None:
        return list(default)
    many = list(value) if isinstance(value, (list, tuple)) else [value]
    if not many:
        raise ParameterError(f"{name} is empty, must be one or more; give one, or ask without it")
    return list(dict.fromkeys(plain(each, name) for each in many))


def plain(value: Any, name: str) -> Any:
    """Return one value as Python has it; what no word and no number is made of is refused by its type."""
    given = value.item() if isinstance(value, np.generic) else value
    if isinstance(given, Decimal) and given.is_snan():  # which equals nothing, and has no hash
        raise ParameterError(f"{name} is or holds sNaN, must be a number; give another")
    if given is None or isinstance(given, (str, int, float, Decimal, Fraction, *get_args(Mechanism))):
        return given
    raise ParameterError(
        f"{name} is or holds {kind_of(given)}, must be a text or a number, or a list of them; give such a one"
    )


def check_samplers(samplers: Any) -> list[str]:
    """Return checked samplers, default exponential."""
    return [check_choice(each, "sampler", SAMPLERS) for each in listed(samplers, "sampler", ("exponential",))]


def check_runs(runs: Any) -> int:
    """Return a checked number of runs."""
    if not isinstance(runs, int) or isinstance(runs, bool) or not 1 <= runs <= _MOST_RUNS:
        raise ParameterError(f"runs is {runs!r}, must be an integer from 1 to {_MOST_RUNS:,}; give another")
    return runs


def check_samples(samples: Any) -> int:
    """Return a checked number of samples, default 10."""
    asked = 10 if samples is None else check_whole(samples, "samples")
    if not 1 <= asked <= _MOST_RUNS:
        raise ParameterError(f"samples is {asked}, must be from 1 to {_MOST_RUNS:,}; give another")
    return asked


def check_seed(seed: Any) -> int:
    """Return a checked seed."""
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**63:
        raise ParameterError(f"seed is {seed!r}, must be an integer from 0 to 2**63 - 1; give another")
    return seed
