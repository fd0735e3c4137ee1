"""What a client sends to a gateway: options as JSON has them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any
from urllib.parse import quote

from edgedp.mechanisms import checks
from edgedp.release.conditions import conditions_given, where_of
from edgedp.stores.releases.trial import check_engine
from edgedp.words.amounts.written import decimal_of
from edgedp.words.errors import EdgeDPError, EngineError, ParameterError
from edgedp.words.vocabulary import GRAPH_ENGINES, ReleaseEngine

_EXACT = (Decimal, Fraction)
_LONGEST_BITS = 10_000
"""A text of more digits is none that Python reads."""


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
    given = {
        name: plain(value, name) for name, value in options.items() if name != "where" and value is not None
    }
    found = _conditions(options.get("where"))
    return given | ({"where": found} if found else {})


def _conditions(where: Any) -> Any:
    """Return conditions as JSON has them; what is none goes as it is, so that an estimate can say why it is refused."""
    try:
        return where_of(conditions_given(where))
    except EdgeDPError:
        with suppress(TypeError, ValueError):
            if json.loads(json.dumps(where, allow_nan=False)) == where:
                return where
        raise


def plain(value: Any, name: str) -> Any:
    """Return an option as JSON has it: numbers of numpy and decimals as they are written.

    Raises
    ------
    ParameterError
        It is a number that JSON has no way to write, or would be a node's id there and is none.

    Examples
    --------
    >>> plain(Decimal("0.10"), "epsilon"), plain((Fraction(1, 2), 1), "weights")
    ('0.10', [0.5, 1])
    """
    if isinstance(value, float) and not isfinite(value):
        raise ParameterError(f"{name} is {value}, must be finite; write a decimal such as 0.5")
    if isinstance(value, int) and value.bit_length() > _LONGEST_BITS:
        raise ParameterError(f"{name} is a number of thousands of digits; give a smaller one")
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(_written(each, name), name) for each in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist(), name)
    if name in ("node", "pair"):  # as a text it would name another node
        raise ParameterError(f"{name} is {value!r}, must be a node id, an integer or a text; name a node")
    return str(decimal_of(value) if name == "epsilon" and isinstance(value, Fraction) else value)


def _written(value: Any, name: str) -> Any:
    """Return a value of a list; one that is exact as a float, of which weights are made."""
    if not isinstance(value, _EXACT) or name == "pair":
        return value
    try:
        return float(value)
    except OverflowError:
        raise ParameterError(f"{name} holds a number beyond the floats; give other {name}") from None


def content_of(body: Mapping[str, Any]) -> bytes:
    r"""Return a body as it is sent: as short as it can be, for a gateway limits it; escaped where no UTF-8 says it.

    Examples
    --------
    >>> content_of({"node": "Zo\u00eb", "k": 1}).decode(), content_of({"node": "\ud800"})
    ('{"node":"Zo\xeb","k":1}', b'{"node": "\\ud800"}')
    """
    try:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(body).encode("ascii")


def part_of(name: object) -> str:
    """Return a name as a part of an address; dots alone would be another place, and are none as they are written here.

    Examples
    --------
    >>> part_of("a/b"), part_of(".."), part_of("ann.large")
    ('a%2Fb', '%2E%2E', 'ann.large')
    """
    part = quote(checks.check_text(name, "name"), safe="")
    return part if part.strip(".") else part.replace(".", "%2E")


def key_of(request_id: str) -> str:
    """Return a request id, which stands in a header; one that a header changes is refused."""
    if checks.check_request_id(request_id) != request_id.strip():
        raise ParameterError("request_id has space around it; leave the space out")
    return request_id
