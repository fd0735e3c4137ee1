"""What can go wrong with a promise of differential privacy, and who has to see to it.

The topics are those of NIST SP 800-226, *Guidelines for Evaluating Differential Privacy Guarantees* (March 2025), by
the parts of its pyramid; the words are ours. Each is handled by edgedp, or left to whoever publishes.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["HAZARDS", "SOURCE", "Hazard"]

SOURCE = "topics of NIST SP 800-226 (March 2025), in our words"


@dataclass(frozen=True)
class Hazard:
    """One hazard.

    Attributes
    ----------
    part : str
        Of the pyramid.
    handled : bool
        By edgedp; else it is for the one who publishes.
    how : str
        How it is handled, or what has to be done.
    """

    part: str
    topic: str
    handled: bool
    how: str


HAZARDS = (
    Hazard("parameters", "an epsilon too large to mean anything", False,
           "the budget is declared by the curator; above 5 the commands say so; judge it by the table of persons"),
    Hazard("parameters", "a delta too large", True,
           "a delta of 1 / nodes or more is refused; without one the promise is pure"),
    Hazard("parameters", "a converted number shown for the declared one", True,
           "this card shows epsilon, or rho and delta, as the account adds them"),
    Hazard("unit", "a unit that is smaller than a person", False,
           "one edge, or all arcs of a person where the account says so; m edges have m times epsilon"),
    Hazard("unit", "one person with many contributions", False,
           "edges are not capped for each person: decide whether m times epsilon is enough, or declare protect"),
    Hazard("unit", "correlated records", False, "facts that show in many edges are protected edge by edge"),
    Hazard("accounting", "releases that nobody adds up", True,
           "one ledger a graph: every release is debited, durably, before it is drawn"),
    Hazard("accounting", "other releases of the same rows", False,
           "another name, store, product or publication of the same edges has its own account: add them up"),
    Hazard("accounting", "a budget that starts again", False,
           "nothing resets by itself; a larger budget that the curator declares stands in the log"),
    Hazard("accounting", "a result that is asked for until it pleases", True,
           "each draw is a debit; a repeated request shows its one answer"),
    Hazard("mechanism", "a wrong sensitivity", True,
           "one lemma for each, with a test over all small graphs; evidence below"),
    Hazard("mechanism", "bounds that are read from the data", True,
           "bounds are declared; a load that breaks one is refused"),
    Hazard("mechanism", "exact figures beside the noisy ones", True,
           "what is exact and public is listed in this card; no score stands beside a released node"),
    Hazard("mechanism", "a choice of options that looks at the data", False,
           "options come from the analyst; exact reads of the curator stand in the log and are not private"),
    Hazard("mechanism", "bias from clamping and projection", True,
           "numbers are clamped to public ranges and say so; figures in docs/privacy.md"),
    Hazard("implementation", "floating point", True, "noise is drawn exactly, in integers; no float decides"),
    Hazard("implementation", "a weak source of randomness", True, "the operating system's generator, for every draw"),
    Hazard("implementation", "time and other side channels", True,
           "a gateway answers at steps of time; whoever opens the store sees durations"),
    Hazard("implementation", "code that does not do what was proved", True,
           "laws computed, vectors enumerated, black boxes; no outside review so far (docs/privacy.md)"),
    Hazard("trust", "a curator who sees everything", False,
           "the central model: the curator holds all edges in the clear"),
    Hazard("trust", "access to the raw data and the ledger", False,
           "permissions, disks and backups are yours; keep the head of the ledger elsewhere"),
    Hazard("data", "data that should not have been collected or kept", False,
           "collection, consent, retention and deletion are yours"),
    Hazard("use", "groups that noise loses", False,
           "the periphery and small groups are found less often (docs/privacy.md); look before you act"),
)  # fmt: skip
