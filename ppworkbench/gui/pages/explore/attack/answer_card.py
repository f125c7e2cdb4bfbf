"""The right column of the lab: the sentence, what the attacker knows, and the numbers."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView

from ppworkbench.gui.pages.explore.attack.picture import Shown
from ppworkbench.gui.pages.explore.loss_card import LossTable
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.icon_button import IconLabel
from ppworkbench.gui.widgets.layouts import row, text
from ppworkbench.gui.widgets.text_table import TextModel

_EDGE, _PAD = 12, 5
"""From the card's edge to its text, and from a cell's; text of both stands in one line."""
_LEAST = 62


class AnswerCard(Card):
    """Says what happened before it shows numbers."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self.sentence = text("", "body", wrap=True)
        self.sentence.setObjectName("attackSentence")
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.knows = text("", "captionHint", wrap=True)
        self.knows.setObjectName("attackKnows")
        self.model = TextModel(themes, self)
        self.table = LossTable()
        self.table.setObjectName("attackTable")
        self.table.setAccessibleName(self.tr("Numbers of the attack"))
        self.table.setModel(self.model)
        self.table.setShowGrid(False)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.table.setWordWrap(False)
        self.table.verticalHeader().hide()
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.table.addAction(self.tr("Copy table")).triggered.connect(self.table.copy)
        self.table.horizontalHeader().setHighlightSections(False)
        head = row(
            IconLabel(themes, "shield", "accentInk", 16), text(self.tr("In words"), "strong"), None
        )
        for item in (head, row(self.sentence), row(self.knows)):
            item.setContentsMargins(_EDGE, 0, _EDGE, 0)
            self.body.addLayout(item)
        self.body.setContentsMargins(1, 11, 1, 8)
        inset = row(self.table)
        inset.setContentsMargins(_EDGE - _PAD, 0, _EDGE - _PAD, 0)
        self.body.addLayout(inset, 1)
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def show_result(self, shown: Shown) -> None:
        """Show a sentence and its numbers."""
        self.sentence.setText(shown.sentence)
        self.knows.setText(shown.knows)
        self.model.show_rows(shown.heads, shown.table)
        self._resize()

    def show_nothing(self) -> None:
        """There is no result."""
        self.sentence.setText(self.tr("No attack was carried out."))
        self.knows.setText("")
        self.model.show_rows((), ())

    def _restyle(self) -> None:
        theme = self._themes.theme
        size = theme.font("caption").pixelSize()
        # Qt adds three pixels to what is left beside the text of a cell.
        set_rules(
            self.table,
            f"QTableView {{ font-size: {size}px; }}QTableView::item {{ padding: 0 {_PAD - 3}px; }}",
        )
        set_rules(
            self.table.horizontalHeader(),
            f"QHeaderView::section {{ font-size: {size}px; padding: 5px {_PAD}px; }}",
        )
        self.table.verticalHeader().setDefaultSectionSize(theme.px(26))
        self._resize()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the words what the numbers leave."""
        super().resizeEvent(event)
        self._resize()

    def _resize(self) -> None:
        """As wide as the numbers need; where even that is too much, the table scrolls."""
        count = self.model.columnCount()
        if not count:
            return
        self.table.resizeColumnsToContents()
        rest = sum(self.table.columnWidth(section) for section in range(1, count))
        bar = self.table.verticalScrollBar()
        room = self.width() - 2 * (_EDGE - _PAD) - 4 - rest
        room -= bar.width() if bar.isVisible() else 0
        self.table.setColumnWidth(0, max(room, self._themes.theme.px(_LEAST)))
