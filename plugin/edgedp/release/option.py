"""One option, as faces need it, and the options of a kind of release, made of the types of a class."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from inspect import Parameter, signature
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    Self,
    TypedDict,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from edgedp.mechanisms import checks
from edgedp.mechanisms.values import spelled
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import Kind

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """One option of a kind of release, as faces need it.

    Attributes
    ----------
    name : str
        In Python.
    flag : str
        On the command line.
    required : bool
    default : object
        None where a public rule of the plan gives it.
    choices : tuple of str, optional
        The words that there are; None where it is no word.
    many : bool
        Whether it is a list.
    number : type, optional
        ``int`` or ``float`` where it is such a number; an epsilon is a decimal as it was written, so a text.
        ``bool`` where it is a switch.
    help : str
    metavars : tuple of str
        What stands for its values in the help, where they are several at once, as the two of a pair.
    """

    name: str
    flag: str
    required: bool
    default: Any
    choices: tuple[str, ...] | None
    many: bool
    number: type | None
    help: str
    metavars: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The name in a procedure's configuration: in camelCase."""
        head, *rest = self.name.split("_")
        return head + "".join(part.capitalize() for part in rest)


@dataclass(frozen=True)
class About:
    """What stands beside the type of an option; the flag is made of the name, and words come from the type."""

    help: str
    flag: str | None = None
    choices: Callable[[], tuple[str, ...]] | None = None
    metavars: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a kind of release, as they were asked for, and what faces call the kind."""

    KIND: ClassVar[Kind]
    COMMAND: ClassVar[str]
    TITLE: ClassVar[str]
    SAYS: ClassVar[str]
    """What it releases, in a line for a terminal of 80 columns."""
    PROTECTS: ClassVar[str] = "It is edge-differentially private."
    EXAMPLE: ClassVar[Mapping[str, Any]]
    """A request, as help and documents show it."""
    COMPUTES: ClassVar[bool] = True
    """Whether an engine computes anything on the graph; where none does, there is none to choose."""

    @classmethod
    @cache  # reading types is slow, and a plan is made at every request
    def described(cls) -> tuple[Option, ...]:
        """Return what there is to know of every option, in order."""
        hints = get_type_hints(cls, include_extras=True)
        own_first = sorted(fields(cls), key=lambda each: each.name in DATED)
        return tuple(_described(each.name, hints[each.name], each.default) for each in own_first)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names in Python.

        Examples
        --------
        >>> DatedOptions.names()
        ('window', 'windows', 'where')
        """
        return tuple(option.name for option in cls.described())

    @classmethod
    def path(cls) -> str:
        """Return the last part of the kind's endpoint.

        Examples
        --------
        >>> from edgedp.release.options import TopKOptions
        >>> TopKOptions.path()
        'top-k'
        """
        return cls.KIND.removeprefix("priv_").replace("_", "-")

    @classmethod
    def flags(cls, asked: Mapping[str, Any]) -> list[str]:
        """Return options as the words of a command.

        Raises
        ------
        ParameterError
            One of the conditions cannot be written there (`edgedp.release.conditions.texts_of`).

        Examples
        --------
        >>> from edgedp.release.options import TopKOptions
        >>> TopKOptions.flags({"metric": "ebc", "k": 10, "estimates": True})
        ['--metric', 'ebc', '-k', '10', '--estimates']
        """
        described, words = {option.name: option for option in cls.described()}, []
        for name, value in asked.items():
            option = described[name]
            if option.number is bool:
                words += [option.flag] if value else []
                continue
            given = _texts_of(value) if isinstance(value, Mapping) else value
            items = [str(item) for item in given] if isinstance(given, list) else [str(given)]
            if len(option.metavars) == len(items):
                words += [option.flag, *items]
                continue
            for item in items:
                words += [option.flag, item]
        return words

    @classmethod
    def config_keys(cls) -> dict[str, str]:
        """Return the names in Python by the keys of a procedure's configuration.

        Examples
        --------
        >>> from edgedp.release.options import TopKOptions
        >>> TopKOptions.config_keys()["sensitivityForm"]
        'sensitivity_form'
        """
        return {option.key: option.name for option in cls.described()}

    @classmethod
    def given(cls, given: Mapping[str, Any]) -> Self:
        """Return the options given by their names; None is the default.

        Raises
        ------
        EdgeDPError
            An option is not known, or one without a default is missing.

        Examples
        --------
        >>> from edgedp.release.options import TopKOptions
        >>> TopKOptions.given({"metric": "ebc", "k": 1, "epsilon": "0.1", "mechanism": None}).mechanism is None
        True
        """
        given = spelled(given)
        checks.check_option_names(given, cls.names())
        asked = {name: value for name, value in given.items() if value is not None}
        for option in cls.described():
            if option.required and option.name not in asked:
                raise ParameterError(f"{option.name} is missing; give it")
            if option.number is bool and option.name in asked:
                checks.check_switch(asked[option.name], option.name)
        return cls(**asked)


@dataclass(frozen=True, kw_only=True)
class DatedOptions(Options):
    """The options of every release of edges: which windows of a calendar it reads, and which rows."""

    window: Annotated[
        str | None, About("For a graph with a calendar: the one window that is read, such as 2024-06.")
    ] = None
    windows: Annotated[
        str | Sequence[str] | None,
        About("The windows that are read, A..B.  [default: everything, at whatever time]"),
    ] = None
    where: Annotated[
        Sequence[str] | Mapping[str, Any] | None,
        About(
            "For a graph loaded with columns: a condition on its rows, such as 'amount>=1000'; all must hold."
        ),
    ] = None


DATED = tuple(each.name for each in fields(DatedOptions))
"""The options that say which windows, and which rows, are read."""


class Windows(TypedDict, total=False):
    """The windows and the rows that a release of a stored graph reads, as keywords."""

    window: str | None
    windows: str | Sequence[str] | None
    where: Sequence[str] | Mapping[str, Any] | None


def _texts_of(where: Mapping[str, Any]) -> list[str]:
    from edgedp.release.conditions import texts_of  # it imports numpy, and no help needs it

    return texts_of(where)


def spelled_out(asked: type[Options], words: Any) -> Callable[[_Function], _Function]:
    """Let a function that takes options as ``**`` show each of them: in help, documents and editors.

    Parameters
    ----------
    asked : type
        The options, which know the defaults.
    words : type
        The typed dictionary of those that the function takes as ``**``, which knows the types.
    """
    defaults = {each.name: each.default for each in fields(asked)}

    def decorate(function: _Function) -> _Function:
        found = signature(function)
        own = [each for each in found.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        taken = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=defaults[name], annotation=hint.__forward_arg__)
            for name, hint in words.__annotations__.items()
        ]
        function.__signature__ = found.replace(parameters=[*own, *taken])  # type: ignore[attr-defined]
        return function

    return decorate


def _described(name: str, hint: Any, default: Any) -> Option:
    typed, about = get_args(hint)
    many, words, number = _shape(typed)
    required = default is MISSING
    return Option(
        name=name,
        flag=about.flag or f"--{name.replace('_', '-')}",
        required=required,
        default=None if required else default,
        choices=about.choices() if about.choices is not None else words,
        many=many,
        number=number,
        help=about.help,
        metavars=about.metavars,
    )


def _shape(hint: Any) -> tuple[bool, tuple[str, ...] | None, type | None]:
    """Return whether a type is a list, which words it allows, and which number it is."""
    if get_origin(hint) in (Union, types.UnionType):
        parts = [_shape(part) for part in get_args(hint) if part is not types.NoneType]
        return parts[0][0], _joined(words for _, words, _ in parts), parts[0][2]
    if get_origin(hint) is Sequence:
        (item,) = get_args(hint)
        return (True, *_shape(item)[1:])
    if get_origin(hint) is Literal:
        return False, get_args(hint), None
    return False, None, hint if hint in (int, float, bool) else None


def _joined(words: Iterable[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    found = [part for part in words if part is not None]
    return tuple(word for part in found for word in part) if found else None
