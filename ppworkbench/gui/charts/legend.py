"""What the marks of a picture are called, each beside a sample of how it is drawn."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.gui.charts.looks import (
    REFERENCE,
    draw_line_sample,
    draw_mark,
    draw_swatch,
    is_series,
    look_colour,
    series_look,
    series_of,
)
from ppworkbench.gui.language import translate
from ppworkbench.gui.theme import Theme, ThemeManager, smooth_painter
from ppworkbench.results.picture import Mark, Picture, Role, Shape

_GAP = 20
_SAMPLES = {
    Shape.INTERVALS: 22, Shape.LINE: 22, Shape.RULE: 22, Shape.POINTS: 12,
    Shape.DOTS: 12, Shape.BARS: 12, Shape.BAND: 12, Shape.PEOPLE: 12,
}  # fmt: skip
_LOOKS = {
    Role.ESTIMATE: "reconstructed", Role.REPORTED: "distorted", Role.TRUE: "original",
    Role.REFERENCE: REFERENCE,
}  # fmt: skip


ROLES = {look: role for role, look in _LOOKS.items()}
"""The roles by what the window draws them as."""


def role_of(look: str) -> tuple[Role, int | None]:
    role = ROLES.get(look, Role.SERIES)
    return role, series_of(look) if role is Role.SERIES else None


def look_of_mark(picture: Picture, mark: Mark) -> str:
    return _LOOKS.get(mark.role) or series_look(picture.series_of(mark))


class PictureLegend(QWidget):
    """Entries in the order of the marks, on as many lines as they need."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._shapes: tuple[Shape, ...] = ()
        self.entries: tuple[tuple[str, str], ...] = ()
        """Look and words of every mark."""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        themes.follow(self._resize)

    def show_picture(self, picture: Picture | None) -> None:
        """Name the marks of another picture; several of the same name are one."""
        marks = () if picture is None else picture.marks
        named = {
            (translate(mark.name), look_of_mark(picture, mark)): mark.shape
            for mark in reversed(marks)
            if picture is not None and mark.name and mark.name not in picture.handles
            and not (mark.shape is Shape.RULE and picture.names_rules)
        }  # fmt: skip
        found = [(words, look, shape) for (words, look), shape in reversed(named.items())]
        shown = tuple(shape for *_, shape in found)
        entries = tuple((look, words) for words, look, _ in found)
        if (entries, shown) != (self.entries, self._shapes):
            self._show(entries, shown)
        self.setVisible(bool(entries))

    def show_entries(
        self, entries: tuple[tuple[str, str], ...], *, lines: bool | None = None
    ) -> None:
        """Name marks in other words: pairs of look and words.

        ``lines`` says of a histogram whether it draws lines and areas instead of bars.
        """
        shapes = tuple(_shape_of(look, lines) for look, _ in entries)
        if (entries, shapes) != (self.entries, self._shapes):
            self._show(entries, shapes)

    def _show(self, entries: tuple[tuple[str, str], ...], shapes: tuple[Shape, ...]) -> None:
        self.entries, self._shapes = entries, shapes
        self.setAccessibleName(", ".join(words for _, words in entries))
        self._resize()

    def sizeHint(self) -> QSize:  # noqa: N802
        wide = max((round(x + width) for _, x, width in self._places(10_000)), default=0)
        return QSize(wide, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._resize()

    def _resize(self) -> None:
        lines = 1 + max((line for line, *_ in self._places(self.width())), default=0)
        self.setFixedHeight(lines * self._themes.theme.px(20))
        self.updateGeometry()
        self.update()

    def _places(self, room: float) -> list[tuple[int, float, float]]:
        metrics = QFontMetricsF(self._themes.theme.font("caption"))
        found, line, x = [], 0, 0.0
        for (_, words), shape in zip(self.entries, self._shapes, strict=True):
            width = _SAMPLES[shape] + 6 + metrics.horizontalAdvance(words)
            if x > 0 and x + width > room:
                line, x = line + 1, 0.0
            found.append((line, x, width))
            x += width + _GAP
        return found

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme, painter = self._themes.theme, smooth_painter(self)
        height = theme.px(20)
        drawn = zip(self.entries, self._shapes, self._places(self.width()), strict=True)
        for (look, words), shape, (line, x, width) in drawn:
            sample = QRectF(x, (line + 0.5) * height - 5, _SAMPLES[shape], 10)
            _draw_sample(painter, theme, look, shape, sample)
            painter.setFont(theme.font("caption"))
            painter.setPen(theme.colour("text2"))
            box = QRectF(sample.right() + 6, line * height, width, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, words)


def _shape_of(look: str, lines: bool | None) -> Shape:
    if lines is None:
        return Shape.INTERVALS if look == "reconstructed" else Shape.POINTS
    if is_series(look) or (lines and look != "original"):
        return Shape.LINE
    return Shape.BAND if lines else Shape.BARS


def _draw_sample(painter: QPainter, theme: Theme, look: str, shape: Shape, box: QRectF) -> None:
    middle = box.center()
    across = QLineF(box.left(), middle.y(), box.right(), middle.y())
    if shape in {Shape.LINE, Shape.RULE}:
        draw_line_sample(painter, theme, look, box)
    elif shape in {Shape.BARS, Shape.BAND}:
        inside = box.adjusted(0.5, 0.5, -0.5, -0.5)
        draw_swatch(painter, theme, look, inside, as_area=shape is Shape.BAND)
    else:
        if shape is Shape.INTERVALS:
            painter.setPen(QPen(look_colour(theme, look), 2))
            painter.drawLine(across)
        draw_mark(painter, theme, look, QPointF(middle), 4.5)
