"""Conditions on answers: their tests, the text that says them, and the values they hold for."""
