"""Statistics of the true answers, a file for each: what is asked, estimated and found."""
