"""Numba kernels of the discrete family: arrays in, arrays out. Imported on first use."""
