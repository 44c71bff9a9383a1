"""Words for users: counts and names as parts of a sentence, messages that name options."""
