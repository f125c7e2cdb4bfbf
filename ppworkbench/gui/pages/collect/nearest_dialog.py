"""Devices that come nearest to questions which none does exactly, to choose from."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHeaderView,
    QWidget,
)

from ppworkbench.analyses.ways_out import InexactQuestion
from ppworkbench.fieldwork.kit import NearestDevice
from ppworkbench.gui.dialogs import resize_dialog
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import number, trimmed
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layout import column, named, text
from ppworkbench.gui.widgets.table import Column, ColumnModel, TextTable
from ppworkbench.study.study import Study

_NONE = "–"


class NearestDialog(QDialog):
    """One row for each question, and below the devices for the one in front.

    The nearest device of each question is chosen to begin with; nothing changes before it is
    accepted.
    """

    chosen = Signal(object)
    """The devices that were accepted, by question."""

    def __init__(
        self,
        themes: ThemeManager,
        study: Study,
        questions: Sequence[InexactQuestion],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("nearestDevices")
        self.setWindowTitle(self.tr("Nearest devices"))
        self._study = study
        self._taken: dict[str, NearestDevice | None] = {
            one.name: one.offers[0] for one in questions
        }
        words = self.tr(
            "No device gives the probabilities of these questions exactly. Each of the nearest "
            "changes the design a little; Undo brings it back. Answers are counted for ± %s points."
        )
        points = trimmed(100 * questions[0].half_width, 2)
        said = text(words % points, "secondary", wrap=True)
        self.table = TextTable(themes, "nearestTable", self.tr("Questions and devices"))
        self.model: ColumnModel[InexactQuestion] = ColumnModel(
            themes,
            (
                Column(self.tr("Question"), lambda one: study.shown(one.name), is_left=True),
                Column(self.tr("Device"), self._device, is_left=True),
                Column(self.tr("Largest change"), self._change),
                Column("ε", self._epsilon),
                Column(self.tr("Answers needed"), self._needed),
            ),
            self.table,
        )
        self.table.setModel(self.model)
        self.model.set_rows(questions)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.devices = named(QComboBox(), "nearestDevice", self.tr("Device"))
        self.devices.activated.connect(self._on_device)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._show_offers())
        form = QFormLayout()
        form.addRow(self.tr("Device"), self.devices)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.accept_button = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.accept_button.setText(self.tr("Change the design"))
        buttons.accepted.connect(self._on_accept)
        buttons.rejected.connect(self.reject)
        layout = column(said, self.table, form, buttons, parent=self, margin=16, spacing=10)
        layout.setStretch(1, 1)
        resize_dialog(self, 760, 420)
        self.table.selectRow(0)
        self._show_offers()

    @property
    def _front(self) -> InexactQuestion | None:
        place = self.table.currentIndex().row()
        rows = self.model.rows
        return rows[place] if 0 <= place < len(rows) else None

    def _device(self, one: InexactQuestion) -> str:
        taken = self._taken[one.name]
        return self.tr("as it is") if taken is None else translate(taken.label)

    def _change(self, one: InexactQuestion) -> str:
        """How far a probability moves, in points; slips change a spread instead."""
        taken = self._taken[one.name]
        if taken is None or taken.device is None:
            return _NONE
        return self.tr("%s points") % trimmed(100 * taken.difference, 2)

    def _epsilon(self, one: InexactQuestion) -> str:
        taken = self._taken[one.name]
        if taken is None:
            return _NONE
        return "∞" if math.isinf(taken.epsilon) else trimmed(taken.epsilon, 2)

    def _needed(self, one: InexactQuestion) -> str:
        taken = self._taken[one.name]
        return _NONE if taken is None else _people(taken.respondents)

    def _show_offers(self) -> None:
        front = self._front
        self.devices.clear()
        self.devices.setEnabled(front is not None)
        if front is None:
            return
        for one in front.offers:
            self.devices.addItem(translate(one.label))
        self.devices.addItem(self.tr("as it is"))
        taken = self._taken[front.name]
        place = next((i for i, one in enumerate(front.offers) if one is taken), len(front.offers))
        self.devices.setCurrentIndex(place)

    def _on_device(self, place: int) -> None:
        front = self._front
        if front is None:
            return
        self._taken[front.name] = front.offers[place] if place < len(front.offers) else None
        row = self.table.currentIndex().row()
        self.model.dataChanged.emit(
            self.model.index(row, 0), self.model.index(row, self.model.columnCount() - 1)
        )
        self.accept_button.setEnabled(any(one is not None for one in self._taken.values()))

    def _on_accept(self) -> None:
        found = {name: one for name, one in self._taken.items() if one is not None}
        if found:
            self.chosen.emit(found)
            self.accept()


def _people(count: float) -> str:
    return number(math.ceil(count)) if math.isfinite(count) else _NONE
