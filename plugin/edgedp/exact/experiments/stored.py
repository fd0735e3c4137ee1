"""Experiments on a stored graph: exact reading of private edges, so reachable under ``exact`` alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from edgedp.exact.experiments.asking import AXES, run_experiment
from edgedp.exact.experiments.facts import Facts
from edgedp.exact.experiments.grid import Kind
from edgedp.mechanisms.checks import check_choice, check_option_names

if TYPE_CHECKING:
    import polars as pl

STORED_KINDS: tuple[Kind, ...] = ("topk", "motkin", "numbers")
"""All kinds but samples and growth, which need no stored graph."""

_FURTHER = ("kind", "exact", "file", "processes", "progress")


def run_stored(facts: Facts, runs: int, seed: int, asked: dict[str, Any]) -> pl.DataFrame:
    """Run an experiment on the facts of a stored graph; `asked` as of `edgedp.experiment`.

    Notes
    -----
    Privacy: not a release. The rows name graph and version, no fingerprint; their file is readable by its owner alone.
    """
    check_option_names(asked, (*AXES, *_FURTHER))
    return run_experiment(
        facts,
        check_choice(asked.get("kind", "topk"), "the kind of experiment of a stored graph", STORED_KINDS),
        {name: asked.get(name) for name in AXES},
        runs=runs,
        seed=seed,
        exact=bool(asked.get("exact", False)),
        file=asked.get("file"),
        processes=asked.get("processes", 1),
        progress=asked.get("progress"),
    )
