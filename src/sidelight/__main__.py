"""``python -m sidelight`` is the ``sidelight`` command."""

from sidelight.cli.entry import main

main()
