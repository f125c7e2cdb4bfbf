"""A field over a table that leaves only the rows with some words."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QTableView, QWidget

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.icon_button import IconButton
from ppworkbench.gui.widgets.layouts import row, text
from ppworkbench.gui.widgets.leaving_field import LeavingField
from ppworkbench.gui.words import number

_AT_ONCE = 400
"""Cells that are looked at before the window is given a chance to paint."""
_WIDTH, _HEIGHT = 300, 25


class FilterBar(QFrame):
    """Stands in the upper right corner of a table until it is closed with Esc."""

    def __init__(self, themes: ThemeManager, view: QTableView | QListView) -> None:
        super().__init__(view)
        self._view = view
        self._themes = themes
        self._work: Iterator[None] = iter(())
        self._is_filtered = False
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._go_on)
        self.setObjectName("filterBar")
        self.setProperty("look", "card")
        self.field = LeavingField()
        self.field.setObjectName("tableFilter")
        self.field.setPlaceholderText(self.tr("Filter the rows"))
        self.field.setAccessibleName(self.tr("Filter the rows"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self.apply)
        self.field.left.connect(self.close_bar)
        self.count = text("", "captionHint")
        shut = IconButton(themes, "close", self.tr("Show all rows again"), 14)
        shut.setObjectName("closeFilter")
        shut.clicked.connect(self.close_bar)
        layout = row(self.field, self.count, shut, parent=self, spacing=6)
        layout.setContentsMargins(2, 1, 2, 1)
        layout.setStretch(0, 1)
        view.installEventFilter(self)
        model = view.model()
        for changed in (model.modelReset, model.layoutChanged, model.rowsInserted):
            changed.connect(self.apply)

    def open_bar(self) -> None:
        """Show the field and let it take the keyboard."""
        self.setVisible(True)
        self._place()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self.apply()

    def close_bar(self) -> None:
        """Show all rows again."""
        self.hide()
        self.field.clear()
        self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def apply(self) -> None:
        """Look through the rows; a long table is looked through in pieces."""
        words = self.field.text().casefold().split()
        if not words and not self._is_filtered:
            return
        self._is_filtered = bool(words)
        self._work = self._look(words)
        self._timer.start()
        self._go_on()

    def _go_on(self) -> None:
        if next(self._work, self) is self:
            self._timer.stop()

    def _look(self, words: list[str]) -> Iterator[None]:
        model = self._view.model()
        columns = range(model.columnCount())
        left = looked_at = 0
        for place in range(model.rowCount()):
            said = " ".join(str(model.index(place, c).data() or "") for c in columns if words)
            fits = all(word in said.casefold() for word in words)
            left += fits
            self._view.setRowHidden(place, not fits)
            looked_at += len(columns)
            if looked_at > _AT_ONCE:
                looked_at = 0
                yield
        total = model.rowCount()
        self.count.setText(self.tr("%s of %s") % (number(left), number(total)) if words else "")

    def _place(self) -> None:
        px = self._themes.theme.px
        width = min(px(_WIDTH), self._view.width() - 8)
        # As high as a head of columns, so that no row is covered.
        self.field.setFixedHeight(px(_HEIGHT))
        self.setGeometry(self._view.width() - width - 2, 0, width, px(_HEIGHT) + 4)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Stay in the corner."""
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)


def open_filter(page: QWidget, themes: ThemeManager) -> bool:
    """Open the field over the table that has the focus, else over the largest; False if none."""
    view = _meant(page)
    if view is None:
        return False
    bar = view.findChild(FilterBar) or FilterBar(themes, view)
    bar.open_bar()
    return True


def _meant(page: QWidget) -> QTableView | QListView | None:
    found = [
        view
        for view in page.findChildren(QAbstractItemView)
        if isinstance(view, QTableView | QListView) and view.isVisible() and view.model().rowCount()
    ]
    focused = page.window().focusWidget()
    for view in found:
        if view is focused or view.isAncestorOf(focused):
            return view
    return max(found, key=lambda view: view.width() * view.height(), default=None)
