"""Charts: what they show is data, how they look is told by the roles of the data."""
