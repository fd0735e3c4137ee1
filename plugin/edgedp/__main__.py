"""``python -m edgedp``: the command line, where its command is not on the path."""

from edgedp.cli import main

main()
