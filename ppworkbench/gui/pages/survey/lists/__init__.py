"""The view of lists on the Survey page."""
