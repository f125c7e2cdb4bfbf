"""The editors of a mechanism: a matrix for answers, noise for numbers."""
