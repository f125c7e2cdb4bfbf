"""What kind each column of a file is, judged by its cells, and how cells become answers."""
