"""The sentence that goes along with whatever leaves the window while answers are invented."""

from __future__ import annotations

from ppworkbench.gui.language import tr


class _Note:
    """There is one clipboard and one study in front, so there is one sentence; jobs read it."""

    words = ""


def set_invented_note(words: str) -> None:
    """Say what pictures, copies and files carry; empty for real answers."""
    _Note.words = words


def invented_words() -> str:
    """The sentence of now; empty for real answers."""
    return _Note.words


def marked_invented(words: str) -> str:
    """The name of a series or a column of answers, which says so where they are invented."""
    return tr("%s (simulated)") % words if invented_words() else words
