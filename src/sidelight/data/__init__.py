"""Data to learn from: so far, the structures that come with the package."""
