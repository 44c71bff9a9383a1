"""``python -m sidelight`` is the ``sidelight`` command."""

from sidelight.cli import app

app()
