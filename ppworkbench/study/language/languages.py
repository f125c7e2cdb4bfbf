"""The languages of the program."""

from __future__ import annotations

ENGLISH = "en"
"""The language of the source, and of whatever has no other text."""
LANGUAGES = {ENGLISH: "English", "pl": "Polski"}
"""Codes, and what the languages are called by those who speak them."""
