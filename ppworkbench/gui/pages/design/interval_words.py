"""Names of published intervals, short enough to be read."""

from __future__ import annotations

import re

from ppworkbench.gui.language.text import told

_LONG = re.compile(r"\d+\.\d{4,}")


def interval_words(label: str) -> str:
    """An interval in the language of the window, its borders with six digits at most.

    >>> interval_words("0 to 2142.85714285714"), interval_words("18 to 24")
    ('0 to 2142.86', '18 to 24')
    """
    return told(_LONG.sub(lambda found: f"{float(found[0]):.6g}", label))
