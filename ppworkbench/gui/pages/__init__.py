"""The pages in the order of the work; each can be run alone."""
