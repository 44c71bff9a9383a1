"""How sure: graphs learned from resamples of the rows, and how often they agree on edges and arrows."""
