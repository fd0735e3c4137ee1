"""Numbers of the command line, by the one rule of `edgedp.words.amounts.written`."""

from __future__ import annotations

from typing import Any

import click

from edgedp.words.amounts.written import decimal_of, whole_of


class _Whole(click.types.IntParamType):
    """A whole number; click's own takes ``1_0`` for 10."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        _check_written(self, value, whole_of, param, ctx)
        return super().convert(value, param, ctx)


class WholeRange(click.IntRange):
    """A whole number of a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or refuse it in one line."""
        _check_written(self, value, whole_of, param, ctx)
        return super().convert(value, param, ctx)


class _Decimal(click.types.FloatParamType):
    """A number; click's own takes ``infinity`` and ``1_0``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        _check_written(self, value, decimal_of, param, ctx)
        return super().convert(value, param, ctx)


def _check_written(
    kind: click.types.IntParamType | click.types.FloatParamType | click.IntRange,
    value: Any,
    read: Any,
    param: click.Parameter | None,
    ctx: click.Context | None,
) -> None:
    if isinstance(value, str) and read(value) is None:
        kind.fail(f"{value[:200]!r} is not a valid {kind.name}.", param, ctx)


WHOLE = _Whole()
DECIMAL = _Decimal()
