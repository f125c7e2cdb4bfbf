"""A made-up language in which every translated text is in brackets, so that the rest stands out.

    python tests/marked_language.py [PAGE ...]

walks through the tour of the program in it and prints the texts that nobody has translated.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDialog,
    QGroupBox,
    QLabel,
    QLineEdit,
    QTabBar,
    QTableView,
    QWidget,
)

from ppworkbench.gui.application import make_application
from ppworkbench.gui.language import speech
from ppworkbench.gui.tour import View, take_tour
from ppworkbench.gui.tour.stops import STOPS, Stop
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.study.language import Catalogue
from ppworkbench.study.study import Study

OPEN, CLOSE = "⟦", "⟧"
_WORD = re.compile(r"[A-Za-z]{3,}")
_TAG = re.compile(r"<[^>]*>|https?://\S+|&[a-z]+;")


class MarkedCatalogue(Catalogue):
    """Puts brackets around everything it is asked for."""

    def __init__(self) -> None:
        super().__init__({})
        self.sentence = self.marked

    def marked(self, source: str) -> str:
        """The text in brackets; once is enough."""
        return source if not source or OPEN in source else f"{OPEN}{source}{CLOSE}"


def speak_marked() -> None:
    """Answer every ``tr()`` with brackets from now on."""
    speech.use("marked", MarkedCatalogue())


def bare_texts(top: QWidget, own: frozenset[str] = frozenset()) -> Iterator[tuple[str, str]]:
    """Visible texts with words outside of brackets, and whose they are.

    ``own`` are words that belong to the data: names of attributes, answers, files.
    """
    for widget in [top, *top.findChildren(QWidget)]:
        if widget.isVisibleTo(top):
            for text in texts_of(widget):
                if _is_bare(text, own):
                    yield f"{type(widget).__name__} {widget.objectName()}".strip(), text


def texts_of(widget: QWidget) -> Iterator[str]:
    """What a widget shows or tells."""
    if isinstance(widget, (QLabel, QAbstractButton)):
        yield widget.text()
    if isinstance(widget, QGroupBox):
        yield widget.title()
    if isinstance(widget, QLineEdit):
        yield widget.placeholderText()
    if isinstance(widget, QComboBox):
        yield from (widget.itemText(i) for i in range(widget.count()))
    if isinstance(widget, QTabBar):
        yield from (widget.tabText(i) for i in range(widget.count()))
    if isinstance(widget, QTableView) and widget.model() is not None:
        heads = widget.model()
        for at in range(heads.columnCount()):
            yield str(heads.headerData(at, Qt.Orientation.Horizontal) or "")
    yield widget.toolTip()
    yield widget.accessibleName()
    yield widget.accessibleDescription()
    yield from (action.text() for action in widget.actions() if isinstance(action, QAction))


def _is_bare(text: str, own: frozenset[str]) -> bool:
    left, depth = "", 0
    for sign in _TAG.sub(" ", text):
        depth += (sign == OPEN) - (sign == CLOSE)
        left += sign if depth == 0 else " "
    return any(word.lower() not in own for word in _WORD.findall(left))


def main(stops: list[str]) -> None:
    """Walk through the tour, or through the stops that are named, and print bare texts once."""
    make_application()
    speak_marked()
    # The tour asks for English; here it gets brackets.
    speech.choose = lambda choice: None  # type: ignore[method-assign]
    chosen = [stop for stop in STOPS if not stops or any(stop.name.startswith(s) for s in stops)]
    seen: set[str] = set()

    def look(window: MainWindow, stop: Stop) -> None:
        own = own_words(window.store.study)
        tops = [window, *(d for d in window.findChildren(QDialog) if d.isVisible())]
        for whose, text in (found for top in tops for found in bare_texts(top, own)):
            if text not in seen:
                seen.add(text)
                sys.stdout.write(f"{stop.name}: {whose}: {text}\n")

    with tempfile.TemporaryDirectory() as folder:
        take_tour(Path(folder), [View(1366, 768, "light")], chosen, visited=look)


def own_words(study: Study) -> frozenset[str]:
    """The words of the data, which stay as their owner wrote them."""
    texts = [study.title, "ppworkbench"]
    designed = [one.attribute for one in study.design.attributes]
    for attribute in [*designed, *(study.table.attributes if study.table is not None else ())]:
        texts += [attribute.name, attribute.label or "", *map(str, attribute.values or ())]
    return frozenset(word.lower() for text in texts for word in _WORD.findall(text))


if __name__ == "__main__":
    main(sys.argv[1:])
