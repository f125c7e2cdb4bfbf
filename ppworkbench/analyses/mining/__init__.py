"""Itemsets and rules of a study: their items, the runs, and what is listed of them."""
