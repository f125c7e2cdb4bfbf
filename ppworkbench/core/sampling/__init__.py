"""How people were sampled: weights, strata and clusters, and what they do to standard errors."""
