"""Parts of the decision tree: counting, reconstruction, tests, routing, pruning, drawing."""
