"""Parts of the panel: progress, places to look at, and figures beside the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QSizePolicy, QWidget

from ppworkbench.gui.learn.badges import Badge
from ppworkbench.gui.learn.numbers import shown
from ppworkbench.gui.learn.step_text import plain
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layouts import column, line, row, text
from ppworkbench.study.demonstrations.demonstration import Figure, Look


class StepsBar(QWidget):
    """One piece per step; those that are done or shown are filled."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._at, self._of = 0, 1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.update)

    def show_step(self, at: int, of: int) -> None:
        """Show another step."""
        self._at, self._of = at, of
        self.setAccessibleName(self.tr("Step %s of %s") % (at + 1, of))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """A thin line."""
        return QSize(100, 4)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the pieces."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        gap = 5.0
        width = (self.width() - gap * (self._of - 1)) / self._of
        for place in range(self._of):
            painter.setBrush(theme.colour("accent" if place <= self._at else "border"))
            painter.drawRoundedRect(QRectF(place * (width + gap), 0, width, 4), 2, 2)


class LookRow(QWidget):
    """A badge with its sentence; pointing at it frames the place on the page."""

    pointed = Signal(bool)

    def __init__(self, themes: ThemeManager, number: int, look: Look) -> None:
        super().__init__()
        self.look = look
        self.label = text(plain(look.text, {}), wrap=True)
        layout = row(Badge(themes, number), self.label, parent=self, spacing=10)
        layout.setStretch(1, 1)
        layout.setAlignment(self.children()[1], Qt.AlignmentFlag.AlignTop)  # type: ignore[arg-type]

    def show_numbers(self, numbers: Mapping[str, str]) -> None:
        """Fill the numbers in."""
        self.label.setText(plain(self.look.text, numbers))

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: ARG002, N802
        """The pointer is on it."""
        self.pointed.emit(True)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: ARG002, N802
        """The pointer is elsewhere."""
        self.pointed.emit(False)


class LookList(QFrame):
    """All places to look at."""

    pointed = Signal(object)
    """The position of the place that the pointer is on, or None."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.setProperty("look", "sunken")
        self.rows: list[LookRow] = []
        self._list = column(spacing=8)
        layout = column(text(self.tr("Look here"), "strong"), self._list, parent=self, spacing=8)
        layout.setContentsMargins(12, 9, 12, 11)

    def show_looks(self, looks: Sequence[Look]) -> None:
        """Show other places."""
        for old in self.rows:
            self._list.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.rows = [LookRow(self._themes, place, look) for place, look in enumerate(looks, 1)]
        for place, made in enumerate(self.rows):
            made.pointed.connect(lambda on, place=place: self.pointed.emit(place if on else None))
            self._list.addWidget(made)
        self.setVisible(bool(looks))


class FigureTable(QWidget):
    """Published numbers beside ours; the source stands below each."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 1)
        self.ours: dict[str, QLabel] = {}
        self._figures: dict[str, Figure] = {}

    def show_figures(self, figures: Sequence[Figure]) -> None:
        """Show other figures, not worked out yet."""
        while self._grid.count():
            item = self._grid.takeAt(0)
            widget = None if item is None else item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        named = [figure for figure in figures if figure.label]
        self._figures = {figure.name: figure for figure in named}
        self.ours = {}
        self.setVisible(bool(named))
        if not named:
            return
        compared = any(figure.published is not None for figure in named)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
        self._grid.addWidget(text(self.tr("Worked out now"), "strong"), 0, 0)
        if compared:
            self._grid.addWidget(text(self.tr("published"), "captionHint"), 0, 1, right)
        self._grid.addWidget(text(self.tr("ours"), "captionHint"), 0, 2, right)
        at = 1
        for figure in named:
            at = self._add(figure, at, right)

    def _add(self, figure: Figure, at: int, right: Qt.AlignmentFlag) -> int:
        self._grid.addWidget(line(), at, 0, 1, 3)
        self._grid.addWidget(text(figure.label, wrap=True), at + 1, 0)
        if figure.published is not None:
            self._grid.addWidget(text(shown(figure.published, figure)), at + 1, 1, right)
        ours = text(shown(None, figure), "strong")
        ours.setObjectName(f"figure-{figure.name}")
        ours.setAccessibleName(figure.label)
        self._grid.addWidget(ours, at + 1, 2, right)
        self.ours[figure.name] = ours
        if figure.source:
            self._grid.addWidget(text(figure.source, "captionHint", wrap=True), at + 2, 0, 1, 3)
        return at + 3

    def show_values(self, values: Mapping[str, float]) -> None:
        """Fill in what was worked out."""
        for name, value in values.items():
            if name in self.ours:
                self.ours[name].setText(shown(value, self._figures[name]))
