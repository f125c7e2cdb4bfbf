"""Asking people: questionnaires, cards and kits, what comes back, and a rehearsal of it all."""
