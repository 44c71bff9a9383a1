"""Studies with sidelight that are no part of it: run from the root of the repository, never installed."""
