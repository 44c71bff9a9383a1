"""Tables that come in batches of rows: larger than memory, in many files, or on other machines."""
