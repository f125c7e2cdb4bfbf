"""Demonstrations over the live pages."""
