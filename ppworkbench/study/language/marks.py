"""Marks for those who collect the texts of the program."""

from __future__ import annotations


def later(words: str, meaning: str = "") -> str:  # noqa: ARG001
    """Mark a text that is translated when it is shown, because it is written before that.

    ``meaning`` is the one that :func:`~ppworkbench.gui.language.text.tr` is given there.
    """
    return words
