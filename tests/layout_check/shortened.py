"""Finds headings and readings that end in dots, because their words have no room.

A tooltip tells the rest, so nothing is lost; but a heading that must be pointed at to be read is
none, and a reading that is cut does not say what a number means.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QWidget

from layout_check.fault import Fault, fault, seen_in
from ppworkbench.gui.widgets.card import ReadoutCard
from ppworkbench.gui.widgets.labels import ElidedLabel

HEADINGS = frozenset({"title", "subtitle", "strong", "label"})
"""The styles of type that name a page, a card, a list entry or a control.

What comes from data (captions, hints, names of columns) may be longer than any room.
"""


def shortened_texts(root: QWidget) -> Iterator[Fault]:
    """Headings and readings in a widget that do not show all of their words."""
    for widget in seen_in(root):
        if isinstance(widget, ElidedLabel):
            if widget.property("type") in HEADINGS and widget.is_shortened:
                yield _short(widget, "heading", widget.words(), widget.fontMetrics())
        elif isinstance(widget, ReadoutCard):
            yield from _painted(widget)


def _short(widget: QWidget, kind: str, words: str, metrics: QFontMetrics) -> Fault:
    needed = QSize(metrics.horizontalAdvance(words), metrics.height())
    return fault(f"shortened {kind}", widget, words, needed)


def _painted(card: ReadoutCard) -> Iterator[Fault]:
    """What a card shortens while it is painted; its label is the heading of its number."""
    with _watch_elision() as cut:
        card.grab()
    for words in cut:
        # Painting may lay other widgets out, which shorten words of their own.
        if words == card.label:
            yield _short(card, "heading", words, card.fontMetrics())
        elif card.reading.endswith(words):
            yield _short(card, "reading", words, card.fontMetrics())


@contextmanager
def _watch_elision() -> Iterator[list[str]]:
    cut: list[str] = []
    elide = QFontMetrics.elidedText

    def watched(
        metrics: QFontMetrics, words: str, mode: Qt.TextElideMode, width: int, flags: int = 0
    ) -> str:
        shown = elide(metrics, words, mode, width, flags)
        if shown != words:
            cut.append(words)
        return shown

    with patch.object(QFontMetrics, "elidedText", watched):
        yield cut
