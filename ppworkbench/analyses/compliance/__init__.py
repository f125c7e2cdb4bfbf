"""Whether people followed the instructions: the question, its models, and the answer."""
