"""Errors for users: which value cannot be used, and what would be accepted."""


class InputError(ValueError):
    """An input that cannot be used. The message names the offending value and says what would be accepted."""


class AnswerError(RuntimeError):
    """A conditional-independence test answered something that is not a p-value."""
