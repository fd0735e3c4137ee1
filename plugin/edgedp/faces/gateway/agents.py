"""A server of the Model Context Protocol for one analyst, whichever transport carries it.

What a tool does is asked of a desk: a gateway in this process, or one at an address. An answer is the JSON that HTTP
gives, every character beyond ASCII escaped, so that no text of a node leaves its quotes; a refusal is its sentence.

The SDK takes longer to import than all else that a gateway needs: `load_sdk` does it before the first message.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from edgedp.faces.gateway.door.problems import Problem
from edgedp.faces.gateway.kinds import ReleaseKind, release_kinds
from edgedp.faces.gateway.tools import DATA, INSTRUCTIONS, Tool, limit_in, text_in, tool_named, tools
from edgedp.mechanisms.checks import check_choice
from edgedp.words.errors import ParameterError
from edgedp.words.version import __version__

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.lowlevel import Server


class Desk(ABC):
    """Where an analyst's questions are answered."""

    @abstractmethod
    async def read(self, question: Callable[[Any], Mapping[str, Any]]) -> dict[str, Any]:
        """Ask something that costs nothing of the analyst's view of the store."""

    @abstractmethod
    async def plan(self, kind: ReleaseKind, graph: str, options: dict[str, Any], key: str) -> dict[str, Any]:
        """Say what a release would cost."""

    @abstractmethod
    async def release(
        self, kind: ReleaseKind, graph: str, options: dict[str, Any], key: str, plan_id: str
    ) -> dict[str, Any]:
        """Take a release that names its plan."""

    @abstractmethod
    def problem(self, error: Exception) -> Problem:
        """Return what is said of a refusal."""

    @abstractmethod
    async def end(self) -> None:
        """Wait for what goes on although its caller went away."""


def load_sdk() -> None:
    """Import the SDK, which the first message of an agent does: it is in memory before anything is debited."""
    for name in (
        "mcp_types",
        "mcp.server.lowlevel",
        "mcp.server.stdio",
        "mcp.server.streamable_http_manager",
    ):
        import_module(name)


def server_for(desk: Desk) -> Server[Any]:
    """Return the server of one analyst."""
    import mcp_types as types
    from mcp.server.lowlevel import Server

    async def listed(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(each) for each in tools()])

    async def called(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            tool = tool_named(params.name)
            return _answer(await _answered(desk, tool, tool.check(params.arguments or {})))
        except Exception as error:  # every refusal is an answer, and a defect is a constant sentence
            return _refusal(desk.problem(error))

    return Server(
        "edgedp",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )


async def _answered(desk: Desk, tool: Tool, given: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of a tool; a mapping, as structured content must be."""
    if tool.kind is not None:
        graph, key, plan_id = (text_in(given, name) for name in ("graph", "idempotency_key", "plan_id"))
        own = ("graph", "idempotency_key", "plan_id")
        options = {name: value for name, value in given.items() if name not in own}
        return await desk.release(tool.kind, graph, options, key, plan_id)
    match tool.name:
        case "graphs":
            return await desk.read(lambda asking: {"graphs": asking.graphs()})
        case "budget" | "attributes":
            graph = text_in(given, "graph")
            if tool.name == "budget":
                return await desk.read(lambda asking: asking.budget(graph))
            return await desk.read(lambda asking: {"attributes": asking.attributes(graph)})
        case "plan":
            words = tuple(kind.kind for kind in release_kinds())
            word = check_choice(given["kind"], "kind", words)
            kind = next(each for each in release_kinds() if each.kind == word)
            if not isinstance(given["options"], Mapping):
                raise ParameterError("options must be an object; give the options by name")
            return await desk.plan(
                kind, text_in(given, "graph"), dict(given["options"]), text_in(given, "idempotency_key")
            )
        case "releases":
            return await desk.read(lambda asking: _page(asking, given))
        case "release":
            release_id = text_in(given, "release_id")
            return await desk.read(lambda asking: asking.release(release_id))
        case _:
            raise AssertionError(tool.name)


def _page(asking: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    limit = limit_in(given)
    name, since = (None if given.get(key) is None else text_in(given, key) for key in ("graph", "since"))
    rows = asking.releases(name, limit + 1, since)
    more = len(rows) > limit
    return {"releases": rows[:limit], "next": rows[limit - 1]["release_id"] if more else None}


def _described(tool: Tool) -> types.Tool:
    import mcp_types as types

    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.kind is None,
            destructive_hint=tool.kind is not None,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def _answer(found: dict[str, Any]) -> types.CallToolResult:
    import mcp_types as types

    return types.CallToolResult(
        content=[types.TextContent(text=json.dumps(found)), types.TextContent(text=DATA)],
        structured_content=found,
    )


def _refusal(problem: Problem) -> types.CallToolResult:
    import mcp_types as types

    return types.CallToolResult(
        content=[types.TextContent(text=problem.detail)], structured_content=problem.body(), is_error=True
    )
