"""What a client sends to a gateway: options as JSON has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgedp.release.conditions import conditions_given, where_of
from edgedp.stores.releases.trial import check_engine
from edgedp.words.errors import EngineError
from edgedp.words.vocabulary import GRAPH_ENGINES, ReleaseEngine


def body_of(options: Mapping[str, Any], engine: ReleaseEngine) -> dict[str, Any]:
    """Return the body of a release or of an estimate.

    Raises
    ------
    EngineError
        A gateway has no such engine.
    """
    check_engine(engine, "priv_top_k")
    if engine not in GRAPH_ENGINES:
        raise EngineError(
            f"engine is {engine!r}, must be native or igraph for a release from a gateway; ask without it"
        )
    given = plain_options(options)
    return given if engine == "native" else given | {"engine": engine}


def plain_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are given as JSON has them."""
    given = {name: plain(value) for name, value in options.items() if name != "where" and value is not None}
    found = where_of(conditions_given(options.get("where")))
    return given | ({"where": found} if found else {})


def plain(value: Any) -> Any:
    """Return an option as JSON has it: numbers of numpy and decimals as they are written."""
    if isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return str(value)
