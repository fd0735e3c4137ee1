"""Commands that take an option once: click takes the last of two values, and would pay for it without a word."""

from __future__ import annotations

from collections import Counter

import click


class _Once(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse a command line; refuse one that gives an option again of which there is one value."""
        if not ctx.resilient_parsing:  # the shell completes
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            for param, times in Counter(order).items():
                if times > 1 and isinstance(param, click.Option) and not (param.multiple or param.is_flag):
                    raise click.UsageError(f"{param.opts[0]} is given {times} times; give it once", ctx)
        return super().parse_args(ctx, args)


class Command(_Once):
    """A command of the command line."""


class Group(_Once, click.Group):
    """A command with commands below it, which are of these classes, too."""

    command_class = Command
    group_class = type
