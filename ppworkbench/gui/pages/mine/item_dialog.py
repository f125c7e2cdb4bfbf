"""The window in which items are chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from ppworkbench.analyses.mining.items import AvailableItems, ItemOption
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.controls import Button, filter_field
from ppworkbench.gui.widgets.layout import column, named, row, text


class ItemTree(QTreeWidget):
    """Attributes with one item are one row; others have a heading that ticks all below it."""

    ticked_changed = Signal()

    def __init__(self, items: Sequence[ItemOption]) -> None:
        super().__init__()
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        by_attribute: dict[str, list[ItemOption]] = {}
        for item in items:
            by_attribute.setdefault(item.attribute, []).append(item)
        self._rows: dict[ItemOption, QTreeWidgetItem] = {}
        self._headings: list[QTreeWidgetItem] = []
        for own in by_attribute.values():
            heading = QTreeWidgetItem([own[0].title]) if len(own) > 1 else None
            rows = [QTreeWidgetItem([one.value if heading else one.words]) for one in own]
            self._rows |= dict(zip(own, rows, strict=True))
            for one in rows:
                one.setCheckState(0, Qt.CheckState.Unchecked)
            if heading is not None:
                heading.setFlags(heading.flags() | Qt.ItemFlag.ItemIsAutoTristate)
                heading.addChildren(rows)
                self._headings.append(heading)
            self.addTopLevelItems(rows if heading is None else [heading])
        self.expandAll()
        self._pressed: Qt.CheckState | None = None
        self.itemPressed.connect(self._on_pressed)
        self.itemClicked.connect(self._on_clicked)
        self.itemChanged.connect(lambda *_: self._on_changed())

    @property
    def chosen(self) -> tuple[ItemOption, ...]:
        checked = Qt.CheckState.Checked
        return tuple(item for item, row in self._rows.items() if row.checkState(0) is checked)

    @property
    def shown(self) -> tuple[ItemOption, ...]:
        return tuple(item for item, row in self._rows.items() if not row.isHidden())

    def set_filter(self, text: str) -> None:
        """Show only what holds all words."""
        words = text.lower().split()
        self.setUpdatesEnabled(False)
        for item, shown in self._rows.items():
            name = f"{item.attribute} {item.words}".lower()
            shown.setHidden(not all(word in name for word in words))
        for heading in self._headings:
            below = (heading.child(place) for place in range(heading.childCount()))
            heading.setHidden(all(one.isHidden() for one in below))
        self.setUpdatesEnabled(True)

    def tick(self, items: Iterable[ItemOption], on: bool) -> None:
        with QSignalBlocker(self):
            for item in items:
                state = Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
                self._rows[item].setCheckState(0, state)
        self._on_changed()

    def tick_only(self, items: Iterable[ItemOption]) -> None:
        with QSignalBlocker(self):
            self.tick(self._rows, False)
        self.tick(items, True)

    def _on_pressed(self, row: QTreeWidgetItem) -> None:
        self._pressed = row.checkState(0)

    def _on_clicked(self, row: QTreeWidgetItem) -> None:
        """Tick by a click on the words as well; one on the box has done so."""
        if row.checkState(0) is self._pressed:
            is_on = self._pressed is Qt.CheckState.Checked
            row.setCheckState(0, Qt.CheckState.Unchecked if is_on else Qt.CheckState.Checked)
        self._pressed = None

    def _on_changed(self) -> None:
        checked = Qt.CheckState.Checked
        with QSignalBlocker(self):
            for heading in self._headings:
                states = [heading.child(i).checkState(0) for i in range(heading.childCount())]
                ticked = sum(state is checked for state in states)
                heading.setText(1, self.tr("%s of %s") % (number(ticked), number(len(states))))
        self.viewport().update()
        self.ticked_changed.emit()


class ItemDialog(QDialog):
    """A filter, the list, and buttons that tick what the filter shows."""

    def __init__(
        self,
        themes: ThemeManager,
        offer: AvailableItems,
        chosen: Sequence[ItemOption],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Choose items"))
        self.setObjectName("chooseItems")
        self._total = len(offer.items)
        self.field = filter_field(
            "itemFilter", self.tr("Filter, e.g. district"), self.tr("Filter the items")
        )
        self.list = named(ItemTree(offer.items), "itemList", self.tr("Items"))
        self.all_button = self._link(themes, self.tr("Select all"), "tickAll")
        self.none_button = self._link(themes, self.tr("Clear all"), "tickNone")
        self.usual_button = self._link(themes, self.tr("Suggested"), "tickUsual")
        self.usual_button.setToolTip(
            self.tr("Some binary and nominal attributes, without the class")
        )
        self.count = text("", "hint")
        self.use = named(Button(themes, self.tr("Use these items"), look="primary"), "useItems")
        self.use.setDefault(True)
        self.leave = named(Button(themes, self.tr("Cancel")), "leaveItems")
        self.leave.setAutoDefault(False)
        self.refusal = named(text(self._refusal(offer), "captionHint", wrap=True), "refusedItems")
        self.refusal.setVisible(bool(offer.refused))
        self.all_button.clicked.connect(lambda: self.list.tick(self.list.shown, True))
        self.none_button.clicked.connect(lambda: self.list.tick(self.list.shown, False))
        self.usual_button.clicked.connect(lambda: self.list.tick_only(offer.usual))
        self.field.textChanged.connect(self.list.set_filter)
        self.list.ticked_changed.connect(self._on_ticked)
        self.use.clicked.connect(self.accept)
        self.leave.clicked.connect(self.reject)
        links = row(self.all_button, self.none_button, self.usual_button, None, spacing=14)
        foot = row(self.count, None, self.leave, self.use)
        layout = column(
            self.field, links, self.list, self.refusal, foot, parent=self, spacing=8, margin=14
        )
        layout.setStretch(2, 1)
        self.list.tick_only(chosen)
        self.resize(self.sizeHint())
        self.field.setFocus()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(430, 560)

    @property
    def chosen(self) -> tuple[ItemOption, ...]:
        return self.list.chosen

    def _link(self, themes: ThemeManager, words: str, name: str) -> Button:
        button = named(Button(themes, words, look="link"), name)
        button.setAutoDefault(False)
        return button

    def _refusal(self, offer: AvailableItems) -> str:
        by_reason: dict[str, list[str]] = {}
        for name, why in offer.refused:
            by_reason.setdefault(why, []).append(name)
        told = []
        for why, names in by_reason.items():
            listed = ", ".join(names[:6])
            if len(names) > 6:
                listed = self.tr("%s and %s more") % (listed, number(len(names) - 6))
            told.append(f"{listed} ({why})")
        return self.tr("Cannot be mined: %s.") % "; ".join(told)

    def _on_ticked(self) -> None:
        ticked = len(self.chosen)
        self.count.setText(self.tr("%s of %s items") % (number(ticked), number(self._total)))
        self.use.setEnabled(ticked >= 1)
        self.use.setToolTip("" if ticked else self.tr("Select at least 1 item."))
