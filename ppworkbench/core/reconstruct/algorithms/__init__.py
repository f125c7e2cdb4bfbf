"""The estimators of a distribution: one file for each algorithm."""
