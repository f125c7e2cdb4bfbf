"""Distort a column again and again, reconstruct it, and follow how the estimate comes about."""
