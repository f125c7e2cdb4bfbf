"""The privacy budget below the list of questions: one segment per question, and its words."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ppworkbench.analyses.planning.study_budget import BudgetRepair, BudgetView, Segment
from ppworkbench.core.privacy.report import QuestionnaireReport
from ppworkbench.gui.charts.looks import hatch
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import number, percent, significant
from ppworkbench.gui.pages.design.noncompliance import NonComplianceMark
from ppworkbench.gui.theme import Theme, ThemeManager, between, set_rules, smooth_painter
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.labels import announce
from ppworkbench.gui.widgets.layout import WrappingRow, column, line, named, row, text
from ppworkbench.study.study import Study

_SHADES = {"binary": 1.0, "nominal": 0.8, "ordinal": 0.62, "integer": 0.46, "continuous": 0.32}
"""How much of the accent a kind of questions has."""
_INFINITE = 0.22
"""The part of the bar that a question without a bound takes, as long as there are few of them."""
_OPEN = 0.16
"""The part of the bar that all questions take that are not randomised."""
_TOLD = 6
"""Questions that are read aloud."""


def epsilon_text(value: float) -> str:
    """An epsilon as people compare it: one decimal from 1 on, two below."""
    if not math.isfinite(value):
        return number(value)
    return number(value, 1 if value >= 0.995 else 2)


class BudgetBar(QWidget):
    """Widths are epsilons; hatched is infinite, dashed is free. A click selects the question.

    What is not randomised comes first, as one segment: every click there selects the next of them.

    The arrows go from question to question, Enter or Space selects the one that is told.
    """

    question_chosen = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._view = BudgetView()
        self._shown: Callable[[str], str] = str
        self._titles: tuple[str, ...] = ()
        self._selected: int | None = None
        self._current: str | None = None
        self._cursor: int | None = None
        """The segment that the keyboard is at."""
        self.setObjectName("budgetBar")
        self.setAccessibleName(self.tr("Privacy budget"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.updateGeometry)

    def set_view(self, view: BudgetView, shown: Callable[[str], str], current: str | None) -> None:
        """Show what the questions spend, and which of them is selected."""
        selected = None if current is None else view.segment_of(current)
        self._current = current
        titles = tuple(shown(name) for one in view.drawn for name in one.names)
        if (view, titles, selected) == (self._view, self._titles, self._selected):
            return
        self._view, self._shown, self._selected = view, shown, selected
        self._titles = titles
        if self._cursor is not None and self._cursor >= len(view.drawn):
            self._cursor = None
        self.setAccessibleDescription(self.summary())
        self.update()

    def summary(self) -> str:
        """The largest parts, for people who hear the bar."""
        largest = sorted(self._view.drawn, key=lambda one: -one.epsilon)
        said = [self._words(one) for one in largest[:_TOLD]]
        if len(largest) > _TOLD:
            said.append(self.tr("and %s more") % number(len(largest) - _TOLD))
        return "; ".join(said)

    def _words(self, one: Segment) -> str:
        names = ", ".join(map(self._shown, one.names[:_TOLD]))
        if len(one.names) > _TOLD:
            names += " " + self.tr("and %s more") % number(len(one.names) - _TOLD)
        if one.is_open:
            return self.tr("Not randomised, so ε is ∞: %s") % names
        spent = "∞" if one.is_infinite else significant(one.epsilon)
        words = f"{names}: ε {spent}"
        return words if one.share is None else f"{words}, {percent(one.share)}"

    # Places

    def _bar(self) -> QRectF:
        px = self._themes.theme.px
        return QRectF(1, px(2), self.width() - 2, px(14))

    def spans(self) -> list[tuple[float, float]]:
        """Left and right end of every segment, and at last of what is free where something is."""
        view, bar = self._view, self._bar()
        endless = [one for one in view.segments if one.is_infinite]
        opened = _OPEN * bar.width() if view.undistorted else 0.0
        if not view.segments:
            return [(bar.left(), bar.right())] if view.undistorted else []
        finite = math.fsum(one.epsilon for one in view.segments if not one.is_infinite)
        # With questions that nobody is asked all of, the segments stand for what one person spends.
        spent = finite if math.isinf(view.spent) else view.spent
        free = 0.0 if endless else view.free
        room = bar.width() - opened
        hatched = min(_INFINITE * len(endless), 1.0 if finite == 0 else 0.6) * room
        each = hatched / len(endless) if endless else 0.0
        room -= hatched
        scale = room / (spent + free) if spent + free > 0 else 0.0
        squeeze = spent / finite if finite else 0.0
        ends, left = [], bar.left()
        for one in view.drawn:
            finite_width = 0.0 if one.is_infinite else one.epsilon * squeeze * scale
            wide = opened if one.is_open else each if one.is_infinite else finite_width
            ends.append((left, left + wide))
            left += wide
        if free > 0:
            ends.append((left, bar.right()))
        return ends

    def segment_at(self, x: float) -> int | None:
        """The segment at a place; None where the budget is free."""
        for place, (left, right) in enumerate(self.spans()[: len(self._view.drawn)]):
            if left <= x < right:
                return place
        return None

    def sizeHint(self) -> QSize:  # noqa: N802
        theme = self._themes.theme
        words = QFontMetrics(theme.font("caption")).height()
        return QSize(160, theme.px(22) + words)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(60, self.sizeHint().height())

    # Pointer and keyboard

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos().x()), self)
            return True
        return super().event(event)

    def tip_at(self, x: float) -> str:
        place = self.segment_at(x)
        if place is not None:
            return self._words(self._view.drawn[place])
        if self._view.free > 0:
            return self.tr("%s free") % epsilon_text(self._view.free)
        return ""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        is_one = self.segment_at(event.position().x()) is not None
        shape = Qt.CursorShape.PointingHandCursor if is_one else Qt.CursorShape.ArrowCursor
        self.setCursor(shape)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        place = self.segment_at(event.position().x())
        if event.button() == Qt.MouseButton.LeftButton and place is not None:
            self._cursor = place
            self._choose(place)

    def _choose(self, place: int) -> None:
        """Select the question of a segment; where it has several, the one after the selected."""
        names = self._view.drawn[place].names
        now = names.index(self._current) if self._current in names else -1
        self.question_chosen.emit(names[(now + 1) % len(names)])

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        last, key = len(self._view.drawn) - 1, event.key()
        if last < 0:
            super().keyPressEvent(event)
            return
        now = self._cursor if self._cursor is not None else self._selected
        places = {
            Qt.Key.Key_Left: (now if now is not None else 0) - 1,
            Qt.Key.Key_Right: (now if now is not None else -1) + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        if key in places:
            self._cursor = min(max(places[Qt.Key(key)], 0), last)
            announce(self, self.told())
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and now is not None:
            self._choose(now)
        else:
            super().keyPressEvent(event)

    def told(self) -> str:
        """What is said of the segment that the keyboard is at."""
        place = self._cursor if self._cursor is not None else self._selected
        return "" if place is None else self._words(self._view.drawn[place])

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        self._cursor = None
        super().focusOutEvent(event)

    # Drawing

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme, painter, bar = self._themes.theme, smooth_painter(self), self._bar()
        view, spans = self._view, self.spans()
        if not view.drawn:
            painter.setPen(QPen(theme.colour("border"), 1))
            painter.setBrush(theme.colour("sunken"))
            painter.drawRoundedRect(bar, 3, 3)
        for one, (left, right) in zip(view.drawn, spans, strict=False):
            self._draw_segment(painter, theme, one, QRectF(left, bar.top(), 0, bar.height()), right)
        if len(spans) > len(view.drawn):
            left, right = spans[-1]
            pen = QPen(theme.colour("outline"), 1, Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            inside = QRectF(left + 1, bar.top() + 0.5, max(right - left - 1.5, 1), bar.height() - 1)
            painter.drawRoundedRect(inside, 3, 3)
        if view.over and math.isfinite(view.spent):
            # Where the budget ends.
            first = spans[len(view.drawn) - len(view.segments)][0]
            place = first + (bar.right() - first) * (view.total or 0.0) / view.spent
            painter.setPen(QPen(theme.colour("warningText"), 2))
            painter.drawLine(QPointF(place, 0), QPointF(place, bar.bottom() + theme.px(2)))
        at = self._cursor if self.hasFocus() and self._cursor is not None else self._selected
        if at is not None and at < len(spans):
            left, right = spans[at]
            ink = theme.colour("focus" if self.hasFocus() else "text")
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink)
            wide = max(right - left - 1, 3.0)
            painter.drawRect(QRectF(left, bar.bottom() + 1.5, wide, 2))
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("focus"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(bar.adjusted(-0.5, -1, 0.5, 1), 4, 4)
        self._draw_names(painter, theme, spans, bar, at)

    def _draw_segment(
        self, painter: QPainter, theme: Theme, one: Segment, start: QRectF, right: float
    ) -> None:
        wide = right - start.left()
        # Many segments stand side by side without air.
        air = 1.5 if wide > 4 else 0.5 if wide > 1.5 else 0.0
        area = QRectF(start.left(), start.top(), max(wide - air, 0.5), start.height())
        round_ = 2.0 if wide > 6 else 0.0
        if one.is_infinite:
            # What nobody randomises may be as it should; an answer that is ruled out is not.
            line, ground = ("outline", "sunken") if one.is_open else ("warningLine", "warningBg")
            painter.setPen(QPen(theme.colour(line), 1))
            painter.setBrush(hatch(theme.colour(line), theme.colour(ground)))
            painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), round_, round_)
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_shade(theme, one.kind))
        painter.drawRoundedRect(area, round_, round_)

    def _draw_names(
        self,
        painter: QPainter,
        theme: Theme,
        spans: list[tuple[float, float]],
        bar: QRectF,
        at: int | None,
    ) -> None:
        """Write the name at hand and those of the largest, as far as there is room."""
        font = theme.font("caption")
        painter.setFont(font)
        metrics, top = QFontMetrics(font), bar.bottom() + theme.px(4)
        taken: list[tuple[float, float]] = []
        view = self._view
        if len(spans) > len(view.drawn):
            words = self.tr("%s free") % epsilon_text(view.free)
            wide = metrics.horizontalAdvance(words)
            left = max(bar.right() - wide, bar.left())
            taken.append((left, bar.right()))
            painter.setPen(theme.colour("text3"))
            painter.drawText(QPointF(left, top + metrics.ascent()), words)
        # Rounded, lest the last digits of equal shares choose a name.
        order = sorted(
            range(len(view.drawn)),
            key=lambda place: (place != at, -round(view.drawn[place].epsilon, 6)),
        )
        painter.setPen(theme.colour("text2"))
        for place in order[:3]:
            one, (left, right) = view.drawn[place], spans[place]
            # Beside a name that reaches into the segment, as long as that is below the segment.
            left = max([left, *(b + 8 for a, b in taken if a <= left < b + 8)])
            if left >= right:
                continue
            title = self._shown(one.names[0])
            if one.is_open and len(one.names) > 1:
                title = self.tr("not randomised")
            value = "∞" if one.is_infinite else epsilon_text(one.epsilon)
            ends = [a for a, _ in taken if a >= left]
            room = min([bar.right(), *(end - 6 for end in ends)]) - left
            tail = metrics.horizontalAdvance(f" {value}")
            name = metrics.elidedText(title, Qt.TextElideMode.ElideRight, int(room - tail))
            words = f"{name} {value}"
            # A name of a letter and dots tells nobody anything; that there is no bound does.
            if len(name) < 4 and name != title:
                if not one.is_open or room < tail:
                    continue
                words = value
            taken.append((left, left + metrics.horizontalAdvance(words)))
            painter.drawText(QPointF(left, top + metrics.ascent()), words)


def _shade(theme: Theme, kind: str) -> QColor:
    return between(theme.colour("surface"), theme.colour("accent"), _SHADES.get(kind, 1.0))


class QuestionnaireSummary(QWidget):
    """The budget of the whole questionnaire as bar and words, and how well it can be guessed."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._view: BudgetView | None = None
        self.epsilon = named(text("", "subtitle"), "budgetEpsilon")
        self.of_total = text("", "captionHint", wrap=True)
        self.over = named(text("", "strong"), "budgetOver")
        self.over.hide()
        self.bar = BudgetBar(themes)
        self.words = named(text("", wrap=True), "budgetWords")
        self.repair = named(Button(themes, "", look="link"), "budgetRepair")
        self.repair.hide()
        self.guess = text("", wrap=True)
        self.share_out = named(
            Button(themes, self.tr("Divide the budget…"), look="secondary"), "shareOut"
        )
        self.all = named(Button(themes, self.tr("All measures"), look="link"), "allMeasures")
        self.mark = NonComplianceMark(themes, "markOfWhole")
        head = row(text(self.tr("Privacy budget"), "strong"), None, self.mark, self.over)
        total = row(self.epsilon, self.of_total, spacing=6)
        total.setStretch(1, 1)
        buttons = QWidget()
        buttons.setLayout(WrappingRow(self.share_out, self.all, spacing=8, line_spacing=4))
        column(
            line(), head, total, self.bar, self.words, self.repair, self.guess, buttons,
            parent=self, spacing=5,
        ).setContentsMargins(14, 0, 14, 10)  # fmt: skip
        for label in (self.guess, self.words):
            label.setProperty("type", "caption")
        themes.follow(self._colour)

    def _colour(self) -> None:
        ink = self._themes.theme.hex("warningText")
        set_rules(self.over, f"color: {ink};")
        set_rules(self.repair, f"color: {ink}; text-decoration: underline; padding: 0;")

    def _spent_by(self, view: BudgetView) -> str:
        """Whose epsilon it is; that of the questionnaire is infinite if a question is open."""
        if view.total is None:
            if view.undistorted:
                return self.tr("randomised answers")
            return self.tr("whole questionnaire")
        words = (
            self.tr("of %s, randomised answers")
            if view.undistorted
            else self.tr("of %s, whole questionnaire")
        )
        return words % epsilon_text(view.total)

    def set_budget(
        self,
        study: Study,
        view: BudgetView,
        current: str | None,
        find_repair: Callable[[], BudgetRepair | None],
    ) -> None:
        """Show what the questions spend; cheap where that is shown already."""
        self.bar.set_view(view, study.shown, current)
        # Which repair there is depends on more than what is spent.
        if view == self._view and not math.isinf(view.spent):
            return
        self._view = view
        self.epsilon.setText(f"ε {epsilon_text(view.spent)}")
        self.of_total.setText(self._spent_by(view))
        self.over.setVisible(view.over > 0)
        if view.over:
            over = self.tr("infinite") if math.isinf(view.over) else ""
            self.over.setText(over or self.tr("%s over") % epsilon_text(view.over))
        repair = find_repair() if math.isinf(view.spent) else None
        said = [translate(one) for one in view.sentences]
        if repair is not None:
            said[0] = translate(study.titled(repair.sentence))
            self.repair.setText(self.tr("Use “%s”") % translate(repair.mechanism))
        self.repair.setVisible(repair is not None)
        self.words.setText(" ".join(said))
        self.share_out.setEnabled(bool(view.segments))
        self.share_out.setToolTip("" if view.segments else self.tr("No question is randomised."))

    def told(self) -> str:
        """The total in one line, for where there is no room for the bar."""
        over = f"; {self.over.text()}" if self._view is not None and self._view.over else ""
        return f"{self.epsilon.text()} {self.of_total.text()}{over}"

    def show_report(self, report: QuestionnaireReport) -> None:
        self.mark.show_noncompliance(report.noncompliance)
        right = sum(report.right_at_least[1:])
        blind = sum(report.blind_at_least[1:])
        total = len(report.attributes)
        words = self.tr("Expected correct guesses: <b>%s of %s</b> (%s without the reports)")
        self.guess.setText(words % (number(right, 1), total, number(blind, 1)))
