"""The command of the gateway."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from edgedp.faces.cli.numerals import DECIMAL, WHOLE, WholeRange
from edgedp.faces.cli.once import Command
from edgedp.faces.cli.opening import opened_store
from edgedp.words.errors import EngineError, ParameterError

_FILE = click.Path(path_type=Path)


@click.command(cls=Command)
@click.option("--host", metavar="H", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option(
    "--port", metavar="P", type=WholeRange(0, 65535), default=8750, show_default=True, help="0: any free."
)
@click.option("--tls-certificate", metavar="FILE", type=_FILE, help="PEM file; with --tls-key.")
@click.option("--tls-key", metavar="FILE", type=_FILE, help="PEM file; with --tls-certificate.")
@click.option(
    "--behind-proxy", is_flag=True, help="A reverse proxy ends TLS in front and passes the Host on."
)
@click.option(
    "--trusted-proxy",
    "trusted_proxies",
    metavar="NETWORK",
    multiple=True,
    help="Proxy whose X-Forwarded-For is believed; repeatable.  [default with --behind-proxy: loopback]",
)
@click.option(
    "--root-path",
    metavar="PATH",
    default="",
    help="Path below which a proxy serves the gateway, such as /edgedp.  [default: none]",
)
@click.option(
    "--allowed-host",
    "allowed_hosts",
    metavar="NAME",
    multiple=True,
    help="Host name that requests may carry; repeatable.  [default: loopback names; with TLS or a proxy any]",
)
@click.option(
    "--metrics-port",
    metavar="P",
    type=WholeRange(0, 65535),
    help="Loopback port of Prometheus metrics; 0: any free.  [default: the port after --port]",
)
@click.option(
    "--workers",
    metavar="N",
    type=WholeRange(1),
    help="Releases drawn at once.  [default: processors and one]",
)
@click.option(
    "--queue",
    metavar="N",
    type=WholeRange(0),
    default=64,
    show_default=True,
    help="Releases that may wait, a quarter of them of one analyst.",
)
@click.option(
    "--min-epsilon",
    metavar="[NAME=]E",
    default=("0.0001",),
    show_default=True,
    multiple=True,
    help="What a release costs at least; NAME=E of one graph.",
)
@click.option(
    "--response-step",
    metavar="SECONDS",
    type=DECIMAL,
    default=0.25,
    show_default=True,
    help="Response times of releases are rounded up to it.",
)
@click.option(
    "--body-bytes", metavar="N", type=WHOLE, default=64 * 1024, show_default=True, help="Largest body."
)
@click.option(
    "--request-seconds", metavar="S", type=DECIMAL, default=60.0, show_default=True, help="Longest request."
)
@click.option(
    "--connections", metavar="N", type=WHOLE, default=256, show_default=True, help="Open connections."
)
@click.option(
    "--connections-per-address",
    metavar="N",
    type=WHOLE,
    help="For one address.  [default: half of --connections]",
)
@click.option(
    "--requests-per-minute", metavar="N", type=WHOLE, default=600, show_default=True, help="For one analyst."
)
@click.option(
    "--oidc-issuer",
    metavar="URL",
    help="Provider of sign-ins at the pages, by OpenID Connect, beside tokens.",
)
@click.option("--oidc-client-id", metavar="ID", help="What the gateway is called there.")
@click.option(
    "--oidc-secret-file",
    metavar="FILE",
    type=_FILE,
    help="File with the client's secret.  [default: EDGEDP_OIDC_CLIENT_SECRET, else none]",
)
@click.option(
    "--gateways",
    metavar="N",
    type=WHOLE,
    default=1,
    show_default=True,
    help="Gateways that answer for this store in turn, each for its part of the requests a minute.",
)
def serve(
    min_epsilon: tuple[str, ...], workers: int | None, oidc_secret_file: Path | None, **given: Any
) -> None:
    """Serve releases and budgets of the store over HTTP, with pages for analysts and the curator."""
    try:
        from edgedp.faces.gateway.door.settings import Settings
        from edgedp.faces.gateway.server import serve as run
    except ModuleNotFoundError as error:
        raise EngineError(
            f"serve needs {error.name}, which is not installed; install edgedp[serve]"
        ) from None
    of_all = [each for each in min_epsilon if "=" not in each]
    of_one = [(name, each) for name, mark, each in (text.rpartition("=") for text in min_epsilon) if mark]
    if len(of_all) > 1 or len(dict(of_one)) < len(of_one):
        raise ParameterError("min_epsilon is given twice for the same graphs; leave one out")
    settings = Settings(
        min_epsilon=of_all[0] if of_all else Settings.min_epsilon,
        min_epsilon_of=dict(of_one),
        oidc_client_secret=_secret(oidc_secret_file),
        **given | ({} if workers is None else {"workers": workers}),
    ).checked()
    with opened_store() as store:
        for name in settings.min_epsilon_of:
            store.budget(name)  # an unknown name is refused, and not silently of no graph
        run(store, settings, lambda line: click.echo(line, err=True))


def _secret(path: Path | None) -> str | None:
    """Return the client's secret, which is no option: other people see the options of a process."""
    if path is None:
        return os.environ.get("EDGEDP_OIDC_CLIENT_SECRET") or None
    text = path.read_text(encoding="utf-8").strip()
    if not text:
        raise ParameterError(f"{path} is empty, must hold the client's secret; write it there")
    return text


COMMANDS = (serve,)
