"""Statistics of distorted answers: counts, means, distributions, tables and participants."""
