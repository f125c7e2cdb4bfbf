"""Regressions on the Survey page: what is explained by what, and the cards of the answer."""
