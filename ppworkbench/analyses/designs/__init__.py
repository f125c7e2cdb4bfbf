"""What the design of a question means: its figures, its devices and arms, and its trade-off."""
