"""The same request for other places: a command, Python, Cypher, HTTP."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from edgedp.faces.gateway.kinds import ReleaseKind
from edgedp.words.errors import ParameterError


def copies(kind: ReleaseKind, address: str, graph: str, options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what to copy: a title and a text each; no command where it cannot say the conditions.

    Examples
    --------
    >>> from edgedp.faces.gateway.kinds import kind_at
    >>> asked = {"metric": "ebc", "k": 10, "epsilon": "0.5"}
    >>> dict(copies(kind_at("top-k"), "https://gateway:8750", "email-Enron", asked))["Command"]
    'edgedp --store https://gateway:8750 topk email-Enron --metric ebc -k 10 --epsilon 0.5'
    """
    command = []
    with suppress(ParameterError):
        command.append(("Command", _command(kind, address, graph, options)))
    return [
        *command,
        ("Python", _python(kind, address, graph, options)),
        ("Cypher", _cypher(kind, graph, options)),
        ("HTTP", _http(kind, address, graph, options)),
    ]


def _command(kind: ReleaseKind, address: str, graph: str, options: Mapping[str, Any]) -> str:
    words = ["edgedp", "--store", address, kind.options.COMMAND, *([] if graph.startswith("-") else [graph])]
    words += kind.options.flags(options)
    return shlex.join(words + (["--", graph] if graph.startswith("-") else []))


def _python(kind: ReleaseKind, address: str, graph: str, options: Mapping[str, Any]) -> str:
    asked = "".join(f", {name}={value!r}" for name, value in options.items())
    return (
        f"import edgedp\n\nstore = edgedp.open_store({address!r})  # the token is in EDGEDP_TOKEN\n"
        f"release = store.{kind.kind}({graph!r}{asked})"
    )


def _cypher(kind: ReleaseKind, graph: str, options: Mapping[str, Any]) -> str:
    keys = {option.name: option.key for option in kind.described}
    family = "privTopk" if kind.kind == "priv_top_k" else kind.kind
    config = ", ".join(f"{keys[name]}: {_literal(value)}" for name, value in options.items())
    return f"CALL edgedp.{family}.stream({_literal(graph)}, {{{config}}})"


def _http(kind: ReleaseKind, address: str, graph: str, options: Mapping[str, Any]) -> str:
    place = f"{address}/v1/graphs/{quote(graph, safe='')}/{kind.path}"
    return (
        f'curl {shlex.quote(place)} -H "Authorization: Bearer $EDGEDP_TOKEN" \\\n'
        f"  -H 'Content-Type: application/json' -d {shlex.quote(json.dumps(dict(options)))}"
    )


def _literal(value: Any) -> str:
    """Return a value as Cypher writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_key(name)}: {_literal(each)}' for name, each in value.items())}}}"
    escaped = str(value).replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


def _key(name: str) -> str:
    return name if name.isidentifier() else f"`{name.replace('`', '``')}`"
