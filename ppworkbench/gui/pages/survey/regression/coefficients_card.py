"""The coefficients of a regression: a table whose second column is a picture of its rows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView

from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.core.models import Regression
from ppworkbench.gui.charts.legend import PictureLegend
from ppworkbench.gui.charts.looks import role_brush
from ppworkbench.gui.charts.regression import ForestAxis, ForestScale, draw_forest, make_scale
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import percent
from ppworkbench.gui.pages.survey.regression.texts import (
    CoefficientRow,
    coefficient_rows,
    constant_words,
    has_odds,
    head_words,
    heading_words,
    no_difference_words,
    respondents_words,
    side_words,
)
from ppworkbench.gui.pages.survey.result_cards import chip
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import EDGE, PAD, CellDelegate, Column
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import row, text
from ppworkbench.gui.widgets.provenance import marked_invented
from ppworkbench.gui.widgets.table import ColumnModel, TextTable

_LINE, _HIGHEST = 36, 72
"""How high a row of coefficients is at least, and at most."""
_SEEN, _MOST = 4, 12
"""So many of them are seen even where there is little room, and where there is enough."""
_NAME, _PLOT = 0, 1


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
        self.legend = PictureLegend(themes)
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
        self.table.refresh_style()
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
        entries += [("original", marked_invented(tr("true")))] if "original" in looks else []
        self.legend.show_entries(tuple(entries))
        self.constant.setText(constant_words(answer, found))
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
        heads = sum(map(self._delegate.head_width, self._header.sides)) + 2 * PAD + px(12)
        least = max(px(120), heads)
        name = max(min(names + EDGE + PAD + 2, rest - least, px(300)), px(110))
        plot = max(min(rest - name, px(420)), least)
        name = max(rest - plot, px(110))
        self._delegate.is_short = names + EDGE + PAD > name
        header = self.table.horizontalHeader()
        for place, width in enumerate((name, plot, *widths)):
            header.resizeSection(place, width)
        if self._scale is not None:
            left = self.table.x() + name + PAD
            self.axis.show_scale(self._scale, left - self.axis.x(), plot - 2 * PAD)
        self._fit_rows()
        self.keep_at_least(px(110) + least + sum(widths) + px(4))

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
