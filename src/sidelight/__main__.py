"""``python -m sidelight`` is the ``sidelight`` command."""

from sidelight.cli.main import app

app()
