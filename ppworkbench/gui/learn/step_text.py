"""The text of a step as rich text: paragraphs, bold words, and numbers in their places."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

_BOLD = re.compile(r"\*\*(.+?)\*\*")
_NAMED = re.compile(r"\{([^{}]*)\}")


def rich(text: str, numbers: Mapping[str, str]) -> str:
    """Paragraphs with numbers filled in; those that are not known yet are dots.

    >>> rich("**Two** coins, and {n}.", {"n": "5"})
    '<p style="margin:0 0 8px 0"><b>Two</b> coins, and <b>5</b>.</p>'
    """
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        line = _BOLD.sub(r"<b>\1</b>", html.escape(" ".join(paragraph.split()), quote=False))
        line = _NAMED.sub(lambda found: f"<b>{numbers.get(found[1], '…')}</b>", line)
        parts.append(f'<p style="margin:0 0 8px 0">{line}</p>')
    return "".join(parts)


def plain(text: str, numbers: Mapping[str, str]) -> str:
    """One line of text with numbers filled in."""
    words = _BOLD.sub(r"\1", " ".join(text.split()))
    return _NAMED.sub(lambda found: numbers.get(found[1], "…"), words)
