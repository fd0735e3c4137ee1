"""Sign-in by OpenID Connect: where a browser is sent, and whom the provider says that it came back as.

The authorization code flow with PKCE, by Authlib. Nothing of it is kept here: state, nonce and verifier follow from a
random number that the browser holds in a cookie and the store's secret, so that every gateway on a store can end what
another one began, and nobody without both can.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import secrets
import threading
import time
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from edgedp.faces.gateway.door.problems import Problem
from edgedp.words.errors import EngineError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from authlib.integrations.httpx_client import OAuth2Client
    from joserfc.jwk import KeySet

    from edgedp.faces.gateway.door.settings import Settings

_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by a key that only the provider has: none, and those by a shared secret, are not among them."""

_SECONDS = 600
"""For how long a sign-in may take at the provider."""

_WAIT = 10.0
_LEEWAY = 60
_KEPT = 3600.0
_SELDOM = 10.0
_LARGEST = 1 << 20

_FAILED = "the sign-in failed; try again, or ask the operator to read the log"


@dataclass(frozen=True)
class Flow:
    """A sign-in that a browser began.

    Attributes
    ----------
    cookie : str
        What the browser holds; everything else follows from it and the store's secret.
    """

    cookie: str = field(repr=False)
    secret: str = field(repr=False)

    @classmethod
    def begin(cls, secret: str) -> Flow:
        """Return a new one."""
        return cls(f"{secrets.token_urlsafe(32)}.{int(time.time()) + _SECONDS:x}", secret)

    @property
    def state(self) -> str:
        """What the provider sends back: that this browser began the sign-in."""
        return self._derived("state")

    @property
    def nonce(self) -> str:
        """What stands in the provider's token: that it was made for this sign-in."""
        return self._derived("nonce")

    @property
    def verifier(self) -> str:
        """Of PKCE: that the code is redeemed by who asked for it."""
        return self._derived("verifier")

    def fits(self, state: str) -> bool:
        """Whether the provider sent back what this browser took there, in time."""
        until = self.cookie.rpartition(".")[2]
        same = hmac.compare_digest(state.encode(), self.state.encode())
        whole = until.isascii() and until.isalnum() and len(until) < 12
        return same and whole and 0 < _hex(until) - time.time() <= _SECONDS + _LEEWAY

    def _derived(self, what: str) -> str:
        text = f"edgedp oidc {what} {self.cookie}"
        return hmac.new(self.secret.encode(), text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


class Provider:
    """The provider of sign-ins of a gateway.

    Parameters
    ----------
    settings : Settings
        With an ``oidc_issuer``.
    """

    def __init__(self, settings: Settings) -> None:
        check_installed()
        self.issuer = settings.oidc_issuer or ""
        self._client_id = settings.oidc_client_id or ""
        self._secret = settings.oidc_client_secret
        self._guard = threading.Lock()
        self._said: dict[str, Any] = {}
        self._keys: dict[str, Any] = {}
        self._said_at = self._keys_at = -_KEPT

    def begin(self, flow: Flow, redirect: str) -> str:
        """Return the address at the provider that a browser is sent to.

        Raises
        ------
        Problem
            503: the provider does not answer, or not as one.
        """
        with self._client(redirect) as client:
            address, _ = client.create_authorization_url(
                self._metadata(client)["authorization_endpoint"],
                state=flow.state,
                nonce=flow.nonce,
                code_verifier=flow.verifier,
            )
        return str(address)

    def end(self, flow: Flow, redirect: str, given: Mapping[str, str]) -> str:
        """Return the subject, as the provider vouches for it by a token of its own.

        Parameters
        ----------
        given : mapping
            What the browser brought back: code, state, and where it is there iss.

        Raises
        ------
        Problem
            403: the state, the code or the token is not what it must be; which is in the log alone. 503: the provider
            does not answer.
        """
        if not flow.fits(given.get("state", "")):
            raise _failed("the state is not of a sign-in that this browser began, or it took too long")
        if given.get("iss", self.issuer) != self.issuer:
            raise _failed("the answer names another issuer")
        if "error" in given or not given.get("code"):
            raise _failed(f"the provider refused: {given.get('error', 'no code')[:80]}")
        from authlib.common.errors import AuthlibBaseError

        with self._client(redirect) as client:
            said = self._metadata(client)
            try:
                token = client.fetch_token(
                    said["token_endpoint"],
                    grant_type="authorization_code",
                    code=given["code"],
                    code_verifier=flow.verifier,
                )
            except AuthlibBaseError as error:
                raise _failed(f"the code was not redeemed: {str(error.error)[:80]}") from None
            except Exception as error:
                raise _away(error) from None
            return self._subject(client, token, flow)

    def _subject(self, client: OAuth2Client, token: Mapping[str, Any], flow: Flow) -> str:
        """Check the token of the identity: signature, issuer, audience, expiry, nonce; return its subject."""
        from authlib.oidc.core import CodeIDToken
        from joserfc import jwt
        from joserfc.errors import JoseError

        text = token.get("id_token")
        if not isinstance(text, str):
            raise _failed("the provider sent no id_token")
        options: dict[str, Any] = {
            "iss": {"essential": True, "value": self.issuer},
            "aud": {"essential": True, "value": self._client_id},
            "sub": {"essential": True},
            "exp": {"essential": True},
            "iat": {"essential": True},
            "nonce": {"essential": True, "value": flow.nonce},
        }
        params = {
            "nonce": flow.nonce,
            "client_id": self._client_id,
            "access_token": token.get("access_token"),
        }

        def decoded_by(keys: Any) -> jwt.Token:
            return jwt.decode(text, _known_keys(keys), algorithms=[*_ALGORITHMS])

        try:
            try:
                decoded = decoded_by(self._key_set(client, fresh=False))
            except (JoseError, ValueError, KeyError, TypeError):  # a key that is not known may be a new one
                decoded = decoded_by(self._key_set(client, fresh=True))
        except (JoseError, ValueError, KeyError, TypeError) as error:
            raise _failed(f"the id_token is not signed by the provider: {type(error).__name__}") from None
        try:
            claims = CodeIDToken(decoded.claims, decoded.header, options, params)
            claims.validate(now=int(time.time()), leeway=_LEEWAY)
        except (JoseError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise _failed(f"the id_token is not for this sign-in: {str(error)[:80]}") from None
        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= 255 or not subject.isprintable():
            raise _failed("the subject must be a text of at most 255 characters")
        return subject

    # -- what the provider says of itself ---------------------------------------------------------

    def _metadata(self, client: OAuth2Client) -> dict[str, Any]:
        """Return the provider's description, read anew every hour.

        Raises
        ------
        Problem
            It is of another issuer, or an endpoint is not safe.
        """
        with self._guard:
            if time.monotonic() - self._said_at < _KEPT:
                return self._said
        place = self.issuer.rstrip("/") + "/.well-known/openid-configuration"
        said = _object(client, place)
        if said.get("issuer") != self.issuer:
            raise _away(ValueError(f"its issuer is {str(said.get('issuer'))[:120]!r}"))
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            _check_safe(said.get(name), self.issuer)
        with self._guard:
            self._said, self._said_at = said, time.monotonic()
        return said

    def _key_set(self, client: OAuth2Client, *, fresh: bool) -> Any:
        """Return the provider's keys, read anew every hour, or where one is not known; not more often than seldom."""
        with self._guard:
            age = time.monotonic() - self._keys_at
            if age < (_SELDOM if fresh else _KEPT):
                return self._keys
        keys = _object(client, self._metadata(client)["jwks_uri"])
        with self._guard:
            self._keys, self._keys_at = keys, time.monotonic()
        return keys

    def _client(self, redirect: str) -> OAuth2Client:
        from authlib.integrations.httpx_client import OAuth2Client

        return OAuth2Client(
            self._client_id,
            self._secret,
            token_endpoint_auth_method="none" if self._secret is None else "client_secret_basic",
            scope="openid",
            redirect_uri=redirect,
            code_challenge_method="S256",
            timeout=_WAIT,
            follow_redirects=False,
        )


def check_installed() -> None:
    """Refuse where Authlib is not there.

    Raises
    ------
    EngineError
    """
    try:
        import_module("authlib.integrations.httpx_client")
        import_module("joserfc")
    except ModuleNotFoundError as error:
        raise EngineError(
            f"oidc_issuer needs {error.name}, which is not installed; install edgedp[oidc]"
        ) from None


def _object(client: OAuth2Client, place: str) -> dict[str, Any]:
    """Return a JSON object from the provider, without a token, and of no more than a megabyte."""
    body = bytearray()
    try:
        with client.stream("GET", place, withhold_token=True) as answer:
            answer.raise_for_status()
            for part in answer.iter_bytes():
                body += part
                if len(body) > _LARGEST:
                    raise ValueError("its answer is too large")
        found = json.loads(body)
    except Exception as error:
        raise _away(error) from None
    if not isinstance(found, dict):
        raise _away(ValueError("its answer is not a JSON object"))
    return found


def _known_keys(found: Mapping[str, Any]) -> KeySet:
    """Return the keys of a provider that can be read; one of a curve or a kind of its own leaves the others."""
    from joserfc.errors import JoseError
    from joserfc.jwk import JWKRegistry, KeySet

    known = KeySet([])
    for each in found["keys"]:
        with contextlib.suppress(JoseError, ValueError, KeyError, TypeError):
            known.keys.append(JWKRegistry.import_key(each))
    return known


def _check_safe(place: Any, issuer: str) -> None:
    """Refuse an endpoint that is not https, but on this machine where the issuer is there, too."""
    try:
        parts = urlsplit(place if isinstance(place, str) else "")
    except ValueError:
        parts = urlsplit("")
    local = parts.scheme == "http" and urlsplit(issuer).scheme == "http"
    if not parts.hostname or not (parts.scheme == "https" or local):
        raise _away(ParameterError("an endpoint is not an https:// address"))


def _hex(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        return 0


def _failed(why: str) -> Problem:
    return Problem(403, _FAILED, "AccessError", cause=f"sign-in: {why}")


def _away(error: Exception) -> Problem:
    if isinstance(error, Problem):
        return error
    return Problem(
        503, "the provider of sign-ins does not answer; try again, or sign in with a token", "StoreUnavailableError",
        {"Retry-After": "5"}, f"sign-in: the provider does not answer as one: {type(error).__name__} {error}"[:240],
    )  # fmt: skip
