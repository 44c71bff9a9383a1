"""How sure: graphs of resamples of the rows, and of several significance levels, beside the one that was learned."""
