"""Planning a survey: what n people can show, which questions decide, and what a device costs."""

RESPONDENTS = 1_000
"""How many people a design is measured for where nobody says it."""
