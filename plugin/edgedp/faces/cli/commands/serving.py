"""The command of the gateway."""

from __future__ import annotations

from pathlib import Path

import click

from edgedp.faces.cli.numerals import DECIMAL, WHOLE, WholeRange
from edgedp.faces.cli.opening import opened_store
from edgedp.words.errors import EngineError

__all__ = ["COMMANDS"]

_FILE = click.Path(path_type=Path)


@click.command()
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
    metavar="NETWORK",
    multiple=True,
    help="Proxy that is believed for whom it asks; repeatable.  [default with --behind-proxy: loopback]",
)
@click.option(
    "--allowed-host",
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
    metavar="E",
    default="0.0001",
    show_default=True,
    help="What a release costs at least.",
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
    help="Of one address.  [default: half of --connections]",
)
@click.option(
    "--requests-per-minute", metavar="N", type=WHOLE, default=600, show_default=True, help="Of one analyst."
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
    host: str,
    port: int,
    tls_certificate: Path | None,
    tls_key: Path | None,
    behind_proxy: bool,
    trusted_proxy: tuple[str, ...],
    allowed_host: tuple[str, ...],
    metrics_port: int | None,
    workers: int | None,
    queue: int,
    min_epsilon: str,
    response_step: float,
    body_bytes: int,
    request_seconds: float,
    connections: int,
    connections_per_address: int | None,
    requests_per_minute: int,
    gateways: int,
) -> None:
    """Serve releases and budgets of the store over HTTP, with pages for analysts and the curator."""
    try:
        from edgedp.faces.gateway.door.settings import Settings
        from edgedp.faces.gateway.server import serve as run
    except ModuleNotFoundError as error:
        raise EngineError(
            f"serve needs {error.name}, which is not installed; install it with pip install 'edgedp[serve]'"
        ) from None
    settings = Settings(
        host=host,
        port=port,
        tls_certificate=tls_certificate,
        tls_key=tls_key,
        behind_proxy=behind_proxy,
        trusted_proxies=trusted_proxy,
        allowed_hosts=allowed_host,
        metrics_port=metrics_port,
        queue=queue,
        min_epsilon=min_epsilon,
        response_step=response_step,
        body_bytes=body_bytes,
        request_seconds=request_seconds,
        connections=connections,
        connections_per_address=connections_per_address,
        requests_per_minute=requests_per_minute,
        gateways=gateways,
        **({} if workers is None else {"workers": workers}),
    ).checked()
    with opened_store() as store:
        run(store, settings, lambda line: click.echo(line, err=True))


COMMANDS = (serve,)
