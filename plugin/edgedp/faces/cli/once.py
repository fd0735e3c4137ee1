"""Commands that take an option once: click takes the last of two values, and would pay for it without a word.

Options of ``edgedp`` itself stand before the command; one that stands behind it is refused with where it belongs.
"""

from __future__ import annotations

from collections import Counter

import click


class _Once(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse a command line; refuse one that gives an option again of which there is one value."""
        try:
            return self._parsed(ctx, args)
        except click.NoSuchOption as error:
            if error.option_name in _before(ctx):
                raise click.UsageError(
                    f"{error.option_name} belongs before the command; write it right after 'edgedp'", ctx
                ) from None
            raise

    def _parsed(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:  # the shell completes
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            for param, times in Counter(order).items():
                if times > 1 and isinstance(param, click.Option) and _is_once(param):
                    flags = "/".join([param.opts[0], *param.secondary_opts])
                    raise click.UsageError(f"{flags} is given {times} times; give it once", ctx)
        return super().parse_args(ctx, args)


def _before(ctx: click.Context) -> set[str]:
    """Return the options that stand before every command."""
    return {name for param in ctx.find_root().command.params for name in param.opts}


def _is_once(option: click.Option) -> bool:
    """Tell whether a second time may say another thing: a flag without its contrary says the same."""
    return not option.multiple and (not option.is_flag or bool(option.secondary_opts))


class Command(_Once):
    """A command of the command line."""


class Group(_Once, click.Group):
    """A command with commands below it, which are of these classes, too."""

    command_class = Command
    group_class = type
