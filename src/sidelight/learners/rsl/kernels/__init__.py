"""Numba kernels of RSL on correlations: arrays in, arrays out. Imported on first use."""
