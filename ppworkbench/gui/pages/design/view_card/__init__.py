"""The pictures of a design: trade-off, people and preview, with goals and advice."""
