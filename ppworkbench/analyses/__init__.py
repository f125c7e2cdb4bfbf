"""Questions about a study, and their answers."""
