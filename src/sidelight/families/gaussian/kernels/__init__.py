"""Numba kernels of the Gaussian family: arrays in, arrays out. Imported on first use."""
