"""The public Python interface: what ``import ppworkbench`` offers, and the command line uses."""

RESPONDENTS = 1_000
"""How many people a design is measured for where nobody says it."""
HALF_WIDTH = 0.05
"""The precision for which people are counted where nobody says it."""
POINTS = 12
"""Levels of privacy of a frontier where nothing is said."""
