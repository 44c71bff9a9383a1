"""Score-based search."""
