"""Labels that shorten, change or are read aloud."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFont,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QCheckBox, QLabel, QSizePolicy, QStyle, QStyleOptionButton, QWidget

from ppworkbench.core.data.sampling_roles import (
    CLUSTER,
    PERSON,
    POPULATION,
    REPLICATES,
    STRATUM,
    WEIGHT,
)
from ppworkbench.gui.language import tr
from ppworkbench.gui.theme import ThemeManager, set_rules, smooth_painter
from ppworkbench.gui.widgets.layout import text


class ElidedCheck(QCheckBox):
    """Takes whatever width it is given; ``explanation`` follows the words in the tooltip."""

    def __init__(self, words: str, explanation: str = "") -> None:
        super().__init__()
        self._words = words
        self.setAccessibleName(words)
        self.setToolTip(words if explanation in ("", words) else f"{words}: {explanation}")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._fit()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(60, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        part = QStyle.SubElement.SE_CheckBoxContents
        room = self.style().subElementRect(part, option, self).width()
        right = Qt.TextElideMode.ElideRight
        shown = self.fontMetrics().elidedText(self._words, right, max(room, 16))
        if shown != self.text():
            self.setText(shown)


def break_lines(words: str, font: QFont, width: float) -> list[tuple[int, int]]:
    layout = QTextLayout(words, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WordWrap)
    layout.setTextOption(option)
    layout.beginLayout()
    spans: list[tuple[int, int]] = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        spans.append((line.textStart(), line.textLength()))
    layout.endLayout()
    return spans


class ElidedLabel(QLabel):
    """One line of a type style of the style sheet, or up to so many ``lines``.

    It takes whatever width it is given; one that ``hugs`` its words asks for no more than these.
    """

    def __init__(
        self, kind: str = "body", words: str = "", *, hugs: bool = False, lines: int = 1
    ) -> None:
        super().__init__()
        self._words = ""
        self._hugs = hugs
        self._lines = lines
        self.setProperty("type", kind)
        across = QSizePolicy.Policy.Preferred if hugs else QSizePolicy.Policy.Ignored
        policy = QSizePolicy(across, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(lines > 1)
        self.setSizePolicy(policy)
        self.setText(words)

    def setText(self, words: str) -> None:  # noqa: N802
        if words == self._words:
            return
        self._words = words
        self.setAccessibleName(words)
        if self._hugs or self._lines > 1:
            self.updateGeometry()
        self._fit()

    def words(self) -> str:
        return self._words

    @property
    def is_shortened(self) -> bool:
        """Whether some of the words have no room."""
        return self.text().replace("\n", " ") != self._words

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """Words that may go on in a second line need a higher label where it is narrow."""
        return self._lines > 1

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """The height of as many lines as the words need at a width."""
        if self._lines == 1:
            return super().heightForWidth(width)
        margins = self.contentsMargins()
        room = width - margins.left() - margins.right()
        count = len(self._broken(room).split("\n"))
        spacing = self.fontMetrics().lineSpacing()
        return count * spacing + margins.top() + margins.bottom()

    def sizeHint(self) -> QSize:  # noqa: N802
        wanted = super().sizeHint()
        if self._hugs:
            margins = self.contentsMargins()
            words = self.fontMetrics().horizontalAdvance(self._words)
            wanted.setWidth(words + margins.left() + margins.right() + 1)
        return wanted

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """A few letters, or all of them where they are fewer."""
        least = QSize(40, super().minimumSizeHint().height())
        return least.boundedTo(self.sizeHint()) if self._hugs else least

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        shown = self._broken(self.contentsRect().width())
        if shown != self.text():
            super().setText(shown)
        self.setToolTip(self._words if self.is_shortened else "")

    def _broken(self, room: int) -> str:
        """As many of the words as fit into so much room, line by line."""
        room, spans = max(room, 16), [(0, len(self._words))]
        if self._lines > 1:
            spans = break_lines(self._words, self.font(), room)[: self._lines] or spans
        pieces = [self._words[start : start + length].rstrip() for start, length in spans]
        # What does not fit is cut at the end of the last line.
        pieces[-1] = self._words[spans[-1][0] :]
        right = Qt.TextElideMode.ElideRight
        return "\n".join(self.fontMetrics().elidedText(piece, right, room) for piece in pieces)


class LiveLabel(QWidget):
    """A wrapping label in a room of so many lines that is kept free for it.

    A label asks the whole window to be laid out again whenever its text changes. This one is held
    by no layout, so that the request ends here.
    """

    def __init__(self, lines: int, kind: str = "body") -> None:
        super().__init__()
        self._lines = lines
        self.label: QLabel = text("", kind, wrap=True)
        self.label.setParent(self)
        self.label.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_text(self, content: str) -> None:
        if content != self.label.text():
            self.label.setText(content)
            if self.label.heightForWidth(self.width()) > self.height():
                self.updateGeometry()

    def text(self) -> str:
        return self.label.text()

    def sizeHint(self) -> QSize:  # noqa: N802
        """The room for the lines, or for more of them if the words need it."""
        needed = self.label.heightForWidth(self.width()) if self.width() > 60 else 0
        # A line of rich text may be a pixel higher than the type says.
        return QSize(120, max(self._lines * (self.label.fontMetrics().height() + 1), needed))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(60, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        self.label.setGeometry(self.rect())
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


class Disc(QLabel):
    """A few signs in a disc that grows with the type; tinted, or filled with a rim."""

    def __init__(
        self, themes: ThemeManager, words: str, parent: QWidget | None = None, *,
        is_filled: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(words, parent)
        self._themes, self._is_filled = themes, is_filled
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        themes.follow(self._restyle)

    def _restyle(self) -> None:
        theme, is_filled = self._themes.theme, self._is_filled
        side, size = theme.px(22), theme.font("caption").pixelSize()
        ink, ground = ("accentText", "accent") if is_filled else ("accentInk", "accentTint")
        self.setFixedSize(side, side)
        set_rules(
            self,
            f"color: {theme.hex(ink)}; background: {theme.hex(ground)}; font-weight: 600;"
            f"font-size: {size}px; border-radius: {side // 2}px;"
            f"border: {2 * is_filled}px solid {theme.hex('surface')};",
        )


class Frame(QWidget):
    """Frames a widget without being in the way of the mouse."""

    def __init__(self, themes: ThemeManager, parent: QWidget) -> None:
        super().__init__(parent)
        self._themes = themes
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        painter = smooth_painter(self)
        painter.setPen(QPen(self._themes.theme.colour("accentInk"), 2))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 8, 8)


def has_screen_reader() -> bool:
    return QAccessible.isActive()


def announce(widget: QWidget, sentence: str) -> None:
    """Let a screen reader say a sentence, if there is one that listens."""
    if sentence and has_screen_reader():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, sentence))


REST = 300
"""Milliseconds without a change after which it is told."""


class Announcer(QTimer):
    """One sentence about a widget, after the last of many changes."""

    def __init__(self, widget: QWidget, sentence: Callable[[], str]) -> None:
        super().__init__(widget)
        self._widget, self._sentence = widget, sentence
        self.setSingleShot(True)
        self.setInterval(REST)
        self.timeout.connect(self._tell)

    def changed(self) -> None:
        """Tell soon, if anybody listens."""
        if has_screen_reader() and self._widget.isVisible():
            self.start()

    def _tell(self) -> None:
        if self._widget.isVisible():
            announce(self._widget, self._sentence())


def role_word(role: str) -> str:
    """What people call a column that tells how respondents were drawn."""
    return {
        WEIGHT: tr("weight", "sampling"),
        STRATUM: tr("stratum"),
        CLUSTER: tr("cluster"),
        PERSON: tr("person"),
        POPULATION: tr("population"),
        REPLICATES: tr("replicate weights"),
    }[role]
