"""The editor of an attribute with values: mechanism, sliders and the matrix."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QRadioButton, QVBoxLayout, QWidget

from ppworkbench.analyses.designs.design import edited_column
from ppworkbench.analyses.designs.mechanisms import matrix_before
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design import Custom, Perturbation, Uniform, perturbations
from ppworkbench.core.design.matrices.custom import Orientation, parse_matrix
from ppworkbench.core.design.presets import named_design
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.files import check_file
from ppworkbench.gui.charts.matrix import (
    LARGEST,
    MatrixGrid,
    copy_matrix,
    short_probability,
    without_names,
)
from ppworkbench.gui.dialogs import choose_file, ok_cancel, show_dialog
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.numbers import percent as whole_percent
from ppworkbench.gui.pages.design.devices import DeviceLine
from ppworkbench.gui.pages.design.editors.examples import ValueJourney
from ppworkbench.gui.pages.design.editors.matrix_panels import (
    BinaryPanel,
    DevicesPanel,
    NeighboursPanel,
    keep_panel,
)
from ppworkbench.gui.pages.design.editors.mechanism_editor import (
    MechanismAdviceLines,
    MechanismEditor,
    reason_of,
)
from ppworkbench.gui.pages.design.texts import offered, safe
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Section
from ppworkbench.gui.widgets.controls import IconButton
from ppworkbench.gui.widgets.form import Form
from ppworkbench.gui.widgets.labels import ElidedLabel, LiveLabel, announce
from ppworkbench.gui.widgets.layout import column, line, named, row, show_words, text
from ppworkbench.outputs.help.topic import key_about

Vector = NDArray[np.float64]


def percent(share: float) -> str:
    """A percentage with a digit after the point where it would be lost otherwise."""
    return whole_percent(share, 0 if abs(100 * share - round(100 * share)) < 0.05 else 1)


def column_reading(
    speaker: QObject,
    perturbation: Perturbation,
    matrix: Vector,
    values: tuple[str, ...],
    chosen: int,
) -> str:
    """What happens to one true answer, and what was normalised."""
    column = matrix[:, chosen]
    order = [i for i in np.argsort(-column) if i != chosen and column[i] > 0]
    stays = speaker.tr("%s report it") % percent(float(column[chosen]))
    moves = [
        speaker.tr("%s report “%s”") % (percent(float(column[i])), values[i]) for i in order[:3]
    ]
    if len(order) > 3:
        rest = float(column[order[3:]].sum())
        moves.append(speaker.tr("%s report another value") % percent(rest))
    sentence = speaker.tr("<b>True answer “%s”:</b> %s.") % (
        safe(values[chosen]), safe(", ".join([stays, *moves]))
    )  # fmt: skip
    total = perturbation.values.end_weight()
    if total is not None and len(values) > 1 and abs(total - 1) > 1e-9:
        sentence += " " + speaker.tr(
            "The end columns sum to %s and are rescaled to 1; there the answer is "
            "kept with probability %s."
        ) % (number(total, 2), short_probability(float(matrix[0, 0])))
    return sentence


_DEVICES = "devices"
_OPEN = ("ordinal", "custom")
"""Mechanisms whose matrix is in sight from the beginning: there it says what a slider does not."""
_RANK_OF_DEVICES = 30
"""Named designs have a place of their own among the mechanisms."""


class MatrixImportDialog(QDialog):
    """Rows or columns are the true answers; what does not fit says why."""

    def __init__(self, content: str, values: tuple[str, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Load matrix"))
        self.matrix: Custom | None = None
        self._content, self._values = content, values
        self.columns = QRadioButton(self.tr("Columns are true answers and sum to 1"))
        self.rows = QRadioButton(self.tr("Rows are true answers and sum to 1 (PRAM convention)"))
        self.problem = text("", "error", wrap=True)
        self.buttons = ok_cancel(self, self.accept)
        question = self.tr("Orientation of the matrix")
        layout = column(
            text(question, "strong"), self.columns, self.rows, self.problem, self.buttons,
            parent=self, margin=16, spacing=10,
        )  # fmt: skip
        for button in (self.columns, self.rows):
            button.toggled.connect(self._check)
        fits_rows = self._parsed(Orientation.ROWS_ARE_TRUE)[0] is not None
        fits_columns = self._parsed(Orientation.COLUMNS_ARE_TRUE)[0] is not None
        (self.rows if fits_rows and not fits_columns else self.columns).setChecked(True)
        layout.addStrut(388)

    def _parsed(self, orientation: Orientation) -> tuple[Custom | None, str]:
        try:
            found = parse_matrix(self._content, orientation, None)
            found.check_k(len(self._values))
        except WorkbenchError as error:
            return None, translate(error.message)
        return found, ""

    def _check(self) -> None:
        orientation = (
            Orientation.ROWS_ARE_TRUE if self.rows.isChecked() else Orientation.COLUMNS_ARE_TRUE
        )
        self.matrix, problem = self._parsed(orientation)
        self.problem.setText(problem)
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        ok.setEnabled(self.matrix is not None)


_LARGEST_FILE = 64 * 2**20


class MatrixEditor(MechanismEditor):
    """Everything about the current attribute's P-matrix."""

    panels: ClassVar = {
        "uniform": keep_panel, "binary": BinaryPanel, "ordinal": NeighboursPanel,
        _DEVICES: DevicesPanel,
    }  # fmt: skip
    matrix_typed = Signal(object)
    """A matrix for the current attribute alone."""
    matrix_copied = Signal()
    failed = Signal(object)
    """The exception of a matrix file that cannot be read."""

    def __init__(self, themes: ThemeManager) -> None:
        nothing = tr("Answers are not randomised.")
        super().__init__(themes, tr("Randomisation"), "mechanism", Kind.NOMINAL, nothing)
        self._view: DesignView | None = None
        self._locked: dict[str, frozenset[tuple[int, int]]] = {}
        self._fitted: tuple[str, str, tuple[str, ...]] | None = None
        self._wants_matrix = False
        """Whether somebody unfolded the matrix of a mechanism that does without it."""
        custom = self.tr(
            "Type in the matrix below, lock cells with L, or paste a matrix from a spreadsheet."
        )
        self._add_panel("custom", text(custom, "secondary", wrap=True))
        self.stack.installEventFilter(self)
        self.naming = named(text("", "secondary", wrap=True), "setNaming")
        self.advice = MechanismAdviceLines(themes)
        self.advice.chosen.connect(self._apply)
        self.device = DeviceLine(themes)
        self._build_matrix()

    @property
    def devices(self) -> DevicesPanel:
        panel = self.panel(_DEVICES)
        assert isinstance(panel, DevicesPanel)  # noqa: S101 (made by its name)
        return panel

    def _build_matrix(self) -> None:
        themes = self._themes
        self.grid = MatrixGrid(themes)
        self.grid.column_selected.connect(lambda _: self._show())
        self.grid.cell_edited.connect(self._on_cell)
        self.grid.cell_refused.connect(self._refuse)
        self.grid.lock_toggled.connect(self._on_lock)
        self.grid.copy_requested.connect(self._copy)
        self.grid.paste_requested.connect(self._paste)
        self.unlock = IconButton(themes, "unlock", self.tr("Unlock all cells"), 16)
        self.unlock.setObjectName("unlockCells")
        self.unlock.clicked.connect(self._on_unlock)
        self.load = IconButton(themes, "import", self.tr("Load matrix from file"), 16)
        self.load.setObjectName("importMatrix")
        self.load.clicked.connect(self._load)
        self.copy = named(IconButton(themes, "copy", self.tr("Copy matrix"), 16), "copyMatrix")
        self.copy.clicked.connect(self._copy)
        self.reading = LiveLabel(2)
        self.body.addWidget(self.stack)
        self.body.addWidget(self.naming)
        self.body.addWidget(self.advice)
        self.body.addWidget(self.device)
        self.body.addWidget(self.aim)
        self.body.addWidget(self.problem)
        self.body.addWidget(line())
        self.section = Section(themes, self.tr("Transition matrix"), "showMatrix")
        self.section.body.addLayout(
            row(ElidedLabel("captionHint", self.tr("type to edit a cell, L locks it"), hugs=True),
                None, self.unlock, self.load, self.copy, spacing=6)
        )  # fmt: skip
        self.section.body.addWidget(self.grid, 1)
        self.section.body.addWidget(self.reading)
        stretching = self.section.layout()
        assert isinstance(stretching, QVBoxLayout)  # noqa: S101 (a column)
        stretching.setStretch(1, 1)
        self.section.button.clicked.connect(self._on_folded)
        self.body.addWidget(self.section)
        self.section.toggled.connect(
            lambda is_open: self.body.setStretchFactor(self.section, int(is_open))
        )
        self.journey: ValueJourney | None = None
        self.body.addStretch(0)

    def ask_for_help(self) -> None:
        if self.segments.current == _DEVICES:
            topic = key_about("named design", self.devices.chosen, "named-designs")
            self.help_requested.emit(topic)
        else:
            super().ask_for_help()

    def set_roomy(self, roomy: bool) -> None:
        """Have larger cells and one answer's journey, for a wide window."""
        self.grid.set_roomy(roomy)
        if roomy and self.journey is None:
            self.journey = ValueJourney(self._themes)
            self.body.insertWidget(self.body.count() - 1, self.journey)
        if self.journey is not None:
            self.journey.setHidden(not roomy)
            self._show_journey()

    def _show_journey(self) -> None:
        if self.section.isHidden():
            return
        if self.journey is not None and not self.journey.isHidden():
            self.journey.show_column(self.grid.values, self.grid.chances, self.grid.column)

    def _choices(self, kind: Kind) -> list[tuple[str, str]]:
        ranked = [(entry.rank, entry.name, translate(entry.title)) for entry in offered(kind)]
        ranked.append((_RANK_OF_DEVICES, _DEVICES, self.tr("Named designs")))
        return [(name, title) for _, name, title in sorted(ranked, key=lambda one: one[0])]

    # Showing the study

    def set_view(self, view: DesignView) -> None:
        self._view = view
        self._show()
        has_form = isinstance(self.stack.currentWidget(), Form)
        self.advice.set_view(view, has_form=has_form)
        told = [reason_of(view.perturbation.type_name), self.advice.toolTip()]
        self.segments.setToolTip("\n".join(words for words in told if words))
        self.device.set_view(view)
        self.aim.set_view(view)

    def _show(self) -> None:
        view = self._view
        if view is None:
            return
        attribute, perturbation = view.attribute, view.perturbation
        segment = _segment(perturbation, attribute.values)
        self._offer(view, segment)
        is_set = perturbation.reports_sets
        # Before it comes to the front: each part that appears there lays the card out anew.
        if not is_set:
            self._show_matrix(view)
        self.stack.setCurrentWidget(self._show_panel(segment, view, self.grid.column))
        self.section.setHidden(is_set)
        show_words(self.naming, translate(perturbation.in_words(attribute)) if is_set else "")
        shown = segment, perturbation.type_name, attribute.values
        if shown != self._fitted:
            self._fitted = shown
            is_open = self._wants_matrix or segment in _OPEN
            self.section.button.setChecked(is_open and not is_set)
            self._fit_stack()
            # A form that was made just now knows its height only after it was laid out.
            self._fit_soon()
        self._show_journey()
        if not self.grid.is_editing:
            self.problem.hide()

    def _show_matrix(self, view: DesignView) -> None:
        attribute, perturbation = view.attribute, view.perturbation
        matrix = perturbation.values.matrix(attribute.k)
        self.grid.locked = self._locked.get(view.name, frozenset())
        self.grid.show_matrix(matrix, attribute.values)
        self.reading.set_text(
            column_reading(self, perturbation, matrix, attribute.values, self.grid.column)
        )

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

    def _on_folded(self, is_open: bool) -> None:
        if self.segments.current not in _OPEN:
            self._wants_matrix = is_open

    def _fit_soon(self) -> None:
        # A height that is set while the layout asks for one would make it ask again. Panels in a
        # column, which needs no height set, make the page lose its columns after a projection.
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

    # Changing the design

    def _on_segment(self, segment: str) -> None:
        if self._view is None:
            return
        attribute, perturbation = self._view.attribute, self._view.perturbation
        before = matrix_before(attribute, perturbation)
        if segment == _DEVICES:
            # Other matrices are no device; a uniform one can be the beginning of one.
            start = Uniform.start(attribute, before)
            is_matrix = not perturbation.is_identity and not perturbation.reports_sets
            like = is_matrix and self.devices.like(attribute.values, before)
            uniform = start.values.matrix(attribute.k)
            self._apply(like or self.devices.like(attribute.values, uniform) or start)
            return
        self._apply(perturbations[segment].start(attribute, before))

    def _on_cell(self, row_: int, column: int, value: float) -> None:
        view = self._view
        if view is None:
            return
        matrix = view.perturbation.values.matrix(view.attribute.k)
        locked = {r for r, c in self._locked.get(view.name, frozenset()) if c == column}
        changed = edited_column(matrix[:, column], row_, value, locked)
        if changed is None:
            self._refuse(self.tr("Locked cells already add up to 1. Unlock one first."))
            return
        new = matrix.copy()
        new[:, column] = changed
        self.matrix_typed.emit(Custom.of(new))

    def _on_lock(self, row_: int, column: int) -> None:
        if self._view is not None:
            name = self._view.name
            self._locked[name] = self._locked.get(name, frozenset()) ^ {(row_, column)}
            self._show()

    def _on_unlock(self) -> None:
        if self._view is not None:
            self._locked.pop(self._view.name, None)
            self._show()

    # Matrices of others

    def _copy(self) -> None:
        copy_matrix(self.grid.matrix, self.grid.values)
        self.matrix_copied.emit()

    def _paste(self) -> None:
        content = QGuiApplication.clipboard().text()
        if len(content) > LARGEST:
            self._refuse(self.tr("The clipboard content is too large for a matrix."))
        else:
            self._take(content)

    def _load(self) -> None:
        choose_file(
            self.grid, self.tr("Load matrix"), "", "*.csv *.tsv *.txt",
            lambda paths, _: self._on_file(paths[0]),
        )  # fmt: skip

    def _on_file(self, path: Path) -> None:
        from ppworkbench.core.data.files import sentences

        try:
            check_file(path)
            with sentences(path, "read"):
                fits = 0 < path.stat().st_size <= _LARGEST_FILE
                content = path.read_text(encoding="utf-8-sig") if fits else ""
        except WorkbenchError as error:
            self.failed.emit(error)
            return
        if content:
            self._take(content)
        else:
            self._refuse(self.tr("%s is empty, or too large for a matrix.") % path.name)

    def _take(self, content: str) -> None:
        values = self.grid.values
        dialog = MatrixImportDialog(without_names(content, values), values, self.window())
        if dialog.matrix is None:
            # It fits neither way, so there is nothing to ask.
            self._refuse(dialog.problem.text())
            dialog.deleteLater()
            return
        dialog.accepted.connect(lambda: self._apply(dialog.matrix))
        show_dialog(dialog, self._themes)

    def _refuse(self, sentence: str) -> None:
        self.show_problem(sentence)
        announce(self.grid, sentence)


def _segment(perturbation: Perturbation, values: tuple[str, ...]) -> str:
    """Where a perturbation is edited: at its device if one was chosen."""
    if named_design(perturbation, values) is not None:
        return _DEVICES
    return perturbation.type_name
