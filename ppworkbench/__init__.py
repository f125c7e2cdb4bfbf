"""Design, apply and undo the random distortion of survey answers."""

__version__ = "0.1.0"
