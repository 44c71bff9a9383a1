"""A ``Network`` shown to a person."""
