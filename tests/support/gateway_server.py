"""A gateway in a process of its own, on free loopback ports, and what leaves it."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import httpx

from forks import Forked, Process

if TYPE_CHECKING:
    from edgedp.faces.gateway.context import Gateway

__all__ = ["Inside", "Served", "serve"]

_Result = TypeVar("_Result")

_USUAL = {"--port": "0", "--metrics-port": "0", "--requests-per-minute": "1000000"}


class Served:
    """A running gateway.

    Parameters
    ----------
    first : str
        Python that the process runs before anything else.
    fresh : bool
        Begin with a new Python, as a gateway that somebody starts, and not with a fork (`forks`).

    Attributes
    ----------
    said : list of str
        Every line of its log so far.
    """

    def __init__(
        self,
        store: str,
        folder: Path,
        *options: str,
        environment: dict[str, str] | None = None,
        first: str = "",
        fresh: bool = False,
    ) -> None:
        self._errors = (folder / f"gateway-{os.urandom(4).hex()}.err").open("w+", encoding="utf-8")
        program = [
            f"{first}\nfrom edgedp.faces.cli import main; main()", "--store", store, "serve", *options,
            *(word for pair in _USUAL.items() if pair[0] not in options for word in pair),
        ]  # fmt: skip
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith("EDGEDP_STORE")
        } | (environment or {})
        self.process: Process
        if fresh:
            self.process = subprocess.Popen(
                [sys.executable, "-c", *program],
                stdout=subprocess.PIPE, stderr=self._errors, text=True, env=environment,
            )  # fmt: skip
        else:
            self.process = Forked(*program, environment=environment, stderr=self._errors)
        self.said: list[str] = []
        self._began = threading.Event()
        self._reading = threading.Event()
        self._reading.set()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._began.wait(120)
        if not self.said:
            raise RuntimeError(f"the gateway did not start: {self.errors()}")
        began = json.loads(self.said[0])
        self.port, self.metrics_port = began["port"], began["metrics_port"]
        scheme = "https" if "--tls-certificate" in options else "http"
        self.address = f"{scheme}://127.0.0.1:{self.port}"

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            self._began.set()
            self._reading.wait()
        self._began.set()

    def stop_reading(self) -> None:
        """Read one more line of the log at most; it stays in its pipe."""
        self._reading.clear()

    def errors(self) -> str:
        """Return what it said on stderr."""
        self._errors.flush()
        return Path(self._errors.name).read_text(encoding="utf-8")

    def client(self, token: str | None = None, **given: Any) -> httpx.Client:
        """Return a client of a person, or of nobody."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        if self.address.startswith("http:"):
            given.setdefault("verify", False)  # each client would read the certificates of this machine
        return httpx.Client(
            base_url=self.address, headers=headers | given.pop("headers", {}), timeout=120, **given
        )

    def metrics(self) -> str:
        """Return what Prometheus would read."""
        return httpx.get(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=60, verify=False).text  # noqa: S501

    def end(self, by: signal.Signals = signal.SIGTERM) -> int:
        """End it and return its exit status."""
        self._reading.set()
        self.process.send_signal(by)
        status = self.process.wait(120)
        self._reader.join(60)
        return status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.process.poll() is None:
            self.end(signal.SIGKILL)
        self._reading.set()
        self._reader.join(60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._errors.close()


def serve(store: str | Path, folder: Path, *options: str, step: str = "0.01", **given: Any) -> Served:
    """Start a gateway with a short response step."""
    return Served(str(store), folder, "--response-step", step, *options, **given)


class Inside:
    """A caller of a gateway's application in this process, with one event loop; cookies are kept.

    Attributes
    ----------
    said : text stream
        The log of the gateway.
    headers : dict
        Sent with every request.
    """

    def __init__(self, gateway: Gateway, said: io.StringIO) -> None:
        from edgedp.faces.gateway.app import application

        self._gateway, self.said = gateway, said
        self.headers: dict[str, str] = {}
        self._loop = asyncio.Runner()
        app: Any = application(gateway)
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="https://localhost")

    def request(self, method: str, place: str, **given: Any) -> httpx.Response:
        """Send a request."""
        return self.run(self.send(method, place, **given))

    async def send(self, method: str, place: str, **given: Any) -> httpx.Response:
        """Send a request, within `run`."""
        headers = self.headers | (given.pop("headers", None) or {})
        return await self._client.request(method, place, headers=headers, **given)

    def run(self, doing: Coroutine[Any, Any, _Result]) -> _Result:
        """Do something in the event loop."""
        return self._loop.run(doing)

    def get(self, place: str, **given: Any) -> httpx.Response:
        """Send a GET."""
        return self.request("GET", place, **given)

    def post(self, place: str, **given: Any) -> httpx.Response:
        """Send a POST."""
        return self.request("POST", place, **given)

    def close(self) -> None:
        """Let what runs end, and close the loop."""
        self._gateway.close()
        self._loop.run(self._client.aclose())
        self._loop.close()
