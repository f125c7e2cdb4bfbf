"""The 100 people view: true answers beside one draw of the reports."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import (
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.analyses.designs.people import (
    PeopleDraw,
    draw_people,
    has_people,
    people_picture,
    reporters_picture,
)
from ppworkbench.core.privacy.belief import listed
from ppworkbench.gui.charts.chart import Rows
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import percent
from ppworkbench.gui.pages.design.texts import safe
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import ThemeManager, set_fill, smooth_painter
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.labels import LiveLabel
from ppworkbench.gui.widgets.layout import column, named, row, text

_NAMED = 8
"""Answers up to which the caption says what the numbers stand for."""


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
        # Without a goal there is none to mark.
        marks = [mark for mark in marks if math.isfinite(mark[0])]
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
        self.draw: PeopleDraw | None = None
        """The draw in front."""
        heads = tr("Before: true answers"), tr("After: reported answers")
        self.picture = named(PictureChart(themes, tr("100 people, true and reported answers")),
                             "people")  # fmt: skip
        self.picture.rows = self._rows
        self.counts = [LiveLabel(1, "caption") for _ in heads]
        self.reporters = named(PictureChart(themes, tr("Reporters"), size=(130, 72),
                                            least=(120, 72)), "reporters")  # fmt: skip
        self.reporters.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
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
        titles = row(
            *(column(text(head, "strong"), count, spacing=0)
              for head, count in zip(heads, self.counts, strict=True)),
            spacing=24,
        )  # fmt: skip
        grids = column(titles, self.picture, spacing=4)
        grids.setStretch(1, 1)
        beside = row(grids, self._panel, spacing=16)
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
        self._show_reporters()

    def _show_reporters(self) -> None:
        """Draw those who report a sensitive answer as large as there is room."""
        draw = self.draw
        if draw is None:
            return
        count, room = max(sum(draw.reports), 1), self.reporters.size().expandedTo(QSize(1, 1))
        ratio = room.width() / room.height()
        rows = min(range(1, 13), key=lambda some: max(some, 3, -(-count // some) / ratio))
        picture = reporters_picture(draw, max(-(-count // rows), round(max(rows, 3) * ratio)))
        self.reporters.setAccessibleName(translate(picture.title))
        self.reporters.set_picture(picture)

    def _rows(self) -> Rows:
        draw = self.draw
        if draw is None:
            return []
        people = [
            [str(place + 1), draw.answers[one], draw.answers[two]]
            for place, (one, two) in enumerate(zip(draw.true, draw.reported, strict=True))
        ]
        return [[tr("person"), tr("true answer"), tr("reported answer")], *people]

    def redraw(self) -> None:
        self._number += 1
        self._show()

    def _show(self) -> None:
        """Draw people for the report, if anybody sees them."""
        view = self._view
        if view is None or not self.isVisible() or not has_people(view.report):
            return
        draw = draw_people(view.report, view.study.settings.seed, self._number)
        if draw != self.draw:
            self.draw = draw
            self.picture.set_picture(people_picture(draw))
            self._show_reporters()
        before, after = sum(draw.truly), sum(draw.reports)
        self.counts[0].set_text(tr("%s of 100 sensitive") % before)
        self.counts[1].set_text(tr("%s report it, true for %s") % (after, draw.hits))
        self.bar.show_belief(draw.belief, draw.before, view.goal.belief)
        meant = translate(listed(tuple(draw.answers[place] for place in draw.sensitive)))
        words = self.tr("%s reported in this draw: true for %s, not for %s. No report tells which.")
        self.words.set_text(words % (safe(meant), draw.hits, sum(draw.reports) - draw.hits))
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
