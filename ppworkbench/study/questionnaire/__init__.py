"""The questionnaire: its document, its edits, its wording."""
