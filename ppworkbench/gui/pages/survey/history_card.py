"""Questions that were asked."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from ppworkbench.gui.icons import icon
from ppworkbench.gui.language import tr
from ppworkbench.gui.pages.survey.result_cards import chip
from ppworkbench.gui.pages.survey.texts import past_cells
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import text
from ppworkbench.gui.widgets.table import Index, TextTable, copy_rows
from ppworkbench.study.analyses.survey import Question
from ppworkbench.study.analyses.survey_history import PastQuestion

COPY = 7
_LEFT = frozenset({0, 1, 6})
_GREY = frozenset({1, 3, 4, 5, 6})


class AskedModel(QAbstractTableModel):
    """Condition, statistic, estimate, interval, at face value, true, method, copy."""

    def __init__(self, themes: ThemeManager, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._themes = themes
        self.rows: tuple[PastQuestion, ...] = ()
        self._cells: dict[int, tuple[str, ...]] = {}
        self.current: frozenset[str] | None = None
        """The fingerprints of answers for the design of now; None while they are not known."""
        self.shown: Question | None = None
        """The question whose answer is on the page."""

    def show_rows(self, rows: tuple[PastQuestion, ...]) -> None:
        """Show other questions."""
        self.beginResetModel()
        self.rows, self._cells = rows, {}
        self.endResetModel()

    def set_current(self, marks: frozenset[str] | None) -> None:
        """Tell which answers are for the design of now."""
        if marks != self.current:
            self.current = marks
            self._refresh()

    def set_shown(self, question: Question | None) -> None:
        """Tell which answer is on the page."""
        if question != self.shown:
            self.shown = question
            self._refresh()

    def _refresh(self) -> None:
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, COPY))

    def is_older(self, row: int) -> bool:
        """Whether an answer belongs to another design or draw."""
        return self.current is not None and self.rows[row].mark not in self.current

    def cells(self, row: int) -> tuple[str, ...]:
        """A row in words and numbers."""
        if row not in self._cells:
            self._cells[row] = past_cells(self.rows[row])
        return self._cells[row]

    def is_shown(self, row: int) -> bool:
        """Whether an answer is the one on the page."""
        return self.shown is not None and self.rows[row].question == self.shown

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of questions."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """As the heads say."""
        return 0 if parent.isValid() else COPY + 1

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(section)
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        return (
            tr("Condition"), tr("Statistic"), tr("Estimate"), tr("95 % interval"),
            tr("At face value"), tr("True"), tr("Method"), "",
        )[section]  # fmt: skip

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell."""
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row, column = index.row(), index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._words(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(column)
        return self._look(row, column, role)

    def _look(self, row: int, column: int, role: int) -> Any:
        if role == Qt.ItemDataRole.FontRole:
            strong = column == 2 or (column == 0 and self.is_shown(row))
            return self._themes.theme.font("body", "semibold" if strong else "regular")
        return self._ink(row, column) if role == Qt.ItemDataRole.ForegroundRole else None

    def look(self, row: int, column: int) -> tuple[str, QFont, QColor, Qt.AlignmentFlag]:
        """Words, font, colour and side of a cell at once, for painting."""
        font = self._look(row, column, Qt.ItemDataRole.FontRole)
        return self._words(row, column), font, self._ink(row, column), _side(column)

    def _ink(self, row: int, column: int) -> Any:
        older = self.is_older(row)
        name = "text3" if older else "text2" if column in _GREY else "text"
        return self._themes.theme.colour(name)

    def _words(self, row: int, column: int) -> str:
        return "" if column == COPY else self.cells(row)[column]

    def _tip(self, row: int, column: int) -> str:
        if column == COPY:
            return tr("Copy this row")
        asked = self.rows[row]
        lines = [self.cells(row)[0]]
        if asked.time:
            lines.append(tr("asked at %s") % asked.time)
        if self.is_older(row):
            lines.append(tr("This answer is for an earlier design; click to ask again."))
        return "\n".join(lines)


def _side(section: int) -> Qt.AlignmentFlag:
    left = Qt.AlignmentFlag.AlignLeft if section in _LEFT else Qt.AlignmentFlag.AlignRight
    return left | Qt.AlignmentFlag.AlignVCenter


_LEAST_CONDITION = 180
_WIDTHS = {1: 190, 2: 96, 3: 120, 4: 110, 5: 84, 6: 104, COPY: 40}


class AskedDelegate(QStyledItemDelegate):
    """Hairlines between rows, a tint under the answer on the page, an icon to copy."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one cell."""
        theme, model = self._themes.theme, index.model()
        assert isinstance(model, AskedModel)  # noqa: S101 (the view has no other)
        painter.save()
        box: QRect = option.rect  # type: ignore[attr-defined]  # not in the stubs
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]  # not in the stubs
        if model.is_shown(index.row()):
            painter.fillRect(box, theme.colour("accentTint"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, theme.colour("hover"))
        painter.setPen(QPen(theme.colour("border"), 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        if index.column() == COPY:
            spot = QRect(box.center().x() - 7, box.center().y() - 7, 15, 15)
            icon("copy", theme.colour("text2")).paint(painter, spot)
        else:
            pad = 14 if index.column() == 0 else 7
            area = box.adjusted(pad, 0, -7, 0)
            words, font, ink, side = model.look(index.row(), index.column())
            painter.setFont(font)
            painter.setPen(ink)
            metrics = painter.fontMetrics()
            if metrics.horizontalAdvance(words) > area.width():
                words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, area.width())
            painter.drawText(area, side, words)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(theme.colour("focus"), 1))
            painter.drawRect(box.adjusted(0, 0, -1, -1))
        painter.restore()


class AskedTable(TextTable):
    """Enter does what a click does."""

    row_chosen = Signal(int)
    copy_chosen = Signal(int)
    remove_chosen = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Bring a row back, or remove it."""
        row = self.currentIndex().row()
        plain = not event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row >= 0 and plain:
            self.row_chosen.emit(row)
        elif event.key() == Qt.Key.Key_Delete and row >= 0:
            self.remove_chosen.emit(row)
        else:
            super().keyPressEvent(event)


class AskedCard(Card):
    """A heading with the number of questions, and the list."""

    question_chosen = Signal(object)
    removed = Signal(int)
    cleared = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self.body.setContentsMargins(1, 1, 1, 4)
        self.body.setSpacing(4)
        self.head.setContentsMargins(14, 9, 14, 2)
        self.head.addWidget(text(self.tr("Asked so far"), "strong"))
        self.count = chip("0", "badge")
        self.head.addWidget(self.count)
        self.hint = text("", "hint")
        self.head.addStretch(1)
        self.head.addWidget(self.hint)
        self.clear_button = Button(themes, self.tr("Clear"), "", "link")
        self.clear_button.setObjectName("clearAsked")
        self.clear_button.setToolTip(self.tr("Forget all questions of this study"))
        self.clear_button.clicked.connect(self.cleared)
        self.head.addWidget(self.clear_button)
        self.body.addLayout(self.head)
        self.model = AskedModel(themes, self)
        self.table = AskedTable(themes, "asked", self.tr("Asked so far"))
        self.table.setModel(self.model)
        self._delegate = AskedDelegate(themes)
        self.table.setItemDelegate(self._delegate)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setMouseTracking(True)
        self.table.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.clicked.connect(self._on_clicked)
        self.table.row_chosen.connect(self.choose)
        self.table.remove_chosen.connect(self.removed)
        self.table.addAction(self.tr("Remove")).triggered.connect(self._on_remove)
        self.table.setMinimumHeight(46)
        self.body.addWidget(self.table, 1)
        self.empty = text(
            self.tr("Every question that you ask is kept here, with the study."), "hint", wrap=True
        )
        self.empty.setContentsMargins(14, 0, 14, 10)
        self.body.addWidget(self.empty)
        themes.theme_changed.connect(self._restyle)
        self._restyle()
        self.show_rows(())

    def _restyle(self) -> None:
        theme = self._themes.theme
        self.table.verticalHeader().setDefaultSectionSize(theme.px(28))
        head = self.table.horizontalHeader()
        head.setStretchLastSection(False)
        self._fit_conditions()
        for section, width in _WIDTHS.items():
            head.setSectionResizeMode(section, QHeaderView.ResizeMode.Fixed)
            head.resizeSection(section, theme.px(width))
        size = theme.font("caption").pixelSize()
        set_rules(
            head,
            f"QHeaderView::section {{ font-size: {size}px; padding: 5px 7px; }}"
            "QHeaderView::section:first { padding-left: 14px; }",
        )

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the conditions what room there is."""
        super().resizeEvent(event)
        self._fit_conditions()

    def _fit_conditions(self) -> None:
        """What was asked is never cut to nothing; numbers in large type are scrolled to."""
        px, head = self._themes.theme.px, self.table.horizontalHeader()
        least = px(_LEAST_CONDITION)
        fits = self.width() - sum(map(px, _WIDTHS.values())) >= least
        mode = QHeaderView.ResizeMode.Stretch if fits else QHeaderView.ResizeMode.Fixed
        if head.sectionResizeMode(0) != mode:
            head.setSectionResizeMode(0, mode)
        if not fits and head.sectionSize(0) != least:
            head.resizeSection(0, least)

    def show_rows(self, rows: tuple[PastQuestion, ...]) -> None:
        """Show other questions."""
        self.model.show_rows(rows)
        self.count.setText(str(len(rows)))
        self.table.setVisible(bool(rows))
        self.empty.setVisible(not rows)
        self.clear_button.setVisible(bool(rows))
        self.hint.setText(self.tr("click a row to bring it back") if rows else "")

    def choose(self, row: int) -> None:
        """Bring a question back."""
        if 0 <= row < len(self.model.rows):
            self.question_chosen.emit(self.model.rows[row].question)

    def _on_clicked(self, index: QModelIndex) -> None:
        if index.column() == COPY:
            self.copy_row(index.row())
        else:
            self.choose(index.row())

    def _on_remove(self) -> None:
        if self.table.currentIndex().isValid():
            self.removed.emit(self.table.currentIndex().row())

    def copy_row(self, row: int) -> None:
        """Put a row on the clipboard, under its heads."""
        heads = [
            str(self.model.headerData(section, Qt.Orientation.Horizontal))
            for section in range(COPY)
        ]
        copy_rows([heads, list(self.model.cells(row))])
