"""What the people's log adds up to: tokens with their expiry, sign-ins by a provider, and who asked for more.

The rows of the people say who there is; their log says everything else, in rows that are chained. Nothing of it is
kept twice, so that nothing can disagree.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from edgedp.words.dates.expiry import is_over

FIRST = "first"
"""The name of the token that somebody is added with, or that a rotation gives."""


@dataclass(frozen=True)
class Token:
    """A token of a person, by its SHA-256.

    Attributes
    ----------
    person, name : str
    sha256 : str
        Hex.
    added : str
        When, ISO 8601, UTC.
    expires : str or None
        The last second at which it is good.
    revoked : str or None
        When it was ended, by its name, by a rotation or with the person.
    """

    person: str
    name: str
    sha256: str
    added: str
    expires: str | None = None
    revoked: str | None = None

    @property
    def over(self) -> bool:
        """Whether it expired; one whose expiry somebody edited did."""
        try:
            return is_over(self.expires)
        except (ValueError, TypeError):
            return True

    @property
    def live(self) -> bool:
        """Whether it is good."""
        return self.revoked is None and not self.over

    def shown(self) -> dict[str, Any]:
        """Return it as a list shows it; never its hash."""
        state = "revoked" if self.revoked is not None else "expired" if self.over else "valid"
        return {
            "name": self.person, "token": self.name, "added": self.added, "expires": self.expires,
            "revoked": self.revoked, "state": state,
        }  # fmt: skip


@dataclass(frozen=True)
class Identity:
    """Who somebody is at a provider of sign-ins: the curator declares it, and nobody is made by signing in."""

    person: str
    issuer: str
    subject: str
    added: str

    def shown(self) -> dict[str, Any]:
        """Return it as a list shows it."""
        return {"name": self.person, "issuer": self.issuer, "subject": self.subject, "added": self.added}


@dataclass(frozen=True)
class MoreAsked:
    """An analyst's question for a larger share, and what the curator answered.

    Attributes
    ----------
    id : str
    at, answered : str
        When; `answered` is None as long as it is open.
    epsilon : str
        How much more, as a decimal text.
    state : {"open", "granted", "declined"}
    answer : str or None
        What the curator wrote.
    """

    id: str
    at: str
    graph: str
    account: str
    analyst: str
    epsilon: str
    reason: str
    state: Literal["open", "granted", "declined"] = "open"
    answer: str | None = None
    answered: str | None = None

    def shown(self) -> dict[str, Any]:
        """Return it as a list shows it."""
        return {
            "id": self.id, "at": self.at, "graph": self.graph, "account": self.account, "analyst": self.analyst,
            "epsilon": float(self.epsilon), "reason": self.reason, "state": self.state, "answer": self.answer,
            "answered": self.answered,
        }  # fmt: skip


@dataclass(frozen=True)
class People:
    """What the people's log says, up to a row of it.

    Attributes
    ----------
    entries : int
        How many rows it has.
    """

    tokens: tuple[Token, ...]
    identities: tuple[Identity, ...]
    asked: tuple[MoreAsked, ...]
    entries: int

    def of(self, person: str) -> list[Token]:
        """Return the tokens of somebody, those that ended too, oldest first."""
        return [token for token in self.tokens if token.person == person]

    def live(self, person: str, name: str) -> Token | None:
        """Return somebody's token of a name that was not ended; it may be over."""
        return next((each for each in self.of(person) if each.name == name and each.revoked is None), None)

    def identity(self, issuer: str, subject: str) -> Identity | None:
        """Return whose sign-in it is."""
        return next(
            (each for each in self.identities if (each.issuer, each.subject) == (issuer, subject)), None
        )

    def more(self, id_: str) -> MoreAsked | None:
        """Return a question for more by its id."""
        return next((each for each in self.asked if each.id == id_), None)


NOBODY = People((), (), (), 0)


def people_of(rows: Iterable[Mapping[str, Any]], kept: Iterable[Mapping[str, Any]] = ()) -> People:
    """Return what the rows of the people's log add up to.

    Parameters
    ----------
    rows : iterable of mapping
        Of the log, chained and in order.
    kept : iterable of mapping
        The rows of the people: their tokens, where there is no log yet.

    Examples
    --------
    >>> body = '{"person": "ann", "role": "analyst", "added": "t", "token_sha256": "ab"}'
    >>> people_of([{"seq": 1, "kind": "add", "at": "t", "body": body}]).tokens
    (Token(person='ann', name='first', sha256='ab', added='t', expires=None, revoked=None),)
    """
    tokens: list[Token] = []
    identities: dict[tuple[str, str], Identity] = {}
    asked: dict[str, MoreAsked] = {}
    entries = 0
    for row in rows:
        entries += 1
        body, at = json.loads(row["body"]), row["at"]
        match row["kind"]:
            case "begin":
                there = {token.person for token in tokens}
                for noted in body["people"]:
                    if noted["person"] not in there:  # two that began at once both name them
                        gone = noted.get("revoked")
                        tokens.append(
                            Token(noted["person"], FIRST, noted["token_sha256"], noted["added"], None, gone)
                        )
            case "add" | "rotate" | "token":
                name = body.get("token", FIRST)
                ends = None if row["kind"] == "rotate" else name
                tokens = [_ended(token, body["person"], ends, at) for token in tokens]
                tokens.append(Token(body["person"], name, body["token_sha256"], at, body.get("expires")))
            case "end":
                tokens = [_ended(token, body["person"], body["token"], at) for token in tokens]
            case "revoke":
                tokens = [_ended(token, body["person"], None, body["revoked"]) for token in tokens]
                identities = {key: each for key, each in identities.items() if each.person != body["person"]}
            case "identity":
                place = (body["issuer"], body["subject"])
                identities[place] = Identity(body["person"], *place, at)
            case "forget":
                identities.pop((body["issuer"], body["subject"]), None)
            case "ask":
                asked[body["id"]] = MoreAsked(
                    body["id"],
                    at,
                    body["graph"],
                    body["account"],
                    body["person"],
                    body["epsilon"],
                    body["reason"],
                )
            case "grant" | "decline":
                state: Literal["granted", "declined"] = "granted" if row["kind"] == "grant" else "declined"
                asked[body["id"]] = replace(
                    asked[body["id"]], state=state, answer=body["answer"], answered=at
                )
            case other:
                raise ValueError(f"no event of people is {other}")
    if entries == 0:
        tokens = [
            Token(row["name"], FIRST, str(row["tokenHash"]), row["added"], None, row["revoked"])
            for row in kept
        ]
    return People(tuple(tokens), tuple(identities.values()), tuple(asked.values()), entries)


def _ended(token: Token, person: str, name: str | None, at: str) -> Token:
    """Return a token, ended if it is somebody's, of a name or of any, and was not ended before."""
    its = token.person == person and token.revoked is None and name in (None, token.name)
    return replace(token, revoked=at) if its else token
