"""What a design tells about single answers and what it costs: one measure per file."""
