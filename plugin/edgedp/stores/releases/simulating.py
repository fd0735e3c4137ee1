"""Draws from a stored graph that are no releases: for the curator's experiments."""

from __future__ import annotations

import warnings
from copy import deepcopy
from typing import Any

import numpy as np

from edgedp.ledger import registry
from edgedp.ledger.debits.question import Question
from edgedp.mechanisms import checks
from edgedp.release.plan import Kind
from edgedp.release.release import Release
from edgedp.stores.releases.opened import OpenedStore
from edgedp.stores.releases.releasing import named_in
from edgedp.stores.releases.trial import try_engine
from edgedp.words.errors import ParameterError
from edgedp.words.refusals import constant_refusals
from edgedp.words.vocabulary import GRAPH_ENGINES, KINDS, GraphEngine

OUTSIDE = (
    "what exact_simulate draws is not a release: whatever is chosen by looking at it, a mechanism or an epsilon, "
    "is outside the guarantee"
)


class SimulatingStore(OpenedStore):
    """What a curator may try out without spending budget; nothing of it may be published."""

    def exact_simulate(
        self,
        name: str,
        kind: Kind = "priv_top_k",
        *,
        rng: np.random.Generator,
        runs: int = 1,
        engine: GraphEngine = "native",
        **options: Any,
    ) -> list[Release]:
        """Draw from a stored graph what releases would be, with the caller's randomness, and debit nothing.

        Parameters
        ----------
        name : str
        kind : {"priv_top_k", "motkin", "count", "distribution", "summary", "percentile"}
        rng : numpy.random.Generator
            A release is one from the operating system's randomness; this is a simulation of one.
        runs : int
            How many to draw.
        engine : {"native", "igraph"}
        **options
            Those of the kind of release: metric, k, epsilon, mechanism and so on.

        Returns
        -------
        list of Release
            Each marked ``"private": False``, without a receipt.

        Raises
        ------
        EdgeDPError
            What the release would be refused for, but for its budget.

        Warns
        -----
        UserWarning
            Once for each place that calls it: a choice made by the draws is outside the guarantee.

        Notes
        -----
        Privacy: computed from private edges, and whoever knows the state of `rng` can undo the noise. The log notes
        once what was simulated and how often, without what was drawn.

        Examples
        --------
        >>> import tempfile, warnings
        >>> from edgedp import Graph, open_store
        >>> with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     store = open_store(f"{folder}/graphs.edgedp")
        ...     _ = store.load(Graph.from_edges([(1, 2), (2, 3)]), name="path")
        ...     rng = np.random.default_rng(1)
        ...     drawn = store.exact_simulate("path", metric="degree", k=1, epsilon=50, rng=rng, runs=3)
        >>> [simulated.nodes for simulated in drawn], drawn[0].private
        ([[2], [2], [2]], False)
        """
        from edgedp.mechanisms.sampling.words import words_from
        from edgedp.release.draw import draw

        if not isinstance(rng, np.random.Generator):
            raise ParameterError("rng must be a numpy.random.Generator; pass numpy.random.default_rng(seed)")
        if not isinstance(runs, int) or isinstance(runs, bool) or runs < 1:
            raise ParameterError(f"runs is {runs!r}, must be an integer of at least 1; give how many to draw")
        kind = checks.check_choice(kind, "the kind of release", KINDS)
        checks.check_choice(engine, "engine", GRAPH_ENGINES)
        with self._session() as session:
            row = registry.known(session, name)
            asked = Question.read(session, name, kind, options, None, None, row)
            planned = named_in(session, row, asked.plan(row.facts))
            try_engine(planned, engine)
            noted = {"selector": planned.kind, "parameters": deepcopy(planned.parameters), "runs": runs}
            self._note_exact(session, name, {"read": "simulation"} | noted)
            warnings.warn(OUTSIDE, stacklevel=3)
            with constant_refusals():
                projection = self._projected(session, row, planned, engine)
                words = words_from(rng)
                answers = [draw(planned, projection, words, pay=lambda _: True) for _ in range(runs)]
        return [Release(answer, planned, private=False) for answer in answers]
