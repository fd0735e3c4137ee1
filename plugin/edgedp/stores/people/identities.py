"""Sign-ins by a provider of identities: who somebody is there, as the curator declares it; nobody is made by one."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any
from urllib.parse import urlsplit

from edgedp.ledger.log.people_state import People
from edgedp.ledger.script import Step
from edgedp.mechanisms import checks
from edgedp.stores.people.curating import Change
from edgedp.stores.people.tokens import Person, TokenStore, active, nobody
from edgedp.words.errors import ParameterError, StoreStateError, UnknownNameError

_KEY = "oidc:"
"""What a key of a sign-in begins with, which no hash of a token does: neither stands for the other."""

_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")

_LONGEST = 255
"""Characters of a subject (OpenID Connect Core, 2) and, here, of an issuer."""


class IdentityStore(TokenStore):
    """People, and who they are at a provider."""

    def add_identity(self, name: str, issuer: str, subject: str) -> dict[str, Any]:
        """Declare who an analyst or curator is at a provider: such a sign-in at the pages is theirs.

        Parameters
        ----------
        name : str
            Somebody who was added.
        issuer : str
            The provider, as its ``issuer`` says, and the gateway's ``--oidc-issuer``.
        subject : str
            The ``sub`` that the provider gives, which never changes. An address of e-mail is none.

        Returns
        -------
        dict
            name, issuer, subject.
        """
        name = checks.check_person_name(name)
        issuer, subject = check_issuer(issuer), _check_subject(subject)
        with self._session() as session:
            role = self._role(session, name)
            if role is None:
                raise nobody(name)

            def decide(people: People) -> Change:
                there = people.identity(issuer, subject)
                if there is not None:
                    raise StoreStateError(
                        f"{subject!r} at {issuer} is {there.person!r} already; take that away first with "
                        f"'edgedp analyst identity remove {subject} --issuer {issuer}'"
                    )
                still = Step("person_active", {"name": name, "role": role}, on_none="nobody")
                return Change([still], "identity", {"person": name, "issuer": issuer, "subject": subject})

            if self._changed(session, decide) != "done":
                raise nobody(name)
        return {"name": name, "issuer": issuer, "subject": subject}

    def remove_identity(self, issuer: str, subject: str) -> None:
        """Take a declared sign-in away; browsers that are signed in by it are signed out.

        Raises
        ------
        UnknownNameError
            Nobody is that.
        """
        issuer, subject = check_issuer(issuer), _check_subject(subject)

        def decide(people: People) -> Change:
            there = people.identity(issuer, subject)
            if there is None:
                raise UnknownNameError(
                    f"{subject!r} at {issuer} signs nobody in; see 'edgedp analyst identity list'"
                )
            return Change([], "forget", {"person": there.person, "issuer": issuer, "subject": subject})

        with self._session() as session:
            self._changed(session, decide)

    def identities(self) -> list[dict[str, Any]]:
        """Return who is whom at a provider: name, issuer, subject, added."""
        with self._session(reading=True) as session:
            return [each.shown() for each in self._people(session).identities]

    def signed_in(self, issuer: str, subject: str) -> Person | None:
        """Return whose sign-in it is, which the provider vouched for; None where nobody is declared to be that."""
        if not all(isinstance(each, str) for each in (issuer, subject)):
            return None
        return self._holder(sign_in_key(issuer, subject))

    def _holder(self, key: str) -> Person | None:
        """Return who a session is of, by what it stands for: the SHA-256 of a token, or a sign-in."""
        if not key.startswith(_KEY):
            return self._whose(key)
        found = None
        with self._session() as session:
            rows, people = session.run("person_list"), self._people(session)
        for each in people.identities:
            if hmac.compare_digest(key.encode(), sign_in_key(each.issuer, each.subject).encode()):
                found = each
        return None if found is None else active(rows, found.person)


def sign_in_key(issuer: str, subject: str) -> str:
    """Return what a session keeps of a sign-in.

    Examples
    --------
    >>> sign_in_key("https://id.example.org", "248289761001")[:13]
    'oidc:318aa145'
    """
    return _KEY + hashlib.sha256(json.dumps([issuer, subject]).encode()).hexdigest()


def check_issuer(issuer: Any) -> str:
    """Return a provider's address: https, or http of this machine; no query and no fragment.

    Examples
    --------
    >>> check_issuer("https://id.example.org/realms/bank")
    'https://id.example.org/realms/bank'
    """
    text = checks.check_text(issuer, "issuer")
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
    except ValueError:
        parts, host = urlsplit(""), ""
    safe = parts.scheme == "https" or (parts.scheme == "http" and host in _THIS_MACHINE)
    if not safe or not host or parts.query or parts.fragment or parts.username or len(text) > _LONGEST:
        raise ParameterError(
            f"issuer is {text[:80]!r}, must be an https:// address without a query, exactly as the provider writes it; "
            "correct it"
        )
    return text


def _check_subject(subject: Any) -> str:
    text = checks.check_text(subject, "subject")
    if len(text) > _LONGEST:
        raise ParameterError(f"subject has {len(text)} characters, must have at most {_LONGEST}; correct it")
    return text
