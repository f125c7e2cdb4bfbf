"""Folders of parts too large to load: opened as a sample, remembered by a study, counted."""
