"""The mechanisms that release one number: one module each, profile -> law -> draw.

A mechanism takes a sensitivity profile (`edgedp.mechanisms.counts.base.Profile`), which is integers, and epsilon, a
rational, and makes a law of integers: what it draws from, and what its probabilities are computed from, are the
same integers.

==============  ==========================================================  =================
name            noise                                                       needs
==============  ==========================================================  =================
`geometric`     two-sided geometric of scale ``GS / epsilon``               the bound alone
`staircase`     the staircase of ``GS``                                     the bound alone
`ladder`        rungs of widths ``I_t``, half of epsilon for the rung       the profile
`calibrated`    rungs of widths that grow slowly, paid for                  the profile
`smooth`        Student t, four degrees of freedom; with delta: Laplace     the profile
`nls`           noisy local sensitivity; delta                              some counts only
`lls`           levels of local sensitivity; delta                          the profile
==============  ==========================================================  =================
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from edgedp.mechanisms.numbers.base import Amounts, NumberLaw, NumberMechanism
from edgedp.words.vocabulary import NUMBER_MECHANISMS as MECHANISMS

__all__ = ["MECHANISMS", "Amounts", "NumberLaw", "NumberMechanism", "number_mechanism"]


@cache
def number_mechanism(name: str) -> NumberMechanism:
    """Return a mechanism by its name (one of `MECHANISMS`).

    Examples
    --------
    >>> number_mechanism("geometric").public_scale
    True
    """
    found: NumberMechanism = import_module(f"{__name__}.{name}").MECHANISM
    return found
