"""Generators of synthetic data: any size, the same numbers for the same seed."""
