"""The parts of the ``sidelight`` command, one file for each group of commands."""
