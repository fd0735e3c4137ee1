"""Commands' options made of what may be asked (`edgedp.release.options`): flags, words, help, shell completion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import click

from edgedp.faces.cli.estimating import estimate_shown
from edgedp.faces.cli.numerals import DECIMAL, WHOLE
from edgedp.faces.cli.output import format_option
from edgedp.mechanisms import checks
from edgedp.release.options import Option, Options
from edgedp.words.vocabulary import ENGINES, RELEASE_ENGINES, SPARK_KINDS

_NUMBERS: dict[Any, Any] = {int: WHOLE, float: DECIMAL}
"""The one rule of numbers in place of click's own."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Word(click.Choice[str]):
    """One of a closed list of words, completed by the shell; another is refused with the nearest one."""

    def __init__(self, name: str, choices: Sequence[str]) -> None:
        super().__init__(choices)
        self._called = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word; the refusal is that of Python, of exit status 1."""
        return checks.check_choice(value, self._called, list(self.choices))

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """Return the words, on the line that says that one is missing."""
        return f"Choose one of {', '.join(self.choices)}"


def release_options(asked: type[Options]) -> Callable[[_Command], _Command]:
    """Add the options of a kind of release, and those that every release has, to a command."""
    options = [
        *(_click_option(option) for option in asked.described()),
        *([_engines(RELEASE_ENGINES if asked.KIND in SPARK_KINDS else ENGINES)] if asked.COMPUTES else []),
        click.option(
            "--request-id", metavar="R", help="Asking again with it returns the kept release, free."
        ),
        click.option(
            "--dry-run",
            is_flag=True,
            help="Say what it would cost and whether it would be refused; spend nothing.",
        ),
        format_option,
    ]

    def decorate(command: _Command) -> _Command:
        @wraps(command)
        def released_or_estimated(name: str, dry_run: bool, **given: Any) -> Any:
            if not dry_run:
                return command(name=name, **typed_ids(given))
            return estimate_shown(asked, name, typed_ids(given))

        made: Any = released_or_estimated
        for option in reversed(options):
            made = option(made)
        return cast("_Command", made)

    return decorate


def typed_ids(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return options whose node ids stand as they were typed: they name what is written so, text or integer."""
    from edgedp.release.plan.named import TypedId

    given = dict(asked)
    if type(given.get("node")) in (str, int):
        given["node"] = TypedId(given["node"])
    if isinstance(given.get("pair"), (list, tuple)):
        given["pair"] = tuple(map(TypedId, given["pair"]))
    return given


def engine_option(command: _Command) -> _Command:
    """Add ``--engine`` to a command."""
    return _engines(ENGINES)(command)


def _engines(words: Sequence[str]) -> Callable[[_Command], _Command]:
    return click.option(
        "--engine",
        type=Word("engine", words),
        default="native",
        show_default=True,
        help="What computes; never what is drawn.",
    )


def _click_option(option: Option) -> Callable[[_Command], _Command]:
    if option.number is bool:
        return click.option(option.flag, option.name, is_flag=True, help=option.help)
    singular = option.flag.lstrip("-").replace("-", "_")
    optional = {} if option.required or option.many else {"default": option.default}
    metavar = " ".join(option.metavars) or singular[0].upper()
    return click.option(
        option.flag,
        option.name,
        type=_NUMBERS.get(option.number, option.number)
        if option.choices is None
        else Word(singular, option.choices),
        metavar=None if option.choices is not None or option.number is int else metavar,
        nargs=max(len(option.metavars), 1),
        required=option.required,
        multiple=option.many,
        show_default=option.default is not None,
        help=option.help,
        **optional,
    )
