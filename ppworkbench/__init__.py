"""Design and analyse randomised surveys."""

__version__ = "0.1.0"
