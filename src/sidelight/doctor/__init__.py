"""The data doctor: everything that is wrong or doubtful about a table, all at once, each with its remedy."""
