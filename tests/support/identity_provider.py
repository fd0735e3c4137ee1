"""A provider of identities on loopback, by Authlib's own server side: OpenID Connect with PKCE, over real HTTP.

Whoever comes is signed in as `user` at once: what a provider asks people is its own affair. `lies` make it a provider
that errs or is hostile, claim by claim.
"""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from authlib.oauth2.rfc6749 import AuthorizationServer, OAuth2Request, grants
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import OpenIDCode, UserInfo
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

__all__ = ["CLIENT", "SECRET", "IdentityProvider"]

CLIENT, SECRET = "edgedp-gateway", "a secret of the client"


class _Client:
    """The one client that is registered."""

    def __init__(self, provider: IdentityProvider) -> None:
        self._provider = provider
        self.client_id = CLIENT

    def get_client_id(self) -> str:
        return CLIENT

    def get_default_redirect_uri(self) -> str:
        return self._provider.redirect

    def check_redirect_uri(self, given: str) -> bool:
        return given == self._provider.redirect

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_client_secret(self, given: str) -> bool:
        return given == SECRET

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == "client_secret_basic"

    def check_response_type(self, given: str) -> bool:
        return given == "code"

    def check_grant_type(self, given: str) -> bool:
        return given == "authorization_code"


class _Code:
    """A code that was given out, for one use."""

    def __init__(self, request: OAuth2Request, user: str) -> None:
        asked = request.payload.data
        self.user, self.redirect_uri, self.scope = user, asked["redirect_uri"], asked["scope"]
        self.nonce, self.code_challenge = asked.get("nonce"), asked.get("code_challenge")
        self.code_challenge_method = asked.get("code_challenge_method")

    def get_redirect_uri(self) -> str:
        return str(self.redirect_uri)

    def get_scope(self) -> str:
        return str(self.scope)

    def get_nonce(self) -> str | None:
        return self.nonce

    def get_auth_time(self) -> int:
        return int(time.time())

    def get_acr(self) -> None:
        return None

    def get_amr(self) -> None:
        return None


class _Server(AuthorizationServer):  # type: ignore[misc]
    def __init__(self, provider: IdentityProvider) -> None:
        super().__init__()
        self._provider = provider
        self.register_token_generator("default", BearerTokenGenerator(lambda *a, **k: "an-access-token"))
        self.register_grant(_grant(provider), [_id_token(provider), CodeChallenge(required=True)])

    def query_client(self, client_id: str) -> _Client | None:
        return _Client(self._provider) if client_id == CLIENT else None

    def save_token(self, token: Any, request: Any) -> None:
        return

    def send_signal(self, name: str, *given: Any, **named: Any) -> None:
        return

    def create_oauth2_request(self, request: OAuth2Request) -> OAuth2Request:
        return request

    def handle_response(self, status: int, body: Any, headers: Any) -> tuple[int, str, Any]:
        return status, json.dumps(body) if isinstance(body, dict) else str(body), headers


def _grant(provider: IdentityProvider) -> type:
    class Grant(grants.AuthorizationCodeGrant):  # type: ignore[misc]
        TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic",)

        def save_authorization_code(self, code: str, request: OAuth2Request) -> None:
            provider.codes[code] = _Code(request, provider.user)

        def query_authorization_code(self, code: str, client: Any) -> _Code | None:
            return provider.codes.get(code)

        def delete_authorization_code(self, code: _Code) -> None:
            provider.codes = {key: each for key, each in provider.codes.items() if each is not code}

        def authenticate_user(self, code: _Code) -> str:
            return code.user

    return Grant


def _id_token(provider: IdentityProvider) -> OpenIDCode:
    class Code(OpenIDCode):  # type: ignore[misc]
        def exists_nonce(self, nonce: str, request: Any) -> bool:
            return False

        def resolve_client_private_key(self, client: Any) -> Any:
            return provider.key

        def get_client_algorithm(self, client: Any) -> str:
            return "RS256"

        def get_client_claims(self, client: Any) -> dict[str, Any]:
            now = int(time.time())
            return {"iss": provider.issuer, "aud": CLIENT, "iat": now, "exp": now + 300}

        def get_encode_header(self, client: Any) -> dict[str, str]:
            return {"alg": "RS256", "kid": str(provider.key.kid)}

        def generate_user_info(self, user: str, scope: str) -> UserInfo:
            return UserInfo(sub=user)

        def encode_id_token(self, token: Any, request: Any) -> str:
            true = super().encode_id_token(token, request)
            if not provider.lies and provider.signed_by is None:
                return str(true)
            claims = dict(jwt.decode(true, provider.key).claims) | provider.lies
            claims = {name: value for name, value in claims.items() if value is not None}
            key = provider.signed_by or provider.key
            algorithm = "HS256" if isinstance(key, OctKey) else "RS256"
            header = {"alg": algorithm, "kid": provider.key.kid}
            return jwt.encode(header, claims, key, algorithms=[algorithm])

    return Code(require_nonce=True)


class IdentityProvider:
    """A running provider.

    Attributes
    ----------
    user : str
        The subject that comes.
    redirect : str
        The one address that it sends browsers back to.
    lies : dict
        Claims in place of the true ones; None leaves one out.
    signed_by : key, optional
        In place of its own.
    beside : list
        Keys that it publishes before its own.
    asked : list of dict
        The queries with which browsers came.
    """

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.user, self.redirect = "248289761001", ""
        self.lies: dict[str, Any] = {}
        self.signed_by: Any = None
        self.key = RSAKey.generate_key(2048, {"kid": "one"})
        self.beside: list[Any] = []
        self.codes: dict[str, _Code] = {}
        self.asked: list[dict[str, str]] = []
        self.told: dict[str, Any] = {}
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider._answer(self, "")

            def do_POST(self) -> None:
                provider._answer(self, self.rfile.read(int(self.headers["Content-Length"])).decode())

            def log_message(self, *given: Any) -> None:
                return

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://{host}:{self._http.server_address[1]}"
        self._server = _Server(self)
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def _answer(self, handler: BaseHTTPRequestHandler, body: str) -> None:
        parts = urlsplit(handler.path)
        # Behind TLS in the world; here on loopback, which Authlib's server refuses by itself.
        request = OAuth2Request(
            handler.command, f"https://127.0.0.1{handler.path}", headers=dict(handler.headers)
        )
        request.payload = BasicOAuth2Payload(dict(parse_qsl(body or parts.query)))
        request._body = dict(parse_qsl(body))
        headers: Any = [("Content-Type", "application/json")]
        if parts.path == "/.well-known/openid-configuration":
            status, text = 200, json.dumps(self.description() | self.told)
        elif parts.path == "/keys":
            status, text = 200, json.dumps({"keys": [*self.beside, self.key.as_dict(private=False)]})
        elif parts.path == "/authorize":
            self.asked.append(dict(parse_qsl(parts.query)))
            grant = self._server.get_consent_grant(request, self.user)
            status, text, headers = self._server.create_authorization_response(request, self.user, grant)
        elif parts.path == "/token":
            status, text, headers = self._server.create_token_response(request)
        else:
            status, text = 404, "{}"
        handler.send_response(status)
        for name, value in headers:
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(text.encode())))
        handler.end_headers()
        handler.wfile.write(text.encode())

    def description(self) -> dict[str, Any]:
        """Return what it says of itself."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._http.shutdown()
        self._http.server_close()
