"""Before a survey: how many people it needs, which device, how much privacy for which question."""
