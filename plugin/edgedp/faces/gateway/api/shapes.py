"""OpenAPI schemas as short as what they say: a record of fields, a list, a text, one of several words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Shape = dict[str, Any]

WORD: Shape = {"type": "string", "minLength": 1}
NUMBER: Shape = {"type": "number"}
WHOLE: Shape = {"type": "integer"}
FLAG: Shape = {"type": "boolean"}


def record(fields: Mapping[str, Shape], *, closed: bool = False, **more: Any) -> Shape:
    """Return the schema of an object; a field whose name ends in a question mark may be left out.

    Parameters
    ----------
    closed : bool
        Whether other fields are refused, as in a body.
    **more
        What else it says, such as a description.

    Examples
    --------
    >>> record({"name": WORD, "at?": text()})["required"]
    ['name']
    """
    made: Shape = {"type": "object"}
    if required := [name for name in fields if not name.endswith("?")]:
        made["required"] = required
    if closed:
        made["additionalProperties"] = False
    return made | {"properties": {name.removesuffix("?"): shape for name, shape in fields.items()}} | more


def several(shape: Shape, **more: Any) -> Shape:
    """Return the schema of a list."""
    return {"type": "array", "items": shape} | more


def row(*shapes: Shape) -> Shape:
    """Return the schema of a list whose places are of different kinds."""
    return {"type": "array", "prefixItems": [*shapes]}


def text(description: str | None = None, **more: Any) -> Shape:
    """Return the schema of a text."""
    return {"type": "string"} | ({} if description is None else {"description": description}) | more


def word_of(*words: str, **more: Any) -> Shape:
    """Return the schema of one of some words."""
    return {"enum": [*words]} | more


def or_null(shape: Shape) -> Shape:
    """Return the schema of what may be missing."""
    return shape | {"type": [shape["type"], "null"]}


def called(name: str) -> Shape:
    """Return a reference to a schema by its name."""
    return {"$ref": f"#/components/schemas/{name}"}
