"""People and their tokens: several named ones a person, each for good or until it expires."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Any

from edgedp.ledger import ledger
from edgedp.ledger.backend import Session
from edgedp.ledger.log.people_state import FIRST, People, Token
from edgedp.ledger.script import Step
from edgedp.ledger.shares import ANALYST, CURATOR, Role
from edgedp.mechanisms import checks
from edgedp.stores.people.curating import Change, CuratingStore
from edgedp.words.dates.expiry import expiry_of
from edgedp.words.errors import ExpiredTokenError, ParameterError, StoreStateError, UnknownNameError
from edgedp.words.vocabulary import is_word

_TOKEN_BYTES = 32
_PREFIXES: dict[Role, str] = {ANALYST: "edgedp_a_", CURATOR: "edgedp_c_"}
_LONGEST_TOKEN = 200
_MOST_TOKENS = 20
_KEPT = "as it is"


@dataclass(frozen=True)
class Person:
    """Whose token it is.

    Attributes
    ----------
    name : str
    role : {"analyst", "curator"}
    """

    name: str
    role: Role


class TokenStore(CuratingStore):
    """Analysts, curators and their tokens; for the curator."""

    def add_analyst(self, name: str, expires: Any = None) -> dict[str, Any]:
        """Add an analyst, who then may ask for releases out of the shares that `grant` declares.

        Parameters
        ----------
        name : str
            A new one: the name of somebody who was revoked stays taken, too.
        expires : str or date, optional
            Until when the token is good: a date (its whole day, UTC), a moment, or a duration such as ``90d``, ``12h``
            or ``P3M``. Default: for good.

        Returns
        -------
        dict
            analyst, and token: 256 random bits as text. It is shown only this once; the store keeps only its SHA-256.
            expires, where it does.
        """
        return {"analyst": name} | self._add(name, ANALYST, expires)

    def add_curator(self, name: str, expires: Any = None) -> dict[str, Any]:
        """Add a curator, whose token may do over the network what the curator's pages offer.

        Returns
        -------
        dict
            curator, and token, as `add_analyst`.
        """
        return {"curator": name} | self._add(name, CURATOR, expires)

    def analysts(self) -> list[dict[str, Any]]:
        """Return everybody who has or had a token: name, role, added, revoked (None, or when); never a token."""
        with self._session(reading=True) as session:
            rows = session.run("person_list")
        return [{key: row[key] for key in ("name", "role", "added", "revoked")} for row in rows]

    def rotate_analyst(self, name: str, expires: Any = _KEPT) -> dict[str, Any]:
        """Give an analyst or curator another token; all earlier ones stop working.

        Parameters
        ----------
        expires : str or date, optional
            As of `add_analyst`; ``never`` for good. Default: as the first token, which must not have expired.

        Returns
        -------
        dict
            As `add_analyst` or `add_curator` of the person's role.

        Raises
        ------
        UnknownNameError
            There is no such person, or one who was revoked.
        ParameterError
            The first token expired, and it is not said until when the next one is good.
        """
        name = checks.check_person_name(name)
        given = None if is_word(expires, _KEPT) else expiry_of(expires)
        with self._session() as session:
            role = self._role(session, name) or ANALYST
            token = _new_token(role)
            made: dict[str, Any] = {}

            def decide(people: People) -> Change:
                until = given
                # Also where it was ended by its name: nobody gets a token for good by that.
                before = next((each for each in reversed(people.of(name)) if each.name == FIRST), None)
                if is_word(expires, _KEPT) and before is not None:
                    if before.over:
                        raise ParameterError(
                            f"the token of {name!r} expired; give the last day of the next one with --expires"
                        )
                    until = before.expires
                made.update(_made(token, until))
                hashed = token_hash(token)
                steps = [
                    Step("person_active", {"name": name, "role": role}, on_none="nobody"),
                    Step("person_token", {"name": name, "tokenHash": hashed}, on_none="nobody"),
                ]
                noted = {"person": name, "role": role, "token_sha256": hashed} | _until(until)
                return Change(steps, "rotate", noted)

            if self._changed(session, decide) != "done":
                raise nobody(name)
        return {role: name} | made

    def revoke_analyst(self, name: str) -> None:
        """Revoke an analyst or curator for good; shares and what was spent of them stay as they are.

        Raises
        ------
        UnknownNameError
            There is no such person, or one who was revoked.
        """
        name = checks.check_person_name(name)
        with self._session() as session:
            at = ledger.now()
            gone = Step("person_revoke", {"name": name, "revoked": at}, on_none="nobody")
            change = Change([gone], "revoke", {"person": name, "revoked": at})
            if self._changed(session, lambda _: change) != "done":
                raise nobody(name)

    # -- several tokens ---------------------------------------------------------------------------

    def tokens(self, name: str | None = None) -> list[dict[str, Any]]:
        """Return the tokens of somebody, or of everybody; those that ended too, and never a token itself.

        Returns
        -------
        list of dict
            name (whose), token (its name; that of `add_analyst` is ``first``), added, expires (or None), revoked (None,
            or when), state (``valid``, ``expired``, ``revoked``).
        """
        name = None if name is None else checks.check_person_name(name)
        with self._session(reading=True) as session:
            people = self._people(session)
            if name is not None and not any(row["name"] == name for row in session.run("person_list")):
                raise nobody(name)
        return [token.shown() for token in (people.tokens if name is None else people.of(name))]

    def add_token(self, name: str, token: str, expires: Any = None) -> dict[str, Any]:
        """Give somebody a further token, under a name of its own; the others go on.

        Parameters
        ----------
        name : str
            Whose.
        token : str
            Its name, such as that of a machine or a program; one that is over or was revoked leaves its name free.
        expires : str or date, optional
            As of `add_analyst`.

        Returns
        -------
        dict
            As `add_analyst` or `add_curator` of the person's role.
        """
        name, called = checks.check_person_name(name), checks.check_person_name(token, "token")
        until = expiry_of(expires)
        with self._session() as session:
            role = self._role(session, name)
            if role is None:
                raise nobody(name)
            secret = _new_token(role)

            def decide(people: People) -> Change:
                there = people.live(name, called)
                if there is not None and there.live:
                    raise StoreStateError(
                        f"{name!r} has a token {called!r} already; choose another name, or end that one with "
                        f"'edgedp analyst token revoke {name} {called}'"
                    )
                if sum(each.revoked is None for each in people.of(name)) >= _MOST_TOKENS:
                    raise StoreStateError(
                        f"{name!r} has {_MOST_TOKENS} tokens, which is the most; end one with "
                        f"'edgedp analyst token revoke {name} TOKEN'"
                    )
                active = Step("person_active", {"name": name, "role": role}, on_none="nobody")
                noted = {"person": name, "token": called, "token_sha256": token_hash(secret)} | _until(until)
                return Change([active], "token", noted)

            if self._changed(session, decide) != "done":
                raise nobody(name)
        return {role: name} | _made(secret, until)

    def revoke_token(self, name: str, token: str) -> None:
        """End one token of somebody; the others go on.

        Raises
        ------
        UnknownNameError
            There is no such person, or no such token that has not ended.
        """
        name, token = checks.check_person_name(name), checks.check_person_name(token, "token")
        with self._session() as session:
            if self._role(session, name) is None:
                raise nobody(name)

            def decide(people: People) -> Change:
                if people.live(name, token) is None:
                    raise UnknownNameError(
                        f"{name!r} has no token {token!r} that has not ended; see 'edgedp analyst token list {name}'"
                    )
                return Change([], "end", {"person": name, "token": token})

            self._changed(session, decide)

    def identify(self, token: str) -> Person | None:
        """Return whose token it is; None for an unknown one and for one that was revoked.

        It is compared with every kept SHA-256, each in constant time, whichever fits.

        Raises
        ------
        AccessError
            The token was good, and expired.
        """
        if not isinstance(token, str) or len(token) > _LONGEST_TOKEN:
            return None
        return self._whose(token_hash(token))

    def _whose(self, hashed: str) -> Person | None:
        """Return whose token it is by its SHA-256, hex, as `identify` does; for a session, which has no token."""
        found: Token | None = None
        with self._session() as session:
            rows = session.run("person_list")
            people = self._people(session)
        for token in people.tokens:
            # Whatever somebody may have made of it in the database.
            same = hmac.compare_digest(hashed.encode(), str(token.sha256).encode())
            if same and token.revoked is None:
                found = token
        person = None if found is None else active(rows, found.person)
        if found is not None and person is not None and found.over:
            raise ExpiredTokenError(
                f"the token {found.name!r} expired at {found.expires}; ask the curator for another one "
                f"('edgedp analyst token add')"
            )
        return person

    def _role(self, session: Session, name: str) -> Role | None:
        """Return the role of somebody who was not revoked."""
        person = active(session.run("person_list"), name)
        return None if person is None else person.role

    def _add(self, name: str, role: Role, expires: Any) -> dict[str, Any]:
        name, token, until = checks.check_person_name(name), _new_token(role), expiry_of(expires)
        row = {"name": name, "role": role, "tokenHash": token_hash(token), "added": ledger.now()}
        noted = {"person": name, "role": role, "added": row["added"], "token_sha256": row["tokenHash"]}
        change = Change([Step("person_put", row, on_none="nobody")], "add", noted | _until(until))
        with self._session() as session:
            self._backend.settle(session)
            if self._changed(session, lambda _: change) != "done":
                raise StoreStateError(
                    f"the name {name!r} is taken, and stays so after a revocation; choose another, or give its bearer "
                    f"another token with 'edgedp analyst rotate {name}'"
                )
        return _made(token, until)


def token_hash(token: str) -> str:
    """Return what the store keeps: 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def nobody(name: str) -> UnknownNameError:
    """Return the refusal of somebody who is not there."""
    return UnknownNameError(
        f"{name!r} was never added, was revoked, or has another role; see 'edgedp analyst list'"
    )


def _new_token(role: Role) -> str:
    return _PREFIXES[role] + secrets.token_urlsafe(_TOKEN_BYTES)


def active(rows: list[dict[str, Any]], name: str) -> Person | None:
    """Return somebody who was not revoked."""
    row = next((row for row in rows if row["name"] == name and row["revoked"] is None), None)
    return None if row is None else Person(row["name"], row["role"])


def _until(expires: str | None) -> dict[str, str]:
    return {} if expires is None else {"expires": expires}


def _made(token: str, expires: str | None) -> dict[str, Any]:
    return {"token": token} | _until(expires)
