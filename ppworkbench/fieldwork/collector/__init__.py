"""A small server that takes the answers of questionnaire pages, and what controls it."""
