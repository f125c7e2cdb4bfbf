"""Frequent itemsets and rules: the question, its items, and the runs that a study keeps."""
