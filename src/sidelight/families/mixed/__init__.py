"""Numbers and categories together: blocks of indicators, their tests and score."""
