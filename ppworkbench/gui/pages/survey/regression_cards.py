"""Regressions: coefficients, predictions, tests, standard errors and checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRect, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHeaderView,
    QLabel,
    QStackedWidget,
    QTableView,
    QWidget,
)

from ppworkbench.core.models import Regression
from ppworkbench.core.models.families import LINEAR, POISSON
from ppworkbench.core.models.results import Prediction
from ppworkbench.core.survey.estimates import Estimate
from ppworkbench.gui.charts.forest import (
    ForestAxis,
    ForestScale,
    draw_forest,
    make_scale,
)
from ppworkbench.gui.charts.intervals import IntervalPlot, IntervalRow, Mark, MarkLegend
from ppworkbench.gui.charts.looks import role_brush
from ppworkbench.gui.charts.predictions import PredictedLine, PredictionPlot
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import THIN, percent, with_unit
from ppworkbench.gui.pages.survey.regression_texts import (
    Check,
    CoefficientRow,
    check_rows,
    coefficient_rows,
    constant_words,
    error_words,
    has_odds,
    head_words,
    heading_words,
    left_out_words,
    no_difference_words,
    prediction_title,
    respondents_words,
    side_words,
    test_rows,
    tests_note,
)
from ppworkbench.gui.pages.survey.result_cards import chip
from ppworkbench.gui.pages.survey.texts import EstimateFormat, variance_word
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import EDGE, PAD, CellDelegate, Column
from ppworkbench.gui.widgets.controls import Button, IconLabel, Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, line, row, scroll_area, text
from ppworkbench.gui.widgets.table import ColumnModel, TextTable
from ppworkbench.study.analyses.regression_answers import (
    VARIANCES,
    JudgedFit,
    ModelPredictions,
    why_no_fit_test,
    why_no_variance,
)
from ppworkbench.study.analyses.survey import SurveyResult

_LINE, _HIGHEST = 36, 72
"""How high a row of coefficients is at least, and at most."""
_SEEN, _MOST = 4, 12
"""So many of them are seen even where there is little room, and where there is enough."""
_NARROW = 1080
_NAME, _PLOT = 0, 1


@dataclass(frozen=True, eq=False)
class ModelState:
    """What is told of a regression beside its coefficients.

    Parameters
    ----------
    by
        The predictor by which the outcome is predicted; empty where there is none.
    predictions
        Those of this regression, or None while they are on their way.
    judged
        How well it fits; None before somebody asked.
    """

    by: str = ""
    predictions: ModelPredictions | None = None
    is_predicting: bool = False
    judged: JudgedFit | None = None
    is_judging: bool = False

    @property
    def shown(self) -> tuple[object, ...]:
        """What the cards show of it."""
        return self.by, self.predictions, self.is_predicting, self.judged, self.is_judging


# The coefficients


class _ForestHeader(QHeaderView):
    """Writes what the two sides of the picture mean above it."""

    def __init__(self, themes: ThemeManager, parent: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._themes = themes
        self.sides = ("", "")
        self.setHighlightSections(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:  # noqa: N802
        """Draw a head; that of the picture has words at both ends."""
        painter.save()
        super().paintSection(painter, rect, section)
        painter.restore()
        if section != _PLOT:
            return
        theme = self._themes.theme
        painter.save()
        painter.setFont(theme.font("caption", "semibold"))
        painter.setPen(theme.colour("text2"))
        box = rect.adjusted(PAD, 0, -PAD, 0)
        flags = (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight)
        for words, side in zip(self.sides, flags, strict=True):
            painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, words)
        painter.restore()


class _ForestDelegate(CellDelegate[CoefficientRow]):
    """Draws two lines of words in the first column, and the picture in the second."""

    def __init__(self, themes: ThemeManager, model: ColumnModel[CoefficientRow]) -> None:
        super().__init__(themes, model, line="border", edge=EDGE, has_focus=False)
        self.scale: ForestScale | None = None
        self.is_stale = False
        self.is_short = False
        """Whether names are told in short."""
        self._hatch = role_brush(themes.theme, "distorted")
        themes.theme_changed.connect(self._recolour)

    def _recolour(self) -> None:
        self._hatch = role_brush(self._themes.theme, "distorted")

    def draw_content(
        self,
        painter: QPainter,
        area: QRect,
        column: Column[CoefficientRow],
        row: CoefficientRow,
        *,
        is_marked: bool,
    ) -> None:
        """Draw what a cell holds."""
        place = list(self._model.columns).index(column)
        if place == len(self._model.columns) - 1:
            area = area.adjusted(0, 0, PAD - EDGE, 0)
        if place == _NAME:
            self._draw_name(painter, area, row)
        elif place == _PLOT and self.scale is not None:
            painter.save()
            painter.setOpacity(0.45 if self.is_stale else 1.0)
            box = QRectF(area)
            draw_forest(painter, box, self.scale, row.marks, self._themes.theme, self._hatch)
            painter.restore()
        else:
            super().draw_content(painter, area, column, row, is_marked=is_marked)

    def names_width(self, rows: Sequence[CoefficientRow]) -> int:
        """How much room the names and what is said below them need."""
        small = self._inks.metrics("caption")
        return max(
            max(self.text_width(one.title, "medium") + 22 * one.is_randomised,
                small.horizontalAdvance(one.caption))
            for one in rows
        )  # fmt: skip

    def text_width(self, words: str, weight: str) -> int:
        """How wide a text of a cell is."""
        return self._inks.metrics("body", weight).horizontalAdvance(words)

    def head_width(self, words: str) -> int:
        """How wide the words of a head are."""
        return self._inks.metrics("caption", "semibold").horizontalAdvance(words)

    def _draw_name(self, painter: QPainter, area: QRect, row: CoefficientRow) -> None:
        title, caption = row.short if self.is_short else (row.title, row.caption)
        # Two lines close to each other, however high the row is.
        slack = max((area.height() - self._themes.theme.px(_LINE)) // 2, 0)
        area = area.adjusted(0, slack, 0, -slack)
        half = area.height() // 2
        upper = area if not caption else area.adjusted(0, 2, 0, -half + 2)
        if row.is_randomised:
            room = upper.adjusted(0, 0, -20, 0)
            used = self._texts.draw(painter, title, room, weight="medium")
            self._draw_icon(painter, "mask", "warningText", room.left() + used + 5, upper, 14)
        else:
            self._texts.draw(painter, title, upper, weight="medium")
        if caption:
            lower = area.adjusted(0, half - 2, 0, -2)
            metrics = self._inks.metrics("caption")
            words = metrics.elidedText(caption, Qt.TextElideMode.ElideRight, lower.width())
            painter.setFont(self._inks.font("caption"))
            painter.setPen(self._inks.colour("text2"))
            painter.drawText(lower, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
                             words)  # fmt: skip


class ForestCard(Card):
    """A table whose second column is a picture of its rows."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._scale: ForestScale | None = None
        self._seen = _SEEN
        self.body.setContentsMargins(1, 9, 1, 8)
        self.body.setSpacing(6)
        self.heading = ElidedLabel("strong", hugs=True)
        self.heading.setObjectName("regressionTitle")
        self.people = chip("", "badge")
        self.people.setObjectName("regressionRespondents")
        self.stale_badge = chip("", "warningBadge")
        self.stale_badge.setObjectName("regressionStale")
        self.stale_badge.hide()
        self.legend = MarkLegend(themes)
        self.head.setContentsMargins(14, 0, 14, 0)
        for part in (self.heading, self.people, self.stale_badge):
            self.head.addWidget(part)
        self.head.addStretch(1)
        self.head.addWidget(self.legend)
        self.body.addLayout(self.head)
        self.model: ColumnModel[CoefficientRow] = ColumnModel(themes, (), self)
        self.table = TextTable(themes, "coefficients", self.tr("Coefficients"))
        self._header = _ForestHeader(themes, self.table)
        self.table.setHorizontalHeader(self._header)
        self.table.setModel(self.model)
        self._delegate = _ForestDelegate(themes, self.model)
        self.table.setItemDelegate(self._delegate)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.body.addWidget(self.table, 1)
        self.axis = ForestAxis(themes)
        self.body.addWidget(self.axis)
        self.constant = ElidedLabel("captionHint")
        self.constant.setObjectName("regressionConstant")
        self.hint = text("", "captionHint")
        foot = row(self.constant, self.hint, spacing=16)
        foot.setStretch(0, 1)
        foot.setContentsMargins(14, 0, 14, 0)
        self.body.addLayout(foot)
        self.body.addStretch(0)
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        self.table.restyle()
        size = self._themes.theme.font("caption").pixelSize()
        set_rules(
            self.table.horizontalHeader(),
            f"QHeaderView::section {{ font-size: {size}px; padding: 5px {PAD}px; }}"
            f"QHeaderView::section:first {{ padding-left: {EDGE}px; }}"
            f"QHeaderView::section:last {{ padding-right: {EDGE}px; }}",
        )
        self._fit()

    def show_answer(self, answer: SurveyResult, found: Regression) -> None:
        """Show the coefficients of another regression."""
        rows = coefficient_rows(answer, found)
        self.heading.setText(heading_words(answer, found))
        self.people.setText(respondents_words(found))
        self._header.sides = side_words(found)
        heads = head_words(found)
        columns: list[Column[CoefficientRow]] = [
            Column(tr("Predictor"), lambda one: one.title, is_left=True, tip=lambda one: one.tip,
                   spoken=lambda one: f"{one.title}, {one.caption}"),
            Column("", lambda _: "", tip=lambda one: one.tip, spoken=lambda one: one.tip),
            *(_number_column(head, place, len(heads)) for place, head in enumerate(heads)),
        ]  # fmt: skip
        marks = [mark for one in rows for mark in one.marks]
        self._scale = self._delegate.scale = make_scale(marks, is_ratio=has_odds(found))
        self.model.set_rows(rows, columns)
        level = percent(found.confidence)
        entries = [("reconstructed", tr("estimate ± %s") % level)]
        looks = {mark.look for mark in marks}
        entries += [("distorted", tr("uncorrected"))] if "distorted" in looks else []
        entries += [("original", tr("true"))] if "original" in looks else []
        self.legend.show_entries(tuple(entries))
        self.constant.setText(constant_words(found))
        self.hint.setText(no_difference_words(found))
        self.table.setVisible(bool(rows))
        self.axis.setVisible(bool(rows))
        self.hint.setVisible(bool(rows))
        said = "; ".join(one.tip.replace("\n", ", ") for one in rows)
        self.table.setAccessibleDescription(said)
        self._fit()

    def show_more(self, more: bool) -> None:
        """Take the height of most coefficients, where the cards around scroll in any case."""
        self._seen = _MOST if more else _SEEN
        self._fit()

    def set_stale(self, words: str) -> None:
        """Mark the answer as one to another question or design."""
        self.stale_badge.setText(words)
        self.stale_badge.setVisible(bool(words))
        self._delegate.is_stale = bool(words)
        self.table.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the picture the room that the numbers leave."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give numbers and names the width that they need, and the picture the rest."""
        if not self.model.columns:
            return
        px = self._themes.theme.px
        widths = [self._width_of(place) for place in range(2, len(self.model.columns))]
        widths[-1] += EDGE - PAD
        names = self._delegate.names_width(self.model.rows) if self.model.rows else 0
        bar = self.table.verticalScrollBar()
        room = self.width() - 4 - (bar.sizeHint().width() if bar.isVisible() else 0)
        rest = room - sum(widths)
        name = max(min(names + EDGE + PAD + 2, rest - px(120), px(300)), px(110))
        plot = max(min(rest - name, px(420)), px(100))
        name = max(rest - plot, px(110))
        self._delegate.is_short = names + EDGE + PAD > name
        header = self.table.horizontalHeader()
        for place, width in enumerate((name, plot, *widths)):
            header.resizeSection(place, width)
        if self._scale is not None:
            left = self.table.x() + name + PAD
            self.axis.show_scale(self._scale, left - self.axis.x(), plot - 2 * PAD)
        self._fit_rows()
        self.keep_at_least(px(110) + px(120) + sum(widths) + px(4))

    def _fit_rows(self) -> None:
        """Let the axis stand right below the last row."""
        count, px = len(self.model.rows), self._themes.theme.px
        if not count:
            return
        head = self.table.horizontalHeader().sizeHint().height()
        taken = self.head.sizeHint().height() + self.axis.sizeHint().height()
        taken += self.constant.sizeHint().height() + 4 * self.body.spacing() + 19
        free = self.height() - taken - head
        line = min(max(free // count, px(_LINE)), px(_HIGHEST))
        self.table.verticalHeader().setDefaultSectionSize(line)
        self.table.setMinimumHeight(px(_LINE) * min(count, self._seen) + head)
        self.table.setMaximumHeight(line * count + head)

    def _width_of(self, place: int) -> int:
        """How much room a column of numbers needs."""
        theme = self._themes.theme
        chosen = self.model.columns[place]
        widths = [
            self._delegate.text_width(chosen.text(one), "semibold" if place == 2 else "regular")
            for one in self.model.rows
        ]
        widths.append(self._delegate.head_width(chosen.title))
        return max(widths) + 2 * PAD + theme.px(4)


def _number_column(head: str, place: int, count: int) -> Column[CoefficientRow]:
    def cell(one: CoefficientRow) -> str:
        return one.cells[place]

    def bold(_: CoefficientRow) -> str:
        return "semibold"

    is_grey = 0 < place < count - 1
    return Column(
        head, cell, tip=lambda one: one.tip, ink="text2" if is_grey else "",
        weight=bold if place == 0 else None,
    )  # fmt: skip


# The predictions


class PredictionCard(Card):
    """What is expected by one predictor, all others as they were observed."""

    by_chosen = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._answer: SurveyResult | None = None
        self._shown: ModelPredictions | None = None
        self.heading = ElidedLabel("strong")
        self.heading.setObjectName("predictionTitle")
        self.outcome = self._box("predictionOutcome", self.tr("Predicted answer"))
        self.outcome.activated.connect(self._draw)
        self.by = self._box("predictionBy", self.tr("Predict by"))
        self.by.activated.connect(lambda: self.by_chosen.emit(str(self.by.currentData() or "")))
        self.head.addWidget(self.heading, 1)
        self.head.addWidget(self.outcome)
        self.head.addWidget(self.by)
        self.body.addLayout(self.head)
        self.legend = MarkLegend(themes)
        self.busy = text(self.tr("updating"), "accentBadge")
        self.busy.hide()
        self.others = text(self.tr("others as observed"), "captionHint")
        self.body.addLayout(row(self.legend, None, self.busy, self.others))
        self.plot = PredictionPlot(themes, self.tr("Predictions"))
        self.plot.setObjectName("predictionPlot")
        self.points = IntervalPlot(themes, self.tr("Predictions"))
        self.points.setObjectName("predictionPoints")
        self._area = scroll_area(self.points)
        self.absent = text("", "hint", wrap=True)
        self.absent.setObjectName("predictionAbsent")
        self.absent.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.stack = QStackedWidget()
        for part in (self.plot, self._area, self.absent):
            self.stack.addWidget(part)
        self.body.addWidget(self.stack, 1)
        self.keep_at_least(themes.theme.px(270))

    def _box(self, name: str, words: str) -> QComboBox:
        box = QComboBox()
        box.setObjectName(name)
        box.setAccessibleName(words)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(11)
        return box

    def show_state(self, answer: SurveyResult, found: Regression, state: ModelState) -> None:
        """Show predictions, that they are on their way, or why there are none."""
        self._answer, self._shown = answer, state.predictions
        study = answer.study
        with QSignalBlocker(self.by):
            self.by.clear()
            for name in found.formula.predictors:
                self.by.addItem(tr("by %s") % study.shown(name), name)
            self.by.setCurrentIndex(self.by.findData(state.by))
        self.by.setVisible(self.by.count() > 0)
        rows = () if state.predictions is None else state.predictions.rows
        outcomes = list(dict.fromkeys(one.outcome for one in rows if one.outcome))
        before = self.outcome.currentData()
        with QSignalBlocker(self.outcome):
            self.outcome.clear()
            for value in outcomes:
                self.outcome.addItem(value, value)
            marked = study.design[found.formula.outcome].attribute.sensitive
            wanted = before if before in outcomes else next(iter(marked), outcomes[-1:] and
                                                            outcomes[-1])  # fmt: skip
            self.outcome.setCurrentIndex(max(self.outcome.findData(wanted), 0))
        self.outcome.setVisible(len(outcomes) > 1)
        self.busy.setVisible(state.is_predicting)
        self._draw()

    def _draw(self) -> None:
        answer, shown = self._answer, self._shown
        if answer is None or not isinstance(answer.result, Regression):
            return
        found = answer.result
        outcome = str(self.outcome.currentData() or "")
        self.heading.setText(prediction_title(answer, found, outcome))
        self.legend.show_entries(
            (("reconstructed", tr("prediction ± %s") % percent(found.confidence)),)
        )
        rows = () if shown is None else shown.rows
        rows = tuple(one for one in rows if one.outcome in ("", outcome))
        if shown is None or not rows:
            self._show_absent(answer, found, shown)
            return
        figures = EstimateFormat.of_share()
        if found.model in (LINEAR, POISSON):
            attribute = answer.study.design[found.formula.outcome].attribute
            figures = EstimateFormat.of_number(attribute)
        self.legend.show()
        self.others.setVisible(len(found.formula.predictors) > 1 and not self.busy.isVisible())
        by = answer.study.design[shown.by].attribute
        if by.kind.is_categorical or len(rows) == 1:
            self._draw_points(rows, shown.by, figures)
        else:
            name = with_unit(answer.study.shown(shown.by), answer.study.unit(shown.by))
            self._draw_line(rows, shown.by, name, figures)

    def _show_absent(
        self, answer: SurveyResult, found: Regression, shown: ModelPredictions | None
    ) -> None:
        if not found.formula.predictors:
            said = tr("Add a predictor to see predictions.")
        elif shown is not None and shown.refusal:
            said = translate(answer.study.titled(shown.refusal))
        elif shown is not None or not self.busy.isVisible():
            said = tr("Nothing can be predicted by this predictor.")
        else:
            said = tr("Computing…")
        self.absent.setText(said)
        self.legend.hide()
        self.others.hide()
        self.stack.setCurrentWidget(self.absent)

    def _draw_points(self, rows: Sequence[Prediction], by: str, figures: EstimateFormat) -> None:
        shown = tuple(
            IntervalRow(
                one.given[by],
                (Mark("reconstructed", tr("prediction"), one.estimate, one.low, one.high),),
                "", figures.with_reach(_estimate(one)),
            )
            for one in rows
        )  # fmt: skip
        if figures.is_share:
            self.points.show_rows(shown, figures.text, scale=100.0, unit=f"{THIN}%", from_zero=True)
        else:
            self.points.show_rows(shown, figures.text, from_zero=False)
        self.points.setMaximumHeight(self._themes.theme.px(34 + 52 * len(shown)))
        self.stack.setCurrentWidget(self._area)

    def _draw_line(
        self, rows: Sequence[Prediction], by: str, name: str, figures: EstimateFormat
    ) -> None:
        x = np.array([float(one.given[by]) for one in rows])
        y, low, high = (
            np.array([getattr(one, what) for one in rows]) for what in ("estimate", "low", "high")
        )
        places = sorted({0, len(rows) // 2, len(rows) - 1})
        told = tuple((place, figures.with_reach(_estimate(rows[place]))) for place in places)
        line = PredictedLine(name, x, y, low, high, told, figures.is_share)
        self.plot.show_line(line, figures.text)
        self.stack.setCurrentWidget(self.plot)

    def set_stale(self, stale: bool) -> None:
        """Dim what belongs to another question or design."""
        self.plot.set_stale(stale)
        self.points.set_stale(stale)


def _estimate(one: Prediction) -> Estimate:
    return Estimate(one.estimate, one.low, one.high, one.standard_error, None, None)


# Tests, errors and checks


class TestsCard(Card):
    """Whether the predictors explain anything."""

    __test__ = False  # not a test of the suite

    def __init__(self) -> None:
        super().__init__(self.tr("Does the model explain anything?"))
        self._lines: list[tuple[QLabel, QLabel, QWidget]] = []
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(5)
        self._grid.setColumnStretch(0, 1)
        self.body.addLayout(self._grid)
        self.note = text("", "captionHint", wrap=True)
        self.add(self.note)
        self.body.addStretch(1)

    def show_rows(self, rows: Sequence[tuple[str, str]], note: str) -> None:
        """Show other tests."""
        while len(self._lines) < len(rows):
            place = 2 * len(self._lines)
            what, result, rule = text("", "body", wrap=True), text("", "secondary"), line()
            for label in (what, result):
                label.setTextFormat(Qt.TextFormat.PlainText)
            result.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._grid.addWidget(what, place, 0)
            self._grid.addWidget(result, place, 1)
            self._grid.addWidget(rule, place + 1, 0, 1, 2)
            self._lines.append((what, result, rule))
        for place, parts in enumerate(self._lines):
            for part in parts:
                part.setVisible(place < len(rows))
            if place < len(rows):
                parts[0].setText(rows[place][0])
                parts[1].setText(rows[place][1])
        self.note.setText(note)

    @property
    def texts(self) -> list[tuple[str, str]]:
        """What is seen."""
        return [
            (what.text(), result.text()) for what, result, _ in self._lines if not what.isHidden()
        ]


class ErrorsCard(Card):
    """Where the standard errors come from."""

    variance_chosen = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.tr("Standard errors"))
        self.variance = Segmented(
            themes, self.tr("Standard errors"), [(one, variance_word(one)) for one in VARIANCES]
        )
        self.variance.setObjectName("regressionVariance")
        self.variance.chosen.connect(self.variance_chosen)
        self.body.addLayout(row(self.variance, None))
        self.words = text("", "secondary", wrap=True)
        self.words.setObjectName("errorWords")
        self.add(self.words)
        self.body.addStretch(1)

    def show_answer(self, answer: SurveyResult, found: Regression) -> None:
        """Tell of the errors of another regression."""
        self.variance.set_current(found.variance)
        reasons = why_no_variance(answer.question, answer.study)
        self.variance.set_disabled({key: translate(why) for key, why in reasons.items()})
        self.words.setText(error_words(answer, found))


class ChecksCard(Card):
    """What speaks for the numbers, and what against them."""

    fit_requested = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.tr("Checks"))
        self._themes = themes
        self._lines: list[tuple[IconLabel, QLabel, QWidget]] = []
        self.fit_button = Button(themes, self.tr("Test the fit"), "", "link")
        self.fit_button.setObjectName("testFit")
        self.fit_button.clicked.connect(self.fit_requested)
        self.head.addWidget(self.fit_button)
        self._list = column(spacing=4)
        self.body.addLayout(self._list)
        self.left_out = text("", "captionHint", wrap=True)
        self.left_out.setObjectName("regressionLeftOut")
        self.add(self.left_out)
        self.body.addStretch(1)

    def show_state(self, answer: SurveyResult, found: Regression, state: ModelState) -> None:
        """Show other checks."""
        self._show(check_rows(answer, found, state.judged))
        self.left_out.setText(left_out_words(found))
        why = why_no_fit_test(answer)
        is_free = why is None and not state.is_judging
        self.fit_button.setEnabled(is_free)
        self.fit_button.setText(
            self.tr("Testing…") if state.is_judging else self.tr("Test the fit")
        )
        tip = self.tr("Compare reported and expected answers in 199 simulated surveys.")
        self.fit_button.setToolTip(tip if why is None else translate(why))

    def _show(self, rows: Sequence[Check]) -> None:
        while len(self._lines) < len(rows):
            mark, words = IconLabel(self._themes, "check", "text2", 15), text("", wrap=True)
            words.setTextFormat(Qt.TextFormat.PlainText)
            words.setProperty("type", "secondary")
            holder = QWidget()
            layout = row(mark, words, parent=holder, spacing=8)
            layout.setStretch(1, 1)
            layout.setAlignment(mark, Qt.AlignmentFlag.AlignTop)
            self._list.addWidget(holder)
            self._lines.append((mark, words, holder))
        for place, (mark, words, holder) in enumerate(self._lines):
            holder.setVisible(place < len(rows))
            if place < len(rows):
                is_good, said = rows[place]
                if is_good:
                    mark.show_icon("check", "good")
                else:
                    mark.show_icon("warning", "warningText")
                words.setText(said)

    @property
    def texts(self) -> list[str]:
        """What is seen."""
        return [words.text() for _, words, holder in self._lines if not holder.isHidden()]


class RegressionView(QWidget):
    """All cards of a regression; where there is little room they stand below each other."""

    by_chosen = Signal(str)
    variance_chosen = Signal(str)
    fit_requested = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._is_narrow: bool | None = None
        self.forest = ForestCard(themes)
        self.prediction = PredictionCard(themes)
        self.prediction.by_chosen.connect(self.by_chosen)
        self.tests = TestsCard()
        self.errors = ErrorsCard(themes)
        self.errors.variance_chosen.connect(self.variance_chosen)
        self.checks = ChecksCard(themes)
        self.checks.fit_requested.connect(self.fit_requested)
        self._inside = QWidget()
        self._grid = QGridLayout(self._inside)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(10)
        self.area = scroll_area(self._inside)
        column(self.area, parent=self)
        self._arrange(is_narrow=False)

    def _arrange(self, *, is_narrow: bool) -> None:
        """Two cards above three, or all but one over the whole width."""
        if is_narrow == self._is_narrow:
            return
        self._is_narrow = is_narrow
        cards = (self.forest, self.prediction, self.tests, self.errors, self.checks)
        wide = ((0, 0, 4), (0, 4, 2), (1, 0, 2), (1, 2, 2), (1, 4, 2))
        narrow = ((0, 0, 6), (1, 0, 6), (2, 0, 3), (2, 3, 3), (3, 0, 6))
        for card, (down, across, span) in zip(cards, narrow if is_narrow else wide, strict=True):
            self._grid.removeWidget(card)
            self._grid.addWidget(card, down, across, 1, span)
        self.forest.show_more(is_narrow)
        for place in range(6):
            self._grid.setColumnStretch(place, 1)
        self._grid.setRowStretch(0, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Put the cards where they have room."""
        super().resizeEvent(event)
        self._arrange(is_narrow=self.width() < self._themes.theme.px(_NARROW))

    def show_answer(self, answer: SurveyResult) -> None:
        """Show an answer."""
        found = answer.result
        assert isinstance(found, Regression)  # noqa: S101 (other answers have other cards)
        self.forest.show_answer(answer, found)
        self.tests.show_rows(test_rows(answer, found), tests_note(found))
        self.errors.show_answer(answer, found)

    def show_state(self, answer: SurveyResult, state: ModelState) -> None:
        """Show what is told beside the coefficients."""
        found = answer.result
        assert isinstance(found, Regression)  # noqa: S101 (other answers have other cards)
        self.prediction.show_state(answer, found, state)
        self.checks.show_state(answer, found, state)

    def set_stale(self, words: str) -> None:
        """Mark everything as older."""
        self.forest.set_stale(words)
        self.prediction.set_stale(bool(words))
