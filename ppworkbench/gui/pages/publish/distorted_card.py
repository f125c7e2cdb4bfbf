"""What each attribute becomes in the distorted table."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from ppworkbench.core.design import Design
from ppworkbench.gui.language.text import told
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.table_copy import let_copy

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_SHARE, _WHOLE = QHeaderView.ResizeMode.Stretch, QHeaderView.ResizeMode.ResizeToContents
_WIDTHS = (_SHARE, _WHOLE, _SHARE)
"""The kind is seen as a whole; the other columns share what it leaves, however large type is."""


class DesignModel(QAbstractTableModel):
    """Attribute, kind and distortion of every designed attribute."""

    def __init__(self) -> None:
        super().__init__()
        self._design = Design(())

    def show_design(self, design: Design) -> None:
        """Show another design."""
        if design is not self._design:
            self.beginResetModel()
            self._design = design
            self.endResetModel()

    def name(self, row: int) -> str:
        """The attribute in a row."""
        return self._design.attributes[row].name

    def row_of(self, name: str) -> int:
        """The row of an attribute, -1 if it has none."""
        names = self._design.names
        return names.index(name) if name in names else -1

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """One row an attribute."""
        return 0 if parent.isValid() else len(self._design.attributes)

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """Three."""
        return 0 if parent.isValid() else 3

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The heads."""
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (self.tr("attribute"), self.tr("kind"), self.tr("becomes"))[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The words of a cell."""
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        designed = self._design.attributes[index.row()]
        perturbation = self._design.perturbation(designed.name)
        if index.column() == 0:
            return designed.name
        if index.column() == 1:
            return told(designed.attribute.kind.value)
        if perturbation.is_identity:
            return self.tr("published as it is")
        return told(perturbation.summary())


class DistortedCard(Card):
    """A list whose current attribute is compared below."""

    attribute_chosen = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(" ", " ")
        self.title_label.setText(self.tr("What each attribute becomes"))
        self.model = DesignModel()
        self.view = QTableView()
        self.view.setTabKeyNavigation(False)
        self.view.setObjectName("distortedAttributes")
        self.view.setAccessibleName(self.tr("What each attribute becomes"))
        self.view.setModel(self.model)
        let_copy(self.view)
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.setShowGrid(False)
        self.view.verticalHeader().hide()
        self.view.verticalHeader().setDefaultSectionSize(themes.theme.px(28))
        header = self.view.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for place, mode in enumerate(_WIDTHS):
            header.setSectionResizeMode(place, mode)
        self.body.addWidget(self.view, 1)
        self.view.selectionModel().currentRowChanged.connect(self._on_row)

    def show_design(self, design: Design, current: str | None, hint: str) -> None:
        """Show a design and the attribute that is compared, without announcing it."""
        self.hint_label.setText(hint)
        self.model.show_design(design)
        row = -1 if current is None else self.model.row_of(current)
        if row >= 0 and self.view.currentIndex().row() != row:
            self.view.selectionModel().blockSignals(True)
            self.view.selectRow(row)
            self.view.selectionModel().blockSignals(False)
            self.view.viewport().update()

    def _on_row(self, now: QModelIndex) -> None:
        if now.isValid():
            self.attribute_chosen.emit(self.model.name(now.row()))
