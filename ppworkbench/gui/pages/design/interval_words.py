"""Names of published intervals, short enough to be read."""

from __future__ import annotations

from ppworkbench.core.message import Message
from ppworkbench.gui.language.text import told


def interval_words(label: str) -> str:
    """An interval in the language of the window, its borders without endless decimals.

    >>> interval_words(Message("{low:.15g} to {high:.15g}", low=0, high=15000 / 7))
    '0 to 2142.86'
    """
    if isinstance(label, Message):
        label = label.with_(**{name: _short(end) for name, end in label.args.items()})
    return told(label)


def _short(end: object) -> object:
    is_short = not isinstance(end, float) or round(end, 3) == end
    return end if is_short else float(f"{end:.6g}")
