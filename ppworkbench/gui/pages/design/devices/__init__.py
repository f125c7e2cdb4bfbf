"""The devices by which answers are randomised on paper, and their cards."""
