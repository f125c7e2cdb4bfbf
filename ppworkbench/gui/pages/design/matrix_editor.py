"""The editor of an attribute with values: mechanism, sliders and the matrix."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design import (
    Binary,
    Custom,
    Identity,
    MatrixPerturbation,
    Ordinal,
    Perturbation,
    Uniform,
)
from ppworkbench.core.design.presets import named_design
from ppworkbench.core.privacy.assess import matrix_of
from ppworkbench.gui.announce import announce
from ppworkbench.gui.pages.design.aim_row import AimRow
from ppworkbench.gui.pages.design.apply import apply_to_selection
from ppworkbench.gui.pages.design.devices_panel import DevicesPanel
from ppworkbench.gui.pages.design.keep_panel import BinaryPanel, KeepPanel
from ppworkbench.gui.pages.design.matrix_column import column_reading, edited_column
from ppworkbench.gui.pages.design.matrix_exchange import MatrixExchange
from ppworkbench.gui.pages.design.matrix_grid import MatrixGrid
from ppworkbench.gui.pages.design.neighbours_panel import NeighboursPanel
from ppworkbench.gui.pages.design.value_journey import ValueJourney
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.icon_button import IconButton
from ppworkbench.gui.widgets.layouts import line, row, text
from ppworkbench.gui.widgets.live_label import LiveLabel
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.help import key_about

_SEGMENTS = {"binary": "pq", "ordinal": "neighbours"}
_KINDS = {segment: kind for kind, segment in _SEGMENTS.items()}
"""Segments whose perturbations are called otherwise."""


class MatrixEditor(Card):
    """Everything about the current attribute's P-matrix; reads the study, writes through it."""

    help_requested = Signal(str)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.tr("How answers move"))
        self.workbench = workbench
        self.store = workbench.store
        themes = workbench.themes
        self._locked: dict[str, frozenset[tuple[int, int]]] = {}
        self._fitted: tuple[str, str, tuple[str, ...]] | None = None
        self.segments = Segmented(themes, self.tr("How answers move"), self._choices(False))
        self.segments.setObjectName("mechanism")
        self.segments.chosen.connect(self._on_segment)
        self.head.addWidget(self.segments)
        # The choices say enough where there is no room for both.
        self.title_label.setMinimumWidth(1)
        self.keep = KeepPanel(themes)
        self.pq = BinaryPanel()
        self.neighbours = NeighboursPanel(themes)
        self.neighbours.turned.connect(self._fit_soon)
        self.devices = DevicesPanel(themes)
        self.stack = QStackedWidget()
        plain = self.tr("Answers are published as they are; nothing protects them.")
        custom = self.tr(
            "Every cell is yours: type in the matrix below, lock cells with L, or paste a matrix "
            "from a spreadsheet."
        )
        self._panels: dict[str, QWidget] = {
            "none": text(plain, "secondary", wrap=True),
            "uniform": self.keep,
            "pq": self.pq,
            "neighbours": self.neighbours,
            "devices": self.devices,
            "custom": text(custom, "secondary", wrap=True),
        }
        for panel in self._panels.values():
            self.stack.addWidget(panel)
        self.stack.installEventFilter(self)
        for source in (self.keep, self.pq, self.neighbours, self.devices):
            source.changed.connect(self._apply)
        self.neighbours.help_requested.connect(workbench.help_requested)
        self.aim = AimRow(workbench)
        self.problem = text("", "warning", wrap=True)
        self.problem.hide()
        self._build_matrix()

    def _build_matrix(self) -> None:
        themes = self.workbench.themes
        self.grid = MatrixGrid(themes)
        self.grid.column_selected.connect(lambda _: self.refresh())
        self.grid.cell_edited.connect(self._on_cell)
        self.grid.cell_refused.connect(self._refuse)
        self.grid.lock_toggled.connect(self._on_lock)
        self.exchange = MatrixExchange(self.workbench, self.grid)
        self.exchange.read.connect(self._apply)
        self.exchange.refused.connect(self._refuse)
        self.unlock = IconButton(themes, "unlock", self.tr("Unlock all cells"), 16)
        self.unlock.setObjectName("unlockCells")
        self.unlock.clicked.connect(self._on_unlock)
        self.load = IconButton(themes, "import", self.tr("Load a matrix from a file"), 16)
        self.load.setObjectName("importMatrix")
        self.load.clicked.connect(self.exchange.load)
        self.copy = IconButton(themes, "copy", self.tr("Copy the matrix"), 16)
        self.copy.setObjectName("copyMatrix")
        self.copy.clicked.connect(self.exchange.copy)
        self.reading = LiveLabel(2)
        self.body.addWidget(self.stack)
        self.body.addWidget(self.aim)
        self.body.addWidget(self.problem)
        self.body.addWidget(line())
        self.body.addLayout(
            row(text(self.tr("Probability matrix"), "strong"),
                ElidedLabel("captionHint", self.tr("type to edit a cell, L locks it"), hugs=True),
                None, self.unlock, self.load, self.copy, spacing=6)
        )  # fmt: skip
        self.body.addWidget(self.grid, 1)
        self.body.addWidget(self.reading)
        self.journey: ValueJourney | None = None
        self.body.addStretch(0)

    def ask_for_help(self) -> None:
        """Ask for the page about the mechanism that is chosen."""
        if self.segments.current == "devices":
            topic = key_about("named design", self.devices.chosen, "named-designs")
        else:
            kind = _KINDS.get(self.segments.current, self.segments.current)
            topic = key_about("perturbation", kind, "mechanisms")
        self.workbench.help_requested.emit(topic)

    def set_roomy(self, roomy: bool) -> None:
        """Have larger cells and one answer's journey, for a wide window."""
        self.grid.set_roomy(roomy)
        if roomy and self.journey is None:
            self.journey = ValueJourney(self.workbench.themes)
            self.body.insertWidget(self.body.count() - 1, self.journey)
        if self.journey is not None:
            self.journey.setHidden(not roomy)
            self._show_journey()

    def _show_journey(self) -> None:
        if self.journey is not None and not self.journey.isHidden():
            self.journey.show_column(self.grid.values, self.grid.chances, self.grid.column)

    def _choices(self, binary: bool) -> list[tuple[str, str]]:
        choices = [("none", self.tr("None")), ("uniform", self.tr("Uniform"))]
        if binary:
            choices.append(("pq", self.tr("p and q")))
        else:
            choices.append(("neighbours", self.tr("Neighbours")))
        return [*choices, ("devices", self.tr("Devices")), ("custom", self.tr("Custom"))]

    # Showing the study

    def refresh(self) -> None:
        """Show the current attribute as the study has it."""
        name = self.store.current
        if name is None or name not in self.store.study.design:
            return
        designed = self.store.study.design[name]
        attribute = designed.attribute
        if not attribute.kind.is_categorical:
            return
        perturbation = self.store.study.design.perturbation(name)
        matrix = matrix_of(attribute, perturbation)
        segment = _segment(perturbation, attribute.values)
        self.segments.set_choices(self._choices(attribute.kind is Kind.BINARY))
        self.segments.set_disabled(self._disabled(attribute.kind, attribute.k))
        self.segments.set_current(segment)
        self.stack.setCurrentWidget(self._panels[segment])
        self.grid.locked = self._locked.get(name, frozenset())
        self.grid.show_matrix(matrix, attribute.values)
        self._show_panel(segment, perturbation, matrix)
        shown = segment, perturbation.type_name, attribute.values
        if shown != self._fitted:
            self._fitted = shown
            self._fit_stack()
            # A form that was made just now knows its height only after it was laid out.
            self._fit_soon()
        self.reading.set_text(
            column_reading(self, perturbation, matrix, attribute.values, self.grid.column)
        )
        self._show_journey()
        if not self.grid.is_editing:
            self.problem.hide()
        self.aim.refresh()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Give the panel in front the height of its new type, once all of it has that."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and getattr(self, "_fitted", None) is not None:
            self._fit_soon()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Make room for a sentence that appears in the panel in front."""
        if watched is self.stack and event.type() == QEvent.Type.LayoutRequest:
            self._fit_soon()
        return super().eventFilter(watched, event)

    def _fit_soon(self) -> None:
        QTimer.singleShot(0, self, self._fit_stack)

    def _fit_stack(self) -> None:
        """Give the panel in front its own height, not that of the tallest."""
        current = self.stack.currentWidget()
        layout = current.layout()
        if layout is not None:
            layout.activate()
        height = max(current.sizeHint().height(), current.minimumSizeHint().height())
        if current.hasHeightForWidth():
            height = max(height, current.heightForWidth(self.stack.width()))
        self.stack.setFixedHeight(height)

    def _disabled(self, kind: Kind, k: int) -> dict[str, str]:
        if kind is Kind.ORDINAL and k >= 3:
            return {}
        if kind is Kind.ORDINAL:
            return {"neighbours": self.tr("Neighbours need at least 3 values.")}
        reason = self.tr("Neighbours need an order of the values; make the attribute ordinal.")
        return {"neighbours": reason}

    def _show_panel(self, segment: str, perturbation: Perturbation, matrix: np.ndarray) -> None:
        values = self.grid.values
        if isinstance(perturbation, Uniform):
            self.keep.show_keep(perturbation, len(values))
        if isinstance(perturbation, Binary):
            self.pq.show_binary(perturbation, values)
        if isinstance(perturbation, Ordinal):
            self.neighbours.show_weights(perturbation, len(values), matrix, self.grid.column)
        if segment == "devices" and isinstance(perturbation, MatrixPerturbation):
            self.devices.show_values(values, perturbation)

    # Changing the study

    def _apply(self, perturbation: Perturbation, gesture: str = "") -> None:
        problem = apply_to_selection(self.workbench, lambda _: perturbation, gesture)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))

    def _on_segment(self, segment: str) -> None:
        name = self.store.current
        if name is None:
            return
        attribute = self.store.study.design[name].attribute
        before = matrix_of(attribute, self.store.study.design.perturbation(name))
        keep = float(np.clip(np.diag(before).mean(), 0.0, 1.0))
        keep = keep if keep < 1 else 0.6
        starts: dict[str, Perturbation] = {
            "none": Identity(),
            "uniform": Uniform(keep=round(keep, 3)),
            "pq": Binary(keep_one=round(float(before[-1, -1]), 3),
                         keep_zero=round(float(before[0, 0]), 3)),
            "neighbours": Ordinal(weights=(round(keep, 3), round((1 - keep) / 2, 4)), loop=False),
            "custom": Custom.of(before),
        }  # fmt: skip
        if segment == "devices":
            current = self.store.study.design.perturbation(name)
            like = isinstance(current, MatrixPerturbation) and self.devices.like(
                attribute.values, current
            )
            # Other matrices are no device; a uniform one can be the beginning of one.
            start = Uniform(keep=round(keep, 3))
            self._apply(like or self.devices.like(attribute.values, start) or start)
            return
        self._apply(starts[segment])

    def _on_cell(self, row_: int, column: int, value: float) -> None:
        name = self.store.current
        if name is None:
            return
        attribute = self.store.study.design[name].attribute
        matrix = matrix_of(attribute, self.store.study.design.perturbation(name))
        locked = {r for r, c in self._locked.get(name, frozenset()) if c == column}
        changed = edited_column(matrix[:, column], row_, value, locked)
        if changed is None:
            self._refuse(self.tr("The locked cells leave no room in this column; unlock one."))
            return
        new = matrix.copy()
        new[:, column] = changed
        self.store.set_perturbation([name], Custom.of(new))

    def _on_lock(self, row_: int, column: int) -> None:
        name = self.store.current
        if name is not None:
            locked = self._locked.get(name, frozenset())
            self._locked[name] = locked ^ {(row_, column)}
            self.refresh()

    def _on_unlock(self) -> None:
        self._locked.pop(self.store.current or "", None)
        self.refresh()

    def _refuse(self, sentence: str) -> None:
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))
        announce(self.grid, sentence)


def _segment(perturbation: Perturbation, values: tuple[str, ...]) -> str:
    """Where a perturbation is edited: at its device if one was chosen."""
    if named_design(perturbation, values) is not None:
        return "devices"
    return _SEGMENTS.get(perturbation.type_name, perturbation.type_name)
