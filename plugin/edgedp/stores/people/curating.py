"""What every change of people goes through: in whose name, in one transaction with the log, and from what it says."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple, Self

from edgedp.ledger import ledger
from edgedp.ledger.backend import Session
from edgedp.ledger.log import people_log
from edgedp.ledger.log.people_state import NOBODY, People
from edgedp.ledger.script import Step
from edgedp.ledger.shares import CURATOR
from edgedp.mechanisms import checks
from edgedp.stores.releases.opened import OpenedStore
from edgedp.words.errors import AccessError, StoreStateError

NOT_CURATOR = "not curator"
"""How a script ends where the curator who acts is none any more."""

_TRIES = 20


class Change(NamedTuple):
    """A change of people as it was decided: the steps, the event, and what the log says of it."""

    steps: list[Step]
    event: str
    noted: dict[str, Any]


class CuratingStore(OpenedStore):
    """What is known of people, and how it changes."""

    _known: tuple[object, People] = (None, NOBODY)
    """What the people's log added up to, and after which row."""

    def people_log(self) -> list[dict[str, Any]]:
        """Return what happened to people and their tokens, oldest first; never a token.

        Returns
        -------
        list of dict
            seq, at (UTC), by (the store's user, and the curator or analyst for whom a gateway acted), event, person,
            role, about. Events are ``add``, ``rotate``, ``revoke``; ``token`` and ``end`` of a further token;
            ``identity`` and ``forget`` of a sign-in; ``ask``, ``grant`` and ``decline`` of a larger share; ``begin``
            names those who were there before this log began.
        """
        with self._session() as session:
            return people_log.shown(session)

    def people_head(self) -> str:
        """Return the head of the people's log, ``SEQ:HASH``: kept elsewhere, it shows an older or changed log."""
        with self._session() as session:
            return str(people_log.head(session))

    def curating_as(self, curator: str) -> Self:
        """Return the store as a curator with a token uses it: what is written names that curator.

        The connections are those of this store, which is the one to close.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from edgedp import Graph, open_store
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = open_store(pathlib.Path(folder) / "graphs.edgedp")
        ...     _ = store.load(Graph.from_edges([(1, 2), (2, 3)]), name="path", epsilon_budget=1)
        ...     _ = store.add_curator("cora"), store.curating_as("cora").add_analyst("ann")
        ...     store.people_log()[-1]["by"].partition(" for ")[2]
        'curator cora'
        """
        view = copy.copy(self)
        view._curator = checks.check_person_name(curator)
        return view

    def _people(self, session: Session) -> People:
        """Return what the people's log says, which is read and checked again only where it has another last row."""
        last = people_log.last(session)
        seen, known = self._known
        if last is None or seen != last:
            known = people_log.state(session)
            if last is not None and known.entries == last[0]:
                self._known = (last, known)
        return known

    def _allowed(self) -> list[Step]:
        """Return the steps that refuse a curator who was revoked meanwhile; none for the store's own user."""
        if self._curator is None:
            return []
        return [Step("person_active", {"name": self._curator, "role": CURATOR}, on_none=NOT_CURATOR)]

    def _no_curator(self) -> AccessError:
        return AccessError(
            f"the curator {self._curator!r} was never added, or was revoked; use another token"
        )

    def _changed(self, session: Session, decide: Callable[[People], Change]) -> str:
        """Change people and note it, in one transaction; return ``done``, or ``nobody`` where it was refused.

        Parameters
        ----------
        decide : callable
            The change, from what the log says; asked again where the log grew meanwhile.
        """
        for _ in range(_TRIES):
            people = self._people(session)
            change = decide(people)
            outcome = people_log.changed(
                session, [*self._allowed(), *change.steps], change.event, change.noted,
                by=self._by(session), at=ledger.now(), entries=people.entries,
            )  # fmt: skip
            if outcome == "changed":
                continue
            if outcome == NOT_CURATOR:
                raise self._no_curator()
            if outcome in ("unknown", "broken"):
                raise people_log.broken()
            return outcome
        raise StoreStateError("somebody else keeps writing to the people's log; ask again")
