"""The window in which items are chosen."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QLineEdit,
    QListView,
    QWidget,
)

from ppworkbench.gui.pages.mine.item_list import ItemDelegate, ItemListModel
from ppworkbench.gui.pages.mine.items import Choosable, Offer
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.icon_button import Button
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.words import number


class ItemDialog(QDialog):
    """A filter, the list, and buttons that tick what the filter shows."""

    def __init__(
        self,
        themes: ThemeManager,
        offer: Offer,
        chosen: Sequence[Choosable],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Choose items"))
        self.setObjectName("chooseItems")
        self._total = len(offer.items)
        self.field = QLineEdit()
        self.field.setObjectName("itemFilter")
        self.field.setPlaceholderText(self.tr("Filter, e.g. district"))
        self.field.setAccessibleName(self.tr("Filter the items"))
        self.field.setClearButtonEnabled(True)
        self.model = ItemListModel(self)
        self.list = QListView()
        self.list.setObjectName("itemList")
        self.list.setAccessibleName(self.tr("Items"))
        self.list.setModel(self.model)
        self._delegate = ItemDelegate(themes, self.model)
        self.list.setItemDelegate(self._delegate)
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.all_button = self._link(themes, self.tr("Tick all shown"), "tickAll")
        self.none_button = self._link(themes, self.tr("Untick all shown"), "tickNone")
        self.usual_button = self._link(themes, self.tr("Suggested"), "tickUsual")
        self.usual_button.setToolTip(
            self.tr("Binary and nominal attributes without the class, not too many of them")
        )
        self.count = text("", "hint")
        self.use = Button(themes, self.tr("Use these items"), look="primary")
        self.use.setObjectName("useItems")
        self.use.setDefault(True)
        self.leave = Button(themes, self.tr("Cancel"))
        self.leave.setObjectName("leaveItems")
        self.leave.setAutoDefault(False)
        self.refusal = text(self._refusal(offer), "captionHint", wrap=True)
        self.refusal.setObjectName("refusedItems")
        self.refusal.setVisible(bool(offer.refused))
        self.all_button.clicked.connect(lambda: self.model.tick(self.model.shown, True))
        self.none_button.clicked.connect(lambda: self.model.tick(self.model.shown, False))
        self.usual_button.clicked.connect(lambda: self.model.tick_only(offer.usual))
        self.field.textChanged.connect(self.model.set_filter)
        self.model.ticked_changed.connect(self._on_ticked)
        self.use.clicked.connect(self.accept)
        self.leave.clicked.connect(self.reject)
        links = row(self.all_button, self.none_button, self.usual_button, None, spacing=14)
        foot = row(self.count, None, self.leave, self.use)
        layout = column(
            self.field, links, self.list, self.refusal, foot, parent=self, spacing=8, margin=14
        )
        layout.setStretch(2, 1)
        self.model.show_items(offer.items, chosen)
        self.resize(self.sizeHint())
        self.field.setFocus()

    def sizeHint(self) -> QSize:  # noqa: N802
        """A column of the window."""
        return QSize(430, 560)

    @property
    def chosen(self) -> tuple[Choosable, ...]:
        """The ticked items."""
        return self.model.chosen

    def _link(self, themes: ThemeManager, words: str, name: str) -> Button:
        button = Button(themes, words, look="link")
        button.setObjectName(name)
        button.setAutoDefault(False)
        return button

    def _refusal(self, offer: Offer) -> str:
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
        ticked = len(self.model.ticked)
        self.count.setText(self.tr("%s of %s items") % (number(ticked), number(self._total)))
        self.use.setEnabled(ticked >= 1)
        self.use.setToolTip("" if ticked else self.tr("Tick at least one item."))
