"""Before and while answers come in: rehearsals, the ways out, and what people watch."""
