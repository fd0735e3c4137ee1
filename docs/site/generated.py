"""Pages that are made of the code: every command, from click, and the Python reference, from docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

import edgedp
from edgedp.faces.cli import edgedp as command_line

__all__ = ["api_pages", "command_page", "commands"]


# -- commands -------------------------------------------------------------------------------------------------


def commands(group: click.Group = command_line, name: str = "edgedp") -> Iterator[tuple[str, click.Command]]:
    """Yield every command that does something with the words that call it."""
    for word, command in group.commands.items():
        if command.hidden:
            continue
        if isinstance(command, click.Group):
            if command.invoke_without_command:
                yield f"{name} {word}", command
            yield from commands(command, f"{name} {word}")
        else:
            yield f"{name} {word}", command


def command_page() -> str:
    """Return the page of all commands."""
    lines = ["# Commands", "", "As `--help` tells it: made of the commands themselves.", ""]
    lines += ["## edgedp", "", *_command("edgedp", command_line)]
    for name, command in commands():
        lines += [f"## {name}", "", *_command(name, command)]
    return "\n".join(lines)


def _command(name: str, command: click.Command) -> Iterator[str]:
    with click.Context(command, info_name=name) as context:
        pieces = command.collect_usage_pieces(context)
        yield f"```text\n{' '.join([name, *pieces])}\n```\n"
        for paragraph in inspect.cleandoc(command.help or "").partition("\f")[0].split("\n\n"):
            if paragraph.startswith("\b"):
                yield f"```text\n{paragraph.lstrip(chr(8)).strip()}\n```\n"
            else:
                yield f"{_escaped(paragraph)}\n"
        rows = [record for each in command.get_params(context) if (record := each.get_help_record(context))]
        if rows:
            yield "| option | what it does |\n|---|---|"
            for words, said in rows:
                yield f"| `{words.replace('|', chr(92) + '|')}` | {_escaped(said)} |"
            yield ""
        if command.epilog:
            yield f"```text\n{inspect.cleandoc(command.epilog).lstrip(chr(8)).strip()}\n```\n"


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it stands."""
    for mark in "\\`*_<>|[]$":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())


# -- Python -----------------------------------------------------------------------------------------------------


def api_pages() -> dict[str, str]:
    """Return the pages of the Python reference by their paths."""
    functions = [name for name in edgedp.__all__ if inspect.isfunction(getattr(edgedp, name))]
    errors = [name for name in edgedp.__all__ if _is_error(getattr(edgedp, name))]
    pages = {
        "functions": ("Functions", [f".. autofunction:: edgedp.{name}" for name in functions]),
        "graph": ("Graph", [".. autoclass:: edgedp.Graph\n   :members:"]),
        "release": ("Release", [".. autoclass:: edgedp.Release\n   :members:"]),
        "store": ("Store", [".. autoclass:: edgedp.Store\n   :members:\n   :inherited-members:"]),
        "errors": ("Errors", [f".. autoexception:: edgedp.{name}" for name in errors]),
    }
    for name in ("exact", "mechanisms", "quality", "spark"):
        module = getattr(edgedp, name)
        directives = [f".. autofunction:: edgedp.{name}.{each}" for each in module.__all__]
        pages[name] = (f"edgedp.{name}", [f".. automodule:: edgedp.{name}", *directives])
    made = {f"api/{name}.rst": _page(title, parts) for name, (title, parts) in pages.items()}
    listed = "\n".join(f"   {name}" for name in pages)
    toctree = f".. toctree::\n   :maxdepth: 1\n\n{listed}"
    made["api/index.rst"] = _page("Python", ["As the docstrings tell it.", toctree])
    return made


def _is_error(member: object) -> bool:
    return isinstance(member, type) and issubclass(member, Exception)


def _page(title: str, parts: list[str]) -> str:
    return "\n\n".join([f"{title}\n{'=' * len(title)}", *parts, ""])
