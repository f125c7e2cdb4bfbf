"""Spaces at the ends of a value, made visible."""

from __future__ import annotations


def visible_spaces(value: str) -> str:
    """A value whose spaces at the ends can be seen; many look-alikes differ in nothing else.

    >>> visible_spaces(" yes")
    '␣yes'
    """
    inner = value.strip(" ")
    before = len(value) - len(value.lstrip(" "))
    return "␣" * before + inner + "␣" * (len(value) - before - len(inner))
