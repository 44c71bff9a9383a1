"""Names and counts as parts of a sentence."""
