"""What can go wrong with a promise of differential privacy, and who has to see to it.

The topics are those that the initial public draft of NIST SP 800-226, *Guidelines for Evaluating Differential Privacy
Guarantees* (December 2023), sets apart as privacy hazards, in its order, by its sections; the wording is ours. Its two
of section 4.4 (data security, access control) share a row. Each is handled by edgedp, or left to the one who publishes.
"""

from __future__ import annotations

from dataclasses import dataclass

SOURCE = (
    "privacy hazards of NIST SP 800-226 (initial public draft, December 2023), by its sections, in our words"
)


@dataclass(frozen=True)
class Hazard:
    """One hazard.

    Attributes
    ----------
    part : str
        Section of the draft, and what it is about.
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
    Hazard("2.2 parameters", "an epsilon too large to mean anything", False,
           "the budget is declared by the curator; above 5 the commands say so; judge it by the table of persons"),
    Hazard("2.3 variants", "a delta with which privacy may fail altogether", True,
           "a delta of 1 / nodes or more is refused; without one the promise is pure"),
    Hazard("2.4 unit", "a fact that the unit does not cover", False,
           "what shows in many edges is protected edge by edge: decide whether the unit covers what would harm"),
    Hazard("2.4 unit", "events that are protected in place of persons", False,
           "one edge, or all arcs of a person where the account says so; m edges have m times epsilon"),
    Hazard("2.5 comparing", "promises of different delta, compared only by epsilon", True,
           "each account of this card shows its own delta beside its epsilon; none is left out"),
    Hazard("2.5 comparing", "promises of different units, compared by their numbers", True,
           "each account says its unit in a sentence; accounts of different units are never added"),
    Hazard("2.5 comparing", "an epsilon made small by the delta of a conversion", True,
           "rho and delta are shown as they were declared, beside the epsilon that they stand for"),
    Hazard("2.6 other releases", "other releases of the same rows", False,
           "another name, store, product or publication of the same edges has its own account: add them up"),
    Hazard("3 algorithms", "mechanisms of one's own in place of a tested library", False,
           "the mechanisms are this project's own, and nobody outside has reviewed them: judge by the evidence here "
           "and by docs/privacy.md, which says why"),
    Hazard("3.3 bias", "groups that noise loses", False,
           "the periphery and small groups are found less often (docs/privacy.md); look before you act"),
    Hazard("3.3 bias", "answers made to look right, at a price", False,
           "answers are cut to what is possible and lists are shown without scores: say so where you show them"),
    Hazard("3.3 bias", "bias of the mechanism itself", True,
           "numbers are clamped to public ranges and say so; figures in docs/privacy.md"),
    Hazard("3.4 queries", "bounded contributions without the noise for them", True,
           "where an account protects more than one edge, sensitivities are proved for that unit; what is not proved "
           "is refused"),
    Hazard("3.4 queries", "bins that are read from the data", True,
           "bounds, ranges and bins are declared or public; a load that breaks one is refused; nodes that were read "
           "from edges are named as public"),
    Hazard("3.5 learning", "models that remember what they were trained on", False,
           "edgedp trains none; a model of the edges is a release of its own, one of private answers needs nothing "
           "more"),
    Hazard("3.6 synthetic data", "synthetic data without differential privacy", False,
           "edgedp makes none; a synthetic graph that is made of these edges elsewhere is another release of them"),
    Hazard("3.6 synthetic data", "synthetic data of little use from deep learning", False,
           "edgedp makes none; ask for the numbers that are needed"),
    Hazard("3.7 unstructured", "data of which nobody can say whose it is", False,
           "edges, and declared numbers of nodes, are protected; texts, titles and ids are public or yours to keep"),
    Hazard("4.1 interactive", "questions without end, and analysts who attack", True,
           "one ledger for each graph: every release is debited, durably, before it is drawn; shares, limits and "
           "refusals rest on public facts"),
    Hazard("4.2 trust", "a trust that does not hold", False,
           "the central model: the curator holds all edges in the clear, and the person who runs the store has to be "
           "trusted"),
    Hazard("4.3 implementation", "floating point, randomness, time and errors that reveal", True,
           "noise is drawn in integers from the operating system's generator; a gateway answers at steps of time; an "
           "error after the debit is a constant sentence; a person who opens the store sees durations"),
    Hazard("4.4 security", "a breach of the data, by weak security or access", False,
           "permissions, disks and backups are yours; keep the head of the ledger elsewhere"),
    Hazard("4.5 collection", "data that should not have been collected or kept", False,
           "collection, consent, retention and deletion are yours"),
)  # fmt: skip
