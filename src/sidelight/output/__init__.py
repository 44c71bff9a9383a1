"""A network for people and for other programs: files, pictures, the report, the terminal, other packages."""
