"""``python -m studies.reproduction``: signals are handled as the ``sidelight`` command handles them."""

from sidelight.cli.entry import main

if __name__ == "__main__":
    main("studies.reproduction.command")
