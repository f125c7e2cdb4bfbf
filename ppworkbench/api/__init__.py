"""The public Python interface: what ``import ppworkbench`` offers, and the command line uses."""

HALF_WIDTH = 0.05
"""The precision for which people are counted where nobody says it."""
