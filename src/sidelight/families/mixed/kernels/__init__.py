"""Numba kernels of the mixed family: arrays in, arrays out. Imported on first use."""
