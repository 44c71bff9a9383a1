"""What a user is told when an input cannot be used: which value, and what would be accepted."""


class InputError(ValueError):
    """An input that cannot be used. The message names the culprit and says what would be accepted."""


class AnswerError(RuntimeError):
    """A conditional-independence test raised, or returned something that is not a p-value."""
