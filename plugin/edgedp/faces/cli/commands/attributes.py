"""The command that declares a property of the nodes."""

from __future__ import annotations

import click

from edgedp.faces.cli.numerals import WHOLE
from edgedp.faces.cli.once import Command
from edgedp.faces.cli.opening import opened_store
from edgedp.faces.cli.output import format_option, print_rows
from edgedp.words.amounts.written import decimal_of
from edgedp.words.errors import ParameterError
from edgedp.words.places import expanded


@click.command(cls=Command)
@click.argument("name")
@click.option("--property", "named", metavar="P", help="The property to declare; without it, list them.")
@click.option("--low", metavar="L", help="Values below it are clipped to it.")
@click.option("--high", metavar="H", help="Values above it are clipped to it.")
@click.option(
    "--grid",
    metavar="linear|geometric|FILE",
    default="linear",
    show_default=True,
    help="The points that an answer is one of; a file holds one in each line.",
)
@click.option("--points", metavar="N", type=WHOLE, help="For linear and geometric.  [default: 1001]")
@click.option(
    "--depends-on",
    metavar="WORD",
    default="independent",
    show_default=True,
    help="independent: of only its node's own record; degree: of the node's own degree too.",
)
@format_option
def attribute(
    name: str,
    named: str | None,
    low: str | None,
    high: str | None,
    grid: str,
    points: int | None,
    depends_on: str,
    output: str,
) -> None:
    """Declare a property of the nodes: its public range and grid; or list what is declared.

    Range and grid are public: never read them off the values. What follows from other nodes is refused (edges), and
    what follows from the node's own degree debits the edges too, twice.
    """
    with opened_store() as store:
        if named is None:
            if low is not None or high is not None:
                raise ParameterError("the property is missing; give --property")
            rows = store.attributes(name)
        else:
            points_given = _grid(grid)
            rows = [
                store.attribute(
                    name, named, _bound(low, "low"), _bound(high, "high"), points_given, points, depends_on
                )
            ]
    print_rows(rows, output, ["property", "low", "high", "grid", "points", "depends_on"])


def _bound(value: str | None, name: str) -> float:
    if value is None:
        raise ParameterError(f"{name}, a public end of the range, is missing; give --{name}")
    number = decimal_of(value)
    if number is None:
        raise ParameterError(f"{name} is {value!r}, must be a number; give another")
    return float(number)


def _grid(given: str) -> str | list[float]:
    """Return the kind of a grid, or the points of a file."""
    if given in ("linear", "geometric"):
        return given
    try:
        words = expanded(given, "grid").read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError):
        raise ParameterError(
            f"grid is {given!r}, must be linear, geometric or a file of points; check the path"
        ) from None
    numbers = [decimal_of(word) for word in words]
    if None in numbers:
        raise ParameterError(f"grid is {given!r}, a file that must hold only numbers; correct it")
    return [float(number) for number in numbers if number is not None]
