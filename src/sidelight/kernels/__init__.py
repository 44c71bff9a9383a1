"""All numba kernels: arrays in, arrays out. Imported on first use, compiled once and cached on disk."""

# The share of a variable's variance below which it counts as fully determined by others: above what rounding leaves
# of an exact combination, below what the strong effects of the paper's simulated data leave.
DETERMINED = 1e-14
