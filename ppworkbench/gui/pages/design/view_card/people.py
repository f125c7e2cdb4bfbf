"""The 100 people view: true answers beside one draw of the reports."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.analyses.people import PeopleDraw, draw_people, has_people
from ppworkbench.core.privacy.belief import listed
from ppworkbench.gui.charts.chart import Rows
from ppworkbench.gui.charts.chart_export import picture_menu
from ppworkbench.gui.charts.looks import role_brush
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import percent
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import Theme, ThemeManager, set_fill, set_outline, smooth_painter
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.labels import LiveLabel
from ppworkbench.gui.widgets.layout import column, named, row, text

_ACROSS = 10
_NAMED = 8
"""Answers up to which the caption says what the numbers stand for."""


class PeoplePicture(QWidget):
    """Two grids of people: before and after, everybody in the same place."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._draw: PeopleDraw | None = None
        self.setObjectName("people")
        self.setAccessibleName(tr("100 people, true and reported answers"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        themes.theme_changed.connect(self.update)

    @property
    def drawn(self) -> PeopleDraw | None:
        """The draw in front."""
        return self._draw

    def show_draw(self, draw: PeopleDraw) -> None:
        if draw != self._draw:
            self._draw = draw
            self.update()

    def rows(self) -> Rows:
        draw = self._draw
        if draw is None:
            return []
        pairs = zip(draw.true, draw.reported, strict=True)
        people = [
            [str(place + 1), draw.answers[one], draw.answers[two]]
            for place, (one, two) in enumerate(pairs)
        ]
        return [[tr("person"), tr("true answer"), tr("reported answer")], *people]

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer to copy or save the picture and its numbers."""
        show_menu(picture_menu(self, self.rows), event.globalPos())

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(520, self._themes.theme.px(260))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._themes.theme.px(300), self._themes.theme.px(190))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        draw, theme = self._draw, self._themes.theme
        if draw is None:
            return
        painter = smooth_painter(self)
        gap = theme.px(24)
        width = (self.width() - gap) / 2
        before, after = sum(draw.truly), sum(draw.reports)
        heads = (
            (tr("Before: true answers"), tr("%s of 100 sensitive") % before),
            (
                tr("After: reported answers"),
                tr("%s report it, true for %s") % (after, draw.hits),
            ),
        )
        for side, (title, words) in enumerate(heads):
            left = side * (width + gap)
            self._draw_head(painter, theme, QRectF(left, 0, width, theme.px(36)), title, words)
            area = QRectF(left, theme.px(40), width, self.height() - theme.px(42))
            self._draw_grid(painter, theme, area, draw, is_after=bool(side))
        painter.setPen(theme.colour("text3"))
        painter.setFont(theme.font("subtitle"))
        arrow = QRectF(width, theme.px(40), gap, self.height() - theme.px(42))
        painter.drawText(arrow, Qt.AlignmentFlag.AlignCenter, "→")
        if self.hasFocus():
            set_outline(painter, QPen(theme.colour("focus"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)

    def _draw_head(
        self, painter: QPainter, theme: Theme, area: QRectF, title: str, words: str
    ) -> None:
        painter.setPen(theme.colour("text"))
        painter.setFont(theme.font("body", "semibold"))
        half = area.height() / 2
        painter.drawText(
            QRectF(area.left(), area.top(), area.width(), half),
            Qt.AlignmentFlag.AlignVCenter,
            title,
        )
        painter.setPen(theme.colour("text2"))
        painter.setFont(theme.font("caption"))
        below = QRectF(area.left(), area.top() + half, area.width(), half)
        painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, words)

    def _draw_grid(
        self, painter: QPainter, theme: Theme, area: QRectF, draw: PeopleDraw, *, is_after: bool
    ) -> None:
        answers, strong = (draw.reported, draw.reports) if is_after else (draw.true, draw.truly)
        lines = -(-len(answers) // _ACROSS)
        wide, high = area.width() / _ACROSS, area.height() / lines
        size = min(wide, high) - 2
        for place, answer in enumerate(answers):
            middle = QPointF(
                area.left() + (place % _ACROSS + 0.5) * wide,
                area.top() + (place // _ACROSS + 0.5) * high,
            )
            label = str(answer + 1) if len(draw.answers) < 100 else ""
            role = "distorted" if is_after else "original"
            _draw_person(painter, theme, middle, size, role, label, strong=strong[place])
            if is_after and draw.truly[place]:
                _draw_diamond(painter, theme, middle + QPointF(size * 0.38, -size * 0.34), size)


def _draw_person(
    painter: QPainter,
    theme: Theme,
    middle: QPointF,
    size: float,
    role: str,
    label: str,
    *,
    strong: bool,
) -> None:
    """A head over shoulders; whoever is meant is filled, the others are only tinted."""
    look = theme.role(role)
    edge = QColor(look.line)
    edge.setAlphaF(1.0 if strong else 0.35)
    painter.setPen(QPen(edge, 1))
    painter.setBrush(role_brush(theme, role) if strong else look.tint)
    head = size * 0.17
    painter.drawEllipse(QPointF(middle.x(), middle.y() - size * 0.3), head, head)
    body = QPainterPath()
    box = QRectF(middle.x() - size * 0.36, middle.y() - size * 0.1, size * 0.72, size * 0.56)
    body.moveTo(box.bottomLeft())
    body.lineTo(box.left(), box.top() + size * 0.2)
    body.quadTo(box.left(), box.top(), box.left() + size * 0.22, box.top())
    body.lineTo(box.right() - size * 0.22, box.top())
    body.quadTo(box.right(), box.top(), box.right(), box.top() + size * 0.2)
    body.lineTo(box.bottomRight())
    body.closeSubpath()
    painter.drawPath(body)
    if not label or size < 12:
        return
    # A copy: the theme hands out the same font to everybody.
    font = QFont(theme.font("caption", "semibold"))
    font.setPixelSize(max(8, round(size * 0.42)))
    painter.setFont(font)
    if strong and role == "distorted":
        # Hatching would run through the number.
        plate = QRectF(box.center().x() - size * 0.17, box.top() + 2, size * 0.34, box.height() - 4)
        set_fill(painter, theme.colour("surface"))
        painter.drawRoundedRect(plate, 2, 2)
    painter.setPen(
        theme.colour("surface") if strong and role == "original" else theme.colour("text")
    )
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, label)


def _draw_diamond(painter: QPainter, theme: Theme, spot: QPointF, size: float) -> None:
    reach = max(3.0, size * 0.13)
    set_fill(painter, theme.role("original").fill)
    corners = ((0, -reach), (reach, 0), (0, reach), (-reach, 0))
    painter.drawPolygon(QPolygonF([spot + QPointF(x, y) for x, y in corners]))


class ReporterIcons(QWidget):
    """Everybody who reports a sensitive answer in this draw; a diamond where it is true."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        # For every reporter whether it is true; those for whom it is stand first.
        self._hits: tuple[bool, ...] = ()
        self.setObjectName("reporters")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.updateGeometry)

    def show_draw(self, draw: PeopleDraw) -> None:
        """Show the reporters of another draw."""
        pairs = zip(draw.truly, draw.reports, strict=True)
        hits = tuple(sorted((truly for truly, reports in pairs if reports), reverse=True))
        if hits != self._hits:
            self._hits = hits
            words = tr("%s report it in this draw; it is true for %s") % (len(hits), sum(hits))
            self.setAccessibleName(words)
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(130, self._themes.theme.px(72))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(120, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme, count = self._themes.theme, len(self._hits)
        if not count:
            return
        painter = smooth_painter(self)
        high, wide = self.height(), self.width()
        size = max(min(high / 3, high / rows, wide / -(-count // rows)) for rows in _ROWS)
        across = max(int(wide / size + 1e-9), 1)
        for place, hit in enumerate(self._hits):
            middle = QPointF((place % across + 0.5) * size, (place // across + 0.5) * size)
            _draw_person(painter, theme, middle, size - 2, "distorted", "", strong=True)
            if hit:
                corner = QPointF(size * 0.34, -size * 0.3)
                _draw_diamond(painter, theme, middle + corner, size * 1.15)


_ROWS = range(1, 13)


class BeliefBar(QWidget):
    """The average belief after a sensitive report, with what was believed before and the goal."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._shown = (0.0, 0.0, 1.0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.updateGeometry)

    def show_belief(self, belief: float, before: float, goal: float) -> None:
        if (belief, before, goal) != self._shown:
            self._shown = belief, before, goal
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(200, self._themes.theme.px(30))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme, (belief, before, goal) = self._themes.theme, self._shown
        painter = smooth_painter(self)
        bar = QRectF(0, 2, self.width(), theme.px(8))
        set_fill(painter, theme.colour("border"))
        painter.drawRoundedRect(bar, 4, 4)
        painter.setBrush(theme.colour("accent"))
        painter.drawRoundedRect(QRectF(0, 2, bar.width() * belief, bar.height()), 4, 4)
        painter.setFont(theme.font("caption"))
        metrics = painter.fontMetrics()
        taken = 0.0
        marks = sorted(((before, tr("before")), (goal, tr("goal"))))
        for share, words in marks:
            x = bar.width() * min(share, 1.0)
            painter.setPen(QPen(theme.colour("text"), 2))
            painter.drawLine(QPointF(x, 0), QPointF(x, bar.bottom() + 3))
            wide = metrics.horizontalAdvance(words)
            left = max(min(x - wide / 2, self.width() - wide), taken)
            painter.setPen(theme.colour("text2"))
            painter.drawText(QPointF(left, bar.bottom() + theme.px(15)), words)
            taken = left + wide + 8


class PeopleView(QWidget):
    """Shows the current question; "Redraw" is the next draw, the average never moves."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._number = 1
        self._view: DesignView | None = None
        self.redraw_button = named(Button(themes, self.tr("Redraw"), "refresh"), "redrawPeople")
        self.redraw_button.setToolTip(self.tr("Draw the reports again (Ctrl+Shift+R)"))
        self.redraw_button.clicked.connect(self.redraw)
        self.draw_row = QWidget()
        row(text(self.tr("one draw of many"), "captionHint"), self.redraw_button,
            parent=self.draw_row)  # fmt: skip
        self.draw_row.hide()
        self.picture = PeoplePicture(themes)
        self.reporters = ReporterIcons(themes)
        self.words = named(LiveLabel(2, "caption"), "peopleWords")
        self.average = named(text("", "title"), "averageBelief")
        self.average_words = LiveLabel(2, "caption")
        self.bar = BeliefBar(themes)
        self.key = LiveLabel(2, "captionHint")
        self._panel = QWidget()
        column(
            self.reporters, self.words, 6, self.average, self.average_words, self.bar, None,
            parent=self._panel, spacing=3,
        )  # fmt: skip
        beside = row(self.picture, self._panel, spacing=16)
        beside.setStretch(0, 1)
        column(beside, self.key, parent=self, spacing=6).setStretch(0, 1)

    def set_view(self, view: DesignView) -> None:
        """Show the design of now; called with every frame of a drag."""
        self._view = view
        self._show()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Catch up with what changed while another tab was open."""
        super().showEvent(event)
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        px = self._themes.theme.px
        self._panel.setFixedWidth(min(max(px(132), round(0.28 * self.width())), px(280)))

    def redraw(self) -> None:
        """Take the next draw."""
        self._number += 1
        self._show()

    def _show(self) -> None:
        """Draw people for the report, if anybody sees them."""
        view = self._view
        if view is None or not self.isVisible() or not has_people(view.report):
            return
        draw = draw_people(view.report, view.study.settings.seed, self._number)
        self.picture.show_draw(draw)
        self.reporters.show_draw(draw)
        self.bar.show_belief(draw.belief, draw.before, view.goal.belief)
        meant = translate(listed(tuple(draw.answers[place] for place in draw.sensitive)))
        words = self.tr("%s reported in this draw: true for %s, not for %s. No report tells which.")
        self.words.set_text(words % (_safe(meant), draw.hits, sum(draw.reports) - draw.hits))
        self.average.setText(percent(draw.belief))
        self.average_words.set_text(
            self.tr("belief on average; %s before, %s after another report")
            % (percent(draw.before), percent(draw.other))
        )
        self.key.set_text(self._key_words(draw))

    def _key_words(self, draw: PeopleDraw) -> str:
        words = self.tr("Every person keeps their place. Diamond: the true answer is sensitive.")
        if len(draw.answers) <= _NAMED:
            named = ", ".join(f"{place + 1} {one}" for place, one in enumerate(draw.answers))
            words += " " + self.tr("The number is the answer: %s.") % named
        return words


def _safe(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;")
