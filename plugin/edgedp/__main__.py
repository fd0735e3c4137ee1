"""``python -m edgedp``: the command line, where its command is not on the path."""

from edgedp.faces.cli import main

main()
