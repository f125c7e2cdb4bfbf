"""The sentence that goes along with whatever leaves the window while answers are invented."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.language import tr

_PAD = 6


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
    return tr("%s (invented)") % words if invented_words() else words


def grab_noted(widget: QWidget) -> QPixmap:
    """What a widget shows, with the sentence below it."""
    picture = widget.grab()
    words = invented_words()
    if not words:
        return picture
    ratio, more = picture.devicePixelRatio(), note_height(widget)
    noted = QPixmap(picture.width(), picture.height() + round(more * ratio))
    noted.setDevicePixelRatio(ratio)
    noted.fill(widget.palette().window().color())
    painter = QPainter(noted)
    painter.drawPixmap(0, 0, picture)
    draw_note(painter, widget)
    painter.end()
    return noted


def note_height(widget: QWidget) -> int:
    """The room below a picture of the widget that the sentence needs; 0 without one."""
    words = invented_words()
    if not words:
        return 0
    return _text_box(widget, words).height() + 2 * _PAD


def draw_note(painter: QPainter, widget: QWidget) -> None:
    """Write the sentence below the picture of a widget."""
    words, high = invented_words(), note_height(widget)
    if not words:
        return
    area = QRect(0, widget.height(), widget.width(), high)
    # A picture may be printed or put on any ground: the colours of the banner on paper.
    painter.fillRect(area, QColor("#FFF4DD"))
    painter.setPen(QColor("#6B4A00"))
    painter.setFont(_font(widget))
    inner = area.adjusted(_PAD, _PAD, -_PAD, -_PAD)
    painter.drawText(inner, Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft, words)


def _font(widget: QWidget) -> QFont:
    font = QFont(widget.font())
    font.setBold(True)
    return font


def _text_box(widget: QWidget, words: str) -> QRect:
    room = QRect(0, 0, max(widget.width() - 2 * _PAD, 1), 10_000)
    return QFontMetrics(_font(widget)).boundingRect(room, Qt.TextFlag.TextWordWrap, words)
