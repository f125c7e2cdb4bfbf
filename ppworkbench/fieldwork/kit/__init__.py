"""The deployment kit: one questionnaire for cards, paper and survey platforms, and the way back."""
