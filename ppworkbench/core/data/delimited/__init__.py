"""Delimited text: its encoding, how it is laid out, and reading and writing it."""
