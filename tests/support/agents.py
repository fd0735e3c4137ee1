"""Clients of agents: the SDK's own, which only the process that talks to a gateway imports."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx2

if TYPE_CHECKING:
    from mcp import Client


@asynccontextmanager
async def at_gateway(address: str, token: str) -> AsyncIterator[Client]:
    """Talk to a gateway over HTTP."""
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=120) as http,
        Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
    ):
        yield client


def by_program(command: str, arguments: list[str], environment: dict[str, str]) -> Client:
    """Start a program and talk to it over its standard streams."""
    from mcp import Client, StdioServerParameters

    return Client(StdioServerParameters(command=command, args=arguments, env=environment))


def by_command(*arguments: str, **environment: str) -> Client:
    """Start ``edgedp`` and talk to it over its standard streams."""
    return by_program(sys.executable, ["-m", "edgedp", *arguments], environment)
