"""One coupling for every release that is made of noise: whole releases, drawn twice through `edgedp.release.draw.draw`.

On the first of two graphs that differ by one edge a release is drawn with real noise. The second gets the noise that
makes its noisy vectors the same: noise of the first, and the difference of the exact vectors by `vector_definitions`.
Then (`Coupled.check`)

(a) every noisy vector is what exact plus noise says, on both, in every entry that is looked at, and so it is released;
(b) all that is shown, ranked and released is the same;
(c) the losses, ``|x(G) - x(H)|_1 / scale`` of each purchase, sum to epsilon at most, and so do the claims;
(d) the calls of noise and of every other sampler, their order and their arguments, are the same, and so is what the
    projection is asked for;
(e) no random word serves twice: every sampler takes its words from the one source, which numbers them and hands out
    each once, and takes at least as many as it must.

Nothing here knows which vectors a release buys. It sees what the draw asks its projection for, and what is added to
each call's noise, and finds by its definition which vector that is. So a new proxy, step or choice is taken up by
itself; a new method of the projection needs a definition (`vector_definitions.VECTORS`), a new sampler a line in
`watching.SAMPLERS`, and tests of `test_coupling.py` fail until these are there.

Noise of an array may be indexed, and added to an exact vector, and nothing else: anything else that is done to it is
an error. So is an exact vector that is asked for and gets no noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Any

import numpy as np

from edgedp.release.draw import draw
from edgedp.release.plan import Plan, PublicFacts
from edgedp.release.plan import plan as planned
from row_definitions import RowGraph
from vector_definitions import NOT_VECTORS, OF_ROWS, VECTORS, Defined
from watched_runs import Ints, Number, NumberedWords, Purchase, Read, Run, Tape, told
from watching import Watched, projected, watched

# -- two draws, coupled ---------------------------------------------------------------------------------------


Bought = tuple[str, bool | None]
"""The name of a vector, and whether it follows a ranking, where it may."""

Side = Defined | RowGraph


@dataclass
class Coupled:
    """A release drawn on two neighbouring graphs with the same noisy vectors."""

    plan: Plan
    graphs: tuple[Side, Side]
    first: Run
    second: Run

    @property
    def bought(self) -> set[Bought]:
        """Which vectors were bought."""
        return {kind_of(each) for each in self.first.purchases}

    @property
    def reached(self) -> dict[Bought, Fraction]:
        """Which part of its claimed sensitivity each vector moved by."""
        found = {}
        for each in self.first.purchases:
            assert each.claim is not None
            found[kind_of(each)] = Fraction(distance(each, self.graphs), each.claim)
        return found

    @property
    def losses(self) -> list[Fraction | float]:
        """What each purchase costs on this pair of graphs."""
        found: list[Fraction | float] = []
        for one, other in zip(self.first.bought, self.second.bought, strict=True):
            if isinstance(one, Purchase):
                found.append(distance(one, self.graphs) / one.scale)
            else:
                assert isinstance(other, Number)
                p, q = (float(each.law.mass(np.array([one.value], dtype=object))[0]) for each in (one, other))
                found.append(abs(log(p) - log(q)) if p and q else float("inf"))
        return found

    def check(self) -> None:
        """Check (a) to (e); see the module."""
        for run, graph in zip((self.first, self.second), self.graphs, strict=True):
            check_sums(run, graph)
        check_reads(self.plan, self.first)
        assert [read.asked for read in self.first.reads] == [read.asked for read in self.second.reads], (
            "(d) the projection is asked for other things"
        )
        for one, other in zip(self.first.calls, self.second.calls, strict=True):
            assert (one.name, one.arguments) == (other.name, other.arguments), (
                f"(d) {one.name} is asked otherwise"
            )
            assert (one.start, one.stop) == (other.start, other.stop), f"(e) {one.name} takes other words"
        assert_alike(self.first.released, self.second.released)
        assert self.first.answer == self.second.answer, "(b) the answers differ"
        assert [type(each) for each in self.first.bought] == [type(each) for each in self.second.bought]
        paid = sum(Fraction(each.claim or 0) / each.scale for each in self.first.purchases)
        assert paid <= self.plan.epsilon, f"(c) noise is drawn for {float(paid)}, must be for epsilon at most"
        lost = sum(self.losses)
        assert lost <= self.plan.epsilon * (1 if isinstance(lost, Fraction) else 1 + 1e-9), (
            f"(c) the noisy vectors cost {float(lost)}, must cost {float(self.plan.epsilon)} at most"
        )


def assert_alike(one: list[Ints], other: list[Ints]) -> None:
    assert len(one) == len(other), "(b) other vectors are released"
    for a, b in zip(one, other, strict=True):
        assert told(a)[1:] == told(b)[1:], "(b) the noisy vectors that are released differ"


def check_sums(run: Run, graph: Side) -> None:
    """(a): what was added to noise is an exact vector, and the sum is what is released."""
    for purchase in run.purchases:
        assert purchase.vector is not None
        exact = defined(purchase, graph)
        for met in purchase.meetings:
            assert met.exact.tolist() == exact[met.entries].tolist(), (
                f"(a) not the exact {purchase.vector[0]}"
            )
            sums = [
                int(x) + int(z)
                for x, z in zip(met.exact.tolist(), purchase.noise[met.entries].tolist(), strict=True)
            ]
            assert met.noisy.tolist() == sums, "(a) a noisy entry is not exact plus noise"
            assert any(each.tolist() == sums for each in run.released), (
                "(a) what is released is not exact plus noise"
            )


def check_reads(plan: Plan, run: Run) -> None:
    """An exact vector that is asked for meets noise, once; but for the degrees that a bound is checked by."""
    met = sum(len(purchase.meetings) for purchase in run.purchases)
    asked = [read for read in run.reads if read.name not in NOT_VECTORS]
    checked = 1 if plan.rests_on_bound else 0
    if not any(isinstance(each, Number) for each in run.bought):
        assert len(asked) <= met + checked, (
            f"(a) exact vectors are asked for {len(asked)} times and get noise {met} times"
        )


def kind_of(purchase: Purchase) -> Bought:
    assert purchase.vector is not None
    name, read = purchase.vector
    return name, read.arguments["ranks"] is not None if "ranks" in read.arguments else None


def distance(purchase: Purchase, graphs: tuple[Side, Side]) -> int:
    """Return by how much the exact vectors of two graphs differ in L1."""
    a, b = (defined(purchase, graph).tolist() for graph in graphs)
    return sum(abs(x - y) for x, y in zip(a, b, strict=True))


def defined(purchase: Purchase, graph: Side) -> Ints:
    assert purchase.vector is not None
    name, read = purchase.vector
    return dict(known(graph, read, purchase.count))[name]


def known(graph: Side, read: Read, count: int) -> list[tuple[str, Ints]]:
    """Return what an answer may have been made into; computed once for a graph."""
    kept = graph.__dict__.setdefault("kept", {})
    key = (read.name, *((name, told(value)) for name, value in read.vector.items()), count)
    if key not in kept:
        kept[key] = list(graph.vectors(read.name, read.vector, count))
    return kept[key]


def find_vectors(run: Run, graph: Side) -> None:
    """Find by its definition which vector each purchase is of."""
    for number, purchase in enumerate(run.purchases):
        assert purchase.meetings, f"(a) the noise of purchase {number} was added to nothing"
        # Where several fit, it is the one that was asked for last: a draw asks where noise waits.
        found = next(
            (
                (name, read)
                for read in reversed(run.reads[: purchase.meetings[-1].reads])
                for name, exact in known(graph, read, purchase.count)
                if all(met.exact.tolist() == exact[met.entries].tolist() for met in purchase.meetings)
            ),
            None,
        )
        assert found is not None, (
            f"(a) what was added to the noise of purchase {number} is the exact answer to nothing that was asked: "
            f"{[read.name for read in run.reads]}"
        )
        purchase.vector = found


def coupled(
    kind: Any, options: dict[str, Any], without: Defined, edge: tuple[int, int], *, bound: int | None = None,
    seed: int = 0, engine: str = "native", swapped: bool = False,
) -> Coupled:  # fmt: skip
    """Draw a release on a graph and on its neighbour.

    Parameters
    ----------
    kind, options
        As `edgedp.release.plan.plan` takes them.
    without : Defined
    edge : (int, int)
        By which the second graph differs.
    bound : int, optional
        The declared degree bound.
    seed : int
        Of the words.
    engine : str
    swapped : bool
        Whether real noise is drawn on the neighbour.
    """
    graphs = (without, without.flipped(*edge))
    one, other = graphs[::-1] if swapped else graphs
    return coupled_on(planned(kind, options, PublicFacts(without.n, bound)), one, other, seed, engine)


def coupled_on(asked: Plan, one: Side, other: Side, seed: int = 0, engine: str = "native") -> Coupled:
    """Draw a plan with real noise on one graph, and with the noise that goes with it on its neighbour."""
    tape = Tape(seed)
    first = drawn(asked, one, tape, engine, None, [])
    find_vectors(first, one)
    second: list[Ints] = []
    for purchase in first.purchases:
        here, there = (defined(purchase, graph) for graph in (one, other))
        values = [
            int(z) + int(x) - int(y)
            for z, x, y in zip(purchase.noise.tolist(), here.tolist(), there.tolist(), strict=True)
        ]
        second.append(np.array(values, dtype=purchase.noise.dtype))
    run = drawn(asked, other, tape, engine, first, second)
    for mine, theirs in zip(run.purchases, first.purchases, strict=True):
        mine.vector = theirs.vector
    return Coupled(asked, (one, other), first, run)


def drawn(plan: Plan, graph: Side, tape: Tape, engine: str, first: Run | None, second: list[Ints]) -> Run:
    run, source = Run(), NumberedWords(tape)
    projection: Any = Watched(graph.projection(engine), run)
    with watched(run, source, first, second):
        run.answer = draw(plan, projection, source)
    return run


def undefined() -> set[str]:
    """Return the methods of a projection that have no definition, and are not said to need none."""
    return set(projected()) - set(VECTORS) - NOT_VECTORS - OF_ROWS
