"""What stands around the cells of a matrix: names of answers and the totals of columns."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.design.matrix_ink import named_rule
from ppworkbench.gui.pages.design.matrix_places import NAMED, MatrixPlaces
from ppworkbench.gui.theme import Theme
from ppworkbench.gui.words import number

_MOST_ROWS = 40
"""Up to so many values rows have names."""
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class MatrixNames:
    """A picture that is drawn once: a drag changes only the cells."""

    def __init__(self) -> None:
        self._picture = QPixmap()
        self._drawn_for: object = None

    def picture(
        self,
        theme: Theme,
        ratio: float,
        places: MatrixPlaces,
        values: tuple[str, ...],
        chosen: int,
        totals: list[float],
    ) -> QPixmap:
        """Names and totals, with the name of the chosen column in bold."""
        drawn_for = theme, ratio, places, values, chosen, tuple(round(t, 3) for t in totals)
        if drawn_for != self._drawn_for:
            self._drawn_for = drawn_for
            self._picture = QPixmap(places.size * ratio)
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(theme.colour("surface"))
            painter = QPainter(self._picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            _draw_rules(painter, theme, places)
            if places.k <= _MOST_ROWS:
                for row, value in enumerate(values):
                    _draw_row_name(painter, theme, places, row, value)
            if places.k <= NAMED:
                for column, value in enumerate(values):
                    weight = "semibold" if column == chosen else "regular"
                    painter.setFont(theme.font("caption", weight))
                    painter.setPen(theme.colour("text" if column == chosen else "text2"))
                    _draw_column_name(painter, places, column, value)
                _draw_totals(painter, theme, places, totals)
            painter.end()
        return self._picture


def _draw_rules(painter: QPainter, theme: Theme, places: MatrixPlaces) -> None:
    """Say what columns and rows are."""
    painter.setFont(theme.font("caption", "semibold"))
    painter.setPen(theme.colour("text3"))
    first, last = places.cell(0, 0), places.cell(places.k - 1, places.k - 1)
    above = QRectF(places.left, 0, last.right() - places.left, 16)
    named_rule(painter, above, tr("true answer"), theme.colour("border"))
    painter.save()
    painter.translate(8, last.bottom())
    painter.rotate(-90)
    side = QRectF(0, -8, last.bottom() - first.top(), 16)
    named_rule(painter, side, tr("becomes"), theme.colour("border"))
    painter.restore()


def _draw_row_name(
    painter: QPainter, theme: Theme, places: MatrixPlaces, row: int, value: str
) -> None:
    painter.setFont(theme.font("caption"))
    painter.setPen(theme.colour("text2"))
    cell = places.cell(row, 0)
    area = QRectF(18, cell.top(), places.left - 24, cell.height())
    words = painter.fontMetrics().elidedText(value, Qt.TextElideMode.ElideRight, int(area.width()))
    painter.drawText(area, _RIGHT, words)


def _draw_column_name(painter: QPainter, places: MatrixPlaces, column: int, value: str) -> None:
    """On several lines where they fit, else cut."""
    cell = places.cell(0, column)
    area = QRectF(cell.left() - 1, 18, cell.width() + 2, places.top - 20)
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
    wrapped = int(flags.value) | int(Qt.TextFlag.TextWordWrap.value)
    metrics = painter.fontMetrics()
    fits = metrics.boundingRect(area.toRect(), wrapped, value).height() <= area.height() + 2
    longest = max((metrics.horizontalAdvance(w) for w in value.split()), default=0)
    if fits and longest <= area.width():
        painter.drawText(area, wrapped, value)
    else:
        short = metrics.elidedText(value, Qt.TextElideMode.ElideRight, int(area.width()))
        painter.drawText(area, flags, short)


def _draw_totals(
    painter: QPainter, theme: Theme, places: MatrixPlaces, totals: list[float]
) -> None:
    painter.setFont(theme.font("caption"))
    bottom = places.cell(places.k - 1, 0).bottom() + 3
    painter.setPen(theme.colour("text3"))
    label = QRectF(0, bottom, places.left - 6, 17)
    whole, short = tr("column total"), tr("total")
    fits = painter.fontMetrics().horizontalAdvance(whole) <= label.width()
    painter.drawText(label, _RIGHT, whole if fits else short)
    for column, total in enumerate(totals):
        cell = places.cell(0, column)
        painter.setPen(theme.colour("text3" if abs(total - 1) < 5e-4 else "warningText"))
        area = QRectF(cell.left(), bottom, cell.width(), 17)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, number(total, 3))
